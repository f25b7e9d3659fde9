"""Statistics of negation framing (arXiv:2601.21433, arXiv:2601.09724)."""
