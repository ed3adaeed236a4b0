"""Users who read chunks, by enumeration of their points and openings in exact fractions."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from prum.simulator.model import Covering, Task


def outcomes(
    task: Task, covering: Covering
) -> Iterator[tuple[Fraction, list[int | None], list[int]]]:
    """Yield probability, the rank (from 0) at which a user sees each ideal, characters of ranks.

    At a rank a user reads its chunk and what they open from it.
    """
    place = {chunk: (document, start, end) for chunk, document, start, end in covering.chunks}
    ranks = [
        (rank, element)
        for rank, element in enumerate(task.ranking)
        if element in place and element not in task.ranking[:rank]
    ]
    links = [(source, target, Fraction(p)) for source, target, p in covering.links]
    openings = [
        (rank, target, p)
        for rank, element in ranks
        for source, target, p in links
        if source == element and p > 0
    ]
    spans = [covering.spans[ideal] for ideal in task.ideals]
    characters = [[(x.document, k) for k in range(x.start, x.end)] for x in spans]
    points = [[tuple(each)] if covering.whole else [(c,) for c in each] for each in characters]
    for happens in product((False, True), repeat=len(openings)):
        chance, since = Fraction(1), {}
        opened = [(rank, element) for rank, element in ranks]
        read = [place[element][2] - place[element][1] for element in task.ranking]
        for (rank, target, p), happened in zip(openings, happens, strict=True):
            chance *= p if happened else 1 - p
            if happened:
                opened.append((rank, target))
                if target != task.ranking[rank]:
                    read[rank] += place[target][2] - place[target][1]
        if not chance:
            continue
        for rank, element in sorted(opened):
            document, start, end = place[element]
            for k in range(start, end):
                since.setdefault((document, k), rank)
        for needed in product(*points):
            first: list[int | None] = []
            for each in needed:
                at = [since.get(character) for character in each]
                first.append(None if None in at else max(k for k in at if k is not None))
            share = chance
            for each in points:
                share /= len(each)
            yield share, first, read


def expected(task: Task, covering: Covering) -> tuple[list[Fraction], list[Fraction]]:
    """Return E[CL(r)] and E[C(r)], r = 1 .. t."""
    t, u, o = task.num_ideals, task.num_unranked, task.num_ranked
    leading, consulted = [Fraction(0)] * t, [Fraction(0)] * t
    for share, first, _ in outcomes(task, covering):
        seen = sorted(rank for rank in first if rank is not None)
        unseen = t - len(seen)
        for r in range(1, t + 1):
            if r <= len(seen):
                last = seen[r - 1]
                leading[r - 1] += share * len({rank for rank in seen if rank <= last})
                consulted[r - 1] += share * (last + 1)
            else:
                more = r - len(seen)
                leading[r - 1] += share * (len(set(seen)) + more)
                consulted[r - 1] += share * (o + Fraction(more * (u + 1), unseen + 1))
    return leading, consulted


def expected_read(task: Task, covering: Covering, behind: Fraction) -> list[Fraction]:
    """Return the mean of characters read until r ideals are seen, r = 1 .. t.

    Each chunk behind the list has `behind` characters.
    """
    t, u = task.num_ideals, task.num_unranked
    total = [Fraction(0)] * t
    for share, first, read in outcomes(task, covering):
        seen = sorted(rank for rank in first if rank is not None)
        for r in range(1, t + 1):
            if r <= len(seen):
                total[r - 1] += share * sum(read[: seen[r - 1] + 1])
            else:
                draws = Fraction((r - len(seen)) * (u + 1), t - len(seen) + 1)
                total[r - 1] += share * (sum(read) + draws * behind)
    return total
