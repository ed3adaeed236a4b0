"""Problems of thresholds: small errors that change much, and large ones that change nothing."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from prum.experiments.studies.thresholds.model import MEASURES, THRESHOLD, scores
from prum.experiments.studies.thresholds.rows import (
    ThresholdsRow,
    deviation_of,
    mean_of,
    row,
    with_values,
)
from prum.simulator.model.arrays import Floats

JITTERS = (0.01, 0.05, 0.1)
PUSHES = (0.25, 0.5, 1.0)
CUTS = tuple(round(0.3 + 0.05 * step, 2) for step in range(9))
FEW = 10


def jittered(
    sre: Floats,
    ure: Floats,
    draws: int,
    rng: np.random.Generator,
    advance: Callable[[], object],
) -> Iterator[ThresholdsRow]:
    """Yield how far measures move if each SRE does by a uniform number in [-e, e].

    What leaves [0, 1] is cut. Of each query the standard deviation and the range over jitters,
    averaged over queries, all and those with at most 10 relevant documents; and the standard
    deviation over jitters of the mean over queries.
    """
    few = (ure >= THRESHOLD).sum(axis=1) <= FEW
    for size in JITTERS:
        jitters = np.empty((draws, len(ure), len(MEASURES)))
        for draw in range(draws):
            moved = np.clip(sre + rng.uniform(-size, size, sre.shape), 0, 1)
            jitters[draw] = scores(moved, ure)
            advance()
        for number, measure in enumerate(MEASURES):
            values = jitters[:, :, number]
            # A query counts if all jitters give it a value.
            known = with_values(values)
            spread = values.std(axis=0, ddof=1)
            level = f"{size:g}"
            yield row("jitter", level, measure, "sd of a query", mean_of(spread))
            yield row("jitter", level, measure, "sd, few relevant", mean_of(spread[few]))
            yield row("jitter", level, measure, "range of a query", mean_of(np.ptp(values, axis=0)))
            yield row("jitter", level, measure, "sd of the mean", deviation_of(known.mean(axis=1)))


def cut_scores(sre: Floats, ure: Floats) -> dict[str, Floats]:
    """Return scores by threshold from .3 to .7, query and measure, by which thresholds move."""
    return {
        level: np.stack(
            [
                scores(sre, ure, cut if moves else THRESHOLD, cut if limits else THRESHOLD)
                for cut in CUTS
            ]
        )
        for level, moves, limits in (("retrieved", 1, 0), ("relevant", 0, 1), ("both", 1, 1))
    }


def moved_thresholds(by_cut: Mapping[str, Floats]) -> Iterator[ThresholdsRow]:
    """Yield the range of measures while thresholds go from .3 to .7, by .05."""
    for level, cuts in by_cut.items():
        for number, measure in enumerate(MEASURES):
            known = with_values(cuts[:, :, number])
            ranges = mean_of(np.ptp(known, axis=0))
            yield row("threshold", level, measure, "range of a query", ranges)
            over = float(np.ptp(known.mean(axis=1)))
            yield row("threshold", level, measure, "range of the mean", over)


def pushed(sre: Floats, ure: Floats) -> Iterator[ThresholdsRow]:
    """Yield how measures change if SREs go away from URE, by a share of the room in a sector."""
    before = scores(sre, ure)
    for share in PUSHES:
        change = scores(pushed_estimates(sre, ure, share), ure) - before
        for number, measure in enumerate(MEASURES):
            yield row("push", f"{share:g}", measure, "change", mean_of(change[:, number]))


def pushed_estimates(sre: Floats, ure: Floats, share: float) -> Floats:
    """Return SREs moved away from URE by a share of the way to the end of their side of 1/2.

    >>> pushed_estimates(np.array([0.75, 0.25]), np.array([0.5, 0.5]), 1).tolist()
    [1.0, 0.0]
    """
    above, up = sre >= THRESHOLD, sre >= ure
    # The largest number that is not retrieved.
    below_cut = np.nextafter(THRESHOLD, 0)
    end = np.where(up, np.where(above, 1.0, below_cut), np.where(above, THRESHOLD, 0.0))
    moved = sre + share * (end - sre)
    return np.where(above, np.maximum(moved, THRESHOLD), np.minimum(moved, below_cut))
