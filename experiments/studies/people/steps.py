"""Steps of sessions along links, session by session."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from prum.experiments.fitting.predictions import moves_of
from prum.experiments.logs.sessions import Sessions
from prum.simulator.model import InputError, Links
from prum.simulator.model.arrays import Flags, Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Moves along links, of sessions whose elements are numbered as those of the links first.

    Parameters
    ----------
    sessions, links
        The sessions, and where they may move.
    visit
        Of each move: the visit that it led to.
    row
        Along which row of `links`.
    """

    sessions: Sessions
    links: Links
    visit: Ints
    row: Ints

    @property
    def session(self) -> Ints:
        """The session of each move."""
        return self.sessions.session[self.visit]

    def mean_by_session(self, values: Floats) -> Floats:
        """Return the mean of a value of moves for each session, NaN without moves."""
        num = len(self.sessions)
        sums = np.bincount(self.session, values, num)
        numbers = np.bincount(self.session, minlength=num)
        means: Floats = np.divide(sums, numbers, out=np.full(num, np.nan), where=numbers > 0)
        return means


def steps_of(sessions: Sessions, links: Links) -> Steps:
    """Return the moves of sessions.

    Raises
    ------
    InputError
        for moves along no link.
    """
    names = tuple(dict.fromkeys((*links.elements, *sessions.elements)))
    code = {name: place for place, name in enumerate(names)}
    known = np.array([code[name] for name in sessions.elements], dtype=np.int64)
    coded = replace(sessions, elements=names, element=known[sessions.element])
    visit, row = moves_of(coded, links)
    is_move = ~coded.is_entry & ~coded.is_back
    is_move[visit] = False
    strays = np.flatnonzero(is_move)
    if len(strays):
        x, y = (names[coded.element[strays[0] - back]] for back in (1, 0))
        rule, remedy = "be 0", f"the first is {x!r} -> {y!r}; correct the log or the links"
        raise InputError("number of moves along no link", len(strays), rule, remedy=remedy)
    return Steps(coded, links, visit, row)


def picked(sessions: Sessions, numbers: Ints | Flags) -> Sessions:
    """Return some sessions, in the order of their numbers."""
    numbers = np.arange(len(sessions))[numbers]
    sizes = np.diff(sessions.starts)[numbers]
    starts = np.append(0, np.cumsum(sizes))
    visits = np.arange(starts[-1]) + np.repeat(sessions.starts[numbers] - starts[:-1], sizes)
    return Sessions(
        sessions.elements,
        sessions.element[visits],
        starts,
        sessions.is_entry[visits],
        sessions.is_back[visits],
        sessions.persons,
        sessions.person[numbers],
        sessions.is_cut[numbers],
    )


def joined(batches: Sequence[Sessions]) -> Sessions:
    """Return the sessions of several batches as one, people of one name being one person."""

    def coded(names: str, codes: str) -> tuple[tuple[str, ...], Ints]:
        known = dict.fromkeys(name for each in batches for name in getattr(each, names))
        place = {name: number for number, name in enumerate(known)}
        parts = (([place[name] for name in getattr(each, names)], each) for each in batches)
        return tuple(known), np.concatenate(
            [np.array([*own, -1])[getattr(each, codes)] for own, each in parts]
        )

    def whole(name: str) -> Flags:
        return np.concatenate([getattr(each, name) for each in batches])

    lost = Counter[str]()
    for each in batches:
        lost.update(dict(each.lost))
    sizes = np.concatenate([np.diff(each.starts) for each in batches])
    return Sessions(
        *coded("elements", "element"),
        np.append(0, np.cumsum(sizes)),
        whole("is_entry"),
        whole("is_back"),
        *coded("persons", "person"),
        whole("is_cut"),
        tuple(sorted(lost.items())),
    )
