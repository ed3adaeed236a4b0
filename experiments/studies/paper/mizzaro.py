"""Our values for Mizzaro (2001): Table 1, the sectors of Fig. 4 and the band of Fig. 6."""

from typing import Any

import numpy as np

from prum.analytic.adm import adm, adm_categories, sector_measures, threshold_measures
from prum.experiments.studies.paper import OwnValue, apart

# Table 1: what users and three systems estimate of five documents.
_URE = np.array([0.8, 0.6, 0.4, 0.2, 0.1])
_SRE = {
    "irs1": np.array([0.9, 0.5, 0.5, 0.1, 0.2]),
    "irs2": np.array([1.0, 0.4, 0.6, 0.0, 0.3]),
    "irs3": np.array([0.8, 0.6, 0.4, 0.2, 1.0]),
}


def values(seed: int) -> dict[str, Any]:  # noqa: ARG001 - as of the other papers
    """Return our values."""
    measured: dict[str, Any] = {}
    for name, sre in _SRE.items():
        rates = threshold_measures(sre, _URE)
        measured |= {
            f"{name} P": rates.precision,
            f"{name} R": rates.recall,
            # Of P and R as they are printed.
            f"{name} E": OwnValue(rates.e, mistaken=(round(rates.precision, 2) + rates.recall) / 2),
            f"{name} ADM": adm(sre, _URE),
        }
    errors = {name: np.abs(sre - _URE) for name, sre in _SRE.items()}
    one_of_two = threshold_measures([0.9, 0.1], [0.9, 0.9])
    return {
        **measured,
        "closer": int((errors["irs1"] < errors["irs2"]).sum()),
        "closer but one": int((errors["irs3"] < errors["irs1"]).sum()),
        "points E": one_of_two.e,
        "perfect E": threshold_measures(_URE, _URE).e,
        **_plane(),
    }


def _plane() -> dict[str, Any]:
    """Return what is said of the plane of URE and SRE, of points at random and on a grid."""
    sre, ure = np.random.default_rng(5).random((2, 500))
    measures = threshold_measures(sre, ure)
    shown, relevant = sre >= 0.5, ure >= 0.5
    a, b, c, d = (
        int((by_system & by_users).sum())
        for by_system, by_users in (
            (shown, ~relevant),
            (shown, relevant),
            (~shown, ~relevant),
            (~shown, relevant),
        )
    )
    printed = (b / (a + b), b / (b + d), a / (a + c), (b + d) / (a + b + c + d))
    ours = (measures.precision, measures.recall, measures.fallout, measures.generality)
    more = np.random.default_rng(6).random((2, 1000)) / 2
    added = threshold_measures(np.append(sre, more[0]), np.append(ure, more[1]))
    corners = {1 - adm_categories([x], [y], 2, 2) for x, y in zip(sre, ure, strict=True)}
    # The middles of a grid's cells, of which none lies on the band's edge.
    middle = (np.arange(400) + 0.5) / 400
    grid = np.repeat(middle, 400), np.tile(middle, 400)
    near = sector_measures(*grid).counts
    within = sum(near[number - 1] for number in (3, 4, 7, 8)) / len(grid[0])
    looked_at = threshold_measures(*grid)
    # Of one that is retrieved, nearer to the diagonal than this or not: P' is 1 or 0.
    edge = 1 - 2**0.5 / 2
    sides = [sector_measures([1.0], [1 - edge + side]).precision for side in (1e-9, -1e-9)]
    return {
        "sectors": apart(max(abs(x - y) for x, y in zip(printed, ours, strict=True))),
        "share seen": 1 - looked_at.c / len(grid[0]),
        "added to C": apart(abs(added.precision - ours[0]) + abs(added.recall - ours[1])),
        "distances": " and ".join(f"{value:g}" for value in sorted(corners)),
        "band": "1 − √2/2" if sides == [1, 0] else "another",
        # To the grid's own precision.
        "area": round(within, 2),
    }
