"""Views of results: terminal, page, LaTeX and CSV come from the same view."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from prum.experiments.frame.numbers import Value, shown
from prum.simulator.model.errors import printable

if TYPE_CHECKING:
    from pathlib import Path

    from prum.experiments.frame.drawing import Drawing

# Rows of a detail that stands open on a page.
_OPEN = 20


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: values with all their digits, and the texts that people read.

    Parameters
    ----------
    values, texts
        An entry for each row.
    left
        Whether it stands left, as names do; those at the beginning head their rows.
    brief
        Beginnings of the texts, which do in a notebook and in LaTeX.
    signs
        Signs behind the texts, explained in the table's legend.
    best
        Whether it is the best of the column.
    """

    heading: str
    values: tuple[Value, ...]
    texts: tuple[str, ...]
    left: bool = False
    brief: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    best: tuple[bool, ...] = ()

    @classmethod
    def of(
        cls,
        heading: str,
        values: Iterable[Any],
        form: str | Callable[[Any], str] = "",
        **more: Any,
    ) -> "Column":
        """Return a column of values in a format, as `format` has it, or by what makes texts.

        >>> Column.of("root", [2**0.5, None], ".2f").texts
        ('1.41', '–')
        """
        values = tuple(values)
        texts = (form(value) if callable(form) else shown(value, form) for value in values)
        return cls(heading, values, tuple(texts), **more)


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Parameters
    ----------
    label
        Its heading.
    cells
        Its columns.
    starts
        The places of rows that begin another part of the table.
    bad
        The places of rows that something is wrong with, which a page colours.
    detail
        Whether it is for the page alone, and not for the terminal; a page folds one of many rows.
    legend
        What its signs mean, in lines.
    """

    label: str
    cells: tuple[Column, ...]
    starts: frozenset[int] = frozenset()
    bad: frozenset[int] = frozenset()
    detail: bool = False
    legend: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The headings."""
        return tuple(column.heading for column in self.cells)

    @property
    def values(self) -> tuple[tuple[Value, ...], ...]:
        """The values of each row."""
        return tuple(zip(*(column.values for column in self.cells), strict=True))

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The texts of each row."""
        return tuple(zip(*(column.texts for column in self.cells), strict=True))

    @property
    def is_folded(self) -> bool:
        """Whether a page shows it only when asked."""
        return self.detail and len(self.rows) > _OPEN

    def briefly(self) -> "Table":
        """Return it with the brief texts of the columns that have them."""
        cells = (replace(column, texts=column.brief or column.texts) for column in self.cells)
        return replace(self, cells=tuple(cells))

    def lines(
        self,
        *,
        ruled: bool = False,
        width_of: Callable[[str], int] = len,
        width: int | None = None,
    ) -> list[str]:
        """Return headings and rows, with their signs, as lines of plain text.

        `ruled`: with a line below the headings; `width_of`: how wide a text is printed; `width`: of
        a wider table one part follows another, each headed by what stands left at the beginning.
        """
        columns: list[list[str]] = []
        for column in self.cells:
            texts = [printable(text) for text in (column.heading, *column.texts)]
            widest = max(map(width_of, texts))
            spaces = [" " * (widest - width_of(text)) for text in texts]
            pairs = zip(texts, spaces, strict=True)
            cells = [text + space if column.left else space + text for text, space in pairs]
            if room := max(map(len, column.signs), default=0):
                signs = ("", *column.signs)
                cells = [f"{c} {sign:>{room}}" for c, sign in zip(cells, signs, strict=True)]
            columns.append(cells)
        rights = (number for number, column in enumerate(self.cells) if not column.left)
        num_heads = next(rights, len(columns)) or 1
        parts = [columns[:num_heads]]
        for texts in columns[num_heads:]:
            part = [*parts[-1], texts]
            needed = sum(width_of(cells[0]) + 2 for cells in part) - 2
            if width is not None and needed > width and len(part) > num_heads + 1:
                parts.append([*columns[:num_heads], texts])
            else:
                parts[-1] = part
        lines: list[str] = []
        for part in parts:
            first, *rows = map("  ".join, zip(*part, strict=True))
            rule = ["─" * width_of(first)] if ruled else []
            lines += ["", *(line.rstrip() for line in (first, *rule, *rows))]
        return lines[1:]

    def content(self) -> dict[str, Any]:
        """Return it as plain data: headings, cells as values and as texts."""
        return {
            "label": self.label,
            "columns": self.columns,
            "left": [column.left for column in self.cells],
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
        from prum.experiments.frame.drawing import check_figure

        return self.draw().file(check_figure(path))

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
        Paragraphs for readers who know no theory; on the page, after tables and figures.
    tables, figures
        In order.
    notes
        What to know about the tables, for readers of the page and of the terminal.
    sentences
        What follows from the tables, after them.
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
