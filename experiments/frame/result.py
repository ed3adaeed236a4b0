"""The result of a verb or a study and ways to write and show it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from prum.experiments.frame.files import json_text, plain, write_whole
from prum.experiments.frame.view import View
from prum.simulator.model.errors import InputError
from prum.simulator.model.process import own_version

if TYPE_CHECKING:
    import pandas as pd


def text_or_file(make: Callable[..., str]) -> Callable[..., Any]:
    """Return the method that returns a text, or writes it to the file that is its first argument.

    The file appears when it is whole. Raise OSError where it cannot be written.
    """

    @wraps(make)
    def method(self: Any, path: str | Path | None = None, **options: Any) -> Any:
        text = make(self, **options)
        return text if path is None else write_whole(path, text)

    return method


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Result(ABC):
    """What was asked, what came out, and what people see of it.

    A subclass says what it is, its values, its frame and its view; all else comes of these.

    Attributes
    ----------
    arguments
        What was asked, as plain data.
    command
        The command line that repeats it, if there is one.
    """

    # Tables that a shell prints.
    num_printed: ClassVar[int] = 1

    arguments: Mapping[str, Any] = field(default_factory=dict)
    command: str = ""

    @property
    @abstractmethod
    def kind(self) -> str:
        """The command that makes such results, as "trust" or "study normal"."""

    @abstractmethod
    def values(self) -> Mapping[str, Any]:
        """Return what came out, as JSON has it: see `plain` for what it may hold."""

    @abstractmethod
    def view(self) -> View:
        """Return what people see: headline, story, tables, figures."""

    @abstractmethod
    def to_frame(self) -> "pd.DataFrame":
        """Return the rows as a table of pandas."""

    @property
    def version(self) -> str:
        """The version of prum."""
        return own_version()

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the user should know of the inputs after the work; a line each."""
        return ()

    @property
    def status(self) -> int:
        """The exit status of the command."""
        return 0

    def brief(self) -> View:
        """Return as much of the view as a notebook or a shell shows."""
        return self.view()

    def whole(self) -> View:
        """Return the view with what only a page has room for."""
        return self.view()

    @text_or_file
    def to_json(self) -> str:
        """Return all of it as JSON, or write it to a file; NaN and what is infinite as null."""
        view = self.view()
        content = {
            "kind": self.kind,
            "version": self.version,
            "command": self.command,
            "arguments": self.arguments,
            "headline": view.headline,
            **self.values(),
            "tables": [table.content() for table in view.tables],
        }
        return json_text(plain(content))

    @text_or_file
    def to_csv(self) -> str:
        """Return `to_frame` as CSV, numbers with all their digits, or write it to a file."""
        return self.to_frame().to_csv(index=False)

    @text_or_file
    def to_latex(self) -> str:
        """Return the tables for LaTeX with the package booktabs, or write them to a file."""
        from prum.experiments.frame.html import latex

        return "\n".join(latex(table) for table in self.view().tables)

    @text_or_file
    def to_html(self) -> str:
        """Return a page, or write it to a file: one HTML document that needs nothing else.

        The bytes are the same each time.

        Raises
        ------
        InputError
            if jinja2, or matplotlib for figures, is not installed.
        """
        from prum.experiments.frame.html import page

        return page(
            self.whole(), command=self.command, version=self.version, options=self.arguments
        )

    def plot(self, which: Any = 0, /) -> Any:
        """Return a figure of the result, which a notebook shows; its `save(path)` writes it.

        Raises
        ------
        InputError
            if there is no figure of this number, from 0, or with this caption.
        """
        figures = self.whole().drawn
        captions = [figure.caption for figure in figures]
        if which in captions:
            which = captions.index(which)
        if which not in range(len(figures)):
            named = ", ".join(f"{number} ({caption})" for number, caption in enumerate(captions))
            rule = f"be one of {named}" if named else "be left out: there is none"
            raise InputError("figure", which, rule, remedy="see the tables, or the page")
        return figures[which]

    def _repr_html_(self) -> str:
        """Return headline, tables and notes, for a notebook."""
        from prum.experiments.frame.html import fragment

        return fragment(self.brief())

    def __repr__(self) -> str:
        view = self.brief()
        lines = [view.headline]
        for table in view.tables[: self.num_printed]:
            lines += ["", *table.briefly().lines(), *table.legend]
        space = [""] * bool(view.tables)
        return "\n".join([*lines, *space, *view.sentences, *view.notes])
