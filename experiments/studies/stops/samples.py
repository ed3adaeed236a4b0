"""Stops by rank, every click or the last of a search, and how likely laws make those held out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from prum.experiments.statistics.intervals import Interval, normal_factor
from prum.simulator.collections.clicks import ClickLog, ClickTotals
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import whole_number
from prum.simulator.tables.files import FilePath, place

# Takes counts of stops by rank to log P(k).
FittedLaw = Callable[[Floats], Floats]
# Called after each part of the work.
PartDone = Callable[[], object]

EVERY, LAST, TOTALS, BEYOND = "every click", "last click", "totals", "totals and beyond"
TWO_RANKS = "laws cannot be told apart by a single rank"
_MORE = "part is held out while the rest is fitted: give more clicks"


@dataclass(frozen=True, slots=True, eq=False)
class StopSample:
    """Stops by rank under one reading.

    Parameters
    ----------
    reading
        EVERY, LAST, TOTALS, or BEYOND, which has a cell for all stops behind the last rank.
    counts
        Stops by cell, shape (n,) or (n + 1,).
    groups
        Stops of each session that has one, shape (sessions, n); None if only totals are known.
    """

    reading: str
    counts: Floats
    groups: Floats | None

    @property
    def is_cut(self) -> bool:
        """Whether stops behind the last rank are unknown, or left out."""
        return self.reading != BEYOND


def samples_of_log(log: ClickLog, ranks: int | None, path: FilePath) -> list[StopSample]:
    """Return both readings of a log, on the first `ranks` ranks.

    Raises InputError if fewer than two sessions have a stop there, or there are not two ranks.
    """
    samples: list[StopSample] = []
    for reading, clicks in ((EVERY, log.every), (LAST, log.last)):
        cut = _cut(clicks, ranks, path)
        groups = cut[cut.any(axis=1)]
        if len(groups) < 2:
            thing, rule = f"sessions with a stop on the list ({reading})", "be at least 2"
            raise InputError(thing, len(groups), rule, remedy=_MORE, place=place(path))
        samples.append(StopSample(reading, groups.sum(axis=0), groups))
    return samples


def samples_of_totals(totals: ClickTotals, ranks: int | None, path: FilePath) -> list[StopSample]:
    """Return the stops of a table, on the first `ranks` ranks; then with those behind, if known.

    Raises InputError if there are fewer than two clicks, or not two ranks.
    """
    counts = _cut(totals.counts[None, :], ranks, path)[0]
    if counts.sum() < 2:
        rule = "be at least 2"
        raise InputError("clicks", int(counts.sum()), rule, remedy=_MORE, place=place(path))
    samples = [StopSample(TOTALS, counts, None)]
    if totals.beyond is not None:
        beyond = totals.beyond + int(totals.counts[len(counts) :].sum())
        samples.append(StopSample(BEYOND, np.append(counts, float(beyond)), None))
    return samples


def _cut(clicks: Ints, ranks: int | None, path: FilePath) -> Floats:
    """Return the first columns, as floats."""
    where, num_ranks = place(path), clicks.shape[1]
    whole_number("number of ranks", num_ranks, least=2, remedy=TWO_RANKS, place=where)
    if ranks is not None:
        remedy = "the data have no more"
        whole_number("ranks", ranks, least=2, most=num_ranks, remedy=remedy, place=where)
    return clicks[:, :ranks].astype(np.float64)


# --- held out -----------------------------------------------------------------------------------


class HeldOut:
    """Held-out log-likelihoods of laws, and their differences with intervals.

    Parameters
    ----------
    means
        Mean log-likelihood per stop, by law.
    influence
        What each independent piece adds to a mean, about that mean, by law, shape (pieces,); the
        squares of differences of these add up to their variance.
    """

    def __init__(self, means: Mapping[str, float], influence: Mapping[str, Floats]) -> None:
        self.means = dict(means)
        self._influence = influence

    def difference(self, law: str, other: str) -> Interval:
        """Return the mean of one law less that of another, and the ends of its 95 % interval."""
        value = self.means[law] - self.means[other]
        apart = self._influence[law] - self._influence[other]
        half = normal_factor() * float(np.sqrt(apart @ apart))
        return value, value - half, value + half


def over_folds(
    groups: Floats,
    laws: Mapping[str, FittedLaw],
    folds: int,
    rng: np.random.Generator,
    step: PartDone,
) -> HeldOut:
    """Hold out each of `folds` parts of the groups of stops once.

    Groups are drawn into parts whole, since the stops of a group are not independent. The means are
    over stops, so ratios of sums over groups; their intervals, by linearisation, are over groups,
    the fits taken as they are.

    Parameters
    ----------
    groups
        Stops of each group by rank, shape (groups, n), each with one at least.
    """
    part = rng.permutation(np.arange(len(groups)) % folds)
    sums = {law: np.zeros(len(groups)) for law in laws}
    for fold in range(folds):
        out = part == fold
        for law, fitted in laws.items():
            sums[law][out] = groups[out] @ fitted(groups[~out].sum(axis=0))
        step()
    sizes = groups.sum(axis=1)
    means = {law: float(own.sum() / sizes.sum()) for law, own in sums.items()}
    # The factor is that of a variance with one mean taken out.
    scale = np.sqrt(len(groups) / (len(groups) - 1)) / sizes.sum()
    influence = {law: scale * (own - means[law] * sizes) for law, own in sums.items()}
    return HeldOut(means, influence)


def over_halves(
    counts: Floats,
    laws: Mapping[str, FittedLaw],
    draws: int,
    rng: np.random.Generator,
    step: PartDone,
) -> HeldOut:
    """Hold out a random half of the stops, many times, where groups are not known.

    Each stop goes into either half by a coin. The mean of a half varies about that of all by as
    much as that of all about its expectation, if stops are independent; so do intervals over
    halves.
    """
    of_draws: dict[str, list[float]] = {law: [] for law in laws}
    for _ in range(draws):
        half = _half(counts, rng)
        rest = counts - half
        for law, fitted in laws.items():
            of_draws[law].append(float(rest @ fitted(half)) / float(rest.sum()))
        step()
    means = {law: float(np.mean(values)) for law, values in of_draws.items()}
    scale = 1 / np.sqrt(draws - 1)
    influence = {law: scale * (np.array(values) - means[law]) for law, values in of_draws.items()}
    return HeldOut(means, influence)


def _half(counts: Floats, rng: np.random.Generator) -> Floats:
    """Return about half of at least two stops, neither none nor all of them."""
    whole = counts.astype(np.int64)
    while True:
        half = rng.binomial(whole, 0.5)
        if 0 < half.sum() < whole.sum():
            return half.astype(np.float64)
