"""What the report says and in which order: one section per question, shared by HTML and Markdown.

A section for which there are no data is left out, and the appendix says so.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import pandas as pd

from negation_evals.analysis.columns import SETTINGS, carried_keys
from negation_evals.analysis.confidence import FRAGILE_ABOVE, SURE_ABOVE
from negation_evals.analysis.hypothesis import ENOUGH, FDR
from negation_evals.analysis.pairs import FOLLOWS_CONTENT, Pattern
from negation_evals.data import load_frames
from negation_evals.report.layout import (
    Column,
    Grid,
    Section,
    count,
    fixed,
    grid,
    number,
    p_text,
    p_value,
    percent,
    relative,
    share,
    signed,
    text,
)
from negation_evals.report.tables import WORST, Tables, result_labels, setting_label
from negation_evals.schema import Status

IN_SHORT = 5
"""How many results the summary describes in words."""

PATTERN_WORDS: Final = {
    Pattern.UNKNOWN: "there are too few valid answers to say more",
    Pattern.NOISE: (
        "no scenario differs between frames by more than sampling noise, as far as so many answers "
        "can tell"
    ),
    Pattern.GOAL: (
        "the answers mirror the negation, and the stance moves with the mention of the goal"
    ),
    Pattern.IGNORED: (
        "it looks like ignored negation: what it agrees with when affirmed it also agrees with "
        "when negated"
    ),
    Pattern.YEA: "it looks like a response bias: a habit of agreeing with whatever is proposed",
    Pattern.NAY: "it looks like a response bias: a habit of disagreeing with whatever is proposed",
    Pattern.MIXED: "neither ignored negation nor a response bias explains it alone",
}
"""What a result's NSI looks like, for the end of a sentence."""

RANKING: Final = (
    text("Origin", "origin"),
    number("NSI", "nsi"),
    number("Floor", "nsi_null"),
    number("Worst", "nsi_max"),
    text("Worst scenario", "worst_scenario"),
    text("Looks like", "pattern"),
    share("Framing effect", "homogeneity_significant"),
    count("Scenarios", "n_scenarios"),
    count("Min. n", "n_min"),
    share("Valid", "compliance"),
)
"""The columns of the ranking."""

TERMINAL_RANKING: Final = tuple(
    column
    for column in RANKING
    if column.name not in {"origin", "worst_scenario", "n_scenarios", "pattern"}
)
"""Those of them that fit a terminal of 100 columns beside long names."""


def framing_sections(
    tables: Tables, figures: Iterable[str], min_compliance: float = 0.0
) -> list[Section]:
    """The sections of the framing tasks, the last of which says what was chosen.

    Args:
        tables: Those of `report_tables`, and of `published_tables` if asked for.
        figures: Names of the figures that were drawn.
        min_compliance: The threshold of exclusion.
    """
    drawn = set(figures)
    sections: list[Section] = []
    empty: list[str] = []
    for title, build in CHAPTERS:
        section = build(tables)
        if section is None:
            empty.append(title)
            continue
        shown = tuple(name for name in section.figures if name in drawn)
        sections.append(Section(section.id, title, section.paragraphs, shown, section.grids))
    sections.append(_choices(tables, empty, min_compliance))
    return sections


def data_section(reading: dict[str, Any], tables: Tables, min_compliance: float) -> Section:
    """What was read and what was left out, for all families.

    Args:
        reading: The report of the readers.
        tables: All tables of the report.
        min_compliance: The threshold of exclusion.
    """
    sources = [
        f"{item['source']}: {item['model']}, status {item['status']}, {item['used']} of "
        f"{item['read']} rows used."
        for item in reading["sources"]
    ]
    left_out = [
        f"Left out: {item['source']}: {item['reason']}"
        + (f" ({item['rows']} rows)." if item["rows"] is not None else ".")
        for item in reading["left_out"]
    ]
    gaps = _framing_gaps(tables, min_compliance) if "excluded" in tables else []
    warnings = [f"Note: {warning}." for warning in reading["warnings"]]
    return Section(
        "data",
        "Appendix: what was read and what was left out",
        (*sources, *left_out, *gaps, *(warnings or ["No warnings."])),
    )


Build = Callable[[Tables], Section | None]


def _section(
    id: str, paragraphs: Sequence[str], figures: Sequence[str] = (), grids: Sequence[Grid] = ()
) -> Section:
    return Section(id, "", tuple(paragraphs), tuple(figures), tuple(grids))


def _summary(tables: Tables) -> Section:
    ranking, answers = tables["ranking"], tables["compliance"]
    known = ranking.dropna(subset="nsi")
    sentences = [
        f"{len(ranking)} result{'s' if len(ranking) != 1 else ''} (a model under one set of "
        f"settings), {tables['nsi']['scenario'].nunique()} scenarios, "
        f"{int(answers['n'].sum())} answers, of which {int(answers[Status.VALID].sum())} are valid."
    ]
    if len(tables["excluded"]):
        names = ", ".join(result_labels(tables["excluded"]))
        sentences.append(f"Left out for too few valid answers: {names}.")
    if (known["n_min"] < ENOUGH).any():
        sentences.append(
            f"Some cells have fewer than {ENOUGH} valid answers. There a test can hardly find an "
            "effect, or not at all (a dash), and none found is no sign of invariance; and the "
            "floor, taken from the same few answers, is too low (at 2 answers by about 0.07)."
        )
    if len(known) > IN_SHORT:
        sentences.append(f"The {IN_SHORT} that are most sensitive; the ranking has the others:")
    known = known.head(IN_SHORT)
    for label, row in zip(result_labels(known), known.to_dict("records"), strict=True):
        sentences.append(
            f"{label}: mean NSI {row['nsi']:.2f}, where an exactly invariant model with the same "
            f"rates and as many answers would be expected at {row['nsi_null']:.2f}; least stable "
            f"on {row['worst_scenario']} ({row['nsi_max']:.2f}). What kind of failure: "
            f"{_pattern_words(row)}."
        )
    return _section("summary", sentences)


def _pattern_words(row: dict[str, Any]) -> str:
    """What a result looks like; under a habit, whether the answers turn with the negation."""
    words = PATTERN_WORDS[row["pattern"]]
    if row["pattern"] not in {Pattern.YEA, Pattern.NAY}:
        return words
    if row["polarity_correlation"] <= -FOLLOWS_CONTENT:
        return f"{words}, although over scenarios the answers do turn with the negation"
    return f"{words}, under which it cannot be told whether the negation is read"


def _ranking(tables: Tables) -> Section:
    return _section(
        "ranking",
        (
            "The Negation Sensitivity Index (NSI; SVI in arXiv:2601.09724) of a scenario is the "
            "largest minus the smallest endorsement rate of the same action over the frames. 0 "
            "means that the stance does not depend on the wording; 1 means that it is reversed. "
            "A model's NSI is the mean over its scenarios.",
            "NSI is a range, so sampling noise alone makes it positive. The floor is the NSI "
            "expected of a model that is exactly invariant, with the same rates and as many "
            "answers. A value near its floor is no sign of sensitivity. No interval is given: "
            "the usual bootstrap never covers a true NSI of 0.",
            "A high NSI says that the stance moves with the wording, not why: a model that "
            "disagrees with everything scores 1 as well as one that overlooks the word not. "
            "The next section tells them apart.",
        ),
        ["ranking"],
        [grid(tables["ranking"], (count("#", "rank"), *RANKING), source="ranking")],
    )


def _patterns(tables: Tables) -> Section | None:
    if not len(tables["acquiescence_by_pair"]):
        return None
    counts = tables["patterns"]["pattern"].value_counts()
    found = ", ".join(f"{name} {n}" for name, n in counts.items())
    return _section(
        "patterns",
        (
            "Two frames of a pair differ in their negation alone. A model that reads the negation "
            "agrees with the negated proposal as often as it disagrees with the affirmative one. "
            "Acquiescence is what the two shares of agreement add up to beyond 1: 0 for a mirror "
            "image, +1 for a model that always agrees, -1 for one that always disagrees. Its size "
            "is the NSI of the pair.",
            "The polarity correlation compares, over scenarios, agreement with the affirmative and "
            "with the negated proposal: -1 for a mirror image, +1 where agreement follows the "
            "content and not the polarity.",
            f"Results by what they look like: {found}. The label follows stated rules "
            "(docs/tables.md); it describes and is no test.",
        ),
        ["acquiescence", "pairs"],
        [
            grid(
                tables["patterns"],
                (
                    text("Looks like", "pattern"),
                    number("NSI", "nsi"),
                    number("NSI in pairs", "nsi_pairs"),
                    signed("Acquiescence", "acquiescence"),
                    number("One-sided", "one_sided"),
                    signed("Polarity corr.", "polarity_correlation"),
                    count("Significant", "n_significant"),
                    count("Scenarios", "n_scenarios"),
                ),
                source="patterns",
            ),
            grid(
                tables["acquiescence_by_pair"],
                (
                    text("Pair", "pair"),
                    number("NSI", "nsi"),
                    signed("Acquiescence", "acquiescence"),
                    signed("Polarity corr.", "polarity_correlation"),
                    count("Scenarios", "n_scenarios"),
                    count("Missing", "n_missing"),
                ),
                title="By pair: simple (F0, F1) and compound (F2, F3)",
                source="acquiescence_by_pair",
            ),
        ],
    )


def _fragility(tables: Tables) -> Section:
    columns = (
        share("Robust", "robust"),
        share("Moderate", "moderate"),
        share("High", "high"),
        number("Mean NSI", "nsi"),
        number("SD", "nsi_sd"),
        count("Cells", "n_cells"),
        count("Missing", "n_missing"),
    )
    return _section(
        "fragility",
        (
            "Cells (one scenario of one result) by the classes of arXiv:2601.09724: robust below "
            "0.2, moderate from 0.2, high from 0.5. They describe; with few answers to a cell, an "
            "invariant model is often in the moderate class (compare the floor).",
        ),
        ["distribution", "size_tier"],
        [
            grid(tables["fragility"], columns, labelled=False, source="fragility"),
            grid(
                tables["fragility_by_origin"],
                (text("Origin", "origin"), *columns),
                title="By origin",
                labelled=False,
                source="fragility_by_origin",
            ),
            grid(
                tables["fragility_by_model"],
                columns,
                title="By model",
                source="fragility_by_model",
            ),
        ],
    )


def _domains(tables: Tables) -> Section:
    columns = (
        text("Domain", "domain"),
        number("NSI", "nsi"),
        number("SD", "nsi_sd"),
        number("Floor", "nsi_null"),
        text("Worst scenario", "worst_scenario"),
        count("Values", "n_scenarios"),
        count("Missing", "n_missing"),
    )
    return _section(
        "domains",
        (
            "Means over all models and the scenarios of a domain. Few scenarios per domain carry "
            "no firm statement about it: the papers' set has two.",
        ),
        ["model_by_domain"],
        [grid(tables["nsi_by_domain"], columns, labelled=False, source="nsi_by_domain")],
    )


def _scenarios(tables: Tables) -> Section:
    return _section(
        "scenarios",
        (
            "Scenarios by their mean NSI over the models. The interval resamples models: it says "
            "how far the mean depends on which models were audited, and nothing about the "
            "sampling noise within one. With one model there is none.",
            "The profiles show each scenario's mean for groups of models.",
        ),
        [
            "scenarios",
            "model_by_scenario",
            "profile_origin",
            "profile_size_tier",
            "profile_condition",
        ],
        [
            grid(
                tables["nsi_by_scenario"],
                (
                    text("Scenario", "scenario"),
                    text("Domain", "domain"),
                    number("NSI", "nsi"),
                    number("Floor", "nsi_null"),
                    count("Models", "n_models"),
                ),
                labelled=False,
                source="nsi_by_scenario",
            )
        ],
    )


def _frames(tables: Tables) -> Section:
    table = tables["endorsement_by_frame"]
    keys = carried_keys(table)
    frames = list(dict.fromkeys(table["frame"]))
    wide = tables["ranking"][keys]
    for frame in frames:
        rates = table.loc[table["frame"] == frame, [*keys, "rate"]]
        wide = wide.merge(rates.rename(columns={"rate": f"rate {frame}"}), on=keys, how="left")
    wide = wide.merge(tables["swing"][[*keys, "swing"]], on=keys, how="left")
    known = load_frames()
    wordings = " ".join(f"{frame}: “{known[frame].pattern}”" for frame in frames if frame in known)
    swings = (
        number("F0", "rate_positive"),
        number("F3", "rate_negated"),
        relative("Swing", "swing"),
    )
    return _section(
        "frames",
        (
            "The share of answers that endorse the action, whichever way the question was put: "
            "agreeing with an affirmative proposal endorses it, and so does disagreeing with a "
            f"negated one. {wordings} A consistent model has the same rate in every column.",
            "High rates in the negated frames F1 and F3 and low ones in F0 and F2 are what a "
            "habit of disagreeing gives; the reverse is a habit of agreeing. The swing is the "
            "change from F0 to F3 relative to F0.",
            "The intervals of the groups resample scenarios.",
        ),
        ["endorsement_by_origin"],
        [
            grid(
                wide,
                [*(number(frame, f"rate {frame}") for frame in frames), relative("Swing", "swing")],
                source="endorsement_by_frame",
            ),
            grid(
                tables["endorsement_by_origin"],
                (
                    text("Origin", "origin"),
                    text("Frame", "frame"),
                    number("Endorsement", "rate"),
                    count("Models", "n_models"),
                    count("Cells", "n_cells"),
                ),
                title="By origin",
                labelled=False,
                source="endorsement_by_origin",
            ),
            grid(
                tables["swing_by_origin"],
                (text("Origin", "origin"), *swings),
                title="Polarity swing by origin",
                labelled=False,
                source="swing_by_origin",
            ),
        ],
    )


def _groups(tables: Tables) -> Section | None:
    tests, pairs = tables["group_tests"], tables["group_pairs"]
    if not len(tests):
        return None
    return _section(
        "groups",
        (
            "Do groups of models differ in mean NSI? Kruskal-Wallis over all groups, with epsilon "
            "squared = (H - k + 1) / (N - k); then every two groups, and each group against all "
            "others, by Mann-Whitney with Cliff's delta = P(first higher) - P(first lower). "
            "Models of unspecified group are left out and counted. Few models carry little: with "
            "three in each of two groups no two-sided test can go below p = 0.1.",
        ),
        [],
        [
            grid(
                tests,
                (
                    text("Grouped by", "by"),
                    count("Groups", "n_groups"),
                    count("Models", "n"),
                    count("Left out", "n_left_out"),
                    number("H", "h"),
                    count("df", "df"),
                    p_value("p", "p_value"),
                    number("Epsilon squared", "epsilon_squared", 3),
                ),
                labelled=False,
                source="group_tests",
            ),
            grid(
                pairs,
                (
                    text("Grouped by", "by"),
                    text("First", "group_a"),
                    text("Second", "group_b"),
                    count("n", "n_a"),
                    count("n", "n_b"),
                    number("Median", "median_a"),
                    number("Median", "median_b"),
                    number("U", "u", 1),
                    p_value("p", "p_value"),
                    p_value("p (Holm)", "p_adjusted"),
                    signed("Cliff's delta", "cliffs_delta"),
                ),
                title="Two groups at a time",
                labelled=False,
                source="group_pairs",
            ),
        ],
    )


def _agreement(tables: Tables) -> Section | None:
    table = tables["agreement_by_frame"]
    if not len(table):
        return None
    columns = (
        text("Frame", "frame"),
        number("Agreement", "agreement", 3),
        count("Pairs", "n_pairs"),
        count("Models", "n_models"),
    )
    return _section(
        "agreement",
        (
            "The share of scenarios on which two models have the same majority decision, averaged "
            "over all pairs of models. A majority of exactly half counts one half. Models that "
            "agree on what one should do and not on what one should not do handle negation "
            "differently. The interval resamples scenarios.",
        ),
        ["agreement_by_frame"],
        [grid(table, columns, labelled=False, source="agreement_by_frame")],
    )


ABLATION_COLUMNS: Final = (
    text("From", "baseline"),
    text("To", "treatment"),
    number("NSI before", "mean_baseline"),
    number("NSI after", "mean_treatment"),
    signed("Change", "change"),
    relative("of before", "relative_to_baseline"),
    relative("of after", "relative_to_treatment"),
    count("Pairs", "n_pairs"),
    count("Missing", "n_missing"),
    p_value("p", "p_value"),
)


def _ablation_grids(tables: Tables, settings: Sequence[str]) -> list[Grid]:
    grids = []
    for name, title, first in (
        ("ablations", "", text("Setting", "setting")),
        ("ablations_by_unit", "By model (variants: by family)", text("Model", "unit")),
        ("ablations_by_scenario", "By scenario", text("Scenario", "scenario")),
    ):
        table = tables[name]
        shown = table[table["setting"].isin(settings)]
        columns = (first, *ABLATION_COLUMNS)
        grids.append(grid(shown, columns, title=title, labelled=False, source=name))
    return grids


def _reasoning(tables: Tables) -> Section | None:
    if not tables["ablations"]["setting"].isin(["condition", "variant"]).any():
        return None
    return _section(
        "reasoning",
        (
            "The same scenarios with and without reasoning, all other settings equal: asked for "
            "by the prompt (condition), or the model's own reasoning mode (variant, two models of "
            "one family). A negative change is less sensitivity. The test is Wilcoxon's "
            "signed-rank over pairs of cells, not corrected for the number of rows. The papers "
            "give relative changes with either base, so both stand here.",
        ),
        ["reasoning"],
        _ablation_grids(tables, ["condition", "variant"]),
    )


def _temperature(tables: Tables) -> Section | None:
    if not (tables["ablations"]["setting"] == "temperature").any():
        return None
    return _section(
        "temperature",
        (
            "The same scenarios at another temperature, all other settings equal; the highest is "
            "the base. At T = 0 a cell is 0 or 1 if decoding is truly deterministic, so NSI is "
            "coarse there, and lower sampling noise lowers the floor at the same time: compare "
            "the floors in the ranking before reading a change.",
        ),
        ["temperature"],
        _ablation_grids(tables, ["temperature"]),
    )


def _order(tables: Tables) -> Section | None:
    table = tables["answer_order"]
    if not len(table):
        return None
    return _section(
        "order",
        (
            "Agreement when the question names agree first, and when it names disagree first, in "
            "alternating epochs of the same run. A positive difference favours what is named "
            "first. The interval resamples scenarios.",
        ),
        [],
        [
            grid(
                table,
                (
                    text("Frame", "frame"),
                    number("Agree named first", "agree_first"),
                    number("Disagree first", "disagree_first"),
                    signed("Difference", "difference"),
                    count("Scenarios", "n_scenarios"),
                ),
                source="answer_order",
            )
        ],
    )


def _confidence(tables: Tables) -> Section | None:
    table = tables["confidence_by_model"]
    if not (table["n_scenarios"] > 0).any():
        return None
    return _section(
        "confidence",
        (
            "Stated confidence beside NSI, scenario by scenario. The danger zone holds scenarios "
            f"with a mean confidence above {SURE_ABOVE:g} and NSI above {FRAGILE_ABOVE:g}: the "
            "model is sure, and its stance depends on the wording (arXiv:2601.21433, Figure 5).",
        ),
        ["confidence"],
        [
            grid(
                table,
                (
                    number("Confidence", "confidence", 1),
                    number("NSI", "nsi"),
                    count("In danger zone", "n_danger"),
                    share("Share", "danger"),
                    signed("Rank corr.", "spearman"),
                    count("Scenarios", "n_scenarios"),
                ),
                source="confidence_by_model",
            )
        ],
    )


def _alignment(tables: Tables) -> Section | None:
    table = tables["alignment_by_frame"]
    if not len(table):
        return None
    return _section(
        "alignment",
        (
            "How far the decision accords with law, social ethics and consequences, by the "
            "models' own scores from 0 to 100 (task sff). Models may be equally consistent and "
            "give different reasons. The scores are what models say of their decision; they count "
            "nowhere else.",
        ),
        ["alignment_by_frame", "alignment_by_scenario"],
        [
            grid(
                table,
                (
                    text("Origin", "origin"),
                    text("Frame", "frame"),
                    text("Score", "score"),
                    number("Mean", "mean", 1),
                    number("SD", "sd", 1),
                    count("Answers", "n"),
                    count("Missing", "n_missing"),
                ),
                labelled=False,
                source="alignment_by_frame",
            )
        ],
    )


def _tests(tables: Tables) -> Section:
    q, chi_square = tables["cochran_q"], tables["homogeneity"]
    return _section(
        "tests",
        (
            f"Cochran's Q: {_found(q)}. Permutation chi-square: {_found(chi_square)}. Both at a "
            f"false discovery rate of {FDR:g} (Benjamini-Hochberg over all tested cells).",
            "Cochran's Q, as in the papers, pairs the frames of an epoch to blocks; epochs with a "
            "missing answer drop out, and cells with fewer than two blocks are not tested; with "
            "two blocks its p cannot go below 0.11. But epochs of different frames are independent "
            "draws. The permutation test pairs nothing and uses every valid answer; it leaves out "
            "cells with too few answers to find anything. Where they differ, believe the second. "
            "A test says whether there is an effect, NSI says how large it is.",
        ),
        [],
        [
            grid(
                q,
                (
                    text("Scenario", "scenario"),
                    text("Domain", "domain"),
                    count("Blocks", "n_blocks"),
                    count("Dropped", "n_dropped"),
                    number("Q", "q"),
                    count("df", "df"),
                    p_value("p", "p_value"),
                    p_value("p adjusted", "p_adjusted"),
                ),
                title="Cochran's Q",
                source="cochran_q",
            ),
            grid(
                chi_square,
                (
                    text("Scenario", "scenario"),
                    text("Domain", "domain"),
                    count("Answers", "n_valid"),
                    number("Chi-square", "chi_square"),
                    count("df", "df"),
                    p_value("p", "p_value"),
                    p_value("p adjusted", "p_adjusted"),
                ),
                title="Permutation chi-square",
                source="homogeneity",
            ),
        ],
    )


def _found(test: pd.DataFrame) -> str:
    tested, found = int(test["tested"].sum()), int(test["significant"].sum())
    if not tested:
        return "no cell could be tested"
    return f"{found} of {tested} tested cells ({percent(found / tested)}) show a framing effect"


def _worst(tables: Tables) -> Section:
    return _section(
        "worst",
        (
            f"Up to {WORST} scenarios of each model with the highest NSI, and the frames in which "
            "the action is endorsed most and least. p is the chance of so large a range if the "
            "same answers had been dealt to the frames at random (exact permutation test, not "
            "corrected for the number of scenarios).",
        ),
        [],
        [
            grid(
                tables["worst_scenarios"],
                (
                    text("Scenario", "scenario"),
                    text("Domain", "domain"),
                    number("NSI", "nsi"),
                    number("Floor", "nsi_null"),
                    p_value("p", "p_value"),
                    text("Highest", "frame_max"),
                    text("Lowest", "frame_min"),
                    count("Min. n", "n_min"),
                ),
                source="worst_scenarios",
            )
        ],
    )


def _compliance(tables: Tables) -> Section:
    table = tables["compliance"]
    counts = [
        count(status.value.capitalize(), status)
        for status in Status
        if status == Status.VALID or table[status].any()
    ]
    paragraphs = [
        "Only answers with one unambiguous decision count towards a rate. The others are left out "
        "of it, never counted as agreement or disagreement. Where many are missing, the rest may "
        "not stand for all.",
    ]
    if len(tables["excluded"]):
        names = ", ".join(result_labels(tables["excluded"]))
        paragraphs.append(f"Excluded from every other section for too few valid answers: {names}.")
    return _section(
        "compliance",
        paragraphs,
        ["compliance"],
        [
            grid(
                table,
                (count("Asked", "n"), *counts, share("Valid share", "compliance")),
                source="compliance",
            ),
            grid(
                tables["outcomes_by_frame"],
                (
                    text("Frame", "frame"),
                    share("Endorse", "endorse"),
                    share("Oppose", "oppose"),
                    share("Abstain", "abstain"),
                    share("Not parsed", "unparsed"),
                    share("No answer", "unanswered"),
                    count("Asked", "n"),
                ),
                title="Outcomes by frame",
                source="outcomes_by_frame",
            ),
        ],
    )


def _bounds(tables: Tables) -> Section | None:
    table = tables["nsi_bounds"]
    if not table["n_undecided"].any():
        return None
    names = ["nsi", "nsi_if_endorse", "nsi_if_oppose", "nsi_lowest", "nsi_highest"]
    keys = carried_keys(table)
    groups = table.groupby(keys, sort=False, dropna=False)
    means = groups[names].mean().join(groups["n_undecided"].sum()).reset_index()
    return _section(
        "bounds",
        (
            "Mean NSI when abstentions and answers without a decision are left out, all counted "
            "as endorsing, all as opposing, and at the extremes over every way to count them, "
            "scenario by scenario. Wide bounds mean that the value rests on what was left out.",
        ),
        [],
        [
            grid(
                means,
                (
                    count("Undecided", "n_undecided"),
                    number("Left out", "nsi"),
                    number("All endorse", "nsi_if_endorse"),
                    number("All oppose", "nsi_if_oppose"),
                    number("Lowest", "nsi_lowest"),
                    number("Highest", "nsi_highest"),
                ),
                source="nsi_bounds",
            )
        ],
    )


def _published(tables: Tables) -> Section | None:
    if "published_nsi" not in tables:
        return None
    models = tables["published_nsi"]
    paragraphs = [
        "Own values beside those that arXiv:2601.21433 and arXiv:2601.09724 print. The papers' "
        "prompts are not ours to the letter and their models have changed since, so a difference "
        "is no error of either (docs/replication-notes.md)."
    ]
    if not len(models):
        paragraphs.append("None of the models audited here has a published value of its own name.")
    return _section(
        "published",
        paragraphs,
        [],
        [
            grid(
                models,
                (
                    number("NSI", "nsi"),
                    text("Paper", "source"),
                    text("Its name", "published_model"),
                    number("Its NSI", "published_nsi"),
                ),
                source="published_nsi",
            ),
            grid(
                tables["published_endorsement"],
                (
                    text("Origin", "origin"),
                    text("Frame", "frame"),
                    number("Endorsement", "rate"),
                    text("Paper", "source"),
                    number("Its endorsement", "published_rate"),
                ),
                title="Endorsement by origin and frame",
                labelled=False,
                source="published_endorsement",
            ),
            grid(
                tables["published_domain_nsi"],
                (
                    text("Domain", "domain"),
                    number("NSI", "nsi"),
                    text("Paper", "source"),
                    number("Its NSI", "published_nsi"),
                ),
                title="NSI by domain",
                labelled=False,
                source="published_domain_nsi",
            ),
        ],
    )


CHAPTERS: Final[tuple[tuple[str, Build], ...]] = (
    ("In short", _summary),
    ("Models by sensitivity to negation", _ranking),
    ("What kind of failure it looks like", _patterns),
    ("How fragile: shares of robust and fragile cells", _fragility),
    ("NSI by domain", _domains),
    ("NSI by scenario", _scenarios),
    ("Endorsement of the action by frame", _frames),
    ("Groups of models compared", _groups),
    ("Agreement between models", _agreement),
    ("The effect of reasoning", _reasoning),
    ("The effect of temperature", _temperature),
    ("The effect of the answer order", _order),
    ("Confidence and the danger zone", _confidence),
    ("Justifications: the alignment scores", _alignment),
    ("Does framing change the answers? Two tests", _tests),
    ("Least stable scenarios", _worst),
    ("Valid and other answers", _compliance),
    ("Abstentions and unparsed answers as bounds", _bounds),
    ("Published values", _published),
)
"""The sections in order, each with its builder; one that gives None has no data."""

WHY_EMPTY: Final = {
    "What kind of failure it looks like": "no pair of frames was asked",
    "Groups of models compared": "fewer than two known groups",
    "Agreement between models": "fewer than two models under the same settings",
    "The effect of reasoning": "nothing was asked both with and without reasoning",
    "The effect of temperature": "nothing was asked at two temperatures",
    "The effect of the answer order": "no run shows both orders (-T answer_order=balanced)",
    "Confidence and the danger zone": "no answer states a confidence",
    "Justifications: the alignment scores": "no run of the task sff",
    "Abstentions and unparsed answers as bounds": "every answer has a decision",
    "Published values": "not asked for (--published)",
}


def _framing_gaps(tables: Tables, min_compliance: float) -> list[str]:
    """What is missing from the sections on framing, and why."""
    excluded = tables["excluded"]
    rows = zip(result_labels(excluded), excluded.to_dict("records"), strict=True)
    gaps = [
        f"Excluded: {label}: {percent(row['compliance'])} of {int(row['answered'])} answers are "
        f"valid, below the threshold of {percent(min_compliance)}."
        for label, row in rows
    ]
    missing = tables["nsi"]
    missing = missing[missing["nsi"].isna()]
    if len(missing):
        gaps.append(
            f"{len(missing)} of {len(tables['nsi'])} values of NSI are missing, because a planned "
            "frame has no valid answer (tables/nsi.csv, column missing_frames)."
        )
    return gaps


def _choices(tables: Tables, empty: Sequence[str], min_compliance: float) -> Section:
    carried = [name for name in SETTINGS if name in tables["ranking"].columns]
    values = [
        f"{name.replace('_', ' ')} ("
        + ", ".join(sorted({setting_label(name, v) for v in tables["ranking"][name]}))
        + ")"
        for name in carried
    ]
    left_out = [f"{title} ({WHY_EMPTY.get(title, 'no data')})" for title in empty]
    return Section(
        "choices",
        "Appendix: choices made",
        (
            "Scenarios, frames and the index follow Elkins and Chun, arXiv:2601.21433 and "
            "arXiv:2601.09724. Endorsement is (decision is agree) XOR (proposal is negated). "
            "Rates are over valid answers; tables/cells.csv has their 95 % Wilson intervals. A "
            "scenario in which a planned frame has no valid answer has no NSI. The scenarios are "
            "dilemmas without a right answer: what is measured is whether the stance survives the "
            "wording, not which stance it is.",
            "A result is a model under one set of settings, and results are never pooled over "
            "settings. "
            + (f"Settings that vary here: {'; '.join(values)}." if values else "None varies here."),
            "Thresholds are decided as exact fractions would be; a value at a threshold belongs to "
            "the worse class. The bands A, B and C of the ranking figure are the proposal of the "
            "first version of arXiv:2601.21433, not a standard.",
            "Origin and size tier come from the models file; what it does not name is unspecified "
            "and stands in no comparison of groups. "
            f"The threshold of exclusion is {percent(min_compliance)} valid answers.",
            "Bootstrap intervals have 10,000 resamples and seed 0: the same logs give the same "
            "report. p-values of single scenarios and of ablations are not corrected unless the "
            "column says so.",
            *([f"Not in this report: {'; '.join(left_out)}."] if left_out else []),
        ),
    )


__all__ = [
    "RANKING",
    "TERMINAL_RANKING",
    "Column",
    "data_section",
    "fixed",
    "framing_sections",
    "p_text",
]
