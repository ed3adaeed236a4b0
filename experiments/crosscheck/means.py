"""E[CL(r)] and E[C(r)], whose ratio is precision: their columns and headings in every table."""

from prum.simulator.model.list_costs import ELEMENTS

SYMBOLS = {"leading": "E[CL]", "consulted": "E[C]"}
# As `Crosscheck.comparisons` and `Crosscheck.systems` name them.
OF_LISTS = tuple(
    column
    for name in SYMBOLS
    for column in (f"prum_{name}", f"exact_{name}", f"simulated_{name}", f"{name}_error")
)
OF_SYSTEMS = tuple(
    column
    for name in SYMBOLS
    for column in (f"prum_{name}", f"reference_{name}", f"simulated_{name}", f"{name}_users_error")
)


def headings(*of_one: str) -> list[str]:
    """Return the headings of both means in a row.

    >>> headings("PRUM", "exact")
    ['E[CL]: PRUM', 'exact', 'E[C]: PRUM', 'exact']
    """
    first, *others = of_one
    return [text for symbol in SYMBOLS.values() for text in (f"{symbol}: {first}", *others)]


def title(unit: str) -> str:
    """Return what both are, with their unit if that is a cost."""
    return " and ".join(SYMBOLS.values()) + ("" if unit == ELEMENTS else f" in {unit}")
