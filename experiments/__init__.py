"""Formula beside simulation."""
