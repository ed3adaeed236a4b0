"""Sampler of readers who expand each element of a list, level by level."""

import hashlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from prum.simulator.model import Expansion, Task
from prum.simulator.model.arrays import Flags, Words
from prum.simulator.sampling.streams import CONSULTATIONS, NEVER, split_mix, users_key
from prum.simulator.sampling.ways.samplers import KernelBlock, KernelSampler

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_UNREAD = np.iinfo(np.int8).max


class Offer(NamedTuple):
    """A link that a page offers: its target, p, and the number by which users toss it."""

    target: str
    p: float
    salt: int


class Pages:
    """What pages offer, and who reads it: one user, or many at once.

    A toss is a number of the user for the link, and for the seed, so it is the same in every list.
    """

    def __init__(self, expansion: Expansion) -> None:
        self.expansion, names = expansion, expansion.links.elements
        starts, targets, probabilities = expansion.offered()
        sources = np.repeat(np.arange(len(names)), np.diff(starts)).tolist()
        self.offers: dict[str, list[Offer]] = {}
        for x, z, p in zip(sources, targets.tolist(), probabilities.tolist(), strict=True):
            offer = Offer(names[z], p, _salt(names[x], names[z]))
            self.offers.setdefault(names[x], []).append(offer)

    def behind(self, seed: str, user: int) -> list[tuple[str, str]]:
        """Return (origin, page) of what a user, given by 64 bits, reads behind a seed, in order."""
        if self.expansion.tosses == "seed":
            user = split_mix(user ^ _salt("", seed))
        level, origins = [seed], {seed: ""}
        for _ in range(self.expansion.hops):
            following = []
            for page in level:
                for target, p, salt in self.offers.get(page, ()):
                    unit = (split_mix(user ^ salt) >> 11) / 2**53
                    if target not in origins and unit < self._chance(p, page, seed):
                        origins[target] = page
                        following.append(target)
            level = following
        return [(origin, page) for page, origin in origins.items() if origin]

    def away(self, ideals: Sequence[str]) -> dict[str, int]:
        """Return how many hops the next ideal is away, at least, of each page near enough."""
        away = dict.fromkeys(ideals, 0)
        for hop in range(1, self.expansion.hops + 1):
            near = {
                page
                for page, offers in self.offers.items()
                if any(away.get(offer.target) == hop - 1 for offer in offers)
            }
            away |= dict.fromkeys(near - set(away), hop)
        return away

    def readers(self, seed: str, users: Words, away: dict[str, int]) -> Iterator[tuple[str, Flags]]:
        """Yield each ideal that some users read behind a seed, or as it, and who of them do.

        Pages are left out from which no ideal can be reached with the hops that are left.
        """
        if self.expansion.tosses == "seed":
            users = _mixed(users ^ np.uint64(_salt("", seed)))
        read_at = {seed: np.zeros(len(users), dtype=np.int8)}
        for hop in range(1, self.expansion.hops + 1):
            for page in list(read_at):
                going = read_at[page] == hop - 1
                for target, p, salt in self.offers.get(page, ()) if going.any() else ():
                    if away.get(target, hop) > self.expansion.hops - hop:
                        continue
                    first_hops = read_at.setdefault(target, np.full(len(users), _UNREAD))
                    follows = going & (first_hops > hop)
                    if (chance := self._chance(p, page, seed)) < 1:
                        units = (_mixed(users ^ np.uint64(salt)) >> np.uint64(11)) * 2.0**-53
                        follows &= units < chance
                    first_hops[follows] = hop
        for page, first_hops in read_at.items():
            if away.get(page) == 0:
                yield page, first_hops < _UNREAD

    def _chance(self, p: float, page: str, seed: str) -> float:
        return p if page == seed else p * self.expansion.decay


@lru_cache(maxsize=4)
def pages_of(expansion: Expansion) -> Pages:
    """Return what pages offer, kept for the next lists."""
    return Pages(expansion)


class ExpansionSampler(KernelSampler):
    """Each user reads what is behind each element of the list, whatever is behind the others."""

    purposes = (CONSULTATIONS,)

    def __init__(self, task: Task, navigation: Expansion) -> None:
        self.task, self.key, self.pages = task, users_key(task), pages_of(navigation)
        self.away = self.pages.away(task.ideals)

    def draw(self, block: KernelBlock) -> None:
        """Draw the next users of a block."""
        from prum.simulator.sampling.kernels import count_seen

        task = self.task
        end = block.done + block.consulted.shape[1]
        numbers = np.arange(block.done + 1, end + 1, dtype=np.uint64)
        users = _mixed(block.source[0] + numbers * _GOLDEN)
        seen = np.full((task.num_ideals, len(users)), NEVER, dtype=np.int32)
        row = {ideal: x for x, ideal in enumerate(task.ideals)}
        first = {element: rank for rank, element in reversed([*enumerate(task.ranking, start=1)])}
        for element, rank in sorted(first.items(), key=itemgetter(1)):
            if element not in self.away:
                continue
            wanting = np.flatnonzero((seen == NEVER).any(axis=0))
            for ideal, read in self.pages.readers(element, users[wanting], self.away):
                shown = wanting[read]
                seen[row[ideal], shown] = np.minimum(seen[row[ideal], shown], rank)
        count_seen(seen, block)


def _mixed(numbers: Words) -> Words:
    """Return SplitMix64's outputs, as `split_mix`."""
    numbers = numbers ^ numbers >> np.uint64(30)
    numbers = numbers * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ numbers >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return numbers ^ numbers >> np.uint64(31)


def _salt(source: str, target: str) -> int:
    """Return 64 bits that name a link in every list."""
    names = f"{len(source)} {source} {target}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(names).digest()[:8])


sampler = ExpansionSampler
