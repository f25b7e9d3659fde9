"""The task `nubench`: one sample per item, its standard negation among up to four options."""

from collections.abc import Sequence
from typing import Literal

import click
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import HeadlineMetric
from inspect_ai.model import GenerateConfig, GenerateConfigArgs
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.viewer import (
    TaskSamplesColumn,
    TaskSamplesSort,
    TaskSamplesView,
    ViewerConfig,
)

from negation_evals._version import __version__
from negation_evals.errors import DataError
from negation_evals.nubench.dataset import PUBLIC_SET, Item, load_items
from negation_evals.nubench.likelihood import score_candidates
from negation_evals.nubench.options import SEED, Format, Instructions, NubenchOptions
from negation_evals.nubench.prompts import (
    chosen_demonstrations,
    completion_context,
    letter_schema,
    option_prompt,
    shown_order,
)
from negation_evals.schema.framing import TaskKey
from negation_evals.schema.nubench import CHOICE_SCORER, LETTERS, ItemKey, NubenchKey, OptionType
from negation_evals.scorers.nubench.choice import negation_choice
from negation_evals.task_arguments import check_argument

TASK_VERSION = "1-A"
"""Comparability, then interface: a change of prompt, reading or data bumps the first."""

MAX_TOKENS = 4096
"""Far above an answer's few tokens: it leaves room to models that reason first."""


@task
def nubench(
    dataset: str = PUBLIC_SET,
    split: str = "test",
    instructions: Instructions = "definition",
    shots: Literal[0, 1, 5, 10] = 0,
    format: Format = "option",
    cot: bool = False,
    structured: bool = False,
    seed: int = SEED,
    revision: str | None = None,
) -> Task:
    """Does a model know what negates a sentence? (Thunder-NUBench, arXiv:2506.14397).

    The headline is the accuracy: how often the standard negation is chosen among it, a local
    negation, a contradiction and a paraphrase. Items without a local negation have three options.

    Args:
        dataset: A name on the Hugging Face hub (the default is gated: accept its terms and set
            HF_TOKEN), a folder in the same layout, a CSV, JSONL, JSON, YAML or Parquet file with
            the same columns, or `builtin` (a small set of our own, no replacement).
        split: `test` or `validation`.
        instructions: `definition`, or `detailed` rules of how a sentence is negated.
        shots: Demonstrations before each item, from the validation split: 0, 1, 5 or 10.
        format: `option` asks for a letter; `completion` takes the likelihood of each option,
            which needs a provider with prompt log probabilities.
        cot: Ask to think step by step before the letter (`option` alone).
        structured: Ask the provider to enforce a JSON schema of the letter (`option` alone).
        seed: Draws the order of the options and the demonstrations.
        revision: Commit, tag or branch of the data set on the hub.

    Raises:
        click.UsageError: A value that names nothing, or data that cannot be had.
    """
    options = NubenchOptions.checked(
        instructions=instructions,
        shots=shots,
        format=format,
        cot=cot,
        structured=structured,
        seed=seed,
    )
    try:
        check_argument("dataset", dataset, str)
        check_argument("split", split, str)
        if revision is not None:
            revision = str(revision)
        items = load_items(dataset, split, with_demonstrations=shots > 0, revision=revision)
        samples = [nubench_sample(item, items.demonstrations, options) for item in items.items]
    except DataError as error:
        raise click.UsageError(str(error)) from error
    return Task(
        dataset=MemoryDataset(samples, name=items.name),
        solver=choose_option(structured) if format == "option" else score_candidates(),
        scorer=negation_choice(),
        config=GenerateConfig(
            temperature=0.0, max_tokens=MAX_TOKENS if format == "option" else None
        ),
        version=TASK_VERSION,
        headline_metric=HeadlineMetric(scorer=CHOICE_SCORER, metric="accuracy"),
        viewer=nubench_viewer(),
        metadata={
            TaskKey.PACKAGE_VERSION: __version__,
            NubenchKey.DATASET: items.name,
            NubenchKey.SPLIT: split,
            # As the hub resolved it; what was merely asked for stands in the task's arguments.
            NubenchKey.REVISION: items.revision,
            NubenchKey.DATA_HASH: items.sha256,
            NubenchKey.DEMONSTRATIONS: items.demonstrations_sha256,
            **options.model_dump(),
        },
    )


def nubench_sample(item: Item, demonstrations: Sequence[Item], options: NubenchOptions) -> Sample:
    """One item, its options in the order of the seed; the target is the letter of the right one.

    Args:
        item: The item.
        demonstrations: Those of the data set, from which the item's own are chosen.
        options: How it is asked.

    Raises:
        DataError: too few demonstrations are available for the item.
    """
    chosen = chosen_demonstrations(item, demonstrations, options.shots, options.seed)
    if len(chosen) < options.shots:
        raise DataError(
            f"item {item.id!r}: only {len(chosen)} demonstrations are available (the item itself "
            f"and its Wikipedia page are excluded), and shots={options.shots} were asked for"
        )
    shown = shown_order(item, options.seed)
    prompt = (
        option_prompt(item, shown, chosen, options)
        if options.format == "option"
        else completion_context(item, chosen, options.instructions)
    )
    return Sample(
        id=item.id,
        input=prompt,
        choices=[item.options[kind] for kind in shown],
        target=LETTERS[shown.index(OptionType.STANDARD)],
        metadata={
            ItemKey.ITEM: item.id,
            ItemKey.PAGE: item.page,
            ItemKey.LOCAL_TYPE: item.local_type,
            ItemKey.OPTIONS: "".join(kind.value[0] for kind in shown),
        },
    )


@solver
def choose_option(structured: bool = False) -> Solver:
    """One answer; where asked for, the call carries the JSON schema of the item's letters."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.model.api == "simulated":
            known = {key: state.metadata.get(key) for key in (ItemKey.ITEM, ItemKey.OPTIONS)}
            texts = [choice.value for choice in state.choices]
            state.user_prompt.metadata = known | {"texts": texts, "epoch": state.epoch}
        config: GenerateConfigArgs = {}
        if structured:
            config["response_schema"] = letter_schema(len(state.choices))
        # Without tools a model that calls one would be told so, and asked again, without end.
        return await generate(state, tool_calls="loop" if state.tools else "none", **config)

    return solve


def nubench_viewer() -> ViewerConfig:
    """The sample list of the log viewer: what was chosen, and is it right?

    Model output is not trusted: the viewer shows it as plain text.
    """
    return ViewerConfig(
        trust_content=False,
        task_samples_view=TaskSamplesView(
            name="Choices",
            columns=[
                TaskSamplesColumn(id="sampleId"),
                TaskSamplesColumn(id="epoch"),
                TaskSamplesColumn(id="answer"),
                TaskSamplesColumn(id="target"),
                TaskSamplesColumn.score(CHOICE_SCORER),
                TaskSamplesColumn(id="error"),
            ],
            sort=[TaskSamplesSort(column="sampleId"), TaskSamplesSort(column="epoch")],
            multiline=False,
            score_labels={CHOICE_SCORER: "Standard negation"},
            score_color_scales={CHOICE_SCORER: {"C": "good", "I": "bad"}},
            color_scales_enabled=True,
        ),
    )
