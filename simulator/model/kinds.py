"""Kinds of navigation by name: what a table of links and a word make."""

from prum.simulator.model.coupling import Copula, Coupled
from prum.simulator.model.errors import InputError
from prum.simulator.model.navigation import Independent, Links, Walk
from prum.simulator.model.population import Beta, Population

KINDS = ("independent", "exclusive", "comonotone", "copula RHO", "beta A B", "walk")
Kind = Independent | Coupled | Population | Walk


def navigation_of(kind: str, links: Links) -> Kind:
    """Return links browsed in a way that is named: one of `KINDS`, RHO a correlation.

    "independent" tosses each link, "walk" moves along them, "beta A B" is a `Population` of users
    with propensity Beta(A, B), and the others couple what "independent" tosses, as `Coupled`.

    Raises
    ------
    InputError
        for another name, and if the links do not admit it.

    >>> navigation_of("copula 0.5", Links({("x", "a"): 0.4}))
    Coupled(navigation=Independent({('x', 'a'): 0.4}), coupling=Copula(rho=0.5))
    """
    word, *numbers = kind.split(" ")
    if kind == "walk":
        return Walk(links)
    if kind == "independent":
        return Independent(links)
    if kind == "exclusive":
        return Coupled(Independent(links), "exclusive")
    if kind == "comonotone":
        return Coupled(Independent(links), "comonotone")
    try:
        values = [float(number) for number in numbers]
    except ValueError:
        values = []
    if word == "copula" and len(values) == 1:
        return Coupled(Independent(links), Copula(*values))
    if word == "beta" and len(values) == 2:
        return Population(Independent(links), Beta(*values))
    raise InputError(
        "navigation", kind, f"be one of {', '.join(KINDS)}", remedy="write copula 0.5, say"
    )


def kind_of(navigation: Kind) -> str:
    """Return the name of a navigation's kind.

    >>> kind_of(Independent({}))
    'independent'
    """
    if isinstance(navigation, Population):
        law = navigation.propensity
        return f"beta {law.a!r} {law.b!r}" if isinstance(law, Beta) else repr(law)
    if isinstance(navigation, Coupled):
        coupling = navigation.coupling
        return coupling if isinstance(coupling, str) else f"copula {coupling.rho!r}"
    return "walk" if isinstance(navigation, Walk) else "independent"
