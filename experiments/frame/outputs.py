"""What a command writes and shows of a result: files, and how much stands on the terminal."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from prum.experiments.frame.design import Design, Option

if TYPE_CHECKING:
    from prum.experiments.frame.view import View

Content = Callable[[], str | bytes]


def writes(what: str) -> Option:
    """Return the option of a file that is written."""
    return Option(f"Write {what}.", metavar="FILE", file="output")


class Outputs(Design):
    """Where a result is written, and how much of it is shown.

    An option that is a file has the name of its form: `json` is what `to_json` of a result gives.
    """

    taken: ClassVar[frozenset[str]] = frozenset(("--help", "--progress"))
    # Whether a page has figures.
    is_drawn: ClassVar[bool] = True

    def check_possible(self) -> None:
        """Raise, before the work, for want of what it takes to write.

        Raise InputError if a package is not installed.
        """
        if getattr(self, "html", None) is not None:
            from prum.experiments.frame.html import check_installed

            check_installed(is_drawn=self.is_drawn)

    def contents(self, result: Any) -> list[tuple[str | None, Content]]:
        """Return the files and what makes them, as `deliver` takes them."""
        return [
            (getattr(self, one.name), self.content(one.name, result))
            for one in self.fields()
            if one.option.file == "output"
        ]

    def content(self, form: str, result: Any) -> Content:
        """Return what makes the content of a file of some form."""
        content: Content = getattr(result, f"to_{form}")
        return content

    def lines(self, result: Any) -> Iterable[str] | None:  # noqa: ARG002 - for those that print so
        """Return what is printed in the place of a view, if anything is."""
        return None

    def view(self, result: Any) -> "View":
        """Return what is shown on the terminal."""
        view: View = result.view()
        return view

    def after(self, result: Any) -> Iterable[str]:  # noqa: ARG002 - for those that have some
        """Return lines that follow what is shown."""
        return ()


class TableOutputs(Outputs):
    """Files of a result that has tables, and perhaps figures."""

    latex: Annotated[str | None, writes("the tables for LaTeX")] = None
    figure: Annotated[
        str | None, Option("Draw a figure: a file of .pdf, .svg or .png.", file="output")
    ] = None

    def check_possible(self) -> None:
        """Raise InputError for a package that is not installed, and a figure of another type."""
        super().check_possible()
        if self.figure is not None:
            from prum.experiments.frame.drawing import check_figure

            check_figure(self.figure)

    def contents(self, result: Any) -> list[tuple[str | None, Content]]:
        """Return the files; of a figure none where a result has nothing to draw."""
        files = super().contents(result)
        return files if self.can_draw(result) else [one for one in files if one[0] != self.figure]

    def content(self, form: str, result: Any) -> Content:
        """Return what makes the content of a file of some form."""
        if form == "figure":
            return lambda: result.plot().file(self.figure)
        return super().content(form, result)

    def after(self, result: Any) -> Iterable[str]:
        """Return that there is no figure, where one was asked for."""
        return (
            ()
            if self.can_draw(result)
            else (f"{self.figure} was not written: there is nothing to draw.",)
        )

    def can_draw(self, result: Any) -> bool:
        """Return whether there is a figure, if one was asked for."""
        return self.figure is None or bool(result.whole().drawn)
