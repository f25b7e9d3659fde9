"""The papers' values beside one's own."""

from negation_evals.report.documents.grids import number, text
from negation_evals.report.documents.sections import Section
from negation_evals.report.figures.figure import Tables
from negation_evals.report.framing.grids import result_grid, settings_grid


def published(tables: Tables) -> Section:
    """The papers' values beside one's own."""
    title = "Published values"
    if "published_nsi" not in tables:
        return Section("published", title, left_out="not asked for (--published)")
    models = tables["published_nsi"]
    paragraphs = [
        "Own values beside those that arXiv:2601.21433 and arXiv:2601.09724 print. The papers' "
        "prompts are not ours to the letter and their models have changed since, so a difference "
        "is no error of either (docs/replication-notes.md)."
    ]
    if not len(models):
        paragraphs.append("None of the models audited here has a published value of its own name.")
    return Section(
        "published",
        title,
        paragraphs,
        [],
        [
            result_grid(
                models,
                (
                    number("NSI", "nsi"),
                    text("Paper", "source"),
                    text("Its name", "published_model"),
                    number("Its NSI", "published_nsi"),
                ),
                source="published_nsi",
            ),
            settings_grid(
                tables["published_endorsement"],
                (
                    text("Origin", "origin"),
                    text("Frame", "frame"),
                    number("Endorsement", "rate"),
                    text("Paper", "source"),
                    number("Its endorsement", "published_rate"),
                ),
                title="Endorsement by origin and frame",
                source="published_endorsement",
            ),
            settings_grid(
                tables["published_domain_nsi"],
                (
                    text("Domain", "domain"),
                    number("NSI", "nsi"),
                    text("Paper", "source"),
                    number("Its NSI", "published_nsi"),
                ),
                title="NSI by domain",
                source="published_domain_nsi",
            ),
        ],
    )
