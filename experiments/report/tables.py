"""The numbers of a report, how far PRUM can be trusted over all lists, in sentences and tables."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from prum.experiments.frame.numbers import Value, count, shown
from prum.experiments.frame.view import SHADES, Column, Table
from prum.experiments.report.material import Material
from prum.experiments.report.ranked import (
    HeatMap,
    Influence,
    MeasureAgreement,
    PlaceChange,
    SystemRanking,
)
from prum.experiments.report.results import CellOutcome, ListGroup, listed, num_lists

# An error of precision that is small beside what systems differ by.
SMALL = 0.01
# What is printed as 0 to five decimals is none.
_PRINTED = 0.5e-5
_LEAST = 1e-9
DISAGREES = "disagrees"


@dataclass(frozen=True, slots=True)
class Extreme:
    """An error of PRUM and where it is; `half` is half the reference's interval, 0 if exact."""

    outcome: CellOutcome
    r: int
    error: float
    reference: str
    half: float

    def __str__(self) -> str:
        one = self.outcome
        # Numbers alone do not say what they count.
        topic = f"topic {one.topic}" if one.topic[:1].isdigit() else one.topic
        return ", ".join(filter(None, (one.system, topic, f"r = {self.r}", one.setting)))


@dataclass(frozen=True, slots=True)
class ReportSummary:
    """Numbers over some outcomes.

    `num_lists` counts each list once, `num_ways` the ways of browsing that it may be under;
    `num_values` counts the values of precision at which PRUM has something to be compared with,
    `share_small` is the share of them where it is off by `SMALL` or less; `verdicts` counts those
    of simulation against exact. `largest` is None where nothing can be compared.
    """

    num_lists: int
    num_ways: int
    num_values: int
    share_small: float
    median: float
    largest: Extreme | None
    verdicts: Counter[str]

    @classmethod
    def of(cls, outcomes: Sequence[CellOutcome]) -> "ReportSummary":
        """Return the numbers of some outcomes."""
        compared = [one for one in outcomes if not np.isnan(one.deviation).all()]
        errors = np.concatenate([one.deviation for one in compared]) if compared else np.empty(0)
        sizes = np.abs(errors[~np.isnan(errors)])
        verdicts = Counter(verdict for one in outcomes for verdict in one.verdicts)
        lists = num_lists(outcomes)
        ways = len({(one.setting, *sorted(one.dials.items())) for one in outcomes})
        if not sizes.size:
            return cls(lists, ways, 0, float("nan"), float("nan"), None, verdicts)
        return cls(
            lists,
            ways,
            int(sizes.size),
            float((sizes <= SMALL).mean()),
            float(np.median(sizes)),
            extreme(compared),
            verdicts,
        )

    @property
    def is_equal(self) -> bool:
        """Whether PRUM is the reference to five decimals, everywhere."""
        return self.largest is not None and abs(self.largest.error) < _PRINTED


def extreme(outcomes: Sequence[CellOutcome]) -> Extreme | None:
    """Return the error furthest from 0, the first of equals; None where there is none."""
    best: tuple[float, CellOutcome, int] | None = None
    for one in outcomes:
        sizes = np.nan_to_num(np.abs(one.deviation), nan=-1.0)
        at = int(np.argmax(sizes))
        if sizes[at] >= 0 and (best is None or sizes[at] > best[0]):
            best = float(sizes[at]), one, at
    if best is None:
        return None
    _, one, at = best
    is_exact = not np.isnan(one.exact[at])
    half = 0.0 if is_exact else 1.96 * float(np.nan_to_num(one.error[at]))
    error = float(one.deviation[at])
    return Extreme(one, at + 1, error, "exact" if is_exact else "simulated", half)


def headline(summary: ReportSummary, found: Sequence[SystemRanking], num_files: int) -> str:
    """Return the answer: how far PRUM can be trusted over all these results."""
    files = count(num_files, "file")
    if summary.largest is None:
        return (
            f"Nothing here says how far PRUM can be trusted: {files} of results, and in none a "
            "list with PRUM beside an exact or a simulated value, as prum trust and prum "
            "crosscheck write by --json."
        )
    over = f"Over {count(summary.num_lists, 'list')}"
    if summary.num_ways > 1:
        over += f" under {count(summary.num_ways, 'way')} of browsing"
    if summary.is_equal:
        return (
            f"{over} PRUM equals the {summary.largest.reference} value to five decimals, at all "
            f"of {count(summary.num_values, 'value')} of precision."
        )
    text = (
        f"{over} PRUM is off by {size(summary.largest.error)} of precision at most "
        f"({summary.largest}), and by {size(SMALL)} or less in {share(summary.share_small)} of "
        f"{count(summary.num_values, 'value')}"
    )
    if not found:
        return f"{text}."
    kept = sum(not one.moved for one in found)
    worst = min((one.tau for one in found if not np.isnan(one.tau)), default=float("nan"))
    order = f"{kept:,} of {count(len(found), 'ranking')}" if len(found) > 1 else "the ranking"
    if kept == len(found):
        return f"{text}; it keeps every place in {order} of systems."
    tau = "" if np.isnan(worst) else f" (Kendall’s τ-b at least {shown(worst, '.2f')})"
    if len(found) == 1:
        return f"{text}; it changes places in the ranking of systems{tau}."
    return f"{text}; it keeps every place in {order} of systems{tau}."


def _off(error: float) -> str:
    """Return how far off, at most."""
    text = size(error)
    return "exact" if text == "0" else f"off by {text} or less"


def sentences(summary: ReportSummary, found: Sequence[SystemRanking]) -> list[str]:
    """Return what follows the answer: verdicts, the largest error, the best systems."""
    told = []
    if summary.verdicts:
        told.append(verdicts_in_words(summary.verdicts))
    if summary.largest is not None and not summary.is_equal:
        largest = summary.largest
        direction = "above" if largest.error > 0 else "below"
        band = (
            f" (whose 95 % interval reaches {size(largest.half)} to either side)"
            if largest.half
            else ""
        )
        at = largest.r - 1
        told.append(
            f"The largest error is at {largest}"
            + (f", {largest.outcome.campaign}" if largest.outcome.campaign else "")
            + f": PRUM says {shown(float(largest.outcome.prum[at]), '.4f')}, "
            f"{size(largest.error)} {direction} the {largest.reference} value{band}. At half of "
            f"all values PRUM is {_off(summary.median)}."
        )
    turned = [one for one in found if not set(one.best[0]) & set(one.best[1])]
    tied = [one for one in found if one not in turned and set(one.best[0]) != set(one.best[1])]
    if turned:
        told.append(
            f"{_among(turned, found)} PRUM has the highest mean for another system than the true "
            "values have."
        )
    if tied:
        told.append(
            f"{_among(tied, found)} PRUM and the true values differ in who ties for the highest "
            "mean."
        )
    if found and not turned and not tied:
        told.append(
            "PRUM and the true values have the highest mean for the same system"
            + (f" in all {len(found):,} rankings." if len(found) > 1 else ".")
        )
    return told


def _among(some: Sequence[SystemRanking], found: Sequence[SystemRanking]) -> str:
    """Return in which rankings something is so."""
    if len(found) == 1:
        return "In the ranking of systems"
    return f"In {len(some):,} of {len(found):,} rankings"


def verdicts_in_words(verdicts: Counter[str]) -> str:
    """Return how simulation compares with exact values.

    >>> verdicts_in_words(Counter(agrees=3, unresolved=1))
    'Simulated users beside exact values: 3 agree, none disagrees, 1 unresolved.'
    """
    wrong = verdicts[DISAGREES]
    parts = [
        f"{verdicts['agrees']:,} agree",
        "none disagrees" if not wrong else f"{wrong:,} disagree{'s' if wrong == 1 else ''}",
    ]
    parts += [
        f"{verdicts[name]:,} {told}"
        for name, told in (("unresolved", "unresolved"), ("no closed form", "without exact value"))
        if verdicts[name]
    ]
    return f"Simulated users beside exact values: {', '.join(parts)}."


def size(error: float) -> str:
    """Return how large an error is, to two digits; what is none to nine decimals is 0.

    >>> size(-0.0314), size(0.5), size(2.4e-7), size(1e-16)
    ('.031', '.5', '2.4e−07', '0')
    """
    text = shown(abs(error), ".2g")
    return "0" if abs(error) < _LEAST else text.removeprefix("0")


def share(part: float) -> str:
    """Return a share in percent; all and nothing only if it is that.

    >>> share(0.873), share(0.9999), share(1.0), share(0.0001)
    ('87 %', '99.9 %', '100 %', '0.1 %')
    """
    if part in (0.0, 1.0):
        return f"{100 * part:.0f} %"
    percent = 100 * part
    if 1 <= percent <= 99:
        return f"{percent:.0f} %"
    return f"{min(max(percent, 0.1), 99.9):.1f} %"


MOST_ROWS = 60
# Heading -> value; numbers have the form by which they are shown, texts none.
_Row = dict[str, Value]
_HeatRow = tuple[str, list[float]]
_Names = Mapping[ListGroup, str]


def _table(
    label: str, rows: Sequence[_Row], noun: str, forms: Mapping[str, str], *, detail: bool = False
) -> Table:
    """Return the first of some rows; what has no form is text."""
    columns = [
        Column[_Row](name, itemgetter(name), forms.get(name, ""), left=name not in forms)
        for name in (rows[0] if rows else ())
    ]
    cut = f"the first {MOST_ROWS} of {count(len(rows), noun)}"
    legend = [cut] * (len(rows) > MOST_ROWS)
    return Table.of(label, rows[:MOST_ROWS], columns, detail=detail, legend=legend)


def verdict_table(groups: Mapping[ListGroup, Sequence[CellOutcome]], names: _Names) -> Table:
    """Return a row for each group of lists: its verdicts, and PRUM's largest error and where."""
    made: list[tuple[tuple[float, float], _Row]] = []
    judged = ("agrees", DISAGREES, "unresolved", "no closed form")
    for group, own in groups.items():
        verdicts = Counter(verdict for one in own for verdict in one.verdicts)
        largest, where = extreme(own), None
        if largest is not None:
            listing = largest.outcome.system, largest.outcome.topic, f"r = {largest.r}"
            where = ", ".join(filter(None, listing))
        row: _Row = {
            "lists under": names[group],
            "lists": num_lists(own),
            "users each": max(one.num_users for one in own) or None,
            **{name: verdicts[name] if verdicts else None for name in judged},
            "PRUM off by": None if largest is None else largest.error,
            "against": None if largest is None else largest.reference,
            "where": where,
        }
        made.append(((-verdicts[DISAGREES], -abs(largest.error) if largest else 1.0), row))
    made.sort(key=itemgetter(0))
    forms = {**dict.fromkeys(("lists", "users each", *judged), ","), "PRUM off by": "+.4f"}
    return _table("Verdicts and largest errors", [row for _, row in made], "group", forms)


def ranking_table(found: Sequence[SystemRanking], names: _Names) -> Table:
    """Return a row for each ranking: how PRUM agrees with the reference, and the best systems."""
    rows: list[_Row] = [
        {
            "systems under": names[one.group],
            "systems": len(one.systems),
            "topics": one.num_topics,
            "τ-b of PRUM": one.tau,
            "τ-b without browsing": one.classical_tau,
            "changed places": len(one.moved),
            "truly best": listed(one.best[0]),
            "best by PRUM": listed(one.best[1]),
        }
        for one in found
    ]
    forms = dict.fromkeys(("systems", "topics", "changed places"), ",")
    forms |= dict.fromkeys(("τ-b of PRUM", "τ-b without browsing"), ".3f")
    return _table("Rankings by PRUM beside the true ones", rows, "ranking", forms)


def moved_table(found: Sequence[SystemRanking], names: _Names) -> Table:
    """Return the systems whose places PRUM changes, those that move furthest first."""
    moved = [(names[one.group], *each) for one in found for each in one.moved]
    rows: list[_Row] = [
        {
            "systems under": name,
            "system": system,
            "true place": place,
            "place by PRUM": by_prum,
            "change": place - by_prum,
        }
        for name, system, place, by_prum in sorted(moved, key=lambda row: -abs(row[2] - row[3]))
    ]
    forms = {"true place": "", "place by PRUM": "", "change": "+"}
    return _table("Systems that change places", rows, "change", forms)


def change_table(changes: Sequence[PlaceChange], names: _Names) -> Table:
    """Return how the true order changes between settings, that which changes most first."""
    rows: list[_Row] = [
        {
            "from": names[one.first],
            "to": names[one.second],
            "systems": one.num_systems,
            "τ-b": one.tau,
            "best of the first": listed(one.bests[0]),
            "best of the second": listed(one.bests[1]),
        }
        for one in sorted(changes, key=_by_tau)
    ]
    return _table("The true order between settings", rows, "pair", {"systems": ",", "τ-b": ".3f"})


def measure_table(agreements: Sequence[MeasureAgreement]) -> Table:
    """Return how other measures order systems beside the one that decides."""
    rows: list[_Row] = [
        {
            "file": one.file,
            "measure": one.measure,
            "beside": one.primary,
            "systems": one.num_systems,
            "τ-b": one.tau,
            "best": listed(one.best),
            "best of the latter": listed(one.primary_best),
        }
        for one in sorted(agreements, key=_by_tau)
    ]
    forms = {"systems": ",", "τ-b": ".3f"}
    return _table("Orders of systems by other measures", rows, "measure", forms)


def _by_tau(row: PlaceChange | MeasureAgreement) -> float:
    """Return what sorts by tau-b, what has none last."""
    return 2.0 if np.isnan(row.tau) else row.tau


def influence_table(influences: Sequence[Influence]) -> Table:
    """Return the dials, that which matters most to the size of errors first."""
    rows: list[_Row] = [
        {"dial": one.name, "values": one.num_levels, "share of the variance": share(one.share)}
        for one in influences
    ]
    forms = {"values": ",", "share of the variance": ""}
    return _table("What errors depend on", rows, "dial", forms)


def file_table(found: Material) -> Table:
    """Return the files and what made them."""
    rows: list[_Row] = [
        {
            "file": one.file,
            "what it says": one.sentence,
            "prum": one.version or None,
            "seeds": ", ".join(map(str, one.seeds)) or None,
            "command": one.command or None,
        }
        for one in found.results
    ]
    return _table("Files of results", rows, "file", {}, detail=True)


def heat_table(heat: HeatMap) -> Table:
    """Return the largest errors by two dials, the darker the larger."""
    most = float(np.nanmax(np.abs(heat.largest), initial=0))
    rows = list(zip(heat.rows, heat.largest.tolist(), strict=True))

    def column(at: int, value: str) -> Column[_HeatRow]:
        def error(row: _HeatRow) -> float:
            return row[1][at]

        return Column(
            value,
            lambda row: heat_text(error(row)),
            shade=lambda row: _shade(abs(error(row)), most),
            data={value: error},
        )

    worst = f"; at the worst over {', '.join(heat.others)}" if heat.others else ""
    cut = f"left out: {heat.num_left_out:,} with smaller errors"
    return Table.of(
        f"Largest error of PRUM by {heat.row} and {heat.column}",
        rows,
        [
            Column[_HeatRow](heat.row, lambda row: row[0], left=True),
            *(column(at, value) for at, value in enumerate(heat.columns)),
        ],
        detail=True,
        legend=[f"columns: {heat.column}{worst}", *[cut] * (heat.num_left_out > 0)],
    )


def heat_text(value: float) -> str:
    """Return an error on a map: its sign and two decimals, a dash for none.

    >>> heat_text(-0.314), heat_text(0.0004), heat_text(float("nan"))
    ('−.31', '.00', '–')
    """
    return shown(value, "+.2f").replace("0.", ".", 1)


def _shade(size: float, most: float) -> int:
    """Return how dark an error is: in equal steps up to the largest.

    >>> _shade(0.0, 0.3), _shade(0.3, 0.3), _shade(float("nan"), 0.3)
    (0, 8, 0)
    """
    return 0 if np.isnan(size) or most <= 0 else round(SHADES * size / most)
