"""Kinds of navigation by name: how links are browsed, in a few words."""

from collections.abc import Iterable, Mapping
from typing import Any

from prum.simulator.model.browsing import Browsing, Mixture
from prum.simulator.model.errors import InputError
from prum.simulator.model.expansion import Expansion
from prum.simulator.model.grammar import Form, Vocabulary
from prum.simulator.model.navigation import Copula, Coupled, Independent, Navigation, Walk
from prum.simulator.model.population import Beta, OneFactor, Types
from prum.simulator.model.tables import Links


def _documents(documents: Mapping[str, str] | None) -> Mapping[str, str]:
    if documents is None:
        remedy = "give a file of elements: a document is an element without a parent"
        raise InputError("documents of no-revisit", None, "be known", remedy=remedy)
    return documents


# Bases turn links into a navigation; dials set a parameter of `Browsing`, their slot.
NAVIGATIONS = Vocabulary(
    "navigation",
    "walk + fading .9",
    """
independent | independent
    each link is followed on its own
exclusive | exclusive
    links of an element exclude each other
comonotone | comonotone
    users who follow a link follow all likelier links
copula rho=RHO | copula .5
    links of an element are correlated; RHO in [0, 1]
walk | walk
    one path, link by link
expansion hops=HOPS [fan_out=N] [decay=F] [both] [reader] | expansion 2 fan_out 8 decay .6
    links are followed level by level, under caps; HOPS, N in [1, inf); F in [0, 1]
beta a=A b=B | beta 1 1 | population
    users differ by a factor with the law Beta(A, B); A, B in (0, inf)
types kinds=SHARE:FACTOR... | types .5:.2 .5:1 | population
    users differ: such a share has such a factor; SHARE:FACTOR in [0, 1]
one-factor rho=RHO | one-factor .3 | population
    users differ: all that one follows is correlated; RHO in [0, 1)
fading factor=F | fading .9 | fading
    browsing falls by this factor from rank to rank; F in [0, 1]
fading-law factors=F... | fading-law 1 .8 .5 | fading
    factors of browsing from the 1st, 2nd, ... element; F in [0, 1]
satiation factors=F... | satiation 1 .5 | satiation
    factors of users who have seen 0, 1, ... ideals; F in [0, 1]
need factors=F... | need .5 .75 1 | need
    factors of users who want 1, 2, ... ideals; F in [0, 1]
no-revisit | no-revisit | documents
    nobody browses from documents they know (needs elements)
unranked | unranked | unranked
    users browse after the list, too
""",
    {
        "independent": Independent,
        "exclusive": lambda links: Coupled(Independent(links), "exclusive"),
        "comonotone": lambda links: Coupled(Independent(links), "comonotone"),
        "copula": lambda links, rho: Coupled(Independent(links), Copula(rho)),
        "walk": Walk,
        "expansion": lambda links, hops, reader=False, **caps: Expansion(
            links, hops, tosses="reader" if reader else "seed", **caps
        ),
        "beta": Beta,
        "types": lambda kinds: Types(*zip(*kinds, strict=True)),
        "one-factor": OneFactor,
        "fading": float,
        **dict.fromkeys(("fading-law", "satiation", "need"), list),
        "no-revisit": _documents,
        "unranked": lambda: True,
    },
)


def navigation_of(
    kind: str, links: Links, documents: Mapping[str, str] | None = None
) -> Navigation:
    """Return links browsed as `NAVIGATIONS` name it: a base, and any dials.

    "independent", which may be left out where a dial is named, tosses each link; "walk" moves along
    them; the other bases couple what "independent" tosses, as `Coupled`. Dials are those of
    `Browsing`; "no-revisit" takes `documents`.

    >>> navigation_of("copula 0.5", Links({("x", "a"): 0.4}))
    Coupled(navigation=Independent({('x', 'a'): 0.4}), coupling=Copula(rho=0.5))
    >>> navigation_of("walk + fading(factor=.9) + unranked", Links({("x", "a"): 0.4}))
    Browsing(Walk({('x', 'a'): 0.4}), fading=0.9, unranked=True)
    """
    parts = NAVIGATIONS.read(kind)
    bases = [form.make(links, **values) for form, values in parts if not form.slot]
    dials = _dials(parts, documents)
    base = bases[0] if bases else Independent(links)
    return Browsing(base, **dials) if dials else base


def dialled(
    navigation: Navigation, dials: str, documents: Mapping[str, str] | None = None
) -> Navigation:
    """Return a navigation with dials, named as `navigation_of` names them; none if "".

    Of a mixture, each type has them.

    Raise InputError as `navigation_of`, for a navigation among the dials, and for one that takes
    none.

    >>> dialled(Walk({("x", "a"): 0.4}), "fading .9")
    Browsing(Walk({('x', 'a'): 0.4}), fading=0.9)
    """
    if not dials:
        return navigation
    parts = NAVIGATIONS.read(dials)
    if not all(form.slot for form, _ in parts):
        rule, remedy = "be dials where a navigation is given", "write fading .9, say"
        raise InputError("words behind the navigation", dials, rule, remedy=remedy)
    turned = _dials(parts, documents)
    if isinstance(navigation, Mixture):
        types = [Browsing(of_type, **turned) for of_type in navigation.types]
        return Mixture(navigation.shares, types)
    return Browsing(navigation, **turned)


def _dials(
    parts: Iterable[tuple[Form, dict[str, Any]]], documents: Mapping[str, str] | None
) -> dict[str, Any]:
    return {
        form.slot: form.make(*((documents,) if form.slot == "documents" else ()), *values.values())
        for form, values in parts
        if form.slot
    }


def base_of(kind: str) -> str:
    """Return the word for what users browse by, without its dials.

    Raise InputError as `navigation_of`.

    >>> base_of("fading .9"), base_of("copula(.5) + unranked")
    ('independent', 'copula')
    """
    bases = [form.head for form, _ in NAVIGATIONS.read(kind) if not form.slot]
    return bases[0] if bases else "independent"


def kind_of(navigation: Navigation) -> str:
    """Return the name of a navigation's kind; of chunks, how much of a span is needed.

    Of a mixture the kinds of its types, and of tied elements "+ ties" behind the kind, which are no
    names that `navigation_of` knows.

    >>> kind_of(Browsing(Independent({}), Beta(1, 2), need=[0.5, 1]))
    'beta 1.0 2.0 + need 0.5 1.0'
    """
    if navigation.types:
        return f"mixture of {', '.join(map(kind_of, navigation.types))}"
    base = navigation.base.words
    if navigation.is_tied:
        return f"{kind_of(base[1]['navigation'])} + ties"
    if navigation.reading is not None:
        return base[0]
    dials = [_dial(name, getattr(navigation, name)) for name in navigation.turned]
    return NAVIGATIONS.write(dials if dials and base[0] == "independent" else [base, *dials])


def _dial(name: str, value: Any) -> tuple[str, dict[str, Any]]:
    match value:
        case Beta(a, b):
            return "beta", {"a": a, "b": b}
        case OneFactor(rho):
            return "one-factor", {"rho": rho}
        case Types(shares, factors):
            return "types", {"kinds": list(zip(shares, factors, strict=True))}
    if name == "fading":
        by_table = isinstance(value, tuple)
        return ("fading-law", {"factors": value}) if by_table else (name, {"factor": value})
    return ("no-revisit" if name == "documents" else name), {"factors": value}
