"""CPU time of reading and analysing NUBench logs against `samples_df`, as a ratio within one run.

20 logs of 1,261 items (5 seeds x 4 shot settings, 25,220 samples), written from one template in
which a simulated test taker answers copies of the built-in items. The logs are kept in the user's
cache.

    python benchmarks/choices.py
"""

import json
import resource
import statistics
import sys
import tempfile
from pathlib import Path

import click
import pandas as pd
import platformdirs
from inspect_ai import eval as run_eval
from inspect_ai.analysis import samples_df
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from overhead import cpu_time

import negation_evals._registry  # noqa: F401 (registers the simulated test takers)
from negation_evals import nubench
from negation_evals.analysis import read_choices
from negation_evals.files.bundled import dataset_path
from negation_evals.report import read
from negation_evals.report.family import ReportOptions
from negation_evals.report.nubench.family import NUBENCH
from negation_evals.schema.nubench import NubenchKey

ITEMS = 1261
SHOTS = (0, 1, 5, 10)
SEEDS = (1, 2, 3, 4, 5)


@click.command()
@click.option("--repeats", default=3, show_default=True)
def main(repeats: int) -> None:
    """Reading and all tables of the section against samples_df."""
    logs = sorted(map(str, template_logs().glob("*.eval")))
    times: dict[str, list[float]] = {"tables": [], "samples_df": []}
    NUBENCH.tables(read(logs[:1]), ReportOptions()), samples_df(logs[:1], quiet=True)
    for number in range(repeats):
        times["tables"].append(cpu_time(lambda: NUBENCH.tables(read(logs), ReportOptions())))
        if number == 0:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        times["samples_df"].append(cpu_time(lambda: samples_df(logs, quiet=True)))
        print({name: round(values[-1], 2) for name, values in times.items()}, flush=True)
    median = {name: statistics.median(values) for name, values in times.items()}
    result = {
        "logs": len(logs),
        "rows": len(read_choices(logs)),
        "to_samples_df": round(median["tables"] / median["samples_df"], 3),
        "bound": 0.5,
        "peak_mib_after_first": round(peak),
    }
    print(json.dumps(result))


def template_logs() -> Path:
    """The logs, written once."""
    folder = Path(platformdirs.user_cache_dir("negation_evals")) / "benchmark-logs-nubench"
    folder.mkdir(parents=True, exist_ok=True)
    settings = [(shots, seed) for shots in SHOTS for seed in SEEDS]
    if len(list(folder.glob("*.eval"))) == len(settings):
        return folder
    template = template_log()
    for number, (shots, seed) in enumerate(settings, start=1):
        write_eval_log(under(template, number, shots, seed), str(folder / f"{number:02d}.eval"))
        print(f"wrote {number} of {len(settings)} logs", file=sys.stderr, flush=True)
    return folder


def template_log() -> EvalLog:
    """A test taker's answers to as many items as the paper has, copies of the built-in ones."""
    own = pd.read_csv(dataset_path("nubench_test.csv"), dtype=str, keep_default_na=False)
    items = pd.concat([own] * (ITEMS // len(own) + 1), ignore_index=True)[:ITEMS]
    items["index"] = range(1, ITEMS + 1)
    items["wikipedia_index"] = items.index // 2
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "items.csv"
        items.to_csv(path, index=False)
        (log,) = run_eval(
            nubench(str(path)), model="simulated/shortest", log_dir=scratch, display="none"
        )
        return read_eval_log(log.location)


def under(template: EvalLog, number: int, shots: int, seed: int) -> EvalLog:
    """The template as a run of its own under other settings."""
    metadata = (template.eval.metadata or {}) | {
        NubenchKey.SHOTS: shots,
        NubenchKey.SHUFFLE_SEED: seed,
    }
    update = {"metadata": metadata, "task_id": f"task{number}", "eval_id": f"eval{number}"}
    return template.model_copy(update={"eval": template.eval.model_copy(update=update)})


if __name__ == "__main__":
    main()
