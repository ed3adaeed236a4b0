"""Benchmarks: `python -m tests.benchmarks.compare` and its neighbours; no test asserts a time."""
