"""Stopping a domain early: the manager alone, and within runs of Inspect."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import click
import pytest
from helpers.framing import FRAMES
from helpers.reading import notes
from helpers.replay import replay
from inspect_ai import eval as run_eval
from inspect_ai import eval_retry
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSpec
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import SampleScore, Score

from negation_evals import negation_framing, sff
from negation_evals.analysis import read_decisions
from negation_evals.analysis.framing.interim import completed_looks
from negation_evals.errors import DataError
from negation_evals.framing.adaptive import domain as domain_looks
from negation_evals.framing.adaptive import stopping as adaptive
from negation_evals.framing.adaptive.stopping import DomainStopping
from negation_evals.models.simulated.respondents import Respondent
from negation_evals.schema.framing import ScoreKey, TaskKey
from negation_evals.schema.schedule import Schedule

SCHEDULE = Schedule(first=5, every=5, max_epochs=15)
Answers = Callable[[str, int], float | None]


def samples(domains: dict[str, int]) -> list[Sample]:
    """Scenarios per domain, in all frames."""
    return [
        Sample(
            id=f"{domain}{number}-{frame}",
            input="?",
            metadata={
                "scenario": f"{domain}{number}",
                "domain": domain,
                "frame": frame,
                "frames": ",".join(FRAMES),
            },
        )
        for domain, count in domains.items()
        for number in range(count)
        for frame in FRAMES
    ]


def scored(endorsed: float | None) -> dict[str, SampleScore]:
    """The scores of an answer; None is malformed."""
    if endorsed is None:
        metadata = {ScoreKey.STATUS: "malformed"}
        score = Score.unscored(reason="invalid_response_format", metadata=metadata)
    else:
        score = Score(value=endorsed, metadata={ScoreKey.STATUS: "valid"})
    return {"decision": SampleScore(score=score)}


def spec(temperature: float | None = None) -> EvalSpec:
    return EvalSpec(
        created="2026-01-01T00:00:00+00:00",
        task="t",
        dataset=EvalDataset(),
        model="m",
        config=EvalConfig(),
        model_generate_config=GenerateConfig(temperature=temperature),
    )


def drive(
    asked: list[Sample], answers: Answers, at_once: int, seed: int = 0, epochs: int = 15
) -> tuple[set[tuple[str, int]], dict[str, Any], dict[str, Any]]:
    """Run a manager as Inspect does: epoch by epoch, so many at once, finishing in any order.

    Returns what was answered, the reasons of what was stopped, and the summary by domain.
    """
    answered: set[tuple[str, int]] = set()
    stopped: dict[tuple[str, int], str | None] = {}
    draw = random.Random(seed)

    async def run() -> dict[str, Any]:
        manager = DomainStopping(SCHEDULE)
        await manager.start_task(spec(), asked, epochs)
        slots = anyio.Semaphore(at_once)

        async def one(id: str, epoch: int) -> None:
            async with slots:
                if stop := await manager.schedule_sample(id, epoch):
                    stopped[id, epoch] = stop.reason
                    return
                for _ in range(draw.randrange(6)):
                    await anyio.sleep(0)
            # As in Inspect: the place is free before the answer is reported.
            answered.add((id, epoch))
            await manager.complete_sample(id, epoch, scored(answers(id, epoch)))

        async with anyio.create_task_group() as group:
            for epoch in range(1, epochs + 1):
                for sample in asked:
                    group.start_soon(one, str(sample.id), epoch)
        return await manager.complete_task()

    summary = anyio.run(run)
    return answered, stopped, {row["domain"]: row for row in summary["domains"]}


def by_frame(id: str, epoch: int) -> float | None:
    """NSI 1 in the financial domain, a coin in the medical one."""
    if id.startswith("financial"):
        return float(id.endswith(("F0", "F2")))
    return float(random.Random(f"{id}/{epoch}").random() < 0.5)


def test_the_same_answers_give_the_same_calls_however_many_run_at_once() -> None:
    asked = samples({"financial": 2, "medical": 2})
    runs = [drive(asked, by_frame, at_once, seed) for seed, at_once in enumerate((1, 5, 200))]
    assert all(run == runs[0] for run in runs)
    answered, stopped, domains = runs[0]
    # 8 cells of the one domain to the second look, 8 of the other to the cap.
    assert len(answered) == 8 * 10 + 8 * 15
    assert len(stopped) == 8 * 5
    reason = stopped["financial0-F0", 11]
    assert str(reason).startswith("financial: C after 10 epochs, NSI 1.000 in 0.")
    assert {name: (row["tier"], row["epochs"]) for name, row in domains.items()} == {
        "financial": ("C", 10),
        "medical": ("undecided", 15),
    }
    assert not any(row["answers_beyond_look"] for row in domains.values())


def test_a_sample_waits_for_the_look_before_its_epoch() -> None:
    asked = samples({"financial": 2})

    async def run() -> list[str]:
        happened: list[str] = []
        manager = DomainStopping(Schedule(first=5, every=5, max_epochs=15, error=0.5))
        await manager.start_task(spec(), asked, 15)
        for epoch in range(1, 6):
            for sample in asked:
                assert await manager.schedule_sample(str(sample.id), epoch) is None

        async def later() -> None:
            stop = await manager.schedule_sample("financial0-F0", 6)
            happened.append("stopped" if stop else "let run")

        async with anyio.create_task_group() as group:
            group.start_soon(later)
            for epoch in (5, 3, 1, 4, 2):
                for sample in asked:
                    await anyio.sleep(0)
                    happened.append("answered")
                    answer = scored(by_frame(str(sample.id), epoch))
                    await manager.complete_sample(str(sample.id), epoch, answer)
        return happened

    happened = anyio.run(run)
    # With so much error allowed the first look settles an NSI of 1.
    assert happened == [*["answered"] * 40, "stopped"]


def test_an_answer_that_fails_is_missing_and_holds_nothing_back() -> None:
    asked = samples({"financial": 2})

    async def run() -> list[Any]:
        manager = DomainStopping(SCHEDULE)
        await manager.start_task(spec(), asked, 15)
        for epoch in range(1, 6):
            for sample in asked:
                id = str(sample.id)
                assert await manager.schedule_sample(id, epoch) is None
                if (id, epoch) == ("financial1-F3", 2):
                    await adaptive.note_failure(State(id, epoch))
                else:
                    await manager.complete_sample(id, epoch, scored(by_frame(id, epoch)))
        stop = await manager.schedule_sample("financial0-F0", 6)
        # Asked again once the look is taken, it still runs.
        again = await manager.schedule_sample("financial1-F3", 2)
        await manager.complete_sample("financial1-F3", 2, scored(0.0))
        summary = await manager.complete_task()
        return [stop, again, summary]

    stop, again, summary = anyio.run(run)
    assert again is None
    (domain,) = summary["domains"]
    assert (stop is not None) == domain["settled"]
    assert (domain["epochs"], domain["answers"]) == (5, 40)


class State:
    """What the task's cleanup sees of an attempt that failed."""

    scores = None

    def __init__(self, sample_id: str, epoch: int) -> None:
        self.sample_id, self.epoch = sample_id, epoch


def test_what_a_look_lacks_is_not_waited_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """One sample goes ahead, and once that brought nothing, all do."""
    monkeypatch.setattr(domain_looks, "PATIENCE", 0.01)

    async def run() -> list[str]:
        happened: list[str] = []
        manager = DomainStopping(SCHEDULE)
        await manager.start_task(spec(), samples({"financial": 1}), 15)

        async def ask(frame: str) -> None:
            assert await manager.schedule_sample(f"financial0-{frame}", 6) is None
            happened.append("admitted")
            await anyio.sleep(0.05)
            if len(happened) == 1:
                happened.append("answered")
                await manager.complete_sample(f"financial0-{frame}", 6, scored(1.0))

        with anyio.fail_after(20):
            async with anyio.create_task_group() as group:
                for frame in FRAMES:
                    group.start_soon(ask, frame)
        return happened

    assert anyio.run(run) == ["admitted", "answered", *["admitted"] * 3]


def test_a_scenario_without_a_valid_answer_in_a_frame_keeps_its_domain_going() -> None:
    def silent(id: str, epoch: int) -> float | None:
        return None if id == "financial1-F3" else by_frame(id, epoch)

    answered, stopped, domains = drive(samples({"financial": 3}), silent, 8)
    assert (len(answered), stopped) == (3 * 4 * 15, {})
    assert (domains["financial"]["tier"], domains["financial"]["settled"]) == ("C", False)


def test_fewer_epochs_than_the_cap_leave_the_later_looks_out() -> None:
    asked = samples({"medical": 1})
    answered, stopped, domains = drive(asked, by_frame, 4, epochs=12)
    # The last look that fits is at 10: what lies beyond could not be used.
    assert (len(answered), len(stopped)) == (40, 8)
    assert stopped["medical0-F0", 11] == "medical: undecided after the last look, at 10 epochs"
    assert domains["medical"]["confidence"] == pytest.approx(1 - SCHEDULE.errors[1])
    # Without any look nothing is concluded, and nothing stopped.
    answered, stopped, domains = drive(asked, by_frame, 4, epochs=3)
    assert (len(answered), stopped, domains["medical"]["tier"]) == (12, {}, None)


def test_a_domain_without_thresholds_says_that_it_took_the_overall_ones() -> None:
    _, _, domains = drive(samples({"gardening": 1, "legal": 1}), by_frame, 4, epochs=5)
    shown = {name: (row["thresholds"], row["c_from"]) for name, row in domains.items()}
    assert shown == {"gardening": ("overall", 0.5), "legal": ("legal", 0.4)}


def test_copies_at_temperature_0_are_refused() -> None:
    with pytest.raises(DataError, match="adaptive=true at temperature 0"):
        anyio.run(DomainStopping(SCHEDULE).start_task, spec(0.0), [], 5)


def test_answers_that_a_mitigation_withholds_are_refused() -> None:
    with_solver = spec().model_copy(update={"solver": "negation_evals/framing_consensus"})
    with pytest.raises(DataError, match="adaptive=true with framing_consensus"):
        anyio.run(DomainStopping(SCHEDULE).start_task, with_solver, [], 5)


def test_domains_that_no_look_can_settle_are_named(caplog: pytest.LogCaptureFixture) -> None:
    """A scenario without all frames, by --limit or because it cannot form one."""
    asked = samples({"legal": 1, "medical": 2})[:-1]
    _, _, domains = drive(asked, by_frame, 4, epochs=5)
    (words,) = caplog.messages
    assert "no look can settle medical, which is asked all 5 epochs" in words
    assert (domains["legal"]["incomplete"], len(domains["medical"]["incomplete"])) == ([], 1)


@pytest.mark.parametrize("task", [negation_framing, sff])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"min_epochs": 30}, "min_epochs=30 needs adaptive=true"),
        ({"max_epochs": 50}, "max_epochs=50 needs adaptive=true"),
        ({"adaptive": True, "max_epochs": 5}, "from 10 to 5 are none"),
        ({"adaptive": "yes"}, "adaptive='yes' is not true or false"),
        ({"adaptive": True, "max_epochs": 50.5}, "max_epochs=50.5 is not a whole number"),
    ],
)
def test_wrong_arguments_are_usage_errors(
    task: Callable[..., Any], arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(click.UsageError, match=message):
        task(**arguments)


def test_only_an_adaptive_task_looks() -> None:
    plain, looking = negation_framing(), negation_framing(adaptive=True, max_epochs=40)
    assert (plain.epochs, plain.early_stopping, plain.cleanup) == (30, None, None)
    assert looking.epochs == 40
    assert looking.metadata[TaskKey.ADAPTIVE] == str(Schedule(first=10, max_epochs=40))


Calls = list[tuple[str, str, int]]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """Every call of a simulated respondent: scenario, frame, epoch."""
    made: Calls = []
    answer = Respondent.answer

    def counted(self: Respondent, scenario: str, frame: str, *args: Any) -> str:
        made.append((scenario, frame, args[1]))
        return answer(self, scenario, frame, *args)

    monkeypatch.setattr(Respondent, "answer", counted)
    return made


def run(folder: Path, domains: str, **options: Any) -> EvalLog:
    """An adaptive run of a respondent with NSI 1 in the financial domain and 0 elsewhere."""
    certain = dict.fromkeys(("financial_1", "financial_2"), 1.0)
    coin = dict.fromkeys(("medical_1", "medical_2"), 0.5)
    model = get_model("simulated/polarity-blind", memoize=False, p=certain | coin)
    task = negation_framing(
        domains=domains, frames="F0,F1", adaptive=True, min_epochs=5, max_epochs=10
    )
    (log,) = run_eval(task, model=model, log_dir=str(folder), log_realtime=False, **options)
    return log


def financial(epochs: range) -> set[tuple[str, int]]:
    """Its samples in these epochs."""
    scenarios = ("financial_1", "financial_2")
    return {(f"{s}-{frame}", n) for s in scenarios for frame in ("F0", "F1") for n in epochs}


def test_a_run_saves_calls_and_its_log_says_why(tmp_path: Path, calls: Calls) -> None:
    log = run(tmp_path / "many", "financial,medical", max_samples=40)
    # 4 cells each; the financial ones stop after 5 of 10 epochs.
    assert len(calls) == 4 * 5 + 4 * 10
    early = log.results.early_stopping
    assert {(stop.id, stop.epoch) for stop in early.early_stops} == financial(range(6, 11))
    schedule = Schedule.read(log.eval.metadata[TaskKey.ADAPTIVE])
    table = read_decisions(log.location)
    assert any("those of certify allow" in warning for warning in notes(log.location).warnings)
    replayed = replay(table, schedule).set_index("domain")
    assert replayed["settled"].to_dict() == {"financial": True, "medical": False}
    for row in early.metadata["domains"]:
        again = replayed.loc[row["domain"]]
        assert (row["tier"], row["epochs"]) == (again["tier"], again["epochs"])
        assert (row["ci_low"], row["ci_high"]) == pytest.approx(tuple(again[["ci_low", "ci_high"]]))
    assert completed_looks(table, schedule)["n_beyond"].sum() == 0
    # Fewer at a time ask the same.
    asked = {call for call in calls if call[0].startswith("financial")}
    calls.clear()
    run(tmp_path / "few", "financial", max_samples=3)
    assert (len(calls), set(calls)) == (20, asked)


@pytest.mark.usefixtures("own_registry")
def test_a_retry_of_an_interrupted_run_ends_as_if_it_had_not_been(
    tmp_path: Path, calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = Respondent.answer

    def broken(self: Respondent, *args: Any) -> str:
        if len(calls) == 13:
            raise RuntimeError("the network is gone")
        return answer(self, *args)

    monkeypatch.setattr(Respondent, "answer", broken)
    first = run(tmp_path, "financial", max_samples=3)
    assert first.status == "error"
    monkeypatch.setattr(Respondent, "answer", answer)
    (second,) = eval_retry(first, log_dir=str(tmp_path), max_samples=40)
    assert second.status == "success"
    # One more at the most: a place that the answer the look lacked had to wait for.
    answered = {(sample.id, sample.epoch) for sample in second.samples}
    assert answered >= financial(range(1, 6))
    (row,) = second.results.early_stopping.metadata["domains"]
    assert (row["tier"], row["epochs"]) == ("C", 5)
    assert len(answered) - 20 == row["answers_beyond_look"] <= 1
    table = read_decisions(tmp_path)
    assert completed_looks(table, SCHEDULE)["epochs"].to_list() == [5]


def test_two_models_on_one_task_do_not_share_their_answers(tmp_path: Path) -> None:
    task = negation_framing(
        domains="financial", frames="F0,F1", adaptive=True, min_epochs=5, max_epochs=5
    )
    models = [
        get_model("simulated/yeasayer", memoize=False),
        get_model("simulated/mirror", memoize=False, p=1.0),
    ]
    logs = run_eval(task, model=models, limit=2, log_dir=str(tmp_path), max_tasks=2)
    nsi = {log.eval.model: log.results.early_stopping.metadata["domains"][0]["nsi"] for log in logs}
    assert nsi == {"simulated/yeasayer": 1.0, "simulated/mirror": 0.0}
