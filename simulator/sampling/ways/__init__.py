"""One sampler for each way of browsing."""
