"""What users are steered towards: ideals at ranks where it is rare to see them first.

Any choice of goals is right, since users are weighed by what was aimed at; this one spends about as
many users on each thing that may be rare: that an ideal is seen early, that it is seen late or
missed, and that CL(r) is less than r for each r.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.sampling.ways.stepwise import (
    COMONOTONE,
    COPULA,
    EXCLUSIVE,
    INDEPENDENT,
    WALK,
    StepwiseSampler,
)

# As in `kernels`, which is slow to load.
NEVER = 2**31 - 1
# What is less probable than this is rare.
RARE = 0.05
# The share of users without a goal. Were there none, hardly a run would have the mean weight that
# it has in the long run, on which means are regressed: all but the rarest would be the same.
FREE = 0.2
# Users at these quantiles stand for all.
_QUANTILES = np.array([0.003, 0.03, 0.2, 0.5, 0.8, 0.97, 0.997])
# Goals of two ideals; and numbers in a table beyond which meetings are not counted r by r.
_MOST_PAIRS, _MOST_CELLS = 256, 1 << 22


class Tossed(NamedTuple):
    """What may show an ideal in the list, in order of ranks; NaN the margin of an ideal itself."""

    ranks: Ints
    ideals: Ints
    margins: Floats
    fades: Floats


class Aims(NamedTuple):
    """P(goal): of each toss, of missing each ideal, of two tosses at once, and P(no goal)."""

    singles: Floats
    missing: Floats
    pairs: Ints
    doubles: Floats
    free: float


def tossed(table: StepwiseSampler, reached: Floats) -> Tossed:
    """Return the tosses of a sampler; on walks, whether a path gets to an ideal (t, nodes)."""
    rows: list[tuple[int, int, float, float]] = []
    starts, ideals, margins = table.visits
    _, ranks, fades, own, nodes, _ = (column.tolist() for column in table.listed_entries)
    for rank, fade, ideal, node in zip(ranks, fades, own, nodes, strict=True):
        if ideal >= 0:
            rows.append((rank, ideal, np.nan, 1.0))
        if node >= 0 and fade > 0 and table.rule == WALK:
            to = np.flatnonzero(reached[:, node] > 0).tolist()
            rows += [(rank, x, float(reached[x, node]), fade) for x in to if x != ideal]
        elif node >= 0 and fade > 0:
            visits = range(starts[node], starts[node + 1])
            rows += [(rank, int(ideals[k]), float(margins[k]), fade) for k in visits]
    table_of_rows = np.array(rows, dtype=np.float64).reshape(-1, 4).T
    return Tossed(*table_of_rows[:2].astype(np.int64), *table_of_rows[2:])


def aims(table: StepwiseSampler, tosses: Tossed) -> Aims | None:
    """Return what users are steered towards, None where nothing is rare."""
    task, t = table.task, table.task.num_ideals
    first, before, missed = _laws(table, tosses)
    singles, missing = np.zeros(len(first)), np.zeros(t)
    depth = np.append(
        tosses.ranks.astype(np.float64), np.full(t, task.num_ranked + (task.num_unranked + 1) / 2)
    )
    ideal = np.append(tosses.ideals, np.arange(t))
    law = np.append(first, missed)
    mean = np.bincount(ideal, law * depth, minlength=t)
    away: Floats = depth - mean[ideal]
    for towards in (-away, away):
        shares = _tail(ideal, law, towards)
        singles += shares[: len(first)]
        missing += shares[len(first) :]
    one, other = _pairs_at(tosses)
    both = np.zeros(len(one))
    for alone, together in _meetings(table, tosses, first, before, one, other):
        singles += alone
        both += together
    kept = np.sort(np.argsort(-both, kind="stable")[:_MOST_PAIRS])
    kept = kept[both[kept] > 0]
    total = float(singles.sum() + missing.sum() + both[kept].sum()) / (1 - FREE)
    if total == 0:
        return None
    pairs = np.stack((one[kept], other[kept]), axis=1)
    return Aims(singles / total, missing / total, pairs, both[kept] / total, FREE)


def _tail(ideal: Ints, law: Floats, away: Floats) -> Floats:
    """Return shares of goals that ideals are seen where `away` is large, as far as that is rare.

    Half of them are dealt out to ideals evenly, half by what they add to the mean, or the variance,
    of ranks.
    """
    order = np.lexsort((-away, ideal))
    running = np.cumsum(law[order])
    begins = np.searchsorted(ideal[order], np.arange(ideal.max() + 1))
    tail = np.empty_like(law)
    tail[order] = running - np.append(0.0, running)[begins][ideal[order]]
    shares = np.zeros_like(law)
    # What is rarest and furthest away makes the variance, what is less so the mean.
    for power in (1, 2):
        moment = np.where((away > 0) & (tail < RARE), law * np.abs(away) ** power, 0)
        added = np.bincount(ideal, moment)
        if added.any():
            by_ideal = added / added.sum() + (added > 0) / (added > 0).sum()
            shares += by_ideal[ideal] * moment / np.where(added > 0, added, 1)[ideal] / 4
    return shares


def _laws(table: StepwiseSampler, tosses: Tossed) -> tuple[Floats, Floats, Floats]:
    """Return P(toss shows the ideal first), P(unseen before the toss), P(ideal not in the list).

    For users who have seen no ideal, in the mean over quantiles of the population.
    """
    population = table.browsing.population
    quantiles = np.array([0.5]) if population is None else _QUANTILES
    factors, normals = table.users(quantiles)
    t, n = table.task.num_ideals, len(tosses.ranks)
    first, before, missed = np.zeros(n), np.zeros(n), np.zeros(t)
    order = np.lexsort((tosses.ranks, tosses.ideals))
    starts = np.searchsorted(tosses.ideals[order], np.arange(t + 1)).tolist()
    satiated = table.browsing.satiated(t)
    level = float(satiated.mean()) * table.needs()[0][0]
    rho = table.one_factor
    for factor, z in zip(factors.tolist(), normals.tolist(), strict=True):
        given = tosses.margins
        if rho:
            given = ndtr((given - np.sqrt(rho) * z) / np.sqrt(1 - rho))
        margins = np.where(np.isnan(tosses.margins), 1.0, factor * level * tosses.fades * given)
        for x in range(t):
            column = order[starts[x] : starts[x + 1]]
            unseen = np.append(1.0, np.cumprod(1 - margins[column]))
            first[column] += unseen[:-1] * margins[column]
            before[column] += unseen[:-1]
            missed[x] += unseen[-1]
    return first / len(quantiles), before / len(quantiles), missed / len(quantiles)


def _pairs_at(tosses: Tossed) -> tuple[Ints, Ints]:
    """Return all pairs of tosses of one rank."""
    bounds = np.flatnonzero(np.diff(tosses.ranks, prepend=-1, append=-1))
    one, other = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        a, b = np.triu_indices(end - begin, 1)
        one.append(begin + a)
        other.append(begin + b)
    return np.concatenate(one), np.concatenate(other)


def _meetings(
    table: StepwiseSampler,
    tosses: Tossed,
    first: Floats,
    before: Floats,
    one: Ints,
    other: Ints,
) -> Iterator[tuple[Floats, Floats]]:
    """Yield, for each r where CL(r) < r is rare, shares of goals: of tosses, of pairs of them.

    To meet, an ideal has to be seen where another is, neither of them seen before, and at most
    r - 2 others. A single goal does where the other then follows often enough.
    """
    t = table.task.num_ideals
    with np.errstate(divide="ignore", invalid="ignore"):
        margin = np.where(np.isnan(tosses.margins), 1.0, first / before)
    margin = np.nan_to_num(margin)
    rarer = np.where(margin[one] <= margin[other], one, other)
    commoner = one + other - rarer
    common = margin[commoner]
    if table.rule == EXCLUSIVE:
        common = np.where(np.isnan(tosses.margins[commoner]), common, 0)
    elif table.rule == COMONOTONE:
        common = np.ones(len(one))
    elif table.rule == COPULA:
        common = common ** (1 - table.rho)
    follows = before[commoner] * common
    weight = first[rarer] * follows
    double = follows < RARE
    double[double] = _apart(table.rule, tosses, rarer[double], commoner[double])
    alone = np.bincount(rarer[~double], weight[~double], minlength=len(first))
    two = np.where(double, weight, 0)
    earlier = _earlier(t, tosses, first)
    for r in range(2, t + 1):
        single = alone * earlier[r - 2]
        pair = two * earlier[r - 2][rarer]
        total = single.sum() + pair.sum()
        if 0 < total < RARE:
            yield single / total, pair / total


def _apart(rule: int, tosses: Tossed, rarer: Ints, commoner: Ints) -> Flags:
    """Return which pairs of tosses may be one goal: their chances have to multiply.

    So they do for independent visits; and where one is of the element itself, while no element
    before may show both. A walk is steered towards one ideal only.
    """
    if rule == INDEPENDENT:
        return np.ones(len(rarer), dtype=np.bool_)
    apart = np.isnan(tosses.margins[commoner]) & (rule != WALK)
    ideals = range(tosses.ideals.max(initial=-1) + 1)
    showing = [set(tosses.ranks[tosses.ideals == x].tolist()) for x in ideals]
    for pair in np.flatnonzero(apart).tolist():
        one, other = (showing[tosses.ideals[side[pair]]] for side in (rarer, commoner))
        apart[pair] = min(one & other) == tosses.ranks[rarer[pair]]
    return apart


def _earlier(t: int, tosses: Tossed, first: Floats) -> Floats:
    """Return P(at most k other ideals are seen before a toss's rank), roughly, by k and toss."""
    n = len(tosses.ranks)
    if n * t > _MOST_CELLS:
        return np.ones((t, n))
    law = np.zeros((t, n))
    law[0] = 1
    for x in range(t):
        shown = tosses.ideals == x
        running = np.append(0.0, np.cumsum(np.where(shown, first, 0)))
        seen = running[np.searchsorted(tosses.ranks, tosses.ranks)]
        # Those at the same rank are perhaps the ones that are to meet.
        same = np.isin(tosses.ranks, tosses.ranks[shown])
        seen = np.where(same, 0, np.minimum(seen, 1))
        law[1:] = law[1:] * (1 - seen) + law[:-1] * seen
        law[0] *= 1 - seen
    return np.cumsum(law, axis=0)
