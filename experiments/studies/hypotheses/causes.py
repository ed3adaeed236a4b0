"""The causes of an error, every subset of them, and Shapley's shares."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import factorial

import numpy as np

from prum.simulator.model.arrays import Floats

Subset = frozenset[str]

# What PRUM's formula shortens, then what is not as it assumes; in the order of the tables.
FORMULA = {
    "noisy-or": "the shortcut: Hypothesis 2.3",
    "normal law": "a bell curve for more than ten ideals",
}
BROWSING = {
    "within": "visits from one element hang together: Hypothesis 2.2 within a context",
    "across": "users differ: Hypothesis 2.2 across ranks",
    "need": "who wants more browses more: Hypothesis 2.1",
    "unranked": "users browse after the list too",
}
CAUSES = (*FORMULA, *BROWSING)


def subsets(causes: Iterable[str]) -> Iterator[Subset]:
    """Yield every subset, the smaller first.

    >>> [sorted(subset) for subset in subsets(["a", "b"])]
    [[], ['a'], ['b'], ['a', 'b']]
    """
    names = tuple(causes)
    for size in range(len(names) + 1):
        yield from map(frozenset, itertools.combinations(names, size))


def shapley(values: Mapping[Subset, Floats], causes: Sequence[str]) -> dict[str, Floats]:
    """Return each cause's share of the value of all of them together.

    The share of c is its mean contribution over all orders in which the causes may come:
    sum over S without c of |S|! (n - |S| - 1)! / n! (v(S and c) - v(S)). Shares add up to
    v(all) - v(none) (Shapley 1953).

    >>> worth = {"": 0, "a": 1, "b": 2, "ab": 5}
    >>> values = {frozenset(names): np.array([value]) for names, value in worth.items()}
    >>> {cause: share.tolist() for cause, share in shapley(values, "ab").items()}
    {'a': [2.0], 'b': [3.0]}
    """
    n = len(causes)
    shares = {}
    for cause in causes:
        share = np.zeros_like(values[frozenset()], dtype=np.float64)
        for subset in subsets(name for name in causes if name != cause):
            weight = factorial(len(subset)) * factorial(n - len(subset) - 1) / factorial(n)
            share = share + weight * (values[subset | {cause}] - values[subset])
        shares[cause] = share
    return shares
