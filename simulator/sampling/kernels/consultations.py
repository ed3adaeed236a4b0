"""Compiled loop that lets users consult element after element: as general as the model.

No law is used: each visit is drawn when it is due. Numbers are keyed by user and element, so that
a user does the same from an element in every list where the probabilities are the same. The loop
has a plain-Python twin in `tests.twins.independent`.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit, uint64

from prum.simulator.model.population import LONGEST_PATH
from prum.simulator.sampling.kernels.independent import (
    NEVER,
    TILE,
    _count,
    _mixed,
    _next,
    _room,
    _unit,
)

# How visits from one element are coupled.
INDEPENDENT, EXCLUSIVE, COMONOTONE, COPULA, WALK = range(5)
# In place of elements, for a user's order and places of the unranked part.
ORDER, PLACES = uint64(0x6F72646572), uint64(0x706C61636573)


class Entries(NamedTuple):
    """Elements that may show an ideal, or make a document known, in arrays of one length n.

    `ranks` from 1 (0 after the list), `fades` the factor of the rank, `nodes` the place in the
    `Graph` of a walk, or of the first visit in `VisitTables`; `own` the ideal that it is, or -1.
    """

    salts: Any
    ranks: Any
    fades: Any
    own: Any
    nodes: Any
    documents: Any


class VisitTables(NamedTuple):
    """Ideals and margins, node by node: starts[node] .. starts[node + 1]."""

    starts: Any
    ideals: Any
    margins: Any


class Graph(NamedTuple):
    """The graph of a walk: cumulative shares of each node's links, probabilities of moving on."""

    starts: Any
    targets: Any
    shares: Any
    moving: Any
    ideal_of: Any


class DialTables(NamedTuple):
    """The dials on which probabilities depend; `known` are documents consulted in the list."""

    rule: int
    rho: float
    one_factor: float
    satiated: Any
    fading: float
    known: Any
    browses_unranked: bool


@njit(nogil=True, cache=True)
def consultations(
    key, first_user, dials, visits, graph, listed, later, need, factors, normals,
    state, again, num_ranked, unranked, sampled, consulted, leading, seen,
):  # fmt: skip
    """Draw the next users, with a factor for their need, and write their C(r) and CL(r).

    `seen`, if it has room, takes the ranks, or places behind the list, of first seeing the ideals.
    """
    num_users, t = consulted.shape
    golden = uint64(0x9E3779B97F4A7C15)
    keys = np.empty((t, TILE), np.int32)
    room = _room(t)
    source = np.empty(4, np.uint64)
    known = dials.known.copy()
    order, places = np.empty(len(later.salts), np.uint64), np.empty(len(later.salts), np.int64)
    for begin in range(0, num_users, TILE):
        end = min(begin + TILE, num_users)
        keys[:] = NEVER
        for user in range(end - begin):
            identity = _mixed(key + uint64(first_user + begin + user + 1) * golden)
            factor, z = factors[begin + user] * need, normals[begin + user]
            found = 0
            for entry in range(len(listed.salts)):
                if found == t:
                    break
                rank = listed.ranks[entry]
                part = factor * listed.fades[entry] * dials.satiated[found]
                found += _consult(
                    source, identity, entry, listed, dials, visits, graph, part, z, rank, keys, user
                )
            if dials.browses_unranked and found < t:
                _browse_later(
                    source, identity, dials, visits, graph, later, factor, z, found, num_ranked,
                    unranked, order, places, known, keys, user,
                )  # fmt: skip
        if seen.size:
            seen[:, begin:end] = keys[:, : end - begin]
        _count(
            keys, state, again, num_ranked, unranked, sampled and not dials.browses_unranked, room,
            begin, end, consulted.T, leading.T,
        )  # fmt: skip


@njit(nogil=True, cache=True)
def _browse_later(
    source, identity, dials, visits, graph, later, factor, z, found, num_ranked, unranked, order,
    places, known, keys, user,
):  # fmt: skip
    """Note what a user, who has found some ideals in the list, sees behind it."""
    for entry in range(len(order)):
        order[entry] = _mixed(identity ^ _mixed(later.salts[entry] + ORDER))
    _begin(source, identity, PLACES)
    _distinct(source, unranked, places)
    known[:] = dials.known
    turns = np.argsort(order)
    for turn in range(len(turns)):
        if found == len(keys):
            break
        entry = turns[turn]
        rank = num_ranked + 1 + places[turn]
        part = factor * dials.fading ** float(rank - 1) * dials.satiated[found]
        document = later.documents[entry]
        if document >= 0:
            if known[document]:
                part = 0.0
            known[document] = True
        found += _consult(
            source, identity, entry, later, dials, visits, graph, part, z, rank, keys, user
        )


@njit(nogil=True, cache=True)
def _begin(source, identity, salt):
    """Start SFC64 for one user at one element."""
    golden = uint64(0x9E3779B97F4A7C15)
    seed = identity ^ _mixed(salt + golden)
    source[0] = _mixed(seed + golden)
    source[1] = _mixed(seed + golden + golden)
    source[2] = _mixed(seed + golden + golden + golden)
    source[3] = uint64(1)


@njit(nogil=True, cache=True)
def _consult(
    source, identity, entry, entries, dials, visits, graph, part, z, rank, keys, user
):  # fmt: skip
    """Note what a user sees from an element, browsing by `part`; return how many are new."""
    new = _note(keys, entries.own[entry], user, rank)
    node = entries.nodes[entry]
    if node < 0 or part <= 0.0:
        return new
    _begin(source, identity, entries.salts[entry])
    if dials.rule == WALK:
        if _unit(_next(source)) < part:
            new += _walk(source, node, dials, graph, z, rank, keys, user)
        return new
    point, shared, at = 0.0, 0.0, 0.0
    if dials.rule != INDEPENDENT:
        point = _unit(_next(source))
    if dials.rule == COPULA:
        shared = _normal(source, point)
    for visit in range(visits.starts[node], visits.starts[node + 1]):
        margin = part * _given(visits.margins[visit], dials, z)
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
        if seen:
            new += _note(keys, visits.ideals[visit], user, rank)
    return new


@njit(nogil=True, cache=True)
def _walk(source, node, dials, graph, z, rank, keys, user):
    """Note what a user sees on a path from a node; return how many are new."""
    new = 0
    moves = 0
    while True:
        number = _unit(_next(source))
        moving = _given(graph.moving[node], dials, z)
        if number >= moving or (moves == LONGEST_PATH and dials.one_factor > 0.0):
            return new
        moves += 1
        low, high = graph.starts[node], graph.starts[node + 1] - 1
        share = number / moving
        while low < high:
            middle = (low + high) >> 1
            if graph.shares[middle] > share:
                high = middle
            else:
                low = middle + 1
        node = graph.targets[low]
        new += _note(keys, graph.ideal_of[node], user, rank)


@njit(nogil=True, cache=True, inline="always")
def _note(keys, ideal, user, rank):
    """Note that a user sees an ideal (-1: none) at a rank; return 1 if it is new, else 0."""
    if ideal >= 0 and keys[ideal, user] == NEVER:
        keys[ideal, user] = rank
        return 1
    return 0


@njit(nogil=True, cache=True, inline="always")
def _given(margin, dials, z):
    """Return the probability of a user with factor z; margins are then quantiles of the normal."""
    if dials.one_factor == 0.0:
        return margin
    return _below((margin - math.sqrt(dials.one_factor) * z) / math.sqrt(1.0 - dials.one_factor))


@njit(nogil=True, cache=True, inline="always")
def _below(quantile):
    """Return the normal law's distribution function."""
    return 0.5 * math.erfc(-quantile / math.sqrt(2.0))


@njit(nogil=True, cache=True, inline="always")
def _normal(source, uniform):
    """Return a standard normal number (Box and Muller) from a uniform one and the next."""
    angle = 2.0 * math.pi * _unit(_next(source))
    return math.sqrt(-2.0 * math.log(1.0 - uniform)) * math.cos(angle)


@njit(nogil=True, cache=True)
def _distinct(source, among, places):
    """Write a uniformly random set of places in 0 .. among - 1, in order.

    By selection sampling if more than half of all are wanted; else all at once, redrawing those
    that coincide until none do.
    """
    wanted = len(places)
    if 2 * wanted > among:
        count = 0
        for passed in range(among):
            if _unit(_next(source)) * (among - passed) < wanted - count:
                places[count] = passed
                count += 1
        return
    for k in range(wanted):
        places[k] = int(_unit(_next(source)) * among)
    again = True
    while again:
        again = False
        places.sort()
        before = np.int64(-1)
        for k in range(wanted):
            place = places[k]
            if place == before:
                places[k] = int(_unit(_next(source)) * among)
                again = True
            before = place
