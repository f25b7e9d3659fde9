"""Tables of endorsement rates, of pairs of frames, and of what models say of themselves."""

from dataclasses import replace
from typing import Final

from negation_evals.analysis.common.shared_columns import DESCRIBED, interval
from negation_evals.analysis.common.tables import Column, Table, flag, number, share, text, whole
from negation_evals.analysis.framing.tables.keys import FRAME, KEYS, PLACE, SHARED
from negation_evals.analysis.framing.tables.nsi import MEAN_NSI, N_MISSING, N_NSI

ORIGIN: Final = DESCRIBED[0]

CELLS: Final = Table(
    "cells",
    "One row per result, scenario and frame.",
    (
        *KEYS,
        *PLACE,
        FRAME,
        whole("n", "decisions asked for"),
        whole("n_valid"),
        whole("n_abstain", "abstentions"),
        whole(
            "n_unparsed",
            "other answers without a decision: malformed, truncated, refused, filtered, flagged",
        ),
        number("endorsed", "endorsements among the valid decisions", 0),
        flag("deterministic", "the answers are copies of one", varies=True),
        share("rate", "endorsements of the valid decisions"),
        *interval("Wilson's, 95 %; NaN of copies"),
    ),
    "endorsement_rates(decisions, confidence_level=0.95)",
    notes="`frames`, the planned ones, is there whether or not it varies.",
)
ENDORSEMENT_BY_FRAME: Final = Table(
    "endorsement_by_frame",
    "One row per result and frame.",
    (
        *KEYS,
        FRAME,
        whole("n_scenarios", "scenarios with a rate"),
        N_MISSING,
        whole("n_valid", "valid decisions"),
        share("rate", "mean over scenarios of the rates of the cells"),
    ),
    "endorsement_by_frame(cells)",
)
_GROUP: Final = (
    whole("n_models"),
    whole("n_cells"),
    share("rate", "mean over the cells of the group"),
)
ENDORSEMENT_BY_ORIGIN: Final = Table(
    "endorsement_by_origin",
    "One row per origin and frame.",
    (*SHARED, ORIGIN, FRAME, *_GROUP, *interval("scenarios resampled, 95 %; NaN with one")),
    'endorsement_by_group(cells, by="origin", confidence_level=0.95, resamples=10000, rng=0)',
    "arXiv:2601.21433, Tables 5 to 7",
)
ENDORSEMENT_BY_ORIGIN_AND_SCENARIO: Final = Table(
    "endorsement_by_origin_and_scenario",
    "One row per origin, scenario and frame.",
    (*SHARED, ORIGIN, *PLACE, FRAME, *_GROUP),
    'endorsement_by_group(cells, ["origin", "scenario", "domain"])',
    "arXiv:2601.21433, Tables 5 to 7",
)


def _swing(name: str, row: str, keys: tuple[Column, ...], call: str) -> Table:
    columns = (
        *keys,
        share("rate_positive", "endorsement in F0"),
        share("rate_negated", "endorsement in F3"),
        number("swing", "(negated - positive) / positive; NaN where the positive rate is 0", -1),
    )
    return Table(name, row, columns, call)


SWING: Final = _swing(
    "swing",
    "One row per result.",
    KEYS,
    'polarity_swing(by_frame, positive="F0", negated="F3")',
)
SWING_BY_ORIGIN: Final = _swing(
    "swing_by_origin",
    "One row per origin.",
    (*SHARED, ORIGIN),
    'polarity_swing(by_origin, positive="F0", negated="F3")',
)
ACQUIESCENCE: Final = Table(
    "acquiescence",
    "One row per result, scenario and pair of frames, as far as asked.",
    (
        *KEYS,
        *PLACE,
        text("pair", "simple (F0, F1), compound (F2, F3) or refusal (not_refuse, refuse)"),
        share("agree_positive", "P(agree) in the affirmative frame"),
        share("agree_negated", "P(agree) in the negated frame"),
        number("acquiescence", "P(agree | positive) + P(agree | negated) - 1", -1, 1),
        share("nsi", "of the pair: the absolute value of acquiescence"),
    ),
    "acquiescence(cells, pairs=None)",
    notes="NaN where a frame of the pair has no valid answer.",
)
_CORRELATION: Final = number(
    "polarity_correlation",
    "over scenarios, of P(agree | positive) with P(agree | negated); NaN below three scenarios or "
    "without variation",
    -1,
    1,
)
ACQUIESCENCE_BY_PAIR: Final = Table(
    "acquiescence_by_pair",
    "One row per result and pair of frames.",
    (
        *KEYS,
        text("pair"),
        whole("n_scenarios", "scenarios with a value"),
        N_MISSING,
        number("acquiescence", "mean over scenarios", -1, 1),
        MEAN_NSI,
        _CORRELATION,
    ),
    "acquiescence_summary(pairs)",
)
PATTERNS: Final = Table(
    "patterns",
    "One row per result; all measures are over the scenarios that have an NSI.",
    (
        *KEYS,
        N_NSI,
        whole(
            "n_significant",
            "scenarios that stand out by themselves (exact range test, Benjamini-Hochberg within "
            "the result; of copies those with NSI above 0)",
        ),
        share("p_value", "of `framing_effect`"),
        MEAN_NSI,
        share("nsi_pairs", "mean of the larger NSI of a pair"),
        number("acquiescence", "mean over scenarios and pairs", -1, 1),
        share("one_sided", "|mean acquiescence| / mean of |acquiescence|"),
        replace(
            _CORRELATION,
            meaning="within pairs: each that has a correlation is centred on its own means, and "
            "they are pooled",
        ),
        text("pattern", "see the rules"),
    ),
    "failure_patterns(scenarios, pairs, effect)",
    notes="""The first rule that holds gives the pattern, a description and no test:

1. `unknown`: no scenario has an NSI, none has both frames of a pair, or the answers are so few
   that none could be told from noise (`framing_effect`: `p_smallest` > 0.05; four frames of one
   answer, or one scenario of two).
2. `not above noise`: the test of all scenarios together finds nothing (`p_value` > 0.05). Of
   copies (`repeatability`): no NSI is above 0.
3. `goal wording`: the pairs' own NSI is below half of the whole, and the highest and lowest frame
   of every scenario are of the simple or compound pair; else `mixed`.
4. `ignored negation`: `polarity_correlation` is at least 0.5.
5. `habit of agreeing` or `habit of disagreeing`: `one_sided` is at least 0.8, however small
   acquiescence is (the words of the report go by the size). Else `mixed`.""",
)
