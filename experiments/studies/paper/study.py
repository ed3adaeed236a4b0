"""Study: every number of the three papers, computed again.

Question. Does what Piwowarski, Gallinari and Dupret (2007), Carterette (2011) and Mizzaro (2001)
print come out, to the printed digits?

Design. A number is data: where it stands, what it is, its digits, and the name of our value. Our
values of PRUM's paper are computed from its examples by the closed forms, by simulated users beside
them where the number is a mean over users, and by the study of approximations.
Carterette prints formulas rather than numbers: these are written down as printed and computed
beside ours, on the list of Fig. 1 and others. A number is

- equal, if our value rounds to its digits (half a unit goes either way; fractions are exact),
- a slip, if it does not, but what comes of the mistake that the paper made does,
- different, if neither does: nothing explains it,
- not given, if the text does not hold enough to compute it.

Slips of words and formulas stand in the list of slips alone. What is printed is read from a
transcription, in which the drawings of the figures are missing.

Cost. Seconds: most of it the 10,000 draws of appendix A.1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from prum.experiments.frame.design import Design, Option, Seed, draws_of
from prum.experiments.frame.study import Advance
from prum.experiments.studies.approximations import PAPER_SIZE, law_errors
from prum.experiments.studies.kit.story import filled
from prum.experiments.studies.paper.browsing import browsing
from prum.experiments.studies.paper.carterette import carterette
from prum.experiments.studies.paper.metrics import metrics, mizzaro
from prum.experiments.studies.paper.printed import (
    TITLES,
    OwnValue,
    OwnValues,
    PaperName,
    PrintedNumber,
    PrintedSlip,
    numbers,
    slips,
)

PrintedVerdict = Literal["equal", "slip", "different", "not given"]


class PaperDesign(Design):
    """Options of the study of the papers."""

    of: Annotated[
        PaperName | None, Option("The paper, by its first author; all three by default.")
    ] = None
    users: Annotated[
        int,
        Option(
            "Simulated users per example.",
            least=2,
            most=10**9,
            always=True,
            remedy="say how many users",
        ),
    ] = 100_000
    draws: Annotated[int, draws_of("sets of ten probabilities, for appendix A.1")] = 10_000
    seed: Seed = 1


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A printed number, ours, and the verdict; `simulated` and `error` are None without users."""

    paper: PaperName
    where: str
    what: str
    printed: str
    ours: float | str | None
    simulated: float | None
    error: float | None
    verdict: PrintedVerdict
    slip: str
    example: str


@dataclass(frozen=True, slots=True)
class PaperSlip(PrintedSlip):
    """A slip, and whose it is."""

    paper: PaperName


@dataclass(frozen=True, slots=True)
class PaperFindings:
    """The slips, each with what should be printed."""

    slips: list[PaperSlip]


def compute(design: PaperDesign, progress: Advance) -> tuple[list[PaperRow], PaperFindings]:
    """Return a row for each printed number, in the order of the papers, and the slips."""
    rows: list[PaperRow] = []
    found: list[PaperSlip] = []
    for paper in (design.of,) if design.of else TITLES:
        values = own_values(design, progress, paper)
        rows += compared(numbers(paper), values, paper)
        found += explained(slips(paper), values, paper)
    progress(1.0)
    return rows, PaperFindings(found)


def explained(
    printed: Sequence[PrintedSlip], values: OwnValues, paper: PaperName = "piwowarski"
) -> list[PaperSlip]:
    """Return the slips with our values in their places."""
    places = {
        "value": {name: own.value for name, own in values.items()},
        "mistaken": {name: own.mistaken for name, own in values.items()},
    }
    return [
        PaperSlip(
            slip.name,
            slip.where,
            slip.printed,
            filled(slip.should, **places),
            filled(slip.why, **places),
            paper,
        )
        for slip in printed
    ]


def own_values(
    design: PaperDesign, progress: Advance = lambda _: None, paper: PaperName = "piwowarski"
) -> OwnValues:
    """Return our values by name."""
    if paper == "piwowarski":
        values = browsing(design.users, design.seed)
        progress(0.3)
        values |= metrics()
        progress(0.5)
        _, readings = law_errors([PAPER_SIZE], draws=design.draws, seed=design.seed)
        for name, words in {"normal": "P(F = s) as Φ", "averages": "as printed"}.items():
            reading = next(one for one in readings if words in one.convention)
            values[f"{name} error"] = reading.mean
    else:
        values = carterette() if paper == "carterette" else mizzaro()
    return {name: OwnValue.of(value) for name, value in values.items()}


def compared(
    printed: Sequence[PrintedNumber], values: OwnValues, paper: PaperName = "piwowarski"
) -> list[PaperRow]:
    """Return a row for each number; a number without a value's name is not given.

    >>> number = PrintedNumber("3.2", "precision", ".691", "p")
    >>> [row.verdict for row in compared([number], {"p": OwnValue(0.69137)})]
    ['equal']
    """
    return [
        _row(paper, number, values[number.value] if number.value else None) for number in printed
    ]


def _row(paper: PaperName, number: PrintedNumber, own: OwnValue | None) -> PaperRow:
    verdict = _verdict(number, own)
    return PaperRow(
        paper=paper,
        where=number.where,
        what=number.what,
        printed=number.printed,
        ours=None if own is None else own.value,
        simulated=None if own is None else own.simulated,
        error=None if own is None else own.error,
        verdict=verdict,
        slip=number.slip if verdict == "slip" else "",
        example=number.example,
    )


def _verdict(number: PrintedNumber, own: OwnValue | None) -> PrintedVerdict:
    if own is None:
        return "not given"
    if number.is_of(own.value):
        return "equal"
    is_slip = number.slip and own.mistaken is not None and number.is_of(own.mistaken)
    return "slip" if is_slip else "different"
