"""Tells whether conversational AI works for the people who use it, and why."""

__version__ = "0.1.0"
