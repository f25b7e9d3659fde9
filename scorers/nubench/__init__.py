"""Scorers and metrics of NUBench."""
