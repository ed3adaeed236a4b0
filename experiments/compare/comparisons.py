"""Systems beside each other: paired differences over topics, tested and bounded as one family."""

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from prum.experiments.compare.scores import Scores
from prum.experiments.statistics.multiplicity import simultaneous
from prum.experiments.statistics.tests import mean_and_error
from prum.simulator.model import InputError

if TYPE_CHECKING:
    import pandas as pd

PROCEDURE = "Student's paired t, Bonferroni over all comparisons in one step"


def compare_systems(scores: Scores, *, baseline: str | None = None) -> "pd.DataFrame":
    """Return a row for each measure and pair of systems: their difference, and whether it is one.

    All pairs, or each system beside the baseline. `difference` is the mean over topics of the
    first system's score less the second's, `p` that of Student's paired t-test, two-sided. The
    family is all m rows with a test, of all measures; one step of Bonferroni's adjusts for it:

    - `adjusted` is min(m p, 1): the chance that any row without a difference has less than `LEVEL`
      is at most `LEVEL`;
    - `low` and `high` are the ends of the interval of level 1 - `LEVEL` / m: the chance that all of
      them hold their differences is at least 1 - `LEVEL`.

    An interval leaves out 0 if and only if `adjusted` is below `LEVEL`. A difference that is the
    same on every topic has no error: p is 0, or 1 if it is none. With fewer than two topics there
    is no test, and all of them are NaN.

    Raises
    ------
    InputError
        if the baseline is no system.
    """
    import pandas as pd

    if baseline is not None and baseline not in scores.systems:
        raise InputError(
            "baseline",
            baseline,
            f"be one of the runs, like {scores.systems[0]!r}",
            remedy="name a run by its file",
        )
    rows = []
    for number, measure in enumerate(scores.measures):
        values = scores.of(number)
        for first, second in _pairs(scores, baseline):
            mean, error = map(float, mean_and_error(values[first] - values[second]))
            pair = scores.systems[first], scores.systems[second]
            rows.append((str(measure), *pair, mean, error, values.shape[1]))
    columns = ["measure", "system", "other", "difference", "error", "topics"]
    table = pd.DataFrame(rows, columns=columns)
    ends = simultaneous(
        *(table[name].to_numpy(dtype=np.float64) for name in ("difference", "error", "topics"))
    )
    low, high, p, adjusted = ends
    return table[columns[:4]].assign(
        low=low, high=high, topics=table["topics"], p=p, adjusted=adjusted
    )


def _pairs(scores: Scores, baseline: str | None) -> Iterator[tuple[int, int]]:
    numbers = range(len(scores.systems))
    if baseline is None:
        yield from combinations(numbers, 2)
        return
    fixed = scores.systems.index(baseline)
    yield from ((number, fixed) for number in numbers if number != fixed)
