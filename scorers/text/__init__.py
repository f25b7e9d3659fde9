"""What all families read in a reply: JSON objects, letters, text without its reasoning."""
