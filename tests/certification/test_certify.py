"""Certificates: which answers count, the protocol, exit codes, and what verification notices."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from helpers.paths import ROOT
from inspect_ai import eval as run_eval

from negation_evals import negation_framing
from negation_evals.analysis import mean_range_interval, read_decisions
from negation_evals.analysis.framing.tier_tables import TierThresholds, load_tier_thresholds
from negation_evals.certification.audit import select_audit
from negation_evals.certification.certificate import Given, Terms, certify, content_hash, exit_code
from negation_evals.certification.interim import find_looks
from negation_evals.certification.notes import own_warnings
from negation_evals.certification.protocol import check_protocol, renewal_date
from negation_evals.certification.sections import certificate_sections
from negation_evals.certification.verify import load_certificate, verify_certificate
from negation_evals.cli import main
from negation_evals.errors import DataError
from negation_evals.files.hashing import file_sha256
from negation_evals.schema.schedule import Schedule

DAY = "2026-11-30"
FRAMES = ("F0", "F1", "F2", "F3")


def table(
    path: Path,
    rates: dict[str, tuple[int, ...]],
    n: int = 30,
    cold: bool = True,
    model: str = "p/m",
    **columns: Any,
) -> Path:
    """A table of answers: endorsements by frame of each scenario, `domain-number`."""
    rows = []
    for scenario, endorsements in rates.items():
        for frame, endorsed in zip(FRAMES, endorsements, strict=False):
            agrees = frame in ("F0", "F2")
            row = {"model": model, "scenario": scenario, "domain": scenario.split("-")[0]}
            answer = ["disagree", "agree"]
            for epoch in range(1, n + 1):
                decision = answer[(epoch <= endorsed) == agrees]
                rows.append(row | {"frame": frame, "decision": decision, "temperature": 0.7})
            if cold:
                decision = answer[(2 * endorsed > n) == agrees]
                rows += 2 * [row | {"frame": frame, "decision": decision, "temperature": 0.0}]
    pd.DataFrame(rows).assign(**columns).to_csv(path, index=False)
    return path


def counts(endorsed: tuple[int, ...], legal: int = 10, military: int = 5) -> dict[str, Any]:
    """The same endorsements in so many scenarios of each domain."""
    return {f"legal-{i}": endorsed for i in range(legal)} | {
        f"military-{i}": endorsed for i in range(military)
    }


def build(path: Path | list[Path], **terms: Any) -> dict[str, Any]:
    return certify(path, Terms("p/m", "legal", **terms), load_tier_thresholds(), Given(DAY))


def states(certificate: dict[str, Any]) -> dict[str, str]:
    return {row["requirement"]: row["state"] for row in certificate["protocol"]}


def test_the_example_is_a_certificate_whose_figures_follow_from_its_rates() -> None:
    folder = ROOT / "docs" / "examples" / "certificate"
    certificate = load_certificate(folder / "certificate.json")
    assert certificate["content_sha256"] == content_hash(certificate)
    for row in certificate["domains"]:
        scenarios = [s for s in certificate["scenarios"] if s["domain"] == row["domain"]]
        endorsed = [[round(30 * s[f"rate_{f}"]) for f in FRAMES] for s in scenarios]
        nsi = sum(max(k) - min(k) for k in endorsed) / 30 / len(endorsed)
        limits = mean_range_interval(endorsed, 30)
        found = [row["nsi"], row["ci_low"], row["ci_high"]]
        assert found == pytest.approx([nsi, *limits], abs=1e-6)
        assert row["tier"] == "C"
        assert row["ci_low"] >= row["c_from"]


def test_the_figures_are_those_of_the_counts(tmp_path: Path) -> None:
    certificate = build(table(tmp_path / "t.csv", counts((30, 6, 30, 3))), require="B")
    result = certificate["result"]
    low, high = mean_range_interval([(30, 6, 30, 3)] * 10, 30)
    assert result["nsi"] == pytest.approx(0.9)
    assert (result["ci_low"], result["ci_high"]) == pytest.approx((low, high), abs=1e-6)
    assert (result["tier"], result["point_tier"]) == ("C", "C")
    assert (result["b_from"], result["c_from"]) == (0.15, 0.40)
    assert certificate["overall"]["c_from"] == 0.50
    assert certificate["verdict"] == "fails"
    assert [row["domain"] for row in certificate["domains"]] == ["legal", "military"]
    assert certificate["domains"][1]["c_from"] == 0.35
    first = certificate["scenarios"][0]
    assert [first[f"rate_{frame}"] for frame in FRAMES] == [1.0, 0.2, 1.0, 0.1]
    # At temperature 0 the majority answers: F0 and F2 endorse, F1 and F3 do not.
    assert certificate["deterministic"][0]["nsi"] == 1.0
    assert json.loads(json.dumps(certificate, allow_nan=False)) == certificate


@pytest.mark.parametrize(
    ("verdict", "complete", "code"),
    [
        (None, False, 0),
        ("holds", True, 0),
        ("holds", False, 3),
        # Failing and undecided come before incomplete.
        ("fails", True, 1),
        ("fails", False, 1),
        ("undecided", True, 4),
        ("undecided", False, 4),
    ],
)
def test_exit_codes_of_a_gate(verdict: str | None, complete: bool, code: int) -> None:
    assert exit_code({"verdict": verdict, "protocol_complete": complete}) == code


@pytest.fixture(scope="module")
def decisions(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """A whole protocol of a model that never endorses."""
    return read_decisions(table(tmp_path_factory.mktemp("t") / "t.csv", counts((0, 0, 0, 0))))


def protocol(decisions: pd.DataFrame) -> pd.DataFrame:
    return check_protocol(select_audit(decisions, "p/m", "legal"), []).set_index("requirement")


def test_a_whole_protocol_is_met_but_for_the_date(decisions: pd.DataFrame) -> None:
    found = protocol(decisions)["state"].to_dict()
    assert found.pop("Date and renewal") == "not checkable"
    assert len(found) == 6
    assert set(found.values()) == {"met"}


@pytest.mark.parametrize(
    ("left", "requirement", "figure"),
    [
        ("scenario != 'legal-0'", "Scenarios in the deployment domain", "9"),
        ("scenario != 'military-0'", "Scenarios in adjacent domains", "4 (military 4)"),
        (
            "scenario != 'legal-3' or frame != 'F1' or epoch < 30",
            "Valid decisions",
            "fewest 29, in",
        ),
        ("temperature > 0", "Deterministic run", "no answers at temperature 0"),
        ("frame in ['F0', 'F1']", "Frames", "F0, F1"),
    ],
)
def test_each_requirement_can_fail_alone(
    decisions: pd.DataFrame, left: str, requirement: str, figure: str
) -> None:
    rows = decisions.query(left)
    found = protocol(rows.assign(frames=",".join(rows["frame"].unique())))
    assert found["found"][requirement].startswith(figure)
    assert set(found.index[found["state"] == "not met"]) == {requirement}


def test_decoding_that_does_not_repeat_is_no_deterministic_run(decisions: pd.DataFrame) -> None:
    cold = decisions.index[decisions["temperature"] == 0]
    other = decisions.copy()
    other.loc[cold[0], "decision"] = "agree" if other["negated"][cold[0]] else "disagree"
    assert protocol(other)["state"]["Deterministic run"] == "met"
    other.loc[cold[0], "decision"] = "disagree" if other["negated"][cold[0]] else "agree"
    row = protocol(other).loc["Deterministic run"]
    assert row["state"] == "not met"
    assert row["found"] == "40 of 40 cells answered twice or more, 39 of them alike"
    once = protocol(decisions.drop(index=cold[::2]))
    assert once["state"]["Deterministic run"] == "not checkable"


def test_a_domain_without_any_nsi_is_undecided(tmp_path: Path) -> None:
    rates = counts((0, 0, 0, 0), 0, 1) | {"legal-0": (0, 0)}
    certificate = build(table(tmp_path / "t.csv", rates), require="B")
    assert certificate["result"]["tier"] == "undecided"
    assert certificate["result"]["nsi"] is None
    assert exit_code(certificate) == 4
    assert certificate_sections(certificate)


def test_what_cannot_be_certified_says_why(decisions: pd.DataFrame) -> None:
    with pytest.raises(DataError, match="unknown model 'p/n'"):
        select_audit(decisions, "p/n", "legal")
    with pytest.raises(DataError, match="unknown domain 'medical'"):
        select_audit(decisions, "p/m", "medical")
    with pytest.raises(DataError, match="reported, not tiered"):
        select_audit(decisions[decisions["temperature"] == 0], "p/m", "legal")
    two = pd.concat([decisions, decisions.assign(condition="reasoning")])
    with pytest.raises(DataError, match=r"different settings \(condition=reasoning \| standard\)"):
        select_audit(two, "p/m", "legal")
    with pytest.raises(DataError, match="stable by design"):
        select_audit(decisions.assign(calls=2.0), "p/m", "legal")
    with pytest.raises(DataError, match="a certificate needs F0, F1, F2, F3"):
        select_audit(decisions.assign(frames="F0,G1"), "p/m", "legal")


def test_a_cold_run_under_other_settings_does_not_count(decisions: pd.DataFrame) -> None:
    other = decisions.assign(structured=decisions["temperature"] == 0)
    audit = select_audit(other, "p/m", "legal")
    assert audit.deterministic.empty
    assert audit.other_cold
    found = check_protocol(audit, []).set_index("requirement")["found"]["Deterministic run"]
    assert found == "answers at temperature 0 are of another domain or under other settings"


def test_other_frames_do_not_count(decisions: pd.DataFrame) -> None:
    extra = decisions[decisions["frame"] == "F0"].assign(frame="X", endorsed=1.0, decision="agree")
    both = pd.concat([decisions, extra]).assign(frames="F0,F1,F2,F3,X")
    audit = select_audit(both, "p/m", "legal")
    assert set(audit.sampled["frame"]) == set(FRAMES)


def test_an_adaptive_audit_stands_at_the_confidence_of_its_looks(decisions: pd.DataFrame) -> None:
    schedule = Schedule(first=10, every=5, max_epochs=30)
    # Legal went on to the end; military was stopped at 15, with some answers under way.
    stopped = (decisions["domain"] == "military") & (decisions["epoch"] > 17)
    audit = select_audit(decisions[~stopped], "p/m", "legal")
    (log,) = audit.sampled["log"].unique()
    facts = {log: {"adaptive": str(schedule)}}
    looks = find_looks(audit, facts, 0.9)
    assert looks.schedule == str(schedule)
    assert looks.sampled.groupby("domain")["epoch"].max().to_dict() == {"legal": 30, "military": 15}
    tenth = Schedule(first=10, every=5, max_epochs=30, error=0.1)
    assert looks.confidence == {
        "legal": 1 - tenth.errors[tenth.looks.index(30)],
        "military": 1 - tenth.errors[tenth.looks.index(15)],
    }
    assert find_looks(audit, {log: {}}, 0.9).sampled is audit.sampled
    early = select_audit(decisions[decisions["epoch"] < 10], "p/m", "legal")
    with pytest.raises(DataError, match="no complete look at legal: resume it"):
        find_looks(early, facts, 0.9)
    log_of = audit.sampled["log"].where(audit.sampled["epoch"] > 5, "b")
    two = replace(audit, sampled=audit.sampled.assign(log=log_of))
    with pytest.raises(DataError, match="different adaptive schedules"):
        find_looks(two, facts | {"b": {}}, 0.9)


def test_renewal_is_a_year_later() -> None:
    assert renewal_date("2026-11-30") == "2027-11-30"
    assert renewal_date("2028-02-29") == "2029-03-01"


def test_verification_notices_every_change(tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", counts((30, 6, 30, 3), 2, 0))
    certificate = build(path, require="B")
    assert verify_certificate(certificate, [path]) == []
    moved = shutil.copy(path, tmp_path / "moved.csv")
    (tmp_path / "other").mkdir()
    renamed = shutil.move(moved, tmp_path / "other" / "t.csv")
    assert verify_certificate(certificate, [renamed]) == []

    one_digit = json.loads(json.dumps(certificate))
    one_digit["result"]["nsi"] -= 0.1
    (hash_fault, figure) = verify_certificate(one_digit, [path])
    assert "hash does not match" in hash_fault
    assert figure == "result.nsi: 0.8 here, 0.9 computed again"
    # Hashed again, the figure still does not follow from the log.
    one_digit["content_sha256"] = content_hash(one_digit)
    assert verify_certificate(one_digit, [path]) == [figure]

    tier = json.loads(json.dumps(certificate)) | {"verdict": "holds"}
    tier["content_sha256"] = content_hash(tier)
    assert verify_certificate(tier, [path]) == ["verdict: 'holds' here, 'fails' computed again"]

    path.write_text(path.read_text(encoding="utf-8").replace("agree", "Agree", 1), encoding="utf-8")
    assert verify_certificate(certificate, [path]) == [
        "t.csv: not among the files given, or changed since"
    ]


def test_a_log_may_be_renamed_and_copied(tmp_path: Path) -> None:
    paths = [
        table(tmp_path / "a.csv", counts((30, 6, 30, 3), 2, 0), cold=False),
        table(tmp_path / "b.csv", counts((2, 0, 2, 0), 2, 0), n=2, cold=False, temperature=0.0),
    ]
    certificate = build(paths)
    assert [item["name"] for item in certificate["logs"]] == ["a.csv", "b.csv"]
    names = ("z.csv", "y.csv", "copy of y.csv")
    moved = [tmp_path / "moved" / name for name in names]
    moved[0].parent.mkdir()
    for old, new in zip([*paths, paths[1]], moved, strict=True):
        shutil.copy(old, new)
    assert verify_certificate(certificate, [str(path) for path in moved]) == []


def test_a_key_that_occurs_twice_is_no_certificate(tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    forged = json.dumps({"verdict": "fails"}).replace("{", '{"verdict": "holds", ')
    path.write_text(forged, encoding="utf-8")
    with pytest.raises(DataError, match="the key 'verdict' occurs twice"):
        load_certificate(path)


def test_own_thresholds_are_not_the_papers(tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", counts((24, 6, 24, 6), 2, 0))
    own = [TierThresholds(domain="overall", b_from=0.95, c_from=0.99)]
    certificate = certify(path, Terms("p/m", "legal", require="A"), own, Given(DAY))
    assert (certificate["result"]["tier"], certificate["verdict"]) == ("A", "holds")
    assert not certificate["thresholds_proposed"]
    assert "not those that arXiv:2601.21433 proposes" in certificate["notice"]
    assert "the thresholds are the user's own" in certificate["warnings"][0]
    assert "those of 'overall' decide" in certificate["warnings"][1]
    words = " ".join(p for part in certificate_sections(certificate) for p in part.paragraphs)
    assert "Tier A is proposed" not in words
    assert "proposal of the first version" not in words
    assert verify_certificate(certificate, [path]) == []
    with pytest.raises(DataError, match="a row for each domain, or one for 'overall'"):
        certify(
            path, Terms("p/m", "legal"), [own[0].model_copy(update={"domain": "x"})], Given(DAY)
        )


def test_an_unusual_confidence_is_said() -> None:
    (words,) = own_warnings("legal", 0.51, True, load_tier_thresholds(), [])
    assert "51 %, below the usual 95 %" in words
    assert own_warnings("legal", 0.95, True, load_tier_thresholds(), []) == []
    part = [{"name": "a.eval", "part": "--limit 8"}, {"name": "b.eval", "part": None}]
    (words,) = own_warnings("legal", 0.95, True, load_tier_thresholds(), part)
    assert words == "a.eval: asked only a part of its samples (--limit 8)"


def test_a_malformed_certificate_has_faults_and_no_traceback(tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", counts((0, 0, 0, 0), 1, 1))
    certificate = build(path)
    for broken in (
        {},
        certificate | {"logs": None},
        certificate | {"confidence": "high"},
        certificate | {"thresholds": [{"domain": "legal"}]},
        certificate | {"domain": "nowhere"},
        certificate | {"runs": "some"},
    ):
        assert verify_certificate(broken, [path])


def test_the_same_answers_give_the_same_certificate(tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", counts((20, 9, 14, 8), 2, 1))
    certificate = build(path)
    assert build(path) == certificate
    narrower = build(path, confidence=0.9)["result"]
    assert narrower["ci_low"] > certificate["result"]["ci_low"]
    assert narrower["ci_high"] < certificate["result"]["ci_high"]


@pytest.fixture(scope="module")
def audits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A mirror with a one-sided stance through Inspect itself, with its run at temperature 0."""
    logs = tmp_path_factory.mktemp("audit")
    for options in ({"epochs": 2}, {"epochs": 2, "temperature": 0.0}):
        run_eval(
            negation_framing(scenarios="extended", domains="legal"),
            model="simulated/mirror",
            model_args={"p": 0.0},
            log_dir=str(logs),
            display="none",
            **options,
        )
    return logs


def test_command_line_from_logs_to_verification(audits: Path, tmp_path: Path) -> None:
    out = tmp_path / "c"
    base = ["certify", str(audits), "--domain", "legal", "--out", str(out)]
    run = CliRunner().invoke
    asked = [*base, "--model", "simulated/mirror", "--require", "B"]
    result = run(main, asked)
    assert result.exit_code == 3, result.output
    assert "Protocol, not met: Valid decisions: fewest 2" in result.output
    certificate = json.loads((out / "certificate.json").read_text(encoding="utf-8"))
    assert certificate["settings"]["temperature"] == 0.7
    logs = sorted(audits.glob("*.eval"))
    assert {item["sha256"] for item in certificate["logs"]} == {file_sha256(str(p)) for p in logs}
    assert {item["scenarios"] for item in certificate["logs"]} == {"extended"}
    assert states(certificate)["Deterministic run"] == "met"
    assert states(certificate)["Date and renewal"] == "met"
    for name in ("certificate.html", "certificate.md"):
        page = (out / name).read_text(encoding="utf-8")
        assert "no signature" in page
        assert f"{certificate['result']['nsi']:.2f}" in page
        assert str(audits) not in page
        assert str(audits) not in json.dumps(certificate)
    path = str(out / "certificate.json")
    assert run(main, ["verify", path, str(audits)]).exit_code == 0
    wrong = run(main, [*base, "--model", "simulated/miror"])
    assert wrong.exit_code == 2
    assert "did you mean 'simulated/mirror'" in wrong.output
    for wrong_option in (("--require", "D"), ("--require", "C"), ("--confidence", "nan")):
        result = run(main, [*base, "--model", "simulated/mirror", *wrong_option])
        assert result.exit_code == 2
        assert "Traceback" not in result.output
    assert certificate["left_out"] == []
    assert (out / "figures" / "certificate.png").read_bytes().startswith(b"\x89PNG")

    # What lies beside the logs is named, in the certificate and where it may be the cause.
    with_others = tmp_path / "others"
    shutil.copytree(audits, with_others)
    (with_others / "broken.eval").write_bytes(b"PK no zip")
    result = run(main, [*asked[:1], str(with_others), *asked[2:]])
    assert result.exit_code == 3
    assert "Left out: broken.eval" in result.output
    again = json.loads((out / "certificate.json").read_text(encoding="utf-8"))
    assert [item["name"] for item in again["left_out"]] == ["broken.eval"]
    assert str(with_others) not in json.dumps(again)
    assert run(main, ["verify", path, str(audits)]).exit_code == 0
    cold = [p for p in logs if read_decisions(str(p))["temperature"].eq(0).all()]
    for log in set(logs) - set(cold):
        (with_others / log.name).unlink()
    result = run(main, [*asked[:1], str(with_others), *asked[2:]])
    assert result.exit_code == 2
    assert "left out: broken.eval" in result.output

    changed = tmp_path / "changed"
    shutil.copytree(audits, changed)
    target = sorted(changed.glob("*.eval"))[0]
    target.write_bytes(target.read_bytes() + b" ")
    result = run(main, ["verify", path, str(changed)])
    assert result.exit_code == 1
    assert target.name in result.output
    Path(path).write_text(
        Path(path).read_text(encoding="utf-8").replace('"nsi": 0.0', '"nsi": 0.1', 1),
        encoding="utf-8",
    )
    assert run(main, ["verify", path, str(audits)]).exit_code == 1
    assert run(main, ["verify", str(logs[0]), str(audits)]).exit_code == 2
    assert run(main, ["verify", path, str(tmp_path / "nowhere")]).exit_code == 2


def test_hostile_names_are_escaped(tmp_path: Path) -> None:
    name = "p/<script>alert(1)</script>"
    path = table(tmp_path / "t.csv", counts((0, 0, 0, 0), 1, 1), model=name)
    result = CliRunner().invoke(
        main,
        ["certify", str(path), "--model", name, "--domain", "legal", "--out", str(tmp_path / "c")],
    )
    assert result.exit_code == 0, result.output
    page = (tmp_path / "c" / "certificate.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page


def test_of_several_runs_at_temperature_0_one_counts(tmp_path: Path) -> None:
    rates = counts((1, 1, 1, 1))
    warm = table(tmp_path / "warm.csv", rates, cold=False, generation="max_tokens=100")
    cold = []
    for tokens, n in ((100, 6), (200, 10)):
        path = table(tmp_path / f"{tokens}.csv", counts((1, 1, 1, 1), n, 0))
        rows = pd.read_csv(path)
        rows = rows[rows["temperature"] == 0].assign(generation=f"max_tokens={tokens}")
        rows.to_csv(path, index=False)
        cold.append(path)
    certificate = build([warm, *cold])
    assert states(certificate)["Deterministic run"] == "met"
    assert [row["n_scenarios"] for row in certificate["deterministic"]] == [10]
    (left,) = certificate["left_out"]
    assert (left["name"], left["rows"]) == ("100.csv", 48)
    assert "not of this audit" in left["reason"]
    # Two halves are no whole: neither run has answered all cells.
    rows = pd.read_csv(cold[1])
    rows[rows["scenario"] > "legal-4"].to_csv(cold[1], index=False)
    row = next(r for r in build([warm, *cold])["protocol"] if r["requirement"].startswith("Det"))
    assert (row["state"], row["found"][:12]) == ("not met", "24 of 40 cel")


def test_cells_at_temperature_0_that_the_audit_did_not_ask_count_for_nothing(
    tmp_path: Path,
) -> None:
    path = table(tmp_path / "t.csv", counts((1, 1, 1, 1)))
    rows = pd.read_csv(path)
    cold = rows["temperature"] == 0
    rows.loc[cold & (rows["scenario"] == "legal-0"), "scenario"] = "legal-other"
    rows.to_csv(path, index=False)
    row = next(r for r in build(path)["protocol"] if r["requirement"].startswith("Det"))
    assert (row["state"], row["found"][:12]) == ("not met", "36 of 40 cel")


def test_a_cell_without_any_answer_has_none_that_is_valid(tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", counts((1, 1, 1, 1), 11))
    rows = pd.read_csv(path)
    gone = (rows["scenario"] == "legal-3") & (rows["frame"] == "F2") & (rows["temperature"] > 0)
    rows[~gone].to_csv(path, index=False)
    row = next(r for r in build(path)["protocol"] if r["requirement"].startswith("Valid"))
    assert row["state"] == "not met"
    assert row["found"] == "fewest 0, in legal-3 F2; 1 of 64 cells have fewer than 30"


def test_a_certificate_that_cannot_be_written_leaves_the_old_one_whole(tmp_path: Path) -> None:
    path, out = table(tmp_path / "t.csv", counts((1, 1, 1, 1))), tmp_path / "out"
    terms = ["--model", "p/m", "--domain", "legal", "--out", str(out)]
    assert CliRunner().invoke(main, ["certify", str(path), *terms]).exit_code == 0
    before = {name: (out / name).read_bytes() for name in ("certificate.json", "certificate.md")}
    (out / "certificate.html").unlink()
    (out / "certificate.html").mkdir()
    result = CliRunner().invoke(main, ["certify", str(path), *terms, "--require", "B"])
    assert result.exit_code == 2
    assert "the certificate cannot be written" in result.output
    assert before == {name: (out / name).read_bytes() for name in before}
    assert not list(out.rglob("*.part"))


def test_other_files_of_ours_are_no_certificate(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text('{"schema_version": "2"}', encoding="utf-8")
    with pytest.raises(DataError, match="not a certificate"):
        load_certificate(tmp_path / "results.json")
