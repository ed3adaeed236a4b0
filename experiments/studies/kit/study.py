"""A study as a value: its options, what it computes, how it looks; and its results."""

import csv
import dataclasses
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from prum.experiments.statistics.intervals import CONFIDENCE
from prum.experiments.studies.kit.design import Design
from prum.experiments.views.encoding import json_text
from prum.experiments.views.view import View
from prum.simulator.model.version import own_version

if TYPE_CHECKING:
    import pandas as pd

D = TypeVar("D", bound=Design)
R = TypeVar("R")
F = TypeVar("F")
# Takes the share of the work that is done: of its time, as far as that is known.
Advance = Callable[[float], object]


class TimedShare(float):
    """A share of the work, with an estimate of the seconds that are left, or None."""

    left: float | None

    def __new__(cls, share: float, left: float | None) -> Self:
        """Return a share."""
        timed = super().__new__(cls, share)
        timed.left = left
        return timed


class CutOff(KeyboardInterrupt):
    """A study that was interrupted, with the rows and findings that there are."""

    def __init__(self, part: tuple[Sequence[Any], Any]) -> None:
        super().__init__()
        self.part = part


class PartialResult(KeyboardInterrupt):
    """A study that was interrupted, with the result over what was complete."""

    def __init__(self, result: "StudyResult[Any, Any, Any]") -> None:
        super().__init__()
        self.result = result


@dataclass(frozen=True)
class Study(Generic[D, R, F]):
    """A question that is answered by computing, as one value.

    Calling it with options runs it.

    Parameters
    ----------
    name
        As in `prum study NAME`.
    help
        The docstring of the module that holds the study; its first line stands in the list of
        studies, the whole in the help text of the command.
    design
        Its options.
    row
        A frozen dataclass; the rows' columns are its fields, or those of a subclass that they are
        of.
    compute
        Takes a design to rows and to what else was learned, a dataclass.
    view
        Takes a result to what people see; the prose stands in story.md beside it.
    outputs
        Takes a result to other files that were asked for: path and content.
    """

    name: str
    help: str | None
    design: type[D]
    row: type[R]
    compute: Callable[[D, Advance], tuple[Sequence[R], F]]
    view: "Callable[[StudyResult[D, R, F]], View]"
    outputs: "Callable[[StudyResult[D, R, F]], Mapping[str, str]]" = lambda _: {}

    def __call__(self, **options: Any) -> "StudyResult[D, R, F]":
        """Return the result for some options, the others as they are by default.

        Raises
        ------
        InputError
            for a value that breaks a rule, and an unknown option.
        """
        return self.run(self.design(**options))

    def run(self, design: D, progress: Advance = lambda _: None) -> "StudyResult[D, R, F]":
        """Return the result for a design; equal designs give equal numbers.

        Raises
        ------
        PartialResult
            for Ctrl-C, where the study has something to say then.
        """
        design = design.completed()
        try:
            rows, findings = self.compute(design, progress)
        except CutOff as cut:
            rows, findings = cut.part
            raise PartialResult(StudyResult(self, design, tuple(rows), findings)) from None
        return StudyResult(self, design, tuple(rows), findings)


@dataclass(frozen=True)
class StudyResult(Generic[D, R, F]):
    """A study's numbers, and ways to write and show them.

    Parameters
    ----------
    study, design
        The study, and the options it ran with.
    rows
        One for each point of the design.
    found
        Results beside the rows.
    """

    study: Study[D, R, F]
    design: D
    rows: tuple[R, ...]
    found: F

    @property
    def command(self) -> str:
        """The command line that repeats the study."""
        return self.design.command(self.study.name)

    @property
    def version(self) -> str:
        """The version of prum."""
        return own_version()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of what a row holds."""
        row: Any = type(self.rows[0]) if self.rows else self.study.row
        return tuple(field.name for field in dataclasses.fields(row))

    def view(self) -> View:
        """Return what people see: headline, story, tables, figures."""
        return self.study.view(self)

    def to_json(self) -> str:
        """Return all of it as JSON."""
        content = {
            "study": self.study.name,
            "version": self.version,
            "command": self.command,
            "options": self.design.options(),
            "confidence": CONFIDENCE,
            "rows": self.rows,
            "found": self.found,
        }
        return json_text(content, default=_plain)

    def to_csv(self) -> str:
        """Return the rows as CSV, numbers with all their digits."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self._values())
        return stream.getvalue()

    def to_frame(self) -> "pd.DataFrame":
        """Return the rows as a table of pandas."""
        import pandas as pd

        return pd.DataFrame(self._values(), columns=list(self.columns))

    def to_latex(self) -> str:
        """Return the tables of the view for LaTeX with the package booktabs."""
        from prum.experiments.views.latex import latex

        return "\n".join(latex(table) for table in self.view().tables)

    def to_html(self) -> str:
        """Return a page: one HTML document that needs nothing else, the same bytes each time.

        Raises
        ------
        InputError
            if jinja2 or matplotlib is not installed.
        """
        from prum.experiments.views.html import page

        return page(
            self.view(), command=self.command, version=self.version, options=self.design.options()
        )

    def _repr_html_(self) -> str:
        """Return headline, tables and notes for a notebook."""
        from prum.experiments.views.html import fragment

        return fragment(self.view())

    def _values(self) -> list[tuple[Any, ...]]:
        return [tuple(getattr(row, name) for name in self.columns) for row in self.rows]


def _plain(value: Any) -> Any:
    """Return a dataclass, an array or a number of numpy as JSON can hold it."""
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return value.tolist()
