"""The 26 respondents of the benchmark: centred as published, the same through Inspect as alone."""

import numpy as np
import pandas as pd
from helpers.report import report_tables
from inspect_ai import eval as run_eval
from inspect_ai.model import get_model
from respondents import EXCLUDED, SOURCE, published_decisions, published_respondents

from negation_evals import negation_framing
from negation_evals.analysis import endorsement_by_group, endorsement_rates, nsi, read_decisions
from negation_evals.files.bundled import dataset_path
from negation_evals.framing.scenarios import load_scenarios


def test_they_are_centred_on_the_published_rates(tmp_path) -> None:
    path = tmp_path / "published.parquet"
    published_decisions(epochs=10).to_parquet(path)
    decisions = read_decisions(path)
    assert len(published_respondents()) == 26
    assert len(decisions) == 26 * 14 * 4 * 10
    found = endorsement_by_group(endorsement_rates(decisions), "origin", resamples=10)
    printed = pd.read_csv(dataset_path("published_endorsement.csv"), dtype={"source": str})
    printed = printed[printed["source"] == SOURCE]
    both = found.merge(printed, on=["origin", "frame"], suffixes=("", "_printed"))
    assert len(both) == 12
    # Eight models with rates spread by 0.06, and the spread over scenarios pulls towards 1/2.
    assert (both["rate"] - both["rate_printed"]).abs().max() < 0.09
    tables = report_tables(decisions, min_compliance=0.7)
    assert {m.removeprefix("simulated/") for m in tables["excluded"]["model"]} == set(EXCLUDED)
    assert len(tables["ranking"]) == 23
    assert list(tables["group_tests"]["by"]) == ["origin", "size_tier"]


def test_an_audit_through_inspect_agrees_with_the_respondents_themselves(tmp_path) -> None:
    models = ["simulated/llama3.2:1b", "simulated/gpt-5.2"]
    respondents = published_respondents()
    for model in models:
        one = respondents[model]
        arguments = {"p": one.p, "share": one.share, "seed": one.seed, "spread": one.spread}
        (log,) = run_eval(
            negation_framing(domains="medical,legal"),
            model=get_model("simulated/framed", memoize=False, **arguments),
            epochs=3,
            log_dir=str(tmp_path / "logs"),
        )
        audited = read_decisions(log.location)
        alone = published_decisions(epochs=3)
        domains = {s.id: s.domain for s in load_scenarios("sff").scenarios}
        chosen = alone["scenario"].map(domains).isin(["medical", "legal"])
        alone = alone[(alone["model"] == model) & chosen]
        alone.to_parquet(tmp_path / "alone.parquet")
        expected = read_decisions(tmp_path / "alone.parquet")
        keys = ["scenario", "frame", "epoch"]
        both = audited.merge(expected, on=keys, suffixes=("", "_alone"))
        assert len(both) == len(audited) == 4 * 4 * 3
        assert (both["status"] == both["status_alone"]).all()
        np.testing.assert_array_equal(both["endorsed"], both["endorsed_alone"])
        np.testing.assert_allclose(nsi(audited)["nsi"], nsi(expected)["nsi"])
