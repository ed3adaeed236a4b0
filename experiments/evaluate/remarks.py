"""Remarks on an evaluation: what is odd of its input, and what was assumed, a line each."""

from collections.abc import Iterator, Mapping, Sequence

from prum.experiments.compare.wording import number
from prum.experiments.evaluate.input_warnings import InputWarnings, warning_lines
from prum.simulator.collections.link_use import LinkUse
from prum.simulator.model.errors import shown

# Less comes of what is computed in the place of an endless collection.
_LEAST_RISE = 1e-6


def remarks(
    *,
    num_topics: int,
    without_ideals: Sequence[str],
    lists: Sequence[InputWarnings],
    size_rises: Mapping[str, float],
    takes_highest: bool,
    subtopics_by_column: Sequence[str] = (),
    size_name: str = "the collection's size",
) -> Iterator[str]:
    """Yield the lines."""
    if without_ideals:
        yield f"left out, no ideal: {', '.join(without_ideals)}"
    yield from warning_lines(lists, num_topics)
    if takes_highest:
        yield "qrels judge subtopics: other measures take an element's highest grade of them"
    if subtopics_by_column:
        first = ", ".join(map(shown, subtopics_by_column[:3]))
        more = ", ..." if len(subtopics_by_column) > 3 else ""
        yield (
            "no element is judged for two subtopics: the second column of the qrels "
            f"({first}{more}) is taken for subtopics, though it may hold rounds of judging"
        )
    most = {measure: rise for measure, rise in size_rises.items() if rise > _LEAST_RISE}
    if most:
        rises = ", ".join(f"{name} by up to {number(rise, up=True)}" for name, rise in most.items())
        yield (
            f"{size_name} is not given, and taken for endless, where nobody finds an ideal "
            f"behind the list; a smaller one could raise the mean of {rises}"
        )


def browsing(links: LinkUse) -> str:
    """Return whether people browse, and what PRUM needs if they do not."""
    if links.num_links:
        return str(links)
    return f"{links}; for PRUM give links or elements, and the collection's size"
