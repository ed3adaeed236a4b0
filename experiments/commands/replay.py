"""The `prum replay` command."""

from dataclasses import replace
from typing import Any

import click

from prum.experiments.commands.campaign_options import (
    CampaignCommand,
    arguments,
    campaign_design,
    print_notices,
)
from prum.experiments.commands.options import (
    check_files,
    file_option,
    in_order,
    seed_option,
    typed,
    whole_number,
)
from prum.experiments.commands.session_options import chosen_costs, session_options


@click.command(cls=CampaignCommand)
@click.option("--topic", metavar="NAME", help="Which topic, if there are several.")
@click.option("--system", metavar="NAME", help="Which system, if there are several.")
@seed_option
@click.option(
    "--user", type=whole_number, metavar="N", default=0, show_default=True,
    help="Number of the user, from 0.",
)  # fmt: skip
@session_options
@file_option("json", "everything as JSON")
@file_option("html", "a page that draws each step")
@click.pass_context
def replay(
    context: click.Context,
    /,
    topic: str | None,
    system: str | None,
    seed: int,
    user: int,
    want: int | None,
    stops: tuple[str, ...],
    costs: str,
    judge: float | None,
    read: float | None,
    move: float | None,
    json_file: str | None,
    html_file: str | None,
    **files: Any,
) -> None:
    """Tell what one simulated user does, step by step.

    With the options of prum simulate it is a user's session of its log, in seconds from its
    beginning. On a terminal a long session is folded, as on the page; in a pipe it is whole. Rules
    by which the user stops:

    \b
    {rules}

    Exit status 0, or 2 for bad input.
    """
    from prum.experiments.commands.terminal import standard_output
    from prum.experiments.replay.verb import replay as replayed
    from prum.experiments.views.files import deliver

    named = campaign_design(files)
    check_files(context)
    if html_file is not None:
        # A page needs an extra: better to miss it now than after the work.
        from prum.experiments.replay.page import check_installed

        check_installed()
    chosen: dict[str, Any] = {
        "topic": topic, "system": system, "seed": seed, "user": user, "want": want, "stop": stops
    }  # fmt: skip
    times = {"costs": costs, "judge": judge, "read": read, "move": move}
    seconds = chosen_costs(times)
    print_notices(named)
    result = replayed(named.campaign, **chosen, costs=seconds)
    all_arguments = {**arguments(files), **chosen, "stop": list(stops), **times}
    ordered = in_order(context, all_arguments)
    result = replace(result, command=typed(context), arguments=ordered)

    def show() -> None:
        lines = result.folded if standard_output().is_terminal else result.sentences
        print("\n".join(lines))

    deliver([(json_file, result.to_json), (html_file, result.to_html)], show)
