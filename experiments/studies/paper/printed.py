"""What the papers print, numbers in NAME.csv and slips in NAME.toml, and our own values."""

import csv
import tomllib
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple

PaperName = Literal["piwowarski", "carterette", "mizzaro"]
TITLES: dict[PaperName, str] = {
    "piwowarski": "Piwowarski, Gallinari and Dupret (2007)",
    "carterette": "Carterette (2011)",
    "mizzaro": "Mizzaro (2001)",
}

# Of a number that is printed exactly, and of the ends of one that is rounded.
_CLOSE = 1e-9


class PrintedNumber(NamedTuple):
    """A number, or a word, as it is printed: .691, 28.6 %, 3/8.

    `where` it stands, and `what` it is; `value`, the name of our value, is empty if the paper does
    not give enough to compute it; `slip` names the slip that made it, and `example` the one that it
    is of: `prum crosscheck --example NAME`.
    """

    where: str
    what: str
    printed: str
    value: str = ""
    slip: str = ""
    example: str = ""

    def is_of(self, value: float | str) -> bool:
        """Return whether a value is what is printed, to the printed digits.

        Half a unit of the last digit goes either way: .875 is .88, and .87 as well. Fractions and
        whole numbers are exact.

        >>> printed = PrintedNumber("3.2", "precision", ".691")
        >>> printed.is_of(0.69137), printed.is_of(0.6916)
        (True, False)
        """
        if isinstance(value, str):
            return self.printed == value
        number = self.printed.removesuffix(" %")
        unit = 0.01 if number != self.printed else 1.0
        # A whole number of per cent is rounded, one of things is exact.
        decimals = len(number.partition(".")[2])
        rounded = "/" not in number and (decimals > 0 or unit < 1)
        half = unit * 10.0**-decimals / 2 if rounded else 0.0
        return abs(value - float(Fraction(number)) * unit) <= half + _CLOSE


class OwnValue(NamedTuple):
    """What should be printed, None if nobody can tell; and what comes of the paper's mistake."""

    value: Any
    mistaken: float | str | None = None


OwnValues = dict[str, OwnValue]


@cache
def numbers(paper: PaperName = "piwowarski") -> tuple[PrintedNumber, ...]:
    """Return every number, in the order of the paper."""
    text = files(__package__).joinpath(f"{paper}.csv").read_text("utf-8")
    return tuple(PrintedNumber(**row) for row in csv.DictReader(text.splitlines()))


@cache
def slips(paper: PaperName = "piwowarski") -> tuple[dict[str, str], ...]:
    """Return every slip, in the order of the paper; our values stand in named places.

    A slip has a name, where it stands, what is printed, what it should be, and why.
    """
    text = files(__package__).joinpath(f"{paper}.toml").read_text("utf-8")
    return tuple(tomllib.loads(text)["slip"])


def apart(distance: float) -> str:
    """Return whether two are the same but for rounding, or how far they are apart."""
    return "identical" if distance <= _CLOSE else f"off by {distance:.2g}"
