"""Kinds of navigation by name: what a table of links and a word make."""

from prum.simulator.model.coupling import Copula, Coupled
from prum.simulator.model.errors import InputError
from prum.simulator.model.navigation import Independent, Links, Walk

KINDS = ("independent", "exclusive", "comonotone", "copula RHO", "walk")


def navigation_of(kind: str, links: Links) -> Independent | Coupled | Walk:
    """Return links browsed in a way that is named: one of `KINDS`, RHO a correlation.

    "independent" tosses each link, "walk" moves along them, and the others couple what
    "independent" tosses, as `Coupled`.

    Raises
    ------
    InputError
        for another name, and if the links do not admit it.

    >>> navigation_of("copula 0.5", Links({("x", "a"): 0.4}))
    Coupled(navigation=Independent({('x', 'a'): 0.4}), coupling=Copula(rho=0.5))
    """
    word, _, number = kind.partition(" ")
    if kind == "walk":
        return Walk(links)
    if kind == "independent":
        return Independent(links)
    if kind == "exclusive":
        return Coupled(Independent(links), "exclusive")
    if kind == "comonotone":
        return Coupled(Independent(links), "comonotone")
    if word == "copula":
        try:
            return Coupled(Independent(links), Copula(float(number)))
        except ValueError as error:
            if isinstance(error, InputError):
                raise
    raise InputError(
        "navigation", kind, f"be one of {', '.join(KINDS)}", remedy="write copula 0.5, say"
    )


def kind_of(navigation: Independent | Coupled | Walk) -> str:
    """Return the name of a navigation's kind.

    >>> kind_of(Independent({}))
    'independent'
    """
    if isinstance(navigation, Coupled):
        coupling = navigation.coupling
        return coupling if isinstance(coupling, str) else f"copula {coupling.rho!r}"
    return "walk" if isinstance(navigation, Walk) else "independent"
