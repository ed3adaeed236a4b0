"""A built-in example as `evaluate` takes it: runs, judgements, links and elements."""

from typing import Any

from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.examples import example_of
from prum.simulator.model import strict_ideals


def given_example(name: str) -> dict[str, Any]:
    """Return runs, qrels, links, elements, navigation, collection size, ideals, by these names.

    Judgements are the example's assessments, or grade 1 for each ideal and 0 for what else is
    listed. Links are by topic where they differ.

    Raises
    ------
    InputError
        if there is no example of that name.

    >>> given_example("fig7")["qrels"]["fig7"]["a"], given_example("fig4")["qrels"]
    (Assessment(exhaustivity=3, specificity=3), {'fig4': {'a': 0, 'b': 0, 'c': 0, 'd': 1}})
    """
    example = example_of(name)
    campaign = example.load()
    wanted = next(iter(campaign.ideals.values()))
    strict = strict_ideals(example.assessments) or wanted
    browses = campaign.link_use.num_links > 0
    return {
        "runs": campaign.runs,
        "qrels": {
            topic: example.assessments or _grades(campaign, topic) for topic in campaign.ideals
        },
        # Where nobody browses there are none, and elements make their own.
        "links": campaign.links if browses and campaign.way is None else None,
        "elements": example.elements or (),
        "navigation": campaign.kind if browses else None,
        "collection_size": campaign.collection_size,
        # Of Fig. 7 a is E3S3 as well, but the ideals are what it contains.
        "ideals": "strict" if strict == wanted else "best",
    }


def _grades(campaign: Campaign, topic: str) -> dict[str, int]:
    listed = (element for lists in campaign.runs.values() for element in lists[topic])
    return {**dict.fromkeys(listed, 0), **dict.fromkeys(campaign.ideals[topic], 1)}
