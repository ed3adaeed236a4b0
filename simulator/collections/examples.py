"""The built-in examples by name: made campaigns, and the figures and scenarios of the paper."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from prum.simulator.collections.built_in import built_in_campaign, web_example
from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.paper import PAPER
from prum.simulator.model import Assessment, Elements, InputError

ExampleName = Literal[
    "web", "campaign", "walks",
    "fig1", "fig2", "fig3", "fig4", "fig5", "fig6", "fig6-video", "fig7",
    "table3-a", "table3-b", "table3-c", "table3-d", "table3-e", "table3-f", "table3-g", "table3-h",
    "table3-i",
]  # fmt: skip


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
        raise InputError("example", name, rule, remedy="choose one of them")
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
