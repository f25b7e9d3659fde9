"""The sections of the report on SNCA, and what a terminal shows of it."""

from collections.abc import Hashable
from typing import Any, Final

import pandas as pd

from negation_evals.report.documents.formats import MISSING, percent
from negation_evals.report.documents.grids import Column, Grid, count, number, share, text
from negation_evals.report.documents.sections import Section
from negation_evals.report.family import ReportOptions, Tables
from negation_evals.report.snca import details as snca_details
from negation_evals.report.snca.grids import (
    BY_TYPE,
    COMPLIANCE,
    REFUSAL_BY_KIND,
    SUMMARY,
    TERMINAL_SUMMARY,
    result_grid,
    type_counts,
)
from negation_evals.report.snca.words import (
    MEASURED,
    caution_in_words,
    judges_in_words,
    missing_in_words,
    results_in_words,
)

PREDICATE_CHARS: Final = 90
"""A judge's predicate is cut to so many characters; the CSV has all of it."""


def snca_sections(tables: Tables, options: ReportOptions) -> list[Section]:
    """The sections on SNCA; those without data are left out, and the first says what is missing.

    Args:
        tables: Those of `snca_tables`, and of `published_snca` if asked for.
        options: Do not change these sections.
    """
    sections = [build(tables) for build in BUILDERS]
    return [section for section in sections if section is not None]


def terminal_scores(tables: Tables) -> Grid:
    """The main table of what there is, for a terminal of 100 columns."""
    if "snca_summary" in tables:
        title = "SNCS, most consistent first"
        return result_grid(tables, "snca_summary", TERMINAL_SUMMARY, title)
    if "snca_rule_types" in tables:
        return type_counts(tables)
    if "snca_refusal_by_kind" in tables:
        title = "Refusals by kind of item"
        return result_grid(tables, "snca_refusal_by_kind", REFUSAL_BY_KIND, title)
    return result_grid(tables, "snca_compliance", COMPLIANCE[:4], "SNCA verdicts")


def _overview(tables: Tables) -> Section:
    grids = []
    if "snca_summary" in tables:
        grids = [
            result_grid(tables, "snca_summary", SUMMARY),
            result_grid(
                tables, "snca_summary", BY_TYPE, "SNCS by type of the stated policy", interval=False
            ),
        ]
    words = (
        *results_in_words(tables),
        *missing_in_words(tables),
        *MEASURED,
        *judges_in_words(tables),
        *caution_in_words(tables),
    )
    return Section("snca", "Does it keep its own rules? SNCA", words, (), tuple(grids))


def _categories(tables: Tables) -> Section | None:
    if "snca_by_category" not in tables:
        return None
    columns = (
        text("Category", "category"),
        text("Stated policy", "rule_type"),
        number("SNCS", "sncs"),
        number("Lenient", "sncs_lenient"),
        count("As predicted", "n_matched"),
        count("Of", "n_scoreable"),
        count("Items", "n_items"),
    )
    return Section(
        "snca-categories",
        "SNCA: consistency by category",
        (
            "A dash: nothing to score, because the policy is Opaque or was not typed, or because "
            "no item of the category has both a prediction and a label. Few items carry no firm "
            "statement about a category: look at the interval.",
        ),
        ("snca_categories",),
        (result_grid(tables, "snca_by_category", columns),),
    )


def _types(tables: Tables) -> Section | None:
    if "snca_policies" not in tables:
        return None
    paragraphs = [
        "What each model states, as the judge types it. Confidence is the judge's own, from 0 to "
        "100. By its own answers: the type that the model's multiple-choice answers alone would "
        "give. The predicate is the judge's short form of the rule.",
    ]
    if "snca_type_summary" in tables:
        paragraphs += [
            _agreement_words(row) for row in tables["snca_type_summary"].to_dict("records")
        ]
    agreement = (
        share("Same type", "agreement"),
        number("Kappa", "kappa"),
        count("Categories", "n"),
        count("Typed for one", "n_unpaired"),
    )
    policies = (
        text("Category", "category"),
        text("Stated policy", "rule_type"),
        text("Judge's label", "judge_type"),
        count("Confidence", "confidence"),
        text("By its own answers", "regular_type"),
        Column("Predicate", ("predicate",), _shortened, numeric=False),
    )
    unanimous = (
        text("Stated policy", "rule_type"),
        count("Types", "n_types"),
        count("Models", "n_models"),
        Column("Unanimous", ("unanimous",), _yes_no, numeric=False),
    )
    grids = [type_counts(tables)]
    if "snca_type_pairs" in tables:
        pairs = tables["snca_type_pairs"].rename(columns={"model_a": "model"})
        columns = (text("B", "model_b"), *agreement)
        grids.append(
            result_grid(
                tables, "snca_type_pairs", columns, "Models in pairs", first="A", table=pairs
            )
        )
        by_category = tables["snca_type_agreement"].rename(columns={"category": "model"})
        grids.append(
            result_grid(
                tables,
                "snca_type_agreement",
                unanimous,
                "Agreement by category",
                first="Category",
                table=by_category,
            )
        )
    grids.append(result_grid(tables, "snca_policies", policies, "Every stated policy"))
    return Section(
        "snca-types",
        "SNCA: what the models state",
        tuple(paragraphs),
        ("snca_rule_types",),
        tuple(grids),
    )


BUILDERS: Final = (
    _overview,
    _categories,
    _types,
    snca_details.violations,
    snca_details.refusals,
    snca_details.compliance,
    snca_details.published,
)
"""The sections in order; one that gives None has no data."""


def _agreement_words(row: dict[Hashable, Any]) -> str:
    how = f"Elicited {row['elicitation']}: o" if "elicitation" in row else "O"
    if not row["n_categories"]:
        return f"{how}f no category are the policies of all {row['n_models']} models typed."
    return (
        f"{how}f {row['n_categories']} categories typed for each of {row['n_models']} models, "
        f"{row['n_unanimous']} ({percent(row['share_unanimous'])}) have one type in all of them; "
        f"two models agree on {percent(row['mean_pairwise'])} of the categories, as the mean over "
        "pairs."
    )


def _shortened(value: Any) -> str:
    words = text("", "").show(value) or MISSING
    return words if len(words) <= PREDICATE_CHARS else f"{words[:PREDICATE_CHARS]} ..."


def _yes_no(value: Any) -> str:
    return MISSING if pd.isna(value) else ("yes" if value else "no")
