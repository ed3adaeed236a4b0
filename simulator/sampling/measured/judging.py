"""Users of estimates: ADM from samples of judged documents, and trust in what is shown."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import real_array, whole_number
from prum.simulator.sampling.sampler import checked_seed
from prum.simulator.sampling.streams import JUDGING, MOST_USERS, TRUST

Scheme = Literal["retrieved", "random", "strata", "replacement", "inclusion"]

SCHEMES = ("retrieved", "random", "strata", "replacement", "inclusion")
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


@dataclass(frozen=True, slots=True, eq=False)
class Judges:
    """How the documents to judge are chosen.

    Parameters
    ----------
    scheme
        "retrieved": the `num_judged` documents of highest SRE. "random": as many, without
        replacement. "strata": `drawn[h]` of each stratum h. "replacement": `num_judged` draws with
        these probabilities. "inclusion": each document on its own with its probability.
    num_judged
        For the first two and "replacement".
    strata, drawn
        The number of each document's stratum, from 0, shape (n,), and how many to draw of each.
    probabilities
        For the last two, shape (n,); positive, and in "replacement" of sum 1.
    """

    scheme: Scheme
    num_judged: int = 0
    strata: ArrayLike = ()
    drawn: ArrayLike = ()
    probabilities: ArrayLike = ()

    def draw(self, sre: Floats, num_samples: int, rng: np.random.Generator) -> Ints:
        """Return how often each document is judged in each sample, shape (num_samples, n)."""
        n = len(sre)
        if self.scheme == "retrieved":
            top = np.argsort(-sre, kind="stable")[: self.num_judged]
            return np.tile(np.bincount(top, minlength=n), (num_samples, 1))
        if self.scheme == "inclusion":
            pi = np.asarray(self.probabilities, dtype=np.float64)
            return (rng.random((num_samples, n)) < pi).astype(np.int64)
        if self.scheme == "replacement":
            p = np.asarray(self.probabilities, dtype=np.float64)
            return rng.multinomial(self.num_judged, p, size=num_samples).astype(np.int64)
        strata, drawn = np.zeros(n, dtype=np.int64), np.array([self.num_judged])
        if self.scheme == "strata":
            strata, drawn = np.asarray(self.strata), np.asarray(self.drawn)
        # Documents with the lowest random numbers of a stratum are drawn.
        numbers = rng.random((num_samples, n))
        judged = np.zeros((num_samples, n), dtype=np.int64)
        for h, number in enumerate(drawn.tolist()):
            members = np.flatnonzero(strata == h)
            lowest = np.argsort(numbers[:, members], axis=1)[:, :number]
            np.put_along_axis(judged, members[lowest], 1, axis=1)
        return judged

    def expansion(self, n: int) -> Floats:
        """Return how many documents each judged document stands for, shape (n,)."""
        if self.scheme == "inclusion":
            return np.asarray(self.probabilities, dtype=np.float64) ** -1
        if self.scheme == "replacement":
            return (self.num_judged * np.asarray(self.probabilities, dtype=np.float64)) ** -1
        if self.scheme == "strata":
            strata = np.asarray(self.strata)
            drawn = np.asarray(self.drawn)
            ratios: Floats = np.bincount(strata, minlength=len(drawn)) / np.maximum(drawn, 1)
            expanded: Floats = ratios[strata]
            return expanded
        return np.full(n, n / self.num_judged)


def simulate_judging(
    judges: Judges, sre: ArrayLike, ure: ArrayLike, *, num_samples: int, seed: int
) -> Judgings:
    """Simulate ADM from samples of judged documents, compared with ADM from all documents.

    Parameters
    ----------
    judges
        How samples are drawn.
    sre, ure
        Estimates of all documents, shape (n,).
    num_samples
        At least 2.
    seed
        A whole number in [0, 2^64).

    >>> judges = Judges("random", num_judged=2)
    >>> judged = simulate_judging(judges, [1, 0.5, 0], [1, 0, 0], num_samples=1000, seed=1)
    >>> abs(judged.bias) < 4 * judged.bias_error
    True
    """
    system, user = checked_estimates(sre, ure)
    if judges.scheme not in SCHEMES:
        raise InputError(
            "scheme", judges.scheme, f"be one of {', '.join(SCHEMES)}", remedy="name a scheme"
        )
    n = len(system)
    worth = np.abs(system - user) * judges.expansion(n) / n

    def estimate(size: int, rng: np.random.Generator) -> Floats:
        totals: Floats = judges.draw(system, size, rng) @ worth
        return 1 - totals

    estimates = blocks(estimate, num_samples, n, seed, JUDGING)
    return Judgings(1 - float(np.abs(system - user).mean()), estimates)


def blocks(
    draw: Callable[[int, np.random.Generator], Floats], number: int, n: int, seed: int, purpose: int
) -> Floats:
    """Return `number` values, drawn block by block, with a stream for each block.

    Parameters
    ----------
    draw
        Returns so many values, from a generator.
    number
        At least 2.
    n
        How many random numbers a value takes, roughly.
    seed, purpose
        The seed and the purpose of the streams.

    Raise InputError for a number or seed out of range.
    """
    whole_number("number", number, least=2, most=MOST_USERS, remedy="draw at least two")
    checked = checked_seed(seed)
    width = max(1, _BLOCK // n)
    values = np.empty(number)
    for block, start in enumerate(range(0, number, width)):
        size = min(width, number - start)
        sequence = np.random.SeedSequence(checked, spawn_key=(block, purpose))
        values[start : start + size] = draw(size, np.random.Generator(np.random.SFC64(sequence)))
    return values


def checked_estimates(sre: ArrayLike, ure: ArrayLike) -> tuple[Floats, Floats]:
    """Return both estimates as floats, shape (n,).

    Raise InputError for estimates of different lengths or of no document.

    >>> [values.tolist() for values in checked_estimates([1], [0])]
    [[1.0], [0.0]]
    """
    remedy = "give both estimates of each document"
    system = real_array("SRE", sre, remedy=remedy)
    user = real_array("URE", ure, remedy=remedy)
    if system.ndim != 1 or not system.size or user.shape != system.shape:
        raise InputError("URE", user.shape, "have the shape of SRE, (n,)", remedy=remedy)
    return system, user


@dataclass(frozen=True, slots=True)
class Trusting:
    """The mean regret of users per document.

    Attributes
    ----------
    mean, error
        The mean over users and its standard error.
    num_users
        Number of users.
    """

    mean: float
    error: float
    num_users: int


def simulate_trust(
    sre: ArrayLike,
    ure: ArrayLike,
    *,
    reach: Any = None,
    loss: Literal["decision", "distance"] = "decision",
    tau: float | None = None,
    num_users: int,
    seed: int,
) -> Trusting:
    """Simulate users who consult what the system says is worth it, browse, and regret.

    Each user draws a threshold tau, consults documents with SRE >= tau, and tosses each visit from
    those to others. They regret documents seen although URE < tau, and those not seen although
    URE >= tau: by 1, or |URE - tau|; this is summed and divided by the number of documents.

    Parameters
    ----------
    sre, ure
        Estimates of all documents, shape (n,).
    reach
        P(x -> y), row x, column y, shape (n, n), an array or a sparse matrix.
    loss
        "decision" or "distance".
    tau
        The threshold of all users; by default each draws their own.
    num_users
        At least 2.
    seed
        A whole number in [0, 2^64).

    >>> trusting = simulate_trust([0.75, 0.5], [0.25, 0.5], num_users=1000, seed=1)
    >>> abs(trusting.mean - 0.25) < 4 * trusting.error
    True
    """
    system, user = checked_estimates(sre, ure)
    if loss not in ("decision", "distance"):
        raise InputError("loss", loss, "be decision or distance", remedy="choose one")
    n = len(system)
    chances = np.zeros((n, n))
    if reach is not None:
        chances = np.asarray(reach.toarray() if hasattr(reach, "toarray") else reach, dtype=float)
    if chances.shape != (n, n):
        raise InputError(
            "reach", chances.shape, f"have shape ({n}, {n})", remedy="give P(x -> y) of each pair"
        )
    links = np.argwhere(chances > 0)

    def regret(size: int, rng: np.random.Generator) -> Floats:
        thresholds = (rng.random(size) if tau is None else np.full(size, tau))[:, np.newaxis]
        consulted = system >= thresholds
        seen = consulted.copy()
        for x, y in links.tolist():
            seen[:, y] |= consulted[:, x] & (rng.random(size) < chances[x, y])
        wrong = seen != (user >= thresholds)
        weight = np.abs(user - thresholds) if loss == "distance" else np.ones((1, 1))
        regrets: Floats = (wrong * weight).mean(axis=1)
        return regrets

    values = blocks(regret, num_users, n, seed, TRUST)
    error = float(values.std(ddof=1) / np.sqrt(len(values)))
    return Trusting(float(values.mean()), error, len(values))
