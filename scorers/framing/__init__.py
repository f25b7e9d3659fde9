"""Scorers and metrics of the framing tasks."""
