"""How far estimates of one list are from the true scores: bias, root mean square, the largest.

Hypothesis: PRUM (2.3 in place of the exact sum) errs little, and AP, whose users do not browse,
errs by what browsing is worth. Design: every system and topic of the dataset, on complete
judgements; intervals over topics. Cost: none, the scores are there.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from prum.experiments.statistics.intervals import mean_interval, root_mean_square
from prum.experiments.studies.estimators.rows import EstimatorRows
from prum.experiments.studies.estimators.scoring import REFERENCE
from prum.simulator.model.arrays import Floats

ALL = "all"


def against_truth(
    rows: EstimatorRows,
    systems: Sequence[str],
    scores: Mapping[str, Floats],
    errors: Floats,
    measures: Sequence[str],
) -> None:
    """Add bias, rmse and largest error of each measure, by system and of all.

    Parameters
    ----------
    errors
        Standard errors of the true scores, where they were simulated; their mean square is taken
        off that of the differences.
    """
    for measure in measures:
        difference = scores[measure] - scores[REFERENCE]
        for number, system in enumerate(systems):
            _add(rows, system, measure, difference[[number]], errors[[number]])
        _add(rows, ALL, measure, difference, errors)


def _add(
    rows: EstimatorRows, subject: str, measure: str, difference: Floats, errors: Floats
) -> None:
    """Add the numbers of some systems' differences, (systems, topics)."""
    rows.add("truth", subject, measure, "bias", mean_interval(difference.mean(axis=0)))
    squares = np.sqrt((difference**2).mean(axis=0))
    noise = float((errors**2).mean())
    rows.add("truth", subject, measure, "rmse", root_mean_square(squares, noise))
    rows.add("truth", subject, measure, "largest", float(np.abs(difference).max()))
