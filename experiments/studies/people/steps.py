"""Steps of sessions along links, the log made where none is given, and intervals over people.

For an interval some people are left out, and all is measured again.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from prum.experiments.fitting.predictions import moves_of
from prum.experiments.logs import Sessions
from prum.experiments.logs.sessions import BACK
from prum.experiments.statistics.intervals import Interval, student_factor
from prum.experiments.studies.kit.quantities import known
from prum.simulator import Campaign, InputError, Links, Walk
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

    Raise InputError for moves along no link.
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


# --- the log that the study makes when it is given none ------------------------------------------


_ELEMENTS, _ENTRIES, _IDEALS, _TOPICS = 60, 12, 3, 4
_STOPS, _GOES_BACK = 0.15, 0.1


def made_links() -> Links:
    """Return a web of 60 pages, each with 3 to 9 links; probabilities add up to .85."""
    rng = np.random.default_rng(22)
    rows = dict[tuple[str, str], float]()
    for page in range(_ELEMENTS):
        others = np.delete(np.arange(_ELEMENTS), page)
        targets = rng.choice(others, rng.integers(3, 10), replace=False)
        shares = rng.dirichlet(np.full(len(targets), 0.7)) * (1 - _STOPS)
        rows |= {
            (_name(page), _name(y)): round(share, 6)
            for y, share in zip(targets.tolist(), shares.tolist(), strict=True)
        }
    return Links(rows)


def made_log(links: Links, num_sessions: int, seed: int, *, num_persons: int) -> Sessions:
    """Return sessions of people who walk and forget: what they do next depends on where they are.

    They stop with probability .15, else go back with .1, else take a link by its share.
    """
    rng = np.random.default_rng([seed, 1])
    sessions = []
    for _ in range(num_sessions):
        trail = [int(rng.integers(_ENTRIES))]
        names = [links.elements[trail[-1]]]
        while rng.random() >= _STOPS:
            if len(trail) > 1 and rng.random() < _GOES_BACK:
                trail.pop()
                names.append(BACK)
                continue
            rows = slice(links.starts[trail[-1]], links.starts[trail[-1] + 1])
            shares = np.cumsum(links.probabilities[rows])
            taken = int(np.searchsorted(shares, rng.random() * shares[-1]))
            trail.append(int(links.targets[rows][taken]))
            names.append(links.elements[trail[-1]])
        sessions.append(names)
    persons = [f"person{number}" for number in rng.integers(num_persons, size=num_sessions)]
    return Sessions.of(sessions, persons=persons)


def made_campaign(links: Links) -> Campaign:
    """Return two systems on four topics of three ideals: entries in two orders, then ideals."""
    rng = np.random.default_rng(23)
    entries = links.elements[:_ENTRIES]
    ideals = {
        f"topic{number}": tuple(
            rng.choice(links.elements[_ENTRIES:], _IDEALS, replace=False).tolist()
        )
        for number in range(1, _TOPICS + 1)
    }
    runs = {
        name: {topic: (*order, *wanted) for topic, wanted in ideals.items()}
        for name, order in (("forward", entries[:6]), ("backward", entries[6:]))
    }
    return Campaign(
        name="built-in",
        ideals=ideals,
        runs=runs,
        navigation=Walk(links),
        collection_size=_ELEMENTS,
    )


def _name(page: int) -> str:
    return f"page{page:02}"


# A row of the study.
Row = dict[str, Any]
# Groups of people, each of which is left out once.
NUM_GROUPS = 20


def owners(sessions: Sessions) -> Ints:
    """Return whose each visit was: the person's number, or another for each other session."""
    known = sessions.person >= 0
    own = np.arange(len(sessions)) + len(sessions.persons)
    return np.where(known, sessions.person, own)[sessions.session]


def first_of(keys: Ints) -> Flags:
    """Return where each key occurs for the first time."""
    first = np.zeros(len(keys), dtype=np.bool_)
    first[np.unique(keys, return_index=True)[1]] = True
    return first


def groups(people: Ints, rng: np.random.Generator) -> Ints:
    """Return the group of each of some entries by whose it is: people dealt evenly at random."""
    _, own = np.unique(people, return_inverse=True)
    num = int(own.max(initial=-1)) + 1
    group: Ints = rng.permutation(np.arange(num) % NUM_GROUPS)[own]
    return group


def over_groups(whole: float, without: Sequence[float] | Floats) -> Interval:
    """Return a value and its interval from the values with each group of people left out.

    The delete-a-group jackknife (Kott 2001), with Student's t. No interval if the values are not
    all numbers.

    >>> value, low, high = over_groups(2.0, [2.5, 2.0, 1.5])
    >>> value, round(low, 4), round(high, 4)
    (2.0, -0.4841, 4.4841)
    """
    left = np.asarray(without, dtype=np.float64)
    num = len(left)
    error = float(np.sqrt((num - 1) / num * ((left - left.mean()) ** 2).sum()))
    half = student_factor(num - 1) * error
    return whole, whole - half, whole + half


def ratio(above: Floats, below: Floats, group: Ints) -> Interval:
    """Return sum above / sum below over people's parts of both, with its interval."""
    tops, bottoms = (np.bincount(group, part, NUM_GROUPS) for part in (above, below))
    left = (tops.sum() - tops) / (bottoms.sum() - bottoms)
    return over_groups(float(tops.sum() / bottoms.sum()), left)


def left_out(
    group: Ints, measure: Callable[[Ints], float], num_groups: int = NUM_GROUPS
) -> Interval:
    """Return a measure of the entries numbered, with its interval."""
    every = np.arange(len(group))
    return over_groups(measure(every), [measure(every[group != g]) for g in range(num_groups)])


def row(
    part: str,
    quantity: str,
    value: float | Interval,
    holds: float | None,
    control: float | Interval | None,
    size: int,
    counted: str,
    p: float | None = None,
) -> Row:
    """Return a quantity, what it would be if the hypothesis held, and that of a log where it holds.

    With intervals or without; ends that are NaN are None. `p` is that of a permutation.
    """
    ends, own = dict(zip(("value", "low", "high"), known(value), strict=True)), known(control)
    return (
        {"part": part, "quantity": quantity, **ends, "p": p, "holds": holds}
        | dict(zip(("control", "control_low", "control_high"), own, strict=True))
        | {"size": size, "counted": counted}
    )


def beside(
    part: str,
    values: Mapping[str, float | Interval],
    controls: Mapping[str, float | Interval],
    size: int,
    counted: str,
) -> list[Row]:
    """Return rows of quantities that are 0 where the hypothesis holds, beside a control's."""
    return [
        row(part, name, value, 0, controls.get(name), size, counted)
        for name, value in values.items()
    ]
