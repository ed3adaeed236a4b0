"""P, R, E and ADM of many lists of estimates at once; `prum.analytic.adm` has them of one."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MEASURES = ("P", "R", "E", "ADM")
THRESHOLD = 0.5


def scores(
    sre: Floats, ure: Floats, retrieved: float = THRESHOLD, relevant: float = THRESHOLD
) -> Floats:
    """Return P, R, E and ADM, shape (..., 4), of estimates, shape (..., documents).

    P is nan where nothing is retrieved, R where nothing is relevant, E where one of them is.

    >>> scores(np.array([[0.9, 0.4]]), np.array([0.6, 0.5])).round(4).tolist()
    [[1.0, 0.5, 0.75, 0.8]]
    """
    shown, wanted = sre >= retrieved, ure >= relevant
    both = (shown & wanted).sum(axis=-1)
    with np.errstate(invalid="ignore"):
        precision = both / shown.sum(axis=-1)
        recall = both / wanted.sum(axis=-1)
    distance = 1 - np.abs(sre - ure).mean(axis=-1)
    return np.stack([precision, recall, (precision + recall) / 2, distance], axis=-1)
