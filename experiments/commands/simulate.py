"""The `prum simulate` command: many users, or one of them step by step."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from prum.experiments.commands.campaign_options import (
    CampaignCommand,
    arguments,
    campaign_design,
    print_notices,
)
from prum.experiments.commands.generator import run_work
from prum.experiments.commands.long_work import interruptible, shown_bar
from prum.experiments.commands.options import (
    check_files,
    file_option,
    options_of,
    seed_option,
    typed,
    whole_number,
)
from prum.experiments.frame.inputs import SessionOptions
from prum.experiments.sweeps.failures import NotComputed

if TYPE_CHECKING:
    from prum.experiments.sessions.outlook import Outlook

# What is asked of all users, and not of one.
_OF_ALL = (
    "users",
    "first_user",
    "arrivals",
    "queries",
    "pause",
    "log_file",
    "every_event",
    "workers",
)
# Seconds: what takes longer is told before.
_LONG = 5.0


@click.command(cls=CampaignCommand)
@click.option(
    "--users",
    type=whole_number,
    metavar="N",
    default=1000,
    show_default=True,
    help="Users of each system.",
)
@click.option(
    "--first-user",
    type=whole_number,
    metavar="K",
    default=0,
    show_default=True,
    help="Number of the first of them, to replay some or to go on.",
)
@seed_option
@options_of(SessionOptions)
@click.option(
    "--arrivals",
    type=float,
    metavar="RATE",
    help="Users come at random, so many an hour; else one after the other.",
)
@click.option(
    "--queries",
    type=float,
    metavar="MEAN",
    help="Mean number of topics of a user, geometrically distributed; all by default.",
)
@click.option(
    "--pause",
    type=float,
    metavar="SECONDS",
    default=0.0,
    show_default=True,
    help="Mean time between two topics of a user, exponentially distributed.",
)
@click.option(
    "--log",
    "log_file",
    metavar="FILE",
    help="Write each event: .parquet, .jsonl or .jsonl.gz; each session: .simeval.jsonl. Of one "
    "campaign.",
)
@click.option(
    "--every-event",
    is_flag=True,
    help="Log each element behind the list; by default those in a row are one event.",
)
@click.option(
    "--workers",
    type=whole_number,
    metavar="N",
    help="Processes; by default all processors where that is faster.",
)
@click.option(
    "--user",
    type=whole_number,
    metavar="N",
    help="Follow one user step by step, on one list.",
)
@click.option("--system", metavar="NAME", help="Of --user: which system.")
@click.option("--topic", metavar="NAME", help="Of --user: which topic.")
@file_option("json", "the results as JSON")
@file_option("html", "of --user: a page that draws each step")
@click.pass_context
def simulate(
    context: click.Context,
    /,
    users: int,
    first_user: int,
    seed: int,
    want: int | None,
    stop: tuple[str, ...],
    costs: str,
    judge: float | None,
    read: float | None,
    move: float | None,
    arrivals: float | None,
    queries: float | None,
    pause: float,
    log_file: str | None,
    every_event: bool,
    workers: int | None,
    user: int | None,
    system: str | None,
    topic: str | None,
    json_file: str | None,
    html_file: str | None,
    **files: Any,
) -> None:
    """Let users come, browse and stop in time, and log what they do.

    Slower than crosscheck, which is enough for precision at given recall. With the same seed, a
    user behaves identically whatever the number of users.

    Exit status 0, 2 for bad input, or 70 if a worker failed.
    """
    from prum.experiments.commands.terminal_view import print_view
    from prum.experiments.sessions.log import check_log, is_of_sessions, log_to, sessions_to
    from prum.experiments.sessions.outlook import outlook_of
    from prum.experiments.sessions.settings import Settings
    from prum.experiments.sessions.verb import simulate_campaigns
    from prum.experiments.sweeps.workers import JobError, WorkerLost
    from prum.experiments.views.files import deliver
    from prum.simulator.model.errors import whole_number as count
    from prum.simulator.model.stopping import rule_of
    from prum.simulator.model.times import Exponential
    from prum.simulator.sessions.visits import Geometric, Poisson

    one = {"user": user, "system": system, "topic": topic, "html": html_file}
    if user is not None:
        _follow(context, {**one, "json": json_file})
        return
    for name, value in one.items():
        if value is not None:
            raise click.UsageError(f"--{name} goes with --user")
    named = campaign_design(files)
    times: dict[str, Any] = {"costs": costs, "judge": judge, "read": read, "move": move}
    sessions = SessionOptions(want=want, stop=stop, **times)
    check_files(context)
    if log_file is not None:
        check_log(log_file)
    elif every_event:
        raise click.UsageError("--every-event goes with --log")
    stretches = log_file is not None and not every_event
    settings = Settings(
        num_users=users,
        first_user=first_user,
        seed=seed,
        wanted=want,
        rules=tuple(rule_of(words) for words in stop),
        arrivals=None if arrivals is None else Poisson(arrivals),
        queries_each=None if queries is None else Geometric(queries),
        pause=None if pause == 0 else Exponential(pause),
        costs=sessions.times(),
        # Without a log nobody looks at what leads to nothing new.
        detail="new" if log_file is None else "named" if stretches else "every",
    )
    if workers is not None:
        count("number of workers", workers, least=1, remedy="give the number of processes")
    print_notices(named)
    if log_file is not None and len(named.campaigns) > 1:
        raise click.UsageError("--log goes with one campaign: files, or one --example")
    num_users = users * sum(len(campaign.runs) for campaign in named.campaigns)
    with ExitStack() as open_:
        open_.enter_context(interruptible(None))
        outlook = outlook_of(named.campaigns, settings, log_file, stretches=stretches)
        hands = workers or outlook.workers
        if outlook.seconds(hands) > _LONG:
            click.echo(f"prum: {_in_words(outlook, hands)}", err=True)
        gone = open_.enter_context(_progress_bar(num_users))
        tell = None
        if log_file is not None and is_of_sessions(log_file):
            tell = open_.enter_context(sessions_to(log_file, named.campaigns[0].name))
        elif log_file is not None:
            tell = open_.enter_context(log_to(log_file, stretches=stretches))
        try:
            result = simulate_campaigns(named.campaigns, settings, tell, workers=hands, gone=gone)
        except JobError as error:
            raise NotComputed(f"not simulated: {error}") from None
        except WorkerLost as error:
            remedy = "more memory or fewer --workers may help"
            raise NotComputed(f"not simulated: {error}, again and again; {remedy}") from None
    chosen = {
        "want": want,
        "stop": list(stop),
        **times,
        "arrivals": arrivals,
        "queries": queries,
        "pause": pause,
    }
    result = replace(result, command=typed(context), arguments={**arguments(files), **chosen})
    deliver([(json_file, result.to_json)], lambda: print_view(result.view()))


def _follow(context: click.Context, chosen: dict[str, Any]) -> None:
    """Tell what one user does, as all of them would."""
    from prum.experiments.replay.design import REPLAY

    for name in _OF_ALL:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            flag = name.removesuffix("_file").replace("_", "-")
            raise click.UsageError(f"--{flag} goes without --user")
    run_work(REPLAY, {**context.params, **chosen}, campaign_design(context.params))


def _in_words(outlook: "Outlook", workers: int) -> str:
    """Return what it will take, and what takes less.

    >>> from prum.experiments.sessions.outlook import Outlook
    >>> _in_words(Outlook(160_000, 300.0, 0.0), 1).split(";")[0]
    '160,000 sessions will take about 5 min on 1 processor'
    """
    from prum.experiments.commands.time_left import in_words

    log = ""
    if outlook.num_rows:
        megabytes = outlook.num_bytes / 1e6
        log = f", and their log about {megabytes:,.0f} MB ({outlook.num_rows:,} events)"
    return (
        f"{outlook.num_sessions:,} sessions will take about {in_words(outlook.seconds(workers))} "
        f"on {workers} processor{'s' if workers > 1 else ''}{log}; fewer --users, --want or --stop "
        "take less, and prum crosscheck has precision in seconds"
    )


@contextmanager
def _progress_bar(num_users: int) -> "Iterator[Callable[[int], object]]":
    """Give a function that shows on a terminal how many users have gone."""
    users = "{task.completed:,.0f} of {task.total:,.0f} users"
    with shown_bar(users, total=num_users) as update:
        yield lambda gone: update(gone / num_users, completed=gone)
