"""Ways of browsing: from a tree, a timeline, assessments or links to a table of probabilities.

Each returns `Links`. Those for `Independent` hold P(x -> y); those for `Walk` the probability of
moving from x straight to y. Pairs of probability 0 have no row, nor have pairs (x, x): an element
always leads to itself.

Some take `targets`, the elements worth leading to, such as a task's ideals: P(x -> y) of other y
changes no result of `Independent` users, and no table holds all pairs of a long video.
"""

import math
from collections.abc import Iterable, Mapping

import numpy as np

from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.chunk_table import ChunkTable
from prum.simulator.model.elements import TOLERANCE, Elements
from prum.simulator.model.errors import InputError, amount, check_pair, proportion
from prum.simulator.model.tables import Links

MOST_PAIRS = 20_000_000
LEAST = 1e-9


def structural(elements: Elements, *, targets: Iterable[str] | None = None) -> Links:
    """Return P(x -> y) of users who move up and down in a tree, for `Independent`.

    Equation (9) of Piwowarski, Gallinari and Dupret (2007)::

        P(x -> y) = length(x) / length(y)   if y contains x
                    length(y) / length(x)   if x contains y
                    0                       otherwise

    so it is the same in both directions. The tree says what contains what (`Elements.contains`). An
    element of length 0 leads nowhere and is reached from nowhere.

    >>> tree = Elements({"a": (None, 60), "b": ("a", 40), "c": ("b", 10)})      # part of Fig. 6
    >>> structural(tree, targets=["c"])
    Links({('a', 'c'): 0.16666666666666666, ('b', 'c'): 0.25})
    >>> len(structural(tree))
    6
    """
    ends = _targets_of(elements, targets)
    below = elements.afters[ends] - ends - 1
    _check_pairs(int(elements.depths[ends].sum() + below.sum()))
    owners, inner = _ranges(ends + 1, elements.afters[ends])
    sources, reached = [inner], [ends[owners]]
    of, above = ends, elements.parents[ends]
    while (held := above >= 0).any():
        of, above = of[held], above[held]
        sources.append(above)
        reached.append(of)
        above = elements.parents[above]
    x, y = np.concatenate(sources), np.concatenate(reached)
    shorter = np.minimum(elements.lengths[x], elements.lengths[y])
    longer = np.maximum(elements.lengths[x], elements.lengths[y])
    ratio = np.divide(shorter, longer, out=np.zeros(len(x)), where=longer > 0)
    return _table_of(elements, x, y, ratio)


def chunks(
    elements: Elements | ChunkTable,
    *,
    next: float = 0.0,
    previous: float = 0.0,
    parent: float = 0.0,
    child: float = 0.0,
) -> Links:
    """Return P(x -> y) of users who look around from a retrieved chunk::

        P(x -> y) = next       if y is the sibling after x, in document order
                    previous   if y is the sibling before x
                    parent     if y is the parent of x
                    child      if y is a child of x (each child)
                    0          otherwise

    Documents are not siblings of each other. Chunks with offsets are siblings within a document if
    they have the same parent, or none, in order of start, then end, then row. With `Independent` a
    user sees what is next to the chunk and nothing further. `Walk` takes the table as well, if the
    probabilities from each chunk sum to 1 at most: then the user goes on from chunk to chunk.

    Raises InputError for a probability outside [0, 1]; for parents or children where no chunk with
    offsets has a parent.

    >>> page = Elements({"page": (None, 300), "c1": ("page", 120, 0), "c2": ("page", 120, 90)})
    >>> chunks(page, next=0.5, parent=0.1)
    Links({('c1', 'c2'): 0.5, ('c1', 'page'): 0.1, ('c2', 'page'): 0.1})
    >>> best_entry = Elements({"a": (None, 20), "b": ("a", 10), "c": ("a", 10)})     # Fig. 7
    >>> chunks(best_entry, child=1)
    Links({('a', 'b'): 1.0, ('a', 'c'): 1.0})
    >>> pieces = ChunkTable({"one": ("report", 0, 100), "two": ("report", 80, 180)})
    >>> chunks(pieces, next=0.5, previous=0.25)
    Links({('one', 'two'): 0.5, ('two', 'one'): 0.25})
    """
    shares = {"next": next, "previous": previous, "parent": parent, "child": child}
    for name, value in shares.items():
        proportion(name, value, remedy="give a probability")
    inner = np.flatnonzero(elements.parents >= 0)
    if isinstance(elements, ChunkTable):
        for name in ("parent", "child"):
            if shares[name] and len(elements) and not len(inner):
                rule = "be 0 where no chunk has a parent"
                remedy = "give chunks a column parent, or leave it out"
                raise InputError(name, shares[name], rule, remedy=remedy)
        family = np.stack([elements.document, elements.parents])
        order = np.lexsort((elements.ends, elements.starts, *family[::-1]))
        first, second = order[:-1], order[1:]
        same = (family[:, first] == family[:, second]).all(axis=0)
    else:
        # What follows the subtree of x is its next sibling if they share a parent.
        first = inner[elements.afters[inner] < len(elements)]
        second = elements.afters[first]
        same = elements.parents[first] == elements.parents[second]
    first, second = first[same], second[same]
    outer = elements.parents[inner]
    return _table_of(
        elements,
        np.concatenate([first, second, inner, outer]),
        np.concatenate([second, first, outer, inner]),
        np.repeat(list(shares.values()), [len(x) for x in (first, second, inner, outer)]),
    )


def timeline(
    elements: Elements,
    leaving_rate: float,
    *,
    targets: Iterable[str] | None = None,
    least: float = LEAST,
) -> Links:
    """Return P(x -> y) of users who watch on from where x starts, for `Independent`.

    They leave at a constant rate per unit of the table (seconds, words), so that after a time s
    they are still there with probability exp(-rate s)::

        P(x -> y) = exp(-rate max(0, start(y) - start(x)))   if y is not over where x starts
                    0                                        if it is, or in another document

    A user who enters in the middle of y sees y at once. Pairs with a probability below `least` are
    left out; the default of 1e-9 is far below what any number of users resolves.

    One user's visits are not independent: to see a late element they pass those before it. The law
    with this dependence is `Walk(timeline_steps(...))`.

    >>> video = Elements({"v": (None, 90), "a": ("v", 30), "b": ("v", 30), "c": ("v", 30)})
    >>> timeline(video, 0.1, targets=["b"])
    Links({('a', 'b'): 0.049787068367863944, ('v', 'b'): 0.049787068367863944})
    >>> timeline(video, 0.1, targets=["v"])
    Links({('a', 'v'): 1.0, ('b', 'v'): 1.0, ('c', 'v'): 1.0})
    """
    rate = amount("leaving_rate", leaving_rate, remedy="give a number")
    proportion("least", least, remedy="give the least probability to keep")
    horizon = -math.log(least) / rate * (1 + TOLERANCE) if rate and least else math.inf
    ends = _targets_of(elements, targets)
    x, y = _heard(elements, ends, horizon)
    reached = _staying(rate, _ahead(elements, x, y))
    return _table_of(elements, x, y, np.where(reached >= least, reached, 0.0))


def timeline_steps(elements: Elements, leaving_rate: float) -> Links:
    """Return the steps of users who watch on from where x starts, for `Walk`::

        p(x, y) = exp(-rate (start(y) - start(x)))   if y is the element after x in time
                  0                                  otherwise

    In time means by start, then in document order, so that a parent comes before the child that
    starts with it. The walk from x reaches every later y with the probability of `timeline`, but
    nothing that began before x.

    >>> video = Elements({"v": (None, 90), "a": ("v", 30), "b": ("v", 30)})
    >>> timeline_steps(video, 0.1)
    Links({('a', 'b'): 0.049787068367863944, ('v', 'a'): 1.0})
    """
    rate = amount("leaving_rate", leaving_rate, remedy="give a number")
    order = np.lexsort((elements.starts, elements.documents))
    x, y = order[:-1], order[1:]
    same = elements.documents[x] == elements.documents[y]
    x, y = x[same], y[same]
    return _table_of(elements, x, y, _staying(rate, elements.starts[y] - elements.starts[x]))


def tolerance(
    elements: Elements,
    ideals: Iterable[str],
    *,
    words: float,
    falling: bool = False,
    targets: Iterable[str] = (),
) -> Links:
    """Return P(x -> y) of users who read on to an ideal, or until too much is irrelevant.

    Tolerance to irrelevance (de Vries and others 2004): from the start of x the user reads on in
    its document and stops at the first ideal, or after so many `words` that are in none (in the
    unit of the table). With d(x, y) = max(0, start(y) - start(x)) for an ideal y that is not over
    where x starts, otherwise infinite::

        P(x -> y) = P(tolerance >= d(x, y))   if no ideal of the document is nearer, x included
                    0                         otherwise

    The tolerance is `words` for every user, so that the probability is 1 or 0. If `falling`, it
    differs between users, exponentially with mean `words`: P(x -> y) = exp(-d(x, y) / words).
    Ideals that are equally near, such as all that hold the place where x starts, are all seen. So
    are other `targets`, near misses say, that are no further than the first ideal; they count as
    irrelevant.

    The ideals decide where a user stops, so each task needs a table made from its own.

    >>> page = Elements({"p": (None, 90), "a": ("p", 30), "b": ("p", 30), "c": ("p", 30)})
    >>> tolerance(page, ["b", "c"], words=30)
    Links({('a', 'b'): 1.0, ('p', 'b'): 1.0})
    >>> tolerance(page, ["b", "c"], words=30, falling=True)
    Links({('a', 'b'): 0.36787944117144233, ('p', 'b'): 0.36787944117144233})
    >>> tolerance(page, ["b"], words=30, targets=["p", "c"])
    Links({('a', 'b'): 1.0, ('a', 'p'): 1.0, ('b', 'p'): 1.0, ('c', 'p'): 1.0, ('p', 'b'): 1.0})
    """
    mean = amount(
        "words", words, positive=True, remedy="give how many irrelevant words users tolerate"
    )
    goals = elements.numbers(ideals)
    # Where exp(-746) is 0, nobody comes.
    x, y = _heard(elements, goals, mean * (746 if falling else 1 + TOLERANCE))
    nearest = np.full(len(elements), np.inf)
    nearest[goals] = 0
    np.minimum.at(nearest, x, _ahead(elements, x, y))
    others = np.setdiff1d(_targets_of(elements, targets), goals)
    passed, near = _heard(elements, others, mean * (-math.log(LEAST) if falling else 1.0))
    x, y = np.append(x, passed), np.append(y, near)
    ahead = _ahead(elements, x, y)
    with np.errstate(over="ignore"):
        reached = np.exp(-ahead / mean) if falling else (ahead <= mean).astype(np.float64)
    return _table_of(elements, x, y, np.where(ahead <= nearest[x], reached, 0.0))


def distance(
    elements: Elements,
    words: float,
    *,
    inverse: bool = False,
    targets: Iterable[str] | None = None,
) -> Links:
    """Return P(x -> y) of users who see what begins near, before or behind, for `Independent`.

    Section 2.2 of Piwowarski, Gallinari and Dupret (2007), under tolerance to irrelevance: with
    d(x, y) = |start(y) - start(x)| in one document, in the unit of the table,

        P(x -> y) = 1            if d(x, y) <= words
                    words / d    if it is more, and P is `inverse` to the distance
                    0            else, and in another document

    Unlike `tolerance` it goes both ways and does not ask what is ideal.

    >>> page = Elements({"p": (None, 90), "a": ("p", 30), "b": ("p", 30), "c": ("p", 30)})
    >>> distance(page, 30, targets=["b"])
    Links({('a', 'b'): 1.0, ('c', 'b'): 1.0, ('p', 'b'): 1.0})
    >>> distance(page, 30, inverse=True, targets=["c"])
    Links({('a', 'c'): 0.5, ('b', 'c'): 1.0, ('p', 'c'): 0.5})
    """
    near = amount("words", words, positive=True, remedy="give the distance that counts as near")
    ends = _targets_of(elements, targets)
    order = np.lexsort((elements.starts, elements.documents))
    documents, starts = elements.documents[order], elements.starts[order]
    low = np.searchsorted(documents, elements.documents[ends], "left")
    high = np.searchsorted(documents, elements.documents[ends], "right")
    if not inverse:
        for number, y in enumerate(ends.tolist()):
            first, inside = low[number], starts[low[number] : high[number]]
            begin, rounding = elements.starts[y], near * TOLERANCE
            low[number] = first + np.searchsorted(inside, begin - near - rounding, "left")
            high[number] = first + np.searchsorted(inside, begin + near + rounding, "right")
    _check_pairs(int((high - low).sum()))
    owners, places = _ranges(low, high)
    x, y = order[places], ends[owners]
    other = x != y
    x, y = x[other], y[other]
    apart = np.abs(elements.starts[x] - elements.starts[y])
    reached = near / np.maximum(apart, near) if inverse else np.ones(len(x))
    return _table_of(elements, x, y, reached)


def assessed(
    elements: Elements, ideals: Iterable[str], relevance: Mapping[str, float] | None
) -> Links:
    """Return P(x -> y) of users who find an ideal from near misses by what these are worth.

    What holds an ideal y, or lies in it, leads there with the probability of its own relevance,

        P(x -> y) = q(x)    if x contains y or y contains x
                    0       otherwise

    Section 4.1.2 of Piwowarski, Gallinari and Dupret (2007): the parent of an ideal that is worth
    .75 to GRP has a probability of navigation to it of .75.

    Parameters
    ----------
    relevance
        q in [0, 1] of judged elements, 0 of others.

    >>> tree = Elements({"a": (None, 60), "b": ("a", 40), "c": ("b", 10), "d": ("a", 10)})
    >>> assessed(tree, ["c"], {"a": 0.5, "b": 0.75, "c": 1, "d": 0.25})
    Links({('a', 'c'): 0.5, ('b', 'c'): 0.75})
    """
    goals = list(ideals)
    if relevance is None:
        if goals:
            rule, remedy = "be used with judgements", "take a way of elements alone, as structural"
            raise InputError("way", "assessed", rule, remedy=remedy)
        relevance = {}
    worth = np.zeros(len(elements))
    for element, value in relevance.items():
        share = proportion(f"relevance of {element!r}", value, remedy="quantise it")
        worth[elements.number(element)] = share
    pairs = np.meshgrid(elements.numbers(goals), np.flatnonzero(worth))
    y, x = (part.ravel() for part in pairs)
    holds = ((x < y) & (y < elements.afters[x])) | ((y < x) & (x < elements.afters[y]))
    return _table_of(elements, x[holds], y[holds], worth[x[holds]])


def web(links: Links | Iterable[tuple[str, str]], damping: float) -> Links:
    """Return the steps of users who follow a link with probability `damping`, for `Walk`.

    All links of a page are equally likely::

        p(x, y) = damping / outdegree(x)

    Links of a page to itself are left out and do not count in its outdegree. Of `Links` only the
    pairs are used.

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


def _targets_of(elements: Elements, targets: Iterable[str] | None) -> Ints:
    """Return the numbers of targets, of all elements if none are named."""
    if targets is None:
        return np.arange(len(elements), dtype=np.int64)
    return elements.numbers(targets)


def _ahead(elements: Elements, x: Ints, y: Ints) -> Floats:
    """Return how far the start of y is behind that of x, 0 if it is before it."""
    return np.maximum(0.0, elements.starts[y] - elements.starts[x])


def _staying(rate: float, time: Floats) -> Floats:
    """Return the probability that a user who leaves at a rate is still there after some time."""
    with np.errstate(over="ignore"):
        return np.exp(-rate * time)


def _check_pairs(num_pairs: int) -> None:
    """Raise InputError for more pairs than fit."""
    if num_pairs > MOST_PAIRS:
        rule = f"be at most {MOST_PAIRS}"
        raise InputError("number of pairs", num_pairs, rule, remedy="name the targets that matter")


def _ranges(lows: Ints, highs: Ints) -> tuple[Ints, Ints]:
    """Return (k, i) for each i of each ``lows[k] <= i < highs[k]``."""
    counts = np.maximum(0, highs - lows)
    owners = np.repeat(np.arange(len(lows)), counts)
    first = np.cumsum(counts) - counts
    return owners, np.arange(int(counts.sum())) - first[owners] + lows[owners]


def _heard(elements: Elements, goals: Ints, horizon: float) -> tuple[Ints, Ints]:
    """Return the pairs (x, y) of two elements, y of `goals`, where y is not over when x starts.

    Both are in one document, and y starts at most `horizon` after x. `goals` is sorted. In order
    of start, the x of a y are a run. If x starts at the end of y, up to rounding, y is over.
    """
    order = np.lexsort((elements.starts, elements.documents))
    documents = elements.documents[order]
    pieces_x, pieces_y = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    of_wanted = elements.documents[goals]
    num_pairs = 0
    for document in np.unique(of_wanted).tolist():
        low, high = np.searchsorted(documents, [document, document + 1])
        starts = elements.starts[order[low:high]]
        targets = goals[slice(*np.searchsorted(of_wanted, [document, document + 1]))]
        begins = elements.starts[targets]
        ends = (begins + elements.lengths[targets]) * (1 - TOLERANCE)
        first = np.searchsorted(starts, begins - horizon, side="left")
        last = np.maximum(
            np.searchsorted(starts, begins, side="right"),
            np.searchsorted(starts, ends, side="left"),
        )
        num_pairs += int((last - first).sum())
        _check_pairs(num_pairs)
        owners, places = _ranges(first + low, last + low)
        pieces_x.append(order[places])
        pieces_y.append(targets[owners])
    x, y = np.concatenate(pieces_x), np.concatenate(pieces_y)
    other = x != y
    return x[other], y[other]


def _table_of(elements: Elements | ChunkTable, x: Ints, y: Ints, probabilities: Floats) -> Links:
    """Return the links between numbered elements that have a positive probability."""
    kept = probabilities > 0
    ids = elements.ids
    return Links.from_columns(
        [ids[number] for number in x[kept].tolist()],
        [ids[number] for number in y[kept].tolist()],
        probabilities[kept],
    )
