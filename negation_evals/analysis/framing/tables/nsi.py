"""Tables of NSI, its bounds, and the classes of fragility."""

from dataclasses import replace
from typing import Final

from negation_evals.analysis.common.shared_columns import DESCRIBED, MODEL, interval
from negation_evals.analysis.common.tables import Column, Table, flag, number, share, text, whole
from negation_evals.analysis.framing.tables.keys import (
    DOMAIN,
    KEYS,
    OTHER_KEYS,
    PLACE,
    SHARED,
)

DETERMINISTIC: Final = flag("deterministic", "the answers are copies of one (`repeatability`)")
MEAN_NSI: Final = share("nsi", "mean over scenarios")
N_NSI: Final = whole("n_scenarios", "scenarios with an NSI")
N_MISSING: Final = whole("n_missing", "scenarios without")

_VALUES: Final = (
    *KEYS,
    *PLACE,
    share(
        "nsi", "max - min of the rates of the frames; NaN if a planned frame has no valid decision"
    ),
    text("frame_max", "the frame with the highest rate, the first of equals", nullable=True),
    text("frame_min", "the frame with the lowest rate, the first of equals", nullable=True),
    whole("n_min", "the smallest number of valid decisions of a frame"),
    text("missing_frames", "frames without a valid decision, joined by commas"),
)

NSI: Final = Table(
    "nsi",
    "One row per result and scenario.",
    (
        *_VALUES,
        share("nsi_null", "expected of an exactly invariant model of the same pooled rate and n"),
        number(
            "p_value",
            "exact permutation test of invariance by the range; 1e-15 stands for anything smaller",
            1e-15,
            1,
        ),
        *interval("`range_interval`, 95 % ([intervals.md](intervals.md))"),
        DETERMINISTIC,
    ),
    "nsi(decisions, frames=None)",
    "arXiv:2601.09724 (SVI) and arXiv:2601.21433 (NSI); `nsi_from_rates`",
    "`svi` is the same function. `nsi_values(cells, frames=None)` gives the columns up to "
    "`missing_frames`, without the tests. Where the answers are copies, `nsi_null` is 0, and "
    "`p_value`, `ci_low` and `ci_high` are NaN. The metrics of a running eval call "
    "`nsi_from_rates` too.",
)
WORST_SCENARIOS: Final = replace(
    NSI,
    name="worst_scenarios",
    row="The ten rows of `nsi` with the highest value, for each result.",
    notes="",
)


def _summary(
    name: str,
    row: str,
    by: tuple[Column, ...],
    call: str,
    *,
    after: tuple[Column, ...] = (),
    notes: str = "",
) -> Table:
    """A table of `nsi_summary`."""
    worst = text("worst_scenario", "the scenario with the highest NSI", nullable=True)
    by_scenario = "scenario" in [column.name for column in by]
    columns = (
        *by,
        N_NSI,
        N_MISSING,
        MEAN_NSI,
        number("nsi_sd", "sample standard deviation over scenarios", 0),
        share("nsi_null", "mean over scenarios of what an invariant model would have"),
        share("nsi_min"),
        share("nsi_max"),
        *(() if by_scenario else (worst,)),
        whole("n_min", "the smallest number of valid decisions of a frame"),
        flag("deterministic", "all values are of copies"),
        *after,
    )
    return Table(name, row, columns, call, notes=notes)


_MEAN_INTERVAL: Final = interval("of the mean, from the counts (`nsi_intervals`), 95 %")

RANKING: Final = _summary(
    "ranking",
    "One row per result, the most framing-sensitive first, those without NSI last.",
    (whole("rank", "by NSI; equals share the lower", low=1, nullable=True), *KEYS),
    'nsi_summary(scenarios, by="model")',
    after=(
        *_MEAN_INTERVAL,
        whole("cochran_tested", "scenarios tested by `cochran_q`"),
        share("cochran_significant", "share of these that are significant"),
        whole("homogeneity_tested", "scenarios tested by `homogeneity`"),
        share("homogeneity_significant", "share of these that are significant"),
        number("acquiescence", "as in `patterns`", -1, 1),
        number("polarity_correlation", "as in `patterns`", -1, 1),
        text("pattern", "as in `patterns`", nullable=True),
        share("compliance", "valid answers of those that came"),
    ),
    notes="`nsi_summary(table, by=...)` takes any columns; without `model` among them it groups by "
    "`<shared>`. The interval of a mean needs the counts: `nsi_intervals(cells, by=...)`.",
)
NSI_BY_DOMAIN: Final = _summary(
    "nsi_by_domain",
    "One row per domain, the highest NSI first.",
    (DOMAIN, *SHARED),
    'nsi_summary(scenarios, "domain")',
)
NSI_BY_MODEL_AND_DOMAIN: Final = _summary(
    "nsi_by_model_and_domain",
    "One row per result and domain.",
    (MODEL, DOMAIN, *OTHER_KEYS),
    'nsi_summary(scenarios, ["model", "domain"])',
    after=_MEAN_INTERVAL,
)
NSI_BY_ORIGIN_AND_SCENARIO: Final = _summary(
    "nsi_by_origin_and_scenario",
    "One row per origin and scenario.",
    (DESCRIBED[0], *PLACE, *SHARED),
    'nsi_summary(scenarios, ["origin", "scenario", "domain"])',
)
NSI_BY_SIZE_TIER_AND_SCENARIO: Final = _summary(
    "nsi_by_size_tier_and_scenario",
    "One row per size class and scenario.",
    (DESCRIBED[1], *PLACE, *SHARED),
    'nsi_summary(scenarios, ["size_tier", "scenario", "domain"])',
)
_CONDITION: Final = text("condition", "`standard`, or `reasoning` before the decision")
NSI_BY_CONDITION_AND_SCENARIO: Final = _summary(
    "nsi_by_condition_and_scenario",
    "One row per condition and scenario, over the models and scenarios that have an NSI under "
    "every condition.",
    (
        *(column for column in SHARED if column.name != "condition"),
        _CONDITION,
        *PLACE,
    ),
    'nsi_summary(paired, ["condition", "scenario", "domain"])',
)


def _fragility(name: str, row: str, by: tuple[Column, ...], call: str) -> Table:
    columns = (
        *by,
        whole("n_cells", "cells (one scenario of one result) with an NSI"),
        whole("n_missing", "cells without"),
        share("robust", "share of the cells with NSI < 0.2"),
        share("moderate", "share in [0.2, 0.5)"),
        share("high", "share from 0.5"),
        share("nsi", "mean over cells"),
        number("nsi_sd", "sample standard deviation over cells", 0),
    )
    return Table(name, row, columns, call, "arXiv:2601.09724, Sections 3.6 and 4.1")


FRAGILITY: Final = replace(
    _fragility(
        "fragility",
        "One row; several where `<shared>` varies.",
        SHARED,
        "fragility_shares(scenarios)",
    ),
    notes="The bounds are decided as exact fractions would be (within 1e-9).",
)
FRAGILITY_BY_MODEL: Final = _fragility(
    "fragility_by_model", "One row per result.", KEYS, 'fragility_shares(scenarios, "model")'
)
FRAGILITY_BY_ORIGIN: Final = _fragility(
    "fragility_by_origin",
    "One row per origin.",
    (DESCRIBED[0], *SHARED),
    'fragility_shares(scenarios, "origin")',
)
NSI_BY_SCENARIO: Final = Table(
    "nsi_by_scenario",
    "One row per scenario, the highest mean first.",
    (
        *PLACE,
        *SHARED,
        whole("n_models", "models with an NSI"),
        share("nsi", "mean over models"),
        share("nsi_null", "mean over models"),
        *interval("models resampled, 95 %; NaN with one model"),
    ),
    "scenario_ranking(scenarios, confidence_level=0.95, resamples=10000, rng=0)",
)
_READINGS: Final = (
    ("nsi_if_endorse", "if what is undecided endorsed"),
    ("nsi_if_oppose", "if it opposed"),
    ("nsi_lowest", "the lowest NSI over every way to count it"),
    ("nsi_highest", "the highest"),
)
NSI_BOUNDS: Final = Table(
    "nsi_bounds",
    "One row per result and scenario.",
    (
        *KEYS,
        *PLACE,
        share("nsi", "of the valid decisions alone"),
        whole("n_undecided", "abstentions and unparsed answers"),
        *(share(name, meaning) for name, meaning in _READINGS),
    ),
    "nsi_bounds(cells, frames=None)",
    notes="Missing responses are excluded from every bound.",
)
NSI_BOUNDS_BY_MODEL: Final = Table(
    "nsi_bounds_by_model",
    "One row per result; means over the scenarios with an NSI.",
    (
        *KEYS,
        N_NSI,
        whole("n_missing", "scenarios without, which are left out"),
        whole("n_undecided", "in all scenarios"),
        MEAN_NSI,
        *(share(name, meaning) for name, meaning in _READINGS),
    ),
    "nsi_bounds_summary(bounds)",
)
