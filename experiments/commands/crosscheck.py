"""The `prum crosscheck` command."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from prum.experiments.commands.campaign_options import (
    CampaignCommand,
    arguments,
    campaign_design,
    print_notices,
)
from prum.experiments.commands.long_work import chosen_workers, interruptible, progress_bar
from prum.experiments.commands.options import (
    Choices,
    check_files,
    file_option,
    in_order,
    named_file,
    options_of,
    seed_option,
    typed,
    whole_number,
)
from prum.experiments.frame.inputs import ChargeOptions

if TYPE_CHECKING:
    from prum.experiments.studies.kit.campaigns import SpanCampaignDesign
    from prum.experiments.sweeps.jobs import Simulate
    from prum.simulator.collections.campaign import Campaign


@click.command(cls=CampaignCommand)
@click.option(
    "--users",
    type=whole_number,
    metavar="N",
    default=100_000,
    show_default=True,
    help="Simulated users per list.",
)
@click.option(
    "--most-users",
    type=whole_number,
    metavar="N",
    help="Up to so many where the first are too few to tell; 16 times as many by default, and at "
    "least 131,072.",
)
@seed_option
@click.option(
    "--level",
    type=float,
    default=0.01,
    show_default=True,
    help="Rate of false alarms, of all tests together.",
)
@click.option(
    "--quantiles",
    is_flag=True,
    help="Also the depth of 50, 90 and 99 % of users.",
)
@click.option(
    "--by-rank",
    is_flag=True,
    help="Also P(consulted) and P(something new) of each rank.",
)
@click.option(
    "--tied",
    is_flag=True,
    help="Elements of equal score stand in random order.",
)
@click.option(
    "--approximation",
    "approximations",
    metavar="[NAME=]FILE",
    multiple=True,
    help="An approximation of your own, to be judged as well: columns topic, system, r, precision, "
    "optionally CL and C; repeatable.",
)
@options_of(ChargeOptions)
@click.option(
    "--engine",
    type=Choices(("kernels", "sessions")),
    default="kernels",
    show_default=True,
    help="What simulates: compiled kernels, or users in time, which are slow.",
)
@click.option(
    "--threads", type=whole_number, metavar="N", help="Threads; all processors by default."
)
@click.option(
    "--workers", type=whole_number, metavar="N", default=1, help="Processes, instead of threads."
)
@click.option(
    "--store",
    type=named_file,
    metavar="FILE",
    help="Keep results, and go on with those kept (SQLite).",
)
@file_option("json", "everything as JSON")
@file_option("csv", "the comparisons as CSV")
@file_option("html", "a page with curves")
@file_option("latex", "the tables for LaTeX")
@file_option("figure", "the first curves: a file of .pdf, .svg or .png")
@click.pass_context
def crosscheck(
    context: click.Context,
    /,
    users: int,
    most_users: int | None,
    seed: int,
    level: float,
    quantiles: bool,
    by_rank: bool,
    tied: bool,
    approximations: tuple[str, ...],
    costs: tuple[str, ...],
    cost: str | None,
    engine: str,
    threads: int | None,
    workers: int,
    store: str | None,
    json_file: str | None,
    csv_file: str | None,
    html_file: str | None,
    latex_file: str | None,
    figure_file: str | None,
    **files: Any,
) -> None:
    """Put PRUM, the exact value and simulated users side by side, with a verdict.

    Lists, judgements and links are files, or an example: prum crosscheck --example web. Links are
    given or made of elements; without either nobody browses.

    Exit status 0 if simulation and exact values agree, 1 if they disagree or users are too few to
    tell, 2 for bad input, 70 if prum itself fails. What is found of PRUM does not change it.
    """
    from prum.experiments.commands.terminal_view import print_view
    from prum.experiments.crosscheck.depths import PROBABILITIES
    from prum.experiments.crosscheck.verb import crosscheck_campaigns
    from prum.experiments.sweeps.store import Store
    from prum.experiments.views.files import deliver
    from prum.simulator.collections.ties import with_ties
    from prum.simulator.model.costs import ELEMENTS
    from prum.simulator.tables.files import readable

    named, others = campaign_design(files), _approximations(approximations)
    check_files(context, *others.values())
    if html_file is not None:
        # A page needs an extra: better to miss it now than after the work.
        from prum.experiments.views.html import check_installed

        check_installed()
    if figure_file is not None:
        from prum.experiments.views.figure_files import check_figure

        check_figure(figure_file)
    other_engine: Simulate | None = None
    if engine == "sessions":
        from prum.simulator.sessions.engine import simulate_sessions

        if store is not None or workers != 1:
            raise click.UsageError("--engine sessions goes without --store and --workers")
        if by_rank:
            raise click.UsageError("--engine sessions goes without --by-rank")
        if named.spans is not None:
            raise click.UsageError("--engine sessions goes without --spans")
        other_engine = simulate_sessions
    if tied:
        _check_tied(named, cost)
    print_notices(named)
    campaigns = [with_ties(named.campaign, named.run)] if tied else named.campaigns
    with (
        interruptible(store),
        chosen_workers(workers) as hands,
        Store(store) as opened,
        progress_bar() as advance,
    ):
        result = crosscheck_campaigns(
            _charged(campaigns, costs, cost),
            num_users=users,
            most_users=most_users,
            seed=seed,
            level=level,
            cost=None if cost == ELEMENTS else cost,
            threads=threads,
            simulate=other_engine,
            store=opened if other_engine is None else None,
            workers=hands if other_engine is None else None,
            progress=advance,
            quantiles=PROBABILITIES if quantiles else (),
            by_rank=by_rank,
            approximations=others,
        )
    chosen = arguments(files)
    if cost is not None:
        chosen |= {"costs": [readable(file) for file in costs], "cost": cost}
    if others:
        chosen["approximations"] = list(approximations)
    result = replace(result, command=typed(context), arguments=in_order(context, chosen))
    deliver(
        [
            (json_file, result.to_json),
            (csv_file, result.to_csv),
            (html_file, result.to_html),
            (latex_file, result.to_latex),
            (figure_file, lambda: result.plot().file(figure_file or "")),
        ],
        lambda: print_view(result.view()),
    )
    context.exit(1 if result.verdict in ("disagrees", "unresolved") else 0)


def _approximations(words: tuple[str, ...]) -> dict[str, str]:
    """Return the file of each approximation by its name, given or made of the file's stem.

    Raises
    ------
    InputError
        for a name that is given twice.
    """
    from prum.experiments.studies.estimators.given import named_file as name_and_file
    from prum.simulator.model.errors import InputError

    files: dict[str, str] = {}
    for word in words:
        name, file = name_and_file(word)
        if not word.startswith(f"{name}="):
            name = re.sub(r"\W", "_", name)
        if name in files:
            remedy = "name them apart, as NAME=FILE"
            raise InputError("name of an approximation", name, "be given once", remedy=remedy)
        files[name] = file
    return files


def _check_tied(named: "SpanCampaignDesign", cost: str | None) -> None:
    """Raise InputError for what has no ties: examples without scores, spans, costs, a stream."""
    from prum.simulator.model.errors import InputError
    from prum.simulator.tables.files import STANDARD_INPUT

    others = {"example": named.example, "spans": named.spans, "cost": cost}
    for name, value in others.items():
        if value:
            rule, remedy = "be left out where elements are tied", f"leave out --tied or --{name}"
            raise InputError(name, value, rule, remedy=remedy)
    if STANDARD_INPUT in named.run:
        rule, remedy = "be a file where elements are tied: it is read twice", "write it to a file"
        raise InputError("run", "-", rule, remedy=remedy)


def _charged(
    campaigns: "Sequence[Campaign]", costs: tuple[str, ...], unit: str | None
) -> "list[Campaign]":
    """Return the campaigns with what elements cost.

    Raises
    ------
    InputError
        for costs without a unit, and as `units_of`.
    OSError
        if a file cannot be opened or read.
    """
    from prum.simulator.collections.costs import units_of
    from prum.simulator.model.errors import InputError

    if unit is None:
        if costs:
            rule, remedy = "be given with --costs", "name the unit in which users are charged"
            raise InputError("cost", None, rule, remedy=remedy)
        return list(campaigns)
    return [replace(campaign, costs=units_of(costs, campaign.elements)) for campaign in campaigns]
