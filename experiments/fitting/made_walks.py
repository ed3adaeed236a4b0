"""Sessions of people who walk: made visit by visit, all at once."""

import numpy as np

from prum.experiments.logs.counts import StepCounts
from prum.experiments.logs.sessions import Sessions
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Flags, Floats, Ints

# Visits after which a session is cut: there are people who hardly ever stop.
MOST_VISITS = 10_000
# So much below 1 are random numbers that a sum with the number of a row doesn't round to the next.
_BELOW = 1 - 2.0**-30


def made_walks(
    counts: StepCounts,
    stop: Floats,
    back: Floats,
    is_leaf: Flags,
    shares: Floats,
    num_sessions: int,
    seed: int,
) -> Sessions:
    """Return sessions of one path each, entries drawn as in the log.

    Parameters
    ----------
    counts
        The log.
    stop, back, is_leaf
        By element: the probabilities of stopping and of going back, and whether no link leads on.
    shares
        Of each row of links, among the choices at its source.

    Raise InputError for a number of sessions below 1.
    """
    if num_sessions < 1:
        raise InputError("number of sessions", num_sessions, "be at least 1", remedy="try 1000")
    rng = np.random.default_rng(seed)
    entered = np.cumsum(counts.entries)
    ends, targets = _ends(shares, counts.links.starts), counts.links.targets.astype(np.int64)
    position = np.searchsorted(entered, rng.random(num_sessions) * entered[-1], side="right")
    session, depth = np.arange(num_sessions), np.ones(num_sessions, dtype=np.int64)
    trail = position[:, None]
    visits = [(session, position, np.zeros(num_sessions, dtype=np.bool_))]
    while len(session) and len(visits) < MOST_VISITS:
        tosses = rng.random((4, len(session)))[:3]  # a seed's sessions stay as they were
        alone = depth == 1
        stays = ~((tosses[0] < stop[position]) | (alone & is_leaf[position]))
        session, depth, trail, position, alone, tosses = (
            session[stays],
            depth[stays],
            trail[stays],
            position[stays],
            alone[stays],
            tosses[:, stays],
        )
        goes_back = ~alone & (tosses[1] < back[position])
        person = np.arange(len(session))
        row = np.searchsorted(ends, position + tosses[2] * _BELOW, side="right")
        # Where there is no link nobody moves on, and any row will do.
        target = targets[np.minimum(row, len(targets) - 1)]
        depth = depth + np.where(goes_back, -1, 1)
        if depth.max(initial=0) > trail.shape[1]:
            trail = np.pad(trail, ((0, 0), (0, trail.shape[1])))
        position = np.where(goes_back, trail[person, depth - 1], target)
        trail[person, depth - 1] = position
        visits.append((session, position, goes_back))
    number, element, is_back = (np.concatenate(column) for column in zip(*visits, strict=True))
    order = np.argsort(number, kind="stable")
    starts = np.searchsorted(number[order], np.arange(num_sessions + 1))
    cut = np.isin(np.arange(num_sessions), session)
    columns = element[order].astype(np.int64), starts.astype(np.int64), is_back[order]
    return Sessions.of_paths(counts.elements, *columns, cut)


def _ends(shares: Floats, starts: Ints) -> Floats:
    """Return where each row ends if those of group i fill the interval from i to i + 1."""
    sizes = np.diff(starts)
    group = np.repeat(np.arange(len(sizes)), sizes)
    sums = np.append(0.0, np.cumsum(shares))
    within = np.minimum(sums[1:] - sums[starts[group]], 1.0)
    within[starts[1:][sizes > 0] - 1] = 1.0
    ends: Floats = group + within
    return ends
