"""Options of what is shown of a comparison, and where: the same for `evaluate` and `compare`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from prum.experiments.commands.options import Command, check_files, file_option, whole_number

if TYPE_CHECKING:
    from prum.experiments.compare.result import ComparisonResult

_KINDS = ("intervals", "ranks", "measures")


def shown_options(command: Command) -> Command:
    """Add the options that `Showing` is made of."""
    options = (
        click.option(
            "--top", type=whole_number, metavar="N",
            help="Rows of tables, on the terminal and for LaTeX; all by default.",
        ),
        file_option("json", "everything as JSON"),
        file_option("csv", "all scores as CSV"),
        file_option("html", "a page, its tables to be sorted and searched"),
        file_option("latex", "the table of systems for LaTeX"),
        click.option(
            "--figure", "figure_file", metavar="FILE",
            help="Draw a figure: a file of .pdf, .svg or .png.",
        ),
        click.option(
            "--figure-kind", type=click.Choice(_KINDS), default=_KINDS[0], show_default=True,
            help="Means with intervals, the places that systems can have, or the primary measure "
            "against the next.",
        ),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """What is shown of a comparison, and where; None is no such file."""

    top: int | None
    json_file: str | None
    csv_file: str | None
    html_file: str | None
    latex_file: str | None
    figure_file: str | None
    figure_kind: str

    def check(self, context: click.Context, *read: str) -> None:
        """Raise before the work for it if something can't be shown; `read` as of `check_files`.

        Raises
        ------
        InputError
            if an output would replace an input or another output, or cannot be written; a package
            is missing; a figure is no .pdf, .svg or .png; or `top` is less than 1.
        """
        from prum.simulator.model import InputError

        if self.top is not None and self.top < 1:
            raise InputError("--top", self.top, "be at least 1", remedy="leave it out to see all")
        check_files(context, *read)
        if self.html_file is not None:
            from prum.experiments.views.html import check_installed

            check_installed(is_drawn=False)
        if self.figure_file is not None:
            from prum.experiments.compare.figure import check, check_suffix

            check_suffix(self.figure_file)
            check(self.figure_kind)

    def files(
        self, result: "ComparisonResult"
    ) -> list[tuple[str | None, Callable[[], str | bytes]]]:
        """Return the files and what makes them, as `deliver` takes them.

        Raises
        ------
        InputError
            if a figure has no second measure to draw.
        """
        if self.figure_file is not None:
            from prum.experiments.compare.figure import check

            check(self.figure_kind, result.scores.measures)

        def figure() -> bytes:
            from prum.experiments.compare.figure import figure_file

            return figure_file(result, self.figure_kind, self.figure_file or "")

        return [
            (self.json_file, result.to_json),
            (self.csv_file, result.to_csv),
            (self.html_file, result.to_html),
            (self.latex_file, lambda: result.to_latex(top=self.top)),
            (self.figure_file, figure),
        ]

    def print(self, result: "ComparisonResult") -> None:
        """Print the tables on standard output."""
        from prum.experiments.commands.terminal_view import print_view

        print_view(result.view(top=self.top))
