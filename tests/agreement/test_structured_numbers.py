"""The measures PRUM is compared with, and computations of them written otherwise.

Section, equation and figure numbers are those of Piwowarski, Gallinari and Dupret (2007).
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from prum.analytic.structured import (
    grp,
    grp_ng,
    overlap,
    xcg,
)
from prum.simulator.model import (
    Assessment,
    Elements,
)
from tests.tiers import spread

CLOSE = 1e-12
NUM_RANDOM = 120

# --- tied ranks: all orders ---------------------------------------------------------------------


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
    nested = [
        x for x in distinct if any(tree.contains(x, y) or tree.contains(y, x) for y in distinct)
    ]
    assert overlap(ranking, tree) == (len(nested) / len(distinct) if distinct else 0)
