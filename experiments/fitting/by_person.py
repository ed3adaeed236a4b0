"""What was predicted of each person, and whether people differ in it more than by chance."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from prum.experiments.statistics.intervals import (
    Interval,
    mean_interval,
    ratio_interval,
    root_interval,
)
from prum.simulator.model.arrays import Floats, Ints

if TYPE_CHECKING:
    import pandas as pd

# Beside the number of choices, what rounding leaves of none.
_NONE = 1e-9
# So many permutations at most, and fewer where they would move more sessions than this.
_PERMUTATIONS, _MOST_MOVED = 999, 100_000_000


@dataclass(frozen=True, slots=True, eq=False)
class ByPerson:
    """Nats of a choice by person; the choices of one session depend on each other.

    A choice of person j has m + a_j nats in the mean, where a_j has the variance tau^2. Sessions of
    one person have a_j in common and nothing else, so that with r = (nats of a session) -
    m (its choices)

        tau^2 = (sum over j of products r r' of two sessions, by N_j) / (the same of choices n n'),

    N_j being the choices of person j: sessions may differ in how much they vary.

    Parameters
    ----------
    persons
        By name.
    sessions, choices, nats
        How many there are of each person, and the mean nats of a choice; shape (n,).
    expected
        What is to be expected of more choices: nats drawn towards m by what is chance, whose
        variance is taken to be the same for each choice.
    mean
        The mean over persons, each counting once, with its interval over persons.
    spread
        tau, with the jackknife's interval over persons; 0 for a negative square, NaN where nobody
        has two sessions.
    p_value
        Of the hypothesis that it does not matter whose a session is: by dealing out sessions anew.
        NaN for infinite nats.
    """

    persons: tuple[str, ...]
    sessions: Ints
    choices: Ints
    nats: Floats
    expected: Floats
    mean: Interval
    spread: Interval
    p_value: float

    @classmethod
    def of(
        cls, persons: tuple[str, ...], person: Ints, nats: Floats, choices: Floats, seed: int
    ) -> "ByPerson | None":
        """Return it from each session's person, sum of nats, and number of choices.

        Sessions without choices or of unknown persons (-1) are left out; None without two persons.
        """
        kept = (person >= 0) & (choices > 0)
        numbers, own = np.unique(person[kept], return_inverse=True)
        if len(numbers) < 2:
            return None
        total, size = nats[kept], choices[kept]
        each, sums = np.bincount(own, size), np.bincount(own, total)
        products = (np.bincount(own, part) for part in (total**2, total * size, size**2))
        first = (np.ones(len(each)), each, sums, sums**2 / each)
        parts = np.stack([*first, *(part / each for part in products)])
        whole = parts.sum(axis=1, keepdims=True)
        if not np.isfinite(whole).all():
            whole, parts = np.full_like(whole, np.nan), np.full_like(parts, np.nan)
        square, noise = (float(part[0]) for part in _variances(whole))
        values = len(each) * square - (len(each) - 1) * _variances(whole - parts)[0]
        ends = mean_interval(values)[1:] if np.isfinite(values).all() else (np.nan, np.nan)
        middle = float(whole[2, 0] / whole[1, 0])
        beyond = np.full(len(each), max(square, 0.0))
        by_chance = max(noise, 0.0) / each
        own_share = np.divide(
            beyond, beyond + by_chance, out=np.ones(len(each)), where=beyond + by_chance != 0
        )
        return cls(
            tuple(persons[number] for number in numbers.tolist()), np.bincount(own),
            each.astype(np.int64), sums / each, middle + own_share * (sums / each - middle),
            ratio_interval(sums / each, np.ones(len(each))), root_interval((square, *ends)),
            _p_value(own, total - middle * size, size, seed),
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.persons)

    def frame(self) -> "pd.DataFrame":
        """Return a line for each person, those whose expected nats are highest first."""
        import pandas as pd

        names = ("sessions", "choices", "nats", "expected")
        frame = pd.DataFrame(
            {"person": self.persons} | {name: getattr(self, name) for name in names}
        )
        return frame.sort_values(["expected", "nats"], ascending=False, ignore_index=True)


def _variances(sums: Floats) -> tuple[Floats, Floats]:
    """Return tau^2, maybe negative, and the variance of chance of one choice.

    From sums over persons: of 1, N, the nats S, S^2 / N, and, summed over sessions, s^2 / N,
    s n / N and n^2 / N; shape (7, k) for k ways of leaving persons out.
    """
    people, choices, nats, squares, own, crossed, sizes = sums
    m = nats / choices
    apart = own - 2 * m * crossed + m**2 * sizes
    between = squares - 2 * m * nats + m**2 * choices - apart
    room = choices - sizes
    # Where nobody has two sessions rounding is left.
    known = room > _NONE * choices
    square = np.divide(between, room, out=np.full_like(nats, np.nan), where=known)
    return square, (apart - square * sizes) / people


def _p_value(own: Ints, rest: Floats, choices: Floats, seed: int) -> float:
    """Return how often sessions of one person are as alike when they are dealt out anew."""
    if not np.isfinite(rest).all():
        return float("nan")
    rng = np.random.default_rng(seed)
    squares = rest**2

    def alike(person: Ints) -> float:
        products = np.bincount(person, rest) ** 2 - np.bincount(person, squares)
        return float((products / np.bincount(person, choices)).sum())

    actual = alike(own)
    num = max(min(_PERMUTATIONS, _MOST_MOVED // len(own)), 99)
    as_alike = sum(alike(rng.permutation(own)) >= actual for _ in range(num))
    return (1 + as_alike) / (1 + num)
