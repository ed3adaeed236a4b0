"""Compiled loops for users who overlook ideals, and for how likely they are.

They keep what they would see with some probability only, and are commoner by how much likelier this
makes what they see, and do not see, from each element: independent visits, and those given the
common factor of a copula, are kept one by one; of exclusive ones the one that is made; paths whole.
With comonotone visits other users see any of the sets that are possible. `tests.twins.steering` has
the plain-Python twins.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from prum.simulator.sampling.kernels.consultations import (
    COMONOTONE,
    COPULA,
    EXCLUSIVE,
    INDEPENDENT,
    WALK,
    _begin,
    _below,
    _given,
    _normal,
    _note,
    _walk,
)
from prum.simulator.sampling.kernels.independent import NEVER, _next, _unit


class Overlooking(NamedTuple):
    """How ideals are overlooked: each is kept with keeps[goal, ideal], and P(goal) of these goals.

    `anywhere[A, v]` is P(a path from node v gets to an ideal of A), bit x of A is ideal x. With a
    copula, `factors` and `weights` are where the common factor's law is integrated.
    """

    keeps: Any
    shares: Any
    anywhere: Any
    factors: Any
    weights: Any


@njit(nogil=True, cache=True)
def overlook(
    source, identity, entry, entries, dials, visits, graph, reached, overlooking, goal, part, z,
    edges, keys, user,
):  # fmt: skip
    """Note what a user sees who overlooks ideals; return how many are new."""
    rank = entries.ranks[entry]
    new = _note(keys, entries.own[entry], user, rank)
    node = entries.nodes[entry]
    if node < 0 or part <= 0.0:
        return new
    _begin(source, identity, entries.salts[entry])
    keeps = overlooking.keeps[goal]
    if dials.rule == WALK:
        chance, keep = _path_kept(keys[:, user], NEVER, node, part, reached, overlooking, goal)
        if chance < 1.0 and _unit(_next(source)) >= keep:
            return new
        if _unit(_next(source)) < part:
            new += _walk(source, node, dials, graph, z, rank, keys, user)
        return new
    point, shared, at, total, unseen = 0.0, 0.0, 0.0, 0.0, 0.0
    span = range(visits.starts[node], visits.starts[node + 1])
    if dials.rule != INDEPENDENT:
        point = _unit(_next(source))
    if dials.rule == COPULA:
        shared = _normal(source, point)
    if dials.rule == EXCLUSIVE:
        for visit in span:
            margin = part * _given(visits.margins[visit], dials, z)
            total += margin
            if keys[visits.ideals[visit], user] == NEVER:
                unseen += margin
    if dials.rule == COMONOTONE:
        count, keep = _cells(span, visits, dials, part, z, keys[:, user], NEVER, keeps, edges)
        if _unit(_next(source)) >= keep:
            cell = int(_unit(_next(source)) * count)
            point = edges[cell] + point * (edges[cell + 1] - edges[cell])
    may = dials.rule != EXCLUSIVE or _mayoverlook(total, unseen)
    for visit in span:
        margin = part * _given(visits.margins[visit], dials, z)
        ideal = visits.ideals[visit]
        keep = keeps[ideal] if may and margin < 1.0 else 1.0
        if dials.rule == EXCLUSIVE:
            seen = math.ceil(at + margin - point) > math.ceil(at - point)
            at += margin
        elif dials.rule == COMONOTONE:
            seen, keep = point < margin, 1.0
        elif dials.rule == COPULA:
            own = _normal(source, _unit(_next(source)))
            latent = math.sqrt(dials.rho) * shared + math.sqrt(1.0 - dials.rho) * own
            seen = _below(latent) < margin
        else:
            seen = _unit(_next(source)) < margin
        if seen and keys[ideal, user] == NEVER and (keep == 1.0 or _unit(_next(source)) < keep):
            new += _note(keys, ideal, user, rank)
    return new


@njit(nogil=True, cache=True, inline="always")
def _mayoverlook(total, unseen):
    """Return whether users of exclusive visits may see nothing: what they do not see is possible.

    `total` is the sum of all margins, `unseen` that of ideals not seen before.
    """
    return total <= 1.0 + 1e-12 and 1.0 - unseen > 1e-12


@njit(nogil=True, cache=True)
def _path_kept(seen, rank, node, part, reached, overlooking, goal):
    """Return P(a path shows something unseen), and with which probability it is kept.

    Unseen is what is in `seen` at `rank` or later.
    """
    members, num, total = 0, 0, 0.0
    for ideal in range(len(seen)):
        if seen[ideal] >= rank:
            members |= 1 << ideal
            if reached[ideal, node] > 0.0:
                num += 1
                total += overlooking.keeps[goal, ideal]
    return part * overlooking.anywhere[members, node], total / num if num else 1.0


@njit(nogil=True, cache=True)
def _cells(span, visits, dials, part, z, seen, rank, keeps, edges):
    """Write between which points comonotone visits show the same unseen ideals; return how many.

    Also returned: with which probability such users are plain; others take a stretch at random.
    """
    count, num, total = 1, 0, 0.0
    edges[0] = 0.0
    for visit in span:
        margin = part * _given(visits.margins[visit], dials, z)
        ideal = visits.ideals[visit]
        if seen[ideal] < rank or margin <= 0.0 or margin >= 1.0:
            continue
        num += 1
        total += keeps[ideal]
        place = count
        while edges[place - 1] > margin:
            place -= 1
        if edges[place - 1] == margin:
            continue
        for above in range(count, place, -1):
            edges[above] = edges[above - 1]
        edges[place] = margin
        count += 1
    edges[count] = 1.0
    return count, total / num if num else 1.0


@njit(nogil=True, cache=True, error_model="numpy")
def overlooked(
    overlooking, dials, visits, listed, reached, need, factors, normals, seen, given, parts, out
):  # fmt: skip
    """Add to `out` how much commoner users with these first-seen ranks are if they overlook ideals.

    `given` (visits, common factors) and `parts` (entries) are room for what a copula needs.
    """
    t, num_users = seen.shape
    num_goals = len(overlooking.shares)
    ratio = np.empty(num_goals)
    own_seen = np.empty(t, np.int32)
    edges = np.empty(t + 2)
    parts[:] = -1.0
    for user in range(num_users):
        factor, z = factors[user] * need, normals[user]
        ratio[:] = overlooking.shares
        found = 0
        for entry in range(len(listed.ranks)):
            if found == t:
                break
            rank, node = listed.ranks[entry], listed.nodes[entry]
            part = factor * listed.fades[entry] * dials.satiated[found]
            for ideal in range(t):
                own_seen[ideal] = seen[ideal, user]
                found += own_seen[ideal] == rank
            if listed.own[entry] >= 0:
                own_seen[listed.own[entry]] = 0
            if node < 0 or part <= 0.0:
                continue
            if dials.rule == WALK:
                _weigh_path(own_seen, rank, node, part, reached, overlooking, ratio)
                continue
            span = range(visits.starts[node], visits.starts[node + 1])
            if dials.rule == COPULA:
                if parts[entry] != part or dials.one_factor > 0.0:
                    _conditional(span, visits, dials, part, z, overlooking.factors, given)
                    parts[entry] = part
                _weigh_copula(span, visits, own_seen, rank, overlooking, given, ratio)
            elif dials.rule == COMONOTONE:
                _weigh_comonotone(
                    span, visits, dials, part, z, own_seen, rank, overlooking, edges, ratio
                )
            else:
                _weigh_visits(span, visits, dials, part, z, own_seen, rank, overlooking, ratio)
        for goal in range(num_goals):
            out[user] += ratio[goal]


@njit(nogil=True, cache=True, error_model="numpy")
def _weigh_path(seen, rank, node, part, reached, overlooking, ratio):
    new = False
    for ideal in range(len(seen)):
        new = new or seen[ideal] == rank
    for goal in range(len(ratio)):
        chance, keep = _path_kept(seen, rank, node, part, reached, overlooking, goal)
        if chance < 1.0:
            ratio[goal] *= keep if new else keep + (1.0 - keep) / (1.0 - chance)


@njit(nogil=True, cache=True, error_model="numpy")
def _weigh_comonotone(span, visits, dials, part, z, seen, rank, overlooking, edges, ratio):
    low, high = 0.0, 1.0
    for visit in span:
        margin = part * _given(visits.margins[visit], dials, z)
        at = seen[visits.ideals[visit]]
        if at < rank or margin <= 0.0 or margin >= 1.0:
            continue
        if at == rank:
            high = min(high, margin)
        else:
            low = max(low, margin)
    for goal in range(len(ratio)):
        keeps = overlooking.keeps[goal]
        count, keep = _cells(span, visits, dials, part, z, seen, rank, keeps, edges)
        ratio[goal] *= keep + (1.0 - keep) / (count * (high - low))


@njit(nogil=True, cache=True, error_model="numpy")
def _weigh_visits(span, visits, dials, part, z, seen, rank, overlooking, ratio):
    """Independent visits, and exclusive ones."""
    exclusive = dials.rule == EXCLUSIVE
    total, unseen, new = 0.0, 0.0, False
    for visit in span if exclusive else range(0):
        margin = part * _given(visits.margins[visit], dials, z)
        at = seen[visits.ideals[visit]]
        total += margin
        if at >= rank:
            unseen += margin
        new = new or at == rank
    if exclusive and not _mayoverlook(total, unseen):
        return
    for goal in range(len(ratio)):
        keeps, dropped = overlooking.keeps[goal], 0.0
        for visit in span:
            ideal = visits.ideals[visit]
            if seen[ideal] < rank:
                continue
            margin = part * _given(visits.margins[visit], dials, z)
            if margin >= 1.0:
                continue
            if seen[ideal] == rank:
                ratio[goal] *= keeps[ideal]
            elif exclusive:
                dropped += (1.0 - keeps[ideal]) * margin
            else:
                ratio[goal] *= (1.0 - margin * keeps[ideal]) / (1.0 - margin)
        if exclusive and not new:
            ratio[goal] *= 1.0 + dropped / (1.0 - unseen)


@njit(nogil=True, cache=True)
def _conditional(span, visits, dials, part, z, factors, given):
    """Write P(visit given the common factor); 2 where it is certain, without a factor."""
    root, rest = math.sqrt(dials.rho), math.sqrt(1.0 - dials.rho)
    for visit in span:
        margin = part * _given(visits.margins[visit], dials, z)
        if margin <= 0.0 or margin >= 1.0:
            given[visit] = 0.0 if margin <= 0.0 else 2.0
            continue
        quantile = quantile_of(margin)
        for k in range(len(factors)):
            given[visit, k] = _below((quantile - root * factors[k]) / rest)


@njit(nogil=True, cache=True, error_model="numpy")
def _weigh_copula(span, visits, seen, rank, overlooking, given, ratio):
    plain = 0.0
    for k in range(len(overlooking.factors)):
        chance = overlooking.weights[k]
        for visit in span:
            at = seen[visits.ideals[visit]]
            if at >= rank and given[visit, k] < 2.0:
                chance *= given[visit, k] if at == rank else 1.0 - given[visit, k]
        plain += chance
    for goal in range(len(ratio)):
        keeps, kept = overlooking.keeps[goal], 0.0
        for k in range(len(overlooking.factors)):
            chance = overlooking.weights[k]
            for visit in span:
                ideal = visits.ideals[visit]
                if seen[ideal] >= rank and given[visit, k] < 2.0:
                    share = given[visit, k] * keeps[ideal]
                    chance *= share if seen[ideal] == rank else 1.0 - share
            kept += chance
        ratio[goal] *= kept / plain


@njit(nogil=True, cache=True)
def quantile_of(probability):
    """Return where the normal law's distribution function has a value, by halving."""
    low, high = -40.0, 40.0
    while True:
        middle = 0.5 * (low + high)
        if middle in (low, high):
            return middle
        if _below(middle) < probability:
            low = middle
        else:
            high = middle
