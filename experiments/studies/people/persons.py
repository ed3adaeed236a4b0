"""Do people differ? How much of what differs between sessions is between persons."""

from collections.abc import Mapping

import numpy as np

from prum.experiments.logs.sessions import Sessions
from prum.experiments.statistics.intervals import Interval
from prum.experiments.studies.people.measured import PeopleRow, groups, left_out, row
from prum.simulator.model.arrays import Flags, Floats, Ints

PART = "persons"
# Sessions of a person that count, so that none counts for many; and of an entry whose mean is taken
# out.
MOST_OF_PERSON, LEAST_OF_ENTRY = 20, 5


def by_person(
    sessions: Sessions,
    values: Mapping[str, Floats],
    permutations: int,
    rng: np.random.Generator,
) -> list[PeopleRow]:
    """Return the share of variance between persons of what is known of each session, with p.

    The control is the same with sessions dealt to persons anew.

    Parameters
    ----------
    values
        By quantity, of each session; NaN where it has none.
    """
    rows = []
    for name, value in values.items():
        chosen = _chosen(sessions.person, ~np.isnan(value), rng)
        person = sessions.person[chosen]
        if len(np.unique(person)) < 2 or len(chosen) == len(np.unique(person)):
            continue
        entries = sessions.element[sessions.starts[:-1]][chosen]
        rest = _without_means(value[chosen], entries)
        dealt = [rng.permutation(person) for _ in range(permutations)]
        interval, control = (_with_interval(rest, each, rng) for each in (person, dealt[0]))
        above = sum(between(rest, each) >= interval[0] for each in dealt)
        p = (1 + above) / (permutations + 1)
        size = len(np.unique(person))
        rows.append(row(PART, name, interval, 0, control, size, "persons", p))
    return rows


def between(values: Floats, persons: Ints) -> float:
    """Return the share of variance that is between persons: the intraclass correlation.

    By the analysis of variance, unbalanced (Donner 1986); below 0 where persons differ less than
    chance lets them.

    >>> between(np.array([1.0, 1.0, 3.0, 3.0]), np.array([0, 0, 1, 1]))
    1.0
    """
    _, own, sizes = np.unique(persons, return_inverse=True, return_counts=True)
    n, k = len(values), len(sizes)
    means = np.bincount(own, values) / sizes
    inside = float(((values - means[own]) ** 2).sum()) / (n - k)
    outside = float((sizes * (means - values.mean()) ** 2).sum()) / (k - 1)
    size = (n - float((sizes**2).sum()) / n) / (k - 1)
    total = outside + (size - 1) * inside
    return (outside - inside) / total if total else 0.0


def _with_interval(values: Floats, persons: Ints, rng: np.random.Generator) -> Interval:
    return left_out(groups(persons, rng), lambda kept: between(values[kept], persons[kept]))


def _chosen(persons: Ints, known: Flags, rng: np.random.Generator) -> Ints:
    """Return sessions of persons who have two at least, at random those that count."""
    order = rng.permutation(np.flatnonzero(known & (persons >= 0)))
    order = order[np.argsort(persons[order], kind="stable")]
    _, first, sizes = np.unique(persons[order], return_index=True, return_counts=True)
    place = np.arange(len(order)) - np.repeat(first, sizes)
    return order[(place < MOST_OF_PERSON) & (np.repeat(sizes, sizes) > 1)]


def _without_means(values: Floats, entries: Ints) -> Floats:
    """Return values less the mean of their entry, or of all where an entry has few."""
    _, own, sizes = np.unique(entries, return_inverse=True, return_counts=True)
    means = np.where(
        sizes >= LEAST_OF_ENTRY, np.bincount(own, values) / sizes, float(values.mean())
    )
    rest: Floats = values - means[own]
    return rest
