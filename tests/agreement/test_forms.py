"""Each closed form beside another one, most of them enumerations in fractions, on random tasks.

`forms` is the list: what is compared, form A, form B, and how far apart they may be. Equation and
section numbers are those of Piwowarski, Gallinari and Dupret (2007).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import pytest

from prum.analytic import (
    PrecisionRecall,
    by_rank,
    closed_form,
    consulted_pmf,
    exact,
    exact_joint,
    found_pmf,
    independent_of,
    new_probability,
    precision_parts,
    prum,
    prum_by_rank,
    prum_of,
    reach_matrix,
    seen_probability,
    walk_reach,
    walk_within,
)
from prum.analytic.ranked import without_browsing
from prum.simulator.model import Browsing, Independent, ListCosts, Navigation, Task, Walk
from tests.oracle.cases import BROWSED, CASES, RICH
from tests.oracle.enumeration import Expectation, exact_reach, expectations, prum_literal
from tests.oracle.worlds import ZERO, worlds
from tests.samples import WAYS, Floats, exact_within, floats, moves, random_browsing, random_task
from tests.tiers import slow, spread_random

# What is compared, form A, form B, and how far apart they may be, relative to B or to 1.
Form = tuple[str, Any, Any, float]

CLOSE, ROUNDING, QUADRATURE = 1e-12, 1e-10, 1e-6
DIALS: tuple[tuple[str, ...], ...] = (
    (),
    *((dial,) for dial in ("types", "beta", "one factor", "fading", "fades", "satiation", "need")),
    *(("documents",), ("unranked",), ("types", "need"), ("beta", "satiation")),
    *(("one factor", "fading"), ("one factor", "unranked")),
    ("types", "fading", "satiation", "need", "documents"),
)
# Normal and beta laws have no fractions; the oracle integrates them.
INTEGRATED = ("beta", "one factor", "copula")


@dataclass(frozen=True)
class Case:
    """A task and a navigation, and of whom the oracle tells: the same users, but for controls.

    Its `reach` and `within` are what forms of matrices are given: of the navigation, by the oracle.
    """

    name: str
    task: Task
    navigation: Navigation
    told: Navigation

    @cached_property
    def truth(self) -> list[Expectation]:
        return expectations(self.task, self.told)

    @cached_property
    def reach(self) -> Floats:
        rows = [floats(row) for row in exact_reach(self.task, self.navigation)]
        return np.array(rows).reshape(self.task.num_ranked, self.task.num_ideals)

    @cached_property
    def within(self) -> Floats:
        rows = [floats(row) for row in exact_within(self.task, self.navigation)]
        return np.array(rows).reshape(self.task.num_ranked, 1 << self.task.num_ideals)

    @cached_property
    def costs(self) -> ListCosts:
        """Whole tokens, which differ by rank."""
        rng = np.random.default_rng([len(self.name), *self.name.encode()])
        each = rng.integers(1, 400, self.task.num_ranked + 1)
        return ListCosts(each[:-1], int(each[-1]), unit="tokens")

    @cached_property
    def seen_by_rank(self) -> list[tuple[Fraction, list[frozenset[str]]]]:
        """Each world of a table: its probability, and what was seen within 0 .. o ranks."""
        found = []
        for probability, contexts in worlds(self.task, self.told):  # type: ignore[arg-type]
            seen = [frozenset[str]()]
            for context in contexts:
                seen.append(seen[-1] | context)
            found.append((probability, seen))
        return found

    @property
    def near(self) -> float:
        return QUADRATURE if any(name in self.name for name in INTEGRATED) else ROUNDING


def made() -> Iterator[tuple[str, Task, Navigation]]:
    """Yield tasks by hand, then random tables, walks, and ways of browsing with their dials."""
    for name, case in CASES.items():
        yield name, *case
    yield (
        "blanks and Unicode",
        Task(["a b", "日本", " "], ["ß", "a b", "\u00a0"], 6),
        Independent({("a b", "ß"): 0.3, ("日本", "ß"): 0.5, (" ", "\u00a0"): 0.25}),
    )
    yield (
        "one rank, all wanted",
        Task(["x"], ["a", "b"], 3),
        Independent({("x", "a"): 0.5, ("x", "b"): 0.25}),
    )
    yield (
        "ideals that nothing reaches",
        Task(["x", "y"], ["a", "b"], 4),
        Independent({("x", "z"): 0.5, ("z", "a"): 1, ("y", "b"): 0}),
    )
    yield (
        "ideals that no step reaches",
        Task(["x", "y"], ["a", "b"], 5),
        Walk({("x", "z"): 0.5, ("z", "w"): 1, ("a", "b"): 0.5}),
    )
    for name, browsing in BROWSED.items():
        yield name, RICH, browsing
    for number, walk in product(range(200), (False, True)):
        rng = np.random.default_rng([number, walk])
        yield f"random {'walk' if walk else 'table'} {number}", *random_task(rng, walk=walk)
    for way, dials, seed in product((*WAYS, "walk"), DIALS, range(2)):
        rng = np.random.default_rng([seed, len(dials), way == "walk"])
        yield f"random {seed}, {' + '.join((way, *dials))}", *random_browsing(rng, way, dials)


SMALL = {name: Case(name, task, told, told) for name, task, told in made()}
TABLES = {name: case for name, case in SMALL.items() if isinstance(case.navigation, Independent)}


# --- the list -------------------------------------------------------------------------------------


def forms(case: Case) -> Iterator[Form]:
    """Yield all forms that a case has."""
    yield from of_values(case)
    yield from of_laws(case)
    yield from of_ranks(case)
    if isinstance(case.navigation, Independent | Walk):
        yield from of_plain_navigation(case)
    if isinstance(case.navigation, Independent):
        yield from of_tables(case)
        yield from of_building_blocks(case)
    if isinstance(case.navigation, Walk):
        yield from of_walks(case)


def moments(
    what: str, result: PrecisionRecall, truth: list[Expectation], near: float
) -> Iterator[Form]:
    """Yield E[CL], E[C], and moments of C about its mean: these round as those about 0 do."""
    square, cube = (floats(e.mean(lambda c, _, n=n: c**n) for e in truth) for n in (2, 3))  # type: ignore[misc]
    third = floats(e.mean(lambda c, _, mean=e.consulted: (c - mean) ** 3) for e in truth)  # type: ignore[misc]
    variance = floats(e.consulted_variance for e in truth)
    deviation, skewness = result.consulted_deviation, result.consulted_skewness
    assert deviation is not None
    assert skewness is not None
    yield f"{what}: E[CL]", result.leading, floats(e.leading for e in truth), near
    yield f"{what}: E[C]", result.consulted, floats(e.consulted for e in truth), near
    yield f"{what}: precision", result.precision, floats(e.precision for e in truth), near
    yield f"{what}: variance", deviation**2 / square, variance / square, near
    yield f"{what}: third moment", skewness * deviation**3 / cube, third / cube, near


def of_values(case: Case) -> Iterator[Form]:
    """Exact values in elements and in costs; costs of one change no value."""
    task, navigation, costs = case.task, case.navigation, case.costs
    units = ListCosts.units(task.num_ranked)
    for form in (closed_form, prum_of, independent_of):
        value, same = form(task, navigation), form(task, navigation, costs=units)
        if value is not None and same is not None:
            yield f"{form.__name__} by units", same.leading, value.leading, 0
            yield f"{form.__name__} by units, C", same.consulted, value.consulted, 0
    noisy, tossed = (form(task, navigation, costs=costs) for form in (prum_of, independent_of))
    # What is consulted does not rest on Hypothesis 2.3, and neither does r = 1.
    yield "PRUM by costs: E[C]", noisy.consulted, tossed.consulted, ROUNDING
    yield "PRUM by costs: E[CL(1)]", noisy.leading[:1], tossed.leading[:1], ROUNDING
    below = np.minimum(noisy.leading, tossed.leading)
    yield "PRUM by costs is below", noisy.leading, below, ROUNDING
    for name, form, own in (("PRUM", prum_of, noisy), ("noisy-or", independent_of, tossed)):
        normal = form(task, navigation, counts="normal", costs=costs)  # of ten ideals it is exact
        yield f"{name} by normal counts", normal.leading, own.leading, ROUNDING
        yield f"{name} by normal counts: E[C]", normal.consulted, own.consulted, ROUNDING
    value, paid = closed_form(task, navigation), closed_form(task, navigation, costs=costs)
    if value is None or paid is None:
        assert value is paid is None
        return
    near = case.near if isinstance(navigation, Browsing) else CLOSE
    yield from moments("closed_form", value, case.truth, near)
    assert paid.unit == "tokens"
    each = [*map(int, costs.ranked), int(costs.unranked)]
    truth = expectations(task, case.told, lambda n: each[min(n, len(each)) - 1])
    yield from moments("closed_form by costs", paid, truth, case.near)


def of_laws(case: Case) -> Iterator[Form]:
    """The law of C(r), and what it costs."""
    task, navigation = case.task, case.navigation
    pmf = consulted_pmf(task, navigation)
    if pmf is None:
        assert closed_form(task, navigation) is None
        return
    truth = np.zeros_like(pmf)
    for e in case.truth:
        for c, p in e.consulted_pmf.items():
            truth[e.r - 1, c] = float(p)
    yield "law of C", pmf, truth, case.near
    yield "law of C(r)", consulted_pmf(task, navigation, task.num_ideals), pmf[-1], 0
    drawn = case.costs.unranked * np.arange(1, task.num_unranked + 1)
    cost = np.append(case.costs.before(), case.costs.before()[-1] + drawn)
    paid = closed_form(task, navigation, costs=case.costs)
    assert paid is not None
    yield "E[cost] from the law", paid.consulted, pmf @ cost, ROUNDING


def of_ranks(case: Case) -> Iterator[Form]:
    """Rank by rank: costs of 1 at one rank and 0 elsewhere make expectations probabilities.

    Ranks up to the k-th are the whole list where it ends there.
    """
    task, navigation = case.task, case.navigation
    ranks = by_rank(task, navigation)
    assert (ranks is None) == (closed_form(task, navigation) is None)
    if ranks is not None and "one factor" not in case.name:
        for k in range(task.num_ranked):
            truth = expectations(task, case.told, lambda rank, k=k: int(rank == k + 1))  # type: ignore[misc]
            yield "by rank: C", ranks.consulted[k], floats(e.consulted for e in truth), case.near
            yield "by rank: CL", ranks.leading[k], floats(e.leading for e in truth), case.near
    for name, law, value in (
        ("PRUM by rank", prum_by_rank(task, navigation), prum_of),
        ("by rank", ranks, closed_form),
    ):
        if law is None:
            continue
        for k in range(task.num_ranked + 1):
            whole = value(Task(task.ranking[:k], task.ideals, task.collection_size), navigation)
            assert whole is not None
            assert whole.parts is not None
            yield f"{name}: sums of CL", law.leading[:k].sum(axis=0), whole.parts[0], 1e-9
            yield f"{name}: sums of C", law.consulted[:k].sum(axis=0), whole.parts[2], 1e-9


def of_plain_navigation(case: Case) -> Iterator[Form]:
    """Of tables and walks: equations (1), (5) to (8) as printed, and values from all N_i."""
    task, navigation = case.task, case.navigation
    reach = replace(case, navigation=case.told).reach
    yield "reach", reach_matrix(task, navigation).toarray(), reach, CLOSE
    joint = exact_joint(case.within, task.num_unranked)
    yield from moments("exact_joint", joint, case.truth, CLOSE)
    literal = prum_literal(task, case.told)
    for name, value in (
        ("PRUM of its reach", prum(case.reach, task.num_unranked)),
        ("PRUM", prum_of(task, navigation)),
    ):
        for part in ("leading", "consulted", "precision"):
            printed = floats(getattr(p, part) for p in literal)
            yield f"{name}, {part} as printed", getattr(value, part), printed, CLOSE
    # Appendix B, equation (19): no navigation at all.
    alone = floats(e.precision for e in expectations(task, Independent({})))
    yield "without browsing", without_browsing(task).precision, alone, CLOSE
    yield "PRUM without links", prum_of(task, Independent({})).precision, alone, CLOSE


def of_tables(case: Case) -> Iterator[Form]:
    """Of independent visits, from the matrix P(l_i -> x): exact values, laws, PRUM's error."""
    task, u = case.task, case.task.num_unranked
    yield from moments("exact", exact(case.reach, u), case.truth, CLOSE)
    # Equation (8) is exact at r = 1 and low beyond; the denominator of (5) does not use it.
    value, truth = prum_of(task, case.navigation), floats(e.leading for e in case.truth)
    yield "PRUM: E[CL(1)]", value.leading[:1], truth[:1], CLOSE
    yield "PRUM is never above", np.maximum(value.leading, truth), truth, CLOSE
    yield "PRUM: E[C]", value.consulted, floats(e.consulted for e in case.truth), CLOSE
    for e in case.truth:
        law = np.zeros(task.num_ranked + u + 1)
        for c, p in e.consulted_pmf.items():
            law[c] = float(p)
        yield "law of a matrix", consulted_pmf(case.reach, u, e.r), law, CLOSE


def of_building_blocks(case: Case) -> Iterator[Form]:
    """What PRUM is derived from: P(x in S_i), P(F_i = s), P(F_i > s | F_{i-1} = s), the parts."""
    task, reach, u = case.task, case.reach, case.task.num_unranked
    t, o = task.num_ideals, task.num_ranked
    seen, found = seen_probability(reach), found_pmf(reach)
    new, published = new_probability(reach, of="exact"), new_probability(reach)
    others = [found_pmf(reach, unseen=column) for column in range(t)]
    for i in range(o + 1):
        of_number, of_ideal = [ZERO] * (t + 1), dict.fromkeys(task.ideals, ZERO)
        without, more = [[ZERO] * t for _ in range(t)], [ZERO] * (t + 1)
        for p, now in case.seen_by_rank:
            number = len(now[i])
            of_number[number] += p
            more[number] += p * (i < o and len(now[i + 1]) > number)
            for column, x in enumerate(task.ideals):
                if x in now[i]:
                    of_ideal[x] += p
                else:
                    without[column][number] += p
        yield "P(x in S_i)", seen[i], floats(of_ideal.values()), CLOSE
        yield "P(F_i = s)", found[i], floats(of_number), CLOSE
        for column, law in enumerate(without):
            if total := sum(law, ZERO):
                given = floats(p / total for p in law)
                yield "P(F_i = s | x unseen)", others[column][i], given, CLOSE
        if i < o:
            share = [float(m / n) if n else np.nan for m, n in zip(more, of_number, strict=True)]
            yield "P(something new)", new[i], share, CLOSE
    # By Hypothesis 2.3 never more, and the same for who has seen nothing.
    yield "something new as published", published[:, 0], new[:, 0], CLOSE
    least = np.where(np.isnan(published), published, np.minimum(published, new))
    yield "as published, never more", published, least, CLOSE
    literal = prum_literal(task, case.told)
    due = np.array([floats(getattr(p, part) for p in literal) for part in "abcd"])
    whole, real = prum(reach, u), exact(reach, u)
    assert real.parts is not None
    yield "parts of (5)", precision_parts(found, published, u), due, CLOSE
    yield "parts of PRUM", whole.parts, due, CLOSE
    yield "parts put together", np.array(real.parts), precision_parts(found, new, u), CLOSE
    # Of those who come behind the list, each element there costs 1000 times what a rank does.
    dear = exact(reach, u, costs=ListCosts([1.0] * o, 1000.0, unit="steps")).parts
    yield "parts by costs", dear, np.array(real.parts) * [[1], [1000], [1], [1000]], CLOSE
    inside = floats(e.mean(lambda c, _: min(c, o)) for e in case.truth)
    yield "consulted in the list", real.parts[2], inside, CLOSE
    behind = [
        sum((p * max(r - len(now[-1]), 0) for p, now in case.seen_by_rank), ZERO)
        for r in range(1, t + 1)
    ]
    yield "leading behind the list", real.parts[1], floats(behind), CLOSE


def of_walks(case: Case) -> Iterator[Form]:
    """P(entry -> ideal) and P(N subset of A) of one path: absorption probabilities (Fig. 2).

    Only if the walk knows the ideals; it does not know what was consulted before.
    """
    assert isinstance(case.navigation, Walk)
    code, ranking = case.navigation.links.code, case.task.ranking
    if set(case.task.ideals) <= set(code):
        ranks = [k for k, x in enumerate(ranking) if x in code and x not in ranking[:k]]
        numbers = [code[ranking[k]] for k in ranks], [code[x] for x in case.task.ideals]
        links, truth = moves(case.navigation), replace(case, navigation=case.told)
        yield "reach of walks", walk_reach(links, *numbers), truth.reach[ranks], CLOSE
        yield "P(N subset of A) of walks", walk_within(links, *numbers), truth.within[ranks], CLOSE


def apart(found: Any, told: Any) -> float:
    """Return how far apart two forms are, relative to the second or to 1; nan has to meet nan."""
    found, told = np.asarray(found, dtype=float), np.asarray(told, dtype=float)
    assert found.shape == told.shape
    if not (np.isnan(found) == np.isnan(told)).all():
        return np.inf
    return float(np.nanmax(np.abs(found - told) / np.maximum(1, np.abs(told)), initial=0))


@pytest.mark.parametrize("name", spread_random(13, SMALL, BROWSED))
def test_forms_agree(name: str) -> None:
    far = {what: apart(a, b) for what, a, b, near in forms(SMALL[name]) if apart(a, b) > near}
    assert far == {}


# --- controls -------------------------------------------------------------------------------------


# Forms that are compared with others of the package, or with what all users have in common.
OF_PACKAGE = (
    *("closed_form by units", "prum_of by units", "independent_of by units", "PRUM by", "noisy-or"),
    *("law of C(r)", "E[cost]", "quantile 0", "by rank: sums", "parts put", "parts by"),
    *("something new as", "as published", "without browsing", "PRUM without"),
    *("PRUM: E[CL(1)]", "PRUM is never above"),
)


def weaker(case: Case) -> Case:
    """Let the oracle tell of users who follow every uncertain link a little less."""
    links = {(x, y): p if p in (0, 1) else 0.98 * p for x, y, p in case.told.links}
    told = Walk(links) if isinstance(case.told, Walk) else Independent(links)
    return replace(case, told=told)


@slow
def test_users_who_follow_less_are_noticed_by_each_form() -> None:
    """But not where both forms are of the package."""
    names = [f"random {kind} {number}" for kind in ("table", "walk") for number in range(0, 60, 6)]
    noticed = dict.fromkeys((form[0] for name in names for form in forms(SMALL[name])), 0)
    for name in names:
        for what, a, b, near in forms(weaker(SMALL[name])):
            noticed[what] += apart(a, b) > near
    missed = {what for what, number in noticed.items() if not number}
    assert missed == {what for what in noticed if what.startswith(OF_PACKAGE)}


def test_tasks_are_varied() -> None:
    """Random tasks must hold what they are there for."""
    tasks = [case.task for name, case in SMALL.items() if name.startswith("random")]

    def unranked_ideals(task: Task) -> int:
        return len(set(task.ideals) - set(task.ranking))

    traits = {
        "empty list": [not task.ranking for task in tasks],
        "one rank": [task.num_ranked == 1 for task in tasks],
        "duplicates": [len(set(task.ranking)) < task.num_ranked for task in tasks],
        "no ideal ranked": [unranked_ideals(task) == task.num_ideals for task in tasks],
        "only ideals unranked": [0 < unranked_ideals(task) == task.num_unranked for task in tasks],
        "nothing unranked": [task.num_unranked == 0 for task in tasks],
        "four ideals": [task.num_ideals == 4 for task in tasks],
        "PRUM below the truth": [
            case.truth[-1].leading - prum_literal(case.task, case.told)[-1].leading > 1e-3
            for case in TABLES.values()
        ],
    }
    assert {trait: sum(having) >= 10 for trait, having in traits.items()} == dict.fromkeys(
        traits, True
    )
    values = np.concatenate([case.reach.ravel() for case in TABLES.values()])
    assert min((values == 0).sum(), (values == 1).sum(), ((values > 0) & (values < 1)).sum()) > 100
