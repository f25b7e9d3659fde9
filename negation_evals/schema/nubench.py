"""The vocabulary of NUBench."""

from enum import StrEnum
from typing import Final


class OptionType(StrEnum):
    """What an option of a NUBench item is to its sentence (arXiv:2506.14397, Section 4)."""

    STANDARD = "standard negation"
    LOCAL = "local negation"
    CONTRADICTION = "contradiction"
    PARAPHRASE = "paraphrase"


OPTION_CODES: Final = {kind.value[0]: kind for kind in OptionType}
"""Option types by their first letter, as logs hold them."""
LETTERS: Final = "ABCD"
"""What options are shown under, and answered by."""


class ItemKey(StrEnum):
    """Keys of `Sample.metadata` in the task `nubench`."""

    ITEM = "item"
    PAGE = "page"
    """The Wikipedia page that the sentence is from: items of one page are a cluster."""
    LOCAL_TYPE = "local_type"
    """The construction that the local negation negates; None without one."""
    OPTIONS = "options"
    """Types of the options as shown, A first, by their first letters: the permutation."""
    LIKELIHOODS = "likelihoods"
    """Log-likelihood and tokens of each option, where options were scored and not chosen."""


class ChoiceKey(StrEnum):
    """Keys of `Score.metadata` of the scorer `negation_choice`."""

    STATUS = "status"
    CHOSEN = "chosen"
    """The type of the option chosen, by its first letter."""
    PER_TOKEN = "per_token"
    """The type that the log-likelihood per token chooses."""


class NubenchKey(StrEnum):
    """Keys of `Task.metadata` of the task `nubench`."""

    DATASET = "dataset"
    REVISION = "revision"
    DATA_HASH = "items_sha256"
    DEMONSTRATIONS = "demonstrations_sha256"
    """Hash of the split that demonstrations come from; empty without any."""
    SPLIT = "split"
    INSTRUCTIONS = "instructions"
    SHOTS = "shots"
    FORMAT = "format"
    COT = "cot"
    STRUCTURED = "structured"
    SHUFFLE_SEED = "seed"


SOLVERS: Final = ("choose_option", "score_candidates")
"""The tasks' own solvers, which another may take the place of, or stand beside."""
CHOICE_SCORER: Final = "negation_choice"
