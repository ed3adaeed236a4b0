"""What a fitted navigation predicted of choices, what people chose, and whether both agree."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from prum.experiments.logs.sessions import Sessions, codes_of, expanded, rows_of
from prum.experiments.statistics.intervals import wilson
from prum.simulator.model import Links
from prum.simulator.model.arrays import Flags, Floats, Ints

if TYPE_CHECKING:
    import pandas as pd


# Kinds of choices: which link, given that people moved along one; whether to stop; whether to go
# back, given that they didn't stop; whether they came to y from x at all.
STEP, STOP, BACK, VISIT = "step", "stop", "back", "visit"


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """Choices in a batch of sessions: the probability of each option, and which was taken.

    What is missing to 1 in a choice is the probability of none of its options; so a choice of
    whether something happens has one option, that it does.

    Parameters
    ----------
    session
        Of each choice; shape (n,).
    starts
        Choice i has the options ``starts[i] <= k < starts[i + 1]``; shape (n + 1,).
    probabilities, taken
        Of each option; one of a choice is taken at most. Shape (starts[-1],).

    >>> rain = Predictions.tosses(np.array([0]), np.array([0.25]), np.array([False]))
    >>> rain.nats.round(3).tolist()
    [0.288]
    """

    session: Ints
    starts: Ints
    probabilities: Floats
    taken: Flags

    @classmethod
    def tosses(cls, session: Ints, probabilities: Floats, happened: Flags) -> "Predictions":
        """Return choices of whether something happens, with the probability that it does."""
        return cls(session, np.arange(len(session) + 1), probabilities, happened)

    @property
    def choice(self) -> Ints:
        """The choice of each option."""
        return np.repeat(np.arange(len(self.session)), np.diff(self.starts))

    @property
    def nats(self) -> Floats:
        """Minus the logarithm of the probability of what was chosen, of each choice; shape (n,)."""
        size, choice = len(self.session), self.choice
        chosen = np.bincount(choice, self.taken * self.probabilities, size)
        other = 1 - np.bincount(choice, self.probabilities, size)
        is_other = np.bincount(choice, self.taken, size) == 0
        with np.errstate(divide="ignore"):
            nats: Floats = -np.log(np.where(is_other, np.maximum(other, 0.0), chosen)) + 0.0
        return nats


def moves_of(sessions: Sessions, links: Links) -> tuple[Ints, Ints]:
    """Return the visits that people came to along a link, and its row; strays are left out."""
    at = codes_of(sessions.elements, links.code)[sessions.element]
    row = rows_of(links, np.roll(at, 1), at)
    is_move = ~sessions.is_entry & ~sessions.is_back & (row >= 0)
    return np.flatnonzero(is_move), row[is_move]


def options_of(rows: Ints, links: Links) -> tuple[Ints, Ints, Flags]:
    """Return of steps along rows: where the options of each begin, their rows, which was taken."""
    source = links.sources[rows]
    low, high = links.starts[source], links.starts[source + 1]
    choice, options = expanded(low, high)
    return np.append(0, np.cumsum(high - low)), options, options == rows[choice]


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
    """The reliability curve of predicted probabilities, and the Brier score.

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
    error: float
    p_value: float

    @classmethod
    def of(cls, sums: ReliabilitySums) -> "Reliability":
        """Return the curve of some choices, one at least."""
        used = np.flatnonzero(sums.options > 0)
        n, expected, taken = (part[used] for part in (sums.options, sums.expected, sums.taken))
        num = sums.num_choices
        p, share = expected / n, taken / n
        brier = float((sums.squares - 2 * sums.hits + sums.taken).sum()) / num
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
            EDGES[used],
            EDGES[used + 1],
            n.astype(np.int64),
            p,
            share,
            # Rounding may put an end past the share.
            np.minimum(low, share),
            np.maximum(high, share),
            brier,
            float(np.abs(taken - expected).sum()) / num,
            _p_value(sums),
        )

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
