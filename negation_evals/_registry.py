"""What Inspect finds by name: tasks, solvers, scorers, metrics and model providers."""

# ruff: noqa: F401 (what is imported is registered)

from negation_evals.framing.answer import answer_proposal
from negation_evals.framing.consensus import framing_consensus
from negation_evals.framing.task import negation_framing, sff
from negation_evals.models.providers import gguf, simulated
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
