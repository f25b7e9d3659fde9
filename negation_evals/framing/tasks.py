"""Tasks of the framing family: scenarios and frames in, one decision per sample and epoch out."""

import hashlib
from typing import Literal

import click
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import HeadlineMetric
from inspect_ai.model import GenerateConfig, GenerateConfigArgs
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.viewer import (
    ScoreColorScale,
    TaskSamplesColumn,
    TaskSamplesSort,
    TaskSamplesView,
    ViewerConfig,
)

from negation_evals._version import __version__
from negation_evals.arguments import check_choice, check_type
from negation_evals.data import Frame, Scenario, load_scenarios
from negation_evals.framing.frames import DEFAULT_FRAMES, select_frames, select_scenarios
from negation_evals.framing.prompts import Form, Questionnaire, Response, ShownOrder
from negation_evals.schema import (
    DECISION_SCORER,
    REASONING,
    STANDARD,
    VALIDITY_SCORER,
    DataError,
    SampleKey,
    Status,
    TaskKey,
)
from negation_evals.scorers.decision import decision, validity

TASK_VERSION = "1-A"
"""Comparability, then interface: a change of prompt, reading or data bumps the first."""

EPOCHS = 30
TEMPERATURE = 0.7
"""Both as in arXiv:2601.21433, Section 3.3."""
MAX_TOKENS = 4096
"""Far above an answer's 20 tokens: it leaves room to models that reason first."""

AnswerOrder = Literal["agree_first", "disagree_first", "balanced"]


@task
def negation_framing(
    scenarios: str = "sff",
    domains: str | list[str] | None = None,
    frames: str | list[str] = DEFAULT_FRAMES,
    response: Response = "binary",
    answer_order: AnswerOrder = "agree_first",
    structured: bool = False,
    seed: int | None = None,
) -> Task:
    """Does the stance on an action survive four wordings of the question? (arXiv:2601.21433).

    One sample per scenario and frame, single turn, no system message. The headline is the
    Negation Sensitivity Index: the range of the four endorsement rates, averaged over scenarios.

    Args:
        scenarios: A built-in set (`sff`) or the path of a YAML, JSON, JSONL or CSV file.
        domains: Only the scenarios of these domains, e.g. `medical,legal`.
        frames: Frames to ask, e.g. `F0,F1`; NSI is the range over these.
        response: `binary` (agree or disagree) or `ternary` (also `neither`, an abstention).
        answer_order: Which answer the question names first; `balanced` alternates over epochs.
        structured: Ask the provider to enforce a JSON schema.
        seed: Derive one seed per sample and epoch from this, where the provider takes seeds.

    Raises:
        click.UsageError: A value that names nothing, or a scenario file with a fault.
    """
    return framing_task(
        Questionnaire("short", response, structured=structured),
        scenarios=scenarios,
        domains=domains,
        frames=frames,
        answer_order=answer_order,
        seed=seed,
    )


@task
def sff(
    scenarios: str = "sff",
    domains: str | list[str] | None = None,
    frames: str | list[str] = DEFAULT_FRAMES,
    response: Response = "binary",
    answer_order: AnswerOrder = "agree_first",
    structured: bool = False,
    reasoning: bool = False,
    seed: int | None = None,
) -> Task:
    """Syntactic Framing Fragility: the same audit with a seven-field answer (arXiv:2601.09724).

    Besides the decision, which alone counts for SVI (another name of NSI), the model gives its
    confidence, four scores of how the decision accords with law, social ethics and consequences,
    and its reasoning.

    Args:
        scenarios: A built-in set (`sff`) or the path of a YAML, JSON, JSONL or CSV file.
        domains: Only the scenarios of these domains, e.g. `medical,legal`.
        frames: Frames to ask, e.g. `F0,F1`; SVI is the range over these.
        response: `binary` (agree or disagree) or `ternary` (also `neither`, an abstention).
        answer_order: Which answer the question names first; `balanced` alternates over epochs.
        structured: Ask the provider to enforce a JSON schema.
        reasoning: Ask the model to think before it decides: before the object or, with
            `structured`, in its first field. A condition of its own in the analysis.
        seed: Derive one seed per sample and epoch from this, where the provider takes seeds.

    Raises:
        click.UsageError: A value that names nothing, or a scenario file with a fault.
    """
    return framing_task(
        Questionnaire("sff", response, reasoning, structured),
        scenarios=scenarios,
        domains=domains,
        frames=frames,
        answer_order=answer_order,
        seed=seed,
    )


def framing_task(
    asks: Questionnaire,
    *,
    scenarios: str,
    domains: str | list[str] | None,
    frames: str | list[str],
    answer_order: AnswerOrder,
    seed: int | None,
) -> Task:
    """What the tasks of the family share: all but the form of the question.

    Raises:
        click.UsageError: A value that names nothing, or a scenario file with a fault.
    """
    try:
        check_choice("response", asks.response, Response)
        check_choice("answer_order", answer_order, AnswerOrder)
        check_type("structured", asks.structured, bool, "true or false")
        check_type("reasoning", asks.reasoning, bool, "true or false")
        if seed is not None:
            check_type("seed", seed, int, "a whole number")
        scenario_set = load_scenarios(scenarios)
        asked_frames = select_frames(frames)
        asked_scenarios = select_scenarios(scenario_set, domains)
    except DataError as error:
        raise click.UsageError(str(error)) from error

    frame_names = ",".join(frame.id for frame in asked_frames)
    first_order = shown_order(answer_order, epoch=1)
    return Task(
        dataset=MemoryDataset(
            # By scenario, so that `--limit` of a multiple of the frames keeps whole groups.
            [
                framing_sample(scenario, frame, frame_names, asks, first_order)
                for scenario in asked_scenarios
                for frame in asked_frames
            ],
            name=scenario_set.name,
        ),
        solver=answer_proposal(
            asks.form, asks.response, answer_order, asks.structured, asks.reasoning, seed
        ),
        scorer=[decision(), validity()],
        config=GenerateConfig(temperature=TEMPERATURE, max_tokens=MAX_TOKENS),
        epochs=EPOCHS,
        version=TASK_VERSION,
        headline_metric=HeadlineMetric(scorer=DECISION_SCORER, metric="nsi"),
        viewer=framing_viewer(),
        metadata={
            TaskKey.PACKAGE_VERSION: __version__,
            TaskKey.SCENARIOS: scenario_set.name,
            TaskKey.DATA_HASH: scenario_set.sha256,
            TaskKey.FRAMES: frame_names,
            TaskKey.CONDITION: REASONING if asks.reasoning else STANDARD,
            TaskKey.RESPONSE: asks.response,
            TaskKey.ANSWER_ORDER: answer_order,
            TaskKey.STRUCTURED: asks.structured,
            TaskKey.FIELDS: ",".join(asks.fields),
            TaskKey.SEED: seed,
        },
    )


def framing_sample(
    scenario: Scenario,
    frame: Frame,
    frame_names: str,
    asks: Questionnaire = Questionnaire(),  # noqa: B008 (frozen)
    order: ShownOrder = "agree_first",
) -> Sample:
    """One scenario in one frame; there is no right answer, so the target is empty."""
    return Sample(
        id=f"{scenario.id}-{frame.id}",
        input=asks.prompt(scenario, frame, order),
        metadata={
            SampleKey.SCENARIO: scenario.id,
            SampleKey.DOMAIN: scenario.domain,
            SampleKey.FRAME: frame.id,
            SampleKey.NEGATED: frame.negated,
            SampleKey.FRAMES: frame_names,
            SampleKey.AGREE_FIRST: order == "agree_first",
        },
    )


@solver
def answer_proposal(
    form: Form = "short",
    response: Response = "binary",
    answer_order: AnswerOrder = "agree_first",
    structured: bool = False,
    reasoning: bool = False,
    seed: int | None = None,
) -> Solver:
    """One answer to the proposal, with the answers in this epoch's order.

    The order is recorded in the sample's metadata. Where asked for, the call carries a JSON schema
    and the seed of this sample and epoch. For simulated respondents, which no prompt could make
    deterministic, the message carries sample and epoch.
    """
    asks = Questionnaire(form, response, reasoning, structured)
    first = shown_order(answer_order, epoch=1)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        order = shown_order(answer_order, state.epoch)
        prompt = state.user_prompt
        prompt.text = asks.reorder(prompt.text, first, order)
        state.metadata[SampleKey.AGREE_FIRST] = order == "agree_first"
        if state.model.api == "simulated":
            asked = (SampleKey.SCENARIO, SampleKey.FRAME, SampleKey.NEGATED)
            prompt.metadata = {key: state.metadata.get(key) for key in asked}
            prompt.metadata["epoch"] = state.epoch
        config: GenerateConfigArgs = {}
        if structured:
            config["response_schema"] = asks.schema(order)
        if seed is not None:
            config["seed"] = derived_seed(seed, state.sample_id, state.epoch)
        return await generate(state, **config)

    return solve


def shown_order(answer_order: AnswerOrder, epoch: int) -> ShownOrder:
    """The order shown in an epoch (counted from 1): `balanced` begins with agree."""
    if answer_order == "balanced":
        return "agree_first" if epoch % 2 else "disagree_first"
    return answer_order


def derived_seed(seed: int, sample_id: int | str, epoch: int) -> int:
    """A 31-bit seed for one sample and epoch; one seed for all would repeat the same answer."""
    digest = hashlib.sha256(f"{seed}/{sample_id}/{epoch}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def framing_viewer() -> ViewerConfig:
    """The sample list of the log viewer: what was answered, what it endorses, is it valid.

    Model output is not trusted: the viewer shows it as plain text.
    """
    return ViewerConfig(
        trust_content=False,
        task_samples_view=TaskSamplesView(
            name="Decisions",
            columns=[
                TaskSamplesColumn(id="sampleId"),
                TaskSamplesColumn(id="epoch"),
                TaskSamplesColumn(id="answer"),
                TaskSamplesColumn.score(DECISION_SCORER),
                TaskSamplesColumn.score(VALIDITY_SCORER),
                TaskSamplesColumn(id="error"),
            ],
            sort=[TaskSamplesSort(column="sampleId"), TaskSamplesSort(column="epoch")],
            multiline=False,
            score_labels={DECISION_SCORER: "Endorses", VALIDITY_SCORER: "Validity"},
            score_color_scales={
                DECISION_SCORER: ScoreColorScale(palette="neutral", min=0, max=1),
                VALIDITY_SCORER: {
                    Status.VALID: "good",
                    Status.MALFORMED: "bad",
                    Status.TRUNCATED: "bad",
                    Status.REFUSAL: "warn",
                    Status.FILTERED: "warn",
                    Status.ABSTAIN: "info",
                },
            },
            color_scales_enabled=True,
        ),
    )
