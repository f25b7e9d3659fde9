"""Tables that compare models, settings, orders of answers, and audits."""

from dataclasses import replace
from typing import Final

from negation_evals.analysis.common.shared_columns import DESCRIBED, P_VALUE, interval
from negation_evals.analysis.common.tables import Column, Table, grouped, number, share, text, whole
from negation_evals.analysis.framing.tables.keys import (
    FRAME,
    KEYS,
    PLACE,
    SCENARIO,
    SHARED,
)

_BY: Final = text("by", "origin, size_tier or condition: what forms the groups")
_WHERE: Final = (
    "The report has rows of origin, size_tier and condition, each where two groups are known and "
    "no model is in two of them."
)

GROUP_TESTS: Final = Table(
    "group_tests",
    "One row per grouping of the models.",
    (
        *SHARED,
        _BY,
        whole("n_groups"),
        whole("n", "models"),
        whole("n_left_out", "models of the group `unspecified`"),
        number("h", "Kruskal-Wallis, corrected for ties", 0),
        whole("df", "degrees of freedom", nullable=True),
        P_VALUE,
        number("epsilon_squared", "(H - k + 1) / (N - k)", high=1),
    ),
    'compare_groups(by_model, by="origin", value="nsi")',
    notes=f'Of `nsi_summary(..., by="model")`. The groups must hold different models. {_WHERE}',
)
GROUP_PAIRS: Final = Table(
    "group_pairs",
    "One row per pair of groups of models.",
    (
        *SHARED,
        _BY,
        text("group_a"),
        text("group_b", "another group, or `all others` where there are more than two"),
        whole("n_a", "models"),
        whole("n_b", "models"),
        share("median_a", "median of the value, here NSI"),
        share("median_b"),
        number("u", "Mann-Whitney, of a", 0),
        P_VALUE,
        share("p_adjusted", "Holm"),
        number("cliffs_delta", "2u / (n_a n_b) - 1", -1, 1),
    ),
    'compare_group_pairs(by_model, by="origin", value="nsi")',
    notes=_WHERE,
)
AGREEMENT_BY_PAIR: Final = Table(
    "agreement_by_pair",
    "One row per frame and pair of models.",
    (
        *SHARED,
        FRAME,
        text("model_a"),
        text("model_b"),
        whole("n_scenarios", "scenarios that both decided"),
        share(
            "agreement",
            "share of them with the same majority decision; a majority of exactly half counts one "
            "half",
        ),
    ),
    "agreement_by_pair(cells)",
)
AGREEMENT_BY_FRAME: Final = Table(
    "agreement_by_frame",
    "One row per frame.",
    (
        *SHARED,
        FRAME,
        whole("n_models"),
        whole("n_pairs"),
        share("agreement", "mean over pairs of models"),
        *interval("scenarios resampled, 95 %"),
    ),
    "agreement_by_frame(cells, confidence_level=0.95, resamples=10000, rng=0)",
)

_ABLATION: Final = (
    text("setting", "temperature, condition or variant"),
    text("baseline", "its value on one side, as text"),
    text("treatment", "its value on the other"),
)
_UNIT: Final = text("unit", "the model or, for `variant`, the family")
ABLATION_PAIRS: Final = Table(
    "ablation_pairs",
    "One row per unit, treatment and scenario: the same under two values of one setting.",
    (
        *grouped("keys", [replace(c, nullable=True) for c in KEYS]),
        *_ABLATION,
        *PLACE,
        share("nsi_baseline", "NaN where this side is missing"),
        share("nsi_treatment", "NaN where this side is missing"),
        number("change", "treatment - baseline", -1, 1),
        _UNIT,
    ),
    "ablation_pairs(scenarios, setting)",
    notes="`<keys>` are those of the model, for `variant` the family, and the other settings. "
    "`unit` is added by the report.",
)


def _ablations(name: str, row: str, by: tuple[Column, ...]) -> Table:
    columns = (
        *_ABLATION,
        *by,
        whole("n_pairs", "pairs with both sides"),
        whole("n_missing", "pairs without one of them"),
        share("mean_baseline", "mean NSI"),
        share("mean_treatment", "mean NSI"),
        number("change", "treatment - baseline", -1, 1),
        number("relative_to_baseline", "change / mean_baseline; NaN where that is 0", -1),
        number("relative_to_treatment", "change / mean_treatment; NaN where that is 0", high=1),
        whole("n_changed", "pairs with a change"),
        number("w", "Wilcoxon signed-rank", 0),
        P_VALUE,
    )
    names = "".join(f', "{column.name}"' for column in by)
    return Table(
        name, row, columns, f"ablation_summary(pairs{names})", "arXiv:2601.09724, Appendix E.2"
    )


ABLATIONS: Final = _ablations("ablations", "One row per setting and treatment.", ())
ABLATIONS_BY_UNIT: Final = _ablations(
    "ablations_by_unit", "One row per setting, treatment and unit.", (_UNIT,)
)
ABLATIONS_BY_SCENARIO: Final = _ablations(
    "ablations_by_scenario", "One row per setting, treatment and scenario.", (SCENARIO,)
)
_PAPER: Final = text("source", "arXiv number of the paper")
PUBLISHED_NSI: Final = Table(
    "published_nsi",
    "One row per result whose model a paper names.",
    (
        *KEYS,
        share("nsi", "as in `ranking`"),
        _PAPER,
        text("published_model", "the name in the paper"),
        share("published_nsi"),
        share("published_compliance"),
    ),
)
PUBLISHED_ENDORSEMENT: Final = Table(
    "published_endorsement",
    "One row per origin and frame that a paper names.",
    (
        *SHARED,
        DESCRIBED[0],
        FRAME,
        share("rate", "as in `endorsement_by_origin`"),
        _PAPER,
        share("published_rate"),
    ),
)
PUBLISHED_DOMAIN_NSI: Final = Table(
    "published_domain_nsi",
    "One row per domain that a paper names.",
    (
        *SHARED,
        PLACE[1],
        share("nsi", "as in `nsi_by_domain`"),
        _PAPER,
        share("published_nsi"),
    ),
)
COMPARISON: Final = Table(
    "comparison",
    "One row per pair of results of two audits and measure; B minus A.",
    (
        text("result_a"),
        text("result_b"),
        text("measure", "`NSI`, `endorse F0`, ..."),
        whole("n_scenarios", "scenarios with a value on both sides"),
        whole("n_left_out", "scenarios without"),
        share("value_a"),
        share("value_b"),
        share("floor_a", "noise floor of NSI"),
        share("floor_b", "noise floor of NSI"),
        number("difference", "b - a", -1, 1),
        number("ci_low", "scenarios resampled, 95 %", -1, 1),
        number("ci_high", "the upper limit", -1, 1),
        share("p_value", "sign flips over scenarios"),
        share("p_adjusted", "Holm over the pairs of results, each measure apart"),
    ),
    "compare_audits(a, b, confidence_level=0.95, resamples=10000, rng=0)",
    notes="The `table` of a `Comparison`, which also has `unpaired` and `warnings`. Results pair "
    "by model and the settings that vary within some model of either audit (a single result with "
    "all of the other side); NSI is over the frames that both were asked.",
)
