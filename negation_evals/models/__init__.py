"""Models that need no key: GGUF files on the CPU, and respondents with known behaviour."""
