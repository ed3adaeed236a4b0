"""Remarks on an evaluation, a line each: what is odd of lists, and what was assumed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

from prum.experiments.measures.judged import Judged, RankingLike, taken
from prum.experiments.measures.measure import Measure
from prum.simulator.collections.linking import LinkUse
from prum.simulator.collections.trec import TOP

# Runs that a line names, and the ranks that are the first.
_MOST_RUNS, _TOP = 3, TOP


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
    different, unjudged
        Elements, counted once a topic, and those of them that nobody judged: they count as not
        relevant.
    top_places, unjudged_in_top
        Of the first ten ranks of these lists: how many there are, and how many hold an element that
        nobody judged.
    missing_topics
        Topics that the run lacks: they count as empty lists.
    merged_places
        Of the first ten ranks those that are ties only in single precision.
    """

    system: str
    places: int
    repeated: int
    different: int
    unjudged: int
    top_places: int
    unjudged_in_top: int
    missing_topics: tuple[str, ...]
    merged_places: int = 0


def input_warnings(
    system: str, lists: Mapping[str, RankingLike], judged: Sequence[Judged]
) -> InputWarnings:
    """Return what a run's lists warn of.

    >>> from prum.experiments.measures.judged import Collection
    >>> topics = [Judged(name, ("a",), {"a": 1}, None, Collection()) for name in ("q1", "q2")]
    >>> input_warnings("bm25", {"q1": ("a", "x", "a")}, topics).unjudged_in_top
    1
    """
    places = repeated = unjudged = different = top_places = unjudged_in_top = 0
    for topic in judged:
        ranking = taken(lists.get(topic.topic, ()), "ranking")
        distinct = set(ranking)
        places += len(ranking)
        repeated += len(ranking) - len(distinct)
        top = ranking[:_TOP]
        top_places += len(top)
        if topic.covering is None:  # what a chunk shows is known of every chunk
            unjudged += len(distinct - topic.assessed)
            different += len(distinct)
            unjudged_in_top += sum(element not in topic.assessed for element in top)
    missing = tuple(topic.topic for topic in judged if topic.topic not in lists)
    near = getattr(lists, "merged", {})
    return InputWarnings(
        system,
        places,
        repeated,
        different,
        unjudged,
        top_places,
        unjudged_in_top,
        missing,
        sum(near.get(topic.topic, 0) for topic in judged) if near else 0,
    )


def together(pieces: Sequence[InputWarnings]) -> InputWarnings:
    """Return what the pieces of a run warn of, each of some topics."""
    first, *others = pieces
    for piece in others:
        names = (field.name for field in fields(InputWarnings)[1:])
        sums = (getattr(first, name) + getattr(piece, name) for name in names)
        first = InputWarnings(first.system, *sums)
    return first


def warning_lines(counted: Sequence[InputWarnings], num_topics: int) -> Iterator[str]:
    """Yield a line for each kind of warning that there is, with the runs that have most of it."""
    kinds = {
        "elements listed again for a topic, of no worth then": [
            (run.repeated, run.places, run.system) for run in counted
        ],
        "judged topics that a run lacks, scored as empty lists": [
            (len(run.missing_topics), num_topics, run.system) for run in counted
        ],
        "places among the first ten whose element nobody judged, scored as not relevant": [
            (run.unjudged_in_top, run.top_places, run.system) for run in counted
        ],
        "places among the first ten that are ties only in single precision": [
            (run.merged_places, run.top_places, run.system) for run in counted
        ],
    }
    return most_lines(
        {
            kind: [(number, f"{number:,} of {of:,}", system) for number, of, system in rows]
            for kind, rows in kinds.items()
        }
    )


def most_lines(kinds: Mapping[str, Sequence[tuple[float, str, str]]]) -> Iterator[str]:
    """Yield a line for each kind of rows (how much, in words, run), with the runs with most of it.

    >>> list(most_lines({"odd": [(1, "1 of 2", "a"), (0, "0 of 2", "b")], "even": []}))
    ['odd: 1 of 2 in a']
    """
    for kind, rows in kinds.items():
        there = sorted((row for row in rows if row[0]), key=lambda row: -row[0])
        if len(there) > 1 and len({text for _, text, _ in rows}) == 1:
            yield f"{kind}: {there[0][1]} in all runs"
        elif there:
            yield f"{kind}: {few([f'{text} in {system}' for _, text, system in there])}"


def few(texts: Sequence[str]) -> str:
    """Return the first texts, and how many more there are; one more is named."""
    more = len(texts) - _MOST_RUNS
    some = texts if more == 1 else texts[:_MOST_RUNS]
    return ", ".join([*some, *([f"and {more:,} more"] if more > 1 else [])])


def remarks(
    lists: Sequence[InputWarnings],
    *,
    num_topics: int,
    without_ideals: Sequence[str],
    by_grade: Sequence[str] = (),
    takes_highest: bool = False,
    scale: float | None = None,
    unsized: Sequence[str] | None = None,
    size_name: str = "the collection's size",
) -> Iterator[str]:
    """Yield the lines.

    Topics `by_grade` have no ideals, but scores. `scale` is the grade that was taken for relevance
    1. `unsized` are the measures that a size would change, if nobody gave it.
    """
    left_out = [topic for topic in without_ideals if topic not in by_grade]
    if left_out:
        yield f"left out, no ideal: {', '.join(left_out)}"
    if by_grade:
        yield f"no ideal, scored by grades alone, as nDCG does: {', '.join(by_grade)}"
    yield from warning_lines(lists, num_topics)
    if takes_highest:
        yield "qrels judge subtopics: other measures take an element's highest grade of them"
    if scale is not None:
        yield (
            f"relevance 1 is grade {scale:g}, the highest judged: where the scale goes on, "
            "write ADM(highest=10), say"
        )
    if unsized is not None:
        raised = f"; a smaller one could raise the mean of {', '.join(unsized)}" if unsized else ""
        yield (
            f"{size_name} is not given, and taken as infinite, where nobody finds an ideal "
            f"behind the list{raised}"
        )


def counting_measures(measures: Sequence[Measure]) -> list[str] | None:
    """Return the measures that a collection's size would change, None if there are none."""
    return [str(x) for x in measures if x.definition.counts_unlisted] or None


def browsing(links: LinkUse) -> str:
    """Return whether people browse, and what PRUM needs if they do not."""
    if links.num_links:
        return str(links)
    return f"{links}; for PRUM give links or elements, and the collection's size"
