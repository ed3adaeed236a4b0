"""Scores that tests of what people see are made of."""

import numpy as np

from prum.experiments.compare import ComparisonResult, Question, Scores


def made_result(
    num_systems: int,
    *,
    num_topics: int = 20,
    measures: tuple[str, ...] = ("AP", "nDCG@10"),
    names: tuple[str, ...] = (),
    gap: float = 0.05,
    **question: object,
) -> ComparisonResult:
    """Return systems, each worse than the one before by `gap` and by chance."""
    rng = np.random.default_rng(1)
    shape = num_systems, num_topics, len(measures)
    values = rng.normal(0, 0.1, shape) - gap * np.arange(num_systems)[:, None, None] + 0.9
    return ComparisonResult(
        scores=Scores(
            measures,
            names or tuple(f"system{number}" for number in range(num_systems)),
            tuple(f"q{number}" for number in range(num_topics)),
            values,
        ),
        question=Question(**question),  # type: ignore[arg-type]
        command="prum compare scores.csv",
    )
