"""Negation framing in the report."""
