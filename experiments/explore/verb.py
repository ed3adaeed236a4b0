"""The verb `explore`: a page on which one turns dials, and simulated users close in on ideals."""

import json
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.analytic import PrecisionRecall, exact, prum, reach_matrix
from prum.experiments.evaluate.campaigns import campaigns_of
from prum.experiments.explore.design import EXPLORE, ExploreDesign
from prum.experiments.frame.drawing import INK, PRUM, Drawing, paneled
from prum.experiments.frame.frames import frame_table
from prum.experiments.frame.html import check_installed, script_hash, template_page
from prum.experiments.frame.numbers import count
from prum.experiments.frame.result import Result, text_or_file
from prum.experiments.frame.view import Figure, View
from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.examples import example_campaign
from prum.simulator.model import InputError, Task
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import chosen_name, printable
from prum.simulator.tables.files import readable

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

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

    def data(self) -> dict[str, Any]:
        """Return what the page has of it; links as ranks, ideals and P, in billionths.

        These are shorter, and no number that is shown hangs on what that cuts off.
        """
        ranks, ideals = np.nonzero(self.reach)
        billionths = np.rint(self.reach[ranks, ideals] * BILLION).astype(int)
        return {
            "name": _shown(self.system),
            "ranking": [_shown(element) for element in self.task.ranking],
            "links": [ranks.tolist(), ideals.tolist(), billionths.tolist()],
            "ideals": [_shown(element) for element in self.task.ideals],
            "unranked": self.task.num_unranked,
            "r": self.telling,
        }


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


def headline(explored: "ExploredList") -> str:
    """Return what a reader sees before the page computes, or where it may not."""
    r = explored.telling
    said, exact = (float(value.precision[r - 1]) for value in (explored.prum, explored.exact))
    of = f"Of {count(explored.task.num_ideals, 'ideal')}, users who want {r:,}"
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


# Fig. 5 of the paper: two ideals, of which PRUM forgets which one a user has seen.
EXAMPLE = "web"
_PLAIN = "independent"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Explorer(Result):
    """Lists of one topic to explore.

    Attributes
    ----------
    campaign, topic
        Where the lists stand.
    lists
        A list for each system.
    navigation
        How the campaign is browsed, as `navigation_of` names it.
    arguments, command
        As `Result` has them.

    >>> explore()
    Explorer: web, topic web: 1 list, 2 ideals
    """

    campaign: str
    topic: str
    lists: tuple[ExploredList, ...]
    navigation: str = _PLAIN

    kind = "explore"

    @property
    def note(self) -> str:
        """What of the campaign's way of browsing is not on the page; "" if all of it is."""
        if self.navigation == _PLAIN:
            return ""
        return (
            f"The campaign is browsed in another way, {printable(self.navigation)}. Here its "
            "P(x → y) count, the mean over users where they differ: each visit is on its own until "
            "a dial says otherwise."
        )

    def view(self) -> View:
        """Return PRUM and the exact value at each r, before any dial is turned."""
        forms = {"system": "<", "r": "d", "PRUM": ".5f", "exact": ".5f"}
        label = "Precision before any dial is turned"
        where = "" if self.topic == self.campaign else f", topic {printable(self.topic)}"
        return View(
            title=f"Explore {printable(readable(self.campaign))}{where}",
            headline=headline(self.lists[0]),
            story=(),
            tables=(frame_table(label, self._columns(), forms),),
            figures=(Figure(label, headline(self.lists[0]), self._drawing),),
            notes=(self.note,) * bool(self.note),
        )

    def _columns(self) -> dict[str, list[Any]]:
        return {
            "system": [each.system for each in self.lists for _ in each.task.ideals],
            "r": [r for each in self.lists for r in range(1, each.task.num_ideals + 1)],
            "PRUM": [p for each in self.lists for p in each.prum.precision.tolist()],
            "exact": [p for each in self.lists for p in each.exact.precision.tolist()],
        }

    def _drawing(self) -> Drawing:
        """Return the curves of the first list."""
        first = self.lists[0]
        every = range(1, first.task.num_ideals + 1)

        def panel(axes: "Axes") -> None:
            axes.plot(every, first.prum.precision, "s--", color=PRUM, label="PRUM")
            axes.plot(every, first.exact.precision, "o-", color=INK, label="exact")
            axes.set(ylim=(0, 1.02), title=printable(first.system), xlabel="r, ideals wanted")

        return paneled([panel], columns=1, tall=260, has_legend=True, prefix="explore")

    def values(self) -> dict[str, Any]:
        """Return where the lists stand; their numbers are those of the table."""
        return {
            "campaign": readable(self.campaign),
            "topic": self.topic,
            "navigation": self.navigation,
        }

    def to_frame(self) -> "pd.DataFrame":
        """Return a row for each system and r: PRUM and the exact value."""
        import pandas as pd

        return pd.DataFrame(self._columns())

    @text_or_file
    def to_html(self) -> str:
        """Return the page, or write it: one HTML document, the same bytes each time.

        Raises
        ------
        InputError
            if jinja2 is not installed.
        """
        check_installed(is_drawn=False)
        script = '"use strict";\n' + "\n".join(_text(name) for name in SCRIPTS)
        content = {
            "title": self.view().title,
            "headline": headline(self.lists[0]),
            "lists": [_shown(explored.system) for explored in self.lists],
            "note": self.note,
            "command": self.command,
            "look": _text("page.css"),
            "data": embedded([explored.data() for explored in self.lists]),
            "script": script,
            "script_hash": script_hash(script),
        }
        return template_page("explore/page.html", content)

    def _repr_html_(self) -> str:
        """Return the page in a frame, for a notebook."""
        from html import escape

        return (
            f'<iframe srcdoc="{escape(self.to_html())}" title="Explorer" '
            'style="width: 100%; height: 46em; border: 0"></iframe>'
        )

    def __repr__(self) -> str:
        lists, ideals = len(self.lists), self.lists[0].task.num_ideals
        return (
            f"Explorer: {readable(self.campaign)}, topic {printable(self.topic)}: "
            f"{lists:,} list{'s' * (lists > 1)}, {ideals:,} ideal{'s' * (ideals > 1)}"
        )


@EXPLORE.function
def explore(design: ExploreDesign) -> Explorer:
    """Return the lists of one topic as a page to explore, as `prum explore` does.

    The page computes by itself, in a reader's browser: PRUM and the exact value, and simulated
    users, who agree with those of this package by tests. Its dials change how strong links are, how
    visits from one element depend on each other, how users differ, r, and what elements cost.

    Raises
    ------
    InputError
        for a topic or system that is not there, no topic of several, spans instead of elements, and
        lists too long for a page.

    >>> from prum import Task, Walk
    >>> explore(Task(["hub", "a"], ["a", "b"], 9), Walk({("hub", "b"): 0.5}))
    Explorer: task, topic topic: 1 list, 2 ideals
    >>> from prum.simulator import example_campaign
    >>> explore(example_campaign("fig6"), systems=["bad"])
    Explorer: fig6, topic fig6: 1 list, 1 ideal
    """
    given = example_campaign(EXAMPLE) if design.campaign is None else design.campaign
    sizes: dict[str, Any] = (
        {} if design.collection_size is None else {"collection_size": design.collection_size}
    )
    campaign, *others = campaigns_of(
        given, design.qrels, navigation=design.navigation, links=design.links, **sizes
    )
    if others:
        rule, remedy = "be 1 in an explorer", "choose one"
        raise InputError("number of campaigns", 1 + len(others), rule, remedy=remedy)
    topic = chosen_name("topic", design.topic, campaign.ideals)
    if campaign.of_spans:
        remedy = "take prum crosscheck, or files of elements and links"
        raise InputError("ideals", "spans", "be elements in an explorer", remedy=remedy)
    names = [chosen_name("system", name, campaign.runs) for name in design.systems] or campaign.runs
    lists = tuple(ExploredList.of(campaign, system, topic) for system in dict.fromkeys(names))
    links = sum(int(np.count_nonzero(explored.reach)) for explored in lists)
    if links > MOST_LINKS:
        rule = f"be at most {MOST_LINKS:,} in an explorer"
        raise InputError("number of links", links, rule, remedy="choose fewer systems by name")
    return Explorer(
        campaign=campaign.name,
        topic=topic,
        lists=lists,
        navigation=campaign.kind,
        arguments={"topic": topic},
    )
