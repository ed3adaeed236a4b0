"""The part of a long session that is shown: first and last ranks, first moves of each."""

from collections.abc import Sequence
from dataclasses import dataclass

from prum.experiments.replay.wording import Step

FIRST, LAST, MOVES = 12, 6, 12


@dataclass(frozen=True, slots=True)
class Cut:
    """The steps that are shown.

    Parameters
    ----------
    steps
        In order; a step without events stands for those left out there.
    ranks
        The consulted ranks that are drawn, as first and last rank of each step.
    gap
        The first and the last rank left out, or None.
    """

    steps: tuple[Step, ...]
    ranks: tuple[tuple[int, int], ...]
    gap: tuple[int, int] | None


def cut(steps: Sequence[Step], *, first: int = FIRST, last: int = LAST, moves: int = MOVES) -> Cut:
    """Return the steps to draw; a single rank or move is never left out alone."""
    groups: list[list[Step]] = []
    for step in steps:
        is_new_rank = any(event.action == "consult" for event in step.events)
        if is_new_rank or not groups:
            groups.append([])
        groups[-1].append(step)
    end = [groups[-1].pop()] if groups and _is_end(groups[-1][-1]) else []
    groups = [group for group in groups if group]
    left_out = groups[first : len(groups) - last] if len(groups) > first + last + 1 else []
    drawn, kept = list[tuple[int, int]](), list[Step]()
    for number, group in enumerate(groups):
        if left_out and first <= number < len(groups) - last:
            if number == first:
                kept.append(_rest_of_ranks(left_out))
            continue
        drawn.append((group[0].rank, _last_rank(group)))
        kept += group if len(group) <= moves + 2 else [*group[: moves + 1], _rest(group, moves)]
    gap = (left_out[0][0].rank, _last_rank(left_out[-1])) if left_out else None
    return Cut((*kept, *end), tuple(drawn), gap)


def _is_end(step: Step) -> bool:
    return any(event.action == "stop" for event in step.events)


def _last_rank(group: list[Step]) -> int:
    return group[-1].events[-1].rank


def _rest(group: list[Step], moves: int) -> Step:
    """Return the step that stands for the later moves from one consulted element."""
    rest = group[moves + 1 :]
    text = f"{len(rest):,} more moves from there are left out{_new_in(rest)}."
    return Step(text, rest[-1].rank, (), any(step.new for step in rest), rest[-1].found)


def _rest_of_ranks(groups: list[list[Step]]) -> Step:
    rest = [step for group in groups for step in group]
    text = f"Ranks {rest[0].rank:,} to {_last_rank(rest):,} are left out{_new_in(rest)}."
    return Step(text, rest[-1].rank, (), any(step.new for step in rest), rest[-1].found)


def _new_in(rest: list[Step]) -> str:
    new = sum(step.new for step in rest)
    what = {0: "nothing new", 1: "1 new ideal"}.get(new, f"{new:,} new ideals")
    return f"; they led to {what}"
