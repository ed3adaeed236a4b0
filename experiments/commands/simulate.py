"""The `prum simulate` command."""

import itertools
import math
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import click

from prum.experiments.commands.campaign_options import (
    CampaignCommand,
    arguments,
    campaign_design,
    print_notices,
)
from prum.experiments.commands.long_work import interruptible, shown_bar
from prum.experiments.commands.options import (
    check_files,
    file_option,
    seed_option,
    typed,
    whole_number,
)
from prum.experiments.commands.session_options import chosen_costs, session_options

if TYPE_CHECKING:
    from prum.experiments.sessions.running import Tell
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
@session_options
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
    costs: str,
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
    from prum.experiments.sessions.log import check_log, log_to
    from prum.experiments.sessions.running import Settings, simulate_campaigns, to_dict
    from prum.experiments.views.files import deliver
    from prum.simulator.model.rule_names import rule_of
    from prum.simulator.model.times import Exponential
    from prum.simulator.sessions.visits import Geometric, Poisson

    named = campaign_design(files)
    times = {"costs": costs, "judge": judge, "read": read, "move": move}
    check_files(context)
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
        costs=chosen_costs(times),
        # Without a log nobody looks at what leads to nothing new.
        detail="new" if log_file is None else "every",
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
        from prum.experiments.views.encoding import json_text

        chosen = {
            "want": want, "stop": list(stops), **times, "arrivals": arrivals, "queries": queries,
            "pause": pause,
        }  # fmt: skip
        return json_text(to_dict(results, settings, command, {**arguments(files), **chosen}))

    deliver([(json_file, plain)], lambda: print_results(results, settings))


class Outlook:
    """Says once, when some seconds are over, that users will take long, why, and what helps.

    Users consult one element after the other, to the end of the collection if they must: some
    twenty microseconds each where all are logged, five without a log.
    """

    # Seconds: when to judge by users who have left, when to judge without any, what is long.
    FIRST, LATEST, LONG = 5, 30, 120

    def __init__(self, num_users: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._num_users, self._clock, self._began = num_users, clock, clock()
        self._gone = self._consulted = 0
        self._told = False

    def after(self, entry: "Entry") -> str:
        """Count an event; return what is to be said now, if anything is."""
        number = entry.event.elements if entry.event.action == "consult" else 0
        self._consulted += number
        self._gone += entry.last
        if self._told or not (entry.last or number > 1 or self._consulted % 1_000 == 0):
            return ""
        seconds = self._clock() - self._began
        if seconds < (self.FIRST if self._gone else self.LATEST):
            return ""
        self._told = True
        rest = seconds * (self._num_users / self._gone - 1) if self._gone else math.inf
        if rest < self.LONG:
            return ""
        time_left = f"about {_in_words(rest)} more" if self._gone else "very long"
        each = self._consulted / max(self._gone, 1)
        return (
            f"this will take {time_left}: a user consults "
            f"{'' if self._gone else 'more than '}{each:,.0f} elements, one by one; fewer --users, "
            "--want or --stop take less, and prum crosscheck has precision in seconds"
        )


def _in_words(seconds: float) -> str:
    """Return a time to come in a whole number of minutes or hours.

    >>> _in_words(130), _in_words(9000)
    ('2 minutes', '2.5 hours')
    """
    minutes = seconds / 60
    return f"{minutes:.0f} minutes" if minutes < 100 else f"{minutes / 60:.2g} hours"


@contextmanager
def _progress_bar(num_users: int) -> "Iterator[Tell]":
    """Give a function that counts users who go, on a terminal."""
    users = "{task.completed:,.0f} of {task.total:,.0f} users"
    outlook = Outlook(num_users)
    gone = itertools.count(1)
    with shown_bar(users, total=num_users) as update:

        def advance(_: str, entry: "Entry") -> None:
            warning = outlook.after(entry)
            if warning:
                click.echo(f"prum: {warning}", err=True)
            if entry.last:
                update(next(gone) / num_users, advance=1)

        yield advance
