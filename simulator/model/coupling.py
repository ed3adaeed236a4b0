"""Dependence within a context: the same P(x -> y), coupled in another way."""

from dataclasses import dataclass
from typing import Any, Literal

from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import InputError, proportion
from prum.simulator.model.navigation import Independent, Links, Navigation
from prum.simulator.model.task import Task, content_key


@dataclass(frozen=True, slots=True)
class Copula:
    """A Gaussian copula with a single factor: the visits of a context are correlated.

    The user visits y from x if sqrt(rho) z + sqrt(1 - rho) e_y <= Phi^-1(P(x -> y)), where z is
    standard normal for the whole context and e_y for each visit. rho = 0 is independence, rho = 1
    comonotone.

    Raises
    ------
    InputError
        for rho outside [0, 1].

    >>> Copula(0.5)
    Copula(rho=0.5)
    """

    rho: float

    def __post_init__(self) -> None:
        rho = proportion("rho", self.rho, remedy="give a correlation from 0 to 1")
        object.__setattr__(self, "rho", rho)


Coupling = Literal["independent", "exclusive", "comonotone"] | Copula


@dataclass(frozen=True, slots=True)
class Coupled(Navigation):
    """Visits from one entry point that depend on each other; different entry points do not.

    P(x -> y) stays what `navigation` says; each time the user consults an element, the visits from
    it are drawn jointly:

    "independent"
        Each visit on its own: Hypothesis 2.2.
    "exclusive"
        One visit at most, as far as the probabilities allow. They are laid end to end, in the order
        of the ideals, on a circle of length 1; the user visits those whose stretch holds a
        uniformly random point. Where the sum is at most 1, stretches never overlap. Where it is
        more they must: then the number of visits is the sum rounded down or up.
    "comonotone"
        A user who visits y visits all that are more probable: one uniform number for the context.
    Copula(rho)
        Between independent and comonotone.

    An element leads to itself with certainty, whatever else is visited from it.

    Raises
    ------
    InputError
        for another word, and for a navigation that is not `Independent`.

    >>> Coupled(Independent({("x", "a"): 0.5, ("x", "b"): 0.5}), "exclusive")
    Coupled(navigation=Independent({('x', 'a'): 0.5, ('x', 'b'): 0.5}), coupling='exclusive')
    """

    takes_dials = True
    navigation: Independent
    coupling: Coupling

    def __post_init__(self) -> None:
        words = ("independent", "exclusive", "comonotone")
        if not isinstance(self.coupling, Copula) and self.coupling not in words:
            rule = f"be one of {words} or a Copula"
            remedy = "say how visits from one entry point depend on each other"
            raise InputError("coupling", self.coupling, rule, remedy=remedy)
        if not isinstance(self.navigation, Independent):
            rule = "be Independent"
            remedy = "couple a table of probabilities; what a walk visits hangs on its path"
            raise InputError("navigation to couple", self.navigation, rule, remedy=remedy)

    @property
    def tossed(self) -> Independent | None:
        """The same as independent visits, if each visit is on its own."""
        return self.navigation if self.coupling in ("independent", Copula(0)) else None

    @property
    def words(self) -> tuple[str, dict[str, Any]]:
        """The word for the coupling, and rho of a copula."""
        if isinstance(self.coupling, Copula):
            return "copula", {"rho": self.coupling.rho}
        return self.coupling, {}

    @property
    def links(self) -> Links:
        """The table of probabilities."""
        return self.navigation.links

    @property
    def key(self) -> str:
        """SHA-256 of the navigation's content."""
        coupling = self.coupling
        word = coupling if isinstance(coupling, str) else ["copula", coupling.rho]
        return content_key(["Coupled", self.navigation.key, word])

    def reach(self, task: Task) -> tuple[Ints, Ints, Floats]:
        """Return (rank index, ideal index, P(x -> y)) of each positive entry, as `Independent`."""
        return self.navigation.reach(task)
