"""Kinds of navigation by name: what a table of links and a few words make."""

from collections.abc import Callable, Mapping
from typing import Any

from prum.simulator.model.browsing import Browsing
from prum.simulator.model.coupling import Copula, Coupled
from prum.simulator.model.errors import InputError
from prum.simulator.model.navigation import Independent, Links, Walk
from prum.simulator.model.population import Beta, OneFactor, Types

Kind = Independent | Coupled | Walk | Browsing

BASES = ("independent", "exclusive", "comonotone", "copula RHO", "walk")
DIALS = (
    "beta A B",
    "types SHARE:FACTOR ...",
    "one-factor RHO",
    "fading F",
    "satiation F ...",
    "need F ...",
    "no-revisit",
    "unranked",
)
KINDS = (*BASES, *DIALS)
# Between the words of a kind.
AND = " + "


def navigation_of(kind: str, links: Links, documents: Mapping[str, str] | None = None) -> Kind:
    """Return links browsed in a way that is named: one of `BASES` and any `DIALS`, joined by " + ".

    "independent", which may be left out where a dial is named, tosses each link; "walk" moves along
    them; the other bases couple what "independent" tosses, as `Coupled`. Dials are those of
    `Browsing`; "no-revisit" takes `documents`.

    Raises
    ------
    InputError
        for other words, a dial named twice, and if the links do not admit it.

    >>> navigation_of("copula 0.5", Links({("x", "a"): 0.4}))
    Coupled(navigation=Independent({('x', 'a'): 0.4}), coupling=Copula(rho=0.5))
    >>> navigation_of("walk + fading 0.9 + unranked", Links({("x", "a"): 0.4}))
    Browsing(Walk({('x', 'a'): 0.4}), fading=0.9, unranked=True)
    """
    base: Independent | Coupled | Walk | None = None
    dials: dict[str, Any] = {}
    for part in kind.split(AND):
        word, *words = part.split(" ")
        if word in _BASES and base is None:
            try:
                base = _BASES[word](links, *map(float, words))
                continue
            except (TypeError, ValueError) as error:
                if isinstance(error, InputError):
                    raise
        elif word in _DIALS:
            name, read = _DIALS[word]
            value = read(words, documents)
            if value is not None and name not in dials:
                dials[name] = value
                continue
        raise InputError(
            "navigation",
            kind,
            f"be one of {', '.join(BASES)}, and any of {', '.join(DIALS)} with{AND}between",
            remedy="write walk + fading .9, say",
        )
    if base is None:
        base = Independent(links)
    return Browsing(base, **dials) if dials else base


def kind_of(navigation: Kind) -> str:
    """Return the name of a navigation's kind.

    >>> kind_of(Browsing(Independent({}), Beta(1, 2), need=[0.5, 1]))
    'beta 1.0 2.0 + need 0.5 1.0'
    """
    if isinstance(navigation, Browsing):
        dials = [_DIAL_OF[name](getattr(navigation, name)) for name in navigation.turned]
        base = kind_of(navigation.navigation)
        return AND.join(dials if base == "independent" and dials else [base, *dials])
    if isinstance(navigation, Coupled):
        coupling = navigation.coupling
        return coupling if isinstance(coupling, str) else f"copula {coupling.rho!r}"
    return "walk" if isinstance(navigation, Walk) else "independent"


_BASES: dict[str, Callable[..., Independent | Coupled | Walk]] = {
    "independent": lambda links: Independent(links),
    "exclusive": lambda links: Coupled(Independent(links), "exclusive"),
    "comonotone": lambda links: Coupled(Independent(links), "comonotone"),
    "copula": lambda links, rho: Coupled(Independent(links), Copula(rho)),
    "walk": lambda links: Walk(links),
}


def _numbers(words: list[str]) -> list[float] | None:
    try:
        return [float(word) for word in words]
    except ValueError:
        return None


def _beta(words: list[str], _: object) -> Beta | None:
    numbers = _numbers(words)
    return Beta(*numbers) if numbers is not None and len(numbers) == 2 else None


def _one_factor(words: list[str], _: object) -> OneFactor | None:
    numbers = _numbers(words)
    return OneFactor(*numbers) if numbers is not None and len(numbers) == 1 else None


def _types(words: list[str], _: object) -> Types | None:
    pairs = [_numbers(word.split(":")) for word in words]
    if not pairs or any(pair is None or len(pair) != 2 for pair in pairs):
        return None
    shares, factors = zip(*(pair for pair in pairs if pair is not None), strict=True)
    return Types(shares, factors)


def _fading(words: list[str], _: object) -> float | None:
    numbers = _numbers(words)
    return numbers[0] if numbers is not None and len(numbers) == 1 else None


def _factors(words: list[str], _: object) -> list[float] | None:
    return _numbers(words) or None


def _documents(words: list[str], documents: Mapping[str, str] | None) -> Mapping[str, str] | None:
    if not words and documents is None:
        raise InputError(
            "documents of no-revisit",
            None,
            "be known",
            remedy="give a file of elements: a document is an element without a parent",
        )
    return None if words else documents


def _unranked(words: list[str], _: object) -> bool | None:
    return None if words else True


_DIALS: dict[str, tuple[str, Callable[[list[str], Mapping[str, str] | None], Any]]] = {
    "beta": ("population", _beta),
    "types": ("population", _types),
    "one-factor": ("population", _one_factor),
    "fading": ("fading", _fading),
    "satiation": ("satiation", _factors),
    "need": ("need", _factors),
    "no-revisit": ("documents", _documents),
    "unranked": ("unranked", _unranked),
}


def _population_name(population: Beta | OneFactor | Types) -> str:
    if isinstance(population, Beta):
        return f"beta {population.a!r} {population.b!r}"
    if isinstance(population, OneFactor):
        return f"one-factor {population.rho!r}"
    pairs = zip(population.weights, population.factors, strict=True)
    return " ".join(["types", *(f"{share!r}:{factor!r}" for share, factor in pairs)])


_DIAL_OF: dict[str, Callable[[Any], str]] = {
    "population": _population_name,
    "fading": lambda factor: f"fading {factor!r}",
    "satiation": lambda factors: " ".join(["satiation", *map(repr, factors)]),
    "need": lambda factors: " ".join(["need", *map(repr, factors)]),
    "documents": lambda _: "no-revisit",
    "unranked": lambda _: "unranked",
}
