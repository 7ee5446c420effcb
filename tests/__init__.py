"""The tests; `python -m tests.generated` writes what is generated from the code."""
