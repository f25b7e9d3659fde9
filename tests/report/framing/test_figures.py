"""The figures: drawn for any data, the same every time, legible, and safe from names."""

import gc
import warnings
from collections.abc import Iterator

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from helpers.figures import assert_apart, assert_labels_apart
from helpers.framing import decisions_from_counts
from helpers.report import choice_tables, report_tables
from matplotlib.figure import Figure
from matplotlib.text import Text
from rich.cells import cell_len

from negation_evals.framing.frames import load_frames
from negation_evals.report.figures.draw import draw_figures
from negation_evals.report.figures.style import SMALL, WIDTH, png_bytes, style, svg_text
from negation_evals.report.figures.text import printable, wrap
from negation_evals.report.framing.figures import FIGURES
from negation_evals.report.nubench.figures import FIGURES as NUBENCH_FIGURES
from negation_evals.report.snca.figures import FIGURES as SNCA_FIGURES
from negation_evals.schema.framing import ALIGNMENT_FIELDS
from negation_evals.schema.nubench import OptionType

Tables = dict[str, pd.DataFrame]

ORIGINS = ("US", "CN", "OSS")
TIERS = ("TINY", "SMALL", "MEDIUM", "LARGE")
HOSTILE = (
    "$\\frac{1}{0}$ <script>alert(1)</script> & --> %s {0}",
    "模型/通义千问-百亿参数-指令微调版-" + "长" * 40,
    "نموذج/كبير-جدا",
    "W" * 60,
    "a" * 300,
    "several\nlines\tand\x00controls\x1b[0m",
    "🤖/emoji-👩‍💻",
    " ",
)


def audit(
    models: list[str], scenarios: str | list[str] = "abc", n: int = 3, seed: int = 0
) -> pd.DataFrame:
    """Decisions of models with random rates, and everything that a figure can show."""
    rng = np.random.default_rng(seed)
    parts = [
        decisions_from_counts({s: list(rng.integers(0, n + 1, 4)) for s in scenarios}, n, model)
        for model in models
    ]
    table = pd.concat(parts, ignore_index=True)
    number = table["model"].map({model: i for i, model in enumerate(models)})
    agree = (table["endorsed"] == 1) ^ table["negated"]
    table = table.assign(
        domain=table["scenario"].map(lambda name: f"domain of {name}"),
        origin=number.map(lambda i: ORIGINS[i % 3]),
        size_tier=number.map(lambda i: TIERS[i % 4]),
        decision=np.where(agree, "agree", "disagree"),
        confidence=rng.uniform(50, 100, len(table)),
        order_shown="agree_first",
    )
    return table.assign(**{name: rng.uniform(0, 100, len(table)) for name in ALIGNMENT_FIELDS})


def invalid(table: pd.DataFrame, rows: "pd.Series[bool]") -> pd.DataFrame:
    """The same decisions, some of them malformed."""
    lost = {"decision": None, "endorsed": np.nan, "confidence": np.nan}
    lost |= dict.fromkeys(ALIGNMENT_FIELDS, np.nan)
    kept = table.assign(status=table["status"].mask(rows, "malformed"))
    return kept.assign(**{name: kept[name].mask(rows, value) for name, value in lost.items()})


@pytest.fixture(scope="module", autouse=True)
def _quick_collection() -> Iterator[None]:
    """Keep what is loaded out of garbage collection, which statsmodels starts at every call."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(scope="module")
def rich() -> Tables:
    """Four models, two of them one family, under three settings."""
    settings = [(0.7, "standard"), (0.7, "reasoning"), (0.0, "standard")]
    models = ["p/one", "p/two", "p/fast", "p/slow"]
    parts = [
        audit(models, seed=seed).assign(temperature=t, condition=c)
        for seed, (t, c) in enumerate(settings)
    ]
    table = pd.concat(parts, ignore_index=True)
    variants = {"p/fast": "standard", "p/slow": "reasoning"}
    table["variant"] = table["model"].map(variants).fillna("unspecified")
    table["family"] = table["model"].where(~table["model"].isin(list(variants)), "p/family")
    return report_tables(table)


@pytest.fixture(scope="module")
def rich_figures(rich) -> dict[str, Figure]:
    return draw_figures(FIGURES, rich)


@pytest.fixture(scope="module")
def many() -> Tables:
    """26 models with names of 60 characters."""
    names = [f"provider/organisation/some-long-model-name-{i:02d}" for i in range(26)]
    return report_tables(audit([f"{name}{'-instruct' * 3}"[:60] for name in names], "ab", n=4))


def draw(name: str, tables: Tables) -> Figure:
    with mpl.rc_context(style()):
        (figure,) = [entry.draw(tables) for entry in FIGURES if entry.name == name]
    assert figure is not None
    return figure


def texts(figure: Figure) -> Iterator[Text]:
    """All text of a figure that is seen."""
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip():
            yield text


def test_every_figure_is_drawn_and_has_a_caption(rich_figures) -> None:
    assert list(rich_figures) == [entry.name for entry in FIGURES]
    every = [*FIGURES, *NUBENCH_FIGURES, *SNCA_FIGURES]
    assert len({entry.name for entry in every}) == len(every)
    for entry in every:
        assert entry.caption.endswith(".")
        assert "—" not in entry.caption
    for figure in rich_figures.values():
        assert figure.get_figwidth() == WIDTH
        assert min(text.get_fontsize() for text in texts(figure)) >= SMALL
        assert not any("nan" in text.get_text() for text in texts(figure))


def test_no_panel_mixes_settings(rich_figures) -> None:
    """Three settings: three panels, in the same order everywhere, or a row for each result."""
    expected = ["standard, T=0", "standard, T=0.7", "reasoning, T=0.7"]
    titles = {
        name: [axes.get_title("left") for axes in figure.axes]
        for name, figure in rich_figures.items()
    }
    facets = ["endorsement_by_origin", "agreement_by_frame", "scenarios", "confidence", "size_tier"]
    for name in [*facets, "distribution", "compliance", "profile_origin", "profile_size_tier"]:
        assert titles[name] == expected
    # At T=0 no model was asked to reason: there is no pair of conditions.
    assert titles["profile_condition"] == ["T=0.7"]
    rows = rich_figures["alignment_by_frame"].axes[::4]
    assert [axes.get_ylabel() for axes in rows] == expected
    for name in ("ranking", "pairs", "acquiescence"):
        assert len(rich_figures[name].axes[0].get_yticklabels()) == 4 * 3


@pytest.mark.parametrize("name", ["ranking", "model_by_domain", "compliance"])
def test_the_same_tables_give_the_same_files(name, rich) -> None:
    one, two = draw(name, rich), draw(name, rich)
    assert svg_text(one) == svg_text(two)
    assert svg_text(one) == svg_text(one)
    assert png_bytes(one) == png_bytes(two)
    assert "<dc:date>" not in svg_text(one)


def test_a_lone_model_is_not_compared() -> None:
    assert list(draw_figures(FIGURES, report_tables(audit(["m"])))) == [
        "ranking",
        "model_by_domain",
        "model_by_scenario",
        "endorsement_by_origin",
        "scenarios",
        "confidence",
        "distribution",
        "alignment_by_frame",
        "alignment_by_scenario",
        "pairs",
        "acquiescence",
    ]


def test_what_is_not_known_is_not_drawn() -> None:
    table = audit(["m", "n"]).assign(size_tier="unspecified", confidence=np.nan)
    table = table.assign(**dict.fromkeys(ALIGNMENT_FIELDS, np.nan))
    drawn = set(draw_figures(FIGURES, report_tables(table)))
    assert {"ranking", "agreement_by_frame", "compliance", "profile_origin"} <= drawn
    assert not drawn & {"confidence", "size_tier", "profile_size_tier", "profile_condition"}
    assert not drawn & {"reasoning", "temperature", "alignment_by_frame", "alignment_by_scenario"}


def test_nothing_valid_gives_no_figure() -> None:
    table = audit(["m", "n"])
    assert draw_figures(FIGURES, report_tables(invalid(table, table["status"] == "valid"))) == {}


def test_excluded_results_stand_below_the_scale() -> None:
    table = audit(["m", "n", "o"], n=5)
    tables = report_tables(invalid(table, (table["model"] == "o") & (table["epoch"] > 2)), 0.9)
    assert list(tables["excluded"]["model"]) == ["o"]
    (axes,) = draw("compliance", tables).axes
    assert "no NSI" in [tick.get_text() for tick in axes.get_yticklabels()]
    assert "o" in [text.get_text() for text in axes.texts]


def test_missing_frames_leave_gaps() -> None:
    table = audit(["m", "n"], n=5)
    gone = (table["model"] == "m") & (table["scenario"] == "a") & (table["frame"] == "F3")
    tables = report_tables(invalid(table, gone))
    numbers = [text.get_text() for text in draw("model_by_scenario", tables).axes[0].texts]
    assert sorted(n for n in numbers if n not in ORIGINS) == sorted(
        f"{value:.2f}" for value in tables["nsi"]["nsi"].dropna()
    )
    assert len(numbers) == 5 + 2


def test_all_eight_frames_fit_and_pairs_name_theirs() -> None:
    frames = load_frames()
    assert len(frames) == 8
    parts = [
        audit(["m", "n"], "abc", n=4, seed=seed)
        .query("frame == 'F0'")
        .assign(frame=name, negated=frame.negated, frames=",".join(frames))
        for seed, (name, frame) in enumerate(frames.items())
    ]
    table = pd.concat(parts, ignore_index=True)
    agree = (table["endorsed"] == 1) ^ table["negated"]
    table["decision"] = np.where(agree, "agree", "disagree")
    figures = draw_figures(FIGURES, report_tables(table))
    for name in ("endorsement_by_origin", "agreement_by_frame", "alignment_by_frame", "pairs"):
        assert_labels_apart(figures[name])
    for name in ("pairs", "acquiescence"):
        labels = [text.get_text() for text in figures[name].legends[0].get_texts()]
        assert labels[-3:] == [
            "simple pair (F0, F1)",
            "compound pair (F2, F3)",
            "refusal pair (not_refuse, refuse)",
        ]


def test_names_are_data() -> None:
    """Neither formulas, nor control characters, nor scripts without a font warn or break."""
    table = audit(list(HOSTILE), [f"scenario of {HOSTILE[1]}", "b"], n=2)
    odd = {HOSTILE[1]: HOSTILE[1], HOSTILE[4]: HOSTILE[4]}
    table["origin"] = table["model"].map(odd).fillna("US")
    table["size_tier"] = table["model"].map(odd).fillna(HOSTILE[0])
    tables = report_tables(table)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for figure in draw_figures(FIGURES, tables).values():
            svg = svg_text(figure)
            assert "<script" not in svg
            assert "\x1b" not in svg
        assert png_bytes(figure).startswith(b"\x89PNG")


def many_choices() -> Tables:
    """NUBench results of 26 models with names of 60 characters."""
    rng = np.random.default_rng(0)
    names = [f"provider/organisation/some-long-model-name-{i:02d}-instruct-x" for i in range(26)]
    rows = pd.DataFrame([(name, item) for name in names for item in range(16)])
    rows.columns = ["model", "item"]
    chosen = rng.choice([kind.value for kind in OptionType], len(rows))
    local_types = np.array(["relative clause", "compound sentence", "adverbial clause", "other"])
    return choice_tables(
        rows.assign(
            page=rows["item"] // 2,
            local_type=local_types[rows["item"] % 4],
            n_options=4,
            right="A",
            letter="B",
            chosen=chosen,
            correct=(chosen == OptionType.STANDARD).astype(float),
            correct_per_token=np.nan,
            status="valid",
            shots=0,
            instructions="definition",
            format="option",
            seed=1,
            data_hash="x",
        )
    )


def test_labels_keep_apart(rich_figures, many) -> None:
    choices = draw_figures(NUBENCH_FIGURES, many_choices())
    assert list(choices) == [entry.name for entry in NUBENCH_FIGURES]
    for figure in [
        *rich_figures.values(),
        *draw_figures(FIGURES, many).values(),
        *choices.values(),
    ]:
        assert_labels_apart(figure)


def test_outliers_are_named_without_overlap(many) -> None:
    rng = np.random.default_rng(0)
    ranking = many["ranking"].assign(compliance=rng.uniform(0.5, 1, 26))
    (axes,) = draw("compliance", many | {"ranking": ranking}).axes
    names = [text.get_window_extent() for text in axes.texts]
    assert len(names) > 5
    assert_apart(names)
    points = axes.transData.transform(ranking[["compliance", "nsi"]].to_numpy(float))
    for name in names:
        assert not any(name.contains(x, y) for x, y in points)


def test_a_figure_of_thousands_of_rows_is_drawn_coarser() -> None:
    figure = Figure(figsize=(1, 400))
    assert int.from_bytes(png_bytes(figure)[20:24]) == pytest.approx(60_000, abs=1)


def test_wrap() -> None:
    assert wrap("short") == "short"
    assert wrap("provider/some-model-name", 14) == "provider/some-\nmodel-name"
    assert wrap("x" * 25, 10) == "x" * 10 + "\n" + "x" * 10 + "\n" + "x" * 5
    assert wrap("x" * 25, 10, lines=2) == "x" * 10 + "\n" + "x" * 6 + " ..."
    assert wrap("") == ""
    for text in HOSTILE:
        assert all(cell_len(line) <= 12 for line in wrap(text, 12).split("\n"))


def test_printable() -> None:
    assert printable("a\nb\x00\tc") == "a b c"
    assert printable("é Ж α") == "é Ж α"
    assert printable("\U000e0100x") in {"x", "\\U000e0100x"}
    assert printable("\U0002fa1d") in {"\U0002fa1d", "\\U0002fa1d"}
