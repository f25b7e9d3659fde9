"""What Inspect finds by name: tasks, solvers, scorers, metrics and model providers."""

from negation_evals.framing.answer import answer_proposal
from negation_evals.framing.consensus import framing_consensus
from negation_evals.framing.task import negation_framing, sff
from negation_evals.models.gguf.provider import gguf
from negation_evals.models.simulated.provider import SimulatedAPI
from negation_evals.nubench.likelihood import score_candidates
from negation_evals.nubench.task import choose_option, nubench
from negation_evals.scorers.framing.decision import decision, validity
from negation_evals.scorers.framing.metrics import compliance, endorsement_by_frame, nsi
from negation_evals.scorers.nubench.choice import (
    accuracy_per_token,
    error_shares,
    local_confusion,
    negation_choice,
    violations,
)
from negation_evals.scorers.snca.condition_match import condition_match, match_rate
from negation_evals.scorers.snca.policy_type import opacity, policy_type, rule_types
from negation_evals.scorers.snca.refusal import refusal, refusal_by_kind, refusal_rate
from negation_evals.snca.behavior_task import answer_request, snca_behavior
from negation_evals.snca.extraction_task import snca_extraction, state_policy
from negation_evals.snca.matching_task import match_item, snca_matching

__all__ = [
    "SimulatedAPI",
    "accuracy_per_token",
    "answer_proposal",
    "answer_request",
    "choose_option",
    "compliance",
    "condition_match",
    "decision",
    "endorsement_by_frame",
    "error_shares",
    "framing_consensus",
    "gguf",
    "local_confusion",
    "match_item",
    "match_rate",
    "negation_choice",
    "negation_framing",
    "nsi",
    "nubench",
    "opacity",
    "policy_type",
    "refusal",
    "refusal_by_kind",
    "refusal_rate",
    "rule_types",
    "score_candidates",
    "sff",
    "snca_behavior",
    "snca_extraction",
    "snca_matching",
    "state_policy",
    "validity",
    "violations",
]
