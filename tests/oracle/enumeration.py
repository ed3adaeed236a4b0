"""Exact values of the user model by enumerating everything a user may do, in fractions.

Derived from Piwowarski, Gallinari and Dupret (2007) alone and meant to be obviously right rather
than fast: every outcome of every visit is a *world*, and every order of the unranked part is tried.
Equation, section and table numbers are those of that paper. Small tasks only.

What a user of `Browsing` does depends on what they have seen, so that their worlds are not settled
beforehand: they are followed from one consulted element to the next.

Normal and beta laws have no fractions. They are integrated by Gauss's quadrature, in doubles, good
to 1e-6, but for exclusive visits of which more must overlap from one user to another.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, pairwise, product
from math import prod, sqrt
from statistics import NormalDist

from scipy.special import roots_hermitenorm, roots_sh_jacobi

from prum.simulator.model import (
    Beta,
    Browsing,
    Copula,
    Coupled,
    Independent,
    Navigation,
    Task,
    Types,
    Walk,
)

Ideals = frozenset[str]
# Probabilities of links by source and target.
Table = Mapping[str, Mapping[str, Fraction]]
# Its probability, and the set N_i of ideals seen from rank i for i = 1..o.
World = tuple[Fraction, list[Ideals]]
# What the n-th consulted element costs.
Cost = Callable[[int], int]

ZERO, ONE = Fraction(0), Fraction(1)
NORMAL = NormalDist()
# Nodes of quadrature.
NUM_NODES = 64


@dataclass(frozen=True)
class Expectation:
    """What happens to users who want r ideals (section 3.2, Table III), exactly.

    `joint` maps (C(r), CL(r)) to its probability; all else is read off it.
    """

    r: int
    joint: dict[tuple[int, int], Fraction]

    def mean(self, of: Callable[[int, int], int | Fraction]) -> Fraction:
        """Return E[of(C(r), CL(r))]."""
        return sum((p * of(c, cl) for (c, cl), p in self.joint.items()), ZERO)

    @property
    def leading(self) -> Fraction:
        """E[CL(r)], the numerator of (3)."""
        return self.mean(lambda _, cl: cl)

    @property
    def consulted(self) -> Fraction:
        """E[C(r)], the denominator of (3)."""
        return self.mean(lambda c, _: c)

    @property
    def precision(self) -> Fraction:
        """E[CL(r)] / E[C(r)], equation (3): a ratio of means."""
        return self.leading / self.consulted

    @property
    def mean_ratio(self) -> Fraction:
        """E[CL(r) / C(r)]: a mean of ratios, which the paper does not use."""
        return self.mean(lambda c, cl: Fraction(cl, c))

    @property
    def consulted_variance(self) -> Fraction:
        """Var[C(r)]."""
        return self.mean(lambda c, _: c * c) - self.consulted**2

    @property
    def leading_variance(self) -> Fraction:
        """Var[CL(r)]."""
        return self.mean(lambda _, cl: cl * cl) - self.leading**2

    @property
    def covariance(self) -> Fraction:
        """Cov[C(r), CL(r)]."""
        return self.mean(lambda c, cl: c * cl) - self.consulted * self.leading

    @property
    def consulted_pmf(self) -> dict[int, Fraction]:
        """P(C(r) = c) for every c that can happen, in order of c."""
        pmf: dict[int, Fraction] = defaultdict(Fraction)
        for (c, _), p in sorted(self.joint.items()):
            pmf[c] += p
        return dict(pmf)


@dataclass(frozen=True)
class Literal:
    """The four terms of equation (5) as printed, at recall value r."""

    r: int
    a: Fraction
    b: Fraction
    c: Fraction
    d: Fraction

    @property
    def leading(self) -> Fraction:
        """The numerator of (5), PRUM's value of E[CL(r)]."""
        return self.a + self.b

    @property
    def consulted(self) -> Fraction:
        """The denominator of (5), PRUM's value of E[C(r)]."""
        return self.c + self.d

    @property
    def precision(self) -> Fraction:
        """Equation (5)."""
        return self.leading / self.consulted


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


@cache
def place_pmf(u: int, unseen: int, wanted: int) -> dict[int, Fraction]:
    """Return the distribution of the place of the `wanted`-th unseen ideal in the unranked part.

    All sets of places that the `unseen` ideals may take among u are equally probable (section 2.1;
    Cooper's expectation in (16) is its mean). Every one is tried.
    """
    counts = Counter(places[wanted - 1] for places in combinations(range(1, u + 1), unseen))
    total = sum(counts.values())
    return {place: Fraction(count, total) for place, count in sorted(counts.items())}


def one_each(_: int) -> int:
    """Return the cost with which consulted elements are counted."""
    return 1


def user_outcomes(
    task: Task, contexts: Sequence[Ideals], r: int, cost: Cost = one_each
) -> Iterator[tuple[int, int, Fraction]]:
    """Yield (C(r), CL(r), probability) of a user whose navigation is settled (Table III, Fig. 1).

    `contexts` holds N_i of each rank. They stop at the rank where they have seen r distinct ideals;
    CL counts ranks that show something new, however much. If the list ends first, they go through
    the unranked part without browsing (section 2.1): every ideal not seen yet lies there, each
    consulted one leads to itself, and ideals they already saw by navigation count no more.

    With a `cost`, what they cost is summed instead; behind the list all cost the same.
    """
    seen: set[str] = set()
    consulted = leading = 0
    for rank, context in enumerate(contexts, start=1):
        consulted += cost(rank)
        if context - seen:
            leading += cost(rank)
        seen |= context
        if len(seen) >= r:
            yield consulted, leading, ONE
            return
    missing, each = r - len(seen), cost(task.num_ranked + 1)
    for place, p in place_pmf(task.num_unranked, task.num_ideals - len(seen), missing).items():
        yield consulted + each * place, leading + each * missing, p


def expectations(task: Task, navigation: Navigation, cost: Cost = one_each) -> list[Expectation]:
    """Return the exact E[CL(r)], E[C(r)] and more for r = 1..t (section 3.2, Table III).

    Item r - 1 is that of recall value r. Hypotheses 2.1 and, for `Independent`, 2.2; never 2.3.
    """
    if isinstance(navigation, Browsing):
        return [
            Expectation(r, browsing_joint(task, navigation, r, cost))
            for r in range(1, task.num_ideals + 1)
        ]
    joints: list[dict[tuple[int, int], Fraction]] = [
        defaultdict(Fraction) for _ in range(task.num_ideals)
    ]
    for probability, contexts in worlds(task, navigation):
        for r, joint in enumerate(joints, start=1):
            for consulted, leading, p in user_outcomes(task, contexts, r, cost):
                joint[consulted, leading] += probability * p
    return [Expectation(r, dict(joint)) for r, joint in enumerate(joints, start=1)]


def browsing_joint(
    task: Task, browsing: Browsing, r: int, cost: Cost = one_each
) -> dict[tuple[int, int], Fraction]:
    """Return the law of (C(r), CL(r)) of users who want r ideals, each kind of user on its own."""
    joint: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
    for weight, factor, links in _kinds(browsing):
        for outcome, p in _joint_of_kind(task, browsing, r, factor, links, cost).items():
            joint[outcome] += weight * p
    return {outcome: p for outcome, p in joint.items() if p}


def _kinds(browsing: Browsing) -> Iterator[tuple[Fraction, Fraction, Table]]:
    """Yield how many users there are of each kind, their factor, and the links as they take them.

    Numbers are doubles where the population has no fractions.
    """
    population, links = browsing.population, exact_links(browsing.navigation)
    if population is None:
        yield ONE, ONE, links
    elif isinstance(population, Types):
        for weight, factor in zip(population.weights, population.factors, strict=True):
            yield exact_probability(weight), exact_probability(factor), links
    elif isinstance(population, Beta):
        for weight, factor in beta_nodes(population.a, population.b):
            yield weight, factor, links
    else:
        walks = isinstance(browsing.navigation, Walk)
        for weight, z in normal_nodes():
            yield (
                weight,
                1.0,
                {
                    x: _as_user(targets, population.rho, z, walks=walks)
                    for x, targets in links.items()
                },
            )


def _as_user(
    targets: Mapping[str, Fraction], rho: float, z: float, *, walks: bool
) -> dict[str, Fraction]:
    """Return the links from one element for a user of factor z.

    It is each visit, or moving on at all on a walk, that depends on z. Who may stop may do so
    whatever z is, if ever so seldom.
    """
    if not walks:
        return {y: given_factor(p, rho, z) for y, p in targets.items()}
    moving = sum(targets.values(), ZERO)
    if moving >= 1:
        return dict(targets)
    moves = min(given_factor(moving, rho, z), 1 - 1e-9)
    return {y: float(p / moving) * moves for y, p in targets.items()}


def _joint_of_kind(
    task: Task, browsing: Browsing, r: int, own: Fraction, links: Table, cost: Cost
) -> dict[tuple[int, int], Fraction]:
    """Return the law of (C(r), CL(r)) of users whose own factor is `own`, who take `links`.

    They are followed from one consulted element to the next. Of those still on their way are kept
    the ideals seen, the number of elements that led to some, and what is left of the unranked part,
    of which any element may be next.
    """
    unranked = unranked_elements(task, browsing)
    law_of = cache(partial(context_law, task, browsing.navigation, links=links))
    joint: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
    on_their_way = {(frozenset[str](), 0, unranked): ONE}
    number = consulted = 0
    while on_their_way:
        number += 1
        consulted += cost(number)
        after: dict[tuple[Ideals, int, tuple[str, ...]], Fraction] = defaultdict(Fraction)
        for (seen, leading, left), p in on_their_way.items():
            before = {*task.ranking[: number - 1], *(Counter(unranked) - Counter(left))}
            for x, rest, chance in _next(task, number, left):
                factor = own * _factor(task, browsing, r, number, len(seen), x, before)
                for visited, q in law_of(x, factor).items():
                    now = seen | visited
                    leads = leading + cost(number) * (now != seen)
                    if len(now) >= r:
                        joint[consulted, leads] += p * chance * q
                    else:
                        after[now, leads, rest] += p * chance * q
        on_their_way = after
    return dict(joint)


def unranked_elements(task: Task, browsing: Browsing) -> tuple[str, ...]:
    """Return the unranked part: elements that have a name, and empty texts for all others.

    If they do not browse there, only ideals matter; else those that lead somewhere or stand in
    documents.
    """
    named = set(task.ideals)
    if browsing.unranked:
        named |= {x for source, target, _ in browsing.links for x in (source, target)}
        named |= {x for x, _ in browsing.documents}
    named -= set(task.ranking)
    if len(named) > task.num_unranked:
        raise ValueError(f"{len(named)} elements are named, {task.num_unranked} are unranked")
    return (*sorted(named), *[""] * (task.num_unranked - len(named)))


def _next(
    task: Task, number: int, left: tuple[str, ...]
) -> Iterator[tuple[str, tuple[str, ...], Fraction]]:
    """Yield what the `number`-th consulted element may be, what is left after it, and how likely.

    Elements without a name are all the same.
    """
    if number <= task.num_ranked:
        yield task.ranking[number - 1], left, ONE
        return
    for x, many in Counter(left).items():
        rest = [*left]
        rest.remove(x)
        yield x, tuple(rest), Fraction(many, len(left))


def _factor(
    task: Task, browsing: Browsing, r: int, number: int, seen: int, x: str, before: set[str]
) -> Fraction:
    """Return by how much browsing from x is multiplied for everybody.

    They want `r` ideals and have `seen` so many; x is the `number`-th element they consult, after
    all those of `before`.
    """
    documents = dict(browsing.documents)
    if x in before or (x in documents and documents[x] in map(documents.get, before)):
        return ZERO
    if number > task.num_ranked and not browsing.unranked:
        return ZERO
    satiation, need = browsing.satiation, browsing.need
    return (
        exact_probability(browsing.fading) ** (number - 1)
        * exact_probability(satiation[min(seen, len(satiation) - 1)])
        * exact_probability(need[min(r, len(need)) - 1])
    )


def exact_reach(task: Task, navigation: Navigation) -> list[list[Fraction]]:
    """Return P(l_i -> x), row i - 1 for rank i, column k for `task.ideals[k]` (section 2.1).

    On a walk this is the probability that the path ever visits x, "all the physical steps taken"
    (Fig. 2). The second occurrence of an element reaches nothing.
    """
    links = exact_links(navigation)
    rows: list[list[Fraction]] = []
    for rank, x in enumerate(task.ranking):
        if x in task.ranking[:rank]:
            rows.append([ZERO for _ in task.ideals])
        elif isinstance(navigation, Walk):
            shown = path_sets(x, frozenset(task.ideals), links)
            rows.append([sum((p for s, p in shown.items() if y in s), ZERO) for y in task.ideals])
        else:
            rows.append([ONE if x == y else links.get(x, {}).get(y, ZERO) for y in task.ideals])
    return rows


def found_probability(seen: Sequence[Fraction], s: int) -> Fraction:
    """Return P(F_i = s) by equation (7), the sum over subsets A, from P(x in S_i) of each ideal."""
    return sum(
        (
            prod((p if x in A else 1 - p for x, p in enumerate(seen)), start=ONE)
            for A in combinations(range(len(seen)), s)
        ),
        ZERO,
    )


def prum_literal(
    task: Task, navigation: Navigation | Sequence[Sequence[Fraction]]
) -> list[Literal]:
    """Return PRUM for r = 1..t exactly as printed: equations (1), (5), (6), (7) and (8).

    Takes a navigation or the reach matrix itself (o rows, t columns). Two slips of the print are
    mended: below (5), P(F_0 = 0) = 1 (not F_o), and the factor 1 + (u - (t-s)) / (t-s+1) belongs
    to (d) alone, as (16) has it.
    """
    if isinstance(navigation, Independent | Walk):
        reach: Sequence[Sequence[Fraction]] = exact_reach(task, navigation)
    else:
        reach = navigation
    o, t, u = task.num_ranked, task.num_ideals, task.num_unranked
    # seen[i][x] is P(x in S_i), equations (1) and (6); S_0 is empty.
    seen = [
        [1 - prod((1 - reach[j][x] for j in range(i)), start=ONE) for x in range(t)]
        for i in range(o + 1)
    ]
    found = [[found_probability(seen[i], s) for s in range(t + 1)] for i in range(o + 1)]

    def finds_more(i: int, s: int) -> Fraction:
        """P(F_i > s | F_{i-1} = s), equation (8)."""
        nothing_new = ONE
        for x in range(t):
            others = [p for y, p in enumerate(seen[i - 1]) if y != x]
            first_time = seen[i][x] - seen[i - 1][x]
            nothing_new *= 1 - first_time * found_probability(others, s) / found[i - 1][s]
        return 1 - nothing_new

    results: list[Literal] = []
    for r in range(1, t + 1):
        a = b = c = d = ZERO
        for s in range(r):
            for i in range(1, o + 1):
                if found[i - 1][s]:  # else the condition in (8) is impossible and the term is 0
                    a += found[i - 1][s] * finds_more(i, s)
                c += found[i - 1][s]
            b += found[o][s] * (r - s)
            d += found[o][s] * (r - s) * (1 + Fraction(u - (t - s), t - s + 1))
        results.append(Literal(r, a, b, c, d))
    return results
