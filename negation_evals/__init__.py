"""Inspect evaluations of negation: does a model do what it is told when it is told not to?"""

from negation_evals._version import __version__
from negation_evals.framing.consensus import framing_consensus
from negation_evals.framing.tasks import negation_framing, sff
from negation_evals.nubench.tasks import nubench
from negation_evals.snca.behavior import snca_behavior
from negation_evals.snca.extraction import snca_extraction
from negation_evals.snca.matching import snca_matching

__all__ = [
    "__version__",
    "framing_consensus",
    "negation_framing",
    "nubench",
    "sff",
    "snca_behavior",
    "snca_extraction",
    "snca_matching",
]
