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
from itertools import combinations
from math import prod

from prum.simulator.model import (
    Beta,
    Browsing,
    Independent,
    Navigation,
    Task,
    Types,
    Walk,
)
from tests.oracle.worlds import (
    ONE,
    ZERO,
    Ideals,
    Table,
    beta_nodes,
    context_law,
    exact_links,
    exact_probability,
    given_factor,
    normal_nodes,
    path_sets,
    worlds,
)

# What the n-th consulted element costs.
Cost = Callable[[int], int]


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
    satiation, need, fading = browsing.satiation, browsing.need, browsing.fading
    faded = (
        exact_probability(fading[min(number, len(fading)) - 1])
        if isinstance(fading, tuple)
        else exact_probability(fading) ** (number - 1)
    )
    return (
        faded
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
