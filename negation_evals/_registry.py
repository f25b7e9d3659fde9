"""What Inspect finds by name: tasks, solvers, scorers, metrics and model providers."""

from negation_evals.framing.tasks import answer_proposal, negation_framing, sff
from negation_evals.models.gguf import gguf
from negation_evals.models.simulated import SimulatedAPI
from negation_evals.scorers.decision import decision, validity
from negation_evals.scorers.metrics import compliance, endorsement_by_frame, nsi

__all__ = [
    "SimulatedAPI",
    "answer_proposal",
    "compliance",
    "decision",
    "endorsement_by_frame",
    "gguf",
    "negation_framing",
    "nsi",
    "sff",
    "validity",
]
