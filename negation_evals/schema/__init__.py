"""The vocabulary that tasks, scorers and analysis share; imports nothing of ours."""
