"""A study as a value: its options, what it computes, how it looks; and its results."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from prum.experiments.frame.design import Design
from prum.experiments.frame.frames import rows_of, turned
from prum.experiments.frame.result import Result, text_or_file
from prum.experiments.frame.verb import Advance as Advance
from prum.experiments.frame.verb import Outputs, table_outputs
from prum.experiments.frame.view import View
from prum.experiments.statistics.intervals import CONFIDENCE

if TYPE_CHECKING:
    import pandas as pd


def counted(progress: Advance, parts: int) -> Callable[[], None]:
    """Return what tells of the share of the work by one of its parts more that is done."""
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        progress(done / parts)

    return step


StudyOutputs = table_outputs(json="everything as JSON", csv="the rows as CSV", html="a page")


@dataclass(frozen=True)
class Study:
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
    compute
        Takes a design to rows, dictionaries of the same names or named columns, and to what else
        was learned, a SimpleNamespace or a dataclass.
    view
        Takes a result to what people see; the prose stands in story.md beside it.
    """

    # As of a verb.
    tells_progress: ClassVar[bool] = True

    name: str
    help: str | None
    design: type[Design]
    compute: Callable[[Any, Advance], tuple[Any, Any]]
    view: "Callable[[StudyResult], View]"
    outputs: type[Outputs] = StudyOutputs

    def __call__(self, **options: Any) -> "StudyResult":
        """Return the result for some options, the others as they are by default.

        Raise InputError for a value that breaks a rule, and an unknown option.
        """
        return self.run(self.design(**options))

    def run(self, design: Design, progress: Advance = lambda _: None) -> "StudyResult":
        """Return the result for a design; equal designs give equal numbers."""
        design = design.completed()
        rows, findings = self.compute(design, progress)
        return self.result(design, rows, findings)

    def result(self, design: Design, rows: Any, results: Any) -> "StudyResult":
        """Return what was computed as a result."""
        command = design.command(f"study {self.name}")
        if isinstance(rows, list) and isinstance(rows[0], dict):
            rows = turned(rows)
        rows = tuple(rows if isinstance(rows, list | tuple) else rows_of(rows))
        return StudyResult(self, design, rows, results, arguments=design.options(), command=command)


@dataclass(frozen=True, repr=False)
class StudyResult(Result):
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

    study: Study
    design: Design
    rows: tuple[Any, ...]
    found: Any

    @property
    def kind(self) -> str:
        """The command of the study."""
        return f"study {self.study.name}"

    def view(self) -> View:
        """Return what people see: headline, story, tables, figures."""
        return self.study.view(self)

    def values(self) -> dict[str, Any]:
        """Return rows and findings."""
        return {
            "study": self.study.name,
            "options": self.arguments,
            "confidence": CONFIDENCE,
            "rows": self.rows,
            "found": self.found,
        }

    def to_frame(self) -> "pd.DataFrame":
        """Return the rows as a table of pandas."""
        return self._frame()

    @text_or_file
    def to_csv(self) -> str:
        """Return the rows as CSV, numbers with all their digits, or write them to a file."""
        # Whole numbers stay whole in a column where some are missing.
        return self._frame(dtype=object).to_csv(index=False)

    def _frame(self, **kind: Any) -> "pd.DataFrame":
        import pandas as pd

        columns = [field.name for field in dataclasses.fields(self.rows[0])]
        values = [tuple(getattr(row, name) for name in columns) for row in self.rows]
        return pd.DataFrame(values, columns=columns, **kind)
