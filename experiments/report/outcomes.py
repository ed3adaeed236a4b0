"""Outcomes: what is known of one list under one setting, from whatever file it came."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from prum.simulator.model.arrays import Floats
from prum.simulator.model.list_costs import ELEMENTS

# The file, the campaign and the setting: lists under one setting are summed up together.
Group = tuple[str, str, str, str]


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

    @property
    def num_ideals(self) -> int:
        """t, the number of ideals."""
        return len(self.prum)

    @property
    def group(self) -> Group:
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
            self.campaign, self.setting, self.system, self.topic, self.unit,
            *(np.round(values, 12).tobytes() for values in numbers),
        )  # fmt: skip


def by_group(outcomes: Iterable[CellOutcome]) -> dict[Group, list[CellOutcome]]:
    """Return the outcomes of each group, in the order in which groups appear."""
    groups: dict[Group, list[CellOutcome]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.group, []).append(outcome)
    return groups


def group_names(groups: Iterable[Group]) -> dict[Group, str]:
    """Return a name for each group, made of those of its parts in which groups differ.

    >>> web, walk = ("a.json", "web", "walk", "elements"), ("a.json", "web", "beta", "elements")
    >>> group_names([web, walk])[walk], group_names([web])[web]
    ('beta', 'web, walk')
    """
    groups = list(groups)
    differ = [at for at in range(4) if len({group[at] for group in groups}) > 1] or [1, 2]
    return {group: ", ".join(group[at] for at in differ if group[at]) for group in groups}


def missing(num_ideals: int) -> Floats:
    """Return values none of which is known."""
    return np.full(num_ideals, np.nan)


def distinct(outcomes: Iterable[CellOutcome]) -> tuple[list[CellOutcome], dict[str, int]]:
    """Return outcomes that say something new, and file -> how many of its repeat another's."""
    seen: set[tuple[object, ...]] = set()
    kept: list[CellOutcome] = []
    repeated: dict[str, int] = {}
    for outcome in outcomes:
        if outcome.content in seen:
            repeated[outcome.file] = repeated.get(outcome.file, 0) + 1
        else:
            seen.add(outcome.content)
            kept.append(outcome)
    return kept, repeated
