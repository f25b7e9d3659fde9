"""Log probabilities of a prompt's own tokens, from llama.cpp's server, which has no call for them.

The server is made to generate the very tokens of the prompt: a grammar of token ids allows no
other. The log probability it reports of each is taken from the model's distribution before the
grammar, so it is the one sought. Generating is slower than reading, so only the tokens from
`scored_from` on (a character's place, in the message's metadata) are done so.
"""

from typing import Any

import click
import httpx
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    Logprob,
    Logprobs,
    ModelOutput,
    ModelUsage,
)

from negation_evals.schema.common import SCORED_FROM


async def prompt_logprobs(base_url: str, api_key: str, input: list[ChatMessage]) -> ModelOutput:
    """The log probabilities of the tokens of a prompt.

    Args:
        base_url: The server's OpenAI-compatible address.
        api_key: Its password.
        input: One message, whose text is the prompt.

    Returns:
        An output without text whose `prompt_logprobs` hold the tokens from `scored_from` on
        (default all), but never the first of the prompt, which has none.

    Raises:
        click.UsageError: More than one message, or the prompt does not fit the context.
    """
    if len(input) != 1 or not input[0].text:
        raise click.UsageError("gguf: prompt_logprobs takes one message with text, sent as it is")
    text = input[0].text
    scored_from = int((input[0].metadata or {}).get(SCORED_FROM, 0))
    async with httpx.AsyncClient(
        base_url=base_url.removesuffix("/v1"),
        headers={"Authorization": f"Bearer {api_key}"},
        timeout=None,
        trust_env=False,
    ) as client:
        tokens = await _tokens(client, text)
        context = await _tokens(client, text[:scored_from])
        first = max(1, _common(tokens, context))
        content = await _forced(client, tokens[:first], tokens[first:])
    usage = ModelUsage(input_tokens=len(tokens), output_tokens=0, total_tokens=len(tokens))
    choice = ChatCompletionChoice(
        message=ChatMessageAssistant(content=""),
        stop_reason="stop",
        prompt_logprobs=Logprobs(content=content),
    )
    return ModelOutput(model="gguf", choices=[choice], usage=usage)


async def _tokens(client: httpx.AsyncClient, text: str) -> list[int]:
    """The tokens of a text; names of special tokens in it are text."""
    body = {"content": text, "add_special": True, "parse_special": False}
    return list((await _post(client, "/tokenize", body))["tokens"])


async def _forced(client: httpx.AsyncClient, before: list[int], rest: list[int]) -> list[Logprob]:
    """The log probability of each token of the rest, given all before it."""
    if not rest:
        return []
    body = {
        "prompt": before,
        "n_predict": len(rest),
        "n_probs": 1,
        "post_sampling_probs": False,
        "temperature": 0,
        "cache_prompt": False,
        "grammar": "root ::= " + " ".join(f"<[{token}]>" for token in rest),
    }
    made = (await _post(client, "/completion", body)).get("completion_probabilities", [])
    if [one["id"] for one in made] != rest:
        raise RuntimeError("llama.cpp did not follow the grammar of token ids")
    return [Logprob(token=one["token"], logprob=one["logprob"], bytes=one["bytes"]) for one in made]


async def _post(client: httpx.AsyncClient, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """One request; the server's refusal in one line."""
    response = await client.post(path, json=body)
    if response.is_error:
        try:
            reason = response.json()["error"]["message"]
        except (ValueError, KeyError, TypeError):
            reason = response.text[:200]
        raise click.UsageError(f"gguf: llama.cpp refused the prompt: {reason}")
    return dict(response.json())


def _common(first: list[int], second: list[int]) -> int:
    """How many tokens two sequences begin with in common."""
    for place, (one, other) in enumerate(zip(first, second, strict=False)):
        if one != other:
            return place
    return min(len(first), len(second))
