"""What is measured, with intervals over people: some are left out, and all is measured again."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from prum.experiments.logs.sessions import Sessions
from prum.experiments.statistics.intervals import Interval, student_factor
from prum.experiments.studies.kit.quantities import known
from prum.simulator.model.arrays import Flags, Floats, Ints

# Groups of people, each of which is left out once.
NUM_GROUPS = 20


@dataclass(frozen=True, slots=True)
class PeopleRow:
    """A quantity, what it would be if the hypothesis held, and the same of a log where it holds.

    `p` is that of a permutation; it, the ends of an interval and the control's are None where there
    are none.
    """

    part: str
    quantity: str
    value: float | None
    low: float | None
    high: float | None
    p: float | None
    holds: float | None
    control: float | None
    control_low: float | None
    control_high: float | None
    size: int
    counted: str


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
) -> PeopleRow:
    """Return a row of numbers, with intervals or without; ends that are NaN are none."""
    return PeopleRow(part, quantity, *known(value), p, holds, *known(control), size, counted)


def beside(
    part: str,
    values: Mapping[str, float | Interval],
    controls: Mapping[str, float | Interval],
    size: int,
    counted: str,
) -> list[PeopleRow]:
    """Return rows of quantities that are 0 where the hypothesis holds, beside a control's."""
    return [
        row(part, name, value, 0, controls.get(name), size, counted)
        for name, value in values.items()
    ]
