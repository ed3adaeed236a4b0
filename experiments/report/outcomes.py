"""Outcomes: what is known of one list under one setting, from whatever file it came."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from prum.simulator.model.arrays import Floats
from prum.simulator.model.costs import ELEMENTS

# The file, the campaign and the setting: lists under one setting are summed up together.
ListGroup = tuple[str, str, str, str]
# Precision lies in [0, 1]; larger numbers are damage, and infinite ones can't be drawn.
_MOST = 1e6
_ARRAYS = ("prum", "exact", "simulated", "error", "classical")


@dataclass(frozen=True, slots=True, eq=False)
class CellOutcome:
    """Precision of one list at r = 1 .. t by PRUM, exactly and by simulated users.

    Parameters
    ----------
    file
        Where it was found.
    campaign, setting, system, topic
        Which list, and how it is browsed: a navigation with its dials, or a dependence.
    prum, exact, simulated, error, classical
        Arrays of shape (t,), NaN where a value is missing; `error` is the standard error of
        `simulated`, `classical` is precision without browsing.
    unit
        What is counted: elements, or what they cost.
    num_users, seeds
        Those of `simulated`.
    verdicts
        Of simulation against exact at each r, or none.
    dials
        More that was set, as the way that makes links: name -> value.

    Raises
    ------
    ValueError
        if there is no value, there are more of one kind than of another, or one is no precision.
    """

    file: str
    campaign: str
    setting: str
    system: str
    topic: str
    prum: Floats
    exact: Floats
    simulated: Floats
    error: Floats
    classical: Floats
    unit: str = ELEMENTS
    num_users: int = 0
    seeds: tuple[int, ...] = ()
    verdicts: tuple[str, ...] = ()
    dials: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        arrays = [getattr(self, name) for name in _ARRAYS]
        sizes = {values.shape for values in arrays} | ({(len(self.verdicts),)} - {(0,)})
        if len(sizes) > 1 or not self.prum.size:
            raise ValueError(f"values of {self.system}, {self.topic} are not as many as r")
        # An error that so few users do not show is infinite.
        precision = [values for values in arrays if values is not self.error]
        if any((np.abs(values) > _MOST).any() for values in precision) or (self.error < 0).any():
            raise ValueError(f"a value of {self.system}, {self.topic} is none of precision")

    @classmethod
    def of(cls, *names: str, **known: Any) -> "CellOutcome":
        """Return the outcome of a file, campaign, setting, system and topic, of what is known.

        Arrays that are left out, or None, are missing.
        """
        arrays = {name: known.pop(name, None) for name in _ARRAYS}
        sizes = [len(values) for values in arrays.values() if values is not None]
        for name, values in arrays.items():
            known[name] = np.full(sizes[0], np.nan) if values is None else values
        file, campaign, setting, system, topic = names
        return cls(file, campaign, setting, system, topic, **known)

    @property
    def num_ideals(self) -> int:
        """t, the number of ideals."""
        return len(self.prum)

    @property
    def group(self) -> ListGroup:
        """What it is summed up with."""
        return self.file, self.campaign, self.setting, self.unit

    @property
    def reference(self) -> Floats:
        """The exact value, or the simulated one where there is none."""
        return np.where(np.isnan(self.exact), self.simulated, self.exact)

    @property
    def deviation(self) -> Floats:
        """PRUM less the reference; NaN where either is missing."""
        return self.prum - self.reference

    @property
    def content(self) -> tuple[object, ...]:
        """What it says, whichever file says it."""
        numbers = (self.prum, self.exact, self.simulated)
        return (
            self.campaign,
            self.setting,
            self.system,
            self.topic,
            self.unit,
            *(np.round(values, 12).tobytes() for values in numbers),
        )


def by_group(outcomes: Iterable[CellOutcome]) -> dict[ListGroup, list[CellOutcome]]:
    """Return the outcomes of each group, in the order in which groups appear."""
    groups: dict[ListGroup, list[CellOutcome]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.group, []).append(outcome)
    return groups


def group_names(groups: Iterable[ListGroup]) -> dict[ListGroup, str]:
    """Return a name for each group, made of those of its parts in which groups differ.

    >>> web, walk = ("a.json", "web", "walk", "elements"), ("a.json", "web", "beta", "elements")
    >>> group_names([web, walk])[walk], group_names([web])[web]
    ('beta', 'web, walk')
    """
    groups = list(groups)
    differ = [at for at in range(4) if len({group[at] for group in groups}) > 1] or [1, 2]
    return {group: ", ".join(group[at] for at in differ if group[at]) for group in groups}


def distinct(outcomes: Iterable[CellOutcome]) -> tuple[list[CellOutcome], dict[str, int]]:
    """Return outcomes that say something new, and file -> how many of its lists repeat others."""
    seen: set[tuple[object, ...]] = set()
    kept: list[CellOutcome] = []
    repeated: dict[str, list[CellOutcome]] = {}
    for outcome in outcomes:
        if outcome.content in seen:
            repeated.setdefault(outcome.file, []).append(outcome)
        else:
            seen.add(outcome.content)
            kept.append(outcome)
    return kept, {file: num_lists(own) for file, own in repeated.items()}


def num_lists(outcomes: Iterable[CellOutcome]) -> int:
    """Return the number of lists, each counted once, however it is browsed."""
    return len({(one.campaign or one.file, one.system, one.topic) for one in outcomes})
