"""The measures PRUM is compared with, and computations of them written otherwise.

Section, equation and figure numbers are those of Piwowarski, Gallinari and Dupret (2007).
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product
from math import prod

import numpy as np
import pytest

from prum.analytic import prum
from prum.analytic.ranked import raghavan
from prum.analytic.structured import (
    eprum,
    eprum_first,
    generalised_recall,
    graded_prum,
    grp,
    grp_ng,
    overlap,
    t2i,
    xcg,
)
from prum.analytic.structured.reached import fewest
from prum.simulator.model import (
    Assessment,
    Elements,
)
from tests.tiers import spread

CLOSE = 1e-12
NUM_RANDOM = 120

# --- tied ranks: all orders ---------------------------------------------------------------------


def _orders(ranks: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    for order in product(*(permutations(rank) for rank in ranks)):
        yield [element for rank in order for element in rank]


def _search_lengths(ranks: Sequence[Sequence[str]], ideals: set[str]) -> list[Fraction]:
    """Return the mean over all orders of the non-ideal elements before the r-th new ideal."""
    sums, count = [Fraction(0)] * len(ideals), 0
    for order in _orders(ranks):
        found, others = set[str](), 0
        for element in order:
            if element in ideals and element not in found:
                sums[len(found)] += others
                found.add(element)
            else:
                others += 1
        count += 1
    return [one / count for one in sums]


@pytest.mark.parametrize("seed", spread(5, range(NUM_RANDOM)))
def test_tied_ranks_are_all_their_orders(seed: int) -> None:
    rng = np.random.default_rng([1, seed])
    names = [str(name) for name in rng.permutation(list("abcdefgh"))]
    ideals = set(names[: rng.integers(1, 5)])
    names = [str(name) for name in rng.permutation(names)]
    listed = int(rng.integers(0, 9))
    ranks, rest = list[list[str]](), names[:listed]
    while rest:
        size = int(rng.integers(1, 5))
        ranks.append(rest[:size])
        rest = rest[size:]
    if ranks and rng.random() < 0.3:
        ranks.append([ranks[0][0]])  # a repeat
    unranked = names[listed:]
    if len(unranked) > 5:
        unranked = [*sorted(ideals.intersection(unranked)), "other"]
    wanted = _search_lengths([*ranks, unranked], ideals)
    ranking = [rank[0] if len(rank) == 1 else rank for rank in ranks]
    result = raghavan(ranking, ideals, len(unranked))
    r = np.arange(1, len(ideals) + 1)
    found = result.consulted - r
    assert found == pytest.approx(np.array([float(one) for one in wanted]), abs=CLOSE)
    assert result.precision == pytest.approx(r / (r + found), abs=CLOSE)


def _literal_grp(
    ranks: Sequence[Sequence[str]], q: dict[str, Fraction], unranked: int, r: Fraction
) -> Fraction:
    """Equation (19) with the sums of appendix C.1, rank by rank, in fractions."""
    listed = {element for rank in ranks for element in rank}
    left = sorted(set(q) - listed)
    worth, known = list[list[Fraction]](), set[str]()
    for rank in ranks:
        worth.append([q.get(x, Fraction(0)) if x not in known else Fraction(0) for x in rank])
        known.update(rank)
    worth.append([q[x] for x in left] + [Fraction(0)] * (unranked - len(left)))
    f = j = Fraction(0)
    for rank_worth in worth:
        k = sum(rank_worth, Fraction(0))
        if f + k >= r:
            i = sum((1 - one for one in rank_worth), Fraction(0))
            return r / (r + j + i * (r - f) / (k + 1))
        f += k
        j += sum((1 - one for one in rank_worth), Fraction(0))
    raise AssertionError


@pytest.mark.parametrize("seed", spread(5, range(NUM_RANDOM)))
def test_grp_by_its_definition_in_fractions(seed: int) -> None:
    rng = np.random.default_rng([2, seed])
    names = [f"élément {k}" for k in range(9)]
    parts = int(rng.choice([1, 3, 4]))
    q = {name: Fraction(int(rng.integers(0, parts + 1)), parts) for name in names[:6]}
    q["sure"] = Fraction(1, parts)
    ranks = list[list[str]]()
    for _ in range(rng.integers(0, 5)):
        size = int(rng.integers(1, 4))
        ranks.append([str(x) for x in rng.choice(names, size=size, replace=False)])
    unranked = 9 + int(rng.integers(0, 5))
    found = grp(ranks, {name: float(one) for name, one in q.items()}, unranked)
    total = sum(q.values())
    assert found.total == pytest.approx(float(total), abs=CLOSE)
    levels = [Fraction(k, 100) for k in range(1, 101)]
    wanted = [float(_literal_grp(ranks, q, unranked, level * total)) for level in levels]
    assert found.at_levels(np.arange(1, 101) / 100) == pytest.approx(np.array(wanted), abs=1e-8)
    assert found.average == pytest.approx(np.mean(wanted), abs=1e-8)
    # Where ranks end: sums of thirds are reached but for rounding.
    reached = Fraction(0)
    known = set[str]()
    for rank in ranks:
        reached += sum(q.get(x, Fraction(0)) for x in rank if x not in known)
        known.update(rank)
        if reached:
            assert float(found.precision(float(reached))) == pytest.approx(
                float(_literal_grp(ranks, q, unranked, reached)), abs=1e-8
            )


# --- trees: words as sets, naive recursion ------------------------------------------------------


def _tree(rng: np.random.Generator, *, apart: bool) -> Elements:
    """Return two documents of words; siblings lie apart, or anywhere in their parent."""
    rows: dict[str, tuple[str | None, float, float]] = {}

    def grow(name: str, parent: str | None, begin: int, length: int, depth: int) -> None:
        rows[name] = (parent, length, begin)
        if depth == 4:
            return
        at = begin
        for k in range(int(rng.integers(0, 4))):
            if not apart:
                at = begin + int(rng.integers(0, length + 1))
            else:
                at += int(rng.integers(0, 3))
            room = begin + length - at
            if room < 0:
                return
            size = int(rng.integers(0, room + 1))
            grow(f"{name}.{k}", name, at, size, depth + 1)
            at += size

    grow("Ä", None, 0, 40, 0)
    grow("z z", None, 5, 25, 0)
    return Elements(rows)


def _ranking(rng: np.random.Generator, tree: Elements) -> list[str]:
    size = int(rng.integers(0, 9))
    return [tree.ids[k] for k in rng.integers(0, len(tree), size=size)]


@pytest.mark.parametrize("seed", spread(5, range(NUM_RANDOM)))
def test_grp_ng_word_by_word(seed: int) -> None:
    rng = np.random.default_rng([3, seed])
    tree = _tree(rng, apart=bool(rng.integers(2)))
    words = {
        element: {(tree.document_of[element], word) for word in range(int(start), int(start + n))}
        for element, _, n, start in tree
    }
    judged = {
        element: Assessment(int(rng.integers(1, 4)), int(rng.integers(1, 4)))
        for element in tree.ids
        if rng.random() < 0.6
    } or {"Ä": Assessment(1, 1)}
    ranking = _ranking(rng, tree)
    found = grp_ng(ranking, judged, tree)
    total = sum(Fraction(one.exhaustivity, 3) for one in judged.values())
    seen, recall, specific, text = set[tuple[str, int]](), Fraction(0), Fraction(0), 0
    for rank, element in enumerate(ranking):
        new = words[element] - seen
        seen |= words[element]
        exh, spec = judged.get(element, Assessment(0, 0))
        if new:
            recall += Fraction(exh, 3) * Fraction(len(new), len(words[element]))
            specific += Fraction(spec, 3) * len(new)
            text += len(new)
        assert found.recall[rank] == pytest.approx(float(recall / total), abs=CLOSE)
        precision = float(specific / text) if text else 0.0
        assert found.precision[rank] == pytest.approx(precision, abs=CLOSE)
    assert found.recall.shape == (len(ranking),)
    assert not found.recall.size or found.recall.max() <= 1 + CLOSE


def _naive_gains(
    ranking: Sequence[str],
    q: dict[str, Fraction],
    tree: Elements,
    alpha: Fraction,
    ideals: Sequence[str],
) -> list[Fraction]:
    """Appendix C.3 by recursion over the whole tree, in fractions."""
    size = {element: Fraction(length) for element, _, length, _ in tree}
    before = list[str]()

    def rv(x: str) -> Fraction:
        again = (1 - alpha) * q.get(x, Fraction(0))
        if any(y == x or tree.contains(y, x) for y in before):
            return again
        if any(tree.contains(x, y) for y in before):
            parts = sum((rv(y) * size[y] for y in tree.children(x)), Fraction(0))
            return (alpha * parts / size[x] if size[x] else Fraction(0)) + again
        return q.get(x, Fraction(0))

    gains = list[Fraction]()
    for x in ranking:
        gain = rv(x)
        for y in ideals:
            if tree.contains(y, x):
                spent = [g for z, g in zip(before, gains, strict=True) if tree.contains(y, z)]
                gain = min(gain, q[y] - sum(spent))
        gains.append(gain)
        before.append(x)
    return gains


@pytest.mark.parametrize("seed", spread(5, range(2 * NUM_RANDOM)))
def test_xcg_by_naive_recursion(seed: int) -> None:
    rng = np.random.default_rng([4, seed])
    tree = _tree(rng, apart=True)
    q = {x: Fraction(int(rng.integers(0, 5)), 4) for x in tree.ids if rng.random() < 0.7}
    q["Ä"] = Fraction(int(rng.integers(1, 5)), 4)
    alpha = Fraction(int(rng.integers(0, 5)), 4)
    worthy = [x for x, one in q.items() if one]
    ideals = [str(x) for x in rng.permutation(worthy)[: rng.integers(1, 5)]]
    ranking = _ranking(rng, tree)
    found = xcg(
        ranking, {x: float(one) for x, one in q.items()}, tree, alpha=float(alpha), ideals=ideals
    )
    wanted = _naive_gains(ranking, q, tree, alpha, ideals)
    assert found.gains == pytest.approx(np.array([float(one) for one in wanted]), abs=CLOSE)
    depth = {x: len(tree.ancestors(x)) for x in ideals}
    best_list = sorted(ideals, key=lambda x: (-q[x], -depth[x], tree.ids.index(x)))
    best = _naive_gains(best_list, q, tree, alpha, ideals)
    assert found.best == pytest.approx(np.cumsum([float(one) for one in best]), abs=CLOSE)
    for y in ideals:
        below = sum(g for x, g in zip(ranking, found.gains, strict=True) if tree.contains(y, x))
        assert below <= q[y] + CLOSE


@pytest.mark.parametrize("seed", spread(5, range(NUM_RANDOM)))
def test_overlap_pair_by_pair(seed: int) -> None:
    rng = np.random.default_rng([5, seed])
    tree = _tree(rng, apart=False)
    ranking = _ranking(rng, tree)
    distinct = set(ranking)
    nested = [x for x in distinct if any(tree.nested(x, y) for y in distinct)]
    assert overlap(ranking, tree) == (len(nested) / len(distinct) if distinct else 0)


# --- users, one by one --------------------------------------------------------------------------


def _visits(reach: Sequence[Sequence[Fraction]]) -> Iterator[tuple[list[set[int]], Fraction]]:
    """Yield what is seen from each row, and how likely that is."""
    pairs = [(row, x) for row, chances in enumerate(reach) for x in range(len(chances))]
    choices = [
        [(seen, chance) for seen, chance in ((True, p), (False, 1 - p)) if chance]
        for p in (reach[row][x] for row, x in pairs)
    ]
    for outcome in product(*choices):
        sets: list[set[int]] = [set() for _ in reach]
        for (row, x), (seen, _) in zip(pairs, outcome, strict=True):
            if seen:
                sets[row].add(x)
        yield sets, prod((chance for _, chance in outcome), start=Fraction(1))


def _random_reach(
    rng: np.random.Generator, rows: int, t: int, uncertain: int
) -> list[list[Fraction]]:
    reach = [[Fraction(int(rng.random() < 0.25)) for _ in range(t)] for _ in range(rows)]
    for _ in range(uncertain if rows else 0):
        reach[rng.integers(rows)][rng.integers(t)] = Fraction(int(rng.integers(1, 8)), 8)
    return reach


def _floats(reach: Sequence[Sequence[Fraction]], t: int) -> np.ndarray:
    return np.array([[float(p) for p in row] for row in reach]).reshape(len(reach), t)


@pytest.mark.parametrize("seed", spread(5, range(NUM_RANDOM)))
def test_generalised_recall_user_by_user(seed: int) -> None:
    rng = np.random.default_rng([6, seed])
    t, o = int(rng.integers(1, 4)), int(rng.integers(0, 4))
    reach = _random_reach(rng, o, t, 6)
    values = [Fraction(int(rng.integers(0, 4))) for _ in range(t - 1)] + [Fraction(2)]
    wanted = [Fraction(0)] * o
    for sets, weight in _visits(reach):
        seen = set[int]()
        for row, one in enumerate(sets):
            seen |= one
            wanted[row] += weight * sum(values[x] for x in seen) / sum(values)
    found = generalised_recall(_floats(reach, t), [float(v) for v in values])
    assert found == pytest.approx(np.array([float(one) for one in wanted]), abs=CLOSE)


def _ranks_needed(sets: Sequence[set[int]], values: Sequence[int], level: Fraction) -> int | None:
    seen = set[int]()
    for rank, one in enumerate(sets, start=1):
        seen |= one
        if sum(values[x] for x in seen) >= level * sum(values):
            return rank
    return None


@pytest.mark.parametrize("seed", spread(5, range(NUM_RANDOM // 2)))
def test_eprum_over_all_orders_of_the_collection(seed: int) -> None:
    rng = np.random.default_rng([7, seed])
    t, o = int(rng.integers(1, 4)), int(rng.integers(0, 4))
    outside = int(rng.integers(0, 2))
    reach = _random_reach(rng, o + outside, t, 4)
    values = [int(v) for v in rng.integers(1, 4, size=t)]
    by_value = bool(rng.integers(2))
    worth = values if by_value else [1] * t
    levels = [Fraction(r, t) for r in range(1, t + 1)]
    own = [{x} for x in range(t)]  # every ideal is an element, found by itself
    wanted = [Fraction(0)] * t
    for sets, weight in _visits(reach):
        everything = [one for one in [*sets, *own] if one]
        orders = list(permutations(everything))
        for place, level in enumerate(levels):
            cost = _ranks_needed(sets[:o], worth, level)
            if cost is not None:
                least = min(
                    rank for order in orders if (rank := _ranks_needed(order, worth, level))
                )
                wanted[place] += weight * Fraction(least, cost)
    found = eprum(
        _floats(reach[:o], t),
        _floats(reach[o:], t) if outside else None,
        values=values if by_value else None,
    )
    assert found == pytest.approx(np.array([float(one) for one in wanted]), abs=CLOSE)
    if not by_value:
        assert eprum_first(_floats(reach[:o], t)) == pytest.approx(float(wanted[0]), abs=CLOSE)


@pytest.mark.parametrize("seed", spread(5, range(NUM_RANDOM)))
def test_fewest_over_all_choices(seed: int) -> None:
    rng = np.random.default_rng([8, seed])
    t, m = int(rng.integers(1, 7)), int(rng.integers(1, 9))
    sets = [int(one) for one in rng.integers(0, 1 << t, size=m)]
    whole = int(np.bitwise_or.reduce(sets)) | 1
    sets.append(1)
    values = [int(v) for v in rng.integers(1, 5, size=t)]

    def worth(bits: int) -> int:
        return sum(v for x, v in enumerate(values) if bits >> x & 1)

    most = [0] * (len(sets) + 1)
    for chosen in product((False, True), repeat=len(sets)):
        union = 0
        for one, taken in zip(sets, chosen, strict=True):
            union |= one if taken else 0
        most[sum(chosen)] = max(most[sum(chosen)], worth(union))
    reachable = range(1, worth(whole) + 1)
    wanted = [next(n for n, best in enumerate(most) if best >= value) for value in reachable]
    levels = [value / sum(values) for value in reachable]
    assert fewest(sets, values, levels).tolist() == wanted


def _unranked(others: int, left: int) -> Iterator[tuple[int, ...]]:
    """Yield all orders of the unranked part: 1 for an unseen ideal."""
    yield from permutations([1] * left + [0] * others)


def _searched(
    sets: Sequence[set[int]], ideals: set[int], unranked: int, r: int
) -> tuple[Fraction, Fraction, Fraction]:
    """Return the ideals credited, CL and C of a user who wants r ideals, over unranked orders."""
    seen, leading = set[int](), 0
    for rank, one in enumerate(sets, start=1):
        new = (one & ideals) - seen
        seen |= new
        leading += bool(new)
        if len(seen) >= r:
            return Fraction(r), Fraction(leading), Fraction(rank)
    left, wanted = len(ideals - seen), r - len(seen)
    depths = list[int]()
    for order in _unranked(unranked - left, left):
        depths.append([k for k, ideal in enumerate(order, start=1) if ideal][wanted - 1])
    consulted = len(sets) + Fraction(sum(depths), len(depths))
    return Fraction(r), Fraction(leading + wanted), consulted


@pytest.mark.parametrize("seed", spread(5, range(NUM_RANDOM)))
def test_t2i_element_by_element(seed: int) -> None:
    rng = np.random.default_rng([9, seed])
    t, o = int(rng.integers(1, 5)), int(rng.integers(0, 6))
    reach = (rng.random((o, t)) < 0.25).astype(float)
    unranked = t + int(rng.integers(0, 3))
    sets = [set(np.flatnonzero(row).tolist()) for row in reach]
    found = t2i(reach, unranked)
    same = prum(reach, unranked)
    for r in range(1, t + 1):
        credit, leading, consulted = _searched(sets, set(range(t)), unranked, r)
        assert found.leading[r - 1] == credit
        assert found.consulted[r - 1] == pytest.approx(float(consulted), abs=CLOSE)
        assert same.leading[r - 1] == pytest.approx(float(leading), abs=CLOSE)
    # PRUM of the same reach counts elements that lead somewhere; consulted are the same.
    assert found.consulted == pytest.approx(same.consulted, abs=CLOSE)
    assert (found.precision >= same.precision - CLOSE).all()


@pytest.mark.parametrize("seed", spread(5, range(NUM_RANDOM // 2)))
def test_graded_user_by_user(seed: int) -> None:
    """Thresholds 1/2, 3/2, .. stand for tau uniform on (0, max v] if values are whole."""
    rng = np.random.default_rng([10, seed])
    n, o = int(rng.integers(1, 4)), int(rng.integers(0, 4))
    reach = _random_reach(rng, o, n, 4)
    values = [int(v) for v in rng.integers(0, 4, size=n)]
    values[rng.integers(n)] = int(rng.integers(1, 4))
    t, unranked = sum(v > 0 for v in values), n + 1
    taus = [Fraction(2 * k + 1, 2) for k in range(max(values))]
    found = graded_prum(_floats(reach, n), values, unranked, estimate="exact")
    assert found.num_ideals == t
    for r in range(1, t + 1):
        leading = consulted = Fraction(0)
        for tau in taus:
            ideals = {x for x, v in enumerate(values) if v >= tau}
            wanted = -(-Fraction(r, t) * len(ideals) // 1)
            for sets, weight in _visits(reach):
                _, cl, c = _searched(sets, ideals, unranked, int(wanted))
                leading += weight * cl / len(taus)
                consulted += weight * c / len(taus)
        assert found.leading[r - 1] == pytest.approx(float(leading), abs=CLOSE)
        assert found.consulted[r - 1] == pytest.approx(float(consulted), abs=CLOSE)
