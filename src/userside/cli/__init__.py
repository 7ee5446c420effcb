"""The command line: one file a command, each parses, calls one function of the library, and prints."""

from userside.cli.app import main

__all__ = ["main"]
