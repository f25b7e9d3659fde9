"""Scorers and metrics of the SNCA tasks."""
