"""Compiled loops, imported where they are needed: numba is slow to load."""
