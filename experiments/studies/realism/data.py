"""The content of files, and the statistics that both sides have."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from prum.experiments.statistics.distances import GroupedSample
from prum.experiments.studies.realism import lists, structure
from prum.experiments.studies.realism.behaviour import Behaviour, Paths
from prum.experiments.studies.realism.lists import Qrels, Runs
from prum.experiments.studies.realism.reading import LinkTable
from prum.simulator.model.elements import Elements

Samples = Mapping[str, GroupedSample]


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """The content of one side's files; None for what it has not."""

    links: LinkTable | None = None
    elements: Elements | None = None
    runs: Runs | None = None
    qrels: Qrels | None = None
    ideal_grade: int = 1
    people: Behaviour | None = None
    paths: Paths | None = None


@dataclass(frozen=True, slots=True)
class Statistic:
    """A number that each of some things has.

    `name` as in the study's rows, `plain` as people read it. The `unit` is what is exchangeable:
    the group of a sample, which may name another. `sample` takes what of `Data` it `needs` to the
    numbers.
    """

    name: str
    plain: str
    unit: str
    needs: tuple[str, ...]
    sample: Callable[..., GroupedSample]


def samples(data: Data) -> dict[str, GroupedSample]:
    """Return the samples of all statistics that the content of the files tells, by name."""
    known: dict[str, GroupedSample] = {}
    for statistic in STATISTICS:
        needs = [getattr(data, name) for name in statistic.needs]
        if all(content is not None for content in needs):
            sample = statistic.sample(*needs)
            if len(sample.values):
                known[statistic.name] = sample
    return known


def both(first: Samples, second: Samples) -> dict[str, tuple[GroupedSample, GroupedSample]]:
    """Return the samples of statistics that both sides have, in their order.

    Where all that is relevant is ideal, on both sides, numbers of ideals tell nothing more.
    """
    pairs = {
        name: (first[name], second[name]) for name in PLAIN if name in first and name in second
    }
    if {"relevant", "ideal"} <= pairs.keys() and all(
        np.array_equal(side["relevant"].values, side["ideal"].values) for side in (first, second)
    ):
        del pairs["ideal"]
    return pairs


_LINKS, _TREES, _JUDGED = ("links",), ("elements",), ("runs", "qrels", "ideal_grade")
_AT_FIRST = f"to rank {lists.DEPTH}"

STATISTICS = (
    Statistic("out_degree", "links of a page", "page", _LINKS,
              lambda links: GroupedSample.of(links.out_degrees)),
    Statistic("in_degree", "links to a page", "web", _LINKS,
              lambda links: GroupedSample.whole(links.in_degrees)),
    Statistic("returned", "share of links returned", "web", _LINKS, structure.returned),
    Statistic("clustering", "share of targets linked", "web", _LINKS, structure.clustering),
    Statistic("leaf_length", "length of a leaf", "document", _TREES,
              lambda elements: structure.of_leaves(elements, elements.lengths)),
    Statistic("document_length", "length of a document", "document", _TREES,
              lambda elements: GroupedSample.of(elements.lengths[elements.parents < 0])),
    Statistic("leaf_depth", "depth of a leaf", "document", _TREES,
              lambda elements: structure.of_leaves(elements, elements.depths)),
    Statistic("children", "children, where there are", "document", _TREES, structure.children),
    Statistic("document_size", "elements of a document", "document", _TREES,
              structure.document_sizes),
    Statistic("list_length", "length of a list", "topic", ("runs",), lists.list_lengths),
    Statistic("overlap", f"overlap of lists {_AT_FIRST}", "topic", ("runs",), lists.overlaps),
    Statistic("relevant", "relevant elements of a topic", "topic", ("qrels",), lists.num_graded),
    Statistic("ideal", "ideal elements of a topic", "topic", ("qrels", "ideal_grade"),
              lists.num_graded),
    Statistic("ideal_rank", f"rank of an ideal, to {lists.DEPTH}", "topic", _JUDGED,
              lists.ideal_ranks),
    Statistic("ideal_share", f"share of ideals {_AT_FIRST}", "topic", _JUDGED,
              lists.ideal_shares),
    Statistic("system_spread", "AP of systems, sd on a topic", "topic", _JUDGED,
              lists.system_spreads),
    Statistic("topic_spread", "AP on topics, sd of a system", "campaign", _JUDGED,
              lists.topic_spreads),
    Statistic("last_rank", "last rank of a search", "person", ("people",),
              lambda people: people.last_ranks),
    Statistic("clicks", "clicks of a session", "person", ("people",),
              lambda people: people.clicks),
    Statistic("path_length", "elements of a path", "path", ("paths",), Paths.num_elements),
    Statistic("revisits", "revisits of a path", "path", ("paths",), Paths.revisits),
)  # fmt: skip
PLAIN = {statistic.name: statistic.plain for statistic in STATISTICS}
