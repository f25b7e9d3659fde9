"""Scorers and metrics: from a completion to a score."""
