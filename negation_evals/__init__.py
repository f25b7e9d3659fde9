"""Inspect evaluations of negation: does a model do what it is told when it is told not to?"""

# ruff: noqa: F401 (all that is imported is public)

from negation_evals._version import __version__
from negation_evals.framing.consensus import framing_consensus
from negation_evals.framing.task import negation_framing, sff
from negation_evals.nubench.task import nubench
from negation_evals.snca.behavior_task import snca_behavior
from negation_evals.snca.extraction_task import snca_extraction
from negation_evals.snca.matching_task import snca_matching

__all__ = ["__version__", *(name for name, value in globals().items() if callable(value))]
