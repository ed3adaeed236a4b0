"""The verb `report`: one page over a sweep or a folder of results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from prum.experiments.frame.result import Result
from prum.experiments.report.design import REPORT, ReportDesign
from prum.experiments.report.material import Material, material
from prum.experiments.report.ranked import (
    HeatMap,
    Influence,
    SystemRanking,
    dials_of,
    errors_of,
    heat_maps,
    influences,
    rankings,
)
from prum.experiments.report.results import CellOutcome, ListGroup, by_group, group_names
from prum.experiments.report.tables import ReportSummary

if TYPE_CHECKING:
    import pandas as pd

    from prum.experiments.frame.view import View

TITLE = "How far PRUM can be trusted"


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

    def view(self) -> "View":
        """Return the answer, tables over several results, and notes."""
        whole = self.whole()
        return replace(whole, tables=tuple(one for one in whole.tables if not one.detail))

    def whole(self) -> "View":
        """Return the view with maps, the tables of other results and the files."""
        from prum.experiments.report.view import report_view

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


@REPORT.function
def report(design: ReportDesign) -> Report:
    """Sum up the results in a store, a file or a folder, as `prum report` does.

    Raises
    ------
    InputError
        if there is no such file, it is none of prum's, or damaged; for a folder or a store
        without results.
    OSError
        if it can't be read.

    >>> from tempfile import TemporaryDirectory
    >>> from prum import sweep
    >>> with TemporaryDirectory() as folder:
    ...     _ = sweep(
    ...         {"campaigns": [{"example": "web"}], "users": {"num_users": 1_000}},
    ...         store=f"{folder}/web.sqlite",
    ...     )
    ...     print(report(f"{folder}/web.sqlite").summary.num_lists)
    1
    """
    found = material(Path(design.results), map(Path, design.without))
    return Report(found=found, title=TITLE if design.title is None else design.title)
