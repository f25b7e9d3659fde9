"""The sections on framing, shared by HTML and Markdown."""
