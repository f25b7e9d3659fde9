"""Origin and size of a model by its name."""

import pytest

from negation_evals.analysis.reading.model_patterns import describe_model, load_model_patterns


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("openai/gpt-5-mini", ("US", "SMALL")),
        ("openrouter/meta-llama/llama-3.2-1b-instruct", ("OSS", "TINY")),
        ("ollama/llama3.2:3b", ("OSS", "TINY")),
        ("anthropic/claude-haiku-4-5-20251001", ("US", "MEDIUM")),
        ("fireworks/accounts/fireworks/models/deepseek-v3p2", ("CN", "SMALL")),
        ("together/Qwen/Qwen3-8B", ("CN", "TINY")),
        ("ollama/olmo-3:7b-instruct", ("OSS", "TINY")),
        ("ollama/granite4:3b", ("OSS", "TINY")),
        ("openai/o3", ("US", "unspecified")),
        ("gguf/smollm2-135m", ("OSS", "TINY")),
        ("openai/gpt-oss-20b", ("OSS", "SMALL")),
        ("mistral/mistral-large-latest", ("unspecified", "unspecified")),
        ("simulated/mirror", ("unspecified", "unspecified")),
        ("no-provider", ("unspecified", "unspecified")),
    ],
)
def test_models_are_described_or_unspecified(model: str, expected: tuple[str, str]) -> None:
    found = describe_model(model, load_model_patterns())
    assert (found.origin, found.size_tier) == expected
