"""Inspect evaluations of negation: does a model do what it is told when it is told not to?"""

from negation_evals._version import __version__
from negation_evals.framing.tasks import negation_framing, sff
from negation_evals.nubench.tasks import nubench

__all__ = ["__version__", "negation_framing", "nubench", "sff"]
