"""Ways of browsing by links alone: those of pages, and those that users were seen to follow."""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import InputError, check_id, check_pair, proportion, whole_number
from prum.simulator.model.tables import Links


def web(links: Links | Iterable[tuple[str, str]], damping: float) -> Links:
    """Return the steps of users who follow a link with probability `damping`, for `Walk`.

    All links of a page are equally likely::

        p(x, y) = damping / outdegree(x)

    Links of a page to itself are left out and do not count in its outdegree. Of `Links` only the
    pairs are used.

    Raises
    ------
    InputError
        for a damping outside [0, 1], a link given twice, a link that is not a pair of ids.

    >>> web([("x", "y"), ("x", "z"), ("y", "y")], 0.8)
    Links({('x', 'y'): 0.4, ('x', 'z'): 0.4})
    """
    share = proportion("damping", damping, remedy="give the probability of going on")
    if isinstance(links, Links):
        pairs = [(source, target) for source, target, _ in links]
    else:
        pairs = [check_pair("link", pair) for pair in links]
    table = Links.from_columns([x for x, _ in pairs], [y for _, y in pairs], np.ones(len(pairs)))
    away = table.sources != table.targets
    sources, targets = table.sources[away], table.targets[away]
    steps = share / np.bincount(sources)[sources]
    kept = steps > 0
    return Links.from_columns(
        [table.elements[x] for x in sources[kept].tolist()],
        [table.elements[y] for y in targets[kept].tolist()],
        steps[kept],
    )


def observed(transitions: Mapping[tuple[str, str], int], visits: Mapping[str, int]) -> Links:
    """Return the shares of observed users who went from x to y::

        p(x, y) = transitions[x, y] / visits[x]

    where `visits[x]` counts how often users were at x: the share that is missing to 1 stopped
    there. If the transitions are single steps, the table is for `Walk`; if they count users who
    came from x to y sooner or later, for `Independent`. A share is an estimate, with the error of
    its count.

    Raises
    ------
    InputError
        for a count that is not a whole number of at least 0, more transitions than visits, a source
        without visits, a transition from an element to itself.

    >>> steps = {("x", "y"): 50, ("x", "z"): 30, ("y", "z"): 80, ("z", "y"): 12}         # Fig. 2
    >>> observed(steps, {"x": 100, "y": 100, "z": 100})
    Links({('x', 'y'): 0.5, ('x', 'z'): 0.3, ('y', 'z'): 0.8, ('z', 'y'): 0.12})
    """
    for name, counts in (("transitions", transitions), ("visits", visits)):
        if not isinstance(counts, Mapping):
            raise InputError(name, counts, "be a mapping to counts", remedy="give a dict")
    times = {
        check_id("element of visits", element): whole_number(
            f"visits of {element!r}", count, least=0, remedy="count how often users were there"
        )
        for element, count in visits.items()
    }
    rows = dict[tuple[str, str], int]()
    for pair, count in transitions.items():
        check_pair("a pair of transitions", pair)
        source, target = check_id("source", pair[0]), check_id("target", pair[1])
        if source == target:
            raise InputError(
                "transition", pair, "lead to another element", remedy="do not count it as a visit"
            )
        if source not in times:
            raise InputError(
                "source", source, "have a number of visits", remedy="count them, stops included"
            )
        number = whole_number(
            f"count of {source!r} -> {target!r}",
            count,
            least=0,
            most=times[source],
            remedy=f"count every visit of {source!r}",
        )
        if number:
            rows[source, target] = number
    went = np.array(list(rows.values()), dtype=np.float64)
    were = np.array([times[source] for source, _ in rows], dtype=np.float64)
    return Links(dict(zip(rows, observed_shares(went, were).tolist(), strict=True)))


def observed_shares(counts: ArrayLike, visits: ArrayLike) -> Floats:
    """Return counts / visits, 0 where nobody was: what `observed` is of columns.

    >>> observed_shares(np.array([50, 0]), np.array([100, 0])).tolist()
    [0.5, 0.0]
    """
    went, were = np.asarray(counts, dtype=np.float64), np.asarray(visits, dtype=np.float64)
    return np.divide(went, were, out=np.zeros(went.shape), where=were > 0)
