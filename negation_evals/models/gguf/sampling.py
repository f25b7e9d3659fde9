"""What llama.cpp is told of how to draw an answer."""

from typing import Any

from inspect_ai.model import GenerateConfig


def request_config(config: GenerateConfig, exact: bool) -> GenerateConfig:
    """The config with what llama.cpp needs to be told; `extra_body` of the user's wins.

    Sampling is plain, as with models behind an API: llama.cpp by itself would leave out what is
    not among the 40 likeliest tokens, in the upper 95 % of probability and at least 5 % as likely
    as the likeliest, so that a decision of 4 % never came. The response schema is sent whole;
    Inspect's client leaves out the bounds of numbers and lengths.
    """
    extra: dict[str, Any] = {
        "cache_prompt": not exact,
        "top_k": config.top_k or 0,
        "min_p": 0.0,
    }
    if config.response_schema is not None:
        schema = config.response_schema
        extra["response_format"] = {
            "type": "json_schema",
            "json_schema": {
                "name": schema.name,
                "schema": schema.json_schema.model_dump(exclude_none=True),
            },
        }
    return config.model_copy(
        update={
            "top_p": 1.0 if config.top_p is None else config.top_p,
            "extra_body": extra | (config.extra_body or {}),
        }
    )
