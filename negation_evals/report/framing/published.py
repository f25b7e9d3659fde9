"""Published values of the two framing papers beside one's own."""

import re

import pandas as pd

from negation_evals.analysis.framing.columns import RESULTS
from negation_evals.analysis.framing.tables import PUBLISHED
from negation_evals.files.bundled import dataset_path
from negation_evals.files.rows import read_rows
from negation_evals.report.family import Tables


def published_tables(tables: Tables) -> Tables:
    """Own values joined with published ones.

    Args:
        tables: Those of `framing_tables`.

    Returns:
        `published_nsi`: own results whose model a paper names, with source, published_model,
        published_nsi, published_compliance; `published_endorsement`: origin, frame, rate, source,
        published_rate; `published_domain_nsi`: domain, nsi, source, published_nsi. Rows without a
        counterpart are left out.
    """
    ranking = tables["ranking"]
    own = ranking[[*RESULTS.carried_keys(ranking), "nsi"]].assign(
        name=ranking["model"].map(plain_name)
    )
    models = _read("published_nsi.csv", "nsi", "compliance").rename(
        columns={
            "model": "published_model",
            "nsi": "published_nsi",
            "compliance": "published_compliance",
        }
    )
    models["name"] = models["published_model"].map(plain_name)
    names = ["name", "source", "published_model", "published_nsi", "published_compliance"]
    matched = own.merge(models[names], on="name").drop(columns="name")

    by_origin = tables["endorsement_by_origin"]
    rates = _read("published_endorsement.csv", "rate").rename(columns={"rate": "published_rate"})
    keys = [*RESULTS.carried_settings(by_origin), "origin", "frame"]
    endorsement = by_origin[[*keys, "rate"]].merge(rates, on=["origin", "frame"])

    by_domain = tables["nsi_by_domain"]
    domains = _read("published_domain_nsi.csv", "nsi").rename(columns={"nsi": "published_nsi"})
    keys = [*RESULTS.carried_settings(by_domain), "domain"]
    nsi = by_domain[[*keys, "nsi"]].merge(domains.drop(columns="risk_level"), on="domain")
    return dict(zip((table.name for table in PUBLISHED), (matched, endorsement, nsi), strict=True))


def plain_name(model: str) -> str:
    """A model's name without provider, folders, date, `preview` and punctuation.

    Names that are equal so are taken for the same model; nothing else is guessed.
    """
    name = model.lower().rsplit("/", 1)[-1]
    name = re.sub(r"[-@]?(20\d{6}|20\d\d-\d\d-\d\d|preview|latest)\b", "", name)
    return re.sub(r"[^a-z0-9]", "", name)


def _read(name: str, *numbers: str) -> pd.DataFrame:
    rows = read_rows(dataset_path(name), keep_empty=True)
    return pd.DataFrame(rows).astype(dict.fromkeys(numbers, float))
