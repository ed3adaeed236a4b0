"""Reading a campaign: runs and judgements, and links, or elements that make links."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.judgements import (
    assessed_ideals,
    judgements_in,
    lists_of_runs,
    relevance_of,
)
from prum.simulator.collections.link_use import check_browsable
from prum.simulator.collections.linking import brings_links, linked, read_trees
from prum.simulator.collections.qrels import ideals_of
from prum.simulator.model import Elements, InputError, Navigation
from prum.simulator.model.errors import shown
from prum.simulator.tables.files import looked_at, place, readable


def read_campaign(
    runs: Sequence[str | Path],
    qrels: str | Path,
    links: str | Path | None = None,
    *,
    elements: Sequence[str | Path] = (),
    way: str | None = None,
    collection_size: int | None = None,
    kind: str | Navigation | None = None,
    ideal_grade: int = 1,
    ideals: str = "strict",
) -> Campaign:
    """Return a campaign from runs and judgements, and from links or elements that make links.

    Runs are TREC's, INEX's submissions, or tables with names; judgements qrels with grades or with
    assessments like E3S2, INEX's assessments, or tables with names. An element that is judged for
    several subtopics has its highest grade.

    Systems are named, and folders read, as `named_runs` does. Topics of a run that were not judged
    are ignored, as by trec_eval. Without links and elements nobody browses. By default users browse
    as the way is meant, along the steps of a walk; else independently.

    Parameters
    ----------
    elements
        A table of elements, or XML files, each a document: `read_elements`, `read_xml`. Beside
        links they make none: users browse by the links, and elements tell documents.
    way
        The way that makes links, as `way_of` reads it; by default elements make those of their
        structure, and links stay as they are.
    collection_size
        Number of elements of the collection; by default those of `elements`.
    kind
        How users browse, as `navigation_of` names it; or the name of a file of `prum fit`, dials
        behind it, as "fitted.json + fading .9", or a navigation: these have links of their own.

    Raises
    ------
    InputError
        as the readers, `way_of` and `navigation_of`; if no topic has an ideal, if an ideal is not
        among the elements, if an end of a link is not, if a run is given twice, if a kind is given
        but neither links nor elements, if no link starts at a listed element or none leads to an
        ideal, if no listed element is among the elements, or if the files name more elements than
        the collection holds.
    OSError
        if a file cannot be read.
    """
    has_own = brings_links(kind)
    check_browsable(kind, given=has_own or links is not None or bool(elements))
    check_size_known(collection_size, elements)
    judged, tree, relevance = _judged(qrels, elements, ideal_grade, ideals)
    chosen = {topic: wanted for topic, wanted in judged.items() if wanted}
    lists = {system: by_topic for system, by_topic, _ in lists_of_runs(runs)}
    table = linked(
        links, elements, way, chosen, qrels=qrels, tree=tree, kind=kind, relevance=relevance
    )
    navigation = table.browsed()
    listed = set[str]().union(
        *(by_topic.get(topic, ()) for by_topic in lists.values() for topic in chosen)
    )
    if elements and listed and listed.isdisjoint(table.named):
        thing, rule = "number of listed elements among the elements", "be at least 1"
        remedy = f"elements have ids like {shown(table.named[-1])}, runs list ids like "
        remedy += f"{shown(min(listed))}: use the same ids, or give all elements"
        raise InputError(thing, 0, rule, remedy=remedy, place=place(elements[0]))
    named = listed.union(table.named, *chosen.values())
    if collection_size is None:
        collection_size = len(table.named)
    if len(named) > collection_size:
        raise InputError(
            "collection size",
            collection_size,
            f"be at least {len(named)}, the elements that runs, qrels and "
            f"{'elements' if elements else 'links'} name",
            remedy="count every element of the collection",
        )
    campaign = Campaign(
        name=readable(Path(qrels).name),
        ideals=chosen,
        runs=lists,
        navigation=navigation,
        collection_size=collection_size,
        without_ideals=tuple(topic for topic, wanted in judged.items() if not wanted),
        documents=table.documents,
        way=table.way,
        elements=table.elements,
    )
    if has_own or links is not None:
        campaign.link_watch().checked(table.kind if links is None else links)
    return campaign


def _judged(
    qrels: str | Path, elements: Sequence[str | Path], ideal_grade: int, ideals: str
) -> tuple[Mapping[str, tuple[str, ...]], Elements | None, Callable[[str], Mapping[str, float]]]:
    """Return the ideals of each topic, of some one, the elements if needed, and the relevance."""
    tree = None
    with looked_at(qrels) as file:
        grades, assessed, *_ = judgements_in(file)
        if assessed is None:
            judged = ideals_of(grades, ideal_grade=ideal_grade)
            remedy = f"lower the ideal grade (now {ideal_grade}) or judge more elements"
        else:
            tree = read_trees(elements) if elements else None
            judged = assessed_ideals(assessed, tree, ideals, place=place(qrels))
            remedy = "take --ideals best, or assess some element E3S3"
    if not any(judged.values()):
        thing, rule = "number of topics with an ideal element", "be at least 1"
        raise InputError(thing, 0, rule, remedy=remedy, place=str(qrels))
    return judged, tree, partial(relevance_of, grades, assessed)


def check_size_known(collection_size: int | None, elements: Sequence[object] | None) -> None:
    """Raise if the size of a collection is neither given nor that of its elements.

    Raises
    ------
    InputError
        then.
    """
    if collection_size is None and not elements:
        raise InputError(
            "collection_size",
            None,
            "be given where no elements are",
            remedy="give the number of all elements, or a table of them",
        )
