"""The built-in examples by name: those of the PRUM paper as data, and campaigns of a seed.

The paper is Piwowarski, Gallinari and Dupret (2007). What its text leaves open, and no printed
number hangs on: in Fig. 1 how many elements there are besides those named, in Fig. 3 the lengths of
all but a and b, and where c and d stand, in Fig. 7 all lengths.
"""

import csv
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files
from typing import Literal

import numpy as np

from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.linking import Linked, linked
from prum.simulator.model import Assessment, Elements, InputError, Links
from prum.simulator.model.errors import did_you_mean
from prum.simulator.model.kinds import navigation_of

# Table III: the ranks from which a and b are first seen.
FIRST_SEEN = ((1, 1), (1, 2), (1, 4), (2, 1), (2, 2), (2, 4), (3, 1), (3, 2), (3, 4))


@dataclass(frozen=True, slots=True)
class Example:
    """A campaign that is built in: a figure or a table of the paper, or made; elements are letters.

    `lists` are by system, as "good cba, bad abc"; without any it is made of a seed. Links are
    written like "ca .4, cb .4", those of scenarios, each a topic, between bars; without any, a tree
    makes them by equation 9, of lengths by parent and element: "a 100, ae 20". Assessments are
    written like "a32", for E3S2. `kind` says how links are browsed, as `navigation_of` names it.
    """

    name: str
    about: str
    lists: str
    ideals: str
    size: str
    links: str
    kind: str
    tree: str
    assessed: str

    def load(self) -> Campaign:
        """Return it as a campaign of one topic, named as it is, or of its scenarios.

        >>> EXAMPLES["fig4"].load().task("list", "fig4")
        Task(ranking=('a', 'b', 'c'), ideals=('d',), collection_size=4)
        """
        if not self.lists:
            return built_in_campaign(self.kind)
        tables = [
            Links({(ends[0], ends[1]): p for ends, p in _numbers(links)})
            for links in self.links.split("|")
        ]
        scenarios = [f"scenario-{number}" for number, _ in enumerate(tables, start=1)]
        topics = [self.name] if len(tables) == 1 else scenarios
        ideals = dict.fromkeys(topics, tuple(self.ideals))
        if self.tree and not self.links:
            table = linked(None, (), None, ideals, qrels=self.name, tree=self.elements)
        else:
            by_topic = dict(zip(topics, tables, strict=True))
            table = Linked(by_topic if len(tables) > 1 else tables[0])
        lists = dict(each.split() for each in self.lists.split(","))
        return Campaign(
            name=self.name,
            ideals=ideals,
            runs={system: dict.fromkeys(topics, tuple(x)) for system, x in lists.items()},
            navigation=table.browsed(self.kind),
            collection_size=int(self.size),
            documents=table.documents,
            way=table.way,
            elements=table.elements,
        )

    @property
    def elements(self) -> Elements | None:
        """The tree as elements, if there is one."""
        tree = {x[-1]: (x[:-1] or None, length) for x, length in _numbers(self.tree)}
        return Elements(tree) if tree else None

    @property
    def assessments(self) -> dict[str, Assessment]:
        """The assessments, if the paper has them."""
        return {x[0]: Assessment(int(x[1]), int(x[2])) for x in self.assessed.split()}


def _numbers(text: str) -> list[tuple[str, float]]:
    words = (each.split() for each in text.split(",") if each)
    return [(name, float(Fraction(number))) for name, number in words]


_FILE = files("prum.simulator.collections") / "examples.csv"
EXAMPLES = {
    row["name"]: Example(**row) for row in csv.DictReader(_FILE.read_text("utf-8").splitlines())
}
ExampleName = Literal[
    "web",
    "campaign",
    "walks",
    "notes",
    "fig1",
    "fig2",
    "fig3",
    "fig4",
    "fig5",
    "fig6",
    "fig6-video",
    "fig7",
    "table3",
]


# The eight systems: the noise in their scores, and what they think a page is worth that links to
# an ideal, beside the ideal itself.
_SYSTEMS = {
    "pointed": (0.30, 0.0),
    "pointed-noisy": (0.38, 0.0),
    "near-miss": (0.30, 0.8),
    "near-miss-noisy": (0.38, 0.8),
    "gateway": (0.30, 1.6),
    "gateway-noisy": (0.38, 1.6),
    "poor": (0.70, 0.4),
    "random": (50.0, 0.0),
}
_NUM_PAGES, _NUM_TOPICS, _DEPTH, _COMMUNITY = 3_000, 20, 100, 50
_CONTINUE = 0.85


def built_in_campaign(kind: str = "independent", *, seed: int = 2007) -> Campaign:
    """Return a made campaign: 20 topics, 8 systems, one graph of 3,000 pages, lists of 100.

    Pages link to 1 to 8 others, mostly in their community of 50, with .85 spread unevenly over the
    links. A topic's 3 to 8 ideals lie in one community. A system scores an ideal 1 and other pages
    by their strongest link to an ideal, times the system's taste for such pages, and adds noise; it
    ranks the best 100. The same seed gives the same campaign.

    >>> campaign = built_in_campaign()
    >>> len(campaign.ideals), len(campaign.runs), len(campaign.navigation.links) > 10_000
    (20, 8, True)
    """
    rng = np.random.default_rng(seed)
    width = len(str(_NUM_PAGES - 1))
    pages = [f"page{number:0{width}}" for number in range(_NUM_PAGES)]
    links: dict[tuple[str, str], float] = {}
    linking: dict[int, list[tuple[int, float]]] = {page: [] for page in range(_NUM_PAGES)}
    for page in range(_NUM_PAGES):
        base = page // _COMMUNITY * _COMMUNITY
        degree = int(rng.integers(1, 9))
        near = base + rng.permutation(_COMMUNITY)[:degree]
        far = rng.integers(0, _NUM_PAGES, degree)
        targets = np.unique(np.where(rng.random(degree) < 0.8, near, far))
        targets = targets[targets != page]
        weights = rng.exponential(size=len(targets)) ** 2
        shares = _CONTINUE * weights / weights.sum()
        for target, share in zip(targets.tolist(), shares.tolist(), strict=True):
            # Six decimals, so that a file of the links holds the same numbers.
            links[pages[page], pages[target]] = share = round(share, 6)
            linking[target].append((page, share))
    ideals: dict[str, tuple[str, ...]] = {}
    runs: dict[str, dict[str, tuple[str, ...]]] = {system: {} for system in _SYSTEMS}
    communities = rng.permutation(_NUM_PAGES // _COMMUNITY)[:_NUM_TOPICS]
    for number, community in enumerate(communities.tolist(), start=1):
        topic = f"topic{number:02}"
        chosen = community * _COMMUNITY + rng.permutation(_COMMUNITY)[: int(rng.integers(3, 9))]
        ideals[topic] = tuple(pages[page] for page in sorted(chosen.tolist()))
        strongest = np.zeros(_NUM_PAGES)
        for ideal in chosen.tolist():
            for page, share in linking[ideal]:
                strongest[page] = max(strongest[page], share / _CONTINUE)
        is_ideal = np.zeros(_NUM_PAGES)
        is_ideal[chosen] = 1
        for system, (noise, taste) in _SYSTEMS.items():
            scores = is_ideal + taste * np.sqrt(strongest) + noise * rng.normal(size=_NUM_PAGES)
            runs[system][topic] = tuple(pages[page] for page in np.argsort(-scores)[:_DEPTH])
    return Campaign(
        name={"walk": "walks", "independent": "campaign"}.get(kind, f"campaign, {kind}"),
        ideals=ideals,
        runs=runs,
        navigation=navigation_of(kind, Links(links)),
        collection_size=_NUM_PAGES,
    )


def example_of(name: str) -> Example:
    """Return the example of a name.

    Raise InputError if there is none.
    """
    if name not in EXAMPLES:
        rule = f"be one of {', '.join(EXAMPLES)}"
        raise InputError("example", name, rule, remedy=did_you_mean(name, EXAMPLES))
    return EXAMPLES[name]


def example_campaign(name: str) -> Campaign:
    """Return a built-in campaign by name, as `--example` does: fig1 to fig7 are the paper's.

    >>> example_campaign("fig6").task("bad", "fig6").ranking
    ('a', 'b', 'c')
    """
    return example_of(name).load()
