"""The lists of an explorer as plain data: elements, and what each rank shows of the ideals."""

import json
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.analytic import PrecisionRecall, exact, prum, reach_matrix
from prum.experiments.frame.html import check_installed, script_hash, template_page
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import InputError, Task
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import printable

if TYPE_CHECKING:
    from prum.experiments.explore.verb import Explorer

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


# In the order in which they stand on each other.
SCRIPTS = (
    "engine.js",
    "world.js",
    "words.js",
    "svg.js",
    "list.js",
    "plots.js",
    "crowd.js",
    "page.js",
)
_PACKAGE = "prum.experiments.explore"
# As large an error has a sentence.
_NOTICEABLE = 5e-4


def page(explorer: "Explorer") -> str:
    """Return the page.

    Raise InputError if jinja2 is not installed.
    """
    check_installed(is_drawn=False)
    data = explorer.data()
    script = '"use strict";\n' + "\n".join(_text(name) for name in SCRIPTS)
    return template_page(
        _PACKAGE,
        "page.html",
        {
            "title": explorer.title,
            "headline": headline(explorer.lists[0]),
            "lists": [each["name"] for each in data["lists"]],
            "note": explorer.note,
            "command": explorer.command,
            "look": _text("page.css"),
            "data": embedded(data),
            "script": script,
            "script_hash": script_hash(script),
        },
    )


def headline(explored: "ExploredList") -> str:
    """Return what a reader sees before the page computes, or where it may not."""
    r = explored.telling
    said, exact = (float(value.precision[r - 1]) for value in (explored.prum, explored.exact))
    of = f"Of {explored.task.num_ideals:,} ideals, users who want {r:,}"
    if abs(said - exact) < _NOTICEABLE:
        return f"{of}: PRUM and the exact value both say {_brief(said)}."
    how = "low" if said < exact else "high"
    return (
        f"{of}: PRUM says {_brief(said)}, the exact value is {_brief(exact)}. "
        f"PRUM is {_brief(abs(said - exact))} too {how}."
    )


def _brief(value: float) -> str:
    text = f"{value:.3f}"
    return text.removeprefix("0") if value < 1 else text


def embedded(content: object) -> str:
    """Return content as JSON that may stand in a script element.

    >>> embedded({"name": "</script>"})
    '{"name":"\\\\u003c/script\\\\u003e"}'
    """
    text = json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _text(name: str) -> str:
    return files(_PACKAGE).joinpath(name).read_text("utf-8")
