"""What a certificate says: its sections, the decision first."""

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd

from negation_evals.analysis.framing.tiers import Verdict
from negation_evals.certification.figure import FIGURE, tiered_means
from negation_evals.report.documents.formats import counted, fixed, interval
from negation_evals.report.documents.grids import count, grid, limits, number, text
from negation_evals.report.documents.sections import Section
from negation_evals.schema.common import Status

OVERSIGHT: Final = {
    "A": "Tier A is proposed for operation without a person in the loop, with ordinary logging.",
    "B": "For tier B the paper proposes review by a person where prohibitions matter in high-risk "
    "use, closer monitoring, and asking every such question in both polarities, with a flag where "
    "the answers disagree (the solver framing_consensus).",
    "C": "For tier C the paper proposes that a person confirms every prohibition before it is "
    "acted on, and a flag in real time.",
    "undecided": "The data do not decide between tiers; until more do, the worse of the possible "
    "ones should be assumed.",
}
"""What the paper proposes for each tier (Table 8 and Section 4.3), in our words."""

OWN_TIERS: Final = (
    "What this tier allows is for those to say who set the thresholds; the paper's proposals hold "
    "for its own."
)

VERDICTS: Final = {
    Verdict.HOLDS: "holds: the whole interval lies within it or better tiers",
    Verdict.FAILS: "does not hold: the whole interval lies in worse tiers",
    Verdict.UNDECIDED: "is undecided: the interval crosses the threshold",
}


def certificate_sections(certificate: Mapping[str, Any]) -> list[Section]:
    """What the certificate says, in order: the decision first, what it rests on after."""
    return [build(certificate) for build in BUILDERS]


def _decision(certificate: Mapping[str, Any]) -> Section:
    result, domain = certificate["result"], certificate["domain"]
    confidence = f"{100 * certificate['confidence']:g} %"
    tier, point = result["tier"], result["point_tier"]
    frames = f"the frames {', '.join(certificate['frames'])}"
    decided = (
        "The tier is undecided" if tier == "undecided" else f"Tier {tier}"
    ) + f" at {confidence} confidence"
    words = [
        f"{certificate['model']}, deployment domain {domain}. {decided}: mean NSI "
        f"{fixed(result['nsi'])} over {counted(result['n_scenarios'], 'scenario')}, interval "
        f"{interval(result['ci_low'], result['ci_high'])}; in this domain B begins at "
        f"{result['b_from']:.2f} and C at {result['c_from']:.2f}.",
        "NSI, the Negation Sensitivity Index of a scenario, is the largest difference between the "
        f"shares of answers that endorse the same action in {frames}: 0 where wording does not "
        "matter, 1 where it reverses the answer.",
        f"The observed value alone, which takes no account of sampling noise, lies in tier "
        f"{point or 'unknown'}. Noise raises the observed value; the interval allows for it.",
    ]
    if certificate["verdict"] is not None:
        words.insert(
            0,
            f"Tier {certificate['require']} was required. It {VERDICTS[certificate['verdict']]}.",
        )
    if certificate["adaptive"]:
        words.append(
            f"The audit was adaptive ({certificate['adaptive']}): it looked at its answers several "
            "times and stopped where a tier was settled. The error is divided over the looks, so "
            f"this interval stands at {100 * result['confidence']:.2f} % by itself, and the "
            f"decision at {confidence} over all looks; the mean over all domains has no such "
            "guarantee."
        )
    open_points = [r["requirement"] for r in certificate["protocol"] if r["state"] != "met"]
    words.append(
        "The audit meets every requirement of the protocol."
        if not open_points
        else f"The audit is incomplete for the protocol: {', '.join(open_points).lower()}."
    )
    if certificate["audit_date"]:
        words.append(
            f"Audited on {certificate['audit_date']}; to be renewed by "
            f"{certificate['renewal_date']}, since models behind an interface change silently."
        )
    words.append(certificate["notice"])
    headline = f"Decision: {tier if tier == 'undecided' else f'tier {tier}'}"
    return Section("decision", headline, words, [FIGURE])


def _disclosure(certificate: Mapping[str, Any]) -> Section:
    result = certificate["result"]
    known = result["nsi"] is not None
    dilemmas = counted(result["n_scenarios"], f"{certificate['domain']} dilemma")
    measured = (
        f"Over {dilemmas}, the share of answers in support of one and the same action moved by "
        f"{_points(result['nsi'])} on average between wordings that differ in a negation or in "
        f"naming the goal; allowing for chance, by {_points(result['ci_low'], '')} to "
        f"{_points(result['ci_high'])}."
        if known
        else "How far they do was not measured here: no scenario has an answer in every wording."
    )
    tier = result["tier"]
    proposed = certificate["thresholds_proposed"] or tier == "undecided"
    return Section(
        "disclosure",
        "What this means for users",
        (
            "The recommendations of this system can depend on how a question is worded, and not "
            f"only on what is asked. {measured}",
            "Where a decision rests on a prohibition or a restriction, have a person review it.",
            OVERSIGHT[tier] if proposed else OWN_TIERS,
        ),
    )


def _points(share: float | None, unit: str = " percentage points") -> str:
    """A difference of shares in percentage points."""
    return "–" if share is None else f"{100 * share:.0f}{unit}"


def _protocol(certificate: Mapping[str, Any]) -> Section:
    table = pd.DataFrame(certificate["protocol"])
    return Section(
        "protocol",
        "The protocol",
        (
            "What arXiv:2601.21433v1, Section 4.3, asks of an audit. Which domains are adjacent is "
            "our choice (datasets/adjacent_domains.yaml).",
        ),
        (),
        [
            grid(
                table,
                (
                    text("Requirement", "requirement"),
                    text("State", "state"),
                    text("Found", "found"),
                    text("Wanted", "wanted"),
                ),
            )
        ],
    )


def _domains(certificate: Mapping[str, Any]) -> Section:
    columns = (
        text("Domain", "label"),
        number("NSI", "nsi"),
        limits("Interval"),
        text("Tier", "tier"),
        text("Tier by value alone", "point_tier"),
        number("B from", "b_from"),
        number("C from", "c_from"),
        count("Scenarios", "n_scenarios"),
        count("Missing", "n_missing"),
    )
    return Section(
        "domains",
        "NSI by domain",
        (
            "The tier of the deployment domain is the decision above. The others stand for "
            "information, each at the same confidence by itself. A value can lie above its "
            "interval, because noise raises it.",
        ),
        (),
        [grid(tiered_means(certificate), columns)],
    )


def _scenarios(certificate: Mapping[str, Any]) -> Section:
    table = pd.DataFrame(certificate["scenarios"])
    ordered = table.sort_values("nsi", ascending=False, kind="stable")
    own = ordered[ordered["domain"] == certificate["domain"]]
    rates = tuple(number(f"Rate {name}", f"rate_{name}") for name in certificate["frames"])
    columns = (
        text("Scenario", "scenario"),
        number("NSI", "nsi"),
        limits("Interval"),
        *rates,
        count("Min. n", "n_min"),
        count("No decision", "n_undecided"),
        number("Lowest", "nsi_lowest"),
        number("Highest", "nsi_highest"),
    )
    known = own.dropna(subset="nsi")
    words = [
        "Scenarios of the deployment domain, least stable first: the share of answers that endorse "
        "the action in each frame. Lowest and highest: NSI over every way to count the answers "
        "without a decision.",
    ]
    if len(known):
        worst = known.iloc[0]
        words.insert(
            0,
            f"Worst case in {certificate['domain']}: {worst['scenario']}, NSI "
            f"{fixed(worst['nsi'])}.",
        )
    return Section("scenarios", "Scenarios", words, (), [grid(own, columns)])


def _deterministic(certificate: Mapping[str, Any]) -> Section:
    rows = certificate["deterministic"]
    if not rows:
        return Section(
            "deterministic", "At temperature 0", ("There are no answers at temperature 0.",)
        )
    rows = sorted(rows, key=lambda row: row["domain"] != certificate["domain"])
    columns = (
        text("Domain", "domain"),
        number("NSI", "nsi"),
        number("Worst", "nsi_max"),
        count("Scenarios", "n_scenarios"),
    )
    return Section(
        "deterministic",
        "At temperature 0",
        (
            "Reported, not tiered: at temperature 0 a model shows its likeliest answer alone, and "
            "a small preference can look like certainty.",
        ),
        (),
        [grid(pd.DataFrame(rows), columns)],
    )


def _answers(certificate: Mapping[str, Any]) -> Section:
    answers = certificate["answers"]
    others = [f"{s} {answers[s]}" for s in Status if s != Status.VALID and answers.get(s)]
    settings = [f"{name}: {value}" for name, value in certificate["settings"].items() if value]
    return Section(
        "answers",
        "Answers and settings",
        (
            f"{answers['n']} answers, {answers[Status.VALID]} of them valid"
            + (f"; without a decision: {', '.join(others)}." if others else "."),
            f"Settings: {'; '.join(settings)}.",
            *(["Runs with the same settings are pooled."] if certificate["runs"] == "all" else []),
            *(f"Note: {warning}." for warning in certificate["warnings"]),
            *_left_out(certificate),
        ),
    )


def _left_out(certificate: Mapping[str, Any]) -> list[str]:
    """What lay among the logs and does not count: a reader may want to know it."""
    return [
        f"Left out: {item['name']}: {item['reason']}"
        + ("." if item["rows"] is None else f" ({counted(item['rows'], 'answer')}).")
        for item in certificate["left_out"]
    ]


def _logs(certificate: Mapping[str, Any]) -> Section:
    table = pd.DataFrame(certificate["logs"]).reindex(
        columns=["name", "sha256", "task", "status", "completed", "scenarios", "inspect_version"]
    )
    headings = {
        "File": "name",
        "SHA-256": "sha256",
        "Task": "task",
        "Status": "status",
        "Completed": "completed",
        "Scenarios": "scenarios",
        "Inspect": "inspect_version",
    }
    return Section(
        "logs",
        "Logs, and how to verify",
        (
            "negation-evals verify certificate.json LOGS checks the hash of certificate.json and "
            "that of every log, and computes all figures again. It reads that file and not this "
            "page, which shows what stands there. It finds what was changed, not who wrote it: "
            "this is no signature.",
            f"Hash of the content: {certificate['content_sha256']}.",
        ),
        (),
        [grid(table, [text(title, name) for title, name in headings.items()])],
    )


BUILDERS: Final = (
    _decision,
    _disclosure,
    _protocol,
    _domains,
    _scenarios,
    _deterministic,
    _answers,
    _logs,
)
"""The sections in order."""
