"""The likelihood by a fitted law of stops that it was not fitted to."""

from collections.abc import Callable, Mapping

import numpy as np

from prum.experiments.statistics.intervals import normal_factor
from prum.simulator.model.arrays import Floats

# Takes counts of stops by rank to log P(k).
FittedLaw = Callable[[Floats], Floats]
# Called after each part of the work.
PartDone = Callable[[], object]


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

    def difference(self, law: str, other: str) -> tuple[float, float, float]:
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
