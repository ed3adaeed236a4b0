"""The built-in examples by name: the paper's figures and scenarios, and campaigns of a seed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.paper import PAPER
from prum.simulator.model import Assessment, Elements, Independent, InputError, Links
from prum.simulator.model.errors import did_you_mean
from prum.simulator.model.kinds import navigation_of

ExampleName = Literal[
    "web",
    "campaign",
    "walks",
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


def web_example() -> Campaign:
    """Return the paper's Web example: Fig. 5 and Table III.

    >>> web_example().task("list", "web").ranking
    ('c', 'd', 'a', 'b')
    """
    links = {("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4}
    return Campaign(
        name="web",
        ideals={"web": ("a", "b")},
        runs={"list": {"web": ("c", "d", "a", "b")}},
        navigation=Independent(links),
        collection_size=4,
    )


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
        wanted = community * _COMMUNITY + rng.permutation(_COMMUNITY)[: int(rng.integers(3, 9))]
        ideals[topic] = tuple(pages[page] for page in sorted(wanted.tolist()))
        strongest = np.zeros(_NUM_PAGES)
        for ideal in wanted.tolist():
            for page, share in linking[ideal]:
                strongest[page] = max(strongest[page], share / _CONTINUE)
        is_ideal = np.zeros(_NUM_PAGES)
        is_ideal[wanted] = 1
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


@dataclass(frozen=True, slots=True)
class Example:
    """A campaign that is built in.

    Parameters
    ----------
    about
        What it is, in a line.
    load
        Makes the campaign.
    kind
        How it is browsed, as `navigation_of` names it.
    assessments
        Of its only topic: element -> assessment, where there are some beside the ideals.
    elements
        The tree that elements stand in, if there is one.
    """

    about: str
    load: Callable[[], Campaign]
    kind: str = "independent"
    assessments: Mapping[str, Assessment] = field(default_factory=dict)
    elements: Elements | None = None


EXAMPLES: dict[str, Example] = {
    "web": Example("The paper's Web example, that of fig5", web_example),
    "campaign": Example("Made: 20 topics, 8 systems, 3,000 linked pages", built_in_campaign),
    "walks": Example("The same, walked", lambda: built_in_campaign("walk"), "walk"),
    **{
        paper.name: Example(paper.about, paper.load, paper.kind, paper.assessments, paper.elements)
        for paper in PAPER
    },
}


def example_of(name: str) -> Example:
    """Return the example of a name.

    Raises
    ------
    InputError
        if there is none.
    """
    if name not in EXAMPLES:
        rule = f"be one of {', '.join(EXAMPLES)}"
        raise InputError("example", name, rule, remedy=did_you_mean(name, EXAMPLES))
    return EXAMPLES[name]


def example_campaign(name: str) -> Campaign:
    """Return a built-in campaign by name, as `--example` does: fig1 to fig7 are the paper's.

    Raises
    ------
    InputError
        if there is none of that name.

    >>> example_campaign("fig6").task("bad", "fig6").ranking
    ('a', 'b', 'c')
    """
    return example_of(name).load()
