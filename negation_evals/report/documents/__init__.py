"""The parts of a page, and how they become HTML and Markdown."""
