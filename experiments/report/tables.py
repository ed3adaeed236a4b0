"""The tables of a report."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from prum.experiments.report.dials import Influence
from prum.experiments.report.material import Material
from prum.experiments.report.outcomes import CellOutcome, ListGroup, num_lists
from prum.experiments.report.ranked import MeasureAgreement, PlaceChange, SystemRanking
from prum.experiments.report.results import ResultFile, listed
from prum.experiments.report.summary import DISAGREES, Extreme, extreme, share
from prum.experiments.views.view import Column, Table, shown

MOST_ROWS = 60


@dataclass(frozen=True, slots=True)
class _GroupRow:
    name: str
    outcomes: Sequence[CellOutcome]
    verdicts: Counter[str]
    largest: Extreme | None

    @property
    def error(self) -> float | None:
        return None if self.largest is None else self.largest.error

    @property
    def size(self) -> float:
        return -1.0 if self.error is None else abs(self.error)

    @property
    def num_users(self) -> int | None:
        users = max(one.num_users for one in self.outcomes)
        return users or None

    def judged(self, verdict: str) -> int | None:
        return self.verdicts[verdict] if self.verdicts else None


@dataclass(frozen=True, slots=True)
class _Moved:
    name: str
    system: str
    place: int
    by_prum: int


def verdict_table(
    groups: Mapping[ListGroup, Sequence[CellOutcome]], names: Mapping[ListGroup, str]
) -> Table:
    """Return a row for each group of lists: its verdicts, and PRUM's largest error and where."""
    rows = [
        _GroupRow(
            names[group], own, Counter(verdict for one in own for verdict in one.verdicts),
            extreme(own),
        )
        for group, own in groups.items()
    ]  # fmt: skip
    rows.sort(key=lambda row: (-row.verdicts[DISAGREES], -row.size))

    def judged(verdict: str) -> Column[_GroupRow]:
        return Column(verdict, lambda row: row.judged(verdict), ",")

    return Table.of(
        "Verdicts and largest errors",
        rows[:MOST_ROWS],
        (
            Column[_GroupRow]("lists under", lambda row: row.name, left=True),
            Column[_GroupRow]("lists", lambda row: num_lists(row.outcomes), ","),
            Column[_GroupRow]("users each", lambda row: row.num_users, ","),
            judged("agrees"), judged(DISAGREES), judged("unresolved"), judged("no closed form"),
            Column[_GroupRow]("PRUM off by", lambda row: row.error, "+.4f"),
            Column[_GroupRow](
                "against", lambda row: None if row.largest is None else row.largest.reference,
                left=True,
            ),
            Column[_GroupRow]("where", lambda row: _where(row.largest), left=True),
        ),
        legend=_cut(len(rows), "group of lists", "groups of lists"),
    )  # fmt: skip


def _where(largest: Extreme | None) -> str | None:
    if largest is None:
        return None
    one = largest.outcome
    return ", ".join([*(name for name in (one.system, one.topic) if name), f"r = {largest.r}"])


def ranking_table(found: Sequence[SystemRanking], names: Mapping[ListGroup, str]) -> Table:
    """Return a row for each ranking: how PRUM agrees with the reference, and the best systems."""
    return Table.of(
        "Rankings by PRUM beside the true ones",
        found[:MOST_ROWS],
        (
            Column[SystemRanking]("systems under", lambda row: names[row.group], left=True),
            Column[SystemRanking]("systems", lambda row: len(row.systems), ","),
            Column[SystemRanking]("topics", lambda row: row.num_topics, ","),
            Column[SystemRanking]("τ-b of PRUM", lambda row: row.tau, ".3f"),
            Column[SystemRanking]("τ-b without browsing", lambda row: row.classical_tau, ".3f"),
            Column[SystemRanking]("changed places", lambda row: len(row.moved), ","),
            Column[SystemRanking]("truly best", lambda row: listed(row.best[0]), left=True),
            Column[SystemRanking]("best by PRUM", lambda row: listed(row.best[1]), left=True),
        ),
        legend=_cut(len(found), "ranking", "rankings"),
    )


def moved_table(found: Sequence[SystemRanking], names: Mapping[ListGroup, str]) -> Table:
    """Return the systems whose places PRUM changes, those that move furthest first."""
    rows = [
        _Moved(names[one.group], system, place, by_prum)
        for one in found
        for system, place, by_prum in one.moved
    ]
    rows.sort(key=lambda row: -abs(row.place - row.by_prum))
    return Table.of(
        "Systems that change places",
        rows[:MOST_ROWS],
        (
            Column[_Moved]("systems under", lambda row: row.name, left=True),
            Column[_Moved]("system", lambda row: row.system, left=True),
            Column[_Moved]("true place", lambda row: row.place),
            Column[_Moved]("place by PRUM", lambda row: row.by_prum),
            Column[_Moved]("change", lambda row: row.place - row.by_prum, "+"),
        ),
        legend=_cut(len(rows), "change of places", "changes of places"),
    )


def change_table(changes: Sequence[PlaceChange], names: Mapping[ListGroup, str]) -> Table:
    """Return how the true order changes between settings, that which changes most first."""
    rows = sorted(changes, key=lambda row: 2.0 if np.isnan(row.tau) else row.tau)
    return Table.of(
        "The true order between settings",
        rows[:MOST_ROWS],
        (
            Column[PlaceChange]("from", lambda row: names[row.first], left=True),
            Column[PlaceChange]("to", lambda row: names[row.second], left=True),
            Column[PlaceChange]("systems", lambda row: row.num_systems, ","),
            Column[PlaceChange]("τ-b", lambda row: row.tau, ".3f"),
            Column[PlaceChange]("best of the first", lambda row: listed(row.bests[0]), left=True),
            Column[PlaceChange]("best of the second", lambda row: listed(row.bests[1]), left=True),
        ),
        legend=_cut(len(rows), "pair of settings", "pairs of settings"),
    )


def measure_table(agreements: Sequence[MeasureAgreement]) -> Table:
    """Return how other measures order systems beside the one that decides."""
    rows = sorted(agreements, key=lambda row: 2.0 if np.isnan(row.tau) else row.tau)
    return Table.of(
        "Orders of systems by other measures",
        rows[:MOST_ROWS],
        (
            Column[MeasureAgreement]("file", lambda row: row.file, left=True),
            Column[MeasureAgreement]("measure", lambda row: row.measure, left=True),
            Column[MeasureAgreement]("beside", lambda row: row.primary, left=True),
            Column[MeasureAgreement]("systems", lambda row: row.num_systems, ","),
            Column[MeasureAgreement]("τ-b", lambda row: row.tau, ".3f"),
            Column[MeasureAgreement]("best", lambda row: listed(row.best), left=True),
            Column[MeasureAgreement](
                "best of the latter", lambda row: listed(row.primary_best), left=True
            ),
        ),
        legend=_cut(len(rows), "measure", "measures"),
    )


def influence_table(influences: Sequence[Influence]) -> Table:
    """Return the dials, that which matters most to the size of errors first."""
    return Table.of(
        "What errors depend on",
        influences,
        (
            Column[Influence]("dial", lambda row: row.name, left=True),
            Column[Influence]("values", lambda row: row.num_levels, ","),
            Column[Influence]("share of the variance", lambda row: share(row.share)),
        ),
    )


def file_table(found: Material) -> Table:
    """Return the files and what made them."""
    results = found.results
    return Table.of(
        "Files of results",
        results[:MOST_ROWS],
        (
            Column[ResultFile]("file", lambda row: row.file, left=True),
            Column[ResultFile]("what it says", lambda row: row.sentence, left=True),
            Column[ResultFile]("prum", lambda row: row.version or None, left=True),
            Column[ResultFile](
                "seeds", lambda row: ", ".join(map(str, row.seeds)) or None, left=True
            ),
            Column[ResultFile]("command", lambda row: row.command or None, left=True),
        ),
        legend=_cut(len(results), "file", "files"),
    )


def _cut(number: int, one: str, many: str) -> tuple[str, ...]:
    if number <= MOST_ROWS:
        return ()
    return (f"the first {MOST_ROWS} of {number:,} {many if number > 1 else one}",)


def heat_text(value: float) -> str:
    """Return an error on a map: its sign and two decimals, a dash for none.

    >>> heat_text(-0.314), heat_text(0.0004), heat_text(float("nan"))
    ('−.31', '.00', '–')
    """
    return shown(value, "+.2f").replace("0.", ".", 1)
