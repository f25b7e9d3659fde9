"""What the figures of all families share."""
