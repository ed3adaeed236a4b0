"""The `prum simulate` command."""

import itertools
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from prum.experiments.commands.campaign_options import (
    CampaignCommand,
    arguments,
    campaign_design,
    print_notices,
)
from prum.experiments.commands.long_work import interruptible, shown_bar
from prum.experiments.commands.options import file_option, seed_option, typed, whole_number

if TYPE_CHECKING:
    from prum.experiments.sessions.running import Tell
    from prum.simulator.model.times import Costs
    from prum.simulator.sessions.visits import Entry


@click.command(cls=CampaignCommand)
@click.option(
    "--users", type=whole_number, metavar="N", default=1000, show_default=True,
    help="Users of each system.",
)  # fmt: skip
@click.option(
    "--first-user", type=whole_number, metavar="K", default=0, show_default=True,
    help="Number of the first of them, to replay some or to go on.",
)  # fmt: skip
@seed_option
@click.option(
    "--want", type=whole_number, metavar="R",
    help="Stop when so many ideals are seen, or all if there are fewer.",
)  # fmt: skip
@click.option(
    "--stop", "stops", multiple=True, metavar="RULE",
    help="Stop by a rule; repeatable. See above. Without any, and without --want, users stop when "
    "they have seen all ideals.",
)  # fmt: skip
@click.option(
    "--costs", "costs_name", type=click.Choice(("unit", "smucker-clarke")), default="unit",
    show_default=True,
    help="Seconds: 1 for each consulted element; or 4.4 to judge it and 7.8 to read each that is "
    "seen, those of Smucker and Clarke for texts of no length.",
)  # fmt: skip
@click.option("--judge", type=float, metavar="SECONDS", help="Instead, to judge an element.")
@click.option("--read", type=float, metavar="SECONDS", help="Instead, to read an element.")
@click.option("--move", type=float, metavar="SECONDS", help="Instead, to navigate to an element.")
@click.option(
    "--arrivals", type=float, metavar="RATE",
    help="Users come at random, so many an hour; by default each when the user before leaves.",
)  # fmt: skip
@click.option(
    "--queries", type=float, metavar="MEAN",
    help="Mean number of topics that a user takes, geometrically distributed, in random order, no "
    "more than there are; by default they take all.",
)  # fmt: skip
@click.option(
    "--pause", type=float, metavar="SECONDS", default=0.0, show_default=True,
    help="Mean time between two topics of a user, exponentially distributed.",
)  # fmt: skip
@click.option(
    "--log", "log_file", metavar="FILE",
    help="Write every event: .parquet, .jsonl or .jsonl.gz. One campaign only.",
)  # fmt: skip
@file_option("json", "the results as JSON")
@click.pass_context
def simulate(
    context: click.Context,
    /,
    users: int,
    first_user: int,
    seed: int,
    want: int | None,
    stops: tuple[str, ...],
    costs_name: str,
    judge: float | None,
    read: float | None,
    move: float | None,
    arrivals: float | None,
    queries: float | None,
    pause: float,
    log_file: str | None,
    json_file: str | None,
    **files: Any,
) -> None:
    """Let users come, browse and stop in time, and log what they do.

    Slower by orders of magnitude than crosscheck, which is enough for precision at given recall.
    A user does the same in every run of a seed, among any other users.

    Rules by which they stop; of several, and of --want, the first that applies:

    \b
    {rules}

    Exit status 0, or 2 for bad input.
    """
    from prum.experiments.commands.session_tables import print_results
    from prum.experiments.report.files import check_outputs, deliver
    from prum.experiments.sessions.log import check_log, log_to
    from prum.experiments.sessions.running import Settings, simulate_campaigns, to_dict
    from prum.simulator.model.rule_names import rule_of
    from prum.simulator.model.times import Exponential
    from prum.simulator.sessions.visits import Geometric, Poisson

    named = campaign_design(files)
    check_outputs((log_file, json_file), named.files("input"))
    if log_file is not None:
        check_log(log_file)
    settings = Settings(
        num_users=users,
        first_user=first_user,
        seed=seed,
        wanted=want,
        rules=tuple(rule_of(words) for words in stops),
        arrivals=None if arrivals is None else Poisson(arrivals),
        queries_each=None if queries is None else Geometric(queries),
        pause=None if pause == 0 else Exponential(pause),
        costs=_costs(costs_name, {"judge": judge, "read": read, "move": move}),
    )
    print_notices(named)
    if log_file is not None and len(named.campaigns) > 1:
        raise click.UsageError("--log goes with one campaign: files, or one --example")
    num_users = users * sum(len(campaign.runs) for campaign in named.campaigns)
    with ExitStack() as open_:
        open_.enter_context(interruptible(None))
        tell: list[Tell] = [open_.enter_context(_progress_bar(num_users))]
        if log_file is not None:
            tell.append(open_.enter_context(log_to(log_file)))
        results = simulate_campaigns(named.campaigns, settings, tell)
    command = typed(context)

    def plain() -> str:
        from prum.experiments.report.encoding import json_text

        chosen = {
            "want": want, "stop": list(stops), "costs": costs_name, "judge": judge, "read": read,
            "move": move, "arrivals": arrivals, "queries": queries, "pause": pause,
        }  # fmt: skip
        return json_text(to_dict(results, settings, command, {**arguments(files), **chosen}))

    deliver([(json_file, plain)], lambda: print_results(results, settings))


def _costs(name: str, instead: Mapping[str, float | None]) -> "Costs":
    """Return the costs of a name, with others in the place of some."""
    from prum.simulator.model.times import Constant, Costs

    costs = Costs.unit() if name == "unit" else Costs.smucker_clarke()
    others: dict[str, Any] = {
        part: Constant(time) for part, time in instead.items() if time is not None
    }
    return replace(costs, **others)


@contextmanager
def _progress_bar(num_users: int) -> "Iterator[Tell]":
    """Give a function that counts users who go, on a terminal."""
    users = "{task.completed:,.0f} of {task.total:,.0f} users"
    gone = itertools.count(1)
    with shown_bar(users, total=num_users) as update:

        def advance(_: str, entry: "Entry") -> None:
            if entry.last:
                update(next(gone) / num_users, advance=1)

        yield advance
