"""Phase 2: what does the model do? One sample per item, in a fresh conversation.

Nothing of Phase 1 is known here: neither the model's statements nor the names of the categories
reach a prompt.
"""

from logging import getLogger
from typing import Any, Final

import click
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import HeadlineMetric
from inspect_ai.model import ChatMessageSystem, GenerateConfig, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.viewer import (
    TaskSamplesColumn,
    TaskSamplesSort,
    TaskSamplesView,
    ViewerConfig,
)

from negation_evals._version import __version__
from negation_evals.errors import DataError
from negation_evals.schema.snca import BUILTIN_PROMPTS, REFUSAL_SCORER, SncaSample, SncaTask
from negation_evals.scorers.snca.judge import require_judge
from negation_evals.scorers.snca.prompts import load_prompts
from negation_evals.scorers.snca.read_refusal import ESCALATE_CHARS, SHORT_CHARS, ShortReply
from negation_evals.scorers.snca.refusal import refusal
from negation_evals.snca.items import Item, ItemSet
from negation_evals.snca.load import load_items
from negation_evals.snca.provider_filters import or_filtered
from negation_evals.task_arguments import FromZero, check_argument

logger = getLogger(__name__)

TASK_VERSION: Final = "1-A"
"""Comparability, then interface: a change of prompt, reading or data bumps the first."""
EPOCHS: Final = 3
TEMPERATURE: Final = 0.0
"""Both as in arXiv:2604.09189, Phase 2."""
MAX_TOKENS: Final = 2048
"""Room for a whole answer: a response that is cut is marked and counted apart."""


@task
def snca_behavior(
    items: str | list[str] = "builtin",
    variants: str | list[str] | None = None,
    mapping: str | None = None,
    short_reply: ShortReply = "escalate",
    short_chars: int = SHORT_CHARS,
    escalate_chars: int = ESCALATE_CHARS,
    prompts: str = BUILTIN_PROMPTS,
) -> Task:
    """Does the model refuse or comply? (arXiv:2604.09189, Phase 2).

    Each item in a fresh conversation under a neutral system message. Responses that the first tier
    cannot settle go to the model role `judge`, which must be bound.

    Args:
        items: `builtin`, `sorry_bench`, `sorry_bench_mutations`, `sorry_bench_202503`,
            `sorry_bench_202503_mutations`, `xstest`, `or_bench_hard`, each also with a revision
            (`xstest@main`) or a local file of the same columns (`xstest=prompts.csv`), or the path
            of a CSV, JSON, JSONL or Parquet file with category and prompt; or a list of these.
        variants: Only items of these variants, e.g. `slang,caesar`.
        mapping: A file in the place of the built-in mapping to the categories.
        short_reply: A reply under `short_chars` characters without a refusal phrase: `escalate` it
            to the judge, or REFUSE as in the `paper`, which mislabels short answers.
        short_chars: See `short_reply`.
        escalate_chars: With a refusal phrase, replies of at least so many characters go to the
            judge and shorter ones are REFUSE.
        prompts: `snca`, or a YAML file that replaces some or all prompts.

    Raises:
        click.UsageError: A value that names nothing, or data that cannot be loaded.
    """
    try:
        check_argument("short_reply", short_reply, ShortReply)
        check_argument("short_chars", short_chars, FromZero)
        check_argument("escalate_chars", escalate_chars, FromZero)
        check_argument("prompts", prompts, str)
        check_argument("mapping", mapping, str | None)
        wording = load_prompts(prompts)
        asked = load_items(items, variants, mapping)
    except DataError as error:
        raise click.UsageError(str(error)) from error
    report_left_out(asked)
    return Task(
        dataset=MemoryDataset([behavior_sample(item) for item in asked.items], name=asked.name),
        solver=answer_request(None if prompts == BUILTIN_PROMPTS else wording.behavior_system),
        scorer=refusal(
            short_reply,
            short_chars,
            escalate_chars,
            None if prompts == BUILTIN_PROMPTS else wording.behavior_judge,
        ),
        config=GenerateConfig(temperature=TEMPERATURE, max_tokens=MAX_TOKENS),
        epochs=EPOCHS,
        version=TASK_VERSION,
        headline_metric=HeadlineMetric(scorer=REFUSAL_SCORER, metric="refusal_rate"),
        viewer=behavior_viewer(),
        metadata={
            **data_metadata(asked),
            SncaTask.PHASE: "behavior",
            SncaTask.PROMPTS: prompts,
            SncaTask.PROMPTS_HASH: wording.sha256,
            SncaTask.SHORT_REPLY: short_reply,
            SncaTask.SHORT_CHARS: short_chars,
            SncaTask.ESCALATE_CHARS: escalate_chars,
        },
    )


def behavior_sample(item: Item) -> Sample:
    """One item; its kind decides later what the policy predicts, so the target is empty."""
    metadata: dict[str, Any] = {
        SncaSample.CATEGORY: item.category,
        SncaSample.KIND: str(item.kind),
        SncaSample.ITEM: item.item_id,
        SncaSample.SOURCE: item.source,
        SncaSample.VARIANT: item.variant,
    }
    if item.encoding:
        metadata[SncaSample.ENCODING] = item.encoding
    return Sample(id=item.sample_id, input=item.prompt, metadata=metadata)


@solver
def answer_request(system: str | None = None) -> Solver:
    """One answer to the item under the neutral system message.

    Args:
        system: The system message; default the built-in one.
    """
    system = load_prompts().behavior_system if system is None else system

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        # A missing judge is noticed before the model has been asked for anything.
        require_judge()
        state.messages.insert(0, ChatMessageSystem(content=system))
        state.output = await or_filtered(get_model().generate(state.messages), str(state.model))
        state.messages.append(state.output.message)
        return state

    return solve


def report_left_out(items: ItemSet) -> None:
    """Say what of the data does not count; the log says it too."""
    for line in items.left_out:
        logger.warning("%s", line)


def data_metadata(items: ItemSet) -> dict[str, object]:
    """What a log's header says about the items."""
    return {
        SncaTask.PACKAGE_VERSION: __version__,
        SncaTask.DATA: items.name,
        SncaTask.DATA_HASH: items.sha256,
        SncaTask.REVISIONS: dict(items.revisions),
        SncaTask.LEFT_OUT: list(items.left_out),
    }


def behavior_viewer() -> ViewerConfig:
    """The sample list of the log viewer. Responses may be harmful: shown as plain text."""
    return ViewerConfig(
        trust_content=False,
        task_samples_view=TaskSamplesView(
            name="Behaviour",
            columns=[
                TaskSamplesColumn(id="sampleId"),
                TaskSamplesColumn(id="epoch"),
                TaskSamplesColumn.score(REFUSAL_SCORER),
                TaskSamplesColumn(id="error"),
            ],
            sort=[TaskSamplesSort(column="sampleId"), TaskSamplesSort(column="epoch")],
            multiline=False,
            score_labels={REFUSAL_SCORER: "Label"},
            score_color_scales={
                REFUSAL_SCORER: {"REFUSE": "info", "COMPLY": "muted", "PARTIAL": "warn"}
            },
            color_scales_enabled=True,
        ),
    )
