"""Negation framing: one dilemma, one action, several wordings of the same question."""
