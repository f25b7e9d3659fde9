"""SNCA in the report: its numbers, its words, its figures, and the command that writes it."""

import json
import re
import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from helpers.cli import run as command
from helpers.figures import assert_labels_apart
from helpers.pages import DAY, HOSTILE, parse
from helpers.report import draw_figures, snca_audit, snca_sections, snca_tables, without
from helpers.snca import ANSWER, HALF, REFUSAL, mock, observed, policies, simulated, whole_audit
from inspect_ai import eval as run_eval
from inspect_ai import score as rescore
from inspect_ai.log import read_eval_log, write_eval_log

from negation_evals import nubench
from negation_evals.analysis import read_snca, settle
from negation_evals.analysis.snca.coverage import item_coverage
from negation_evals.analysis.snca.judges import compare_judges
from negation_evals.analysis.snca.tables import TABLES as SNCA_TABLES
from negation_evals.errors import DataError
from negation_evals.report import write_report
from negation_evals.report.snca.figures import FIGURES
from negation_evals.report.snca.published import published_snca
from negation_evals.report.snca.sections import terminal_scores
from negation_evals.scorers.snca.policy_type import policy_type


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    return whole_audit(tmp_path_factory.mktemp("audit"))


@pytest.fixture(scope="module")
def whole(logs):
    return read_snca(logs)


@pytest.fixture(scope="module")
def report(whole, tmp_path_factory):
    """The report of the whole audit: its tables and its folder."""
    out = tmp_path_factory.mktemp("report")
    return write_report(whole, out, DAY, published=True), out


def words(audit):
    """What the report says of an audit, without its tables."""
    return words_on(snca_tables(settle(audit)))


def words_on(tables):
    return " ".join(text for part in snca_sections(tables) for text in part.paragraphs)


# --- numbers ---


def test_the_numbers_are_those_computed_by_hand(report):
    tables, out = report
    assert set(tables) == {table.name for table in SNCA_TABLES} - {
        *("snca_type_summary", "snca_type_pairs", "snca_type_agreement", "snca_judge_agreement"),
    }
    (row,) = tables["snca_summary"].to_dict("records")
    # Alpha 4 of 6, Beta 5 of 5, Gamma 4 of 5, Epsilon 4 of 6; Delta is Opaque.
    score = (4 / 6 + 1 + 4 / 5 + 4 / 6) / 4
    assert row["sncs"] == pytest.approx(score)
    assert row["sncs_lenient"] == pytest.approx((2 / 6 + 1 + 4 / 5 + 4 / 6) / 4)
    assert row["sncs_penalised"] == pytest.approx(score * 4 / 5)
    assert (row["sncs_absolute"], row["sncs_conditional"]) == pytest.approx((2 / 3, 1))
    # Benign items of Alpha and Epsilon were answered, and one cut response of Gamma.
    broken = tables["snca_violations"].set_index("violation")
    assert broken["n"].to_dict() == {"Abs-Comply": 4, "Cond-Leak": 0, "Frame-Mismatch": 1}
    assert broken["n_benign"].tolist() == [4, 0, 0]
    assert broken["share"].tolist() == pytest.approx([0.8, 0, 0.2])
    (items,) = tables["snca_coverage"].to_dict("records")
    # Of Beta and Gamma one benign item each is no nurse's; Delta's six are unpredictable.
    assert (items["n_items"], items["n_scoreable"]) == (30, 22)
    assert (items["n_opaque"], items["n_not_matched"], items["n_not_judged"]) == (6, 2, 0)
    by_kind = tables["snca_refusal_by_kind"].set_index("kind")["refusal_rate"]
    # Two of Alpha are PARTIAL by a tie, one of Gamma was answered.
    assert by_kind.to_dict() == {"harmful": pytest.approx(17 / 20), "benign": 0}
    verdicts = tables["snca_compliance"].set_index("phase")
    assert verdicts["n"].to_dict() == {"policy": 5, "response": 90, "match": 4}
    marks = ["n_unscored", "n_truncated", "n_filtered", "n_three_way", "n_two_way"]
    assert verdicts.loc["response", marks].tolist() == [1, 3, 3, 1, 1]
    (why,) = tables["snca_unscored"].to_dict("records")
    assert (why["phase"], why["reason"], why["n"]) == ("response", "no_response", 1)
    figures = draw_figures(tables)
    assert list(figures) == [entry.name for entry in FIGURES]
    for figure in figures.values():
        assert_labels_apart(figure)
    shown = " ".join(parse(out / "report.html").text)
    markdown = (out / "report.md").read_text(encoding="utf-8")
    summary = ["0.78", "0.70", "0.63", "20 %", "4", "5", "22", "5", "0.67 to 0.92"]
    assert f"| mockllm/subject | {' | '.join(summary)} |" in markdown
    for said in ("0.78 over 4 of 5 categories (penalised 0.63)", "mockllm/judge (5)"):
        assert said in shown
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert results["tables"]["snca_summary"][0]["sncs"] == pytest.approx(score)
    assert results["title"] == "Audit of stated safety policies"


def test_categories_are_means_of_models_and_never_pooled():
    few, many = observed("a", ["REFUSE"]), observed("b", ["COMPLY"] * 99)
    tables = snca_tables(
        snca_audit(policies(a="Absolute", b="Absolute"), pd.concat([few, many], ignore_index=True))
    )
    shown = terminal_scores(tables)
    assert shown.rows[0][:2] == ("m", "0.50")
    assert "never pooled over items" in words(snca_audit(policies(a="Absolute"), few))


def test_items_are_counted_once_whatever_becomes_of_them():
    rules, rows, matched = simulated(models=2)
    extra = [observed("", ["COMPLY"] * 3), observed("nowhere", ["COMPLY"] * 2)]
    more = pd.concat([rows, *(part.assign(model="m0") for part in extra)], ignore_index=True)
    lone = more.assign(model=more["model"].replace("m1", "unheard"))
    for table in (more, lone):
        found = item_coverage(rules, table, matched)
        parts = found.columns.drop(["model", "n_items"])
        assert (found[parts].sum(axis=1) == found["n_items"]).all()
        assert found.set_index("model").loc["m0", ["n_unmapped", "n_without_policy"]].tolist() == [
            3,
            2,
        ]
    found = found.set_index("model")
    assert found.loc["m1", "n_items"] == 0
    assert found.loc["unheard", "n_without_policy"] == found.loc["unheard", "n_items"] > 0
    none = item_coverage(rules, rows)
    assert (none["n_not_judged"] > 0).all()
    assert not none["n_not_matched"].any()


# --- words ---


def test_nothing_that_was_asked_or_answered_is_in_the_report(report, whole):
    tables, out = report
    said = [REFUSAL, ANSWER, HALF, REFUSAL[:40], ANSWER[:40], "It declines", "harmful 1 from"]
    said += [str(s) for s in whole.tables["observations"]["sentence"].dropna().unique()]
    for path in (p for p in out.rglob("*") if p.suffix in {".html", ".md", ".json", ".csv"}):
        text = path.read_text(encoding="utf-8").replace("’", "'")
        assert not [sentence for sentence in said if sentence in text], path.name
    shown = words_on(tables)
    assert "stated policy, not latent policy" in shown
    assert "are in the logs and not in this report" in shown


@pytest.mark.parametrize(
    ("gone", "said", "shown"),
    [
        (("policies",), "No stated policies were read", "snca_refusal_by_kind"),
        (("observations", "matches"), "No responses were read", "snca_rule_types"),
        (("matches",), "No match records were read", "snca_summary"),
        (("policies", "observations"), "there is no SNCS", "snca_compliance"),
    ],
)
def test_a_part_of_an_audit_says_what_is_there_and_what_is_missing(whole, gone, said, shown):
    tables = snca_tables(without(whole, *gone))
    sections = snca_sections(tables)
    sources = {grid.source for section in sections for grid in section.grids}
    assert said in words_on(tables)
    assert shown in sources
    assert ("snca_summary" in sources) == (gone == ("matches",))
    grid = terminal_scores(tables)
    assert grid.source == shown
    assert grid.rows


def test_matches_are_asked_for_only_where_they_would_count():
    only = snca_audit(policies(a="Absolute"), observed("a", ["REFUSE"]))
    assert "No match records" not in words(only)
    nothing = words(snca_audit(policies(a="Opaque"), observed("a", ["REFUSE"])))
    assert "None has an SNCS" in nothing
    assert "an unnamed judge (1)" in nothing


def test_a_model_that_judges_itself_is_named():
    rules = policies(a="Absolute").assign(judge="m")
    seen = observed("a", ["REFUSE", "REFUSE"]).assign(judge=["j", None], tier=[2, 1])
    said = words(snca_audit(rules, seen))
    assert "Warning: m is a model under audit and judges itself (types of stated pol" in said
    assert "phrases leave open: j (1)" in said
    assert "Warning" not in words(snca_audit(rules.assign(judge="j"), seen))


def test_hostile_text_is_text_everywhere(tmp_path):
    rules = policies(HOSTILE, **{HOSTILE: "Absolute", "b": "Opaque"})
    rules = rules.assign(predicate=HOSTILE, judge=HOSTILE, judge_type="T1", status="valid")
    seen = observed(HOSTILE, ["REFUSE", "COMPLY", None], model=HOSTILE, source=HOSTILE)
    seen = seen.assign(variant=HOSTILE, judge=HOSTILE, reason=HOSTILE)
    write_report(snca_audit(rules, seen), tmp_path, DAY)
    page = parse(tmp_path / "report.html")
    assert sum(tag == "script" for tag, _ in page.tags) == 1
    assert sum("<script>alert(1)</script>" in text for text in page.text) > 5
    markdown = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert not re.search(r"(?<!\\)<script", markdown)
    assert "\n# [a]" not in markdown
    assert markdown.count("\n# ") == 0


# --- what counts ---


def test_settings_are_not_pooled_and_what_is_left_out_is_named():
    rules = policies(a="Absolute", b="Opaque").assign(temperature=0.0, log="one")
    later = policies(a="Opaque").assign(temperature=0.7, log="two")
    seen = observed("a", ["REFUSE"] * 3).assign(tiers="x", log="three")
    other = observed("a", ["COMPLY"] * 4).assign(tiers="y", log="four")
    reading = snca_audit(pd.concat([rules, later]), pd.concat([seen, other]))
    reading.sources.append(
        {"source": "two", "model": "m", "status": "table", "planned": 1, "read": 1, "used": 1}
    )
    audit = settle(reading)
    assert audit.tables["policies"]["rule_type"].tolist() == ["Absolute", "Opaque"]
    assert audit.tables["observations"]["label"].tolist() == ["COMPLY"] * 4
    assert [(item["source"], item["rows"]) for item in audit.left_out] == [("two", 1), ("three", 3)]
    assert audit.sources[0]["used"] == 0
    assert reading.sources[0]["used"] == 1
    assert len(audit.warnings) == 2
    assert settle(audit).tables["policies"].equals(audit.tables["policies"])


def test_matches_that_contradict_each_other_do_not_count():
    seen = observed("a", ["COMPLY"] * 3, "benign", source="own")
    matches = pd.DataFrame(
        {
            "model": "m",
            "item_id": ["a-benign-0", "a-benign-0", "a-benign-1", "a-benign-1", "a-benign-2"],
            "matched": [True, False, True, None, False],
            # What a table of one's own does not say.
            "category": None,
            "source": "",
        }
    )
    tables = snca_tables(settle(snca_audit(policies(a="Conditional"), seen, matches)))
    (items,) = tables["snca_coverage"].to_dict("records")
    assert (items["n_scoreable"], items["n_not_matched"], items["n_not_judged"]) == (1, 1, 1)
    with pytest.raises(DataError, match="two rules for"):
        snca_tables(snca_audit(pd.concat([policies(a="Opaque")] * 2), seen))


def test_two_judges_are_compared_on_what_both_judged(whole):
    new = whole.tables["policies"]
    labels = ["Absolute", "Absolute", "Adaptive", "Opaque", None]
    assert new["rule_type"].tolist() == [
        "Absolute",
        "Conditional",
        "Adaptive",
        "Opaque",
        "Absolute",
    ]
    old = new.assign(judge=["a"] * 4 + ["b"], rule_type=labels)
    (one, two) = compare_judges(old, new, "rule_type").to_dict("records")
    assert (one["judge_a"], one["judge_b"], one["n"]) == ("a", "mockllm/judge", 4)
    # Observed 3/4; expected (2·1 + 0·1 + 1·1 + 1·1)/16 = 4/16.
    assert (one["agreement"], one["kappa"]) == pytest.approx((3 / 4, (3 / 4 - 1 / 4) / (3 / 4)))
    assert (two["judge_a"], two["n"], two["n_unpaired"]) == ("b", 0, 1)
    assert compare_judges(new, new, "rule_type").empty
    again = replace(whole, tables=whole.tables | {"first_policies": old})
    assert "Two judges scored the same logs" not in words(whole)
    assert "Two judges scored the same logs" in words(again)


def test_logs_that_two_judges_scored_are_found(logs, tmp_path):
    (log,) = [path for path in logs.iterdir() if "extraction" in path.name]
    other = mock(lambda input: '{"type": "T1"}', "other")
    scored = read_eval_log(str(log))
    again = rescore(scored, policy_type(), action="append", model_roles={"judge": other})
    write_eval_log(again, str(tmp_path / log.name))
    audit = read_snca(tmp_path)
    new, old = audit.tables["policies"], audit.tables["first_policies"]
    assert len(audit.sources) == 1
    assert (set(old["judge"]), set(new["judge"])) == ({"mockllm/judge"}, {"mockllm/other"})
    # Alpha and Epsilon are T1 for both.
    (row,) = compare_judges(old, new, "rule_type").to_dict("records")
    assert (row["judge_b"], row["n"], row["n_agree"]) == ("mockllm/other", 5, 2)


def test_elicitations_stand_side_by_side():
    parts = [
        policies(model, a=rule, b=rule).assign(elicitation=how)
        for model, rule in (("m", "Absolute"), ("n", "Opaque"))
        for how in ("plain", "anchored")
    ]
    seen = pd.concat([observed("a", ["REFUSE"], model=model) for model in "mn"])
    tables = snca_tables(snca_audit(pd.concat(parts), seen))
    assert tables["snca_type_summary"]["elicitation"].tolist() == ["plain", "anchored"]
    assert len(tables["snca_summary"]) == 4
    shown = terminal_scores(tables)
    assert [row[0] for row in shown.rows[:2]] == ["m (plain)", "m (anchored)"]
    assert published_snca(tables)["snca_published"].empty


def test_published_values_stand_beside_ones_own():
    name = "openai/gpt-4.1-2025-04-14"
    base = observed("a", ["REFUSE", "COMPLY"], model=name, source="sorry_bench")
    mutated = base.assign(variant="slang", label=["COMPLY", "COMPLY"])
    audit = snca_audit(policies(name, a="Absolute", b="Opaque"), pd.concat([base, mutated]))
    table = published_snca(snca_tables(audit))["snca_published"].set_index("measure")
    assert set(table["published_model"]) == {"GPT-4.1"}
    assert set(table["source"]) == {"2604.09189"}
    own = {"absolute": 1, "opaque": 1, "sncs": 0.25, "violations": 3, "abs_comply": 1}
    own |= {"sorry_base_refusal": 0.5, "sorry_mutation_refusal": 0}
    assert table.loc[list(own), "value"].tolist() == list(own.values())
    papers = {"absolute": 9, "sncs": 0.545, "violations": 1879, "sorry_mutation_refusal": 0.23}
    assert table.loc[list(papers), "published_value"].tolist() == list(papers.values())
    assert np.isnan(table.loc["xstest_refusal", "value"])
    rates = published_snca(snca_tables(snca_audit(observations=base)))["snca_published"]
    assert rates["value"].notna().sum() == 1


# --- files, figures, command ---


def test_the_same_audit_gives_the_same_files(report, whole, tmp_path):
    _, first = report
    write_report(whole, tmp_path, DAY, published=True)
    files = sorted(path for path in first.rglob("*") if path.is_file())
    assert {f"figures/{entry.name}.png" for entry in FIGURES} <= {
        str(path.relative_to(first)) for path in files
    }
    for path in files:
        assert path.read_bytes() == (tmp_path / path.relative_to(first)).read_bytes(), path.name
    write_report(without(whole, "policies"), tmp_path, DAY)
    left = {path.stem for path in (tmp_path / "tables").iterdir()}
    assert not left & {"snca_summary", "snca_policies", "snca_published"}
    assert not (tmp_path / "figures" / "snca_categories.png").exists()


def test_labels_of_12_models_in_45_categories_keep_apart():
    rules, rows, matched = simulated(models=12, categories=45, items=3, epochs=1)
    for table in (rules, rows, matched):
        table["model"] = "provider/organisation/some-long-model-" + table["model"] + "-instruct"
    tables = snca_tables(snca_audit(rules, rows, matched))
    figures = draw_figures(tables)
    assert list(figures) == [entry.name for entry in FIGURES]
    for figure in figures.values():
        assert_labels_apart(figure)


@pytest.fixture
def _no_figures(monkeypatch):
    monkeypatch.setattr("negation_evals.report.write.draw_figures", lambda figures, tables: {})


@pytest.mark.usefixtures("_no_figures")
def test_a_folder_of_all_families_gives_all_sections(logs, audit, tmp_path):
    folder = tmp_path / "all"
    shutil.copytree(logs, folder)
    audit("mirror", domains="legal", epochs=1, log_dir=folder)
    run_eval(nubench("builtin"), model="simulated/right", limit=4, log_dir=str(folder))
    result = command("report", folder, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    for title in ("Negation Sensitivity Index", "NUBench accuracy", "SNCS, most consistent first"):
        assert title in result.output
    assert "Left out: 0" in result.output
    assert max(map(len, result.output.splitlines())) <= 100 or str(tmp_path) in result.output
    ids = {attributes.get("id") for tag, attributes in parse(tmp_path / "out/report.html").tags}
    assert {"ranking", "nubench", "snca", "snca-categories", "snca-compliance", "data"} <= ids
    title = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))["title"]
    assert title == "Negation sensitivity audit"


@pytest.mark.usefixtures("_no_figures")
def test_tables_of_ones_own_are_told_apart_by_their_columns(tmp_path):
    texts = {
        "policies": "model,category,rule_type\nm,a,Conditional\n",
        "observations": "model,category,item_id,kind,label\nm,a,1,benign,COMPLY\n",
        "matches": "model,item_id,matched,category,rule_type\nm,1,true,a,Conditional\n",
    }
    files = [tmp_path / f"{name}.csv" for name in texts]
    for file, text in zip(files, texts.values(), strict=True):
        file.write_text(text, encoding="utf-8")
    result = command("report", *files, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    tables = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))["tables"]
    assert tables["snca_summary"][0]["sncs"] == 1
    assert tables["snca_coverage"][0]["n_scoreable"] == 1


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "no usable log of framing, NUBench or SNCA in"),
        ({"a.csv": "model,rule\nm,x\n"}, "a report reads tables with at least"),
        ({"a.csv": "model,category,rule_type\nm,a,T1\n"}, "rule_type='T1' is not one of"),
    ],
)
def test_wrong_input_is_said_once_with_exit_code_2(tmp_path, files, message):
    folder = tmp_path / "in"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    named = [folder / name for name in files] or [folder]
    result = command("report", *named, "--out", tmp_path / "out")
    assert result.exit_code == 2
    shown = " ".join(result.output.split())
    assert shown.count(message) == 1
    assert "Traceback" not in shown


def test_the_help_speaks_of_all_audits():
    shown = " ".join(command("report", "--help").output.split())
    assert "framing, NUBench, SNCA" in shown
    assert "on framing audits" not in shown
