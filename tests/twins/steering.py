"""Plain-Python twins of `steering`: users with a goal, and how common they are."""

import math
from bisect import bisect_right
from collections.abc import Iterator

import numpy as np

from prum.simulator.sampling.importance.steered import SteeredSampler
from prum.simulator.sampling.kernels import COMONOTONE, COPULA, EXCLUSIVE, INDEPENDENT, WALK
from prum.simulator.sampling.steps import User, _below, _normal, identity, rows
from prum.simulator.sampling.streams import PUSHED, Sfc64, stream
from tests.twins.independent import NEVER

GOAL = 0x676F616C
# P(goal), its ideals, their rank, and with what probability each ideal is kept, if any may be not.
Goal = tuple[float, set[int], int, list[float] | None]


def goals(sampler: SteeredSampler) -> list[Goal]:
    """Return the goals."""
    shares, firsts, seconds, ranks, overlooks = (column.tolist() for column in sampler.choices)
    keeps = sampler.overlooking.keeps.tolist()
    return [
        (share - before, {first, second} - {-1}, rank, keeps[row] if row >= 0 else None)
        for before, share, first, second, rank, row in zip(
            [0.0, *shares[:-1]], shares, firsts, seconds, ranks, overlooks, strict=True
        )
    ]


class SteeredUser(User):
    """A user who is steered towards a goal of their own."""

    def __init__(self, sampler: SteeredSampler, name: int, factor: float, z: float) -> None:
        super().__init__(sampler.table, name, factor, z)
        self.steering = sampler
        shares = sampler.choices.shares.tolist()
        _, self.goal, self.at, self.keeps = goals(sampler)[
            bisect_right(shares, self.numbers(GOAL).unit())
        ]
        listed = rows(sampler.table.listed_entries)
        self.rank_of = {row[0]: row[1] for row in listed}
        self.own = {(row[0], row[3]) for row in listed}

    def decided(self, salt: int, ideal: int, margin: float) -> bool | None:
        """Return whether the goal has an ideal visited, None if it leaves it to chance."""
        rank = self.rank_of.get(salt, NEVER + 1)
        left = self.seen_at[ideal] == NEVER and ideal in self.goal and 0 < margin < 1
        left = left and (salt, ideal) not in self.own
        return None if rank > self.at or not left else rank == self.at

    def visits(self, salt: int, node: int, part: float) -> Iterator[int]:
        """Yield the ideals that the user visits straight from an element, browsing by `part`."""
        sampler, numbers = self.sampler, self.numbers(salt)
        starts, ideals, chances = sampler.visits
        places = range(starts[node], starts[node + 1])
        margins = {k: part * self._chance(float(chances[k])) for k in places}
        # Behind the list nobody overlooks anything.
        if self.keeps is not None and salt in self.rank_of:
            unseen = {
                int(ideals[k]): margins[k]
                for k in places
                if self.seen_at[ideals[k]] == NEVER and (salt, int(ideals[k])) not in self.own
            }
            every = [(int(ideals[k]), margins[k]) for k in places]
            yield from self._kept(numbers, every, unseen, self.keeps)
            return
        known = {k: self.decided(salt, int(ideals[k]), margins[k]) for k in places}
        fixed = next((k for k in places if known[k] is not None), None)
        point = numbers.unit() if sampler.rule != INDEPENDENT else 0.0
        shared = 0.0
        if fixed is not None and sampler.rule != INDEPENDENT:
            width = margins[fixed]
            point = point * width if known[fixed] else width + point * (1 - width)
            if sampler.rule == EXCLUSIVE:
                begin = 0.0
                for k in range(places.start, fixed):
                    begin += margins[k]
                point = (begin + point) % 1.0
            if sampler.rule == COPULA:
                rest = _normal(numbers, numbers.unit())
                shared = math.sqrt(sampler.rho) * _quantile(point)
                shared += math.sqrt(1 - sampler.rho) * rest
        elif sampler.rule == COPULA:
            shared = _normal(numbers, point)
        at = 0.0
        for k in places:
            seen = self._seen(numbers, margins[k], point, shared, at)
            at += margins[k]
            choice = known[k]
            if seen if choice is None else choice:
                yield int(ideals[k])

    def _kept(
        self,
        numbers: Sfc64,
        every: list[tuple[int, float]],
        unseen: dict[int, float],
        keeps: list[float],
    ) -> Iterator[int]:
        """Yield what a user who overlooks ideals sees anew of an element's ideals and margins."""
        rule = self.sampler.rule
        point = numbers.unit() if rule != INDEPENDENT else 0.0
        shared = _normal(numbers, point) if rule == COPULA else 0.0
        may = rule != COMONOTONE and not (rule == EXCLUSIVE and not nobody(every, unseen))
        if rule == COMONOTONE:
            edges, keep = stretches(unseen, keeps)
            if numbers.unit() >= keep:
                cell = int(numbers.unit() * (len(edges) - 1))
                point = edges[cell] + point * (edges[cell + 1] - edges[cell])
        at = 0.0
        for ideal, margin in every:
            seen = self._seen(numbers, margin, point, shared, at)
            at += margin
            uncertain = may and margin < 1 and keeps[ideal] < 1
            if seen and ideal in unseen and (not uncertain or numbers.unit() < keeps[ideal]):
                yield ideal

    def path(self, salt: int, node: int, part: float) -> Iterator[int]:
        """Yield the nodes on a path from a node, if the user sets off."""
        if self.keeps is not None and salt in self.rank_of:
            yield from self._kept_path(salt, node, part, self.keeps)
            return
        ideal = min(self.goal, default=-1)
        reached = self.steering.reaching.ideals[ideal].tolist()
        made = self.decided(salt, ideal, part * reached[node]) if self.goal else None
        if made is None:
            yield from super().path(salt, node, part)
            return
        sampler, numbers = self.sampler, self.numbers(salt)
        if not made and numbers.unit() >= part * (1 - reached[node]) / (1 - part * reached[node]):
            return
        while True:
            number = numbers.unit() * (reached[node] if made else 1 - reached[node])
            before, passed = 0.0, 0.0
            steps = []
            for k in range(sampler.starts[node], sampler.starts[node + 1]):
                target, share = int(sampler.targets[k]), float(sampler.shares[k])
                step = (share - before) * float(sampler.moving[node])
                step *= reached[target] if made else 1 - reached[target]
                before, passed = share, passed + step
                if step > 0:
                    steps.append((passed, target))
            where = next((target for end, target in steps if end > number), None)
            if where is None and made:
                where = steps[-1][1]
            if where is None:
                return
            node = where
            yield node
            if made and sampler.ideal_of[node] == ideal:
                yield from self._walked(numbers, node)
                return

    def _kept_path(self, salt: int, node: int, part: float, keeps: list[float]) -> Iterator[int]:
        """Yield the nodes on a path of a user who overlooks ideals: a whole path, or nothing."""
        unseen = {
            x for x, seen in enumerate(self.seen_at) if seen == NEVER and (salt, x) not in self.own
        }
        chance, keep = path_kept(self.steering, unseen, node, part, keeps)
        numbers = self.numbers(salt)
        if chance < 1 and numbers.unit() >= keep:
            return
        if numbers.unit() < part:
            yield from self._walked(numbers, node)

    def _walked(self, numbers: Sfc64, node: int) -> Iterator[int]:
        sampler = self.sampler
        while (number := numbers.unit()) < (moving := float(sampler.moving[node])):
            row = range(sampler.starts[node], sampler.starts[node + 1])
            link = next((k for k in row if sampler.shares[k] > number / moving), row[-1])
            node = int(sampler.targets[link])
            yield node

    def _seen(self, numbers: Sfc64, margin: float, point: float, shared: float, at: float) -> bool:
        """Return whether a visit is made that is left to chance."""
        sampler = self.sampler
        if sampler.rule == EXCLUSIVE:
            turns = range(math.floor(at) - 1, math.ceil(at + margin) + 1)
            return any(at - point <= turn < at + margin - point for turn in turns)
        if sampler.rule == COMONOTONE:
            return point < margin
        if sampler.rule == COPULA:
            own, rho = _normal(numbers, numbers.unit()), sampler.rho
            return _below(math.sqrt(rho) * shared + math.sqrt(1 - rho) * own) < margin
        return numbers.unit() < margin


def steered_users(
    sampler: SteeredSampler, seed: int, block: int, factors: list[float], normals: list[float]
) -> list[list[int]]:
    """Return the first-seen ranks of a block's steered users, by their factors."""
    key = int(stream(seed, sampler.plain.key, block, PUSHED)[0])
    return [
        SteeredUser(sampler, identity(key, user), factor * sampler.need, z).first_seen()
        for user, (factor, z) in enumerate(zip(factors, normals, strict=True))
    ]


def nobody(every: list[tuple[int, float]], unseen: dict[int, float]) -> bool:
    """Return whether exclusive visits may show nothing new."""
    total = 0.0
    for _, margin in every:
        total += margin
    return total <= 1 + 1e-12 and 1 - sum(unseen.values()) > 1e-12


def stretches(unseen: dict[int, float], keeps: list[float]) -> tuple[list[float], float]:
    """Return where comonotone visits change what they show, and P(the point is as ever)."""
    uncertain = {x: margin for x, margin in unseen.items() if 0 < margin < 1}
    kept = [keeps[x] for x in uncertain]
    return [0.0, *sorted(set(uncertain.values())), 1.0], sum(kept) / len(kept) if kept else 1.0


def path_kept(
    sampler: SteeredSampler, unseen: set[int], node: int, part: float, keeps: list[float]
) -> tuple[float, float]:
    """Return P(a path shows something unseen), by elimination, and P(the path is kept)."""
    table = sampler.table
    num = len(table.ideal_of)
    moves, ends = np.eye(num), np.zeros(num)
    for at in range(num):
        before = 0.0
        for link in range(table.starts[at], table.starts[at + 1]):
            step = (float(table.shares[link]) - before) * float(table.moving[at])
            before = float(table.shares[link])
            target = int(table.targets[link])
            if int(table.ideal_of[target]) in unseen:
                ends[at] += step
            else:
                moves[at, target] -= step
    reached = np.linalg.solve(moves, ends)[node]
    kept = [keeps[x] for x in sorted(unseen) if sampler.reaching.ideals[x, node] > 0]
    return part * float(reached), sum(kept) / len(kept) if kept else 1.0


def ratio(sampler: SteeredSampler, seen_at: list[int], factor: float, z: float) -> float:
    """Return how much commoner a user with these first-seen ranks is if steered, goal by goal."""
    return sum(
        share * math.prod(_chance(sampler, seen_at, factor, z, x, at) for x in ideals)
        if keeps is None
        else share * _overlooked(sampler, seen_at, factor, z, keeps)
        for share, ideals, at, keeps in goals(sampler)
    )


def _overlooked(
    sampler: SteeredSampler, seen_at: list[int], factor: float, z: float, keeps: list[float]
) -> float:
    """Return how much commoner a user is who overlooks ideals: element by element q / p."""
    user = User(sampler.table, 0, factor * sampler.need, z)
    starts, ideals, margins = sampler.table.visits
    commoner = 1.0
    for _, rank, fade, own, node, _ in rows(sampler.table.listed_entries):
        num_seen = sum(seen < rank for seen in seen_at)
        if num_seen == len(seen_at) or node < 0:
            continue
        part = user.factor * fade * user.satiated[num_seen]
        left = {x for x, seen in enumerate(seen_at) if seen >= rank and x != own}
        new = {x for x in left if seen_at[x] == rank}
        if part <= 0:
            continue
        if sampler.table.rule == WALK:
            chance, keep = path_kept(sampler, left, node, part, keeps)
            if chance < 1:
                commoner *= keep if new else (keep * (1 - chance) + 1 - keep) / (1 - chance)
            continue
        places = range(starts[node], starts[node + 1])
        every = [(int(ideals[k]), part * user._chance(float(margins[k]))) for k in places]
        unseen = {x: margin for x, margin in every if x in left}
        p, q = (_law(sampler, every, unseen, new, kept) for kept in ([1.0] * len(keeps), keeps))
        commoner *= q / p
    return commoner


def _law(
    sampler: SteeredSampler,
    every: list[tuple[int, float]],
    unseen: dict[int, float],
    new: set[int],
    keeps: list[float],
) -> float:
    """Return P(just these ideals are new) of users who keep what they see so."""
    rule, rho = sampler.table.rule, sampler.table.rho
    if rule == EXCLUSIVE:
        if not nobody(every, unseen):
            return 1.0
        kept = {x: margin * keeps[x] for x, margin in unseen.items()}
        return sum(kept[x] for x in new) if new else 1 - sum(kept.values())
    if rule == COMONOTONE:
        uncertain = {x: margin for x, margin in unseen.items() if 0 < margin < 1}
        low = max((m for x, m in uncertain.items() if x not in new), default=0.0)
        high = min((m for x, m in uncertain.items() if x in new), default=1.0)
        edges, keep = stretches(unseen, keeps)
        return keep * (high - low) + (1 - keep) / (len(edges) - 1)

    def law(chances: dict[int, float]) -> float:
        kept = {x: p * (keeps[x] if unseen[x] < 1 else 1) for x, p in chances.items()}
        return math.prod(p if x in new else 1 - p for x, p in kept.items())

    if rule == INDEPENDENT:
        return law(unseen)
    nodes = np.linspace(-9, 9, 2001)
    quantiles = {x: _quantile(min(margin, 1.0)) for x, margin in unseen.items() if margin > 0}
    total = 0.0
    for s in nodes.tolist():
        given = {
            x: _below((at - math.sqrt(rho) * s) / math.sqrt(1 - rho)) if unseen[x] < 1 else 1.0
            for x, at in quantiles.items()
        }
        total += math.exp(-s * s / 2) * law(given)
    return total


def _chance(
    sampler: SteeredSampler, seen_at: list[int], factor: float, z: float, ideal: int, at: int
) -> float:
    """Return 1 over P(what a user did about an ideal who was to see it first at a rank), or 0."""
    user = User(sampler.table, 0, factor * sampler.need, z)
    starts, ideals, margins = sampler.table.visits
    did = 1.0
    for _, rank, fade, own, node, _ in rows(sampler.table.listed_entries):
        if rank > min(at, seen_at[ideal]):
            break
        num_seen = sum(seen < rank for seen in seen_at)
        p = float(own == ideal)
        walks = sampler.table.rule == WALK
        if walks and node >= 0 and not p:
            p = user.factor * fade * user.satiated[min(num_seen, len(user.satiated) - 1)]
            p *= float(sampler.reaching.ideals[ideal, node])
        for k in range(starts[node], starts[node + 1]) if node >= 0 and not p and not walks else ():
            if ideals[k] == ideal:
                p = user.factor * fade * user.satiated[num_seen]
                p *= user._chance(float(margins[k])) if p else 0.0
        if p >= 1:
            break
        wanted, done = rank == at, rank == seen_at[ideal]
        if p > 0:
            did *= (p if done else 1 - p) if done == wanted else math.inf
    return 1 / did if did else math.inf


def _quantile(probability: float) -> float:
    low, high = -40.0, 40.0
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if _below(middle) < probability else (low, middle)
    return middle
