"""Naive readers of chunks: sets of characters, every opening tossed when it is due, no tables."""

import numpy as np
from numpy.typing import NDArray

from prum.simulator.model import Covering, Task

Ints = NDArray[np.int64]
Character = tuple[str, int]


def naive_readers(
    task: Task, covering: Covering, num_users: int, rng: np.random.Generator
) -> tuple[Ints, Ints]:
    """Return C(r) and CL(r) of each user, shape (num_users, t)."""
    text = {chunk: _characters(*place) for chunk, *place in covering.chunks}  # type: ignore[arg-type]
    links: dict[str, list[tuple[str, float]]] = {}
    for source, target, p in covering.links:
        links.setdefault(source, []).append((target, p))
    consulted = np.empty((num_users, task.num_ideals), dtype=np.int64)
    leading = np.empty_like(consulted)
    for user in range(num_users):
        stops = _seen_at(task, covering, text, links, rng)
        consulted[user] = sorted(stops)
        leading[user] = [len({stop for stop in stops if stop <= c}) for c in sorted(stops)]
    return consulted, leading


def _seen_at(
    task: Task,
    covering: Covering,
    text: dict[str, set[Character]],
    links: dict[str, list[tuple[str, float]]],
    rng: np.random.Generator,
) -> list[int]:
    """Return how many chunks a user consults up to the one that shows them each span."""
    needed: dict[str, set[Character]] = {}
    for ideal in task.ideals:
        span = covering.spans[ideal]
        point = int(rng.integers(span.start, span.end))
        whole = _characters(span.document, span.start, span.end)
        needed[ideal] = whole if covering.whole else {(span.document, point)}
    shown: set[Character] = set()
    read: list[str] = []
    seen: dict[str, int] = {}
    for position, chunk in enumerate(task.ranking, start=1):
        if chunk not in read:
            opened = [target for target, p in links.get(chunk, ()) if rng.random() < p]
            for piece in (chunk, *opened):
                shown |= text[piece]
        read.append(chunk)
        for ideal in task.ideals:
            if needed[ideal] <= shown:
                seen.setdefault(ideal, position)
    missing = [ideal for ideal in task.ideals if ideal not in seen]
    places = rng.permutation(task.num_unranked)[: len(missing)] + 1 + task.num_ranked
    seen |= dict(zip(missing, places.tolist(), strict=True))
    return [seen[ideal] for ideal in task.ideals]


def _characters(document: str, start: int, end: int) -> set[Character]:
    return {(document, character) for character in range(start, end)}
