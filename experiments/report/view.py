"""The view of a report: the answer, tables over all results, curves, methods and whom to cite."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from prum.experiments.compare.numbers import count
from prum.experiments.crosscheck.curves import Curves, curve_of_list, gallery, mean_curves
from prum.experiments.report.methods import citations, methods
from prum.experiments.report.outcomes import CellOutcome
from prum.experiments.report.ranked import agreements, changes
from prum.experiments.report.summary import headline, sentences
from prum.experiments.report.tables import (
    change_table,
    file_table,
    heat_table,
    influence_table,
    measure_table,
    moved_table,
    ranking_table,
    verdict_table,
)
from prum.experiments.statistics.intervals import normal_factor
from prum.experiments.views.view import Gallery, Table, View

if TYPE_CHECKING:
    from prum.experiments.report.verb import Report

MOST_PANELS = 16
_MOST_OTHERS = 30
_CAPTION = (
    "Above: precision over recall, the mean of a panel’s lists (interpolated at eleven recall "
    "levels), or of its one list at each r. Below, on a finer scale that all panels share: the "
    "distance from the exact value or, where some list has none, from the simulated one. Dashes "
    "off the line are PRUM’s error. The panel with the largest error comes first."
)


def report_view(report: "Report") -> View:
    """Return what all results say together: tables first, then what a page has room for."""
    found, ranked = report.found, report.rankings
    told = [" ".join(["Methods:", *methods(found, ranked)]), citations(found, ranked)]
    return View(
        title=report.title,
        headline=headline(report.summary, ranked, len(found.results)),
        story=tuple(told),
        tables=(*report_tables(report), *_details(report)),
        figures=tuple(_curves(report)),
        notes=found.notes,
        sentences=tuple(sentences(report.summary, ranked)),
        leads=True,
    )


def report_tables(report: "Report") -> list[Table]:
    """Return the tables over several results that have rows."""
    ranked, names = report.rankings, report.names
    scored = [result.scores for result in report.found.results if result.scores]
    made = (
        verdict_table(report.groups, names),
        influence_table(report.influences),
        ranking_table(ranked, names),
        moved_table(ranked, names),
        change_table(list(changes(ranked)), names),
        measure_table(list(agreements(scored))),
    )
    return [table for table in made if table.rows]


def _details(report: "Report") -> list[Table]:
    """Return maps of errors, the tables of other results, and the files."""
    others = [
        replace(one.table, detail=True, legend=(one.sentence, *one.table.legend))
        for one in report.found.results
        if one.table is not None
    ]
    maps = [heat_table(one) for one in report.heat_maps]
    return [*maps, *others[:_MOST_OTHERS], file_table(report.found)]


def _curves(report: "Report") -> list[Gallery]:
    """Return curves of each group of lists, or of each system where there is one group."""
    named: dict[str, list[CellOutcome]] = {}
    for group, own in report.groups.items():
        for outcome in own:
            title = report.names[group] if len(report.groups) > 1 else outcome.system
            named.setdefault(title, []).append(outcome)
    curves = {title: curve for title, own in named.items() if (curve := curves_of(own))}
    return [panels(curves)] if curves else []


def panels(curves: Mapping[str, Curves]) -> Gallery:
    """Return the drawings of curves by title, those with the largest errors."""
    order = sorted(curves, key=lambda title: -curves[title].largest)
    kept = {title: curves[title] for title in order[:MOST_PANELS]}
    cut = len(order) - len(kept)
    more = f" Left out: {count(cut, 'more panel')} with smaller errors." if cut else ""
    heading = "Precision by PRUM, exactly and by simulated users"
    return gallery(kept, heading, _CAPTION + more, "r")


def curves_of(outcomes: Sequence[CellOutcome]) -> Curves | None:
    """Return the curves of some lists; None where PRUM, or all it could be beside, is missing.

    Of several lists they are means over those that have PRUM and a reference at every r; the exact
    curve stands if it is known for all of these, as does the simulated one.
    """
    whole = [one for one in outcomes if not np.isnan(one.deviation).any()]
    if not whole:
        return None
    exact = [one.exact for one in whole]
    if any(np.isnan(one).any() for one in exact):
        # Some lists may have the one, some the other: the reference of each.
        is_mixed = any(np.isnan(one.simulated).any() for one in whole)
        exact = [one.reference for one in whole] if is_mixed else []
    if len(whole) == 1:
        (one,) = whole
        half = normal_factor() * one.error
        return curve_of_list(one.prum, exact[0] if exact else None, one.simulated, half)
    prum, simulated, errors = (
        [getattr(one, name) for one in whole] for name in ("prum", "simulated", "error")
    )
    return mean_curves(prum, exact or None, simulated, errors)
