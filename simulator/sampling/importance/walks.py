"""Sampler of walkers of whom some are pushed: towards ideals from an entry or an ideal on, or away.

How they are pushed is chosen from rough probabilities; any choice is right, for a user's weight
comes from the ratio of the two laws.
"""

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prum.simulator.model import Browsing, Links
from prum.simulator.model.arrays import Counts, Floats, Ints, Words
from prum.simulator.sampling.importance.goals import bounds, misses, tossed
from prum.simulator.sampling.streams import (
    PUSHED,
    PUSHED_EVERY,
    WALKS,
    stream,
    unranked_streams,
    weighted,
)
from prum.simulator.sampling.ways.stepwise import StepwiseSampler
from prum.simulator.sampling.ways.walk import WalkSampler, alias_tables_of

if TYPE_CHECKING:
    from scipy import sparse

# Most steps of a leg that are tilted, and numbers kept of what is ahead: 32 MiB.
_MOST_STEPS, _MOST_NEAR, _FEWEST_STEPS = 256, 1 << 22, 16
# Entries from which users walk at a time: some go on when most have stopped, or have seen all.
_ABREAST, _MOST_ABREAST = 8, 64
# Links times steps times classes that are gone through for what is ahead.
_MOST_SWEPT = 1 << 26
# What as many steps again would add to what is ahead, at the last one's rate, when it is enough.
_SETTLED = 1e-10
# Expected pushes of a user's first legs, and of later ones.
_FIRST_PUSHES, _LATER_PUSHES = 0.5, 0.5
_MOST_LATER = 0.4
# Classes that users shun: at most so many, where they are missed with a probability in between.
_MOST_SHUNNED, _MOST_SETS = 10, 1 << 20
_RARELY, _OFTEN = 1e-9, 0.7
# An entry that shows a class with this probability is not turned away from it, nor from a set.
_NEARLY_CERTAIN = 1 - 1e-6
# Elements times ideals of graphs on which it is known what walks get to.
_MOST_KNOWN = 1 << 16


class Moves(NamedTuple):
    """Links by number of the element, with where elements are in the alias tables, and back."""

    starts: Ints
    targets: Counts
    probabilities: Floats
    places: Words
    nodes: Counts


class NextIdeals(NamedTuple):
    """What comes next: near[l, rows[v], c] is P(next ideal within l steps is of class c), from v.

    An ideal is its own next ideal; `ideals` are those of the first rows; -1 is no row. `most`
    bounds the sum of near over c by the first column of v in the alias tables.
    """

    rows: Counts
    ideals: Ints
    classes: Ints
    near: Floats
    most: NDArray[np.float32]


class Pushes(NamedTuple):
    """How users are pushed, as the kernel takes it: see `Pushes` in its header."""

    first: Floats
    first_ratio: Floats
    later: Floats
    onward: Floats
    onward_ratio: Floats
    towards: float
    batches: Ints
    unpushed: Floats
    bits: Ints
    ends: Ints
    sets: Ints
    shares: Floats
    shunned: Floats


class PushedWalkSampler:
    """Plain and pushed walkers; `of` returns None where no link leads to an ideal."""

    def __init__(self, plain: WalkSampler, graph: Moves, ahead: NextIdeals) -> None:
        self.plain, self.task = plain, plain.task
        self.graph, self.ahead = graph, ahead
        self.pushes = _pushes(plain, graph, ahead)
        self.bounds = _bounds(plain)

    @classmethod
    def of(cls, plain: WalkSampler) -> "PushedWalkSampler | None":
        """Return the sampler, None where no walk from the list comes to an ideal.

        None also where nobody stops once they are caught, and an ideal stands in two places.
        """
        links, shown = plain.links, plain.ideal_of[plain.ideal_of >= 0]
        if len(np.unique(shown)) < len(shown):
            return None
        graph, ahead = _ahead(links, tuple(_nodes(plain).tolist()))
        if not ahead.near.size or not _next(plain.entries, graph, ahead).any():
            return None
        return cls(plain, graph, ahead)

    def block(self, seed: int, number: int) -> "_PushedWalksBlock":
        """Return block `number` of the users of `seed`, from its first user on."""
        return _PushedWalksBlock(self, seed, number)


def _bounds(plain: WalkSampler) -> Floats:
    """Return bounds on P(C(r) lies behind the list), and P(CL(r) < r); open on large graphs."""
    task = plain.task
    if len(plain.links.elements) * task.num_ideals <= _MOST_KNOWN:
        table = StepwiseSampler(task, Browsing(plain.navigation))
        reached = table.reached()
        if reached is not None:
            return bounds(table, tossed(table, reached), reached)
    missed = np.ones(task.num_ideals)
    missed[plain.entry_ideals[plain.entry_ideals >= 0]] = 0
    return np.stack((misses(missed), np.append(0.0, np.ones(task.num_ideals - 1))))


class _PushedWalksBlock:
    def __init__(self, sampler: PushedWalkSampler, seed: int, number: int) -> None:
        self.sampler = sampler
        key = sampler.plain.key
        self.walk_key = stream(seed, key, number, WALKS)[0]
        self.push_key = stream(seed, key, number, PUSHED)[0]
        self.unranked, self.again = unranked_streams(seed, key, number, True)
        self.done = 0

    def draw(self, consulted: Counts, leading: Counts, weights: Floats) -> None:
        from prum.simulator.sampling.kernels import pushed_walks

        sampler, plain, task = self.sampler, self.sampler.plain, self.sampler.task
        ratios = np.empty(len(consulted))
        pushed_walks(
            self.walk_key,
            self.push_key,
            PUSHED_EVERY,
            self.done,
            plain.columns,
            plain.slots,
            plain.slot_ideals,
            plain.ranks,
            plain.entries,
            plain.places,
            plain.entry_ideals,
            sampler.graph,
            sampler.ahead,
            sampler.pushes,
            self.unranked,
            self.again,
            task.num_ranked,
            task.num_unranked,
            consulted.T,
            leading.T,
            ratios,
        )
        weights[:] = weighted(ratios)
        self.done += len(consulted)


@lru_cache(maxsize=2)
def _ahead(links: Links, ideals: tuple[int, ...]) -> tuple[Moves, NextIdeals]:
    """Return the links and what is ahead of their elements, kept for the lists of a topic.

    `ideals` are numbers of elements, -1 without links. Ideals share classes if there are too many
    for the room that there is.
    """
    from scipy import sparse

    places, columns = alias_tables_of(links)
    n = len(links.elements)
    nodes = np.full(len(columns), -1, dtype=np.int32)
    nodes[(places - (places & -places)) >> np.uint64(1)] = np.arange(n, dtype=np.int32)
    running = np.append(0.0, np.cumsum(links.probabilities))
    sums = np.maximum(running[links.starts[1:]] - running[links.starts[:-1]], 1.0)
    probabilities = links.probabilities / sums[links.sources]
    graph = Moves(links.starts, links.targets, probabilities, places, nodes)
    moves = sparse.csr_array((probabilities, links.targets, links.starts), shape=(n, n))

    linked = np.array([x for x, node in enumerate(ideals) if node >= 0], dtype=np.int64)
    at = np.array(ideals, dtype=np.int64)[linked]
    leading = _leading(moves, at)
    rows = np.full(n, -1, dtype=np.int32)
    rows[leading] = np.arange(len(leading), dtype=np.int32)
    most_classes = max(1, _MOST_NEAR // (_FEWEST_STEPS * max(len(leading), 1)))
    num_classes = min(len(linked), most_classes)
    classes = np.full(len(ideals), -1, dtype=np.int64)
    classes[linked] = np.arange(len(linked)) % max(num_classes, 1)

    among = moves[leading][:, leading]
    own = np.zeros((len(leading), num_classes))
    own[np.arange(len(linked)), classes[linked]] = 1
    near = [own]
    most_steps = min(
        _MOST_STEPS,
        max(_MOST_NEAR // max(own.size, 1), 1),
        max(_MOST_SWEPT // max(among.nnz * num_classes, 1), 1),
    )
    steps, settled = np.zeros((len(linked) + 1, num_classes)), False
    while len(near) < most_steps and own.size and not settled:
        further = among @ near[-1]
        # Of a leg from each ideal, and from any element.
        reached = np.vstack([further[: len(linked)], further.sum(axis=0)])
        growth = reached - steps
        settled = len(near) > _FEWEST_STEPS and bool(
            np.all(growth * len(near) <= _SETTLED * reached)
        )
        steps = reached
        further[: len(linked)] = own[: len(linked)]
        near.append(further)
    most = np.zeros(len(columns), dtype=np.float32)
    # Rounded up: it bounds what is ahead.
    bound = np.nextafter(near[-1].sum(axis=1).astype(np.float32), np.float32(2))
    first_columns = (places - (places & -places)) >> np.uint64(1)
    most[first_columns[leading]] = bound
    table = np.array(near) if own.size else np.zeros((1, 0, 0))
    return graph, NextIdeals(rows, linked, classes, table, most)


def _leading(moves: "sparse.csr_array", ideals: Ints) -> Ints:
    """Return the elements from which few steps come to an ideal: the ideals first, then others."""
    back = moves.T.tocsr()
    back.eliminate_zeros()
    reached = np.zeros(moves.shape[0], dtype=np.bool_)
    reached[ideals] = True
    frontier = ideals
    for _ in range(_MOST_STEPS):
        before = np.unique(back[frontier].indices).astype(np.int64)
        frontier = before[~reached[before]]
        if not frontier.size:
            break
        reached[frontier] = True
    reached[ideals] = False
    return np.append(ideals, np.flatnonzero(reached)).astype(np.int64)


def _nodes(plain: WalkSampler) -> Ints:
    """Return the number of each ideal among the linked elements, or -1."""
    return np.array([plain.links.code.get(x, -1) for x in plain.task.ideals], dtype=np.int64)


def _next(nodes: Ints, graph: Moves, ahead: NextIdeals) -> Floats:
    """Return P(a leg from each node ends in each class in time); -1 is no node."""
    ends = np.zeros((len(nodes), ahead.near.shape[2]))
    for number, node in enumerate(nodes.tolist()):
        if node >= 0:
            span = slice(graph.starts[node], graph.starts[node + 1])
            rows = ahead.rows[graph.targets[span]]
            inside = rows >= 0
            ends[number] = graph.probabilities[span][inside] @ ahead.near[-1][rows[inside]]
    return ends


class _Seen(NamedTuple):
    """Of each entry and class: P(unseen before), roughly; and the entry from which it is certain.

    A class of several ideals is never certain.
    """

    unseen: Floats
    certain: Ints


def _seen(plain: WalkSampler, ahead: NextIdeals, ends: Floats) -> _Seen:
    m, num_classes = ends.shape
    certain = np.full(num_classes, m)
    alone = np.bincount(ahead.classes[ahead.ideals], minlength=num_classes) == 1
    for entry, x in enumerate(plain.entry_ideals.tolist()):
        if x >= 0 and ahead.classes[x] >= 0 and alone[ahead.classes[x]]:
            certain[ahead.classes[x]] = entry
    before = np.vstack([np.ones(num_classes), np.cumprod(1 - np.minimum(ends, 1), axis=0)])[:m]
    return _Seen(np.where(np.arange(m)[:, None] < certain, before, 0), certain)


def _pushes(plain: WalkSampler, graph: Moves, ahead: NextIdeals) -> Pushes:
    """Return how users of a list are pushed."""
    ends = _next(plain.entries, graph, ahead)
    of_ideals = _next(_nodes(plain), graph, ahead)
    seen = _seen(plain, ahead, ends)
    onward = _onward(of_ideals, ahead)
    first, later = _towards(plain, ahead, ends, onward, seen)
    pushed = first.sum(axis=1, keepdims=True)
    ratio = 1 + _over(first, ends * (1 - pushed))
    unpushed = np.cumprod(np.append(1.0, 1 - pushed))
    batches = _batches(plain.task.num_ideals, ahead, seen)
    bits, limits, sets, shares, shunned = _shunning(plain, ends, seen, batches)
    return Pushes(
        np.cumsum(first, axis=1),
        ratio,
        later,
        _shares(onward),
        _over(onward, of_ideals),
        0.5 if len(sets) else 1.0,
        batches,
        unpushed[batches],
        bits,
        limits,
        sets,
        shares,
        shunned,
    )


def _batches(num_ideals: int, ahead: NextIdeals, seen: _Seen) -> Ints:
    """Return where batches of entries end: of about as many walks, as more users have seen all."""
    unseen = np.ones((len(seen.unseen), num_ideals))
    unseen[:, ahead.ideals] = seen.unseen[:, ahead.classes[ahead.ideals]]
    searching = 1 - np.prod(1 - unseen, axis=1)
    ends = [0]
    for entry in range(len(searching)):
        walks = searching[ends[-1] : entry + 1].sum()
        size = entry + 1 - ends[-1]
        if walks >= _ABREAST or size == _MOST_ABREAST or entry == len(searching) - 1:
            ends.append(entry + 1)
    return np.array(ends, dtype=np.int64)


def _onward(of_ideals: Floats, ahead: NextIdeals) -> Floats:
    """Return the shares of classes to which users are pushed from an ideal: never its own."""
    others = of_ideals.copy()
    alone = np.bincount(ahead.classes[ahead.ideals], minlength=others.shape[1]) == 1
    own = ahead.ideals[alone[ahead.classes[ahead.ideals]]]
    others[own, ahead.classes[own]] = 0
    some = np.sign(others)
    even = _over(some, some.sum(axis=1, keepdims=True))
    return (even + _over(others, others.sum(axis=1, keepdims=True))) / 2


def _towards(
    plain: WalkSampler,
    ahead: NextIdeals,
    ends: Floats,
    onward: Floats,
    seen: _Seen,
) -> tuple[Floats, Floats]:
    """Return probabilities of pushing first legs (entries, classes) and later (entries, ideals).

    First legs are pushed for each class alike, and at each entry, at early ones more, in proportion
    to how often they show something new. Later ones from each ideal that may be new; those of an
    entry that is an ideal are first legs.
    """
    new = seen.unseen * ends
    num_seen = (1 - seen.unseen).sum(axis=1, keepdims=True)
    by_class = _over(new, new.sum(axis=0))
    by_entry = _over(new, new.sum(axis=1, keepdims=True))
    by_entry /= np.maximum(np.cumsum(by_entry.any(axis=1)), 1)[:, None]
    first = np.zeros_like(new)
    for part in (by_class, by_entry):
        first += _FIRST_PUSHES / 2 * _over(part, part.sum())
    worth = np.zeros((len(ends), plain.task.num_ideals))
    worth[:, ahead.ideals] = (seen.unseen / (1 + num_seen))[:, ahead.classes[ahead.ideals]]
    worth *= onward.any(axis=1)
    chances = np.zeros_like(worth)
    chances[:, ahead.ideals] = ends[:, ahead.classes[ahead.ideals]]
    listed = np.flatnonzero(plain.entry_ideals >= 0)
    own = plain.entry_ideals[listed]
    before = 1 / (1 + num_seen[listed, 0]) * onward[own].any(axis=1)
    total = (worth * chances).sum() + before.sum()
    scale = min(_LATER_PUSHES / total, _MOST_LATER) if total > 0 else 0.0
    first[listed] += (scale * before)[:, None] * onward[own]
    worth[listed, own] = before
    return first, scale * worth


def _shunning(
    plain: WalkSampler, ends: Floats, seen: _Seen, batches: Ints
) -> tuple[Ints, Ints, Ints, Floats, Floats]:
    """Return bits and last entries of classes that are shunned, sets, shares, how common they are.

    Of the classes that the list misses neither always nor never, those count most whose miss is
    dearest. Half of the sets are of few classes, half of many.
    """
    task = plain.task
    m, num_classes = ends.shape
    limits = seen.certain.copy()
    for to, entries in enumerate((ends > _NEARLY_CERTAIN).T):
        if entries.any():
            limits[to] = min(limits[to], int(np.argmax(entries)))
    avoided = np.where(np.arange(m)[:, None] < limits, ends, 0)
    missed = np.prod(1 - avoided, axis=0)
    depths = np.append(plain.ranks, task.num_ranked + (task.num_unranked + 1) // 2)
    worth = np.where((missed > _RARELY) & (missed < _OFTEN), missed * depths[limits], 0)
    most = min(_MOST_SHUNNED, (_MOST_SETS // len(ends)).bit_length() - 1)
    chosen = [to for to in np.argsort(-worth, kind="stable")[:most].tolist() if worth[to] > 0]
    bits = np.zeros(num_classes, dtype=np.int64)
    bits[chosen] = 1 << np.arange(len(chosen))
    every = np.arange(1 << len(chosen))
    members = (every[:, None] >> np.arange(len(chosen))) & 1
    size = members.sum(axis=1)
    prior = np.zeros(len(every))
    for share in (1 / max(len(chosen), 2), 0.5):
        part = share**size * (1 - share) ** (len(chosen) - size)
        prior += part / 2
    turned = 1 - avoided[:, chosen] @ members.T
    prior[0] = 0
    prior[turned.min(axis=0, initial=1) < 1 - _NEARLY_CERTAIN] = 0
    if not prior.any():
        none = np.zeros(0, dtype=np.int64)
        return bits * 0, limits, none, np.zeros(0), np.zeros((len(batches), 1))
    prior /= prior.sum()
    logs = np.vstack([np.zeros(len(every)), np.cumsum(np.log(np.maximum(turned, 1e-300)), axis=0)])
    # A set that cannot be shunned, whose prior is 0, may have a chance of 0, too.
    shunned = np.exp(np.where(prior > 0, -logs[batches], -np.inf)) * prior
    # Of each set of first ends, the sum over sets that hold none of them.
    for bit in range(len(chosen)):
        pairs = shunned.reshape(len(batches), -1, 2, 1 << bit)
        pairs[:, :, 0], pairs[:, :, 1] = pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0].copy()
    kept = np.flatnonzero(prior)
    return bits, limits, kept, _shares(prior[kept][None])[0], shunned


def _shares(parts: Floats) -> Floats:
    """Return cumulative shares of the parts of each row, from the last part on exactly 1."""
    cumulative = np.cumsum(parts, axis=1)
    whole: Floats = _over(cumulative, cumulative[:, -1:])
    whole[cumulative == cumulative[:, -1:]] = 1
    return whole


def _over(parts: Floats, whole: Floats) -> Floats:
    """Return parts / whole, 0 where there is no whole."""
    return np.divide(parts, whole, out=np.zeros(np.broadcast(parts, whole).shape), where=whole > 0)
