"""The causes of an error, and precision of lists with some of them present."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import factorial
from typing import Any

import numpy as np

from prum.analytic import PrecisionRecall, closed_form, independent_of, prum_of, reach_matrix
from prum.simulator import (
    Campaign,
    Independent,
    InputError,
    Links,
    Navigation,
    Task,
    simulate,
)
from prum.simulator.model.arrays import Floats

Subset = frozenset[str]

# What PRUM's formula shortens, then what is not as it assumes, in the order of the tables; and what
# each means, for readers who know no theory, who click and seek ideals.
FORMULA = {
    "noisy-or": "shortcut for what was seen",
    "normal law": "above ten ideals",
}
BROWSING = {
    "within": "clicks of a result depend",
    "across": "people differ",
    "need": "who wants more clicks more",
    "unranked": "clicks after the list",
}
PLAIN = {**FORMULA, **BROWSING, "total": "all together"}
CAUSES = (*FORMULA, *BROWSING)
# The causes that change the mean probabilities, too.
MARGINS = ("across", "need")
LEVELS = tuple(level / 10 for level in range(1, 11))
_BASES = ("independent", "exclusive", "comonotone", "copula", "walk")
# What estimates precision where these of the formula's causes are present.
_ESTIMATORS: dict[Subset, Callable[..., PrecisionRecall]] = {
    frozenset(): independent_of,
    frozenset({"noisy-or"}): prum_of,
    frozenset({"normal law"}): partial(independent_of, counts="normal"),
    frozenset(FORMULA): partial(prum_of, counts="normal"),
}
# Who browses after the list takes as long as so many who stop with it, or more.
_AFTER_LIST = 80


@dataclass(frozen=True, slots=True)
class Setting:
    """Ways of browsing that break the hypotheses, in the words of `prum list navigations`."""

    within: str
    across: str
    need: str

    def kind(self, causes: Iterable[str]) -> str:
        """Return the way of browsing where only some causes are present."""
        words = {**asdict(self), "unranked": "unranked"}
        return " + ".join(words[name] for name in BROWSING if name in causes) or "independent"

    def __str__(self) -> str:
        return f"{self.within}; {self.across}; {self.need}"


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


def apart(campaign: Campaign) -> tuple[Campaign, Campaign | None]:
    """Return the campaign with independent visits of the same P(x -> y), and itself if it walks.

    Raise InputError for a campaign with dials turned already.
    """
    kind = campaign.kind
    if " + " in kind or kind.split(" ")[0] not in _BASES:
        rule, remedy = f"be one of {', '.join(_BASES)}", "leave the dials to the study's options"
        raise InputError("navigation of the campaign", kind, rule, remedy=remedy)
    if kind != "walk":
        return campaign.browsed("independent"), None
    margins = {topic: Independent(_walk_margins(campaign, topic)) for topic in campaign.ideals}
    return replace(campaign, navigation=margins, name=f"{campaign.name}, as independent"), campaign


def _walk_margins(campaign: Campaign, topic: str) -> Links:
    """Return P(x -> y) of every element, to the ideals of a topic, on a walk."""
    walk, ideals = campaign.navigation_on(topic), tuple(campaign.ideals[topic])
    elements = tuple(walk.links.elements)
    # A list of all elements; only its reach matters, which no collection changes.
    everything = Task(elements, ideals, len(elements) + len(ideals))
    reach = reach_matrix(everything, walk).tocoo()
    pairs = {
        (elements[rank], everything.ideals[column]): min(float(p), 1.0)
        for rank, column, p in zip(*reach.coords, reach.data, strict=True)
        if elements[rank] != everything.ideals[column]
    }
    return Links(pairs)


def users_of(kind: str, num_users: int) -> int:
    """Return how many users are simulated of a way of browsing.

    >>> users_of("walk + unranked", 20_000), users_of("walk", 20_000)
    (250, 20000)
    """
    return max(2, num_users // _AFTER_LIST) if "unranked" in kind.split(" + ") else num_users


def of_lists(
    tasks: Sequence[Task], navigation: Navigation, num_users: int, seed: int
) -> tuple[Floats, dict[int, float]]:
    """Return precision of some lists, and of those that are simulated the mean standard error.

    Each estimator's, shape (estimators, lists, 1 + levels); with users the true one, so exact where
    it can be, shape (lists, 1 + levels).
    """
    if not num_users:
        by_estimator = [
            [_at_levels(estimate(task, navigation).precision) for task in tasks]
            for estimate in _ESTIMATORS.values()
        ]
        return np.array(by_estimator), {}
    values, errors = [], {}
    for place, task in enumerate(tasks):
        true: Any = closed_form(task, navigation)
        if true is None:
            true = simulate(task, navigation, num_users=num_users, seed=seed, threads=1)
            errors[place] = float(true.precision_error.mean())
        values.append(_at_levels(true.precision))
    return np.array(values), errors


def _at_levels(precision: Floats) -> Floats:
    """Return mean precision, and precision at each recall level by the ceiling rule."""
    t = len(precision)
    r = np.ceil(np.array(LEVELS) * t - 1e-9).astype(np.int64)
    return np.append(precision.mean(), precision[r - 1])
