"""What the package costs, as ratios within one run (absolute times mean nothing elsewhere).

(a) CPU time of `negation_framing` against a bare Inspect task of equal size on the same instant
    mock model: median over interleaved pairs, imports left out.
(b) CPU time of `read_decisions` against `samples_df` with its default columns and against a bare
    read of the sample summaries, on 26 logs of 1,680 samples written from one template.

    python benchmarks/overhead.py task
    python benchmarks/overhead.py read

The logs of (b) take some minutes to write; they are kept in the user's cache.
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
import platformdirs
from inspect_ai import Task
from inspect_ai import eval as run_eval
from inspect_ai.analysis import samples_df
from inspect_ai.log import (
    EvalLog,
    read_eval_log,
    read_eval_log_sample_summaries,
    write_eval_log,
)
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import generate

import negation_evals._registry  # noqa: F401 (registers the simulated respondents)
from negation_evals import negation_framing
from negation_evals.analysis import read_decisions

MODELS = 26
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


def template_logs() -> Path:
    """26 logs of one simulated audit under 26 model names, written once."""
    folder = Path(platformdirs.user_cache_dir("negation_evals")) / "benchmark-logs"
    folder.mkdir(parents=True, exist_ok=True)
    if len(list(folder.glob("*.eval"))) == MODELS:
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
    for number in range(MODELS):
        name = f"simulated/model-{number:02d}"
        write_eval_log(renamed(template, name, number), str(folder / f"{number:02d}.eval"))
        print(f"wrote {number + 1} of {MODELS} logs", file=sys.stderr, flush=True)
    return folder


def renamed(template: EvalLog, model: str, number: int) -> EvalLog:
    """The template under another model's name, with identities of its own."""
    log = template.model_copy()
    log.eval = template.eval.model_copy(
        update={"model": model, "task_id": f"task{number}", "eval_id": f"eval{number}"}
    )
    log.samples = [
        sample.model_copy(update={"uuid": f"{number}-{sample.uuid}"})
        for sample in template.samples or []
    ]
    return log


if __name__ == "__main__":
    main()
