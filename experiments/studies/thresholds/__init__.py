"""Estimates cut at thresholds beside their distance: P, R, E and ADM as Mizzaro (2001) has them."""
