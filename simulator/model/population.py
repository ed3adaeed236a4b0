"""Users who differ: each browses more or less than the next, from every element alike."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prum.simulator.model.errors import InputError, proportion, real_array
from prum.simulator.model.navigation import Independent, Links
from prum.simulator.model.task import Task, content_key


@dataclass(frozen=True, slots=True)
class Types:
    """Kinds of users: one is of kind k with `weights[k]`, and browses `factors[k]` times as much.

    Every P(x -> y) is multiplied by the user's factor.

    Raises
    ------
    InputError
        for weights that are negative or don't sum to 1, factors outside [0, 1], or another number
        of the one than of the other.

    >>> Types([0.5, 0.5], [0, 1])                         # half of them don't browse
    Types(weights=(0.5, 0.5), factors=(0.0, 1.0))
    """

    weights: tuple[float, ...]
    factors: tuple[float, ...]

    def __init__(self, weights: Iterable[float], factors: Iterable[float]) -> None:
        shares = _proportions("weights", weights)
        multiples = _proportions("factors", factors)
        if len(shares) != len(multiples):
            raise InputError(
                "factors",
                multiples,
                f"be as many as the {len(shares)} weights",
                remedy="give each kind of user a weight and a factor",
            )
        if abs(sum(shares) - 1) > 1e-9:
            raise InputError(
                "sum of weights", sum(shares), "be 1", remedy="divide them by their sum"
            )
        object.__setattr__(self, "weights", shares)
        object.__setattr__(self, "factors", multiples)

    @property
    def mean(self) -> float:
        """The mean factor."""
        return sum(w * f for w, f in zip(self.weights, self.factors, strict=True))


@dataclass(frozen=True, slots=True)
class Beta:
    """Users whose browsing is multiplied by a factor of their own, which is Beta(a, b).

    Its mean is a / (a + b); a = b = 1 is uniform on [0, 1].

    Raises
    ------
    InputError
        for a or b that are not positive and finite.

    >>> Beta(2, 1)
    Beta(a=2.0, b=1.0)
    """

    a: float
    b: float

    def __post_init__(self) -> None:
        for name in ("a", "b"):
            value = real_array(name, getattr(self, name), remedy="give a positive number")
            if value.ndim or not 0 < value < np.inf:
                raise InputError(
                    name, getattr(self, name), "be positive and finite", remedy="try 1"
                )
            object.__setattr__(self, name, float(value))

    @property
    def mean(self) -> float:
        """The mean factor, a / (a + b)."""
        return self.a / (self.a + self.b)


Propensity = Types | Beta


@dataclass(frozen=True, slots=True)
class Population:
    """Users each of whom has a factor of his own, by which every P(x -> y) is multiplied.

    Given his factor a user's visits are independent; not knowing it they are not, for whoever
    visited one element is likely to be one who browses: Hypothesis 2.2 fails across all ranks. An
    element leads to itself with certainty, whatever the factor.

    Parameters
    ----------
    navigation
        P(x -> y) of a user with factor 1.
    propensity
        The law of the factor: `Types` or `Beta`.

    Raises
    ------
    InputError
        for a navigation that is not `Independent` and a propensity that is neither.

    >>> Population(Independent({("x", "a"): 0.5}), Beta(1, 1))
    Population(navigation=Independent({('x', 'a'): 0.5}), propensity=Beta(a=1.0, b=1.0))
    """

    navigation: Independent
    propensity: Propensity

    def __post_init__(self) -> None:
        if not isinstance(self.navigation, Independent):
            raise InputError(
                "navigation of a population",
                self.navigation,
                "be Independent",
                remedy="give the probabilities of a user with factor 1",
            )
        if not isinstance(self.propensity, Types | Beta):
            raise InputError(
                "propensity", self.propensity, "be Types or Beta", remedy="try Beta(1, 1)"
            )

    @property
    def links(self) -> Links:
        """The table of probabilities of a user with factor 1."""
        return self.navigation.links

    @property
    def key(self) -> str:
        """SHA-256 of the navigation's content."""
        return content_key(["Population", self.navigation.key, repr(self.propensity)])

    def reach(self, task: Task) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return (rank index, ideal index, P(x -> y)) of each entry, in the mean over users."""
        ranks, ideals, probabilities = self.navigation.reach(task)
        own = own_entries(task, ranks, ideals)
        return ranks, ideals, np.where(own, 1.0, probabilities * self.propensity.mean)


def own_entries(
    task: Task, ranks: NDArray[np.int64], ideals: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return which entries of a reach are an element's way to itself."""
    ideal_of = {ideal: x for x, ideal in enumerate(task.ideals)}
    of_rank = np.array([ideal_of.get(element, -1) for element in task.ranking], dtype=np.int64)
    own: NDArray[np.bool_] = of_rank[ranks] == ideals
    return own


def _proportions(thing: str, values: Iterable[float]) -> tuple[float, ...]:
    if not isinstance(values, Iterable) or isinstance(values, str):
        raise InputError(thing, values, "be several numbers", remedy="give one for each kind")
    shares = tuple(
        proportion(f"{thing}[{number}]", value, remedy="give a share")
        for number, value in enumerate(values)
    )
    if not shares:
        raise InputError(thing, (), "hold a number", remedy="give one for each kind of user")
    return shares
