"""Simulated models with known answers."""
