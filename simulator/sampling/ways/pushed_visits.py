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
from typing import TYPE_CHECKING

import numpy as np

from prum.simulator.model import Task
from prum.simulator.model.arrays import Counts, Flags, Floats, Ints
from prum.simulator.sampling.streams import FIRST_SEEN, PUSHED, stream, unranked_streams

if TYPE_CHECKING:
    from prum.simulator.sampling.ways.samplers import FirstSeen

# Probabilities between which an event is rare and worth a push.
RARE, NEGLIGIBLE = 0.05, 1e-13
# Ranks at which ideals are counted, and how many more or fewer of them are tried.
_MOST_DEPTHS, _MOST_STEPS = 12, 6
# Above this variance the number of ideals seen up to a rank is not nearly certain.
_UNCERTAIN = 0.3
# Share of pushed users who go for meetings where there is something else too.
_MEETING = 0.4
_ONE = 2.0**53


@dataclass(frozen=True, slots=True)
class _Events:
    """For each of several groups an event of every ideal: low <= the user's share < high.

    `target` is to how many ideals it shall happen in the mean, `edge` from how many on it counts as
    rare, `rank` where it is; the arrays `group`, `ideal`, `low`, `high` have an entry for each
    ideal that the event may happen to.
    """

    rank: Ints
    target: Floats
    edge: Floats
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
            self.rank[groups], self.target[groups], self.edge[groups],
            number[self.group[kept]], self.ideal[kept], self.low[kept], self.high[kept],
        )  # fmt: skip


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

    def __init__(self, sampler: "FirstSeen", counted: _Events, meeting: _Events) -> None:
        self.sampler, self.task = sampler, sampler.task
        t, o = self.task.num_ideals, self.task.num_ranked
        counted_odds, meeting_odds = counted.log_odds(), meeting.log_odds()
        log_chance = counted.log_mean(counted_odds) - counted.edge * counted_odds
        counted_share = np.exp(np.minimum(log_chance, 0) / 4)
        meeting_share = meeting.edge
        shares = np.concatenate(_together(counted_share, meeting_share))
        log_odds = np.concatenate((counted_odds, meeting_odds))
        means = np.concatenate((counted.log_mean(counted_odds), meeting.log_mean(meeting_odds)))
        base = np.log(shares) - means
        # The share of pushed users who become commoner so, by the number of ideals, rank by rank.
        self.depths, place = np.unique(counted.rank, return_inverse=True)
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
        from prum.simulator.sampling.kernels import pushing as kernels

        own, plain = self.sampler, self.sampler.sampler
        kernels.pushed_visits(
            self.state, self.pushed, self.done, own.picks, own.starts, own.ideals, own.lows,
            own.highs, own.inside, plain.starts, plain.cumulative, plain.ranks, plain.guide_starts,
            plain.guides, plain.shifts, self.unranked, self.again, own.task.num_ranked,
            own.task.num_unranked, consulted, leading,
        )  # fmt: skip
        kernels.weigh_visits(
            consulted, own.depths, own.by_count, own.weight, own.theta, own.rest, weights
        )
        self.done += len(consulted)


def pushed_visits(sampler: "FirstSeen") -> PushedVisits | None:
    """Return the sampler of plain and pushed users, None where nothing is rare."""
    task = sampler.task
    ideals, ranks, before, up_to = _laws(sampler)
    counted = _counted(task, ideals, ranks, before, up_to)
    meeting = _meeting(ideals, ranks, before, up_to)
    if len(counted.rank) + len(meeting.rank) == 0:
        return None
    return PushedVisits(sampler, counted, meeting)


def _laws(sampler: "FirstSeen") -> tuple[Ints, Ints, Floats, Floats]:
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
    """Return the events "up to rank j" that make rare numbers of ideals common."""
    t = task.num_ideals
    depths, place = np.unique(ranks, return_inverse=True)
    added = np.bincount(place, up_to * (1 - up_to) - before * (1 - before), len(depths))
    depths = depths[_thinned(np.cumsum(added))]
    seen = np.zeros((len(depths), t))
    for row, depth in zip(seen, depths, strict=True):
        some = ranks <= depth
        np.maximum.at(row, ideals[some], up_to[some])
    mean, variance = seen.sum(axis=1), (seen * (1 - seen)).sum(axis=1)
    certain = variance < _UNCERTAIN
    steps = np.array([*range(-_MOST_STEPS, 0), *range(1, _MOST_STEPS + 1)])
    step = np.where(certain, 1, np.sqrt(variance))[:, None]
    centre = np.where(certain, np.rint(mean), mean)[:, None]
    half = np.where(certain, 0.5, -1)[:, None] * np.sign(steps)
    target = centre + step * (steps - half)
    edge = np.where(certain[:, None], centre + steps, target)
    group, ideal = np.divmod(np.arange(target.size * t), t)
    events = _Events(
        np.repeat(depths, len(steps)), target.ravel(), edge.ravel(), group, ideal,
        np.zeros(target.size * t), np.repeat(seen, len(steps), axis=0).ravel(),
    )  # fmt: skip
    log_odds = events.log_odds()
    log_chance = events.log_mean(log_odds) - events.edge * log_odds
    rare = (log_chance < np.log(RARE)) & (log_chance > np.log(NEGLIGIBLE))
    return events.of(rare & (np.sign(log_odds) == np.tile(np.sign(steps), len(depths))))


def _thinned(variance: Floats) -> Ints:
    """Return the places in a list where counting is worth it: where the variance has changed."""
    factor = 4.0
    while True:
        chosen: list[int] = []
        last = 0.0
        for place, value in enumerate(variance.tolist()):
            if not NEGLIGIBLE < value < _UNCERTAIN:
                last = 0.0
            elif not last / factor <= value <= last * factor:
                chosen.append(place)
                last = value
        if len(variance) and len(variance) - 1 not in chosen:
            chosen.append(len(variance) - 1)
        if len(chosen) <= _MOST_DEPTHS:
            return np.array(chosen, dtype=np.int64)
        factor *= 4


def _meeting(ideals: Ints, ranks: Ints, before: Floats, up_to: Floats) -> _Events:
    """Return the events "at rank j" where two ideals may be seen at once, which is rare so far.

    `edge` is the share of pushed users: as the probability of meeting there to that up to there.
    """
    chance = up_to - before
    depths, place = np.unique(ranks, return_inverse=True)
    seen = np.bincount(place, chance, len(depths))
    pairs = (seen**2 - np.bincount(place, chance**2, len(depths))) / 2
    so_far = np.cumsum(pairs)
    certain = np.bincount(place, chance >= 1, len(depths))
    events = _Events(
        depths, np.where(certain, certain + 0.5, 1.5), pairs / np.maximum(so_far, NEGLIGIBLE),
        place, ideals, before, up_to,
    )  # fmt: skip
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
