"""The model providers by name; what they import is loaded when such a model is made."""

from inspect_ai.model import ModelAPI, modelapi


@modelapi(name="gguf")
def gguf() -> type[ModelAPI]:
    """Local GGUF files through llama.cpp."""
    from negation_evals.models.gguf.provider import GGUFAPI

    return GGUFAPI


@modelapi(name="simulated")
def simulated() -> type[ModelAPI]:
    """Respondents and test takers with known answers."""
    from negation_evals.models.simulated.provider import SimulatedAPI

    return SimulatedAPI
