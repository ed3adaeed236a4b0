"""Specifications of benchmarks that are known by name."""
