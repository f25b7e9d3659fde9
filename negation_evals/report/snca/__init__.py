"""SNCA in the report."""
