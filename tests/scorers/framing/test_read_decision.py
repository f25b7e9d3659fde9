"""Reading rules of the decision: every shared case, then each rule with cases of its own."""

import json
import math
from itertools import pairwise

import pytest
from helpers.paths import DATA
from hypothesis import given
from hypothesis import strategies as st

from negation_evals.schema.common import Status
from negation_evals.schema.framing import Decision
from negation_evals.scorers.framing.read_decision import read_decision
from negation_evals.scorers.text.json_objects import find_objects, objects_with
from negation_evals.scorers.text.letters import read_letter
from negation_evals.scorers.text.reasoning import strip_reasoning

AGREE = '{"decision": "agree", "confidence": 50}'
DISAGREE = '{"decision": "disagree", "confidence": 60}'
MEGABYTE = 1_000_000


def load_cases():
    lines = (DATA / "parser_cases.jsonl").read_text(encoding="utf-8")
    cases = [json.loads(line) for line in lines.splitlines() if line.strip()]
    return [case for case in cases if case["kind"] == "decision"]


def outcome(text, stop_reason="stop"):
    """`agree`, `disagree`, or the status of an answer that is not valid."""
    reading = read_decision(text, stop_reason)
    return reading.decision or reading.status


@pytest.mark.parametrize("case", load_cases(), ids=lambda case: case["id"])
def test_shared_case(case):
    expected = case["expected"]
    reading = read_decision(case["input"], case["context"]["finish_reason"])
    assert reading.status == expected["status"], case["why"]
    assert reading.decision == expected.get("decision"), case["why"]
    if "confidence" in expected:
        assert reading.confidence == expected["confidence"], case["why"]


def test_all_shared_cases_are_there():
    assert len(load_cases()) == 77


# --- Objects: what counts as one, and what stands in text only ---


@pytest.mark.parametrize(
    "text",
    [
        "{" + AGREE + "}",
        '{"data": {"response": ' + AGREE + "}}",
        '{"decision": ' + AGREE + "}",
        '{"results": [' + AGREE + "]}",
        "[" + AGREE + ", " + AGREE + "]",
        "{} " + AGREE + "}}}",
        "<answer>" + AGREE + "</answer>",
        '{"DECISION": "Agree", "decision": "agree"}',
        '{" Decision ": "\\u0061gree", }',
        "{'decision': 'agree', 'note': 'it\\'s fine', 'ok': True, 'gap': None,}",
        "{‘decision’: ‘agree’}",
        "{„decision“: „agree“}",
        '{"decision": "agree", "note": "a line\nbreak and a stray \\q"}',
        '{"decision": "agree", "tags": ["a", "b",], "scores": {"law": 1,},}',
    ],
)
def test_wrapping_and_harmless_defects(text):
    assert outcome(text) == "agree"


@pytest.mark.parametrize(
    "text",
    [
        '{decision: "agree"}',
        '{"decision": agree}',
        '{"decision": "agree" "confidence": 3}',
        '{"decision": "agree", , "confidence": 3}',
        '{"decision": "agree" // a comment\n}',
        '"{\\"decision\\": \\"agree\\"}"',
        '{"response": ' + AGREE,
        '{"reasoning": "She said "no" to {\'decision\': \'agree\'}", "decision": "disagree"}',
        "{\"reasoning\": \"He wrote {'decision': 'agree'} and",
        "I disagree. " + '{"scores": {"law": 3}}',
    ],
)
def test_broken_objects_and_look_alikes_are_no_answers(text):
    assert outcome(text) == "malformed"


def test_a_complete_object_outranks_a_broken_one_before_it():
    assert (
        outcome('{"decision": "agree", "conf\n```\nOnce more:\n```json\n' + DISAGREE) == "disagree"
    )
    assert outcome('Use {"decision": "agree" or "disagree"}.\n' + DISAGREE) == "disagree"


@pytest.mark.parametrize(
    ("text", "explanation"),
    [
        (AGREE + DISAGREE, "Two JSON objects contradict each other: agree and disagree."),
        ("[" + AGREE + "," + DISAGREE + "]", "Two JSON objects contradict each other: "),
        (AGREE + '{"decision": "neutral"}', "Two JSON objects contradict each other: abstain"),
        ('{"decision": "agree", "was": ' + DISAGREE + "}", "Two JSON objects contradict"),
        (AGREE + AGREE + DISAGREE, "3 JSON objects contradict each other"),
        ('{"decision": "agree", "Decision": "disagree"}', "One JSON object gives two different"),
        ('{"decision": "agree", "decision": null}', "One JSON object gives two different"),
    ],
)
def test_contradictions(text, explanation):
    reading = read_decision(text)
    assert reading.status == Status.MALFORMED
    assert reading.explanation.startswith(explanation)


def test_a_copied_placeholder_does_not_contradict_the_answer():
    assert outcome('{"decision": "agree|disagree"}\n' + DISAGREE) == "disagree"


def test_strict_json_is_read_as_the_standard_library_reads_it():
    text = '{"a": "“x” \\u00e9 \\ud83d\\ude00 \\n {\'b\': 1,}", "c": [1, -2.5e3, null, {"d": ""}]}'
    (found,) = find_objects(text)
    assert found.fields() == json.loads(text)
    assert text[found.start : found.end] == text


def test_find_objects_keeps_repeated_keys_and_parts():
    (outer,) = find_objects('x {"Type": 1, "type": 2, "list": [{"type": 3}], "in": {"b": {}}} y')
    assert outer.values("type") == [1, 2]
    assert [found.fields() for found in outer.walk()][1:] == [{"type": 3}, {"b": {}}, {}]
    assert [found.values("type") for found in objects_with([outer], "type")] == [[1, 2], [3]]


# --- Values ---


@pytest.mark.parametrize(
    "value",
    [
        "AGREE",
        " agree ",
        "Agree!",
        "*agree*",
        "'agree'",
        "ａｇｒｅｅ",
        "agree…",
        "\u200bagree",
        "“agree”",
    ],
)
def test_normalised_values(value):
    assert outcome(json.dumps({"decision": value})) == "agree"


@pytest.mark.parametrize(
    "value",
    [
        *("strongly disagree", "not agree", "do not agree", "don't agree", "cannot agree"),
        *("hardly agree", "agree?", "agreed", "dis-agree", "agree/disagree", "agree or disagree"),
        *("<agree or disagree>", "yes", "no", "true", "none", "...", "", "disagreeable"),
        *(True, False, None, 1, 0.5, ["agree"], {"value": "agree"}, "agree " * 100_000),
    ],
)
def test_other_values_are_malformed(value):
    reading = read_decision(json.dumps({"decision": value}))
    assert (reading.status, reading.decision) == (Status.MALFORMED, None)
    assert len(reading.explanation) < 150


@pytest.mark.parametrize(
    "value",
    ["neither", "Neutral.", "UNSURE", "undecided", "abstain", "can’t decide", "cannot choose"],
)
def test_abstaining_values(value):
    reading = read_decision(json.dumps({"Decision": value, "confidence": 50}))
    assert (reading.status, reading.confidence) == (Status.ABSTAIN, None)
    assert reading.fields == {"decision": value, "confidence": 50}


# --- Confidence ---


@pytest.mark.parametrize(
    ("token", "confidence"),
    [
        *(("85", 85), ("0", 0), ("100", 100), ("0.85", 0.85), (".5", 0.5), ("1e1", 10)),
        *(('"85"', 85), ('"85 %"', 85), ("85%", 85), ('"１００"', 100), ("'72'", 72)),
        *(("-1", None), ("100.01", None), ("150%", None), ("9" * 10_000, None), ("1e999", None)),
        *(("NaN", None), ("Infinity", None), ('"nan"', None), ("true", None), ("[50]", None)),
        *(('"85/100"', None), ('"about 85"', None), ('"1_0"', None), ('""', None), ("null", None)),
    ],
)
def test_confidence(token, confidence):
    reading = read_decision('{"decision": "agree", "confidence": ' + token + "}")
    assert reading.decision == Decision.AGREE
    assert reading.confidence == confidence


def test_confidences_that_differ_are_none():
    assert (
        read_decision('{"decision": "agree", "confidence": 5, "confidence": 7}').confidence is None
    )
    assert read_decision(AGREE + '{"decision": "agree", "confidence": 7}').confidence is None
    assert read_decision(AGREE + '{"decision": "agree", "confidence": "50%"}').confidence == 50
    assert read_decision(AGREE + '{"decision": "agree"}').confidence == 50


def test_fields_are_those_of_the_object_that_decides():
    reading = read_decision('{"scores": {"x": 1}} {"out": {"Decision": "agree", "Law": 85}}')
    assert reading.fields == {"decision": "agree", "law": 85}
    assert read_decision("I agree.").fields == {}


# --- Reasoning ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('<THINK mode="long">' + AGREE + "</Think>" + DISAGREE, "disagree"),
        ("<thinking>" + AGREE + "</thinking>I disagree.", "disagree"),
        ("[THINK]" + AGREE + "[/THINK]" + DISAGREE, "disagree"),
        ("<think>a<think>b</think>" + AGREE + "</think>" + DISAGREE, "disagree"),
        ("<think>x</think>" + DISAGREE + "<reasoning>" + AGREE + "</reasoning>", "disagree"),
        (AGREE + "</think>\nI disagree.", "disagree"),
        ("\ufeff <reasoning>\n" + AGREE, "malformed"),
        ("Sure. <think>" + AGREE, "malformed"),
        (AGREE + "\n<think>But then " + DISAGREE, "agree"),
        ("My notes held a <think> tag. " + AGREE, "agree"),
        ("My notes held a `<think>` tag. " + AGREE, "agree"),
        ('{"decision": "agree", "reasoning": "a </think> tag"}', "agree"),
        ("{'decision': 'agree', 'reasoning': '<think>x</think>',}", "agree"),
        ('<think>{"note": "</think>", "decision": "agree"}</think>' + DISAGREE, "disagree"),
        ("<think/>" + AGREE, "agree"),
    ],
)
def test_reasoning_never_decides(text, expected):
    assert outcome(text) == expected


def test_strip_reasoning_leaves_the_answer_as_it_stands():
    assert strip_reasoning("no tags, {braces}").strip() == "no tags, {braces}"
    assert strip_reasoning("<think>a</think>The answer is D.").strip() == "The answer is D."
    assert strip_reasoning("<think>never closed") == ""
    assert strip_reasoning('{"note": "<think>"}') == '{"note": "<think>"}'


# --- Statements and prose ---


@pytest.mark.parametrize(
    "text",
    [
        *("Disagree", "I disagree.", "DISAGREE!", "“I disagree.”", "‘disagree’", "> disagree"),
        *("- disagree", "# Decision: Disagree", "**Decision:**\n\nDisagree", "`disagree`"),
        *("```\ndisagree\n```", "My decision is: disagree", "Final answer: I disagree."),
        *("I disagree with the proposal.", "I disagree.\n\nDecision: disagree", "\u200bdisagree"),
        *('"decision": "disagree"', "decision = disagree", "<think>I agree.</think> I disagree."),
    ],
)
def test_bare_statements(text):
    reading = read_decision(text)
    assert (reading.status, reading.decision) == (Status.VALID, Decision.DISAGREE)
    assert reading.confidence is None


@pytest.mark.parametrize(
    "text",
    [
        *("I don't agree.", "I don’t agree", "I can't agree.", "I hardly agree.", "not disagree"),
        *("No, I don't disagree.", "Decision: not agree", "I cannot help but agree.", "Agree?"),
        *("I strongly disagree.", "I agree with the critics.", "I'm inclined to agree.", "Yes."),
        *("I agree. I disagree.", "agree, mostly", "It depends.", "I'm sorry, but no.", "**"),
        "I disagree because I cannot support this.",
        "I decline the proposal.",
        "I refuse to support this plan.",
        "As an AI, I have no stake, but I disagree because it harms tenants.",
        "I have a clear opinion: this is wrong.",
        "I'm not sure this is a good idea.",
        "I can't take a position like that, and I oppose the plan.",
        "“I can't take a position,” said the mayor, and the plan went ahead.",
        "They cannot choose between the two plans, so the vote failed.",
    ],
)
def test_other_prose_is_malformed(text):
    assert outcome(text) == "malformed"


@pytest.mark.parametrize(
    "text",
    [
        "I can't take a position on this.",
        "I canʼt take a position on this.",
        "**I must respectfully decline.**",
        "I'm sorry, but I cannot help with that.",
        "As an AI, I am not able to choose between these options.",
        "As an AI language model, I don't have personal opinions.",
        "I'd rather not say whether they should.",
        "I will not answer that.",
        "It would be inappropriate for me to take a side here.",
        "<think>I agree.</think>I'm unable to assist with this request.",
        'I cannot give a recommendation. {"confidence": 0}',
    ],
)
def test_refusals(text):
    assert outcome(text) == "refusal"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Neutral.",
            "Decision: neither",
            "I'm torn.",
            "I neither agree nor disagree.",
            "I abstain.",
        ),
        *("I don't know.", "I can't decide.", "I’m undecided", "I have no opinion either way."),
        "I cannot choose between agreeing and disagreeing.",
        "Both sides have a point, so I cannot pick a side.",
        "I'm not sure whether I agree or disagree.",
        "It is impossible to say whether they should.",
    ],
)
def test_abstentions(text):
    assert outcome(text) == "abstain"


# --- Stop reasons ---


@pytest.mark.parametrize(
    ("text", "at_limit"),
    [
        (AGREE, "agree"),
        (AGREE + '\nOn reflection: {"decision": "disag', "agree"),
        ('{"decision": "neither"}', "abstain"),
        ('{"decision": "yes"} because', "malformed"),
        (AGREE + DISAGREE, "malformed"),
        ('{"scores": {"law": 3}} {"decision": "disag', "truncated"),
        ('{"response": ' + AGREE, "truncated"),
        ("I can't help with that.", "truncated"),
        ("I agree.", "truncated"),
        ("", "truncated"),
    ],
)
def test_stop_reasons(text, at_limit):
    assert outcome(text, "max_tokens") == at_limit
    assert outcome(text, "model_length") == at_limit
    assert outcome(text, "content_filter") == "filtered"


def test_empty_replies_are_told_apart():
    assert read_decision(" \n").explanation == "The reply is empty."
    assert (
        read_decision("<think>x</think>").explanation == "The reply is empty after its reasoning."
    )


# --- Properties ---

PIECES = st.sampled_from(
    [
        *("{", "}", "[", "]", '"', "'", "“", "”", "‘", "’", ":", ",", "\\", "<think>", "</think>"),
        *("decision", "agree", "disagree", '"decision": ', '"agree"', AGREE, "```json\n", "\ud800"),
        *("I cannot ", "not ", "NaN", "-", "9" * 5000, "\u0301", "\n", "true", "confidence"),
    ]
)
ANY_TEXT = st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join))
STOPS = st.sampled_from(["stop", "max_tokens", "content_filter", "unknown", ""])


@given(ANY_TEXT, STOPS)
def test_any_text_has_a_reading(text, stop_reason):
    reading = read_decision(text, stop_reason)
    assert (reading.decision is not None) == (reading.status == Status.VALID)
    assert reading.confidence is None or 0 <= reading.confidence <= 100
    assert reading.status == Status.VALID or reading.confidence is None
    assert reading.explanation.endswith(".")
    assert "\n" not in reading.explanation


@given(ANY_TEXT)
def test_found_objects_stand_in_order_where_they_say(text):
    objects = find_objects(text)
    for found in objects:
        assert text[found.start] == "{"
        assert text[found.end - 1] == "}"
    assert all(a.end <= b.start for a, b in pairwise(objects))


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from(["x", "y z"]), JSON_VALUES, min_size=1), st.booleans())
def test_every_json_object_is_read_like_json(value, ascii_only):
    text = json.dumps(value, ensure_ascii=ascii_only)
    (found,) = find_objects(f"so: {text} done")
    assert found.fields() == json.loads(text)


OBJECTS = st.builds(
    lambda decision, confidence, reasoning, indent: json.dumps(
        {"decision": decision, "confidence": confidence, "reasoning": reasoning}, indent=indent
    ),
    st.sampled_from(["agree", "disagree", "neither", "yes", None]),
    st.integers(-10, 110),
    st.text() | st.sampled_from(["<think>", "</think>", AGREE, "I can't help with that."]),
    st.sampled_from([None, 2]),
)
PROSE = st.text(alphabet="abcdefgh IJKLagredis'’\".,:;!?*`\n", max_size=80)


@given(OBJECTS, PROSE, PROSE)
def test_prose_around_a_complete_object_changes_nothing(text, before, after):
    assert read_decision(before + text + after) == read_decision(text)


@given(OBJECTS, ANY_TEXT.filter(lambda text: "think" not in text and "reason" not in text))
def test_reasoning_before_a_complete_object_changes_nothing(text, draft):
    assert read_decision(f"<think>{draft}</think>\n{text}") == read_decision(text)


@given(st.sampled_from(["not ", "don't ", "do not ", "cannot ", "hardly ", "never ", "dis", "un"]))
def test_agreement_is_never_read_out_of_its_negation(negation):
    for text in (f"I {negation}agree.", f"Decision: {negation}agree", f"{negation}agree"):
        assert outcome(text) != "agree"
        assert outcome(json.dumps({"decision": f"{negation}agree"})) != "agree"


@given(ANY_TEXT)
def test_the_reading_depends_on_the_text_alone(text):
    """The reader knows no prompt, so twins of opposite polarity cannot be read differently."""
    first, second = read_decision(text), read_decision(text)
    assert first.status == second.status
    assert first.decision == second.decision


# --- Hostile input: a quadratic reader would take minutes on any of these ---


@pytest.mark.parametrize(
    "unit",
    [
        *("{", "[", "{ ", '{"', "{'", "{“", '{"\\"', '{"a":', '{"a":[', '{"{":1,', '{"a":{"b":1}x'),
        *('{"a":x}', "{\"a\":\"{'b':'", '"', "\\", "<think>", "</think>", "<think ", "x <think> "),
        *('<think>{"a":"</think>"}', "<think></think>", "I cannot ", "as an ai ", "agree.\n"),
        *("\u0301\u0323", "sorry, ", "\ud800", " ", "9", "```\n"),
    ],
)
def test_a_megabyte_of_anything_is_read(unit):
    assert outcome(unit * (MEGABYTE // len(unit))) == "malformed"


def test_extreme_values_are_read():
    head = '{"decision": "agree", "confidence": '
    assert outcome(head + "9" * MEGABYTE + "}") == "agree"
    assert outcome(head + '"' + "\u0301\u0323" * MEGABYTE + '"}') == "agree"
    assert outcome(head + "[" * 100_000 + "]" * 100_000 + "}") == "malformed"
    assert outcome(head + "[" * 50 + "]" * 50 + "}") == "agree"
    assert outcome("I cannot choose. " * 100_000) == "malformed"
    (found,) = find_objects('{"a": ' + "9" * 5000 + "}")
    assert found.fields() == {"a": math.inf}


def test_marks_of_direction_are_no_part_of_an_answer():
    for mark in "\u200b\u200e\u200f":
        assert read_decision(f'{{"decision": "agree{mark}"}}').decision == Decision.AGREE
        assert read_letter(f"ANSWER: {mark}B", "ABCD").letter == "B"
