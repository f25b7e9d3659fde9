"""The Symbolic-Neural Consistency Audit: stated policies, behaviour, and what links them."""
