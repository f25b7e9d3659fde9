"""Scorer of NUBench: which option was chosen, what is it, and is it the standard negation?"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    Value,
    accuracy,
    metric,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState

from negation_evals.analysis.common.formulas import error_shares as shares_of_errors
from negation_evals.schema.common import SCORE_REASONS, Status
from negation_evals.schema.nubench import LETTERS, OPTION_CODES, ChoiceKey, ItemKey, OptionType
from negation_evals.scorers.text.letters import LetterReading, read_letter
from negation_evals.scorers.text.output import NO_REPLY


@metric(scores="unreduced")
def error_shares() -> Metric:
    """Share of the wrong choices by type of option; format violations are no choices."""

    def compute(scores: list[SampleScore]) -> Value:
        found = shares_of_errors([OPTION_CODES[code] for code in _chosen(scores)])
        return {f"errors_{name.partition(' ')[0]}": value for name, value in found.items()}

    return compute


@metric(scores="unreduced")
def local_confusion() -> Metric:
    """Share of the choices that fell for the local negation, by its construction."""

    def compute(scores: list[SampleScore]) -> Value:
        chosen: dict[str, list[str]] = {}
        for score in scores:
            local_type = (score.sample_metadata or {}).get(ItemKey.LOCAL_TYPE)
            if local_type is not None:
                chosen.setdefault(str(local_type), []).extend(_chosen([score]))
        return {
            f"local_{local_type.replace(' ', '_')}": _share(codes, OptionType.LOCAL.value[0])
            for local_type, codes in sorted(chosen.items())
        }

    return compute


@metric(scores="unreduced")
def violations() -> Metric:
    """Share of the replies that choose no option of their item."""

    def compute(scores: list[SampleScore]) -> Value:
        return 1 - len(_chosen(scores)) / len(scores) if scores else math.nan

    return compute


@metric(scores="unreduced")
def accuracy_per_token() -> Metric:
    """Accuracy by the log-likelihood per token; nothing where options were not scored so."""

    def compute(scores: list[SampleScore]) -> Value:
        codes = [
            code
            for score in scores
            if (code := (score.score.metadata or {}).get(ChoiceKey.PER_TOKEN)) is not None
        ]
        return {"accuracy_norm": _share(codes, OptionType.STANDARD.value[0])} if codes else {}

    return compute


@scorer(
    metrics=[
        accuracy(),
        stderr(cluster=ItemKey.PAGE),
        violations(),
        error_shares(),
        local_confusion(),
        accuracy_per_token(),
    ]
)
def negation_choice() -> Scorer:
    """Is the option chosen the standard negation? (arXiv:2506.14397, Section 5.1).

    The answer is the letter. A reply that chooses no option of its item is a format violation:
    wrong for accuracy, and no choice in the statistics of errors. Where the options were scored by
    likelihood, the likeliest is the choice.
    """

    async def score(state: TaskState, target: Target) -> Score:
        if ItemKey.OPTIONS not in state.metadata:
            raise ValueError(
                "negation_choice scores the samples of the task nubench: sample "
                f"{state.sample_id!r} is of another task"
            )
        options = str(state.metadata[ItemKey.OPTIONS])
        likelihoods = state.metadata.get(ItemKey.LIKELIHOODS)
        if likelihoods is not None:
            return likelihood_score(likelihoods, options)
        output = state.output
        letters = LETTERS[: len(options)]
        if not output.choices:
            return Score.unscored(
                reason="no_response",
                explanation=NO_REPLY,
                metadata={ChoiceKey.STATUS: Status.UNSCORED},
            )
        return choice_score(read_letter(output.completion, letters, output.stop_reason), options)

    return score


def choice_score(reading: LetterReading, options: str) -> Score:
    """The score of one reading.

    Args:
        reading: The letter, or none.
        options: The codes of the options, A first.
    """
    if reading.letter is None:
        return Score(
            value=INCORRECT,
            explanation=reading.explanation,
            reason=SCORE_REASONS[reading.status],
            metadata={ChoiceKey.STATUS: reading.status},
        )
    code = options[LETTERS.index(reading.letter)]
    return Score(
        value=CORRECT if OPTION_CODES[code] == OptionType.STANDARD else INCORRECT,
        answer=reading.letter,
        metadata={ChoiceKey.STATUS: reading.status, ChoiceKey.CHOSEN: code},
    )


def likelihood_score(likelihoods: Sequence[Mapping[str, Any]], options: str) -> Score:
    """The score of options whose log-likelihood was taken; of equals the first is chosen.

    Args:
        likelihoods: `total` (natural log) and `tokens` of each option, A first.
        options: The codes of the options, A first.
    """
    totals = [float(one["total"]) for one in likelihoods]
    per_token = [total / one["tokens"] for total, one in zip(totals, likelihoods, strict=True)]
    best = max(range(len(totals)), key=totals.__getitem__)
    best_per_token = max(range(len(totals)), key=per_token.__getitem__)
    score = choice_score(LetterReading(Status.VALID, LETTERS[best], ""), options)
    score.metadata = (score.metadata or {}) | {ChoiceKey.PER_TOKEN: options[best_per_token]}
    score.explanation = "; ".join(
        f"{letter} {total:.2f} ({rate:.3f} per token)"
        for letter, total, rate in zip(LETTERS, totals, per_token, strict=False)
    )
    return score


def _chosen(scores: Sequence[SampleScore]) -> list[str]:
    """The codes of the options chosen, of those replies that choose one."""
    codes = ((score.score.metadata or {}).get(ChoiceKey.CHOSEN) for score in scores)
    return [str(code) for code in codes if code is not None]


def _share(codes: Sequence[str], code: str) -> float:
    return codes.count(code) / len(codes) if codes else math.nan
