"""Commands of verbs and studies, made of their designs."""

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import click

from prum.experiments.commands.ending import CommandGroup
from prum.experiments.commands.options import OUTPUT, HeadedCommand, parameters
from prum.experiments.frame.design import Design
from prum.experiments.frame.verb import Outputs

if TYPE_CHECKING:
    from prum.experiments.frame.result import Result
    from prum.experiments.frame.study import Study
    from prum.experiments.frame.verb import Advance, Verb

T = TypeVar("T", bound=Design)


@dataclass(frozen=True)
class Command:
    """What a command does that is no function of Python with the same options.

    `compute` takes a design, and what is called with the share that is done, to a result; None of a
    command that goes its own way.
    """

    name: str
    design: type[Design]
    compute: Any
    outputs: type[Outputs] = Outputs
    about: str | None = None

    # As of a verb.
    tells_progress: ClassVar[bool] = True

    @property
    def help(self) -> str | None:
        """The help text: what it is about, else the docstring of the design."""
        return self.about or self.design.__doc__

    def run(self, design: Design, advance: "Advance") -> "Result":
        """Return the result, with the command that repeats it."""
        result: Result = self.compute(design, advance)
        command = result.command or design.command(self.name)
        return replace(result, command=command, arguments=design.options())


def command(
    work: "Verb[..., Any] | Study | Command",
    run: "Callable[[dict[str, Any]], None] | None" = None,
    more: Iterable[click.Parameter] = (),
) -> click.Command:
    """Return the command of a verb, a study or what else there is to do.

    `run`: what it does with its options, by default `run_work`; `more`: other options.
    """
    takes: Any = work.design
    run = partial(run_work, work) if run is None else run

    def called(**options: Any) -> None:
        run(options)

    params = [*parameters(takes), *parameters(work.outputs, OUTPUT), *more]
    return HeadedCommand(work.name, params=params, callback=called, help=work.help)


def run_work(work: "Verb[..., Any] | Study | Command", options: dict[str, Any]) -> None:
    """Compute what was asked, write its files, print it, and exit with its status."""
    from prum.experiments.commands.long_work import interruptible, progress_bar

    outputs: Outputs = made(work.outputs, options)
    kind: Any = work.design
    design: Any = made(kind, options)
    check_possible(outputs, design)
    with (
        interruptible(next(iter(design.files("store")), None)),
        progress_bar(design.parts(), is_told=work.tells_progress) as advance,
    ):
        say_notices(design)
        result = work.run(design, advance)
    finish(outputs, result)


def check_possible(outputs: Outputs, design: Design, more: Iterable[Any] = ()) -> None:
    """Raise InputError if a file can't be written, or would replace what is read, or `more`."""
    from prum.experiments.frame.files import check_outputs

    written = (*outputs.files("output"), *design.files("output"))
    check_outputs(written, [*design.files("input", "store"), *more])
    outputs.check_possible()


def finish(outputs: Outputs, result: "Result") -> None:
    """Write the files of a result, print it, and exit with its status."""
    from prum.experiments.frame.files import deliver

    for remark in result.remarks:
        say(remark)
    deliver(outputs.contents(result), lambda: show(outputs, result))
    click.get_current_context().exit(result.status)


def made(design: "type[T]", options: dict[str, Any]) -> "T":
    """Return a design of those options that are its own and were given."""
    names = {field.name for field in design.fields()}
    return design(
        **{name: value for name, value in options.items() if name in names and value is not None}
    )


def say_notices(design: Design) -> None:
    """Print what the user should know of the inputs before the work."""
    for notice in design.notices():
        say(notice)


def say(text: str) -> None:
    """Print a line on standard error."""
    from prum.simulator.model.errors import printable

    click.echo(f"prum: {printable(text)}", err=True)


def show(outputs: Outputs, result: "Result") -> None:
    """Print a result on standard output."""
    from prum.experiments.commands.terminal_view import print_view
    from prum.simulator.model.errors import printable

    lines = outputs.lines(result)
    if lines is None:
        print_view(outputs.view(result))
    # There is no standard output at all behind `>&-`.
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    for line in lines or ():
        # A program gets ids as they are.
        fields = map(printable, line.split("\t")) if is_terminal else [line]
        print("\t".join(fields))
    for line in outputs.after(result):
        click.echo(line)


class _Studies(CommandGroup):
    """A command for each study, made when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        from prum.experiments.studies.kit.registry import studies

        return sorted(studies())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        from prum.experiments.studies.kit.registry import studies

        by_name = studies()
        return command(by_name[cmd_name]) if cmd_name in by_name else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the studies without loading them, which takes a while and may fail."""
        from prum.experiments.studies.kit.registry import studies

        by_name = studies()
        with formatter.section("Studies"):
            formatter.write_dl([(f"{name:14}", by_name.summary(name)) for name in sorted(by_name)])


@click.command(cls=_Studies)
def study() -> None:
    """Measure what approximations and hypotheses cost, and what measures reward.

    Numbers depend on the seed and the options alone. Exit status 0, or 2 for bad input.
    """
