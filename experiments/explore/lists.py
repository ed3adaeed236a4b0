"""The lists of an explorer as plain data: elements, and what each rank shows of the ideals."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from prum.analytic import PrecisionRecall, exact, prum, reach_matrix
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import InputError, Task
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import printable

# Ranks times ideals of a list, and links of all lists: a page of some megabytes, which computes
# for a second or so each time a dial is turned.
MOST_CELLS, MOST_LINKS = 250_000, 50_000
BILLION = 10**9
# Letters of an id; two that differ later look alike, for ids are only shown.
_LONGEST = 200


@dataclass(frozen=True, slots=False, eq=False, repr=False)
class ExploredList:
    """A list that a page lets its reader explore.

    Attributes
    ----------
    system
        Whose list it is.
    task
        The list, its ideals and the size of the collection.
    reach
        P(l_i -> x), shape (o, t).
    """

    system: str
    task: Task
    reach: Floats

    @classmethod
    def of(cls, campaign: Campaign, system: str, topic: str) -> "ExploredList":
        """Return the list of a system on a topic.

        Raises
        ------
        InputError
            for a list too long to explore in a page.
        """
        task = campaign.task(system, topic)
        cells = task.num_ranked * task.num_ideals
        if cells > MOST_CELLS:
            raise InputError(
                "ranks times ideals",
                cells,
                f"be at most {MOST_CELLS:,} in an explorer",
                remedy="cut the list, or choose another topic",
                place=f"{system}, topic {topic}",
            )
        return cls(system, task, reach_matrix(task, campaign.navigation_on(topic)).toarray())

    @cached_property
    def prum(self) -> PrecisionRecall:
        """PRUM before any dial is turned."""
        return prum(self.reach, self.task.num_unranked)

    @cached_property
    def exact(self) -> PrecisionRecall:
        """The exact value before any dial is turned: each visit on its own."""
        return exact(self.reach, self.task.num_unranked)

    @property
    def telling(self) -> int:
        """The r at which PRUM is farthest from the exact value; t, if it is nowhere."""
        error = np.abs(self.prum.precision - self.exact.precision)
        return int(error.argmax()) + 1 if error.max() > 1e-9 else self.task.num_ideals

    @property
    def num_links(self) -> int:
        """The number of pairs of a rank and an ideal that it may show."""
        return int(np.count_nonzero(self.reach))

    @property
    def ranking(self) -> list[str]:
        """The ids of the list as they are shown."""
        return [_shown(element) for element in self.task.ranking]

    @property
    def rows(self) -> list[tuple[int, ...]]:
        """What each rank shows: the first ideal it may show, P of that and of those after it.

        In billionths, for they are shorter: no number that is shown hangs on what that cuts off.
        """
        billionths = np.rint(self.reach * BILLION).astype(int)
        return [_row(row) for row in billionths]

    def data(self, elements: dict[str, int], rows: dict[tuple[int, ...], int]) -> dict[str, Any]:
        """Return what the page has of it.

        Parameters
        ----------
        elements, rows
            Numbers of ids and of what ranks show, shared by lists; those of this one are added.
        """
        return {
            "name": _shown(self.system),
            "ranking": [elements.setdefault(name, len(elements)) for name in self.ranking],
            "rows": [rows.setdefault(row, len(rows)) for row in self.rows],
            "ideals": [_shown(element) for element in self.task.ideals],
            "unranked": self.task.num_unranked,
            "r": self.telling,
        }


def _row(billionths: Ints) -> tuple[int, ...]:
    shown = np.flatnonzero(billionths)
    if not shown.size:
        return ()
    first, last = int(shown[0]), int(shown[-1])
    return (first, *billionths[first : last + 1].tolist())


def _shown(name: str) -> str:
    name = printable(name)
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
