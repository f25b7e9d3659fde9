"""From logs and tables to rows: which files, which runs, which scores count."""
