"""Every number of the three papers, computed again.

Piwowarski, Gallinari and Dupret (2007), Carterette (2011) and Mizzaro (2001): figures, tables and
formulas computed again, and the slips. PRUM's figures and scenarios are examples: prum crosscheck
--example fig5.
"""

from collections import Counter
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.stats import norm

from prum.analytic import poisson_binomial
from prum.experiments.frame.design import Design, Seed, option
from prum.experiments.frame.frames import frame_table, rows_of, turned
from prum.experiments.frame.numbers import shown
from prum.experiments.frame.study import Advance, Study
from prum.experiments.frame.view import View
from prum.experiments.studies.kit.story import Story, filled
from prum.experiments.studies.paper.browsing import browsing
from prum.experiments.studies.paper.carterette import carterette
from prum.experiments.studies.paper.metrics import metrics, mizzaro
from prum.experiments.studies.paper.printed import (
    TITLES,
    OwnValue,
    OwnValues,
    PaperName,
    PrintedNumber,
    numbers,
    slips,
)


class PaperDesign(Design):
    """Options of the study of the papers."""

    of: PaperName | None = option(None, "The paper, by its first author; all three by default.")
    seed: Seed = 1


def compute(design: PaperDesign, progress: Advance) -> Any:
    """Return a row for each printed number, in the order of the papers, and the slips.

    Question. Does what Piwowarski, Gallinari and Dupret (2007), Carterette (2011) and Mizzaro
    (2001) print come out, to the printed digits?

    Design. A number is data: where it stands, what it is, its digits, and the name of our value.
    Our values of PRUM's paper are computed from its examples by the closed forms, which users of
    `prum crosscheck --example` stand beside.
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
    rows: list[Any] = []
    explanations: list[Any] = []
    for paper in (design.of,) if design.of else TITLES:
        values = own_values(design, progress, paper)
        rows += compared(numbers(paper), values, paper)
        explanations += explained(paper, values)
    progress(1.0)
    return rows, SimpleNamespace(slips=explanations)


def explained(paper: PaperName, values: OwnValues) -> list[Any]:
    """Return the slips of a paper with our values in their places."""
    places = {
        "value": {name: own.value for name, own in values.items()},
        "mistaken": {name: own.mistaken for name, own in values.items()},
    }
    rows = [
        slip | {name: filled(slip[name], **places) for name in ("should", "why")} | {"paper": paper}
        for slip in slips(paper)
    ]
    return rows_of(turned(rows))


def own_values(
    design: PaperDesign, progress: Advance = lambda _: None, paper: PaperName = "piwowarski"
) -> OwnValues:
    """Return our values by name."""
    if paper == "piwowarski":
        values = browsing()
        progress(0.3)
        values |= metrics()
        progress(0.5)
        values |= _normal_law(design.seed)
    else:
        values = carterette() if paper == "carterette" else mizzaro()
    return {
        name: value
        if isinstance(value, OwnValue)
        else OwnValue(value if isinstance(value, str) else float(value))
        for name, value in values.items()
    }


def _normal_law(seed: int) -> dict[str, Any]:
    """Appendix A.1: the mean largest error of the normal law over 10,000 draws of ten ideals.

    Of the text, which has averages over the ideals for the mean and deviation of F, and as meant.
    """
    m, s = 10, np.arange(11)
    p = np.random.default_rng([seed, m]).random((10_000, m))
    exact = np.array([poisson_binomial(row) for row in p])
    mean, deviation = p.sum(axis=1)[:, None], np.sqrt((p * (1 - p)).sum(axis=1))[:, None]

    def error(mean: Any, deviation: Any) -> float:
        ends = [norm.cdf(s + side, mean, deviation) for side in (-0.5, 0.5)]
        return float(np.abs(ends[1] - ends[0] - exact).max(axis=1).mean())

    averages = error(mean / m, deviation / m**0.5)
    return {"normal error": error(mean, deviation), "averages error": averages}


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
        own, verdict = OwnValue(None), "not given"
        if number.value:
            own, verdict = values[number.value], "different"
            if number.is_of(own.value):
                verdict = "equal"
            elif number.slip and own.mistaken is not None and number.is_of(own.mistaken):
                verdict = "slip"
        rows.append(
            {"paper": paper, "where": number.where, "what": number.what}
            | {"printed": number.printed, "ours": own.value, "verdict": verdict}
            | {"slip": number.slip if verdict == "slip" else "", "example": number.example}
        )
    return rows_of(turned(rows))


# Printed digits stand right, as ours do, though they are texts.
NUMBERS: dict[str, Any] = {
    "where": "",
    "what": "",
    "printed": shown,
    "ours": lambda value: shown(value, ".5g"),
}
NUMBERS |= {"verdict": ""}
SLIPS = {"where": "<", "printed": "<", "should": "<", "why": "<"}


def view(result: Any) -> View:
    """Return all numbers, and the slips."""
    import pandas as pd

    frame, story = result.to_frame(), Story.beside(__package__)
    frame["section"] = frame["where"].str.partition(",")[0]
    slips = pd.DataFrame(result.found.slips, columns=[*SLIPS, "paper"])
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
        label = f"{TITLES[name]}: printed, and ours"
        tables += [
            frame_table(label, frame[frame.paper == name], NUMBERS, parts="section"),
            frame_table(
                f"Slips of {TITLES[name]}",
                slips[slips.paper == name],
                SLIPS,
                names={"should": "should be"},
            ),
        ]
    return story.view(tables, values)


PAPER = Study("paper", __doc__, PaperDesign, compute, view)
