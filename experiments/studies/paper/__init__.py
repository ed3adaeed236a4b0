"""Every number of the three papers, computed again.

Piwowarski, Gallinari and Dupret (2007), Carterette (2011) and Mizzaro (2001): figures, tables and
formulas computed again, and the slips. PRUM's figures and scenarios are examples: prum crosscheck
--example fig5.
"""

import csv
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from importlib import import_module
from importlib.resources import files
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple

from prum.experiments.frame.design import Design, Seed, option
from prum.experiments.frame.frames import frame_table, rows_of, turned
from prum.experiments.frame.numbers import shown
from prum.experiments.frame.study import Advance, Study
from prum.experiments.frame.view import View
from prum.experiments.studies.kit.story import Story, filled

PaperName = Literal["piwowarski", "carterette", "mizzaro"]
TITLES: dict[PaperName, str] = {
    "piwowarski": "Piwowarski, Gallinari and Dupret (2007)",
    "carterette": "Carterette (2011)",
    "mizzaro": "Mizzaro (2001)",
}
# Of a number that is printed exactly, and of the ends of one that is rounded.
_CLOSE = 1e-9


class PaperDesign(Design):
    """Options of the study of the papers."""

    of: PaperName | None = option(None, "The paper, by its first author; all three by default.")
    seed: Seed = 1


def compute(design: PaperDesign, progress: Advance) -> Any:
    """Return a row for each printed number, in the order of the papers, and the slips.

    Question. Does what Piwowarski, Gallinari and Dupret (2007), Carterette (2011) and Mizzaro
    (2001) print come out, to the printed digits?

    Design. A number is data: where it stands, what it is, its digits, and the name of our value
    (printed.csv; slips.csv has the slips), which the module of the paper computes. Our values of
    PRUM's paper are computed from its examples by the closed forms, which users of `prum crosscheck
    --example` stand beside. Carterette prints formulas rather than numbers: these are written down
    as printed and computed beside ours, on the list of Fig. 1 and others. A number is

    - equal, if our value rounds to its digits (half a unit goes either way; fractions are exact),
    - a slip, if it does not, but what comes of the mistake that the paper made does,
    - different, if neither does: nothing explains it,
    - not given, if the text does not hold enough to compute it.

    Slips of words and formulas stand in the list of slips alone. What is printed is read from a
    transcription, in which the drawings of the figures are missing.

    Cost. Seconds: most of it the 10,000 draws of appendix A.1.
    """
    rows: list[Any] = []
    explanations: list[Any] = []
    papers = (design.of,) if design.of else tuple(TITLES)
    for number, paper in enumerate(papers, start=1):
        values = own_values(paper, design.seed)
        rows += compared(numbers(paper), values, paper)
        explanations += explained(paper, values)
        progress(number / len(papers))
    return rows, SimpleNamespace(slips=explanations)


# --- what is printed, and what should be ----------------------------------------------------------


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


def _table(name: str, paper: PaperName) -> list[dict[str, str]]:
    """Return the rows of a paper in a table of all papers."""
    text = files(__package__).joinpath(f"{name}.csv").read_text("utf-8")
    return [row for row in csv.DictReader(text.splitlines()) if row.pop("paper") == paper]


def numbers(paper: PaperName) -> tuple[PrintedNumber, ...]:
    """Return every number, in the order of the paper."""
    return tuple(PrintedNumber(**row) for row in _table("printed", paper))


def slips(paper: PaperName) -> list[dict[str, str]]:
    """Return every slip, in the order of the paper; our values stand in named places.

    A slip has a name, where it stands, what is printed, what it should be, and why.
    """
    return _table("slips", paper)


def own_values(paper: PaperName, seed: int = 1) -> OwnValues:
    """Return our values by name."""
    values = import_module(f"{__package__}.{paper}").values(seed)
    return {
        name: value
        if isinstance(value, OwnValue)
        else OwnValue(value if isinstance(value, str) else float(value))
        for name, value in values.items()
    }


def apart(distance: float) -> str:
    """Return whether two are the same but for rounding, or how far they are apart."""
    return "identical" if distance <= _CLOSE else f"off by {distance:.2g}"


def explained(paper: PaperName, values: OwnValues) -> list[Any]:
    """Return the slips of a paper with our values in their places."""
    places = {
        part: {name: getattr(value, part) for name, value in values.items()}
        for part in ("value", "mistaken")
    }
    rows = [
        slip | {name: filled(slip[name], **places) for name in ("should", "why")} | {"paper": paper}
        for slip in slips(paper)
    ]
    return rows_of(turned(rows))


def compared(
    printed: Sequence[PrintedNumber], values: OwnValues, paper: PaperName = "piwowarski"
) -> list[Any]:
    """Return a row for each number; a number without a value's name is not given.

    >>> number = PrintedNumber("3.2", "precision", ".691", "p")
    >>> [row.verdict for row in compared([number], {"p": OwnValue(0.69137)})]
    ['equal']
    """
    rows = []
    for number in printed:
        value, mistaken = values[number.value] if number.value else OwnValue(None)
        verdict = "different" if number.value else "not given"
        if number.value and number.is_of(value):
            verdict = "equal"
        elif number.slip and mistaken is not None and number.is_of(mistaken):
            verdict = "slip"
        rows.append(
            {"paper": paper, "where": number.where, "what": number.what}
            | {"printed": number.printed, "ours": value, "verdict": verdict}
            | {"slip": number.slip if verdict == "slip" else "", "example": number.example}
        )
    return rows_of(turned(rows))


# --- what is shown --------------------------------------------------------------------------------

# Printed digits stand right, as ours do, though they are texts.
NUMBERS: dict[str, Any] = {"where": "", "what": "", "printed": shown}
NUMBERS |= {"ours": lambda value: shown(value, ".5g"), "verdict": ""}
SLIPS = {"where": "<", "printed": "<", "should": "<", "why": "<"}


def view(result: Any) -> View:
    """Return all numbers, and the slips."""
    import pandas as pd

    frame, story = result.to_frame(), Story.of(__package__)
    frame["section"] = frame["where"].str.partition(",")[0]
    all_slips = pd.DataFrame(result.found.slips, columns=[*SLIPS, "paper"])
    counts = Counter(row.verdict for row in result.rows)
    different = counts["different"]
    differ = "differs" if different == 1 else "differ"
    more = f"{story.line('different', n=different, differ=differ)} " if different else ""
    papers = [name for name in TITLES if name in set(frame.paper)]
    values = {
        "papers": ", ".join(TITLES[name] for name in papers),
        "numbers": len(result.rows),
        "equal": counts["equal"],
        "slip": counts["slip"],
        "not_given": counts["not given"],
        "different": more,
    }
    tables = []
    for name in papers:
        label, printed = f"{TITLES[name]}: printed, and ours", frame[frame.paper == name]
        tables.append(frame_table(label, printed, NUMBERS, parts="section"))
        label, of_paper = f"Slips of {TITLES[name]}", all_slips[all_slips.paper == name]
        tables.append(frame_table(label, of_paper, SLIPS, names={"should": "should be"}))
    return story.view(tables, values)


PAPER = Study("paper", __doc__, PaperDesign, compute, view)
