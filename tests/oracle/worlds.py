"""What users may see from each element, by enumerating everything that they may do, in fractions.

Derived from Piwowarski, Gallinari and Dupret (2007) alone, like `enumeration`, whose docstring
says more: every outcome of every visit is a *world*.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from math import prod, sqrt
from statistics import NormalDist

from scipy.special import roots_hermitenorm, roots_sh_jacobi

from prum.simulator.model import (
    Copula,
    Coupled,
    Independent,
    Navigation,
    Task,
    Walk,
)

Ideals = frozenset[str]
# Probabilities of links by source and target.
Table = Mapping[str, Mapping[str, Fraction]]
# Its probability, and the set N_i of ideals seen from rank i for i = 1..o.
World = tuple[Fraction, list[Ideals]]

ZERO, ONE = Fraction(0), Fraction(1)
NORMAL = NormalDist()
# Nodes of quadrature.
NUM_NODES = 64


def exact_probability(p: float) -> Fraction:
    """Return the fraction that `p` was written for: .4 is 2/5, not the nearest double.

    A fraction of denominator up to 10^6 is taken if it is within 1e-15 of `p` (relatively, so that
    a tiny probability is not lost); else the double's own value.
    """
    own = Fraction(p)
    short = own.limit_denominator(10**6)
    return short if abs(short - own) <= own * Fraction(1, 10**15) else own


def exact_links(navigation: Navigation) -> dict[str, dict[str, Fraction]]:
    """Return {source: {target: probability}} of the links that can be taken (section 2.1)."""
    links: dict[str, dict[str, Fraction]] = defaultdict(dict)
    for source, target, p in navigation.links:
        if p > 0:
            links[source][target] = exact_probability(p)
    return dict(links)


def toss_worlds(task: Task, navigation: Independent) -> Iterator[World]:
    """Yield every outcome of the independent visits x -> y (Hypothesis 2.2, section 2.3).

    Of a ranked x and an ideal y only the pairs with 0 < P(x -> y) < 1 are uncertain; x -> x is
    certain. What a user does from x they do once: a second occurrence of x shows the same again.
    """
    links = exact_links(navigation)
    certain: dict[str, set[str]] = {}
    uncertain: list[tuple[str, str, Fraction]] = []
    for x in dict.fromkeys(task.ranking):
        certain[x] = {x} & set(task.ideals)
        for y in task.ideals:
            p = links.get(x, {}).get(y, ZERO)
            if x == y or p == 0:
                continue
            if p == 1:
                certain[x].add(y)
            else:
                uncertain.append((x, y, p))
    for outcome in product((True, False), repeat=len(uncertain)):
        probability = ONE
        seen = {x: set(ideals) for x, ideals in certain.items()}
        for (x, y, p), happens in zip(uncertain, outcome, strict=True):
            probability *= p if happens else 1 - p
            if happens:
                seen[x].add(y)
        yield probability, [frozenset(seen[x]) for x in task.ranking]


def walk_worlds(task: Task, navigation: Walk) -> Iterator[World]:
    """Yield every combination of what the paths of the distinct entries show (Fig. 2).

    One path per entry; the paths of different entries are independent of each other.
    """
    links = exact_links(navigation)
    entries = list(dict.fromkeys(task.ranking))
    shown = [list(path_sets(entry, frozenset(task.ideals), links).items()) for entry in entries]
    for outcome in product(*shown):
        seen = {x: ideals for x, (ideals, _) in zip(entries, outcome, strict=True)}
        yield prod((p for _, p in outcome), start=ONE), [seen[x] for x in task.ranking]


def coupled_worlds(task: Task, navigation: Coupled) -> Iterator[World]:
    """Yield every combination of what contexts show in which one uniform number decides all."""
    entries = list(dict.fromkeys(task.ranking))
    shown = [list(context_law(task, navigation, x).items()) for x in entries]
    for outcome in product(*shown):
        seen = {x: ideals for x, (ideals, _) in zip(entries, outcome, strict=True)}
        yield prod((p for _, p in outcome), start=ONE), [seen[x] for x in task.ranking]


def context_law(
    task: Task,
    navigation: Independent | Coupled | Walk,
    entry: str,
    factor: Fraction = ONE,
    links: Table | None = None,
) -> dict[Ideals, Fraction]:
    """Return the law of the set of ideals seen from `entry`, browsing multiplied by `factor`.

    It multiplies the probability of each visit, or that of setting off on a path. An element leads
    to itself, whatever the factor. `links` are those of the navigation unless given.
    """
    own = frozenset({entry} & set(task.ideals))
    links = exact_links(navigation) if links is None else links
    law: dict[Ideals, Fraction] = defaultdict(Fraction)
    if isinstance(navigation, Walk):
        law[own] += 1 - factor
        for seen, p in path_sets(entry, frozenset(task.ideals), links).items():
            law[seen] += factor * p
    else:
        scaled = {y: factor * links.get(entry, {}).get(y, ZERO) for y in task.ideals if y != entry}
        coupling = navigation.coupling if isinstance(navigation, Coupled) else "independent"
        if coupling == "independent":
            visits = _each_on_its_own(scaled)
        elif isinstance(coupling, Copula):
            visits = _correlated(scaled, coupling.rho)
        else:
            visits = _decided(scaled, end_to_end=coupling == "exclusive")
        for visited, p in visits.items():
            law[visited | own] += p
    return {seen: p for seen, p in law.items() if p}


def _each_on_its_own(visits: Mapping[str, Fraction]) -> dict[Ideals, Fraction]:
    """Return the law of the set of visits that happen, by all their outcomes."""
    return {
        frozenset(y for y, happens in zip(visits, outcome, strict=True) if happens): prod(
            (p if happens else 1 - p for p, happens in zip(visits.values(), outcome, strict=True)),
            start=ONE,
        )
        for outcome in product((True, False), repeat=len(visits))
    }


def _decided(visits: Mapping[str, Fraction], *, end_to_end: bool) -> dict[Ideals, Fraction]:
    """Return the law of the set of visits in whose stretches a uniform number lies.

    They are laid end to end on a circle of length 1, or all begin at 0. The number matters only by
    where it lies among the places at which what is visited changes.
    """
    stretches: list[tuple[str, Fraction, Fraction]] = []
    at = ZERO
    for y, p in visits.items():
        begin = at if end_to_end else ZERO
        stretches.append((y, begin, begin + p))
        at += p
    edges = sorted({ZERO, ONE, *(edge % 1 for _, *ends in stretches for edge in ends)})
    law: dict[Ideals, Fraction] = defaultdict(Fraction)
    for low, high in pairwise(edges):
        number = (low + high) / 2
        turns = range(int(at) + 2)
        visited = {y for y, b, e in stretches if any(b <= number + turn < e for turn in turns)}
        law[frozenset(visited)] += high - low
    return dict(law)


def _correlated(visits: Mapping[str, Fraction], rho: float) -> dict[Ideals, Fraction]:
    """Return the law of the set of visits under a Gaussian copula, each on its own given z."""
    if rho == 1:
        return _decided(visits, end_to_end=False)
    law: dict[Ideals, Fraction] = defaultdict(Fraction)
    for weight, z in normal_nodes():
        given = {y: given_factor(p, rho, z) for y, p in visits.items()}
        for visited, p in _each_on_its_own(given).items():
            law[visited] += weight * p
    return law


def given_factor(p: Fraction, rho: float, z: float) -> Fraction:
    """Return Phi((Phi^-1(p) - sqrt(rho) z) / sqrt(1 - rho)); what is certain stays so."""
    if p in (0, 1):
        return p
    return NORMAL.cdf((NORMAL.inv_cdf(float(p)) - sqrt(rho) * z) / sqrt(1 - rho))


@cache
def normal_nodes() -> list[tuple[float, float]]:
    """Return (weight, value) of a standard normal number; weights below 1e-12 are left out."""
    values, weights = roots_hermitenorm(NUM_NODES)
    nodes = zip((weights / weights.sum()).tolist(), values.tolist(), strict=True)
    return [(weight, value) for weight, value in nodes if weight > 1e-12]


@cache
def beta_nodes(a: float, b: float) -> list[tuple[float, float]]:
    """Return (weight, value) of a number that is Beta(a, b)."""
    values, weights = roots_sh_jacobi(NUM_NODES // 2, a + b - 1, a)
    return [*zip((weights / weights.sum()).tolist(), values.tolist(), strict=True)]


def path_sets(entry: str, ideals: Ideals, links: Table) -> dict[Ideals, Fraction]:
    """Return the distribution of the set of ideals on one path from `entry` (Fig. 2).

    The path is an absorbing chain on (element, set of ideals seen so far). The set only grows, so
    the chain is solved set by set, smallest first: v = inflow + v P within the set gives the
    expected visits v, and the path ends with this set with probability sum_e v(e) P(stop at e).
    Who comes to elements from which nobody stops or sees anything new has seen this set for good.
    """
    result: dict[Ideals, Fraction] = {}
    inflow: dict[Ideals, dict[str, Fraction]] = {frozenset({entry}) & ideals: {entry: ONE}}
    while inflow:
        seen = min(inflow, key=lambda ideal_set: (len(ideal_set), sorted(ideal_set)))
        entering = inflow.pop(seen)
        stays: set[str] = set()
        todo = list(entering)
        while todo:  # the elements they can be at while `seen` does not grow
            e = todo.pop()
            if e not in stays:
                stays.add(e)
                todo += [y for y in _moves(links, e) if y not in ideals or y in seen]
        leaving = {e for e in stays if _leaves(_moves(links, e), ideals - seen)}
        while more := {e for e in stays - leaving if leaving & _moves(links, e).keys()}:
            leaving |= more
        caught = sum((p for e, p in entering.items() if e not in leaving), ZERO)
        elements = sorted(leaving)
        # One equation per element y: v(y) - sum_e v(e) P(e -> y) = inflow(y).
        matrix = [
            [(ONE if e == y else ZERO) - _moves(links, e).get(y, ZERO) for e in elements]
            for y in elements
        ]
        visits = solve(matrix, [entering.get(y, ZERO) for y in elements])
        for e, v in zip(elements, visits, strict=True):
            moves = _moves(links, e)
            caught += v * (1 - sum(moves.values(), ZERO))
            for y, p in moves.items():
                if y in stays and y not in leaving:
                    caught += v * p
                if y in ideals and y not in seen:
                    larger = inflow.setdefault(seen | {y}, {})
                    larger[y] = larger.get(y, ZERO) + v * p
        if caught:
            result[seen] = result.get(seen, ZERO) + caught
    return result


def _leaves(moves: Mapping[str, Fraction], unseen: Ideals) -> bool:
    """Return whether a path can end, or meet an ideal that is not seen, by its next move."""
    return sum(moves.values(), ZERO) < 1 or bool(unseen & moves.keys())


def _moves(links: Table, element: str) -> Mapping[str, Fraction]:
    """Return the moves from `element`, scaled down if their rounded sum exceeds 1."""
    moves = links.get(element, {})
    total = sum(moves.values(), ZERO)
    return {y: p / total for y, p in moves.items()} if total > 1 else moves


def solve(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """Return x with `matrix` x = `right`, by Gauss-Jordan elimination in fractions."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for k in range(len(rows)):
        pivot = next(j for j in range(k, len(rows)) if rows[j][k])
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for j, row in enumerate(rows):
            if j != k and (factor := row[k]):
                rows[j] = [a - factor * b for a, b in zip(row, rows[k], strict=True)]
    return [row[-1] for row in rows]


def worlds(task: Task, navigation: Independent | Coupled | Walk) -> Iterator[World]:
    """Yield the worlds of a navigation without dials (sections 2.1 and 2.3)."""
    if isinstance(navigation, Walk):
        return walk_worlds(task, navigation)
    if isinstance(navigation, Coupled):
        return coupled_worlds(task, navigation)
    return toss_worlds(task, navigation)
