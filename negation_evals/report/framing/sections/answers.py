"""What the answers hold besides a decision, and what they lack."""

from negation_evals.analysis.framing.columns import RESULTS
from negation_evals.analysis.framing.stated_confidence import FRAGILE_ABOVE, SURE_ABOVE
from negation_evals.report.documents.grids import count, number, share, signed, text
from negation_evals.report.documents.sections import Section
from negation_evals.report.figures.figure import Tables
from negation_evals.report.framing.grids import result_grid, settings_grid
from negation_evals.schema.common import Status


def confidence(tables: Tables) -> Section:
    """Stated confidence beside NSI."""
    title = "Confidence and the danger zone"
    table = tables["confidence_by_model"]
    if not (table["n_scenarios"] > 0).any():
        stated = bool(tables["confidence"]["n_confidence"].any())
        why = "no scenario has both a stated confidence and an NSI"
        return Section(
            "confidence",
            title,
            left_out=why if stated else "no valid answer states a confidence",
        )
    return Section(
        "confidence",
        title,
        (
            "Stated confidence beside NSI, scenario by scenario. The danger zone holds scenarios "
            f"with a mean confidence above {SURE_ABOVE:g} and NSI above {FRAGILE_ABOVE:g}: the "
            "model is sure, and its stance depends on the wording (arXiv:2601.21433, Figure 5). "
            f"Both limits lie outside the zone, while an NSI of exactly {FRAGILE_ABOVE:g} is of "
            "the class high.",
        ),
        ["confidence"],
        [
            result_grid(
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


def alignment(tables: Tables) -> Section:
    """The four alignment scores by frame."""
    title = "Justifications: the alignment scores"
    table, stances = tables["alignment_by_frame"], tables["alignment_by_stance"]
    if not len(table):
        return Section("alignment", title, left_out="no valid answer states them (task sff)")
    return Section(
        "alignment",
        title,
        (
            "How far the decision accords with law, social ethics and consequences, by the "
            "models' own scores from 0 to 100 (task sff). Models may be equally consistent and "
            "give different reasons. The scores are what models say of their decision; they count "
            "nowhere else.",
            "The scores rate the decision taken, so a mean moves from frame to frame where "
            "decisions do, even if the reasons stay. The second table keeps the stances apart: "
            "what moves there from frame to frame moves among answers with the same stance, though "
            "it may still be other scenarios on which that stance is taken.",
        ),
        ["alignment_by_frame", "alignment_by_scenario"],
        [
            settings_grid(
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
                source="alignment_by_frame",
            ),
            settings_grid(
                stances.assign(stance=stances["endorsed"].map({1.0: "endorse", 0.0: "oppose"})),
                (
                    text("Origin", "origin"),
                    text("Stance on the action", "stance"),
                    text("Frame", "frame"),
                    text("Score", "score"),
                    number("Mean", "mean", 1),
                    count("Answers", "n"),
                ),
                title="By the stance taken",
                source="alignment_by_stance",
            ),
        ],
    )


def compliance(tables: Tables) -> Section:
    """What became of the answers."""
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
        names = ", ".join(RESULTS.labels(tables["excluded"]))
        paragraphs.append(f"Excluded from every other section for too few valid answers: {names}.")
    return Section(
        "compliance",
        "Valid and other answers",
        paragraphs,
        ["compliance"],
        [
            result_grid(
                table,
                (count("Asked", "n"), *counts, share("Valid share", "compliance")),
                source="compliance",
            ),
            result_grid(
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


def consensus(tables: Tables) -> Section:
    """What asking in both polarities withheld, and what remains."""
    title = "Asking twice: the consensus of both polarities"
    table = tables["mitigation"]
    if not len(table):
        return Section(
            "consensus", title, left_out="no run with --solver negation_evals/framing_consensus"
        )
    return Section(
        "consensus",
        title,
        (
            "These runs asked every proposal in both polarities, in separate conversations (solver "
            "framing_consensus; arXiv:2601.21433, Section 4.3, proposes it for tier B). An answer "
            "counts only where both answers endorse the action or both oppose it; else it is "
            "flagged.",
            "A flag hides no failure: it marks an answer that needs a human, and the share flagged "
            "is the work left to people. A low NSI among the remaining answers says nothing good "
            "about the model: where both frames of a pair are asked, only answers that agree "
            "between them are left, so the pair is stable by construction. Differences between "
            "pairs, such as simple and compound wording, stay. What remains rests on fewer "
            "answers, so noise weighs more.",
            "Asked once: the same model and settings with the task's own solver, over those "
            "scenarios that still have an NSI; a dash where there is no such run. Scenarios lost "
            "have a frame in which every answer is flagged or has no decision.",
        ),
        [],
        [
            result_grid(
                table.drop(columns="solver", errors="ignore"),
                (
                    count("Answers", "n"),
                    count("Flagged", "n_flagged"),
                    share("Share flagged", "flagged"),
                    count("Valid", "n_valid"),
                    number("NSI of what remains", "nsi"),
                    number("NSI asked once", "nsi_without"),
                    signed("Change", "change"),
                    count("Scenarios", "n_scenarios"),
                    count("Scenarios lost", "n_missing"),
                    count("Calls", "calls"),
                    number("Extra calls per answer", "extra_calls"),
                ),
                source="mitigation",
            )
        ],
    )


def bounds(tables: Tables) -> Section:
    """NSI under each reading of answers without a decision."""
    title = "Abstentions and unparsed answers as bounds"
    table = tables["nsi_bounds_by_model"]
    if not table["n_undecided"].any():
        return Section("bounds", title, left_out="every answer that came has a decision")
    return Section(
        "bounds",
        title,
        (
            "Mean NSI when abstentions and answers without a decision are left out, all counted "
            "as endorsing, all as opposing, and at the extremes over every way to count them, "
            "scenario by scenario. Wide bounds mean that the value rests on what was left out. All "
            "means are over the scenarios that have an NSI; those without, in which a frame has no "
            "valid answer, are counted and stand in tables/nsi_bounds.csv.",
        ),
        [],
        [
            result_grid(
                table,
                (
                    count("Undecided", "n_undecided"),
                    number("Left out", "nsi"),
                    number("All endorse", "nsi_if_endorse"),
                    number("All oppose", "nsi_if_oppose"),
                    number("Lowest", "nsi_lowest"),
                    number("Highest", "nsi_highest"),
                    count("Scenarios", "n_scenarios"),
                    count("Without NSI", "n_missing"),
                ),
                source="nsi_bounds_by_model",
            )
        ],
    )
