"""The figures of the framing sections."""
