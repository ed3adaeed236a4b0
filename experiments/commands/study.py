"""The `prum study` commands, made of the studies there are."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from prum.experiments.commands.ending import CommandGroup
from prum.experiments.commands.options import parameters

if TYPE_CHECKING:
    from prum.experiments.studies.kit.study import Advance, Study


# Seconds that are worth an announcement.
_LONG = 20.0


class _Studies(CommandGroup):
    """A command for each study, made when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        from prum.experiments.studies.kit.registry import studies

        return sorted(studies())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        from prum.experiments.studies.kit.registry import studies

        known = studies()
        return _command(known[cmd_name]) if cmd_name in known else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the studies without loading them, which takes a while and may fail."""
        from prum.experiments.studies.kit.registry import studies

        known = studies()
        rows = [(name, known.summary(name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


@click.command(cls=_Studies)
def study() -> None:
    """Measure what approximations and hypotheses cost, and what measures reward.

    Numbers depend on the seed and the options alone. Exit status 0, or 2 for bad input.
    """


def _command(study: "Study[Any, Any, Any]") -> click.Command:
    """Return the command of a study."""

    def run(
        json_file: str | None, csv_file: str | None, html_file: str | None, **options: Any
    ) -> None:
        _run(study, options, json_file, csv_file, html_file)

    files = (
        click.Option(["--json", "json_file"], metavar="FILE", help="Write everything as JSON."),
        click.Option(["--csv", "csv_file"], metavar="FILE", help="Write the rows as CSV."),
        click.Option(["--html", "html_file"], metavar="FILE", help="Write a page."),
    )
    params = [*parameters(study.design), *files]
    return click.Command(study.name, params=params, callback=run, help=study.help)


def _run(
    study: "Study[Any, Any, Any]",
    options: dict[str, Any],
    json_file: str | None,
    csv_file: str | None,
    html_file: str | None,
) -> None:
    """Compute a study, write its files and print it."""
    from prum.experiments.commands.campaign_options import print_notices
    from prum.experiments.commands.long_work import interruptible
    from prum.experiments.commands.terminal_view import print_view
    from prum.experiments.studies.kit.study import PartialResult
    from prum.experiments.views.files import check_outputs, deliver

    design = study.design(**{name: value for name, value in options.items() if value is not None})
    check_outputs(
        (json_file, csv_file, html_file, *design.files("output")), design.files("input", "store")
    )
    if html_file is not None:
        # A page needs an extra: better to miss it now than after the work.
        from prum.experiments.views.html import check_installed

        check_installed()
    store = next(iter(design.files("store")), None)
    with interruptible(store):
        try:
            with progress_bar(store) as advance:
                print_notices(design)
                result = study.run(design, advance)
        except PartialResult as partial_result:
            # Files are for whole results.
            print_view(partial_result.result.view())
            raise
    more = study.outputs(result)

    def show() -> None:
        print_view(result.view())
        if store is not None:
            click.echo(f"Values are kept in {store}: the same command again computes none of them.")

    deliver(
        [
            (json_file, result.to_json),
            (csv_file, result.to_csv),
            (html_file, result.to_html),
            *((path, partial(more.__getitem__, path)) for path in more),
        ],
        show,
    )


@contextmanager
def progress_bar(store: str | None) -> "Iterator[Advance]":
    """Give a function that shows the share of the work that is done, and says first what it takes.

    It says so where the study itself estimates its time, and that is long.
    """
    from prum.experiments.commands.long_work import shown_bar
    from prum.experiments.commands.time_left import in_words
    from prum.experiments.studies.kit.study import TimedShare

    kept = f", what is computed is kept in {store}" if store else ""
    estimated = False
    with shown_bar(after="{task.percentage:.0f}%") as update:

        def advance(share: float) -> None:
            nonlocal estimated
            left = share.left if isinstance(share, TimedShare) else None
            if left is not None and left >= _LONG and not estimated:
                click.echo(f"prum: this takes about {in_words(left)}{kept}", err=True)
                estimated = True
            update(share, left, completed=share)

        yield advance
