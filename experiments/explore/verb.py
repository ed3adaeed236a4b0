"""The verb `explore`: a page on which one turns dials, and simulated users close in."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

from prum.experiments.explore.design import EXPLORE, ExploreDesign
from prum.experiments.explore.lists import MOST_LINKS, ExploredList, headline, page
from prum.experiments.frame.result import Result
from prum.experiments.frame.view import Column, Table, View
from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.examples import example_campaign
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import chosen_name, printable
from prum.simulator.tables.files import readable

if TYPE_CHECKING:
    import pandas as pd

# Fig. 5 of the paper: two ideals, of which PRUM forgets which one a user has seen.
EXAMPLE = "web"
_PLAIN = "independent"


class ExploredValues(TypedDict):
    """A list, and its precision at r = 1 .. t by PRUM and exactly."""

    system: str
    ranks: int
    ideals: int
    unranked: int
    prum: Floats
    exact: Floats


class ExplorerValues(TypedDict):
    """What the JSON of lists to explore holds."""

    campaign: str
    topic: str
    navigation: str
    lists: list[ExploredValues]


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

    def data(self) -> dict[str, Any]:
        """Return the lists as the page has them, as plain data."""
        elements: dict[str, int] = {}
        rows: dict[tuple[int, ...], int] = {}
        lists = [explored.data(elements, rows) for explored in self.lists]
        return {"lists": lists, "elements": list(elements), "rows": list(rows)}

    @property
    def title(self) -> str:
        """The page's title."""
        where = "" if self.topic == self.campaign else f", topic {printable(self.topic)}"
        return f"Explore {printable(readable(self.campaign))}{where}"

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
        rows = [
            (explored.system, r, prum, exact)
            for explored in self.lists
            for r, (prum, exact) in enumerate(
                zip(explored.prum.precision, explored.exact.precision, strict=True), start=1
            )
        ]
        columns: list[Column[tuple[str, int, float, float]]] = [
            Column("system", lambda row: row[0], left=True),
            Column("r", lambda row: row[1], "d"),
            Column("PRUM", lambda row: row[2], ".5f"),
            Column("exact", lambda row: row[3], ".5f"),
        ]
        return View(
            title=self.title,
            headline=headline(self.lists[0]),
            story=(),
            tables=(Table.of("Precision before any dial is turned", rows, columns),),
            notes=(self.note,) * bool(self.note),
            leads=True,
        )

    def values(self) -> ExplorerValues:
        """Return PRUM and the exact value at each r, before any dial is turned."""
        return {
            "campaign": readable(self.campaign),
            "topic": self.topic,
            "navigation": self.navigation,
            "lists": [
                {
                    "system": explored.system,
                    "ranks": explored.task.num_ranked,
                    "ideals": explored.task.num_ideals,
                    "unranked": explored.task.num_unranked,
                    "prum": explored.prum.precision,
                    "exact": explored.exact.precision,
                }
                for explored in self.lists
            ],
        }

    def to_frame(self) -> "pd.DataFrame":
        """Return a row for each system and r: PRUM and the exact value."""
        import pandas as pd

        return pd.DataFrame(self.view().tables[0].data)

    def to_html(self) -> str:
        """Return the page: one HTML document that needs nothing else, the same bytes each time.

        Raises
        ------
        InputError
            if jinja2 is not installed.
        """
        return page(self)

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

    >>> from prum.simulator import example_campaign
    >>> explore(example_campaign("fig6"), systems=["bad"])
    Explorer: fig6, topic fig6: 1 list, 1 ideal
    """
    campaign: Campaign | None = design.campaign
    if campaign is None:
        campaign = example_campaign(EXAMPLE)
    if not isinstance(campaign, Campaign):
        remedy = "give what example_campaign or read_campaign returns"
        raise InputError("campaign", campaign, "be a Campaign", remedy=remedy)
    topic = chosen_name("topic", design.topic, campaign.ideals)
    if campaign.of_spans:
        remedy = "take prum crosscheck, or files of elements and links"
        raise InputError("ideals", "spans", "be elements in an explorer", remedy=remedy)
    names = [chosen_name("system", name, campaign.runs) for name in design.systems] or campaign.runs
    lists = tuple(ExploredList.of(campaign, system, topic) for system in dict.fromkeys(names))
    links = sum(explored.num_links for explored in lists)
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
