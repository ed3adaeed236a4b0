"""A report: the answer, tables over all results, curves, methods and whom to cite."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from prum.experiments.crosscheck.curves import Curves, curve_of_list, gallery, mean_curves
from prum.experiments.frame.numbers import count
from prum.experiments.frame.result import Result
from prum.experiments.frame.view import Gallery, Table, View
from prum.experiments.report.material import Material
from prum.experiments.report.ranked import (
    HeatMap,
    Influence,
    SystemRanking,
    agreements,
    changes,
    dials_of,
    errors_of,
    heat_maps,
    influences,
    rankings,
)
from prum.experiments.report.results import CellOutcome, ListGroup, by_group, group_names, num_lists
from prum.experiments.report.tables import (
    ReportSummary,
    change_table,
    file_table,
    headline,
    heat_table,
    influence_table,
    measure_table,
    moved_table,
    ranking_table,
    sentences,
    verdict_table,
)
from prum.experiments.statistics.intervals import normal_factor
from prum.simulator.model.costs import ELEMENTS

if TYPE_CHECKING:
    import pandas as pd

TITLE = "How far PRUM can be trusted"
_MOST_NAMED = 6
_PAPER = """@article{piwowarski2007prum,
  author  = {Piwowarski, Benjamin and Gallinari, Patrick and Dupret, Georges},
  title   = {Precision Recall with User Modeling ({PRUM}): Application to Structured
             Information Retrieval},
  journal = {ACM Transactions on Information Systems},
  volume  = {25},
  number  = {1},
  articleno = {1},
  numpages = {37},
  year    = {2007},
  doi     = {10.1145/1198296.1198297}
}"""
_KENDALL = """@article{kendall1945ties,
  author  = {Kendall, Maurice G.},
  title   = {The Treatment of Ties in Ranking Problems},
  journal = {Biometrika},
  volume  = {33},
  number  = {3},
  pages   = {239--251},
  year    = {1945},
  doi     = {10.1093/biomet/33.3.239}
}"""


def methods(found: Material, ranked: Sequence[SystemRanking]) -> list[str]:
    """Return what was computed and how, in sentences."""
    outcomes = found.outcomes
    told = []
    if outcomes:
        told += _of_lists(outcomes)
    told += [sentence for result in found.results for sentence in result.settings]
    if ranked:
        told.append(
            "Systems were ranked by precision averaged over r, then over the topics that all of "
            "them have; rankings were compared by Kendall’s τ-b, in which tied pairs count for "
            "neither order."
        )
    told.append(f"All was computed with {_software(found)}.")
    return told


def _of_lists(outcomes: Sequence[CellOutcome]) -> list[str]:
    systems = {(one.campaign, one.system) for one in outcomes}
    topics = {(one.campaign, one.topic) for one in outcomes}
    campaigns = sorted({one.campaign for one in outcomes if one.campaign})
    settings = list(dict.fromkeys(one.setting for one in outcomes))
    of = f" ({_some(campaigns)})" if campaigns else ""
    told = [
        "Precision at recall value r is E[CL(r)] / E[C(r)]: of the elements that users consult "
        "until they have seen r ideals, those that lead to something new, in expectation "
        "(Piwowarski, Gallinari and Dupret 2007).",
        f"For {count(num_lists(outcomes), 'list')} of {count(len(systems), 'system')} and "
        f"{count(len(topics), 'topic')}{of}, PRUM was computed as published and compared with the "
        "exact value under the same browsing or, where none is known, with simulated users. Ways "
        f"of browsing: {_some(settings)}.",
    ]
    units = sorted({one.unit for one in outcomes} - {ELEMENTS})
    if units:
        told.append(f"Instead of elements, what they cost was counted, in {_some(units)}.")
    drawn = [one for one in outcomes if one.num_users]
    if drawn:
        users = sorted({one.num_users for one in drawn})
        number = f"{users[0]:,}" if len(users) == 1 else f"{users[0]:,} to {users[-1]:,}"
        users_are = "user was" if users == [1] else "users were"
        seeds = sorted({seed for one in drawn for seed in one.seeds})
        from_seeds = ""
        if seeds:
            names = _some([str(seed) for seed in seeds])
            from_seeds = f" (seed{'' if len(seeds) == 1 else 's'} {names})"
        told.append(
            f"{number} {users_are} simulated for each of {count(len(drawn), 'pair')} of a list and "
            f"a way of browsing{from_seeds}; intervals hold 95 % of the draws of users."
        )
    without = sum(bool(np.isnan(one.exact).all()) for one in outcomes)
    if 0 < without < len(outcomes):
        told.append(
            f"No exact value is known for {without:,} of {len(outcomes):,} pairs of a list and a "
            "way of browsing; there the simulated value stands for it."
        )
    return told


def versions(found: Material) -> list[str]:
    """Return the versions of prum that made the results."""
    return sorted({result.version for result in found.results if result.version})


def _software(found: Material) -> str:
    made = versions(found)
    if not made:
        return "prum"
    return f"prum {' and '.join(made)}"


def citations(found: Material, ranked: Sequence[SystemRanking]) -> str:
    """Return what to cite as BibTeX: the paper, the software and what rankings are compared by."""
    version = ", ".join(versions(found))
    software = [
        "@software{prum,",
        "  author  = {{The prum developers}},",
        "  title   = {prum: How well does a ranked list serve users who browse from it?},",
        f"  version = {{{version}}}," if version else "",
        "  note    = {Licence: Apache-2.0}",
        "}",
    ]
    entries = [_PAPER, "\n".join(line for line in software if line)]
    if ranked:
        entries.append(_KENDALL)
    return "\n\n".join(entries)


def _some(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


MOST_PANELS = 16
_MOST_OTHERS = 30
_CAPTION = (
    "Above: precision over recall, the mean of a panel’s lists (interpolated at eleven recall "
    "levels), or of its one list at each r. Below, on a finer scale that all panels share: the "
    "distance from the exact value or, where some list has none, from the simulated one. Dashes "
    "off the line are PRUM’s error. The panel with the largest error comes first."
)


class ReportValues(TypedDict):
    """What the JSON of a report holds."""

    num_lists: int
    num_values: int
    verdicts: Mapping[str, int]
    notes: Sequence[str]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Report(Result):
    """All that some results say together, as a page and as tables.

    Attributes
    ----------
    found
        What is in the store, the file or the folder.
    title
        Of the page.
    """

    found: Material
    title: str = TITLE

    kind = "report"

    @cached_property
    def groups(self) -> dict[ListGroup, list[CellOutcome]]:
        """The lists of each file, campaign and setting."""
        return by_group(self.found.outcomes)

    @cached_property
    def names(self) -> dict[ListGroup, str]:
        """A name for each of the groups."""
        return group_names(self.groups)

    @cached_property
    def rankings(self) -> list[SystemRanking]:
        """The systems of each group, by PRUM and truly."""
        return rankings(self.groups)

    @cached_property
    def summary(self) -> ReportSummary:
        """Numbers over all lists."""
        return ReportSummary.of(self.found.outcomes)

    @cached_property
    def influences(self) -> list[Influence]:
        """What errors depend on."""
        return influences(errors_of(self.found.outcomes), dials_of(self.found.outcomes))

    @cached_property
    def heat_maps(self) -> list[HeatMap]:
        """The largest errors over the dials of most influence."""
        return heat_maps(errors_of(self.found.outcomes), dials_of(self.found.outcomes))

    @property
    def headline(self) -> str:
        """How far PRUM can be trusted, in a sentence."""
        return self.whole().headline

    @property
    def notes(self) -> tuple[str, ...]:
        """What is missing, could not be read or was left out."""
        return self.found.notes

    def values(self) -> ReportValues:
        """Return the numbers over all lists."""
        summary = self.summary
        return {
            "num_lists": summary.num_lists,
            "num_values": summary.num_values,
            "verdicts": summary.verdicts,
            "notes": self.notes,
        }

    def view(self) -> View:
        """Return the answer, tables over several results, and notes."""
        whole = self.whole()
        return replace(whole, tables=tuple(one for one in whole.tables if not one.detail))

    def whole(self) -> View:
        """Return the view with maps, the tables of other results and the files."""
        return report_view(self)

    def to_frame(self) -> "pd.DataFrame":
        """Return a row for each list and r: its precision by PRUM, exactly and simulated."""
        import pandas as pd

        columns = ("file", "campaign", "setting", "system", "topic", "unit", "num_users")
        values = ("prum", "exact", "simulated", "error")
        tables = [
            pd.DataFrame(
                {name: getattr(one, name) for name in columns}
                | {"r": range(1, one.num_ideals + 1)}
                | {name: getattr(one, name) for name in values}
            )
            for one in self.found.outcomes
        ]
        return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def report_view(report: Report) -> View:
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


def report_tables(report: Report) -> list[Table]:
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


def _details(report: Report) -> list[Table]:
    """Return maps of errors, the tables of other results, and the files."""
    others = [
        replace(one.table, detail=True, legend=(one.sentence, *one.table.legend))
        for one in report.found.results
        if one.table is not None
    ]
    maps = [heat_table(one) for one in report.heat_maps]
    return [*maps, *others[:_MOST_OTHERS], file_table(report.found)]


def _curves(report: Report) -> list[Gallery]:
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
