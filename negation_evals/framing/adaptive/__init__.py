"""Adaptive audits: when to look at the answers, and when a domain is decided."""
