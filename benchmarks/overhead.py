"""What the package costs, as ratios within one run (absolute times mean nothing elsewhere).

(a) CPU time of `negation_framing` against a bare Inspect task of equal size on the same instant
    mock model: median over interleaved pairs, imports left out.
(b) CPU time of `read_decisions` against `samples_df` with its default columns and against a bare
    read of the sample summaries, on 26 logs of 1,680 samples written from one template.
(c) CPU time of reading the same logs and of all tables of the report, 10,000 bootstrap resamples
    included, against `samples_df`; figures and files apart.

    python benchmarks/overhead.py task
    python benchmarks/overhead.py read
    python benchmarks/overhead.py report

The logs of (b) and (c) hold the answers of `respondents.py`. They take some minutes to write and
are kept in the user's cache.
"""

import gc
import json
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import click
import pandas as pd
import platformdirs
from inspect_ai import Task
from inspect_ai import eval as run_eval
from inspect_ai.analysis import samples_df
from inspect_ai.log import (
    EvalLog,
    EvalSample,
    read_eval_log,
    read_eval_log_sample_summaries,
    write_eval_log,
)
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import generate
from respondents import published_respondents

import negation_evals._registry  # noqa: F401 (registers the simulated respondents)
from negation_evals import negation_framing
from negation_evals.analysis import read_decisions
from negation_evals.analysis.framing import permutation
from negation_evals.models.simulated.respondents import Respondent
from negation_evals.report import read as read_audits
from negation_evals.report.family import ReportOptions
from negation_evals.report.figures.draw import draw_figures
from negation_evals.report.figures.style import png_bytes, svg_text
from negation_evals.report.framing.family import FRAMING
from negation_evals.report.framing.figures import FIGURES
from negation_evals.schema.framing import SampleKey
from negation_evals.scorers.framing.decision import decision_score, validity_score
from negation_evals.scorers.framing.read_decision import read_decision

EPOCHS = 30


def cpu_time(action: Callable[[], object]) -> float:
    """CPU seconds of this process, all threads, with the garbage of others collected before."""
    gc.collect()
    start = time.process_time()
    action()
    return time.process_time() - start


def instant_mock() -> Model:
    def answer(*_: object) -> ModelOutput:
        output = ModelOutput.from_content("mock", '{"decision": "agree", "confidence": 70}')
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


def bare_task() -> Task:
    """The same samples, model call and settings with Inspect's own solver and scorer."""
    audit = negation_framing()
    return Task(dataset=audit.dataset, solver=generate(), scorer=includes(), config=audit.config)


@click.group()
def main() -> None:
    """Measure what the package costs."""


@main.command()
@click.option("--pairs", default=7, show_default=True)
@click.option("--epochs", default=5, show_default=True)
def task(pairs: int, epochs: int) -> None:
    """(a) Our task against a bare one."""
    ratios = []

    def run(make: Callable[[], Task]) -> float:
        with tempfile.TemporaryDirectory() as folder:
            return cpu_time(
                lambda: run_eval(
                    make(), model=instant_mock(), epochs=epochs, log_dir=folder, display="none"
                )
            )

    run(bare_task), run(negation_framing)  # imports and first-use costs
    for pair in range(pairs):
        order = [bare_task, negation_framing]
        times = {make: run(make) for make in (order if pair % 2 else order[::-1])}
        ratios.append(times[negation_framing] / times[bare_task])
        print(f"bare {times[bare_task]:.2f} s, ours {times[negation_framing]:.2f} s", flush=True)
    print(
        json.dumps(
            {
                "samples": 56 * epochs,
                "pairs": pairs,
                "median_ratio": round(statistics.median(ratios), 3),
                "ratios": [round(ratio, 3) for ratio in ratios],
                "bound": 1.10,
            }
        )
    )


@main.command()
@click.option("--repeats", default=3, show_default=True)
def read(repeats: int) -> None:
    """(b) Reading logs."""
    folder = template_logs()
    logs = sorted(map(str, folder.glob("*.eval")))
    readers: dict[str, Callable[[], object]] = {
        "read_decisions": lambda: read_decisions(logs),
        "summaries": lambda: [read_eval_log_sample_summaries(log) for log in logs],
        "samples_df": lambda: samples_df(logs, quiet=True),
    }
    times: dict[str, list[float]] = {name: [] for name in readers}
    read_decisions(logs[:1]), samples_df(logs[:1], quiet=True)
    for _ in range(repeats):
        for name, reader in readers.items():
            times[name].append(cpu_time(reader))
            if name == "read_decisions" and len(times[name]) == 1:
                peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"{name} {times[name][-1]:.2f} s", flush=True)
    median = {name: statistics.median(values) for name, values in times.items()}
    table = read_decisions(logs)
    print(
        json.dumps(
            {
                "logs": len(logs),
                "rows": len(table),
                "to_samples_df": round(median["read_decisions"] / median["samples_df"], 3),
                "to_summaries": round(median["read_decisions"] / median["summaries"], 3),
                "bounds": {"to_samples_df": 0.5, "to_summaries": 1.3},
                "table_mib": round(table.memory_usage(deep=True).sum() / 2**20, 1),
                "peak_mib_after_first_read": round(peak),
            }
        )
    )


@main.command()
@click.option("--repeats", default=3, show_default=True)
def report(repeats: int) -> None:
    """(c) Reading logs and all tables of the report."""
    folder = template_logs()
    logs = sorted(map(str, folder.glob("*.eval")))
    times: dict[str, list[float]] = {"tables": [], "samples_df": [], "figures": []}
    read_decisions(logs[:1]), samples_df(logs[:1], quiet=True)
    for number in range(repeats):
        permutation._all_permutations.cache_clear()  # Every repeat begins anew.
        times["tables"].append(cpu_time(lambda: FRAMING.tables(read_audits(logs), ReportOptions())))
        if number == 0:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        tables = FRAMING.tables(read_audits(logs), ReportOptions())
        times["figures"].append(cpu_time(lambda shown=tables: draw_all(shown)))
        times["samples_df"].append(cpu_time(lambda: samples_df(logs, quiet=True)))
        print({name: round(values[-1], 2) for name, values in times.items()}, flush=True)
    median = {name: statistics.median(values) for name, values in times.items()}
    print(
        json.dumps(
            {
                "logs": len(logs),
                "to_samples_df": round(median["tables"] / median["samples_df"], 3),
                "bound": 0.7,
                "figures_to_samples_df": round(median["figures"] / median["samples_df"], 3),
                "peak_mib_after_first": round(peak),
            }
        )
    )


def draw_all(tables: dict[str, pd.DataFrame]) -> None:
    """Every figure, as SVG and as PNG."""
    for figure in draw_figures(FIGURES, tables).values():
        svg_text(figure)
        png_bytes(figure)


def template_logs() -> Path:
    """26 logs of the published respondents, written once from one audit as a template."""
    folder = Path(platformdirs.user_cache_dir("negation_evals")) / "benchmark-logs-published"
    folder.mkdir(parents=True, exist_ok=True)
    respondents = published_respondents()
    if len(list(folder.glob("*.eval"))) == len(respondents):
        return folder
    with tempfile.TemporaryDirectory() as scratch:
        (run,) = run_eval(
            negation_framing(),
            model="simulated/mirror",
            epochs=EPOCHS,
            log_dir=scratch,
            display="none",
        )
        template = read_eval_log(run.location)
    for number, (model, respondent) in enumerate(respondents.items(), start=1):
        log = answered(template, model, respondent, number)
        write_eval_log(log, str(folder / f"{number:02d}.eval"))
        print(f"wrote {number} of {len(respondents)} logs", file=sys.stderr, flush=True)
    return folder


def answered(template: EvalLog, model: str, respondent: Respondent, number: int) -> EvalLog:
    """The template as another respondent's audit, with identities of its own.

    Answers and scores are the respondent's; what happened in between is the template's.
    """
    log = template.model_copy(update={"results": None})
    log.eval = template.eval.model_copy(
        update={"model": model, "task_id": f"task{number}", "eval_id": f"eval{number}"}
    )
    log.samples = [
        with_answer(sample, respondent, f"{number}-{sample.uuid}")
        for sample in template.samples or []
    ]
    return log


def with_answer(sample: EvalSample, respondent: Respondent, uuid: str) -> EvalSample:
    """A sample with the respondent's answer, scored as the task's scorers score it."""
    asked = sample.metadata
    negated = bool(asked[SampleKey.NEGATED])
    text = respondent.answer(
        asked[SampleKey.SCENARIO], asked[SampleKey.FRAME], negated, sample.epoch
    )
    reading = read_decision(text)
    scores = {
        "decision": decision_score(reading, text, negated),
        "validity": validity_score(reading, text),
    }
    output = ModelOutput.from_content(sample.output.model, text)
    return sample.model_copy(update={"uuid": uuid, "output": output, "scores": scores})


if __name__ == "__main__":
    main()
