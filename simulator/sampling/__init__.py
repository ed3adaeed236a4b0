"""Many users fast: streams, kernels, their plain-Python twins, the sampler."""
