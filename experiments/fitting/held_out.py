"""What a fitted navigation predicts of choices in a log, what people chose, and how both agree."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.special import chdtrc, xlogy

from prum.experiments.frame.files import plain
from prum.experiments.logs.read import read_sessions
from prum.experiments.logs.trials import Trials
from prum.experiments.statistics.intervals import Interval, ratio_interval, wilson
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Flags, Floats, Ints

# Kinds of choices: which link, given that people moved along one; whether to stop; whether to go
# back, given that they didn't stop; whether they came to y from x at all.
STEP, STOP, BACK, VISIT = "step", "stop", "back", "visit"
# Options are put together by their probability: links of a page have small ones.
EDGES = np.append([0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05], np.arange(1, 11) / 10)
_BINS = len(EDGES) - 1
# A bin counts in the test if so many were to be taken, and so many were not.
_EXPECTED = 5.0
# Beside the largest, an eigenvalue that rounding leaves of none.
_NONE = 1e-9


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


@dataclass(frozen=True, slots=True, eq=False)
class ChoiceReport:
    """How well choices of one kind were predicted; intervals are 95 % ones over sessions.

    An option is a link that could be taken, or that people could stop, say; all that hold for the
    sum over the options of a choice are means over choices.

    Parameters
    ----------
    choices
        How many there were.
    nats
        The mean of -log P(what was chosen).
    alike
        The same if all were alike: each link of an element as likely as the others, and stopping,
        say, as likely everywhere as it is in this log.
    gain
        How much less `nats` is than `alike`.
    brier
        The mean over choices of the sum over options of (p - 1)^2 of the one that was taken, and
        p^2 of the others: 0 is best (Brier 1950).
    error
        The expected calibration error: the distance |taken - expected| of bins, summed, by choices.
    p_value
        Of the hypothesis that each probability is right, given what came before: the chi squared of
        what was taken less what was expected in the bins, with the covariance that this gives. NaN
        where no bin is expected to hold five options that are taken and five that are not.
    curve
        The reliability curve, in columns: between which probabilities (low, high) the options of
        each bin lie, how many options there are, the mean probability that was predicted, and the
        share that was taken. Bins without options are left out. share_low and share_high are
        Wilson's 95 % interval of what the share would be in more sessions: of as many independent
        options as vary as these, whose sessions hold several.
    """

    choices: int
    nats: Interval
    alike: Interval
    gain: Interval
    brier: float
    error: float
    p_value: float
    curve: Mapping[str, Any]

    @property
    def perplexity(self) -> Interval:
        """As many options, alike, would be as hard to predict: e to the power of `nats`."""
        middle, low, high = (math.exp(x) if x < 700 else math.inf for x in self.nats)
        return middle, low, high


@dataclass(frozen=True, slots=True, eq=False)
class HeldOutReport:
    """How well a fitted navigation predicts a log.

    Parameters
    ----------
    sessions
        How many there were.
    kinds
        By kind of choice, as `FittedNavigation.predict` has them.
    """

    sessions: int
    kinds: Mapping[str, ChoiceReport]

    @property
    def nats_per_step(self) -> float:
        """The mean of -log P(link) over steps; over visits from an element without steps."""
        return self.main.nats[0]

    @property
    def perplexity(self) -> float:
        """e to the power of `nats_per_step`."""
        return self.main.perplexity[0]

    @property
    def main(self) -> ChoiceReport:
        """The report of steps; of visits from an element without steps."""
        return self.kinds[STEP if STEP in self.kinds else VISIT]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data; what is not known or infinite is None."""
        named = {"nats_per_step": self.nats_per_step, "perplexity": self.perplexity}
        content: dict[str, Any] = plain(named | {"sessions": self.sessions, "kinds": self.kinds})
        return content


class Predicting(Protocol):
    """What predicts choices, as `FittedNavigation` does."""

    def predict(self, sessions: Any, /) -> Mapping[str, Predictions]:
        """Return by kind of choice what is predicted, and what people chose."""


def judge(fitted: Predicting, log: Any) -> HeldOutReport:
    """Return how well a fitted navigation predicts a log, which it should not have seen.

    Moves along no link and unknown elements are left out.

    Parameters
    ----------
    log
        As `read_sessions` takes it; or `Trials`, where visits from an entry were learned.
    """
    kinds = defaultdict[str, ChoiceSums](ChoiceSums)
    pieces: Iterable[Any] = [log]
    if not isinstance(log, Trials):
        log = read_sessions(log)
        pieces = log.pieces()
    num_sessions = 0
    for piece in pieces:
        size = piece.num_users if isinstance(piece, Trials) else len(piece)
        num_sessions += size
        for kind, predicted in fitted.predict(piece).items():
            kinds[kind].add(predicted, size)
    reports = {kind: sums.report(kind) for kind, sums in kinds.items() if sums.num_choices}
    if STEP not in reports and VISIT not in reports:
        rule, remedy = "hold choices among known links", "give a log of the same elements"
        raise InputError("log", f"{num_sessions} sessions", rule, remedy=remedy)
    return HeldOutReport(num_sessions, reports)


class ChoiceSums:
    """Sums over choices of one kind, by session, and over options by their probability."""

    def __init__(self) -> None:
        self.num_choices = 0
        # By session: numbers of choices, their nats, nats of even choices, and of those taken.
        self._sessions: list[Floats] = []
        # By bin, over options: 1, p, y (1 if taken), (p - y)^2, p (1 - p); over sessions, of the
        # sums of y - p and of 1: both squares, and their product.
        self._bins = np.zeros((8, _BINS))
        # Over choices: products of what was expected in two bins.
        self._products = np.zeros((_BINS, _BINS))

    def add(self, predicted: Predictions, num_sessions: int) -> None:
        """Add the choices of so many whole sessions."""
        p, y = predicted.probabilities, predicted.taken.astype(np.float64)
        choice, session = predicted.choice, predicted.session
        self.num_choices += len(session)
        taken = np.bincount(choice, y, len(session))
        even = np.log(np.maximum(np.diff(predicted.starts), 1))
        parts = (np.ones(len(session)), predicted.nats, even, taken)
        self._sessions.append(np.stack([np.bincount(session, x, num_sessions) for x in parts]))
        bins = np.minimum(np.searchsorted(EDGES, p, side="right") - 1, _BINS - 1)

        def summed(owner: Any, values: Floats) -> Floats:
            size = int(owner.max(initial=-1)) + 1
            by_bin = np.bincount(owner * _BINS + bins, values, size * _BINS).astype(np.float64)
            return by_bin.reshape(-1, _BINS)

        values = (np.ones(len(p)), p, y, (p - y) ** 2, p * (1 - p))
        owner = np.unique(session, return_inverse=True)[1][choice]
        gaps, options = summed(owner, y - p), summed(owner, np.ones(len(p)))
        products = (gaps**2, options**2, gaps * options)
        self._bins += [np.bincount(bins, x, _BINS) for x in values] + [x.sum(0) for x in products]
        expected = summed(choice, p)
        self._products += expected.T @ expected

    def report(self, kind: str) -> ChoiceReport:
        """Return how well these choices, one at least, were predicted."""
        choices, nats, even, taken = np.concatenate(self._sessions, axis=1)
        share = taken.sum() / choices.sum()
        alike = even if kind == STEP else -xlogy(taken, share) - xlogy(choices - taken, 1 - share)
        _, expected, hits, squares, *_ = self._bins
        return ChoiceReport(
            self.num_choices,
            ratio_interval(nats, choices),
            ratio_interval(alike, choices),
            ratio_interval(alike - nats, choices),
            float(squares.sum()) / self.num_choices,
            float(np.abs(hits - expected).sum()) / self.num_choices,
            self._p_value(),
            self._curve(),
        )

    def _curve(self) -> dict[str, Any]:
        """Return the columns of the reliability curve."""
        used = np.flatnonzero(self._bins[0] > 0)
        n, expected, taken, _, tossed, gaps2, options2, crossed = self._bins[:, used]
        p, share = expected / n, taken / n
        # How much more the sums of sessions vary than those of independent options would.
        gap = share - p
        varied = gaps2 - 2 * gap * crossed + gap**2 * options2
        worth = np.maximum(np.divide(varied, tossed, out=np.ones(len(n)), where=tossed > 0), 1)
        low, high = wilson(taken / worth, n / worth)
        return {
            "low": EDGES[used],
            "high": EDGES[used + 1],
            "options": n.astype(np.int64),
            "probability": p,
            "share": share,
            # Rounding may put an end past the share.
            "share_low": np.minimum(low, share),
            "share_high": np.maximum(high, share),
        }

    def _p_value(self) -> float:
        """Return how often bins would be as far from what was expected, were all as predicted."""
        options, expected, taken, *_ = self._bins
        tested = (expected >= _EXPECTED) & (options - expected >= _EXPECTED)
        apart = (taken - expected)[tested]
        # One option of a choice is taken; what came before it tells nothing of that.
        covariance = (np.diag(expected) - self._products)[np.ix_(tested, tested)]
        values, vectors = np.linalg.eigh(covariance)
        kept = values > _NONE * values.max(initial=0.0)
        if not kept.any():
            return float("nan")
        statistic = float(((vectors.T @ apart)[kept] ** 2 / values[kept]).sum())
        return float(chdtrc(int(kept.sum()), statistic))
