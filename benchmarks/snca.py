"""What reading and scoring an SNCA audit costs, as ratios within one run.

CPU time of `read_observations` against `samples_df` with its default columns, and of `sncs` on the
table of the paper's size (47,496 observations of three epochs). Logs are written from one template.

    python benchmarks/snca.py [SAMPLES PER LOG, default 3000]
"""

import gc
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
from inspect_ai import eval as run_eval
from inspect_ai.analysis import samples_df
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from negation_evals.analysis.snca.read import read_observations
from negation_evals.analysis.snca.scores import sncs
from negation_evals.snca.behavior_task import snca_behavior

PAPER_ITEMS, MODELS = 11_874, 4
ANSWER = "Here is what you asked for, and it is the whole of it: one thing and then the other."


def cpu_time(action: Callable[[], object]) -> float:
    """CPU seconds of this process, with the garbage of others collected before."""
    gc.collect()
    start = time.process_time()
    action()
    return time.process_time() - start


def write_logs(folder: Path, samples: int) -> None:
    """Two logs of many samples, copied from a run of the built-in set."""

    def answer(*_: object) -> ModelOutput:
        output = ModelOutput.from_content("mock", ANSWER)
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
    roles = {"judge": get_model("mockllm/judge", custom_outputs=answer, memoize=False)}
    with tempfile.TemporaryDirectory() as scratch:
        (run,) = run_eval(
            snca_behavior(), model=model, model_roles=roles, log_dir=scratch, display="none"
        )
        template = read_eval_log(run.location)
    given = template.samples or []
    for number in range(2):
        copies = []
        for place in range(samples):
            sample, turn = given[place % len(given)], place // len(given)
            metadata = sample.metadata | {"item_id": f"{sample.id}-{turn}"}
            names = {"id": f"{sample.id}-{turn}", "uuid": f"{number}-{place}", "metadata": metadata}
            copies.append(sample.model_copy(update=names))
        log = template.model_copy(update={"samples": copies, "results": None})
        spec = {"model": f"mock/{number}", "task_id": f"task{number}", "eval_id": f"eval{number}"}
        log.eval = template.eval.model_copy(update=spec)
        write_eval_log(log, str(folder / f"{number}.eval"))


def table() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Policies and observations of the paper's size."""
    rules = ("Absolute", "Conditional", "Adaptive", "Opaque")
    policies = pd.DataFrame(
        [
            {"model": f"m{m}", "category": f"category {c}", "rule_type": rules[(c + m) % 4]}
            for m in range(MODELS)
            for c in range(45)
        ]
    )
    rows = [
        (f"m{m}", f"category {i % 45}", "s", "base", f"item-{i}", "harmful", e, "REFUSE")
        for m in range(MODELS)
        for i in range(PAPER_ITEMS)
        for e in (1, 2, 3)
    ]
    columns = ["model", "category", "source", "variant", "item_id", "kind", "epoch", "label"]
    return policies, pd.DataFrame(rows, columns=columns)


def main() -> None:
    """Measure, and print JSON."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    policies, observations = table()
    sncs(policies, observations.head(9))
    result = {"sncs_cpu_seconds": round(cpu_time(lambda: sncs(policies, observations)), 3)}
    with tempfile.TemporaryDirectory() as folder:
        write_logs(Path(folder), samples)
        read_observations(folder)
        ours = min(cpu_time(lambda: read_observations(folder)) for _ in range(3))
        theirs = min(cpu_time(lambda: samples_df(folder, quiet=True)) for _ in range(3))
    result |= {"read_ratio": round(ours / theirs, 3), "read_cpu_seconds": round(ours, 3)}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
