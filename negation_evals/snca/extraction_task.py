"""Phase 1: what does a model say its policy is? One sample per harm category."""

import re
from typing import Final

import click
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import HeadlineMetric
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import span
from inspect_ai.viewer import ViewerConfig

from negation_evals._version import __version__
from negation_evals.errors import DataError
from negation_evals.files.validation import require_unique
from negation_evals.schema.snca import BUILTIN_PROMPTS, POLICY_SCORER, SncaSample, SncaTask
from negation_evals.scorers.snca.judge import require_judge
from negation_evals.scorers.snca.policy_type import policy_type
from negation_evals.scorers.snca.prompts import load_prompts
from negation_evals.scorers.text.output import CUT_REASONS, FILTER_REASON, stop_reason
from negation_evals.scorers.text.reasoning import strip_reasoning
from negation_evals.snca.items import BUILTIN_CATEGORIES, Category, load_categories
from negation_evals.snca.provider_filters import or_filtered
from negation_evals.task_arguments import FromOne, check_argument

TASK_VERSION: Final = "1-A"
"""Comparability, then interface: a change of prompt, reading or data bumps the first."""
RUNS: Final = 3
TEMPERATURE: Final = 0.0
"""Both as in arXiv:2604.09189, Phase 1."""
MAX_TOKENS: Final = 4096
"""Five answers take some 500 tokens; the rest is room for models that reason first."""


@task
def snca_extraction(
    categories: str = BUILTIN_CATEGORIES,
    anchored: bool = False,
    runs: int = RUNS,
    prompts: str = BUILTIN_PROMPTS,
) -> Task:
    """What does the model state as its safety policy? (arXiv:2604.09189, Phase 1).

    One sample per harm category: the model answers five questions in several fresh conversations,
    and a judge, the model role `judge`, types the longest sound answer. It measures statements, not
    behaviour.

    Args:
        categories: `snca` (45 built in) or a file with the columns category_id and category.
        anchored: Ask first for one request that it would answer, one that it never would, and the
            criterion between them.
        runs: Fresh runs per category.
        prompts: `snca`, or a YAML file that replaces some or all prompts.

    Raises:
        click.UsageError: A value of the wrong type, or a file with a fault.
    """
    try:
        check_argument("anchored", anchored, bool)
        check_argument("runs", runs, FromOne)
        check_argument("prompts", prompts, str)
        check_argument("categories", categories, str)
        wording = load_prompts(prompts)
        asked = load_categories(categories)
        require_unique(map(sample_id, asked), categories)
    except DataError as error:
        raise click.UsageError(str(error)) from error
    return Task(
        dataset=MemoryDataset(
            [
                extraction_sample(category, wording.questions(category.category, anchored))
                for category in asked
            ],
            name=categories,
        ),
        solver=state_policy(
            None if prompts == BUILTIN_PROMPTS else wording.extraction_system, runs
        ),
        scorer=policy_type(None if prompts == BUILTIN_PROMPTS else wording.typing_judge),
        config=GenerateConfig(temperature=TEMPERATURE, max_tokens=MAX_TOKENS),
        version=TASK_VERSION,
        headline_metric=HeadlineMetric(scorer=POLICY_SCORER, metric="opacity"),
        viewer=ViewerConfig(trust_content=False),
        metadata={
            SncaTask.PACKAGE_VERSION: __version__,
            SncaTask.PHASE: "extraction",
            SncaTask.DATA: categories,
            SncaTask.PROMPTS: prompts,
            SncaTask.PROMPTS_HASH: wording.sha256,
            SncaTask.ANCHORED: anchored,
            SncaTask.RUNS: runs,
        },
    )


def sample_id(category: Category) -> str:
    """What identifies a sample: the category's id and name, as a word."""
    slug = re.sub(r"[^a-z0-9]+", "-", category.category.lower()).strip("-")
    return f"{category.category_id.zfill(2)}-{slug}"


def extraction_sample(category: Category, questions: str) -> Sample:
    """One category; there is no right policy, so the target is empty."""
    return Sample(
        id=sample_id(category),
        input=questions,
        metadata={SncaSample.CATEGORY: category.category},
    )


@solver
def state_policy(system: str | None = None, runs: int = RUNS) -> Solver:
    """Several fresh runs of the questionnaire; the longest sound one becomes the output.

    Sound is a run with text that neither the provider's filter nor the token limit stopped; without
    one, the longest that was cut; without any text, the last that the filter let pass, if any. All
    runs are in the transcript.

    Args:
        system: The system message; default the built-in one.
        runs: Number of runs.
    """
    system = load_prompts().extraction_system if system is None else system

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        # A missing judge is noticed before the model has been asked for anything.
        require_judge()
        messages: list[ChatMessage] = [
            ChatMessageSystem(content=system),
            ChatMessageUser(content=state.input_text),
        ]
        outputs: list[ModelOutput] = []
        for run in range(1, runs + 1):
            async with span(f"run {run}"):
                answer = get_model().generate(list(messages))
                outputs.append(await or_filtered(answer, str(state.model)))
        used = representative(outputs)
        state.output = outputs[used - 1] if used else without_text(outputs)
        state.messages = [*messages, state.output.message if state.output.choices else _nothing()]
        state.metadata[SncaSample.RUN_USED] = used
        state.metadata[SncaSample.RUN_CHARS] = ",".join(str(_length(out)) for out in outputs)
        state.metadata[SncaSample.RUN_STOPS] = ",".join(stop_reason(out) for out in outputs)
        return state

    return solve


def representative(outputs: list[ModelOutput]) -> int:
    """Which run stands for the category, counted from 1: the longest sound one; 0 if none is."""
    ranked = [
        (stop_reason(output) not in CUT_REASONS, _length(output), -number)
        for number, output in enumerate(outputs, start=1)
        if _length(output) and stop_reason(output) != FILTER_REASON and not output.error
    ]
    return -max(ranked)[2] if ranked else 0


def without_text(outputs: list[ModelOutput]) -> ModelOutput:
    """Of runs without any text the last that the filter let pass, else the last."""
    return ([out for out in outputs if stop_reason(out) != FILTER_REASON] or outputs)[-1]


def _length(output: ModelOutput) -> int:
    return len(strip_reasoning(output.completion).strip())


def _nothing() -> ChatMessageAssistant:
    return ChatMessageAssistant(content="")
