"""The page of a report, in the order in which people read it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from prum.experiments.report.dials import HeatMap
from prum.experiments.report.methods import citations, methods
from prum.experiments.report.outcomes import CellOutcome
from prum.experiments.report.panels import Panels, panels
from prum.experiments.report.tables import MOST_ROWS, file_table, heat_text
from prum.experiments.report.verb import Report
from prum.experiments.views.html import check_installed, template_page

# Shades of a map, the darkest for the largest error.
_SHADES = 8
_MOST_OTHERS = 30


@dataclass(frozen=True, slots=True)
class HeatCell:
    """An error on the map, and how dark it is, 0 for none."""

    text: str
    shade: int


def page(report: Report) -> str:
    """Return the page: one HTML document that needs nothing else, the same bytes each time.

    Raises
    ------
    InputError
        if jinja2 or matplotlib is not installed.
    """
    check_installed()
    others = [one for one in report.found.results if one.table is not None]
    content: dict[str, Any] = {
        "title": report.title,
        "headline": report.headline,
        "sentences": report.sentences,
        "notes": report.notes,
        "panels": _panels(report),
        "maps": [(heat, _cells(heat)) for heat in report.heat_maps],
        "tables": report.tables,
        "others": others[:_MOST_OTHERS],
        "num_others_cut": max(len(others) - _MOST_OTHERS, 0),
        "methods": methods(report.found, report.rankings),
        "citations": citations(report.found, report.rankings),
        "files": file_table(report.found),
        "most_rows": MOST_ROWS,
        "command": report.command,
        "version": report.version,
    }
    return template_page("prum.experiments.report", "page.html", content)


def _panels(report: Report) -> Panels:
    """Return curves of each group of lists, or of each system where there is one group."""
    if len(report.groups) > 1:
        named: dict[str, list[CellOutcome]] = {}
        for group, own in report.groups.items():
            named.setdefault(report.names[group], []).extend(own)
        return panels(named)
    by_system: dict[str, list[CellOutcome]] = {}
    for outcome in report.found.outcomes:
        by_system.setdefault(outcome.system, []).append(outcome)
    return panels(by_system)


def _cells(heat: HeatMap) -> list[list[HeatCell]]:
    """Return what stands in the map, row by row."""
    sizes = np.abs(heat.largest)
    most = float(np.nanmax(sizes)) if not np.isnan(sizes).all() else 0.0
    return [
        [HeatCell(heat_text(value), _shade(abs(value), most)) for value in row]
        for row in heat.largest.tolist()
    ]


def _shade(size: float, most: float) -> int:
    """Return how dark an error is: in equal steps up to the largest.

    >>> _shade(0.0, 0.3), _shade(0.3, 0.3), _shade(float("nan"), 0.3)
    (0, 8, 0)
    """
    if np.isnan(size) or most <= 0:
        return 0
    return round(_SHADES * size / most)
