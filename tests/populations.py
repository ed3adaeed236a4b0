"""The exact value of users who differ, of a reach: its task, and links from each rank."""

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic import PrecisionRecall, closed_form
from prum.simulator.model import Beta, Browsing, Independent, ListCosts, OneFactor, Task, Types


def exact_of(
    reach: ArrayLike,
    unranked: int,
    population: Types | Beta | OneFactor,
    *,
    own: dict[int, int] | None = None,
    costs: ListCosts | None = None,
) -> PrecisionRecall:
    """Return the closed form; at rank index i stands ideal own[i], elsewhere none."""
    rows = np.asarray(reach, dtype=float)
    ideals = [f"ideal {x:03}" for x in range(rows.shape[1])]
    ranking = [f"rank {i}" for i in range(len(rows))]
    for i, x in (own or {}).items():
        ranking[i] = ideals[x]
    links = {
        (ranking[i], ideals[x]): float(rows[i, x])
        for i, x in np.argwhere(rows > 0).tolist()
        if ranking[i] != ideals[x]
    }
    task = Task(ranking, ideals, len(rows) + unranked)
    value = closed_form(task, Browsing(Independent(links), population), costs=costs)
    assert value is not None
    return value
