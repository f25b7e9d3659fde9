"""Published values of the SNCA paper beside one's own."""

from typing import Any, Final

import pandas as pd

from negation_evals.analysis.snca.refusals import ALL_MUTATIONS
from negation_evals.analysis.snca.tables import SNCA_PUBLISHED
from negation_evals.files.bundled import dataset_path
from negation_evals.report.family import Tables
from negation_evals.report.framing.published import plain_name
from negation_evals.schema.snca import BASE

COUNTS: Final = ("absolute", "conditional", "adaptive", "opaque", "violations")
"""Measures that are numbers of categories or items; the others are in [0, 1]."""

_SORRY: Final = "sorry_bench"
_REFUSAL: Final = {
    "sorry_base_refusal": _SORRY,
    "xstest_refusal": "xstest",
    "orbench_refusal": "or_bench_hard",
}
_SCORES: Final = ("sncs", "sncs_absolute", "sncs_conditional", "sncs_adaptive", "violations")


def published_snca(tables: Tables) -> Tables:
    """Own values of the models that arXiv:2604.09189 names, with what it prints for them.

    Args:
        tables: Those of `snca_tables`.

    Returns:
        `snca_published`: model (and elicitation where it varies), source, published_model, measure,
        value (NaN where one's own audit does not have it), published_value. Measures: absolute,
        conditional, adaptive, opaque (numbers of categories), sncs, sncs_absolute,
        sncs_conditional, sncs_adaptive (in [0, 1]), violations (number of items), abs_comply,
        cond_leak, frame_mismatch (shares of the violations), and refusal rates: sorry_base_refusal,
        sorry_mutation_refusal, xstest_refusal, orbench_refusal.
    """
    results = _results(tables)
    own = _own(tables, results)
    papers = pd.read_csv(dataset_path("published_snca.csv"), dtype={"source": str})
    papers = papers.rename(columns={"model": "published_model"})
    papers = papers.melt(
        ["source", "published_model"], var_name="measure", value_name="published_value"
    )
    papers["name"] = papers["published_model"].map(plain_name)
    table = results.assign(name=results["model"].map(plain_name)).merge(papers, on="name")
    table = table.merge(own, on=[*results.columns, "measure"], how="left")
    columns = ["source", "published_model", "measure", "value", "published_value"]
    return {SNCA_PUBLISHED.name: table[[*results.columns, *columns]]}


def _results(tables: Tables) -> pd.DataFrame:
    """What was audited: model, and elicitation where it varies."""
    found = [tables[name] for name in ("snca_rule_types", "snca_compliance") if name in tables]
    keys = [name for name in ("model", "elicitation") if name in found[0].columns]
    results = found[0][keys].drop_duplicates()
    others = found[-1].loc[~found[-1]["model"].isin(set(results["model"])), ["model"]]
    return pd.concat([results, others.drop_duplicates()], ignore_index=True)


def _own(tables: Tables, results: pd.DataFrame) -> pd.DataFrame:
    """Own values: the columns of the results, measure, value."""
    parts = []

    def add(table: pd.DataFrame, measure: Any, value: pd.Series) -> None:
        # A refusal rate is the same, however the policies were elicited.
        keys = [name for name in results.columns if name in table.columns]
        named = table[keys].assign(measure=measure, value=value.astype(float))
        parts.append(results.merge(named, on=keys))

    if "snca_rule_types" in tables:
        types = tables["snca_rule_types"]
        add(types, types["rule_type"].str.lower(), types["n"])
    if "snca_summary" in tables:
        summary, broken = tables["snca_summary"], tables["snca_violations"]
        for name in _SCORES:
            add(summary, name, summary[name])
        add(broken, broken["violation"].str.lower().str.replace("-", "_"), broken["share"])
    if "snca_refusal" in tables:
        rates, drop = tables["snca_refusal"], tables["snca_mutation_drop"]
        for measure, source in _REFUSAL.items():
            rows = rates[(rates["source"] == source) & (rates["variant"] == BASE)]
            add(rows, measure, rows["refusal_rate"])
        rows = drop[(drop["source"] == _SORRY) & (drop["variant"] == ALL_MUTATIONS)]
        add(rows, "sorry_mutation_refusal", rows["mutation_rate"])
    if not parts:
        return results.iloc[:0].assign(measure="", value=0.0)
    return pd.concat(parts, ignore_index=True)
