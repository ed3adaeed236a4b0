"""Commands of verbs and studies, made of their designs."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

from prum.experiments.commands.ending import CommandGroup
from prum.experiments.commands.options import OUTPUT, HeadedCommand, parameters
from prum.experiments.frame.design import repetition

if TYPE_CHECKING:
    from prum.experiments.frame.design import Design
    from prum.experiments.frame.result import Result
    from prum.experiments.frame.study import Study
    from prum.experiments.frame.verb import Advance, Outputs, Verb
    from prum.experiments.studies.kit.campaigns import CampaignDesign

    Work = Verb[..., Any] | Study

T = TypeVar("T", bound="Design")


def command(
    work: "Work",
    kind: type[click.Command] = HeadedCommand,
    run: "Callable[[dict[str, Any]], None] | None" = None,
) -> click.Command:
    """Return the command of a verb or a study.

    `kind`: the class of the command; `run`: what it does with its options, by default `run_work`.
    """
    design: Any = work.design
    run = partial(run_work, work) if run is None else run
    return command_of(work.name, work.help, design, work.outputs, run, kind=kind)


def command_of(
    name: str,
    help: str | None,
    design: "type[Design]",
    outputs: "type[Outputs] | None",
    run: "Callable[[dict[str, Any]], None]",
    *,
    kind: type[click.Command] = HeadedCommand,
    more: Iterable[click.Parameter] = (),
) -> click.Command:
    """Return a command of the options of some designs, with `more`, that does what `run` does."""

    def called(**options: Any) -> None:
        run(options)

    params = [*parameters(design), *(parameters(outputs, OUTPUT) if outputs else ()), *more]
    return kind(name, params=params, callback=called, help=help)


def run_work(
    work: "Work", options: dict[str, Any], campaigns: "CampaignDesign | None" = None
) -> None:
    """Compute what was asked, write its files, print it, and exit with its status.

    `campaigns` names the campaign that the design takes.
    """
    from prum.experiments.commands.long_work import interruptible

    outputs: Outputs = made(work.outputs, options)
    kind: Any = work.design
    # What names a campaign stands in its place until it is read.
    design = made(kind, options if campaigns is None else {**options, "campaign": campaigns})
    named: Sequence[Design] = (design,) if campaigns is None else (campaigns, design)
    check_possible(outputs, *named)
    store = next(iter(design.files("store")), None)
    with (
        interruptible(store),
        progress_bar(design, is_told=work.tells_progress) as advance,
    ):
        for one in named:
            say_notices(one)
        if campaigns is not None:
            design = replace(design, campaign=campaigns.campaign)
        result = work.run(design, advance)
    if campaigns is not None:
        result = replace(
            result,
            command=repetition(work.name, *named),
            arguments={**campaigns.options(), **result.arguments},
        )
    finish(outputs, result)


def check_possible(outputs: "Outputs | None", *named: "Design", more: Iterable[Any] = ()) -> None:
    """Raise InputError if a file can't be written, or would replace what designs or `more` read."""
    from prum.experiments.frame.files import check_outputs

    written = named if outputs is None else (outputs, *named)
    check_outputs(
        (file for one in written for file in one.files("output")),
        [*(file for one in named for file in one.files("input", "store")), *more],
    )
    if outputs is not None:
        outputs.check_possible()


def finish(outputs: "Outputs", result: "Result") -> None:
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


def say_notices(design: "Design") -> None:
    """Print what the user should know of the inputs before the work."""
    for notice in design.notices():
        say(notice)


def say(text: str) -> None:
    """Print a line on standard error."""
    from prum.simulator.model.errors import printable

    click.echo(f"prum: {printable(text)}", err=True)


def show(outputs: "Outputs", result: "Result") -> None:
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


@contextmanager
def progress_bar(design: "Design", *, is_told: bool) -> "Iterator[Advance]":
    """Give a function that shows how much of the work is done.

    Work that tells nothing of what is done has a bar without a share.
    """
    from prum.experiments.commands.long_work import shown_bar

    parts = design.parts()
    after = "{task.percentage:.0f} %" if parts is None else "{task.completed:.0f}/{task.total}"
    total = (parts or 1.0) if is_told else None
    with shown_bar(after=after if is_told else "", total=total) as update:

        def advance(done: float) -> None:
            update(completed=done)

        yield advance


# For who reviews the measures; all others are of one's own lists, logs or scores.
_OF_MEASURES = ("approximations", "paper")


class _Studies(CommandGroup):
    """A command for each study, made when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        from prum.experiments.studies.kit.registry import studies

        return sorted(studies())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        from prum.experiments.studies.kit.registry import studies

        known = studies()
        return command(known[cmd_name]) if cmd_name in known else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the studies without loading them, which takes a while and may fail."""
        from prum.experiments.studies.kit.registry import studies

        known = studies()
        names = self.list_commands(ctx)
        sections = {
            "With your own data": [name for name in names if name not in _OF_MEASURES],
            "For reviewers, of the measures": [name for name in names if name in _OF_MEASURES],
        }
        for heading, some in sections.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{name:11}", known.summary(name)) for name in some])


@click.command(cls=_Studies)
def study() -> None:
    """Measure what approximations and hypotheses cost, and what measures reward.

    Numbers depend on the seed and the options alone. Exit status 0, or 2 for bad input.
    """
