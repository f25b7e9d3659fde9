"""The log-likelihood of each option given the prompt, through Inspect's prompt log probabilities.

The prompt with a candidate is sent as it is, without a chat template, and the log probabilities of
its tokens come back. How many of them belong to the context is told by a request with the context
alone: the candidate begins with a space, so that no token spans both.
"""

from typing import Any, Final

import click
from inspect_ai.model import ChatMessageUser, GenerateConfig, Logprob, Model, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from negation_evals.schema.common import SCORED_FROM
from negation_evals.schema.nubench import ItemKey
from negation_evals.scorers.text.output import stop_reason

PROVIDERS: Final = ("gguf", "vllm-completions", "openai-api-completions")
"""Providers that send a raw prompt and bring back its log probabilities."""


@solver
def score_candidates() -> Solver:
    """Take the log-likelihood of each option as the continuation of the prompt.

    Records, for each option in the order shown, the sum over its tokens (`total`, natural log) and
    their number (`tokens`) in the sample's metadata.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.model.api not in PROVIDERS:
            raise click.UsageError(
                f"format=completion needs prompt log probabilities, which {state.model} does not "
                f"give; providers that do: {', '.join(f'{name}/' for name in PROVIDERS)}; "
                "or use format=option"
            )
        model, context = get_model(), state.input_text
        before = len(await prompt_logprobs(model, context, len(context)))
        state.metadata[ItemKey.LIKELIHOODS] = [
            candidate_likelihood(
                await prompt_logprobs(model, f"{context} {choice.value}", len(context)), before
            )
            for choice in state.choices
        ]
        return state

    return solve


async def prompt_logprobs(model: Model, prompt: str, scored_from: int) -> list[Logprob]:
    """The log probabilities of a prompt's tokens, the first of which has none.

    Raises:
        click.UsageError: the server gives none.
    """
    # `gguf` gives no more than is needed; remote providers disregard it and give all.
    message = ChatMessageUser(content=prompt, metadata={SCORED_FROM: scored_from})
    config = GenerateConfig(prompt_logprobs=1, max_tokens=1, temperature=0.0)
    output = await model.generate([message], config=config)
    logprobs = output.choices[0].prompt_logprobs if output.choices else None
    if stop_reason(output) == "model_length":
        raise click.UsageError(
            f"format=completion: the prompt does not fit the context of {model}: fewer shots, or a "
            "longer context"
        )
    if logprobs is None:
        raise click.UsageError(
            f"format=completion: the server of {model} gave no prompt log probabilities: it must "
            "support prompt_logprobs (vLLM, SGLang); or use format=option"
        )
    return logprobs.content


def candidate_likelihood(logprobs: list[Logprob], before: int) -> dict[str, Any]:
    """Sum and number of the log probabilities that follow those of the context.

    Args:
        logprobs: Of context and candidate together.
        before: How many the context alone has.

    Raises:
        ValueError: nothing follows.
    """
    own = [one.logprob for one in logprobs[before:]]
    if not own:
        raise ValueError("a candidate has no token of its own: the server cut the prompt")
    return {"total": sum(own), "tokens": len(own)}
