"""Benchmarks: run with `pytest tests/benchmarks`, or `python tests/benchmarks/compare.py`."""
