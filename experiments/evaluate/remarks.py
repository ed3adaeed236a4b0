"""Remarks on an evaluation, a line each: what is odd of lists, and what was assumed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from prum.experiments.frame.numbers import number
from prum.experiments.measures.judged import Judged, RankingLike, taken
from prum.simulator.collections.linking import LinkUse
from prum.simulator.collections.trec import TOP
from prum.simulator.model.errors import shown

# Runs that a line names, and the ranks that are the first.
_MOST_RUNS, _TOP = 3, TOP
# Less comes of what is computed in the place of an endless collection.
_LEAST_RISE = 1e-6


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
    merged_places
        Of the first ten ranks those that are ties only in single precision.
    alike
        If nothing that the run lists is judged: an element of it and a judged one that are the same
        but for case, blanks or a decimal point (7.0 for 7), empty if there is none such.
    """

    system: str
    places: int
    repeated: int
    unjudged: int
    top_places: int
    unjudged_in_top: int
    missing_topics: tuple[str, ...]
    merged_places: int = 0
    alike: tuple[str, ...] | None = None


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
            unjudged += len(distinct - topic.known)
            different += len(distinct)
            unjudged_in_top += sum(element not in topic.known for element in top)
    missing = tuple(topic.topic for topic in judged if topic.topic not in lists)
    alike = _alike(lists, judged) if 0 < different == unjudged else None
    near = getattr(lists, "merged", {})
    return InputWarnings(
        system,
        places,
        repeated,
        unjudged,
        top_places,
        unjudged_in_top,
        missing,
        sum(near.get(topic.topic, 0) for topic in judged) if near else 0,
        alike,
    )


def together(pieces: Sequence[InputWarnings]) -> InputWarnings:
    """Return what the pieces of a run warn of, each of some topics."""
    filled = [piece for piece in pieces if piece.places]
    alike = None
    if filled and all(piece.alike is not None for piece in filled):
        alike = next((piece.alike for piece in filled if piece.alike), ())
    counts = ("places", "repeated", "unjudged", "top_places", "unjudged_in_top", "merged_places")
    missing = tuple(topic for piece in pieces for topic in piece.missing_topics)
    sums = {name: sum(getattr(piece, name) for piece in pieces) for name in counts}
    return InputWarnings(pieces[0].system, **sums, missing_topics=missing, alike=alike)


def _alike(lists: Mapping[str, RankingLike], judged: Sequence[Judged]) -> tuple[str, ...]:
    """Return a listed element and a judged one of its topic that look alike, if any do."""
    for topic in judged:
        known = {_plain(element): element for element in topic.known}
        for element in taken(lists.get(topic.topic, ()), "ranking"):
            if _plain(element) in known:
                return element, known[_plain(element)]
    return ()


def _plain(element: str) -> str:
    """Return an id without what programs change on the way: case, blanks, the .0 of pandas."""
    return "".join(element.split()).casefold().removesuffix(".0")


def nothing_judged(lists: Sequence[InputWarnings]) -> Iterator[str]:
    """Yield a sentence for each run of which nothing is judged."""
    for run in lists:
        if run.alike is not None:
            why = ""
            if run.alike:
                listed, known = map(shown, run.alike)
                why = f": it has {listed} where judgements have {known}; write ids alike"
            yield f"Nothing that {run.system} lists is judged{why}"


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
        "places among the first ten that are ties only in single precision": [
            (run.merged_places, run.top_places, run.system) for run in counted
        ],
    }.items():
        there = sorted((row for row in counts if row[0]), key=lambda row: -row[0])
        if there:
            # One more is named, for "1 other" tells less.
            some = len(there) if len(there) == _MOST_RUNS + 1 else _MOST_RUNS
            most = [f"{number:,} of {of:,} in {name}" for number, of, name in there[:some]]
            if others := there[some:]:
                most.append(f"at most {others[0][0]:,} in each of {len(others)} others")
            yield f"{kind}: {', '.join(most)}"


def remarks(
    *,
    num_topics: int,
    without_ideals: Sequence[str],
    lists: Sequence[InputWarnings],
    size_rises: Mapping[str, float],
    takes_highest: bool,
    by_grade: Sequence[str] = (),
    size_name: str = "the collection's size",
    scale: float | None = None,
) -> Iterator[str]:
    """Yield the lines."""
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
    most = {measure: rise for measure, rise in size_rises.items() if rise > _LEAST_RISE}
    if most:
        rises = ", ".join(f"{name} by up to {number(rise, up=True)}" for name, rise in most.items())
        yield (
            f"{size_name} is not given, and taken as infinite, where nobody finds an ideal "
            f"behind the list; a smaller one could raise the mean of {rises}"
        )


def browsing(links: LinkUse) -> str:
    """Return whether people browse, and what PRUM needs if they do not."""
    if links.num_links:
        return str(links)
    return f"{links}; for PRUM give links or elements, and the collection's size"
