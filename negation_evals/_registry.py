"""What Inspect finds by name: tasks, solvers, scorers, metrics and model providers."""

from negation_evals.framing.tasks import answer_proposal, negation_framing, sff
from negation_evals.models.gguf import gguf
from negation_evals.models.simulated import SimulatedAPI
from negation_evals.nubench.likelihood import score_candidates
from negation_evals.nubench.tasks import choose_option, nubench
from negation_evals.scorers.choice import (
    accuracy_per_token,
    error_shares,
    local_confusion,
    negation_choice,
    violations,
)
from negation_evals.scorers.decision import decision, validity
from negation_evals.scorers.metrics import compliance, endorsement_by_frame, nsi

__all__ = [
    "SimulatedAPI",
    "accuracy_per_token",
    "answer_proposal",
    "choose_option",
    "compliance",
    "decision",
    "endorsement_by_frame",
    "error_shares",
    "gguf",
    "local_confusion",
    "negation_choice",
    "negation_framing",
    "nsi",
    "nubench",
    "score_candidates",
    "sff",
    "validity",
    "violations",
]
