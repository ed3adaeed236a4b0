"""Independent users of whom a quarter are pushed towards ranks where something is rare.

A pushed user has an event, "first seen up to rank j" or "first seen at rank j", whose odds are
multiplied by theta for every ideal: f becomes f' = f theta / (1 - f + f theta). How much commoner
a user becomes then depends only on the number m of ideals to which it happens: theta^m / D, D the
product over ideals of 1 - f + f theta. Events up to rank j make users commoner who have seen more
ideals by then than usual, or fewer; events at rank j those who see two ideals at once. What is rare
is judged roughly: any judgement is right, for users are weighed by the odds that they were drawn
with.
"""

from dataclasses import dataclass

import numpy as np

from prum.simulator.model import Task
from prum.simulator.model.arrays import Counts, Flags, Floats, Ints
from prum.simulator.sampling.importance.goals import RARE, meetings, misses
from prum.simulator.sampling.streams import (
    FIRST_SEEN,
    PUSHED,
    PUSHED_EVERY,
    UNIT,
    stream,
    unranked_streams,
    weighted,
)
from prum.simulator.sampling.ways.independent import FirstSeen

# An event that is less probable is not worth a push.
NEGLIGIBLE = 1e-13
# Ranks at which ideals are counted, and how many more or fewer of them are tried.
_MOST_DEPTHS, _FEW_DEPTHS, _FEW_IDEALS = 48, 16, 16
# Above this variance the number of ideals seen up to a rank is not nearly certain.
_UNCERTAIN = 0.3
# Events that add less to a variance get fewer pushed users, by this power of it.
_FLATTENED = 1 / 6
# Share of pushed users who go for meetings where there is something else too.
_MEETING = 0.5
# Shares of the variance of C(r), and additions to its skewness, that matter.
_LEAST_MEAN, _LEAST_VARIANCE, _LEAST_SKEWNESS = 0.02, 0.02, 3.0
# Of events that matter to the mean: the next to push to is so much rarer, at least.
_THINNED = 0.1
_ONE = 2.0**53


@dataclass(frozen=True, slots=True)
class _Events:
    """For each of several groups an event of every ideal: low <= the user's share < high.

    `target` is to how many ideals it shall happen in the mean, `share` how many pushed users go for
    it, beside other groups, `rank` where it is; the arrays `group`, `ideal`, `low`, `high` have an
    entry for each ideal that the event may happen to.
    """

    rank: Ints
    target: Floats
    share: Floats
    group: Ints
    ideal: Ints
    low: Floats
    high: Floats

    @property
    def chance(self) -> Floats:
        """Probability of the event, entry by entry."""
        return self.high - self.low

    def log_odds(self) -> Floats:
        """Return log theta of each group; NaN where no theta reaches the target."""
        count = len(self.target)
        least = np.bincount(self.group, self.chance >= 1, count)
        most = np.bincount(self.group, self.chance > 0, count)
        lower, upper = np.full(count, -60.0), np.full(count, 60.0)
        for _ in range(50):
            middle = (lower + upper) / 2
            mean = np.bincount(self.group, tilted(self.chance, middle[self.group]), count)
            lower = np.where(mean < self.target, middle, lower)
            upper = np.where(mean < self.target, upper, middle)
        possible = (least < self.target) & (self.target < most)
        return np.where(possible, (lower + upper) / 2, np.nan)

    def log_mean(self, log_odds: Floats) -> Floats:
        """Return log D of each group."""
        grown = np.log1p(self.chance * np.expm1(log_odds[self.group]))
        total: Floats = np.bincount(self.group, grown, len(self.target)).astype(np.float64)
        return total

    def of(self, groups: Flags) -> "_Events":
        """Return some of the groups, numbered anew."""
        number = np.cumsum(groups) - 1
        kept = groups[self.group]
        return _Events(
            self.rank[groups],
            self.target[groups],
            self.share[groups],
            number[self.group[kept]],
            self.ideal[kept],
            self.low[kept],
            self.high[kept],
        )


def tilted(chance: Floats, log_odds: Floats) -> Floats:
    """Return probabilities after their odds were multiplied.

    >>> tilted(np.array([0.1, 0.0, 1.0]), np.log(np.full(3, 9.0))).round(12).tolist()
    [0.5, 0.0, 1.0]
    """
    theta = np.exp(log_odds)
    grown: Floats = chance * theta / (1 - chance + chance * theta)
    return grown


class PushedVisits:
    """Plain and pushed users of `FirstSeen`."""

    def __init__(self, sampler: FirstSeen, counted: _Events, meeting: _Events) -> None:
        self.sampler, self.task = sampler, sampler.task
        t, o = self.task.num_ideals, self.task.num_ranked
        counted_odds, meeting_odds = counted.log_odds(), meeting.log_odds()
        shares = np.concatenate(_together(counted.share, meeting.share))
        log_odds = np.concatenate((counted_odds, meeting_odds))
        means = np.concatenate((counted.log_mean(counted_odds), meeting.log_mean(meeting_odds)))
        base = np.log(shares) - means
        # The share of pushed users who become commoner so, by the number of ideals, rank by rank.
        self.depths, place = np.unique(counted.rank.astype(np.int32), return_inverse=True)
        self.by_count = np.zeros((len(self.depths), t + 1))
        number = len(counted.rank)
        powers = base[:number, None] + np.arange(t + 1) * log_odds[:number, None]
        np.add.at(self.by_count, place, np.exp(np.minimum(powers, 600)))
        self.theta, self.weight = np.ones(o + 1), np.zeros(o + 1)
        self.theta[meeting.rank] = np.exp(log_odds[number:])
        self.weight[meeting.rank] = np.exp(base[number:])
        self.rest = float(self.weight.sum())
        self.picks = np.cumsum(shares)
        self.picks[-1] = 2.0
        # Entries of groups, with the ideal's shares of 2^53 and the probability after the push.
        group = np.concatenate((counted.group, meeting.group + number))
        chance = np.concatenate((counted.chance, meeting.chance))
        low, high = (
            np.concatenate((getattr(counted, e), getattr(meeting, e))) for e in ("low", "high")
        )
        ideal = np.concatenate((counted.ideal, meeting.ideal))
        moved = (chance > 0) & (chance < 1)
        order = np.argsort(group[moved], kind="stable")
        group, self.ideals = group[moved][order], ideal[moved][order].astype(np.int64)
        self.lows = (low[moved][order] * _ONE).astype(np.int64)
        self.highs = (high[moved][order] * _ONE).astype(np.int64)
        self.inside = tilted(chance[moved][order], log_odds[group])
        self.starts = np.searchsorted(group, np.arange(len(shares) + 1))
        ideals, ranks, before, up_to = _laws(sampler)
        missed = np.ones(t)
        np.minimum.at(missed, ideals, 1 - up_to)
        self.bounds = np.stack((misses(missed), meetings(ranks, up_to - before, t)))

    def block(self, seed: int, number: int) -> "_PushedVisitsBlock":
        """Return block `number` of the users of `seed`, from its first user on."""
        return _PushedVisitsBlock(self, seed, number)


class _PushedVisitsBlock:
    def __init__(self, sampler: PushedVisits, seed: int, number: int) -> None:
        self.sampler, key = sampler, sampler.sampler.key
        self.state = stream(seed, key, number, FIRST_SEEN)
        self.pushed = stream(seed, key, number, PUSHED)
        self.unranked, self.again = unranked_streams(seed, key, number, True)
        self.done = 0

    def draw(self, consulted: Counts, leading: Counts, weights: Floats) -> None:
        from prum.simulator.sampling.kernels import pushed_visits, weigh_visits

        own, plain = self.sampler, self.sampler.sampler
        pushed_visits(
            self.state,
            self.pushed,
            self.done,
            PUSHED_EVERY,
            UNIT,
            own,
            plain.starts,
            plain.cumulative,
            plain.ranks,
            plain.guide_starts,
            plain.guides,
            plain.shifts,
            self.unranked,
            self.again,
            own.task.num_ranked,
            own.task.num_unranked,
            consulted.T,
            leading.T,
        )
        ratios = np.empty(len(consulted))
        weigh_visits(consulted.T, own.depths, own.by_count, own.weight, own.theta, own.rest, ratios)
        weights[:] = weighted(ratios)
        self.done += len(consulted)


def pushed_visits(sampler: FirstSeen) -> PushedVisits | None:
    """Return the sampler of plain and pushed users, None where nothing is rare."""
    task = sampler.task
    ideals, ranks, before, up_to = _laws(sampler)
    counted = _counted(task, ideals, ranks, before, up_to)
    meeting = _meeting(ideals, ranks, before, up_to)
    if len(counted.rank) + len(meeting.rank) == 0:
        return None
    return PushedVisits(sampler, counted, meeting)


def _laws(sampler: FirstSeen) -> tuple[Ints, Ints, Floats, Floats]:
    """Return ideal, rank, and probability before and up to it, of every first-seen rank."""
    t = sampler.task.num_ideals
    counts = np.diff(sampler.starts)
    up_to = (sampler.cumulative >> np.uint64(11)).astype(np.float64) / _ONE
    ends = sampler.starts[1:] - 1
    up_to[ends] = 1
    before = np.concatenate(([0.0], up_to[:-1]))
    before[sampler.starts[:-1]] = 0
    ideals = np.repeat(np.arange(t), counts)
    listed = sampler.ranks <= sampler.task.num_ranked
    return ideals[listed], sampler.ranks[listed].astype(np.int64), before[listed], up_to[listed]


def _counted(task: Task, ideals: Ints, ranks: Ints, before: Floats, up_to: Floats) -> _Events:
    """Return the events "up to rank j" that make rare numbers of ideals common.

    For each r on either side: where C(r) is rarely so small, or so large, and strays furthest.
    """
    t, o = task.num_ideals, task.num_ranked
    depths = _spread(ranks, before, up_to, _FEW_DEPTHS if t > _FEW_IDEALS else _MOST_DEPTHS)
    seen = np.zeros((len(depths), t))
    for row, depth in zip(seen, depths, strict=True):
        some = ranks <= depth
        np.maximum.at(row, ideals[some], up_to[some])
    counts = np.zeros((len(depths), t + 1))
    counts[:, 0] = 1
    for chance in seen.T[:, :, None]:
        counts[:, 1:] = counts[:, 1:] * (1 - chance) + counts[:, :-1] * chance
        counts[:, :1] *= 1 - chance
    fewer = np.cumsum(counts, axis=1)[:, :-1]
    more = np.cumsum(counts[:, ::-1], axis=1)[:, -2::-1]
    anchors: dict[tuple[int, int, int], float] = {}
    rank = np.append(depths, o)
    for r in _some(t):
        middle = rank[np.searchsorted(-fewer[:, r - 1], -0.5)]
        late = np.abs(np.append(rank[1:-1], o + task.num_unranked / 2) - middle)[: len(depths)]
        early = np.abs(depths - middle)
        law = np.diff(more[:, r - 1], prepend=0, append=1)
        places = np.append(depths, o + task.num_unranked / 2)
        spread = np.sqrt(max(law @ places**2 - (law @ places) ** 2, 0))
        for side, tail, stray in ((0, fewer[:, r - 1], late), (1, more[:, r - 1], early)):
            # What adds nothing to speak of to the variance or the skewness need not be pushed.
            moves_much = tail * stray > _LEAST_MEAN * (law @ np.abs(places - middle))
            counts_much = tail * stray**2 > _LEAST_VARIANCE * spread**2
            skews_much = tail * stray**3 > _LEAST_SKEWNESS * spread**3
            much = moves_much | counts_much | skews_much
            rare = (tail < RARE) & (tail > NEGLIGIBLE) & much
            if not rare.any():
                continue
            chosen = {int(np.argmax(np.where(rare, tail * stray**k, -1))) for k in (1, 2, 3)}
            # What is commoner happens to few who are pushed towards what is far less common.
            chosen |= set(_thinned(tail, np.flatnonzero(rare & moves_much)))
            for at in chosen:
                anchors[at, r, side] = float(tail[at] * max(stray[at], 1) ** 2) ** _FLATTENED
    place, number, upwards = np.array(list(anchors), dtype=np.int64).reshape(-1, 3).T
    share = np.array(list(anchors.values()))
    group, ideal = np.divmod(np.arange(len(place) * t), t)
    events = _Events(
        depths[place],
        (number - 0.5).astype(np.float64),
        share,
        group,
        ideal,
        np.zeros(len(group)),
        seen[place].ravel(),
    )
    with np.errstate(invalid="ignore"):
        possible = np.sign(events.log_odds()) == 2 * upwards - 1
    return events.of(possible)


def _thinned(tail: Floats, places: Ints) -> list[int]:
    """Return the places of larger tails first, each a tenth of the one before it at most.

    >>> _thinned(np.array([0.01, 0.004, 0.0009, 0.00002]), np.arange(4))
    [0, 2, 3]
    """
    kept: list[int] = []
    for at in places[np.argsort(-tail[places], kind="stable")].tolist():
        if not kept or tail[at] <= _THINNED * tail[kept[-1]]:
            kept.append(at)
    return kept


def _some(t: int) -> list[int]:
    """Return all of 1 .. t if they are few, else fewer and fewer from both ends on."""
    if t <= _FEW_IDEALS:
        return list(range(1, t + 1))
    steps = np.unique(np.rint(np.geomspace(1, t / 2, _FEW_IDEALS // 2)).astype(int)).tolist()
    return sorted({*steps, *(t + 1 - step for step in steps)})


def _spread(ranks: Ints, before: Floats, up_to: Floats, most: int) -> Ints:
    """Return at most so many ranks, the last among them, at equal steps of log odds to be seen."""

    def logit(chance: Floats) -> Floats:
        return np.log(chance + NEGLIGIBLE) - np.log(1 - chance + NEGLIGIBLE)

    depths, place = np.unique(ranks, return_inverse=True)
    gone = np.cumsum(np.bincount(place, logit(up_to) - logit(before), len(depths)))
    if len(depths) <= most:
        return depths.astype(np.int64)
    steps = np.linspace(gone[0], gone[-1], most)
    kept: Ints = depths[np.unique(np.searchsorted(gone, steps).clip(0, len(depths) - 1))]
    return kept


def _meeting(ideals: Ints, ranks: Ints, before: Floats, up_to: Floats) -> _Events:
    """Return the events "at rank j" where two ideals may be seen at once, which is rare so far.

    `share` is the share of pushed users: as the probability of meeting there to that up to there.
    """
    chance = up_to - before
    depths, place = np.unique(ranks, return_inverse=True)
    seen = np.bincount(place, chance, len(depths))
    pairs = (seen**2 - np.bincount(place, chance**2, len(depths))) / 2
    so_far = np.cumsum(pairs)
    certain = np.bincount(place, chance >= 1, len(depths))
    events = _Events(
        depths,
        np.where(certain, certain + 0.7, 1.5),
        pairs / np.maximum(so_far, NEGLIGIBLE),
        place,
        ideals,
        before,
        up_to,
    )
    with np.errstate(invalid="ignore"):
        possible = events.log_odds() > 0
    return events.of(possible & (pairs > NEGLIGIBLE) & (so_far < _UNCERTAIN))


def _together(counted: Floats, meeting: Floats) -> tuple[Floats, Floats]:
    """Return shares of pushed users that sum to 1."""
    if not len(meeting):
        return counted / counted.sum(), meeting
    if not len(counted):
        return counted, meeting / meeting.sum()
    return counted / counted.sum() * (1 - _MEETING), meeting / meeting.sum() * _MEETING
