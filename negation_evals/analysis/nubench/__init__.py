"""Statistics of NUBench (arXiv:2506.14397)."""
