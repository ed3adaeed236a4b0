"""The tables of a report."""

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import itemgetter

import numpy as np

from prum.experiments.report.material import Material
from prum.experiments.report.outcomes import CellOutcome, ListGroup, num_lists
from prum.experiments.report.ranked import (
    HeatMap,
    Influence,
    MeasureAgreement,
    PlaceChange,
    SystemRanking,
)
from prum.experiments.report.results import listed
from prum.experiments.report.summary import DISAGREES, extreme, share
from prum.experiments.views.numbers import count
from prum.experiments.views.view import SHADES, Column, Table, Value, shown

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
