"""A verb as a value: its options, its function, what its command writes, what long work says."""

import importlib
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, ParamSpec, TypeVar

from prum.experiments.frame.design import Design, Field, Option, option

if TYPE_CHECKING:
    from prum.experiments.frame.result import Result
    from prum.experiments.frame.view import View

Content = Callable[[], str | bytes]


def writes(what: str) -> Option:
    """Return the option of a file that is written."""
    return Option(f"Write {what}.", metavar="FILE", file="output")


class Outputs(Design):
    """Where a result is written, and how much of it is shown.

    An option that is a file has the name of its form: `json` is what `to_json` of a result gives.
    """

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
            (getattr(self, each.name), self.content(each.name, result))
            for each in self.fields()
            if each.option.file == "output"
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


def table_outputs(**forms: str) -> type["TableOutputs"]:
    """Return the options of files by form: what each holds."""
    made = {
        name: field(default=None, metadata={"option": writes(what)}) for name, what in forms.items()
    }
    kinds = {"__annotations__": dict.fromkeys(forms, str | None)}
    return type("Outputs", (TableOutputs,), {"__doc__": TableOutputs.__doc__, **kinds, **made})


class TableOutputs(Outputs):
    """Files of a result that has tables, and perhaps figures."""

    latex: str | None = option(None, writes("the tables for LaTeX"))
    figure: str | None = option(None, "Draw a figure: a file of .pdf, .svg or .png.", file="output")

    def check_possible(self) -> None:
        """Raise InputError for a package that is not installed, and a figure of another type."""
        super().check_possible()
        if self.figure is not None:
            from prum.experiments.frame.drawing import check_figure

            check_figure(self.figure)

    def content(self, form: str, result: Any) -> Content:
        """Return what makes the content of a file of some form."""
        if form == "figure":
            return lambda: result.plot().file(self.figure)
        return super().content(form, result)


P = ParamSpec("P")
D = TypeVar("D", bound=Design)
R = TypeVar("R", bound="Result")
# Takes what is done of the work: a share of it, or parts, as `Design.parts` counts them.
Advance = Callable[[float], object]

_WIDTH = 96


@dataclass(frozen=True)
class Verb(Generic[P, D]):
    """What can be done with `prum`, as a command and as a function, from one design.

    Parameters
    ----------
    name
        As in `prum NAME`.
    help
        The help text of the command, the docstring of the module that holds the design.
    design
        Its options.
    home
        Module and name of the function, "prum.experiments.compare.verb:compare": it is loaded when
        it is called.
    outputs
        The options of what the command writes and shows.
    """

    name: str
    help: str | None
    design: Callable[P, D]
    home: str
    outputs: type[Outputs] = field(default=Outputs)

    @property
    def tells_progress(self) -> bool:
        """Whether it tells how much of the work is done."""
        return any(each.name == "progress" for each in self._design.fields())

    @property
    def _design(self) -> type[Design]:
        design: Any = self.design
        kind: type[Design] = design
        return kind

    def function(self, compute: Callable[[D], R]) -> Callable[P, R]:
        """Return the function that takes the options of the design, as Python calls it.

        It says all of them in its signature and its docstring; the result says what was asked.
        """

        def run(design: D) -> R:
            result = compute(design)
            arguments = {**design.options(), **result.arguments}
            command = result.command or design.command(self.name)
            return replace(result, arguments=arguments, command=command)

        def call(*places: P.args, **options: P.kwargs) -> R:
            return run(self.design(*places, **options))

        # Seen from outside it is a function of the module where it is written.
        home = inspect.unwrap(compute)
        made: Any = FunctionType(
            call.__code__, home.__globals__, home.__name__, None, call.__closure__
        )
        made.__module__, made.__qualname__ = home.__module__, home.__qualname__
        made.__doc__ = _documented(inspect.getdoc(home) or "", self._design.fields())
        made.__signature__ = _signature(self.design, home.__annotations__["return"])
        made.run = run
        function: Callable[P, R] = made
        return function

    def run(self, design: D, advance: Advance) -> "Result":
        """Return the result for a design; `advance` is told how far the work is."""
        module, _, name = self.home.partition(":")
        hooks = {"progress": advance} if self.tells_progress else {}
        function: Any = getattr(importlib.import_module(module), name)
        result: Result = function.run(replace(design, **hooks))  # type: ignore[type-var]
        return result


def _signature(design: Any, returned: Any) -> inspect.Signature:
    by_name = {each.name: each for each in fields(design)}
    listed = sorted(design.fields(), key=lambda each: bool(by_name[each.name].kw_only))
    return inspect.Signature(
        [
            inspect.Parameter(
                each.name,
                inspect.Parameter.KEYWORD_ONLY
                if by_name[each.name].kw_only
                else inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=inspect.Parameter.empty if each.required else each.default,
                annotation=each.annotation,
            )
            for each in listed
        ],
        return_annotation=returned,
    )


def _documented(text: str, options: Iterable[Field]) -> str:
    """Return a docstring with what the options are, before what is raised."""
    lines = ["Parameters", "----------"]
    for each in options:
        lines.append(each.name)
        said = each.option.data or _in_python(each.option.help)
        if isinstance(each.kind, tuple):
            said += " One of " + ", ".join(map(repr, each.kind)) + "."
        for paragraph in said.split("\n\n"):
            lines += textwrap.wrap(
                " ".join(paragraph.split()),
                _WIDTH,
                initial_indent="    ",
                subsequent_indent="    ",
                break_on_hyphens=False,
            )
    head, sign, rest = text.partition("Raises\n------")
    return "\n".join([head.rstrip(), "", *lines, "", sign + rest]).rstrip() + "\n"


def _in_python(text: str) -> str:
    """Return a help text with options as Python calls them.

    >>> _in_python("Those of --ideal-grade.")
    'Those of `ideal_grade`.'
    """
    return re.sub(r"--(?!help)(\w[\w-]*)", lambda match: f"`{match[1].replace('-', '_')}`", text)
