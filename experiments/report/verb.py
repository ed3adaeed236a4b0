"""The verb: one page over a sweep or a folder of results."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from prum.experiments.report.dials import (
    HeatMap,
    Influence,
    dials_of,
    errors_of,
    heat_maps,
    influences,
)
from prum.experiments.report.material import Material, material
from prum.experiments.report.outcomes import CellOutcome, ListGroup, by_group, group_names
from prum.experiments.report.ranked import SystemRanking, agreements, changes, rankings
from prum.experiments.report.summary import ReportSummary, headline, sentences
from prum.experiments.report.tables import (
    change_table,
    influence_table,
    measure_table,
    moved_table,
    ranking_table,
    verdict_table,
)
from prum.simulator.model.version import own_version

if TYPE_CHECKING:
    from prum.experiments.views.view import Table, View

TITLE = "How far PRUM can be trusted"


@dataclass(frozen=True, repr=False)
class Report:
    """All that some results say together, as a page and as tables.

    Attributes
    ----------
    path
        The store, the file or the folder, as it was named.
    title
        Of the page.
    found
        What is in it.
    """

    path: str
    title: str
    found: Material

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
        return headline(self.summary, self.rankings, len(self.found.results))

    @property
    def sentences(self) -> list[str]:
        """What follows, in sentences."""
        return sentences(self.summary, self.rankings)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is missing, could not be read or was left out."""
        return self.found.notes

    @property
    def version(self) -> str:
        """The version of prum that makes the page."""
        return own_version()

    @property
    def command(self) -> str:
        """The command that makes the page."""
        title = [] if self.title == TITLE else ["--title", self.title]
        return shlex.join(["prum", "report", self.path, "-o", "report.html", *title])

    @cached_property
    def tables(self) -> dict[str, "Table"]:
        """Name -> table: those that have rows."""
        scored = (result.scores for result in self.found.results)
        made = {
            "verdicts": verdict_table(self.groups, self.names),
            "influences": influence_table(self.influences),
            "rankings": ranking_table(self.rankings, self.names),
            "moved": moved_table(self.rankings, self.names),
            "changes": change_table(list(changes(self.rankings)), self.names),
            "measures": measure_table(list(agreements(one for one in scored if one))),
        }
        return {name: table for name, table in made.items() if table.rows}

    def view(self) -> "View":
        """Return what people see on a terminal or in a notebook."""
        from prum.experiments.views.view import View

        return View(
            title=self.title, headline=self.headline, story=(), tables=tuple(self.tables.values()),
            notes=self.notes, sentences=tuple(self.sentences), leads=True,
        )  # fmt: skip

    def to_html(self) -> str:
        """Return the page: one HTML document that needs nothing else, the same bytes each time.

        Raises
        ------
        InputError
            if jinja2 or matplotlib is not installed.
        """
        from prum.experiments.report.page import page

        return page(self)

    def to_latex(self) -> str:
        """Return the tables for LaTeX with the package booktabs."""
        from prum.experiments.views.latex import latex

        return "\n".join(map(latex, self.tables.values()))

    def _repr_html_(self) -> str:
        """Return answer, tables and notes, for a notebook."""
        from prum.experiments.views.html import fragment

        return fragment(self.view())

    def __repr__(self) -> str:
        return "\n".join([self.headline, *self.sentences, *self.notes])


def report(
    results: str | Path, *, title: str | None = None, without: Sequence[str | Path] = ()
) -> Report:
    """Sum up the results in a store, a file or a folder.

    Parameters
    ----------
    results
        The store of a sweep; a file that another command wrote by ``--json``; or a folder of
        them, with its folders. Files are told by their content. In a folder, what is none or
        cannot be read stands in the notes.
    title
        Of the page.
    without
        Files of the folder that are left out, and not noted: an old page of it, say.

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
    found = material(Path(results), map(Path, without))
    return Report(str(results), TITLE if title is None else title, found)


def check_page() -> None:
    """Raise if a page can't be made, before the work for it begins.

    Raises
    ------
    InputError
        if jinja2 or matplotlib is not installed.
    """
    from prum.experiments.views.html import check_installed

    check_installed()
