"""Expansion: from each element of a list on along its links, level by level, under caps."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import InputError, proportion, whole_number
from prum.simulator.model.navigation import Navigation
from prum.simulator.model.tables import Links

Tosses = Literal["seed", "reader"]
FAN_OUT = 20


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Expansion(Navigation):
    """Pages read behind each element of the list, its seed, as retrieval from graphs follows links.

    The seed is read. At hop h = 1 .. `hops` each page that was first read at hop h - 1 offers its
    `fan_out` most probable links; a link is followed with its probability, times `decay` if it does
    not leave the seed. A page is gone on from once, at its least hop, so a link is tossed at most
    once. The user reads all pages that they come to, then goes on in the list: what is consulted is
    the seed, and N_i the ideals among its pages.

    Links of an element to itself, and back to the seed, show nothing. Of equally probable links
    those whose targets come first in the order of ids are offered.

    Parameters
    ----------
    links
        ``{(x, y): p}``, or `Links`.
    hops
        How many links away from the seed a page may be, at least 1.
    fan_out
        How many links a page offers, at least 1.
    decay
        Factor in [0, 1] of links that do not leave the seed.
    both
        Whether links are followed in both directions, with the larger p where there are two.
    tosses
        Whether links are tossed anew for each "seed", so that ranks are independent, or once for
        each "reader", whatever seeds lead to them.

    Raises InputError as `Links`; for other numbers or another word.

    >>> Expansion({("hub", "note"): 0.5}, hops=1)
    Expansion({('hub', 'note'): 0.5}, hops=1, fan_out=20, decay=1.0, both=False, tosses='seed')
    """

    instead = "dial hops, fan_out and decay of the expansion"
    links: Links
    hops: int
    fan_out: int
    decay: float
    both: bool
    tosses: Tosses

    def __init__(
        self,
        links: Mapping[tuple[str, str], float] | Links,
        hops: int = 2,
        fan_out: int = FAN_OUT,
        decay: float = 1,
        both: bool = False,
        tosses: Tosses = "seed",
    ) -> None:
        if tosses not in ("seed", "reader"):
            remedy = "say whether links are tossed for each seed or once for each reader"
            raise InputError("tosses", tosses, "be seed or reader", remedy=remedy)
        table = links if isinstance(links, Links) else Links(links)
        object.__setattr__(self, "links", table)
        for name, value in (("hops", hops), ("fan_out", fan_out)):
            remedy = "give how many are followed"
            object.__setattr__(self, name, whole_number(name, value, least=1, remedy=remedy))
        object.__setattr__(self, "decay", proportion("decay", decay, remedy="give a factor"))
        object.__setattr__(self, "both", both is True)
        object.__setattr__(self, "tosses", tosses)

    def __repr__(self) -> str:
        names = ("hops", "fan_out", "decay", "both", "tosses")
        dials = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"Expansion({self.links._rows_shown()}, {dials})"

    @property
    def expansion(self) -> "Expansion":
        """Itself."""
        return self

    @property
    def words(self) -> tuple[str, dict[str, Any]]:
        """The word, and its dials, but for those of their defaults."""
        dials: dict[str, Any] = {"hops": self.hops}
        dials |= {} if self.fan_out == FAN_OUT else {"fan_out": self.fan_out}
        dials |= {} if self.decay == 1 else {"decay": self.decay}
        switches = {"both": self.both, "reader": self.tosses == "reader"}
        return "expansion", dials | {name: True for name, is_on in switches.items() if is_on}

    def _content(self) -> list[Any]:
        return [self.links.key, *self.words[1].items()]

    def offered(self) -> tuple[Ints, Ints, Floats]:
        """Return what each element offers: starts, targets and probabilities, as in `Links`.

        >>> starts, targets, p = Expansion({("x", "y"): 0.2, ("x", "z"): 0.5}, fan_out=1).offered()
        >>> starts.tolist(), targets.tolist(), p.tolist()
        ([0, 1, 1, 1], [2], [0.5])
        """
        return _offered(self)


@lru_cache(maxsize=8)
def _offered(expansion: Expansion) -> tuple[Ints, Ints, Floats]:
    """Return what each element offers, kept for the next lists."""
    table = expansion.links
    sources, targets = table.sources.astype(np.int64), table.targets.astype(np.int64)
    probabilities = table.probabilities
    if expansion.both:
        sources, targets = np.append(sources, targets), np.append(targets, sources)
        probabilities = np.append(probabilities, probabilities)
        order = np.lexsort((-probabilities, targets, sources))
        pairs = np.stack([sources, targets])[:, order]
        first = np.append(True, (np.diff(pairs) != 0).any(axis=0))[: len(order)]
        (sources, targets), probabilities = pairs[:, first], probabilities[order][first]
    useful = (probabilities > 0) & (sources != targets)
    sources, targets, probabilities = sources[useful], targets[useful], probabilities[useful]
    order = np.lexsort((targets, -probabilities, sources))
    sources = sources[order]
    place = np.arange(len(order)) - np.searchsorted(sources, sources)
    kept = order[place < expansion.fan_out]
    starts = np.searchsorted(
        np.sort(sources[place < expansion.fan_out]), np.arange(len(table.starts))
    )
    return starts.astype(np.int64), targets[kept], probabilities[kept]
