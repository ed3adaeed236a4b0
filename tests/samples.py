"""Random small tasks that the oracle can enumerate, and conversions that several tests share."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prum.simulator.model import (
    Beta,
    Browsing,
    Copula,
    Coupled,
    Independent,
    InputError,
    Navigation,
    OneFactor,
    Task,
    Types,
    Walk,
)
from tests.oracle.worlds import exact_links, exact_probability, path_sets

Floats = NDArray[np.float64]

# Ids with blanks, Unicode, digits, and what looks like something else; ordered by no rule.
NAMES = ("b", "a b", "ß", "日本", "10", "9", "nan", "x → y", " ", "A")
# Worlds of the enumeration: two to the power of this at most.
MOST_UNCERTAIN = 7


def floats(numbers: Iterable[Fraction]) -> Floats:
    """Return fractions as the nearest doubles."""
    return np.array([float(number) for number in numbers])


def random_task(rng: np.random.Generator, *, walk: bool) -> tuple[Task, Navigation]:
    """Return a small task under independent navigation or a walk, degenerate ones included.

    Lists may be empty, hold duplicates or no ideal; links may be certain, impossible, lead nowhere
    useful or come from outside the list; often u is exactly the number of unranked ideals.
    """
    names = [str(name) for name in rng.permutation(np.array(NAMES))[: rng.integers(4, 8)]]
    ideals = names[: rng.integers(1, 5)]
    ranking: list[str] = []
    for _ in range(rng.choice([0, 1, 2, 3, 4, 5], p=[0.05, 0.1, 0.2, 0.25, 0.2, 0.2])):
        if ranking and rng.random() < 0.2:
            ranking.append(ranking[rng.integers(len(ranking))])
        else:
            ranking.append(names[rng.integers(len(names))])
    size = len({*ranking, *ideals}) + int(rng.choice([0, 0, 1, 4]))
    task = Task(ranking, ideals, size)
    navigation = _walk(rng, names) if walk else _independent(rng, task, names)
    return task, navigation


def _independent(rng: np.random.Generator, task: Task, names: list[str]) -> Independent:
    links: dict[tuple[str, str], float] = {}
    uncertain = 0
    for source in names:
        for target in names:
            if rng.random() < 0.5:
                continue
            p = _probability(rng) if source != target else 1.0
            tossed = source in task.ranking and target in task.ideals and 0 < p < 1
            if tossed and uncertain == MOST_UNCERTAIN:
                continue
            uncertain += tossed
            links[source, target] = p
    return Independent(links)


def _probability(rng: np.random.Generator) -> float:
    kind = rng.random()
    if kind < 0.15:
        return 1.0
    if kind < 0.25:
        return 0.0
    denominator = int(rng.choice([3, 7, 10, 1000]))
    return int(rng.integers(1, denominator)) / denominator


def _walk(rng: np.random.Generator, names: list[str]) -> Walk:
    while True:
        links: dict[tuple[str, str], float] = {}
        for source in names:
            if rng.random() < 0.25:
                continue
            targets = rng.permutation(len(names))[: rng.integers(1, 4)].tolist()
            # Shares of 20, the last of which is that of stopping; now and then they move for sure.
            stops = 0 if rng.random() < 0.15 else int(rng.integers(1, 15))
            shares = rng.multinomial(20 - stops, np.full(len(targets), 1 / len(targets)))
            for target, share in zip(targets, shares.tolist(), strict=True):
                links[source, names[target]] = share / 20
        try:
            return Walk(links)
        except InputError:  # the walk could not stop
            continue


# How users may browse, by name; all but the copula have rational laws.
WAYS: dict[str, Callable[[Independent], Independent | Coupled]] = {
    "independent": lambda links: links,
    "exclusive": lambda links: Coupled(links, "exclusive"),
    "comonotone": lambda links: Coupled(links, "comonotone"),
    "copula": lambda links: Coupled(links, Copula(0.6)),
}
# Values of each dial, of which one is taken at random; documents are made of the task's elements.
DIALS: dict[str, tuple[Any, ...]] = {
    "types": (Types([0.5, 0.5], [0, 1]), Types([0.25, 0.5, 0.25], [0.1, 0.7, 1])),
    "beta": (Beta(1, 1), Beta(0.5, 2)),
    "one factor": (OneFactor(0.3), OneFactor(0.6)),
    "fading": (0.0, 0.3, 0.5, 0.9),
    "fades": ((0.5,), (1, 0.2, 0.7), (0.25, 1), (1, 1, 0), (1, 0.5, 0.3, 0.25, 0.2)),
    "satiation": ((1, 0), (1, 0.6, 0.2), (0.2, 1), (0.5, 0, 1)),
    "need": ((0.3, 1), (1, 0.5, 0.8), (0, 1, 0.5)),
    "documents": ("d", "de"),
    "unranked": (True,),
}


def random_browsing(
    rng: np.random.Generator, way: str, dials: Sequence[str]
) -> tuple[Task, Browsing]:
    """Return a small task and a `Browsing` of it with all of `dials` turned, degenerate ones, too.

    `way` is of `WAYS` or "walk". At most four ranks, ideals and unranked elements; of the unranked
    ones some lead to ideals.
    """
    names = [str(name) for name in rng.permutation(np.array(NAMES))[:6]]
    listed = rng.integers(4, size=rng.choice([0, 2, 3, 4], p=[0.1, 0.2, 0.3, 0.4]))
    ranking = [names[position] for position in listed]
    used = list(dict.fromkeys(ranking))
    used += [name for name in names if name not in used][: rng.integers(1, 4)]
    ideals = [str(name) for name in rng.permutation(used)[: rng.integers(1, 5)]]
    task = Task(ranking, ideals, len(used) + int(rng.integers(2)))
    if way == "walk":
        navigation: Independent | Coupled | Walk = _walk(rng, used)
    else:
        pairs = [(x, y) for x in used for y in used if x != y and rng.random() < 0.7]
        navigation = WAYS[way](Independent({pair: _probability(rng) for pair in pairs}))
    values: dict[str, Any] = {}
    for dial in dials:
        value = DIALS[dial][rng.integers(len(DIALS[dial]))]
        if dial == "documents":
            value = {name: str(rng.choice([*value])) for name in used if rng.random() < 0.8}
        if isinstance(value, Types | Beta | OneFactor):
            dial = "population"
        values["fading" if dial == "fades" else dial] = value
    return task, Browsing(navigation, **values)


def exact_within(task: Task, navigation: Navigation) -> list[list[Fraction]]:
    """Return P(N_i subset of A) for every A, bit x of A for ideal x, from the oracle's worlds."""
    rows: list[list[Fraction]] = []
    for rank, entry in enumerate(task.ranking):
        law = {frozenset[str](): Fraction(1)}
        if entry not in task.ranking[:rank]:
            law = _context(task, navigation, entry)
        row = []
        for subset in range(1 << task.num_ideals):
            allowed = {y for x, y in enumerate(task.ideals) if subset >> x & 1}
            row.append(sum((p for seen, p in law.items() if seen <= allowed), Fraction(0)))
        rows.append(row)
    return rows


def _context(task: Task, navigation: Navigation, entry: str) -> dict[frozenset[str], Fraction]:
    """Return the law of the set of ideals seen from `entry`."""
    if isinstance(navigation, Walk):
        return path_sets(entry, frozenset(task.ideals), exact_links(navigation))
    links = exact_links(navigation).get(entry, {})
    law = {frozenset({entry} & set(task.ideals)): Fraction(1)}
    for ideal in task.ideals:
        p = links.get(ideal, Fraction(0)) if ideal != entry else Fraction(0)
        grown: dict[frozenset[str], Fraction] = {}
        for seen, q in law.items():
            grown[seen] = grown.get(seen, Fraction(0)) + q * (1 - p)
            grown[seen | {ideal}] = grown.get(seen | {ideal}, Fraction(0)) + q * p
        law = grown
    return law


def moves(walk: Walk) -> Floats:
    """Return the walk's links as a dense matrix over its sorted elements."""
    matrix = np.zeros((len(walk.links.elements),) * 2)
    for source, target, p in walk.links:
        row, column = walk.links.elements.index(source), walk.links.elements.index(target)
        matrix[row, column] = float(exact_probability(p))
    return matrix
