"""Thunder-NUBench (arXiv:2506.14397): which option is the standard negation of a sentence?"""
