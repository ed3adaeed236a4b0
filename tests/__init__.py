"""Tests of the project, and the independent oracles they check against."""
