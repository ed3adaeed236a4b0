"""Scores and pairs that tests of families of comparisons are made of."""

from itertools import combinations
from typing import Any

import numpy as np

LEVEL = 0.05


def all_pairs(num: int) -> Any:
    return np.array(list(combinations(range(num), 2)))


def against(baseline: int, num: int) -> Any:
    return np.array([(system, baseline) for system in range(num) if system != baseline])


def made(num_systems: int, num_topics: int, seed: int, apart: float = 0.0) -> Any:
    """Return scores with effects of topics; means of systems rise by `apart`."""
    rng = np.random.default_rng(seed)
    topics = rng.normal(size=num_topics)
    means = apart * np.arange(num_systems)[:, None]
    return topics + means + rng.normal(size=(num_systems, num_topics))
