"""What the statistics of all families share."""
