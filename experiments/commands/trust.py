"""`prum trust`: how far PRUM may be trusted on one's own runs, judgements and links."""

from dataclasses import replace
from typing import Any

import click

from prum.experiments.commands.cost_options import cost_options
from prum.experiments.commands.decision_options import comparison_options
from prum.experiments.commands.input_options import input_options, judged_options, qrels_option
from prum.experiments.commands.options import (
    check_files,
    file_option,
    input_file,
    typed,
    whole_number,
)
from prum.experiments.trust.defaults import (
    CORRELATED,
    DIFFER,
    MOST_USERS,
    WIDTH,
)


@click.command()
@click.option(
    "--run", "runs", type=input_file, multiple=True, required=True, metavar="FILE",
    help="A run, TREC or INEX, or a folder of them; repeatable.",
)  # fmt: skip
@qrels_option(required=True)
@input_options
@judged_options
@cost_options
@click.option(
    "--differ", metavar="KIND", default=DIFFER, show_default=True,
    help="How users differ: 'one-factor RHO', 'beta A B', 'types SHARE:FACTOR ...'.",
)  # fmt: skip
@click.option(
    "--correlated", type=float, metavar="RHO", default=CORRELATED, show_default=True,
    help="Correlation of visits from one element.",
)  # fmt: skip
@comparison_options
@click.option(
    "--width", type=float, metavar="X", default=WIDTH, show_default=True,
    help="Half of an interval of simulated users, of a mean over topics.",
)  # fmt: skip
@click.option(
    "--most-users", type=whole_number, metavar="N", default=MOST_USERS, show_default=True,
    help="Simulated users of a list, at most.",
)  # fmt: skip
@click.option(
    "--time", "seconds", type=float, metavar="SECONDS",
    help="Stop after so long, and tell of the topics that are done.",
)  # fmt: skip
@click.option(
    "--workers", type=whole_number, metavar="N",
    help="Processes; all processors by default. The numbers do not depend on it.",
)  # fmt: skip
@click.option(
    "--top", type=whole_number, metavar="N",
    help="Systems of the first table on the terminal; all by default.",
)  # fmt: skip
@file_option("json", "everything as JSON")
@file_option("csv", "every list, dependence and recall value as CSV")
@file_option("html", "a page with a figure")
@click.pass_context
def trust(
    context: click.Context,
    /,
    runs: tuple[str, ...],
    seconds: float | None,
    workers: int | None,
    top: int | None,
    json_file: str | None,
    csv_file: str | None,
    html_file: str | None,
    **options: Any,
) -> None:
    """Tell how far PRUM may be trusted on one's own lists.

    Links and navigation say P(x -> y). PRUM takes all visits of a user to be independent, and
    users to be alike; the same P(x -> y) may be those of users whose visits exclude each other,
    follow one path, are correlated or made together, of users who differ, or who browse more if
    they want more. This says by how much PRUM is off then, by recall value, and within which bounds
    any dependence between the visits from one element would leave it; and which orders of systems
    and decisions over topics survive. With --costs and --cost all of it counts what elements cost.

    Values are exact where that is quick, else of simulated users, the same for all systems. Ctrl-C
    gives what there is, with status 130; else the status is 0, or 2 for bad input.
    """
    from prum.experiments.commands.long_work import interruptible, shown_bar
    from prum.experiments.commands.terminal_view import print_view
    from prum.experiments.trust.verb import INTERRUPTED
    from prum.experiments.trust.verb import trust as trusted
    from prum.experiments.views.files import deliver
    from prum.simulator.collections.run_files import run_files
    from prum.simulator.model import InputError
    from prum.simulator.model.errors import printable

    if top is not None and top < 1:
        raise InputError("--top", top, "be at least 1", remedy="leave it out to see all")
    run_paths = run_files(runs)
    check_files(context)
    if html_file is not None:
        # A page needs an extra: better to miss it now than after the work.
        from prum.experiments.views.html import check_installed

        check_installed()
    with interruptible(None), shown_bar(after="{task.percentage:.0f} %") as update:
        result = trusted(
            run_paths,
            seconds=seconds,
            workers=workers,
            notice=lambda text: click.echo(f"prum: {printable(text)}", err=True),
            progress=lambda share: update(completed=share),
            **options,
        )
    # As they were typed.
    arguments = {**result.arguments, "runs": list(runs)}
    result = replace(result, command=typed(context), arguments=arguments)
    for remark in result.remarks:
        click.echo(f"prum: {printable(remark)}", err=True)
    deliver(
        [(json_file, result.to_json), (csv_file, result.to_csv), (html_file, result.to_html)],
        lambda: print_view(result.view(top=top)),
    )
    if result.stopped == INTERRUPTED:
        context.exit(130)
