"""What was foretold of each person, and whether people differ in it more than by chance."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from prum.experiments.statistics.intervals import Interval, mean_interval, root_interval
from prum.simulator.model.arrays import Floats, Ints

if TYPE_CHECKING:
    import pandas as pd

# So many permutations at most, and fewer where they would move more sessions than this.
_PERMUTATIONS, _MOST_MOVED = 999, 100_000_000


@dataclass(frozen=True, slots=True, eq=False)
class ByPerson:
    """Nats of a choice by person; the choices of one session depend on each other.

    The nats of person j are m + a_j + chance: a_j of variance `spread` squared, chance of variance
    v / (choices of j). v comes from sessions of one person, which are taken to be independent, and
    to vary in proportion to their choices; the spread from an analysis of variance.

    Parameters
    ----------
    persons
        By name.
    sessions, choices, nats
        How many there are of each person, and the mean nats of a choice; shape (n,).
    expected
        What is to be expected of more choices: nats drawn towards the mean of all choices, by what
        is chance.
    mean
        The mean over persons, each counting once, with its interval over persons.
    spread
        The standard deviation between persons beyond chance, with the jackknife's interval over
        persons; NaN where nobody has two sessions.
    p_value
        Of the hypothesis that it does not matter whose a session is, by permuting sessions.
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
        means = sums / each
        apart = np.bincount(own, (total - means[own] * size) ** 2)
        free = each - np.bincount(own, size**2) / each
        parts = np.stack([np.ones(len(each)), each, sums, sums**2 / each, each**2, apart, free])
        whole = parts.sum(axis=1, keepdims=True)
        if whole[6, 0] > 0 and np.isfinite(whole).all():
            square, noise = (float(x[0]) for x in _variances(whole))
            without = _variances(whole - parts)[0]
            spread = root_interval(
                (square, *mean_interval(len(each) * square - (len(each) - 1) * without)[1:])
            )
        else:
            square, noise, spread = 0.0, np.nan, (np.nan, np.nan, np.nan)
        middle = float(whole[2, 0] / whole[1, 0])
        beyond = max(square, 0.0)
        kept_share = beyond / (beyond + noise / each) if noise > 0 else np.ones(len(each))
        return cls(
            tuple(persons[number] for number in numbers.tolist()),
            np.bincount(own), each.astype(np.int64), means, middle + kept_share * (means - middle),
            mean_interval(means), spread, _p_value(own, total, size, seed),
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
    """Return the variance between persons, maybe negative, and that of chance times choices.

    By the analysis of variance, from sums over persons (columns): of 1, the choices N, the nats S,
    S^2 / N, N^2, the squares of what sessions are apart from their person, and N less the squared
    choices of sessions by N.
    """
    people, choices, nats, between, squares, apart, free = sums
    noise = np.divide(apart, free, out=np.full_like(free, np.nan), where=free > 0)
    excess = between - nats**2 / choices - noise * (people - 1)
    return excess / (choices - squares / choices), noise


def _p_value(own: Ints, nats: Floats, choices: Floats, seed: int) -> float:
    """Return how often persons differ as much when sessions are dealt out anew."""
    if not np.isfinite(nats).all():
        return float("nan")
    rest = nats - nats.sum() / choices.sum() * choices
    rng = np.random.default_rng(seed)

    def apart(person: Ints) -> float:
        return float((np.bincount(person, rest) ** 2 / np.bincount(person, choices)).sum())

    actual = apart(own)
    num = max(min(_PERMUTATIONS, _MOST_MOVED // len(own)), 99)
    as_far = sum(apart(rng.permutation(own)) >= actual for _ in range(num))
    return (1 + as_far) / (1 + num)
