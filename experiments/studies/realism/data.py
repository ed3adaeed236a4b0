"""What is compared: the content of files, and the statistics that tell of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from prum.experiments.studies.realism import behaviour, lists, structure
from prum.experiments.studies.realism.distances import GroupedSample
from prum.experiments.studies.realism.lists import Qrels, Runs
from prum.experiments.studies.realism.reading import LinkTable, Paths
from prum.simulator.model.elements import Elements

if TYPE_CHECKING:
    import pandas as pd

    from prum.simulator.collections.clicks import ClickLog


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """The content of one side's files; None for what it has not."""

    links: LinkTable | None = None
    elements: Elements | None = None
    runs: Runs | None = None
    qrels: Qrels | None = None
    ideal_grade: int = 1
    log: "pd.DataFrame | None" = None
    clicks: "ClickLog | None" = None
    paths: Paths | None = None


@dataclass(frozen=True, slots=True)
class Statistic:
    """A number that each of some things has.

    Parameters
    ----------
    name
        As in the study's rows.
    plain
        As people read it.
    unit
        What is exchangeable: the group of a sample.
    sample
        Takes the content of files to the numbers; None where it needs others.
    """

    name: str
    plain: str
    unit: str
    sample: Callable[[Data], GroupedSample | None]


def samples(data: Data) -> dict[str, GroupedSample]:
    """Return the samples of all statistics that the content of the files tells, by name."""
    found = {statistic.name: statistic.sample(data) for statistic in STATISTICS}
    return {name: one for name, one in found.items() if one is not None and len(one.values)}


def both(
    first: Mapping[str, GroupedSample], second: Mapping[str, GroupedSample]
) -> dict[str, tuple[GroupedSample, GroupedSample]]:
    """Return the samples of statistics that both sides have, in their order.

    Where all that is relevant is ideal, on both sides, numbers of ideals tell nothing more.
    """
    pairs = {
        one.name: (first[one.name], second[one.name])
        for one in STATISTICS
        if one.name in first and one.name in second
    }
    if {"relevant", "ideal"} <= pairs.keys() and all(
        np.array_equal(own["relevant"].values, own["ideal"].values) for own in (first, second)
    ):
        del pairs["ideal"]
    return pairs


def _links(tell: Callable[[LinkTable], GroupedSample]) -> Callable[[Data], GroupedSample | None]:
    return lambda data: None if data.links is None else tell(data.links)


def _elements(tell: Callable[[Elements], GroupedSample]) -> Callable[[Data], GroupedSample | None]:
    return lambda data: None if data.elements is None else tell(data.elements)


def _runs(tell: Callable[[Runs], GroupedSample]) -> Callable[[Data], GroupedSample | None]:
    return lambda data: None if data.runs is None else tell(data.runs)


def _judged(
    tell: Callable[[Runs, Qrels, int], GroupedSample],
) -> Callable[[Data], GroupedSample | None]:
    return lambda data: (
        None
        if data.runs is None or data.qrels is None
        else tell(data.runs, data.qrels, data.ideal_grade)
    )


def _relevant(data: Data) -> GroupedSample | None:
    return None if data.qrels is None else lists.num_graded(data.qrels, 1)


def _ideal(data: Data) -> GroupedSample | None:
    return None if data.qrels is None else lists.num_graded(data.qrels, data.ideal_grade)


def _last_ranks(data: Data) -> GroupedSample | None:
    if data.clicks is not None:
        return behaviour.last_ranks_of_clicks(data.clicks)
    return None if data.log is None else behaviour.last_ranks_of_log(data.log)


def _clicks(data: Data) -> GroupedSample | None:
    if data.clicks is not None:
        return behaviour.clicked(data.clicks)
    return None if data.log is None else behaviour.consulted_of_log(data.log)


def _paths(tell: Callable[[Paths], GroupedSample]) -> Callable[[Data], GroupedSample | None]:
    def of(data: Data) -> GroupedSample | None:
        if data.paths is not None:
            return tell(data.paths)
        if data.log is None:
            return None
        # All users walk from the same pages of the same lists.
        return GroupedSample.whole(tell(behaviour.paths_of_log(data.log)).values)

    return of


STATISTICS = (
    Statistic("out_degree", "links of a page", "page", _links(structure.out_degrees)),
    Statistic("in_degree", "links to a page", "web", _links(structure.in_degrees)),
    Statistic("returned", "share of links returned", "web", _links(structure.returned)),
    Statistic("clustering", "share of targets linked", "web", _links(structure.clustering)),
    Statistic("leaf_length", "length of a leaf", "document", _elements(structure.leaf_lengths)),
    Statistic(
        "document_length", "length of a document", "document",
        _elements(structure.document_lengths),
    ),
    Statistic("leaf_depth", "depth of a leaf", "document", _elements(structure.leaf_depths)),
    Statistic(
        "children", "children, where there are", "document", _elements(structure.children)
    ),
    Statistic(
        "document_size", "elements of a document", "document", _elements(structure.document_sizes)
    ),
    Statistic("list_length", "length of a list", "topic", _runs(lists.list_lengths)),
    Statistic(
        "overlap", f"overlap of lists to rank {lists.DEPTH}", "topic", _runs(lists.overlaps)
    ),
    Statistic("relevant", "relevant elements of a topic", "topic", _relevant),
    Statistic("ideal", "ideal elements of a topic", "topic", _ideal),
    Statistic(
        "ideal_rank", f"rank of an ideal, to {lists.DEPTH}", "topic", _judged(lists.ideal_ranks)
    ),
    Statistic(
        "ideal_share", f"share of ideals to rank {lists.DEPTH}", "topic",
        _judged(lists.ideal_shares),
    ),
    Statistic(
        "system_spread", "AP of systems, sd on a topic", "topic", _judged(lists.system_spreads)
    ),
    Statistic(
        "topic_spread", "AP on topics, sd of a system", "campaign",
        _judged(lists.topic_spreads),
    ),
    Statistic("last_rank", "last rank of a search", "person", _last_ranks),
    Statistic("clicks", "clicks of a session", "person", _clicks),
    Statistic("path_length", "elements of a path", "path", _paths(behaviour.path_lengths)),
    Statistic("revisits", "revisits of a path", "path", _paths(behaviour.revisits)),
)  # fmt: skip
