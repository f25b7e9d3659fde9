"""Tables of what became of the answers, and of what models say of themselves."""

from dataclasses import replace
from typing import Final

from negation_evals.analysis.common.shared_columns import DESCRIBED
from negation_evals.analysis.common.tables import Column, Table, flag, number, share, text, whole
from negation_evals.analysis.framing.tables.keys import FRAME, KEYS, PLACE, SCENARIO, SHARED
from negation_evals.analysis.framing.tables.nsi import MEAN_NSI
from negation_evals.schema.common import Status
from negation_evals.schema.framing import ALIGNMENT_FIELDS

ANSWER_ORDER: Final = Table(
    "answer_order",
    "One row per frame of a result in which both orders of the answers occurred.",
    (
        *KEYS,
        text("frame", "or `all` for the mean over frames"),
        whole("n_scenarios", "scenarios with valid answers in both orders"),
        share("agree_first", "P(agree) where the question names agree first"),
        share("disagree_first", "P(agree) where it names disagree first"),
        number("difference", "agree_first - disagree_first", -1, 1),
        number("ci_low", "scenarios resampled, 95 %", -1, 1),
        number("ci_high", "the upper limit", -1, 1),
    ),
    "answer_order_effect(decisions, confidence_level=0.95, resamples=10000, rng=0)",
)
MITIGATION: Final = Table(
    "mitigation",
    "One row per result whose solver asks more than once (`calls` is known).",
    (
        *KEYS,
        whole("n", "answers"),
        whole("n_flagged"),
        share("flagged", "share of the answers"),
        whole("n_valid"),
        whole("n_scenarios", "scenarios with an NSI of what remains"),
        whole("n_missing", "scenarios without: a frame has no valid answer left"),
        share("nsi", "mean of what remains"),
        share(
            "nsi_without",
            "the same model and settings asked once by the task's own solver, over the scenarios "
            "that have both",
        ),
        number("change", "nsi - nsi_without over the same scenarios", -1, 1),
        number("calls", "model calls made", 0),
        number("extra_calls", "per answer, beyond the one that it takes anyway"),
    ),
    "mitigation_effect(decisions)",
    notes="NaN where there is nothing to compare; no rows without such a result.",
)
COMPLIANCE: Final = Table(
    "compliance",
    "One row per result.",
    (
        *KEYS,
        whole("n", "decisions asked for"),
        *(whole(str(status)) for status in Status),
        whole("answered", "n without error and unscored"),
        share("compliance", "valid / answered"),
    ),
    "compliance(decisions)",
    notes="`exclude_models(decisions, min_compliance)` gives the decisions that stay and the rows "
    "of `compliance` that go.",
)
EXCLUDED: Final = replace(
    COMPLIANCE,
    name="excluded",
    row="One row per result below `--min-compliance`, which is in `compliance` and no other table.",
    made_by="exclude_models(decisions, min_compliance)",
    notes="",
)
OUTCOMES_BY_FRAME: Final = Table(
    "outcomes_by_frame",
    "One row per result and frame; the shares add up to 1.",
    (
        *KEYS,
        FRAME,
        whole("n", "decisions asked for"),
        *map(share, ("endorse", "oppose", "abstain", "unparsed", "unanswered")),
    ),
    "outcomes_by_frame(cells)",
)
CONFIDENCE: Final = Table(
    "confidence",
    "One row per result and scenario.",
    (
        *KEYS,
        *PLACE,
        whole("n_confidence", "answers with a stated confidence"),
        number("confidence", "mean", 0, 100),
        share("nsi"),
        flag("danger", "confidence > 80 and NSI > 0.5; missing where either is", nullable=True),
    ),
    "confidence_by_scenario(decisions, scenarios)",
)
CONFIDENCE_BY_MODEL: Final = Table(
    "confidence_by_model",
    "One row per result.",
    (
        *KEYS,
        whole("n_scenarios"),
        number("confidence", "mean over scenarios", 0, 100),
        MEAN_NSI,
        whole("n_danger"),
        share("danger", "share of the scenarios"),
        number("spearman", "rank correlation of confidence with NSI", -1, 1),
    ),
    "confidence_summary(confidence)",
)


def _alignment(name: str, row: str, by: tuple[Column, ...]) -> Table:
    columns = (
        *SHARED,
        *by,
        text("score", "one of the four of `sff`", ALIGNMENT_FIELDS),
        whole("n"),
        whole("n_missing"),
        number("mean", "", 0, 100),
        number("sd", "sample standard deviation", 0),
    )
    names = ", ".join(f'"{column.name}"' for column in by)
    return Table(name, row, columns, f"alignment(decisions, [{names}])", "arXiv:2601.09724, B.1")


ALIGNMENT_BY_FRAME: Final = _alignment(
    "alignment_by_frame", "One row per origin, frame and score.", (DESCRIBED[0], FRAME)
)
ALIGNMENT_BY_STANCE: Final = _alignment(
    "alignment_by_stance",
    "One row per origin, frame, decision and score.",
    (DESCRIBED[0], FRAME, share("endorsed", "1.0 or 0.0")),
)
ALIGNMENT_BY_SCENARIO: Final = _alignment(
    "alignment_by_scenario", "One row per origin, scenario and score.", (DESCRIBED[0], SCENARIO)
)
