"""Scores that tests of what people see are made of."""

import numpy as np
import pandas as pd

from prum.experiments.compare import ComparisonResult, Question, Scores
from prum.experiments.compare.view import ranking_table
from prum.experiments.frame.view import Table


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


AP = {"bm25": {"q1": 0.5, "q2": 0.25, "q3": 1.0}, "dense": {"q1": 0.25, "q2": 0.75, "q3": 0.5}}
P = {"bm25": {"q1": 0.2, "q2": 0.4, "q3": 0.6}, "dense": {"q1": 0.1, "q2": 0.3, "q3": 0.5}}
BOTH = "AP", "P@5"
LONG = pd.DataFrame(
    [
        (system, topic, measure, score)
        for measure, table in zip(BOTH, (AP, P), strict=True)
        for system, by in table.items()
        for topic, score in by.items()
    ],
    columns=["system", "topic", "measure", "score"],
)
WIDE = pd.DataFrame(AP)


def assert_same(result: ComparisonResult, *measures: str) -> None:
    """Assert that a result holds the scores above."""
    scores = result.scores
    assert (scores.systems, scores.topics) == (("bm25", "dense"), ("q1", "q2", "q3"))
    wanted = [[list(table[system].values()) for system in AP] for table in (AP, P)]
    assert scores.measures == measures
    np.testing.assert_array_equal(scores.values, np.stack(wanted[: len(measures)], axis=2))


def scores_of(values: object, *measures: str) -> Scores:
    """Return scores, (systems, topics) or with a third axis of measures."""
    array = np.array(values, dtype=np.float64)
    array = array if array.ndim == 3 else array[:, :, None]
    systems = tuple("abcdefghij"[: len(array)])
    topics = tuple(f"q{at}" for at in range(array.shape[1]))
    return Scores(measures or ("AP",), systems, topics, array)


def table_of(result: ComparisonResult, top: int | None = None) -> Table:
    """Return the table of its systems."""
    return ranking_table(result.scores, result.decision, top=top)
