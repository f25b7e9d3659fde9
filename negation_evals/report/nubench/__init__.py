"""NUBench in the report."""
