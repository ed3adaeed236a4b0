"""Warnings about lists, counted: repeats, missing topics, and unjudged elements."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from prum.experiments.measures.judged import Judged, RankingLike, taken

_MOST_RUNS = 3
_TOP = 10


@dataclass(frozen=True, slots=True)
class InputWarnings:
    """What a run's lists warn of for the judged topics.

    Parameters
    ----------
    system
        The run.
    places
        Ranks of all these lists.
    repeated
        Places whose element stands further up too: it is worth nothing again.
    unjudged
        Elements, counted once a topic, that nobody judged: they count as not relevant.
    top_places, unjudged_in_top
        Of the first ten ranks of these lists: how many there are, and how many hold an element that
        nobody judged.
    missing_topics
        Topics that the run lacks: they count as empty lists.
    """

    system: str
    places: int
    repeated: int
    unjudged: int
    top_places: int
    unjudged_in_top: int
    missing_topics: tuple[str, ...]


def input_warnings(
    system: str, lists: Mapping[str, RankingLike], judged: Sequence[Judged]
) -> InputWarnings:
    """Return what a run's lists warn of.

    >>> from prum.experiments.measures.judged import Collection
    >>> topics = [Judged(name, ("a",), {"a": 1}, None, Collection()) for name in ("q1", "q2")]
    >>> input_warnings("bm25", {"q1": ("a", "x", "a")}, topics).unjudged_in_top
    1
    """
    places = repeated = unjudged = top_places = unjudged_in_top = 0
    for topic in judged:
        ranking = taken(lists.get(topic.topic, ()), "ranking")
        distinct = set(ranking)
        places += len(ranking)
        repeated += len(ranking) - len(distinct)
        top = ranking[:_TOP]
        top_places += len(top)
        if topic.covering is None:  # what a chunk shows is known of every chunk
            unjudged += len(distinct - topic.known)
            unjudged_in_top += sum(element not in topic.known for element in top)
    missing = tuple(topic.topic for topic in judged if topic.topic not in lists)
    return InputWarnings(system, places, repeated, unjudged, top_places, unjudged_in_top, missing)


def counting(
    runs: Iterable[tuple[str, Mapping[str, RankingLike]]],
    judged: Sequence[Judged],
    counted: list[InputWarnings],
) -> Iterator[tuple[str, Mapping[str, RankingLike]]]:
    """Yield runs as they come, and add the warnings of each to a list."""
    for system, lists in runs:
        counted.append(input_warnings(system, lists, judged))
        yield system, lists


def warning_lines(counted: Sequence[InputWarnings], num_topics: int) -> Iterator[str]:
    """Yield a line for each kind of warning that there is, with the runs that have most of it."""
    for kind, counts in {
        "elements listed again for a topic, of no worth then": [
            (run.repeated, run.places, run.system) for run in counted
        ],
        "judged topics that a run lacks, scored as empty lists": [
            (len(run.missing_topics), num_topics, run.system) for run in counted
        ],
        "places among the first ten whose element nobody judged, scored as not relevant": [
            (run.unjudged_in_top, run.top_places, run.system) for run in counted
        ],
    }.items():
        there = sorted((row for row in counts if row[0]), key=lambda row: -row[0])
        if there:
            most = [f"{number:,} of {of:,} in {name}" for number, of, name in there[:_MOST_RUNS]]
            if len(there) > _MOST_RUNS:
                others = there[_MOST_RUNS:]
                most.append(f"at most {others[0][0]:,} in each of {len(others)} others")
            yield f"{kind}: {', '.join(most)}"
