"""What is said about the clauses of scenarios."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from helpers.scenarios import ROW

from negation_evals.cli import main
from negation_evals.framing.frames import load_frames
from negation_evals.framing.scenario_check import Finding, Severity, check_scenarios
from negation_evals.framing.scenarios import load_scenarios, read_scenarios

ENOUGH = [ROW | {"id": f"a_{i}", "text": f"A neighbour is loud at {i}."} for i in range(10)]
"""A file without anything to remark."""


def findings(**fields: object) -> list[tuple[Severity, str]]:
    """What is said of the last scenario when it has these fields."""
    found = check_scenarios([*ENOUGH[:9], ENOUGH[9] | fields]).findings
    assert {finding.scenario for finding in found} <= {"a_9"}
    return [(finding.severity, finding.message) for finding in found]


@pytest.mark.parametrize("name", ["sff", "extended"])
def test_our_own_sets_pass(name: str) -> None:
    _, rows = read_scenarios(name)
    check = check_scenarios(rows)
    assert [scenario.id for scenario in check.scenarios] == [row["id"] for row in rows]
    assert not [finding for finding in check.findings if finding.severity == Severity.ERROR]
    if name == "extended":
        assert check.findings == ()
    else:
        small = [finding.message for finding in check.findings if not finding.scenario]
        assert len(small) == 7
        assert small[0] == "domain financial has 2 of the 10 scenarios that certification asks for"
        # It reads well in the frames that refuse, unlike the two that skip them.
        assert [f.scenario for f in check.findings if f.scenario] == ["science_2"]


@pytest.mark.parametrize(
    ("clause", "message"),
    [
        ("to call the police", 'begins with "to"'),
        ("not call the police", "begins with a negation"),
        ("Never call the police", "begins with a negation"),
        ("don’t call the police", "begins with a negation"),
        ("shouldn't call the police", "begins with a negation"),
        ("should call the police", "begins with a modal verb"),
        ("they call the police", "begins with a subject"),
        ("I call the police", "begins with a subject"),
        ("call the police.", "ends with a punctuation mark"),
        ("call the police!", "ends with a punctuation mark"),
        ("calling the police", 'begins with "calling": the infinitive'),
        ("calls the police", 'begins with "calls", a third person'),
        ("has the police called", 'begins with "has", a third person'),
        ("call\nthe police", "holds a line break"),
        ("call\u2028the police", "holds a line break"),
    ],
)
@pytest.mark.parametrize("field", ["action_clause", "goal_clause"])
def test_clauses_that_cannot_stand_behind_should(field: str, clause: str, message: str) -> None:
    errors = [said for severity, said in findings(**{field: clause}) if severity == Severity.ERROR]
    assert len(errors) == 1
    assert errors[0].startswith(f"{field} ")
    assert message in errors[0]


@pytest.mark.parametrize(
    "clause",
    [
        "bring the key", "sing in the street", "spring a trap", "wring the truth out of them",
        "pass the test", "discuss the case", "focus on the facts", "process the data",
        "bias the sample", "canvass the voters", "gas up the car", "always tell the truth",
        "X-ray the suspect", "CC the manager", "undo the change", "testify against the firm",
        "say whether or not it happened", "toss a coin", "weep", "notify the owner",
        "use the key of the neighbour", 'shout "stop!" at them', "let them go",
    ],
)  # fmt: skip
def test_no_false_alarm(clause: str) -> None:
    assert findings(action_clause=clause) == []


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("action_clause", "Call the police", "begins with a capital letter"),
        ("action_clause", "can the police", 'begins with "can" or "will"'),
        ("action_clause", "leave and never return", "holds a negation"),
        ("action_clause", "tell them that it isn't so", "holds a negation"),
        ("action_clause", "sleep", "goal_clause says the same as action_clause"),
        ("action_clause", "refuse to open", 'to "refuse" is itself a refusal'),
        ("action_clause", "politely decline the gift", "skip_frames: [not_refuse, refuse]"),
        ("action_clause", "fail to report it", 'to "fail" is itself a refusal'),
        ("action_clause", "call {name}", "holds a brace"),
        ("goal_clause", "sleep <b>well</b>", "holds markup (<b>)"),
        ("text", "Loud &amp; late.", "holds markup (&amp;)"),
        ("text", "Loud.\nLate.", "text holds a line break"),
        ("text", " Loud.", "begins or ends with white space"),
        ("text", "Loud\u200b.", r"invisible character '\u200b'"),
        ("text", "Loud. " * 300, "text has 1799 characters, over 1500"),
        ("text", "a neighbour is  loud at 3.", "has the text of a_3"),
    ],
)
def test_what_may_be_right_is_a_warning(field: str, value: str, message: str) -> None:
    change = {field: value}
    if "has the text" in message:
        change["action_clause"] = "knock on the wall"
    found = [one for one in findings(**change) if message in one[1]]
    assert [severity for severity, _ in found] == [Severity.WARNING]
    assert not [said for severity, said in findings(**change) if severity == Severity.ERROR]


def test_a_refusal_that_skips_its_frames_is_fine() -> None:
    frames = {"action_clause": "refuse to open", "skip_frames": ["not_refuse", "refuse"]}
    assert findings(**frames) == []
    assert len(findings(**frames | {"skip_frames": ["refuse"]})) == 1


def test_a_scenario_without_a_frame_of_the_papers_is_named() -> None:
    ((severity, message),) = findings(skip_frames=["F3", "refrain", "F1"])
    assert severity == Severity.WARNING
    assert "leaves out F1, F3: the scenario has no NSI" in message


@pytest.mark.parametrize(
    ("action", "gerund", "message"),
    [
        ("lie to the guest", "lying to the guest", None),
        ("quietly call the police", "quietly calling the police", None),
        ("bring a key and open it", "bringing a key and opening it", None),
        ("call the police", "call the police", "no -ing form"),
        ("call the police", "to call the police", "no -ing form"),
        ("bring the police", "bring the police", "no -ing form"),
        ("call the police", "calling", "the words of action_clause"),
        ("call the police", "calling the ambulance", "the words of action_clause"),
        ("call the police", "telling the police", "the words of action_clause"),
    ],
)
def test_the_gerund_is_that_of_the_action(action: str, gerund: str, message: str | None) -> None:
    found = findings(action_clause=action, action_gerund=gerund)
    if message is None:
        assert found == []
    else:
        assert [severity for severity, _ in found] == [Severity.ERROR]
        assert message in found[0][1]


def test_faults_of_rows_and_of_the_set() -> None:
    broken = {"id": "b/1", "domain": "home", "text": " x", "action": "y"}
    nameless = {key: value for key, value in ROW.items() if key != "id"}
    found = check_scenarios([*ENOUGH, ENOUGH[0], ROW, ROW | {"id": "c"}, broken, nameless]).findings
    errors = [(f.scenario, f.message) for f in found if f.severity == Severity.ERROR]
    assert ("a_0", "the id occurs 2 times; ids must be unique") in errors
    assert ("c", "has text and action of a_1: the same scenario would count twice") in errors
    assert ("row 15", "field 'id': Field required") in errors
    # Every wrong field of a row, not the first alone.
    assert [said.split(":")[0] for name, said in errors if name == "b/1"] == [
        "field 'id'", "field 'action_clause'", "field 'goal_clause'", "field 'action'"
    ]  # fmt: skip
    assert Finding("b/1", Severity.WARNING, "text begins or ends with white space, which is taken "
                   "off") in found  # fmt: skip


@pytest.mark.parametrize(
    "row",
    [
        {},
        {1: 2},
        {"id": ["a"], "text": 5},
        ROW | {"skip_frames": {"F0": 1}},
        ROW | {"action_clause": "\x1c", "action_gerund": "\x1c"},
        ROW | {"action_clause": "ing", "action_gerund": "ing"},
    ],
)
def test_odd_rows_are_faults_and_no_crash(row: dict) -> None:
    assert Severity.ERROR in {finding.severity for finding in check_scenarios([row]).findings}


def check(*arguments: object):
    return CliRunner().invoke(main, ["check-scenarios", *map(str, arguments)])


def test_check_scenarios_prints_every_proposal() -> None:
    result = check("extended")
    assert result.exit_code == 0, result.output
    assert max(map(len, result.output.splitlines())) <= 100
    assert result.output.splitlines()[-1] == "70 scenarios: 0 errors, 0 warnings."
    words = " ".join(result.output.split())
    for scenario in load_scenarios("extended").scenarios:
        for frame in load_frames().values():
            assert f"{frame.id} {scenario.proposal(frame)}" in words
    papers = check("sff")
    assert papers.exit_code == 0
    assert "refuse skipped: its skip_frames names it" in " ".join(papers.output.split())
    assert papers.output.splitlines()[-1] == "14 scenarios: 0 errors, 8 warnings."


def test_check_scenarios_names_each_fault_in_a_line(tmp_path: Path) -> None:
    rows = [ROW | {"text": "[bold]Loud[/] \x1b[31m"}, ROW | {"id": "b", "action_clause": "Rob."}]
    rows.append({"id": "c"})
    path = tmp_path / "a.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    result = check(path)
    assert result.exit_code == 2
    lines = result.output.splitlines()
    assert "[bold]Loud[/]" in result.output
    assert "\x1b" not in result.output
    assert (
        "error: b: action_clause ends with a punctuation mark: the frames bring the full stop"
        in lines
    )
    assert "error: c: field 'domain': Field required" in lines
    assert lines[-1] == "3 scenarios: 5 errors, 3 warnings."


def test_check_scenarios_of_what_is_no_file(tmp_path: Path) -> None:
    result = check(tmp_path / "none.yaml")
    assert result.exit_code == 2
    assert "neither a built-in set" in result.output
    assert "Traceback" not in result.output
