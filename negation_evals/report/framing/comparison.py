"""Two audits compared, as tables for the terminal and as files."""

import json
from pathlib import Path
from typing import Final

from negation_evals._version import __version__
from negation_evals.analysis import Comparison
from negation_evals.errors import DataError
from negation_evals.files.write import write_files
from negation_evals.report.documents.formats import interval
from negation_evals.report.documents.grids import Column, Grid, grid, number, p_value, signed, text
from negation_evals.report.documents.html import json_records

SCHEMA_VERSION: Final = "1"


def comparison_tables(comparison: Comparison) -> list[Grid]:
    """One table per pair of results.

    Raises:
        DataError: the two audits have no result in common.
    """
    table = comparison.table
    if not len(table):
        raise DataError(
            "nothing to compare: the audits have no model with the same settings in common; "
            f"found {', '.join(comparison.unpaired) or 'no result'}"
        )
    tables = []
    for (a, b), rows in table.groupby(["result_a", "result_b"], sort=False):
        shown = rows.assign(
            measure=rows["measure"].str.replace("endorse ", "rate "),
            compared=[
                f"{n}/{n + left_out}"
                for n, left_out in zip(rows["n_scenarios"], rows["n_left_out"], strict=True)
            ],
        )
        tables.append(grid(shown, COLUMNS, title=f"{b} (B) minus {a} (A)"))
    return tables


COLUMNS: Final[tuple[Column, ...]] = (
    text("Measure", "measure"),
    number("A", "value_a"),
    number("B", "value_b"),
    number("Floor A", "floor_a"),
    number("Floor B", "floor_b"),
    signed("B - A", "difference"),
    Column("95 % interval", ("ci_low", "ci_high"), interval),
    p_value("p", "p_value"),
    p_value("p (Holm)", "p_adjusted"),
    Column("n/all", ("compared",), str),
)


def write_comparison(comparison: Comparison, out: Path) -> None:
    """Write `comparison.csv` and `comparison.json` into a folder, created if it does not exist.

    Raises:
        DataError: the folder cannot be written.
    """
    content = {
        "schema_version": SCHEMA_VERSION,
        "version": __version__,
        "comparison": json_records(comparison.table),
        "unpaired": list(comparison.unpaired),
        "warnings": list(comparison.warnings),
    }
    try:
        write_files(
            out,
            {
                "comparison.csv": comparison.table.to_csv(index=False, lineterminator="\n"),
                "comparison.json": json.dumps(content, indent=1, ensure_ascii=False) + "\n",
            },
        )
    except OSError as error:
        raise DataError(f"{out}: the comparison cannot be written: {error.strerror}") from error
