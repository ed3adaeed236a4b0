"""Views of results: terminal, page, LaTeX and CSV come from the same view."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from prum.experiments.frame.numbers import Value, shown
from prum.simulator.model.errors import printable

if TYPE_CHECKING:
    from pathlib import Path

    from prum.experiments.frame.drawing import Drawing

R = TypeVar("R")
# Letters of a name that is not broken on a page.
_NAME = 24
# Rows of a detail that stands open on a page.
_OPEN = 20
# A figure as a file has a margin.
_ROOMY = {"savefig.bbox": "tight", "savefig.pad_inches": 0.1}


@dataclass(frozen=True)
class Column(Generic[R]):
    """A column of a table of rows of type R.

    `value` takes a row to what stands in the column; `form` is a format specification as `format`
    has it, or what makes texts of values; text stands `left`, numbers right. The
    other attributes are those of `Marks`, by row.

    >>> Column[float]("root", lambda x: x**0.5, ".2f").text(2.0)
    '1.41'
    """

    heading: str
    value: Callable[[R], Value]
    form: str | Callable[[Value], str] = ""
    left: bool = False
    brief: Callable[[R], str] | None = None
    sign: Callable[[R], str] | None = None
    is_best: Callable[[R], bool] | None = None
    span: Callable[[R], "Stretch"] | None = None

    def text(self, row: R) -> str:
        """Return the value of a row for people."""
        value = self.value(row)
        return self.form(value) if callable(self.form) else shown(value, self.form)

    def marks(self, rows: Iterable[R]) -> "Marks":
        """Return what some rows have beside their texts."""
        rows = tuple(rows)
        return Marks(
            brief=tuple(map(self.brief, rows)) if self.brief else (),
            signs=tuple(map(self.sign, rows)) if self.sign else (),
            best=tuple(map(self.is_best, rows)) if self.is_best else (),
            spans=tuple(map(self.span, rows)) if self.span else (),
        )


@dataclass(frozen=True, slots=True)
class Stretch:
    """An interval on an axis, in shares of its length, and a place within."""

    low: float
    at: float
    high: float


@dataclass(frozen=True, slots=True)
class Marks:
    """What stands beside the texts of a column: an entry for each row, or none at all.

    Parameters
    ----------
    brief
        Beginnings of the texts, which do in a notebook and in LaTeX.
    signs
        Signs behind the texts, explained in the table's legend.
    best
        Whether it is the best of the column.
    spans
        Intervals drawn on the page.
    """

    brief: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    best: tuple[bool, ...] = ()
    spans: tuple[Stretch, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """A table: values with all their digits, and the texts that people read.

    Parameters
    ----------
    label
        Its heading.
    columns
        Headings.
    left
        Whether each column stands left; those at the beginning head their rows.
    values, rows
        The same cells as values and as texts.
    starts
        The places of rows that begin another part of the table.
    bad
        The places of rows that something is wrong with, which a page colours.
    detail
        Whether it is for the page alone, and not for the terminal; a page folds one of many rows.
    marks
        What stands beside the texts of each column.
    legend
        What its signs mean, in lines.
    """

    label: str
    columns: tuple[str, ...]
    left: tuple[bool, ...]
    values: tuple[tuple[Value, ...], ...]
    rows: tuple[tuple[str, ...], ...]
    starts: frozenset[int] = frozenset()
    bad: frozenset[int] = frozenset()
    detail: bool = False
    marks: tuple[Marks, ...] = ()
    legend: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        label: str,
        rows: Iterable[R],
        columns: Iterable[Column[R]],
        *,
        parts: Callable[[R], object] = lambda _: None,
        is_bad: Callable[[R], bool] = lambda _: False,
        detail: bool = False,
        legend: Iterable[str] = (),
    ) -> "Table":
        """Return the table of some rows; where `parts` changes, another part begins."""
        rows, columns = tuple(rows), tuple(columns)
        marks = [parts(row) for row in rows]
        return cls(
            label=label,
            columns=tuple(column.heading for column in columns),
            left=tuple(column.left for column in columns),
            values=tuple(tuple(column.value(row) for column in columns) for row in rows),
            rows=tuple(tuple(column.text(row) for column in columns) for row in rows),
            starts=frozenset(at for at in range(1, len(rows)) if marks[at] != marks[at - 1]),
            bad=frozenset(at for at, row in enumerate(rows) if is_bad(row)),
            detail=detail,
            marks=tuple(column.marks(rows) for column in columns),
            legend=tuple(legend),
        )

    @property
    def spans(self) -> tuple[int, ...]:
        """The numbers of the columns with intervals that are drawn."""
        return tuple(at for at, marks in enumerate(self.marks) if marks.spans)

    @property
    def is_folded(self) -> bool:
        """Whether a page shows it only when asked."""
        return self.detail and len(self.rows) > _OPEN

    def least_width(self, column: int) -> int:
        """Return the letters of the longest text of a column, but no more than a name's."""
        return min(max((len(row[column]) for row in self.rows), default=0) + 2, _NAME)

    def briefly(self) -> "Table":
        """Return it with the brief texts of the columns that have them."""
        columns = [
            marks.brief or tuple(row[at] for row in self.rows)
            for at, marks in enumerate(self.marks)
        ]
        return replace(self, rows=tuple(zip(*columns, strict=True))) if columns else self

    def lines(self, *, ruled: bool = False, width_of: Callable[[str], int] = len) -> list[str]:
        """Return headings and rows, with their signs, as lines of plain text of any width.

        `ruled`: with a line below the headings; `width_of`: how wide a text is printed.
        """
        columns = []
        for at, (heading, marks) in enumerate(zip(self.columns, self.marks, strict=True)):
            texts = [printable(text) for text in (heading, *(row[at] for row in self.rows))]
            width, is_left = max(map(width_of, texts)), self.left[at]
            spaces = [" " * (width - width_of(text)) for text in texts]
            pairs = zip(texts, spaces, strict=True)
            cells = [text + space if is_left else space + text for text, space in pairs]
            if room := max(map(len, marks.signs), default=0):
                signs = ("", *marks.signs)
                cells = [f"{c} {sign:>{room}}" for c, sign in zip(cells, signs, strict=True)]
            columns.append(cells)
        first, *rows = map("  ".join, zip(*columns, strict=True))
        rule = ["─" * width_of(first)] if ruled else []
        return [line.rstrip() for line in (first, *rule, *rows)]

    def content(self) -> dict[str, Any]:
        """Return it as plain data: headings, cells as values and as texts."""
        return {
            "label": self.label,
            "columns": self.columns,
            "left": self.left,
            "values": self.values,
            "rows": self.rows,
            "legend": self.legend,
        }


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure that is drawn when it is shown; `label` describes it for those who cannot see it."""

    caption: str
    label: str
    draw: "Callable[[], Drawing]"

    def file(self, path: "str | Path") -> bytes:
        """Return it as a file of the type that the path names: .pdf, .svg or .png.

        Raise InputError for another type, or if matplotlib is not installed.
        """
        from prum.experiments.frame.drawing import STYLE, check_figure, figure_bytes

        check_figure(path)
        drawing = self.draw()
        return figure_bytes(
            drawing.fill, (drawing.width / 72, drawing.height / 72), path, {**STYLE, **_ROOMY}
        )

    def save(self, path: "str | Path") -> None:
        """Write it to a file of the type that the path names: .pdf, .svg or .png.

        Raise InputError as `file`, and OSError if the file cannot be written.
        """
        from prum.experiments.frame.files import write_whole

        write_whole(path, self.file(path))

    def __repr__(self) -> str:
        return f"Figure: {self.label}; save(path) writes it"

    def _repr_svg_(self) -> str:
        """Return it for a notebook."""
        return self.file("figure.svg").decode()


@dataclass(frozen=True, slots=True)
class Card:
    """A part of a page: its answer, whether that holds, a figure, what follows, folded tables."""

    heading: str
    answer: str
    holds: bool | None
    figure: Figure
    sentences: tuple[str, ...]
    tables: tuple[Table, ...]


@dataclass(frozen=True, slots=True)
class View:
    """What is shown of a result, in plain text.

    Parameters
    ----------
    title
        What it is about.
    headline
        The answer in a sentence.
    story
        Paragraphs for readers who know no theory; on the page.
    tables, figures
        In order.
    notes
        What to know about the tables, for readers of the page and of the terminal.
    sentences
        What follows from the tables, after them.
    leads
        Whether tables come right after the answer, fit to the width of the terminal, and then the
        sentences. Else wide tables are parted there, and on the page they come after story, figures
        and notes.
    holds
        Whether what was tested holds, by which a page colours the answer; None if nothing was.
    cards
        Parts of the page, which has these in the place of tables and sentences.
    """

    title: str
    headline: str
    story: tuple[str, ...]
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    leads: bool = False
    holds: bool | None = None
    cards: tuple[Card, ...] = ()

    @property
    def drawn(self) -> tuple[Figure, ...]:
        """The figures, those of cards at the end."""
        return (*self.figures, *(card.figure for card in self.cards))


def interval(value: float | None, low: float | None, high: float | None, form: str) -> str:
    """Return a value with the ends of its interval, if it has one.

    >>> interval(0.5, -0.1, 1.1, ".1f"), interval(0.5, None, None, ".1f")
    ('0.5 (−0.1 to 1.1)', '0.5')
    """
    if value is None or low is None or high is None:
        return shown(value, form)
    return f"{shown(value, form)} ({shown(low, form)} to {shown(high, form)})"


def listed(value: Any) -> str:
    """Return an option's value for people.

    >>> listed((2, 1000)), listed(0.5), listed(None), listed(())
    ('2, 1,000', '0.5', '–', '–')
    """
    if isinstance(value, (tuple, list)):
        return ", ".join(map(listed, value)) or shown(None)
    return shown(value, "," if isinstance(value, int) else "g")
