"""Tables of the tests of framing, and of repeated answers."""

from typing import Final

from negation_evals.analysis.common.shared_columns import P_VALUE
from negation_evals.analysis.common.tables import Table, flag, number, share, whole
from negation_evals.analysis.framing.tables.keys import KEYS, PLACE

_DF: Final = whole("df", "degrees of freedom", nullable=True)
_TESTED: Final = (
    P_VALUE,
    share("p_adjusted", "Benjamini-Hochberg over all tested rows of the table"),
    flag("significant", "p_adjusted at most `fdr`"),
    flag("tested", "the others are not in that family"),
)

COCHRAN_Q: Final = Table(
    "cochran_q",
    "One row per result and scenario.",
    (
        *KEYS,
        *PLACE,
        whole("n_blocks", "epochs in which all frames have a valid decision"),
        whole("n_dropped", "the other epochs"),
        number("q", "Cochran's Q", 0),
        _DF,
        *_TESTED,
    ),
    "cochran_q(decisions, frames=None, fdr=0.05)",
    notes="Without variation in any block, Q is 0 and p is 1. Fewer than two blocks are not tested "
    "(NaN).",
)
HOMOGENEITY: Final = Table(
    "homogeneity",
    "One row per result and scenario.",
    (*KEYS, *PLACE, whole("n_valid"), number("chi_square", "Pearson's", 0), _DF, *_TESTED),
    "homogeneity(decisions, frames=None, fdr=0.05, rng=0)",
    notes="Permutation chi-square without pairing epochs: exact up to four frames of 62 answers, "
    "else by Monte Carlo (99,999 draws). All answers the same: 0 and 1. Not tested are cells in "
    "which a frame has no valid answer (NaN), and those with so few answers that no outcome could "
    "reach `fdr` (four frames of 2 answers).",
)
FRAMING_EFFECT: Final = Table(
    "framing_effect",
    "One row per result.",
    (
        *KEYS,
        whole("n_scenarios", "scenarios with a valid answer in every frame"),
        number("chi_square", "sum over them", 0),
        whole("df", "sum over them", nullable=True),
        share("p_value", "share of the permutations with at least this sum; the data are one"),
        share("p_smallest", "the smallest that any answers with these numbers could give"),
        flag("tested", "false where p_smallest is above 0.05"),
    ),
    "framing_effect(cells, frames=None, rng=0)",
    notes="The valid answers of each scenario are permuted over its frames at random, 9,999 times. "
    "NaN for copies. Not corrected for the number of results.",
)
REPEATABILITY: Final = Table(
    "repeatability",
    "One row per result.",
    (
        *KEYS,
        whole("n_cells"),
        whole("n_repeated", "cells with two answers or more"),
        whole(
            "n_identical",
            "of these, with the same text in all epochs or, where no text is known, the same "
            "decision",
        ),
        flag(
            "deterministic",
            "the temperature is 0, at least half of the cells are repeated, and all that are "
            "repeated are identical",
        ),
    ),
    "repeatability(decisions)",
    notes="Answers of a deterministic result are copies of one and carry no sampling noise: floor "
    "0, no tests, no intervals.",
)
