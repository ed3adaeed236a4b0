"""Users who differ: laws of how much one browses, from every element alike."""

from collections.abc import Iterable
from dataclasses import dataclass

from prum.simulator.model.errors import InputError, amount, proportion, proportions


@dataclass(frozen=True, slots=True)
class Types:
    """Kinds of users: a user is of kind k with probability `weights[k]`.

    Every P(x -> y) is multiplied by the factor of the user's kind, `factors[k]`.

    Raises InputError for weights that are negative or do not sum to 1, factors outside [0, 1], or a
    different number of weights and factors.

    >>> Types([0.5, 0.5], [0, 1])                         # half of them do not browse
    Types(weights=(0.5, 0.5), factors=(0.0, 1.0))
    """

    weights: tuple[float, ...]
    factors: tuple[float, ...]

    def __init__(self, weights: Iterable[float], factors: Iterable[float]) -> None:
        shares = checked_shares("weights", weights)
        multiples = proportions("factors", factors)
        if len(shares) != len(multiples):
            rule = f"be as many as the {len(shares)} weights"
            remedy = "give each kind of user a weight and a factor"
            raise InputError("factors", multiples, rule, remedy=remedy)
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

    Raises InputError for a or b that are not positive and finite.

    >>> Beta(2, 1)
    Beta(a=2.0, b=1.0)
    """

    a: float
    b: float

    def __post_init__(self) -> None:
        for name in ("a", "b"):
            value = amount(f"{name} of beta", getattr(self, name), positive=True, remedy="try 1")
            object.__setattr__(self, name, value)

    @property
    def mean(self) -> float:
        """The mean factor, a / (a + b)."""
        return self.a / (self.a + self.b)


@dataclass(frozen=True, slots=True)
class OneFactor:
    """Users whose visits, at whatever rank, are correlated by a Gaussian copula.

    A user with factor z, standard normal, visits y from x with probability
    Phi((Phi^-1(P(x -> y)) - sqrt(rho) z) / sqrt(1 - rho)), whose mean over users is P(x -> y). On a
    walk this is the probability of moving on from an element; where to does not depend on z, and a
    path ends after 10,000 moves at the latest, since some users would never stop.

    Other factors f of `Browsing` (fading, satiation, need) multiply this probability, outside of
    the copula: the visit happens with f Phi(...), not with Phi((Phi^-1(f P(x -> y)) - ...) ...). So
    its mean is f P(x -> y) either way, but a factor thins everybody's visits alike, and visits that
    are fewer are less correlated than rho says. Where visits of one context are coupled as well,
    f Phi(...) is the margin that is coupled.

    Raises InputError for rho outside [0, 1).

    >>> OneFactor(0.3)
    OneFactor(rho=0.3)
    """

    rho: float

    def __post_init__(self) -> None:
        rho = proportion("rho", self.rho, remedy="give a correlation from 0 to below 1")
        if rho == 1:
            raise InputError("rho", 1.0, "be below 1", remedy="take .999, say")
        object.__setattr__(self, "rho", rho)

    @property
    def mean(self) -> float:
        """The mean factor of P(x -> y): 1, for z leaves it what it is in the mean."""
        return 1.0


Population = Types | Beta | OneFactor

# Moves on one path of a user with their own z.
LONGEST_PATH = 10_000


def checked_shares(thing: str, values: Iterable[float]) -> tuple[float, ...]:
    """Return the shares of each kind of user.

    Raise InputError for shares that are negative or do not sum to 1.
    """
    shares = proportions(thing, values)
    if abs(sum(shares) - 1) > 1e-9:
        remedy = "divide them by their sum"
        raise InputError(f"sum of {thing}", sum(shares), "be 1", remedy=remedy)
    return shares
