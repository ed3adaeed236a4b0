"""Navigation of people who walk: the chance to get from an element to an ideal at all."""

from collections.abc import Iterable, Sequence

from prum.analytic.precision.of_task import reach_matrix
from prum.simulator.model import Links, Task, Walk


def reached(steps: Links, elements: Iterable[str], ideals: Sequence[str]) -> Links:
    """Return P(x -> y) of some elements to some ideals, where each step is one of a walk.

    >>> reached(Links({("x", "z"): 0.5, ("z", "y"): 0.5}), ["x"], ["y"])
    Links({('x', 'y'): 0.25})
    """
    listed = tuple(sorted(set(elements)))
    task = Task(listed, ideals, len(listed) + len(ideals))
    reach = reach_matrix(task, Walk(steps)).tocoo()
    rows = [
        (listed[x], ideals[y], float(p))
        for x, y, p in zip(*(part.tolist() for part in (*reach.coords, reach.data)), strict=True)
        if p > 0 and listed[x] != ideals[y]
    ]
    sources, targets, values = zip(*rows, strict=True) if rows else ((), (), ())
    return Links.from_columns(sources, targets, list(values))
