"""Simulated measures beside C(r) and CL(r), and comparisons of two lists."""
