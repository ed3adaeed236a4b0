"""What the commands of all studies share: options, and how a study is run, shown and written."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

import click

from prum.experiments.commands.long_work import interruptible
from prum.experiments.commands.options import whole_number

if TYPE_CHECKING:
    from prum.experiments.studies.study import Advance, WrittenStudy

Command = Callable[..., None]


def draws_options(draws: int, what: str) -> Callable[[Command], Command]:
    """Add the options of a study over random draws."""
    number = click.option(
        "--draws",
        type=whole_number,
        metavar="N",
        default=draws,
        show_default=True,
        help=f"Random {what}.",
    )
    return lambda command: number(common_options(command))


def common_options(command: Command) -> Command:
    """Add the options that every study has: the seed, and what to write."""
    options = (
        click.option(
            "--seed", type=whole_number, metavar="N", default=1, show_default=True,
            help="Which of them.",
        ),
        click.option("--json", "json_file", metavar="FILE", help="Write everything as JSON."),
        click.option("--csv", "csv_file", metavar="FILE", help="Write the rows as CSV."),
        click.option("--html", "html_file", metavar="FILE", help="Write a page."),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def run_study(
    compute: "Callable[[Advance], WrittenStudy]",
    show: "Callable[[WrittenStudy], None]",
    json_file: str | None,
    csv_file: str | None,
    html_file: str | None,
    *,
    inputs: Iterable[str | None] = (),
    store: str | None = None,
    more: "Mapping[str, Callable[[WrittenStudy], str]] | None" = None,
) -> None:
    """Compute a study, write its files and print it; `more` are files beside the usual ones."""
    from prum.experiments.commands.study import progress_bar
    from prum.experiments.report.files import check_outputs, deliver

    more = {} if more is None else more
    check_outputs((json_file, csv_file, html_file, *more), tuple(inputs))
    if html_file is not None:
        # A page needs an extra: better to miss it now than after the work.
        from prum.experiments.report.html import check_installed

        check_installed()
    with interruptible(store), progress_bar() as advance:
        result = compute(advance)

    def html() -> str:
        from prum.experiments.studies.page import page

        return page(result)

    deliver(
        [
            (json_file, result.to_json),
            (csv_file, result.to_csv),
            (html_file, html),
            *((path, partial(content, result)) for path, content in more.items()),
        ],
        lambda: show(result),
    )
