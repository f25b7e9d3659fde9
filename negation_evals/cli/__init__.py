"""The command `negation-evals`: thin commands over the library.

Exit codes: 0 done; 1 an audit ran and failed; 2 bad input or usage. `certify` has more.
"""

from negation_evals.cli.main import main

__all__ = ["main"]
