"""A provider that runs GGUF files on the CPU."""
