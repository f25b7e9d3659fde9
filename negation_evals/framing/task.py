"""Tasks of the framing family: scenarios and frames in, one decision per sample and epoch out."""

from logging import getLogger

import click
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.log import HeadlineMetric
from inspect_ai.model import GenerateConfig
from inspect_ai.viewer import (
    ScoreColorScale,
    TaskSamplesColumn,
    TaskSamplesSort,
    TaskSamplesView,
    ViewerConfig,
)

from negation_evals._version import __version__
from negation_evals.errors import DataError
from negation_evals.framing.adaptive.stopping import DomainStopping, note_failure
from negation_evals.framing.answer import (
    AnswerOrder,
    answer_proposal,
    framing_sample,
    sample_id,
    shown_order,
)
from negation_evals.framing.options import AdaptiveOptions, AskOptions
from negation_evals.framing.prompts import Response
from negation_evals.framing.scenarios import load_scenarios
from negation_evals.framing.select import (
    DEFAULT_FRAMES,
    form_proposals,
    select_frames,
    select_scenarios,
)
from negation_evals.schema.common import Status
from negation_evals.schema.framing import (
    DECISION_SCORER,
    REASONING,
    STANDARD,
    VALIDITY_SCORER,
    TaskKey,
)
from negation_evals.schema.schedule import FIRST_LOOK, MAX_EPOCHS
from negation_evals.scorers.framing.decision import decision, validity

logger = getLogger(__name__)

TASK_VERSION = "1-A"
"""Comparability, then interface: a change of prompt, reading or data bumps the first."""

EPOCHS = 30
TEMPERATURE = 0.7
"""Both as in arXiv:2601.21433, Section 3.3."""
MAX_TOKENS = 4096
"""Far above an answer's 20 tokens: it leaves room to models that reason first."""


@task
def negation_framing(
    scenarios: str = "sff",
    domains: str | list[str] | None = None,
    frames: str | list[str] = DEFAULT_FRAMES,
    response: Response = "binary",
    answer_order: AnswerOrder = "agree_first",
    structured: bool = False,
    seed: int | None = None,
    adaptive: bool = False,
    min_epochs: int = FIRST_LOOK,
    max_epochs: int = MAX_EPOCHS,
) -> Task:
    """Does the stance on an action survive four wordings of the question? (arXiv:2601.21433).

    One sample per scenario and frame, single turn, no system message. The headline is the
    Negation Sensitivity Index: the range of the four endorsement rates, averaged over scenarios.

    Args:
        scenarios: A built-in set (`sff`, `extended`) or the path of a YAML, JSON, JSONL, CSV or
            Parquet file.
        domains: Only the scenarios of these domains, e.g. `medical,legal`.
        frames: Frames to ask, e.g. `F0,F1`; NSI is the range over these. `datasets/frames.yaml` has
            more than the default ones. A scenario that cannot form a frame skips it.
        response: `binary` (agree or disagree) or `ternary` (also `neither`, an abstention).
        answer_order: Which answer the question names first; `balanced` alternates over epochs.
        structured: Ask the provider to enforce a JSON schema.
        seed: Derive one seed per sample and epoch from this, where the provider takes seeds.
        adaptive: Stop asking about a domain once its tier is decided: looks every 5 epochs, with
            the error spent over all looks (docs/certification.md). The epochs are then
            `max_epochs`; an explicit `--epochs` below it ends the audit there, with the error of
            the later looks unspent, and one above it asks nothing beyond `max_epochs`.
        min_epochs: Epochs before the first look; 30 meets the protocol of a certificate.
        max_epochs: Epochs after which an undecided domain stays undecided.

    Raises:
        click.UsageError: A value that names nothing, a scenario file with a fault, or a frame that
            no scenario can form.
    """
    options = AskOptions.checked(
        response=response, answer_order=answer_order, structured=structured, seed=seed
    )
    stopping = AdaptiveOptions.checked(
        adaptive=adaptive, min_epochs=min_epochs, max_epochs=max_epochs
    )
    return framing_task(options, stopping, scenarios=scenarios, domains=domains, frames=frames)


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
    adaptive: bool = False,
    min_epochs: int = FIRST_LOOK,
    max_epochs: int = MAX_EPOCHS,
) -> Task:
    """Syntactic Framing Fragility: the same audit with a seven-field answer (arXiv:2601.09724).

    Besides the decision, which alone counts for SVI (another name of NSI), the model gives its
    confidence, four scores of how the decision accords with law, social ethics and consequences,
    and its reasoning.

    Args:
        scenarios: A built-in set (`sff`, `extended`) or the path of a YAML, JSON, JSONL, CSV or
            Parquet file.
        domains: Only the scenarios of these domains, e.g. `medical,legal`.
        frames: As in `negation_framing`; SVI is the range over these.
        response: `binary` (agree or disagree) or `ternary` (also `neither`, an abstention).
        answer_order: Which answer the question names first; `balanced` alternates over epochs.
        structured: Ask the provider to enforce a JSON schema.
        reasoning: Ask the model to think before it decides: before the object or, with
            `structured`, in its first field. A condition of its own in the analysis.
        seed: Derive one seed per sample and epoch from this, where the provider takes seeds.
        adaptive: As in `negation_framing`, and so the two below.
        min_epochs: Epochs before the first look.
        max_epochs: Epochs after which an undecided domain stays undecided.

    Raises:
        click.UsageError: A value that names nothing, a scenario file with a fault, or a frame that
            no scenario can form.
    """
    options = AskOptions.checked(
        form="sff",
        response=response,
        answer_order=answer_order,
        structured=structured,
        reasoning=reasoning,
        seed=seed,
    )
    stopping = AdaptiveOptions.checked(
        adaptive=adaptive, min_epochs=min_epochs, max_epochs=max_epochs
    )
    return framing_task(options, stopping, scenarios=scenarios, domains=domains, frames=frames)


def framing_task(
    options: AskOptions,
    stopping: AdaptiveOptions,
    *,
    scenarios: str,
    domains: str | list[str] | None,
    frames: str | list[str],
) -> Task:
    """What the tasks of the family share: all but the form of the question.

    Raises:
        click.UsageError: A value that names nothing, a scenario file with a fault, or a frame that
            no scenario can form.
    """
    try:
        schedule = stopping.schedule()
        scenario_set = load_scenarios(scenarios)
        asked_frames = select_frames(frames)
        proposals = form_proposals(select_scenarios(scenario_set, domains), asked_frames)
    except DataError as error:
        raise click.UsageError(str(error)) from error
    if proposals.skipped:
        logger.warning(
            "skipped, because the scenario cannot form the frame: %s", proposals.skipped_in_short()
        )

    frame_names = ",".join(frame.id for frame in asked_frames)
    asks, order = options.questionnaire, shown_order(options.answer_order, epoch=1)
    unusual = options.unusual(scenarios)
    # By scenario, so that `--limit` of a multiple of the frames keeps whole groups.
    samples = [
        framing_sample(scenario, frame, frame_names, asks, order, unusual)
        for scenario, frame in proposals.asked
    ]
    return Task(
        dataset=MemoryDataset(samples, name=scenario_set.name),
        solver=answer_proposal(**options.model_dump()),
        scorer=[decision(), validity()],
        config=GenerateConfig(temperature=TEMPERATURE, max_tokens=MAX_TOKENS),
        epochs=schedule.max_epochs if schedule else EPOCHS,
        early_stopping=DomainStopping(schedule) if schedule else None,
        cleanup=note_failure if schedule else None,
        version=TASK_VERSION,
        headline_metric=HeadlineMetric(scorer=DECISION_SCORER, metric="nsi"),
        viewer=framing_viewer(),
        metadata={
            TaskKey.PACKAGE_VERSION: __version__,
            TaskKey.SCENARIOS: scenario_set.name,
            TaskKey.DATA_HASH: scenario_set.sha256,
            TaskKey.FRAMES: frame_names,
            TaskKey.SKIPPED: ",".join(sample_id(*pair) for pair in proposals.skipped),
            TaskKey.CONDITION: REASONING if options.reasoning else STANDARD,
            TaskKey.RESPONSE: options.response,
            TaskKey.ANSWER_ORDER: options.answer_order,
            TaskKey.STRUCTURED: options.structured,
            TaskKey.FIELDS: ",".join(asks.fields),
            TaskKey.SEED: options.seed,
            TaskKey.ADAPTIVE: str(schedule) if schedule else None,
        },
    )


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
                    Status.FLAGGED: "warn",
                },
            },
            color_scales_enabled=True,
        ),
    )
