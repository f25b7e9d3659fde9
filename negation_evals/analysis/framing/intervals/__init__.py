"""Confidence intervals of NSI."""
