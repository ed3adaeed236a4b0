"""Whether what was predicted with probability p happens in a share p of cases: calibration."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from prum.experiments.fitting.predictions import Predictions
from prum.experiments.statistics.proportions import wilson
from prum.simulator.model.arrays import Floats, Ints

if TYPE_CHECKING:
    import pandas as pd

# Options are put together by their probability: links of a page have small ones.
EDGES = np.append([0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05], np.arange(1, 11) / 10)
_BINS = len(EDGES) - 1
# A bin counts in the test if so many were to be taken, and so many were not.
_EXPECTED = 5.0
# Beside the largest, an eigenvalue that rounding leaves of none.
_NONE = 1e-9


class ReliabilitySums:
    """Sums over options by their probability, to which batches are added."""

    def __init__(self) -> None:
        self.num_choices = 0
        self.options = np.zeros(_BINS)
        self.expected, self.taken = np.zeros(_BINS), np.zeros(_BINS)
        self.squares, self.hits, self.spread = np.zeros(_BINS), np.zeros(_BINS), np.zeros(_BINS)
        # Over sessions: squares of what was taken less what was expected, of options, and products.
        self.squared_gaps, self.squared_options = np.zeros(_BINS), np.zeros(_BINS)
        self.crossed = np.zeros(_BINS)
        # Over choices: products of what was expected in two bins.
        self.products = np.zeros((_BINS, _BINS))

    def add(self, predicted: Predictions) -> None:
        """Add the choices of whole sessions."""
        p, y = predicted.probabilities, predicted.taken.astype(np.float64)
        own = np.minimum(np.searchsorted(EDGES, p, side="right") - 1, _BINS - 1)
        self.num_choices += len(predicted.session)
        for sums, values in (
            (self.options, np.ones(len(p))),
            (self.expected, p),
            (self.taken, y),
            (self.squares, p * p),
            (self.hits, p * y),
            (self.spread, p * (1 - p)),
        ):
            sums += np.bincount(own, values, _BINS)
        _, session = np.unique(predicted.session, return_inverse=True)

        def summed(owner: Ints, values: Floats) -> Floats:
            size = int(owner.max(initial=-1)) + 1
            whole = np.bincount(owner * _BINS + own, values, size * _BINS).astype(np.float64)
            return whole.reshape(-1, _BINS)

        choice = predicted.choice
        gaps = summed(session[choice], y - p)
        options = summed(session[choice], np.ones(len(p)))
        self.squared_gaps += (gaps**2).sum(axis=0)
        self.squared_options += (options**2).sum(axis=0)
        self.crossed += (gaps * options).sum(axis=0)
        expected = summed(choice, p)
        self.products += expected.T @ expected


@dataclass(frozen=True, slots=True, eq=False)
class Reliability:
    """The reliability curve of predicted probabilities, and the Brier score with its parts.

    An option is a link that could be taken, or that people could stop, say; all that hold for the
    sum over the options of a choice are means over choices.

    Parameters
    ----------
    low, high
        Between which probabilities the options of each bin lie; shape (b,), as below. Bins without
        options are left out.
    options
        How many there are.
    probability, share
        What was predicted of them in the mean, and the share that was taken.
    share_low, share_high
        Wilson's 95 % interval of what the share would be in more sessions: of as many independent
        options as vary as these, whose sessions hold several.
    brier
        The mean over choices of the sum over options of (p - 1)^2 of the one that was taken, and
        p^2 of the others: 0 is best (Brier 1950).
    reliability, resolution, uncertainty
        Its parts by bins, reliability - resolution + uncertainty (Murphy 1973): how far shares are
        from what was predicted, how far from the share of all, and what the latter alone gives.
    within_bins
        The rest, from probabilities that differ within a bin (Stephenson et al. 2008).
    error
        The expected calibration error: the distance |taken - expected| of bins, summed, by choices.
    p_value
        Of the hypothesis that each probability is right, given what came before: the chi squared of
        what was taken less what was expected in the bins, with the covariance that this gives. NaN
        where no bin is expected to hold five options that are taken and five that are not.
    """

    low: Floats
    high: Floats
    options: Ints
    probability: Floats
    share: Floats
    share_low: Floats
    share_high: Floats
    brier: float
    reliability: float
    resolution: float
    uncertainty: float
    within_bins: float
    error: float
    p_value: float

    @classmethod
    def of(cls, sums: ReliabilitySums) -> "Reliability":
        """Return the curve of some choices, one at least."""
        used = np.flatnonzero(sums.options > 0)
        n, expected, taken = (part[used] for part in (sums.options, sums.expected, sums.taken))
        num = sums.num_choices
        p, share, overall = expected / n, taken / n, taken.sum() / n.sum()
        brier = float((sums.squares - 2 * sums.hits + sums.taken).sum()) / num
        reliability = float((n * (p - share) ** 2).sum()) / num
        resolution = float((n * (share - overall) ** 2).sum()) / num
        uncertainty = float(n.sum() * overall * (1 - overall)) / num
        # How much more the sums of sessions vary than those of independent options would.
        gap = share - p
        varied = (
            sums.squared_gaps[used]
            - 2 * gap * sums.crossed[used]
            + gap**2 * sums.squared_options[used]
        )
        tossed = sums.spread[used]
        worth = np.maximum(np.divide(varied, tossed, out=np.ones(len(n)), where=tossed > 0), 1)
        low, high = wilson(taken / worth, n / worth)
        return cls(
            EDGES[used], EDGES[used + 1], n.astype(np.int64), p, share, low, high, brier,
            reliability, resolution, uncertainty, brier - (reliability - resolution + uncertainty),
            float(np.abs(taken - expected).sum()) / num, _p_value(sums),
        )  # fmt: skip

    def frame(self) -> "pd.DataFrame":
        """Return the curve, a line for each bin."""
        import pandas as pd

        names = ("low", "high", "options", "probability", "share", "share_low", "share_high")
        return pd.DataFrame({name: getattr(self, name) for name in names})


def _p_value(sums: ReliabilitySums) -> float:
    """Return how often bins would be as far from what was expected, were all as predicted."""
    from scipy.stats import chi2

    tested = (sums.expected >= _EXPECTED) & (sums.options - sums.expected >= _EXPECTED)
    apart = (sums.taken - sums.expected)[tested]
    # One option of a choice is taken; what came before it tells nothing of that.
    covariance = (np.diag(sums.expected) - sums.products)[np.ix_(tested, tested)]
    values, vectors = np.linalg.eigh(covariance)
    kept = values > _NONE * values.max(initial=0.0)
    if not kept.any():
        return float("nan")
    statistic = float(((vectors.T @ apart)[kept] ** 2 / values[kept]).sum())
    return float(chi2.sf(statistic, int(kept.sum())))
