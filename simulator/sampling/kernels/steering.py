"""Compiled loops for users who are steered towards an ideal at a rank, and for how likely they are.

A goal is that one or two ideals are first seen at a rank each, or not in the list. On the way every
choice is drawn given that the goal is still met, where it can be: nothing else is pushed. So a
user is commoner by 1 / P(each choice goes so), along the very path that they take. Other users
overlook ideals (`overlooking`). The loops have plain-Python twins in `tests.twins.steering`.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit, uint64

from prum.simulator.sampling.kernels.consultations import (
    COMONOTONE,
    COPULA,
    EXCLUSIVE,
    WALK,
    _begin,
    _below,
    _browse_later,
    _given,
    _normal,
    _note,
    _walk,
)
from prum.simulator.sampling.kernels.independent import (
    NEVER,
    TILE,
    _count,
    _mixed,
    _next,
    _room,
    _unit,
)
from prum.simulator.sampling.kernels.overlooking import overlook, quantile_of

# In place of an element, for the goal of a user.
GOAL = uint64(0x676F616C)


class Goals(NamedTuple):
    """Goals, in arrays of one length: P(this or an earlier one), two ideals (-1: none), ranks.

    One has no ideal: users who are steered nowhere. `overlooks` is the row of `Overlooking.keeps`
    of those who overlook ideals, or -1.
    """

    shares: Any
    firsts: Any
    seconds: Any
    ranks: Any
    overlooks: Any


class Tosses(NamedTuple):
    """What may show an ideal in the list, in order of ranks, and which goals it is part of.

    `margins` are as in `VisitTables`, and NaN where the element is the ideal. `singles` are P(goal)
    of that ideal alone, at this rank; `missing` those of each ideal not in the list. `pairs` holds
    two tosses for each goal of two ideals, whose P(goal) are in `doubles`. `free` is P(no goal).
    """

    ranks: Any
    ideals: Any
    margins: Any
    fades: Any
    singles: Any
    missing: Any
    pairs: Any
    doubles: Any
    free: Any


@njit(nogil=True, cache=True)
def steered(
    key, first_user, goals, overlooking, dials, visits, graph, reached, listed, later, need,
    factors, normals, state, again, num_ranked, unranked, consulted, leading, seen,
):  # fmt: skip
    """Draw the next users, each towards a goal of their own; `seen` takes first-seen ranks."""
    num_users, t = consulted.shape
    golden = uint64(0x9E3779B97F4A7C15)
    keys = np.empty((t, TILE), np.int32)
    room = _room(t)
    source = np.empty(4, np.uint64)
    known = dials.known.copy()
    order, places = np.empty(len(later.salts), np.uint64), np.empty(len(later.salts), np.int64)
    aims = np.full(t, -1, np.int64)
    edges = np.empty(t + 2)
    for begin in range(0, num_users, TILE):
        end = min(begin + TILE, num_users)
        keys[:] = NEVER
        for user in range(end - begin):
            identity = _mixed(key + uint64(first_user + begin + user + 1) * golden)
            factor, z = factors[begin + user] * need, normals[begin + user]
            _begin(source, identity, GOAL)
            goal = np.searchsorted(goals.shares, _unit(_next(source)), side="right")
            goal = min(goal, len(goals.shares) - 1)
            first, second, at = goals.firsts[goal], goals.seconds[goal], goals.ranks[goal]
            if first >= 0:
                aims[first] = at
            if second >= 0:
                aims[second] = at
            found = 0
            for entry in range(len(listed.salts)):
                if found == t:
                    break
                part = factor * listed.fades[entry] * dials.satiated[found]
                if goals.overlooks[goal] >= 0:
                    found += overlook(
                        source, identity, entry, listed, dials, visits, graph, reached,
                        overlooking, goals.overlooks[goal], part, z, edges, keys, user,
                    )  # fmt: skip
                elif dials.rule == WALK:
                    found += _walk_steered(
                        source, identity, entry, listed, dials, graph, reached, first, at, part, z,
                        keys, user,
                    )  # fmt: skip
                else:
                    found += _consult_steered(
                        source, identity, entry, listed, dials, visits, aims, part, z, keys, user
                    )
            if first >= 0:
                aims[first] = -1
            if second >= 0:
                aims[second] = -1
            if dials.browses_unranked and found < t:
                _browse_later(
                    source, identity, dials, visits, graph, later, factor, z, found, num_ranked,
                    unranked, order, places, known, keys, user,
                )  # fmt: skip
        seen[:, begin:end] = keys[:, : end - begin]
        _count(
            keys, state, again, num_ranked, unranked, not dials.browses_unranked, room,
            begin, end, consulted.T, leading.T,
        )  # fmt: skip


@njit(nogil=True, cache=True)
def _consult_steered(source, identity, entry, entries, dials, visits, aims, part, z, keys, user):
    """Note what a steered user sees from an element of the list; return how many are new."""
    rank = entries.ranks[entry]
    new = _note(keys, entries.own[entry], user, rank)
    node = entries.nodes[entry]
    if node < 0 or part <= 0.0:
        return new
    _begin(source, identity, entries.salts[entry])
    # With coupled visits, the one that is decided: its stretch or margin, and whether it is made.
    aimed, start, width, made = np.int64(-1), 0.0, 0.0, False
    if dials.rule != 0:
        at = 0.0
        for visit in range(visits.starts[node], visits.starts[node + 1]):
            margin = part * _given(visits.margins[visit], dials, z)
            decided = _decided(aims, keys, visits.ideals[visit], user, rank, margin)
            if decided != 0:
                aimed, start, width, made = visit, at, margin, decided > 0
            at += margin
    point, shared, at = 0.0, 0.0, 0.0
    if dials.rule != 0:
        point = _unit(_next(source))
        if dials.rule == COPULA:
            if aimed < 0:
                shared = _normal(source, point)
            else:
                point = point * width if made else width + point * (1.0 - width)
                latent = quantile_of(point)
                rest = _normal(source, _unit(_next(source)))
                shared = math.sqrt(dials.rho) * latent + math.sqrt(1.0 - dials.rho) * rest
        elif aimed >= 0:
            point = point * width if made else width + point * (1.0 - width)
            if dials.rule == EXCLUSIVE:
                point = (start + point) % 1.0
    for visit in range(visits.starts[node], visits.starts[node + 1]):
        margin = part * _given(visits.margins[visit], dials, z)
        ideal = visits.ideals[visit]
        if dials.rule == EXCLUSIVE:
            seen = math.ceil(at + margin - point) > math.ceil(at - point)
            at += margin
        elif dials.rule == COMONOTONE:
            seen = point < margin
        elif dials.rule == COPULA:
            own = _normal(source, _unit(_next(source)))
            latent = math.sqrt(dials.rho) * shared + math.sqrt(1.0 - dials.rho) * own
            seen = _below(latent) < margin
        else:
            seen = _unit(_next(source)) < margin
            decided = _decided(aims, keys, ideal, user, rank, margin)
            if decided != 0:
                seen = decided > 0
        if visit == aimed:
            seen = made
        if seen:
            new += _note(keys, ideal, user, rank)
    return new


@njit(nogil=True, cache=True)
def _walk_steered(
    source, identity, entry, entries, dials, graph, reached, ideal, at, part, z, keys, user
):  # fmt: skip
    """Note what a steered user sees on a path from an element of the list; return how many are new.

    Given that the path gets to the ideal, or not, each step has its probability times that of
    doing so from there, over that of doing so from here.
    """
    rank = entries.ranks[entry]
    new = _note(keys, entries.own[entry], user, rank)
    node = entries.nodes[entry]
    if node < 0 or part <= 0.0:
        return new
    _begin(source, identity, entries.salts[entry])
    margin = part * reached[ideal, node] if ideal >= 0 else 0.0
    left = 0.0 < margin < 1.0 and keys[ideal, user] == NEVER and at >= rank
    if not left:
        if _unit(_next(source)) < part:
            new += _walk(source, node, dials, graph, z, rank, keys, user)
        return new
    made = at == rank
    if not made and _unit(_next(source)) >= part * (1.0 - reached[ideal, node]) / (1.0 - margin):
        return new
    while True:
        number = _unit(_next(source))
        if made:
            number *= reached[ideal, node]
        else:
            number *= 1.0 - reached[ideal, node]
        before, passed, chosen = 0.0, 0.0, np.int64(-1)
        for link in range(graph.starts[node], graph.starts[node + 1]):
            target = graph.targets[link]
            there = 1.0 if graph.ideal_of[target] == ideal else reached[ideal, target]
            step = (graph.shares[link] - before) * graph.moving[node]
            before = graph.shares[link]
            step *= there if made else 1.0 - there
            passed += step
            if step > 0.0:
                chosen = target
                if passed > number:
                    break
        if chosen < 0 or (not made and passed <= number):
            return new
        node = chosen
        new += _note(keys, graph.ideal_of[node], user, rank)
        if made and graph.ideal_of[node] == ideal:
            return new + _walk(source, node, dials, graph, z, rank, keys, user)


@njit(nogil=True, cache=True, inline="always")
def _decided(aims, keys, ideal, user, rank, margin):
    """Return 1 if the goal has the visit made, -1 if not made, 0 if it leaves it to chance."""
    aim = aims[ideal]
    if aim < rank or margin <= 0.0 or margin >= 1.0 or keys[ideal, user] != NEVER:
        return 0
    return 1 if aim == rank else -1


@njit(nogil=True, cache=True, error_model="numpy")
def ratios(tosses, dials, num_ranked, need, factors, normals, seen, others, out):
    """Multiply `out` by how much commoner users with these first-seen ranks are if steered.

    `others` is what those who overlook ideals add. Of each goal the ideals' chances multiply, given
    the path so far. An ideal's, for a rank, is 0 where the user did not do what was aimed at, and
    else 1 over the probability of doing so.
    """
    t, num_users = seen.shape
    chances = np.empty(len(tosses.ranks))
    # P(not seen so far), by ideal; and 1 over it where the ideal was then certain to be seen.
    unseen, certain = np.empty(t), np.empty(t)
    for user in range(num_users):
        factor, z = factors[user] * need, normals[user]
        unseen[:] = 1.0
        certain[:] = 0.0
        total, found, fresh, before = tosses.free + others[user], 0, 0, 0
        for toss in range(len(tosses.ranks)):
            rank, ideal = tosses.ranks[toss], tosses.ideals[toss]
            if rank != before:
                found, fresh, before = found + fresh, 0, rank
            at = seen[ideal, user]
            if at < rank:
                chance = certain[ideal]
            else:
                own = math.isnan(tosses.margins[toss])
                margin = 1.0
                if not own:
                    part = factor * tosses.fades[toss] * dials.satiated[found]
                    margin = part * _given(tosses.margins[toss], dials, z) if part > 0.0 else 0.0
                if margin >= 1.0:
                    chance = certain[ideal] = 1.0 / unseen[ideal]
                elif margin <= 0.0:
                    chance = 1.0 / unseen[ideal]
                elif at == rank:
                    chance = 1.0 / (unseen[ideal] * margin)
                else:
                    chance = 0.0
                    unseen[ideal] *= 1.0 - margin
                fresh += at == rank
            chances[toss] = chance
            if tosses.singles[toss] > 0.0:
                total += tosses.singles[toss] * chance
        for ideal in range(t):
            if tosses.missing[ideal] > 0.0:
                if seen[ideal, user] > num_ranked:
                    total += tosses.missing[ideal] / unseen[ideal]
                else:
                    total += tosses.missing[ideal] * certain[ideal]
        for pair in range(len(tosses.doubles)):
            one, other = chances[tosses.pairs[pair, 0]], chances[tosses.pairs[pair, 1]]
            if one > 0.0 and other > 0.0:
                total += tosses.doubles[pair] * one * other
        out[user] *= total
