"""Ways of browsing by what is near: within a distance either way, and by what judges found."""

from collections.abc import Iterable, Mapping

import numpy as np

from prum.simulator.model.elements import TOLERANCE, Elements
from prum.simulator.model.errors import InputError, amount, proportion
from prum.simulator.model.tables import Links
from prum.simulator.model.ways import check_pairs, ranges, table_of, targets_of


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

    Raises
    ------
    InputError
        for `words` that are not positive and finite, and a target that is not in the table; for
        more than 20,000,000 pairs.

    >>> page = Elements({"p": (None, 90), "a": ("p", 30), "b": ("p", 30), "c": ("p", 30)})
    >>> distance(page, 30, targets=["b"])
    Links({('a', 'b'): 1.0, ('c', 'b'): 1.0, ('p', 'b'): 1.0})
    >>> distance(page, 30, inverse=True, targets=["c"])
    Links({('a', 'c'): 0.5, ('b', 'c'): 1.0, ('p', 'c'): 0.5})
    """
    near = amount("words", words, positive=True, remedy="say how far is near")
    wanted = targets_of(elements, targets)
    order = np.lexsort((elements.starts, elements.documents))
    documents, starts = elements.documents[order], elements.starts[order]
    low = np.searchsorted(documents, elements.documents[wanted], "left")
    high = np.searchsorted(documents, elements.documents[wanted], "right")
    if not inverse:
        for number, y in enumerate(wanted.tolist()):
            first, inside = low[number], starts[low[number] : high[number]]
            begin, rounding = elements.starts[y], near * TOLERANCE
            low[number] = first + np.searchsorted(inside, begin - near - rounding, "left")
            high[number] = first + np.searchsorted(inside, begin + near + rounding, "right")
    check_pairs(int((high - low).sum()))
    owners, places = ranges(low, high)
    x, y = order[places], wanted[owners]
    other = x != y
    x, y = x[other], y[other]
    apart = np.abs(elements.starts[x] - elements.starts[y])
    reached = near / np.maximum(apart, near) if inverse else np.ones(len(x))
    return table_of(elements, x, y, reached)


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

    Raises
    ------
    InputError
        if there is no relevance for ideals, for one outside [0, 1], and for an element that is not
        in the table.

    >>> tree = Elements({"a": (None, 60), "b": ("a", 40), "c": ("b", 10), "d": ("a", 10)})
    >>> assessed(tree, ["c"], {"a": 0.5, "b": 0.75, "c": 1, "d": 0.25})
    Links({('a', 'c'): 0.5, ('b', 'c'): 0.75})
    """
    wanted = list(ideals)
    if relevance is None:
        if wanted:
            rule, remedy = "stand with judgements", "take a way of elements alone, as structural"
            raise InputError("way", "assessed", rule, remedy=remedy)
        relevance = {}
    worth = {
        elements.number(x): proportion(f"relevance of {x!r}", value, remedy="quantise it")
        for x, value in relevance.items()
    }
    near = np.array([number for number, value in worth.items() if value > 0], dtype=np.int64)
    rows = [
        (int(x), y)
        for y in elements.numbers(wanted).tolist()
        for x in near[
            ((near < y) & (elements.afters[near] > y)) | ((near > y) & (near < elements.afters[y]))
        ]
    ]
    x = np.array([row[0] for row in rows], dtype=np.int64)
    y = np.array([row[1] for row in rows], dtype=np.int64)
    return table_of(elements, x, y, np.array([worth[row[0]] for row in rows], dtype=np.float64))
