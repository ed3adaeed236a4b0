"""The built-in examples by name: those of the PRUM paper as data, and campaigns of a seed.

The paper is Piwowarski, Gallinari and Dupret (2007).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

import numpy as np

from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.linking import Linked, linked
from prum.simulator.model import Assessment, Elements, InputError, Links
from prum.simulator.model.errors import did_you_mean
from prum.simulator.model.kinds import navigation_of


@dataclass(frozen=True, slots=True)
class Example:
    """A campaign that is built in: a figure or a table of the paper, or made; elements are letters.

    `lists` are by system. Links are written like "ca .4, cb .4"; without any, a tree makes them by
    equation 9, of lengths by parent and element: "a 100, ae 20". Assessments are written like
    "a32", for E3S2. Topics that have links of their own are `scenarios`. `kind` says how links are
    browsed, as `navigation_of` names it; what is none of the paper is `made`.
    """

    name: str
    about: str
    lists: Mapping[str, str] = field(default_factory=dict)
    ideals: str = ""
    size: int = 0
    links: str = ""
    scenarios: Mapping[str, str] = field(default_factory=dict)
    kind: str = "independent"
    tree: str = ""
    assessed: str = ""
    made: Callable[[str], Campaign] | None = None

    def load(self) -> Campaign:
        """Return it as a campaign of one topic, named as it is, or of its scenarios.

        >>> EXAMPLES["fig4"].load().task("list", "fig4")
        Task(ranking=('a', 'b', 'c'), ideals=('d',), collection_size=4)
        """
        if self.made is not None:
            return self.made(self.kind)
        topics = tuple(self.scenarios) or (self.name,)
        ideals = dict.fromkeys(topics, tuple(self.ideals))
        if self.scenarios:
            table = Linked({topic: _links(links) for topic, links in self.scenarios.items()})
        elif self.elements is not None and not self.links:
            table = linked(None, (), None, ideals, qrels=self.name, tree=self.elements)
        else:
            table = Linked(_links(self.links))
        return Campaign(
            name=self.name,
            ideals=ideals,
            runs={
                system: dict.fromkeys(topics, tuple(ranking))
                for system, ranking in self.lists.items()
            },
            navigation=table.browsed(self.kind),
            collection_size=self.size,
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


def _links(text: str) -> Links:
    return Links({(ends[0], ends[1]): p for ends, p in _numbers(text)})


_WEB, _LIST, _BY_GOOD_AND_BAD = "ca .4, cb .4, da .6, db .4", "cdab", {"good": "cba", "bad": "abc"}
# Table III: the ranks from which a and b are first seen.
FIRST_SEEN = ((1, 1), (1, 2), (1, 4), (2, 1), (2, 2), (2, 4), (3, 1), (3, 2), (3, 4))


def _scenario(*ranks: int) -> str:
    """Return the links of a scenario: users of Fig. 5 who all do the same."""
    ends = (f"{_LIST[rank - 1]}{ideal}" for ideal, rank in zip("ab", ranks, strict=True))
    return ", ".join(f"{pair} 1" for pair in ends if pair[0] != pair[1])


# What the text leaves open, and no printed number hangs on: in Fig. 1 how many elements there are
# besides those named, in Fig. 3 the lengths of all but a and b, and where c and d stand, in Fig. 7
# all lengths.
_PAPER = (
    Example(
        "fig1",
        "Fig. 1: a user who wants 4 ideals",
        {"list": "abcde"},
        "bfgh",
        11,
        "cf 1, df 1, di 1, eg 1, eh 1",
    ),
    Example(
        "fig2",
        "Fig. 2: moves from x to y and z, a walk",
        {"list": "x"},
        "yz",
        3,
        "xy .5, xz .3, yz .8, zy .12",
        kind="walk",
    ),
    Example(
        "fig3",
        "Fig. 3, left: a document, assessed near misses of f",
        {"perfect": "f", "b-then-a": "ba", "a-then-b": "ab"},
        "f",
        6,
        tree="a 100, ae 20, af 60, fb 10, fc 10, fd 10",
        assessed="a32 b23 c13 d13 f33",
    ),
    Example(
        "fig4",
        "Fig. 4: three elements that lead to d",
        {"list": "abc"},
        "d",
        4,
        "ad .4, bd .9, cd .2",
    ),
    Example("fig5", "Fig. 5 and Table III: Web pages", {"list": _LIST}, "ab", 4, _WEB),
    Example(
        "fig6",
        "Fig. 6, left: a document, browsed by equation 9",
        _BY_GOOD_AND_BAD,
        "c",
        6,
        tree="a 60, ab 40, bc 10, bd 10, be 10, af 10",
        assessed="a32 b32 c33",
    ),
    Example(
        "fig6-video",
        "Fig. 6, right: four scenes of a video",
        _BY_GOOD_AND_BAD,
        "c",
        4,
        "ac 1/6, bc 1/4",
    ),
    Example(
        "fig7",
        "Fig. 7: the best entry point, a",
        {"list": "a"},
        "bc",
        100,
        "ab 1, ac 1",
        tree="a 20, ab 10, ac 10",
        assessed="a33 b33 c33",
    ),
    Example(
        "table3",
        "Table III: nine scenarios of Fig. 5, each its own users",
        {"list": _LIST},
        "ab",
        4,
        scenarios={f"scenario-{k}": _scenario(*ranks) for k, ranks in enumerate(FIRST_SEEN, 1)},
    ),
)
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


_MADE = "20 topics, 8 systems, 3,000 linked pages"
_FIG5 = next(example for example in _PAPER if example.name == "fig5")
EXAMPLES: dict[str, Example] = {
    example.name: example
    for example in (
        replace(_FIG5, name="web", about="The paper's Web example, that of fig5"),
        Example("campaign", f"Made: {_MADE}", made=built_in_campaign),
        Example("walks", "The same, walked", kind="walk", made=built_in_campaign),
        Example(
            "notes",
            "Made: hub h, note n, plan p, budget b and diary d, whose links are followed two hops",
            lists={"hubs": "hn", "notes": "nh"},
            ideals="pb",
            size=8,
            links="hp .6, hb .5, hd .9, pb .7, np .8",
            kind="expansion 2",
        ),
        *_PAPER,
    )
}


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
