"""What users are steered towards: ideals at ranks where it is rare to see them first.

Any choice of goals is right, since users are weighed by what was aimed at; this one spends about as
many users on each thing that may be rare: that an ideal is seen early, that it is seen late or
missed, that several are missed, and that CL(r) is less than r for each r. Where browsing depends on
how many ideals users have seen, what is rare is judged for each number.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from prum.simulator.model import Beta, Types
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.sampling.kernels import COMONOTONE, COPULA, EXCLUSIVE, INDEPENDENT, WALK
from prum.simulator.sampling.ways.stepwise import StepwiseSampler

# What is less probable than this is rare.
RARE = 0.05
# The share of users without a goal. Were there none, hardly a run would have the mean weight that
# it has in the long run, on which means are regressed: all but the rarest would be the same.
FREE = 0.2
# The share of users who overlook ideals, where it is rare to miss several.
OVERLOOKING = 0.3
# Users at these quantiles stand for all.
_QUANTILES = np.array([0.003, 0.03, 0.2, 0.5, 0.8, 0.97, 0.997])
# Goals of two ideals; and numbers in a table beyond which meetings are not counted r by r.
_MOST_PAIRS, _MOST_CELLS = 256, 1 << 22
# Numbers seen for which goals are set by themselves, fewer of many ideals, and numbers missed.
_MOST_LEVELS, _MOST_STEPS, _MOST_MISSED = 8, 1 << 28, 6
# What adds less than this to C(r) need not be seen.
_NEGLIGIBLE = 1e-9


class Tossed(NamedTuple):
    """What may show an ideal in the list, in order of ranks; NaN the margin of an ideal itself."""

    ranks: Ints
    ideals: Ints
    margins: Floats
    fades: Floats


class Aims(NamedTuple):
    """P(goal): of each toss, of missing each ideal, of two tosses at once, and P(no goal).

    `overlooking` are those of users who see an ideal, where they would, with probability
    keeps[goal, ideal] only.
    """

    singles: Floats
    missing: Floats
    pairs: Ints
    doubles: Floats
    free: float
    keeps: Floats
    overlooking: Floats


class _Laws(NamedTuple):
    """P(toss shows the ideal first), P(unseen before the toss), P(ideal not in the list)."""

    first: Floats
    before: Floats
    missed: Floats


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
    columns = np.array(rows, dtype=np.float64).reshape(-1, 4).T.copy()
    return Tossed(*columns[:2].astype(np.int64), *columns[2:])


def aims(table: StepwiseSampler, tosses: Tossed, *, overlook: bool) -> Aims | None:
    """Return what users are steered towards, None where nothing is rare.

    Users overlook ideals only where it is known how likely they then see none.
    """
    t = table.task.num_ideals
    levels = _levels(table, len(tosses.ranks))
    laws = {level: _laws(table, tosses, level) for level in levels}
    singles, missing = np.zeros(len(tosses.ranks)), np.zeros(t)
    one, other = _pairs_at(tosses)
    both = np.zeros(len(one))
    for law in laws.values():
        early_or_late, never = _strays(table, tosses, law)
        singles += early_or_late
        missing += never
        for alone, together in _meetings(table, tosses, law, one, other):
            singles += alone
            both += together
    kept = np.sort(np.argsort(-both, kind="stable")[:_MOST_PAIRS])
    kept = kept[both[kept] > 0]
    keeps = _keeps(table, tosses, laws) if overlook else np.empty((0, t))
    total = float(singles.sum() + missing.sum() + both[kept].sum())
    if total == 0 and not len(keeps) and not _has_rare_type(table):
        return None
    share = OVERLOOKING if len(keeps) and total else 1 - FREE if len(keeps) else 0.0
    free = FREE if total or len(keeps) else 1.0
    total = total / (1 - free - share) if total else 1.0
    pairs = np.stack((one[kept], other[kept]), axis=1)
    return Aims(
        singles / total,
        missing / total,
        pairs,
        both[kept] / total,
        free,
        keeps,
        np.full(len(keeps), share / max(len(keeps), 1)),
    )


def bounds(table: StepwiseSampler, tosses: Tossed, reached: Floats) -> Floats:
    """Return bounds on P(fewer than r ideals are seen in the list), and P(CL(r) < r), (2, t).

    They hold whatever the dependence, and are 1 for what is possible where users differ.
    """
    t, population = table.task.num_ideals, table.browsing.population
    satiated = table.browsing.satiated(t) * table.needs()[0][0]
    own = np.zeros(t, dtype=np.bool_)
    own[tosses.ideals[np.isnan(tosses.margins)]] = True
    laws = {level: _laws(table, tosses, level) for level in _levels(table, len(tosses.ranks))}
    fewer, known = np.ones(t), {}
    for r, least in enumerate(np.minimum.accumulate(satiated).tolist()):
        # Who has seen fewer than r + 1 browses by this factor or a larger one.
        level = max((one for one in laws if one <= least * (1 + 1e-12)), default=0.0)
        if level not in known:
            missed = laws[level].missed if level else np.where(own, 0.0, 1.0)
            if (
                isinstance(population, Beta | Types)
                and min(getattr(population, "factors", (0,))) < 1
            ):
                missed = np.where(own, 0.0, 1.0)
            elif population is not None:
                missed = np.where(missed > 0, 1.0, 0.0)
            known[level] = misses(missed)
        fewer[r] = known[level][r]
    chance = np.where(np.isnan(tosses.margins), 1.0, tosses.margins > 0)
    if population is None and laws:
        chance = np.where(np.isnan(tosses.margins), 1.0, tosses.margins * tosses.fades)
        at_once = satiated[0] * np.bincount(tosses.ranks, chance)
        if table.rule == EXCLUSIVE and at_once.max(initial=0) >= 1 - 1e-12:
            # Some element always shows one of its ideals.
            fewer[0] = 0.0
        chance = np.where(laws[min(laws)].before > 0, chance * satiated.max(), 0.0)
    apart = table.rule == EXCLUSIVE and not np.isnan(tosses.margins).any()
    together = meetings(tosses.ranks, chance, t, apart=apart)
    if table.rule == WALK:
        # A path that shows two has gone on from one of them.
        onward = np.zeros(t)
        for node in np.flatnonzero(table.ideal_of >= 0).tolist():
            others = np.arange(t) != table.ideal_of[node]
            onward[table.ideal_of[node]] = reached[others, node].sum()
        together[1:] = np.minimum(together[1:], chance @ onward[tosses.ideals])
    return np.stack((fewer, together))


def misses(missed: Floats) -> Floats:
    """Return bounds on P(fewer than r ideals are seen) from P(each is missed), r = 1 .. t.

    If k are missed then, whatever the m most often missed do, at least k - m of the others are.

    >>> misses(np.array([0.5, 0.01, 0.0])).tolist()
    [0.0, 0.01, 0.51]
    """
    t = len(missed)
    most = np.sort(missed)[::-1]
    left = np.cumsum(most[::-1])[::-1]
    least = [np.min(left[:k] / (k - np.arange(k))) for k in range(t, 0, -1)]
    return np.minimum(np.array(least), 1)


def meetings(ranks: Ints, chances: Floats, t: int, *, apart: bool = False) -> Floats:
    """Return bounds on P(two ideals are seen first at one rank), for r = 1 .. t; none for r = 1.

    `apart`: an element shows two only if its chances sum to more than 1.
    """
    total = np.bincount(ranks, chances)
    most = np.zeros(len(total))
    np.maximum.at(most, ranks, chances)
    both = np.maximum(total - 1, 0) if apart else total - most
    bound = min(float(both[both > 1e-15].sum()), 1.0)
    return np.append(0.0, np.full(t - 1, bound))


def _levels(table: StepwiseSampler, num_tosses: int) -> list[float]:
    """Return by which factors users browse, for how many they have seen; of many, a few."""
    t = table.task.num_ideals
    satiated = np.unique(table.browsing.satiated(t))
    most = min(_MOST_LEVELS, max(1, _MOST_STEPS // max(num_tosses * t * t, 1)))
    few = np.linspace(0, len(satiated) - 1, min(len(satiated), most)).round()
    own = table.browsing.satiated(t)[:1]
    levels = np.unique(np.append(satiated[few.astype(int)], own)) * table.needs()[0][0]
    return [level for level in levels.tolist() if level > 0]


def _has_rare_type(table: StepwiseSampler) -> bool:
    population = table.browsing.population
    return isinstance(population, Types) and any(0 < p < RARE for p in population.weights)


def _strays(table: StepwiseSampler, tosses: Tossed, law: _Laws) -> tuple[Floats, Floats]:
    """Return shares of goals that an ideal is seen rarely early or late, or missed."""
    task, t = table.task, table.task.num_ideals
    depth = np.append(
        tosses.ranks.astype(np.float64), np.full(t, task.num_ranked + (task.num_unranked + 1) / 2)
    )
    ideal = np.append(tosses.ideals, np.arange(t))
    chance = np.append(law.first, law.missed)
    mean = np.bincount(ideal, chance * depth, minlength=t)
    away: Floats = depth - mean[ideal]
    shares = sum(_tail(ideal, chance, towards) for towards in (-away, away))
    return shares[: len(law.first)], shares[len(law.first) :]  # type: ignore[index]


def _keeps(table: StepwiseSampler, tosses: Tossed, laws: dict[float, _Laws]) -> Floats:
    """Return, for several numbers of ideals to be missed, with what probability each is kept.

    Half of what they miss goes by odds, as those do who miss so many, half to all alike.
    """
    task, t = table.task, table.task.num_ideals
    satiated = (table.browsing.satiated(t) * table.needs()[0][0]).tolist()
    depth = task.num_ranked + task.num_unranked
    rows: dict[int, dict[float, _Laws]] = {}
    most = {level: np.sort(law.missed)[::-1] for level, law in laws.items()}
    chances = {level: _at_least(law.missed) for level, law in laws.items()}
    # Users miss k of t ideals while they have seen none, or the t - k that they see.
    for k in range(2, t + 1):
        for own in {satiated[0], satiated[t - k]} - {0.0}:
            level = min(laws, key=lambda level, own=own: abs(level - own))  # type: ignore[misc]
            if most[level][k - 1] * depth >= _NEGLIGIBLE and chances[level][k] < RARE:
                rows.setdefault(k, {})[level] = laws[level]
    chosen = sorted(rows)
    if len(chosen) > _MOST_MISSED:
        steps = np.geomspace(chosen[0], chosen[-1], _MOST_MISSED).tolist()
        chosen = sorted({min(chosen, key=lambda k, step=step: abs(k - step)) for step in steps})  # type: ignore[misc]
    keeps = [_keeping(tosses, law, k) for k in chosen for law in rows[k].values()]
    return np.unique(np.array(keeps).reshape(-1, t), axis=0)


def _at_least(missed: Floats) -> Floats:
    """Return P(at least k ideals are missed), k = 0 .. t, if each is by itself."""
    law = np.zeros(len(missed) + 1)
    law[0] = 1
    for chance in missed.tolist():
        law[1:] = law[1:] * (1 - chance) + law[:-1] * chance
        law[0] *= 1 - chance
    tails: Floats = np.cumsum(law[::-1])[::-1]
    return tails


def _keeping(tosses: Tossed, law: _Laws, k: int) -> Floats:
    """Return the probabilities of keeping ideals with which k of them are missed in the mean."""
    t, possible = len(law.missed), law.missed > 0
    num = int(possible.sum())
    if k == num:
        return np.where(possible, 0.0, 1.0)
    with np.errstate(divide="ignore"):
        odds = np.log(law.missed) - np.log1p(-np.minimum(law.missed, 1 - 1e-16))
    low, high = -80.0, 800.0
    for _ in range(60):
        middle = (low + high) / 2
        fewer = (possible / (1 + np.exp(np.clip(-odds - middle, -700, 700)))).sum() < k
        low, high = (middle, high) if fewer else (low, middle)
    aimed = (possible / (1 + np.exp(np.clip(-odds - low, -700, 700))) + k / num) / 2
    margins = _margins(tosses, law)
    certain = margins >= 1
    least, most = np.zeros(t), np.ones(t)
    for _ in range(40):
        keep = (least + most) / 2
        logs = np.log1p(-np.where(certain, 0, margins * keep[tosses.ideals]))
        more = np.exp(np.bincount(tosses.ideals, logs, minlength=t)) > aimed
        least, most = np.where(more, keep, least), np.where(more, most, keep)
    return np.where(possible, most, 1.0)


def _margins(tosses: Tossed, law: _Laws) -> Floats:
    """Return P(a toss shows its ideal, unseen before); that of an ideal itself is 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        margins = np.where(np.isnan(tosses.margins), 1.0, law.first / law.before)
    return np.nan_to_num(margins)


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


def _laws(table: StepwiseSampler, tosses: Tossed, level: float) -> _Laws:
    """Return laws of users who browse by a factor, in the mean over quantiles of the population."""
    from scipy.special import ndtr  # slow to load

    population = table.browsing.population
    quantiles = np.array([0.5]) if population is None else _QUANTILES
    factors, normals = table.users(quantiles)
    t, n = table.task.num_ideals, len(tosses.ranks)
    first, before, missed = np.zeros(n), np.zeros(n), np.zeros(t)
    order = np.lexsort((tosses.ranks, tosses.ideals))
    starts = np.searchsorted(tosses.ideals[order], np.arange(t + 1)).tolist()
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
    return _Laws(first / len(quantiles), before / len(quantiles), missed / len(quantiles))


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
    law: _Laws,
    one: Ints,
    other: Ints,
) -> Iterator[tuple[Floats, Floats]]:
    """Yield, for each r where CL(r) < r is rare, shares of goals: of tosses, of pairs of them.

    To meet, an ideal has to be seen where another is, neither of them seen before, and at most
    r - 2 others. A single goal does where the other then follows often enough.
    """
    t, first, before = table.task.num_ideals, law.first, law.before
    margin = _margins(tosses, law)
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
    apart: Flags = np.isnan(tosses.margins[commoner]) & (rule != WALK)
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
