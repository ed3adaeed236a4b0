"""Parts: a cell's result comes in ranges of its users, each of which is counted once."""

from collections.abc import Iterable
from dataclasses import dataclass

# The first user and how many; (0, 0) is a formula.
UsersOfPart = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CellPart:
    """A result for some of a cell's users, as JSON, and the seconds it took.

    `warm_up` says that it was its process's first of its kind: it imported, or read files.
    """

    key: str
    first: int
    count: int
    result: str
    seconds: float
    warm_up: bool = False


def missing(parts: Iterable[UsersOfPart], wanted: UsersOfPart) -> list[UsersOfPart]:
    """Return which users of `wanted`, (first, count), are in none of `parts`.

    >>> missing([(10, 10), (30, 5)], (0, 40))
    [(0, 10), (20, 10), (35, 5)]
    """
    begin, end = wanted[0], sum(wanted)
    gaps = []
    for first, count in sorted(parts):
        if begin < min(first, end):
            gaps.append((begin, min(first, end) - begin))
        begin = max(begin, first + count)
    return [*gaps, (begin, end - begin)] if begin < end else gaps
