"""ADM from samples of judged documents, drawn in ranges of SRE."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import real_array, whole_number
from prum.simulator.sampling.sampler import checked_seed
from prum.simulator.sampling.streams import JUDGING, MOST_USERS

# Random numbers of one block.
_BLOCK = 2**22


@dataclass(frozen=True, slots=True, eq=False)
class Judgings:
    """Estimates of ADM from many samples.

    Attributes
    ----------
    adm
        With all documents judged.
    estimates
        The estimate from each sample, shape (num_samples,).
    """

    adm: float
    estimates: Floats

    def __post_init__(self) -> None:
        self.estimates.setflags(write=False)

    @property
    def bias(self) -> float:
        """The mean estimate less ADM."""
        return float(self.estimates.mean()) - self.adm

    @property
    def bias_error(self) -> float:
        """The standard error of `bias`."""
        return float(self.estimates.std(ddof=1) / np.sqrt(len(self.estimates)))

    @property
    def variance(self) -> float:
        """The estimates' variance."""
        return float(self.estimates.var(ddof=1))

    @property
    def variance_error(self) -> float:
        """The standard error of `variance`, from the estimates' fourth moment."""
        squares = (self.estimates - self.estimates.mean()) ** 2
        return float(squares.std(ddof=1) / np.sqrt(len(squares)))

    @property
    def rms_error(self) -> float:
        """The root of the estimates' mean squared distance from ADM."""
        return float(np.sqrt(((self.estimates - self.adm) ** 2).mean()))


def simulate_judging(
    sre: ArrayLike,
    ure: ArrayLike,
    strata: ArrayLike,
    drawn: ArrayLike,
    *,
    num_samples: int,
    seed: int,
) -> Judgings:
    """Simulate ADM from samples of judged documents, compared with ADM from all documents.

    Parameters
    ----------
    sre, ure
        Estimates of all documents, shape (n,).
    strata, drawn
        The number of each document's stratum, from 0, shape (n,), and how many to draw of each
        stratum, without replacement; of all documents if strata are all 0.
    num_samples
        At least 2.
    seed
        A whole number in [0, 2^64).

    >>> judged = simulate_judging([1, 0.5, 0], [1, 0, 0], [0, 0, 0], [2], num_samples=1000, seed=1)
    >>> abs(judged.bias) < 4 * judged.bias_error
    True
    """
    remedy = "give both estimates of each document"
    system = real_array("SRE", sre, remedy=remedy)
    user = real_array("URE", ure, remedy=remedy)
    if system.ndim != 1 or not system.size or user.shape != system.shape:
        raise InputError("URE", user.shape, "have the shape of SRE, (n,)", remedy=remedy)
    whole_number("num_samples", num_samples, least=2, most=MOST_USERS, remedy="draw at least two")
    checked = checked_seed(seed)
    n = len(system)
    groups = [np.flatnonzero(np.asarray(strata) == h) for h in range(len(np.asarray(drawn)))]
    taken = np.asarray(drawn).tolist()
    distances = np.abs(system - user)
    estimates = np.empty(num_samples)
    width = max(1, _BLOCK // n)
    for block, start in enumerate(range(0, num_samples, width)):
        size = min(width, num_samples - start)
        sequence = np.random.SeedSequence(checked, spawn_key=(block, JUDGING))
        # Documents with the lowest random numbers of a stratum are drawn.
        numbers = np.random.Generator(np.random.SFC64(sequence)).random((size, n))
        totals = np.zeros(size)
        for members, number in zip(groups, taken, strict=True):
            lowest = np.argsort(numbers[:, members], axis=1)[:, :number]
            # Each document drawn stands for as many as its stratum has to one drawn.
            ratio = len(members) / max(number, 1) / n
            totals += distances[members][lowest].sum(axis=1) * ratio
        estimates[start : start + size] = 1 - totals
    return Judgings(1 - float(distances.mean()), estimates)
