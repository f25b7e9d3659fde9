"""Statistics of SNCA (arXiv:2604.09189)."""
