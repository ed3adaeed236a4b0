"""The `prum explore` command."""

from dataclasses import replace
from typing import Any

import click

from prum.experiments.commands.campaign_options import (
    CampaignCommand,
    arguments,
    campaign_design,
    print_notices,
)
from prum.experiments.commands.options import check_files, file_option, typed


@click.command(cls=CampaignCommand)
@click.option("--topic", metavar="NAME", help="Which topic, if there are several.")
@click.option(
    "--system", "systems", metavar="NAME", multiple=True,
    help="Whose list, by default those of all; repeatable.",
)  # fmt: skip
@click.option(
    "-o", "--output", "html_file", metavar="FILE", default="explorer.html", show_default=True,
    help="The page.",
)  # fmt: skip
@file_option("json", "PRUM and the exact value of each list as JSON")
@click.pass_context
def explore(
    context: click.Context,
    /,
    topic: str | None,
    systems: tuple[str, ...],
    html_file: str,
    json_file: str | None,
    **files: Any,
) -> None:
    """Make a page to play with: a list and its links, dials, and users who close in.

    The page computes by itself, in any browser and without a network: PRUM, the exact value and
    simulated users, for links of any strength, visits that depend on each other, users who differ,
    and elements that cost more. Each state has an address to share. Without files or an example it
    shows the paper's Web example. It takes lists of up to 250,000 ranks times ideals.

    Examples:

    \b
    {examples}

    Exit status 0, or 2 for bad input.
    """
    from prum.experiments.explore.verb import EXAMPLE
    from prum.experiments.explore.verb import explore as explored
    from prum.experiments.views.files import deliver
    from prum.experiments.views.html import check_installed

    if not any(files[name] for name in files if name != "ideal_grade"):
        files["example"] = context.params["example"] = (EXAMPLE,)
    named = campaign_design(files)
    check_files(context)
    # A page needs an extra: better to miss it now than after the work.
    check_installed(is_drawn=False)
    print_notices(named)
    result = explored(named.campaign, topic=topic, systems=systems)
    chosen = {**arguments(files), **result.arguments}
    result = replace(result, command=typed(context), arguments=chosen)
    deliver(
        [(html_file, result.to_html), (json_file, result.to_json)],
        lambda: print(f"{result!r}\n{html_file} opens in any browser."),
    )
