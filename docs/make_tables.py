"""Write docs/tables.md from the declarations of the tables: `python docs/make_tables.py`."""

from collections.abc import Iterable
from pathlib import Path

from negation_evals.analysis.common.tables import Table
from negation_evals.analysis.framing import tables as framing
from negation_evals.analysis.nubench import tables as nubench
from negation_evals.analysis.snca import tables as snca

PAGE = Path(__file__).with_name("tables.md")

HEAD = """# The tables

<!-- Written by docs/make_tables.py from negation_evals/analysis/*/tables: change it there. -->

Every table is a pandas DataFrame with the columns below; unknown extra columns pass through. Each
public function of `negation_evals.analysis` takes tables and returns a table, touches no file and
prints nothing. Missing numbers are NaN (in `results.json`: null), never 0.

`negation-evals report` writes each table of a report as `tables/NAME.csv` and into `results.json`.

**What one row of a result stands for.** A model under one set of settings. The settings are
{settings}. A result carries those settings that vary within the table it was made from, and groups
by them: a run at T = 0 is never pooled with one at T = 0.7. Below, `<keys>` stands for `model`,
what the models file says about it ({described}, one value for each model), and those settings;
`<other keys>` for these without `model`; `<settings>` for those settings alone.

**What a statistic over several models groups by.** Written `<shared>` below: what was asked
({asked}), where it varies; and how a model was run ({run}) only where it varies within some model.
Providers and reasoning models dictate some of the latter, and grouping by a setting that differs
between models alone would leave each model by itself. Two results of one model always differ in
one of `<shared>`, so they are never pooled; the report's appendix names what was."""

READING = """**Edited scores.** The value of a score counts, as in the log's own metrics: after
`edit_score`, `endorsed` is the new value and `decision` what follows from it; a value that is
neither 0 nor 1, or an unknown status, leaves the sample unscored. Both are counted in the report's
notes. Of scores that `inspect score --action append` added, the newest counts.

**Which logs count.** Logs with the same task id are one run and its retries: of overlapping rows
the later valid one wins. Of different runs with the same settings the one with the most planned
samples (of an unfinished run: finished ones) counts, of equals the latest, scenario by scenario, so
that an audit split by domain adds up; `runs="all"` pools them as further epochs. Unfinished logs
contribute their finished samples. Scenario data of different content are kept apart unless
`pool_data=True`. In a folder, a corrupt file, a log of another task and a foreign file are named
and left out; named by itself, a file that cannot be read is an error, and so is a source without
any usable log.

`decisions.attrs["report"]` is a dict: `sources` (one entry per log that contributed: source, model,
status, planned, read, used), `left_out` (source, rows, reason) and `warnings`."""

NUBENCH = """`<keys>` are `model`, what the models file says of it, `shots`, `instructions`,
`format` and `seed`, and those of the other settings that vary."""

SNCA = """A result here is a model and, where policies were elicited in several ways (anchored or
not, other wording), an elicitation: `<result>` stands for `model` and then `elicitation`, if it
varies. The column `variant` is the item's, not the model's. No table holds a prompt or a
reply. A table whose inputs are missing is left out.

Where a model was audited under several settings (temperature, solver, generation, version, first
stage), the report shows the one with the most categories or items, of equals the latest, and names
the rest. Match records that contradict each other do not count, and are named."""


def page() -> str:
    """The whole page."""
    settings = [column.name for column in framing.SETTINGS]
    run = ["temperature", "structured", "generation"]
    head = HEAD.format(
        settings=_listed(settings),
        described=_listed(["origin", "size_tier", "family", "variant"]),
        asked=_listed(name for name in settings if name not in run),
        run=_listed(run),
    )
    parts = [
        head,
        "## Framing",
        *_sections(framing.READ),
        READING,
        *_sections((*framing.TABLES, *framing.PUBLISHED, *framing.OTHERS)),
        "## NUBench",
        NUBENCH,
        *_sections((*nubench.READ, *nubench.TABLES)),
        "## SNCA",
        SNCA,
        *_sections((*snca.READ, *snca.TABLES, *snca.OTHERS)),
    ]
    return "\n\n".join(parts) + "\n"


def _sections(tables: Iterable[Table]) -> list[str]:
    return [table.markdown() for table in tables]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
