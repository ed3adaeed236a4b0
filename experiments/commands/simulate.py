"""The `prum simulate` command: many users, or one of them step by step."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import click
from click.core import ParameterSource

from prum.experiments.commands.generator import (
    check_possible,
    command_of,
    finish,
    made,
    say,
    say_notices,
)
from prum.experiments.commands.long_work import (
    computed_or,
    interruptible,
    processes,
    shown_bar,
)
from prum.experiments.frame.design import FileUse, Option, UserSeed
from prum.experiments.frame.inputs import SessionOptions
from prum.experiments.frame.verb import TableOutputs, writes
from prum.experiments.studies.kit.campaigns import SpanCampaignDesign

if TYPE_CHECKING:
    from prum.experiments.sessions.outlook import Outlook
    from prum.experiments.sessions.result import Settings
    from prum.experiments.sessions.verb import Tell

# What is asked of all users, and not of one; and of one alone.
_OF_ALL = (
    "users",
    "first_user",
    "arrivals",
    "queries",
    "pause",
    "workers",
    "json",
    "csv",
    "latex",
    "figure",
)
_OF_ONE = ("system", "topic")
# Seconds: what takes longer is told before.
_LONG = 5.0


class SimulateDesign(SpanCampaignDesign, SessionOptions):
    """Simulate users in time, and log what they do.

    Slower than crosscheck, which is enough for precision at given recall. With the same seed, a
    user behaves identically whatever the number of users.

    Exit status 0, 2 for bad input, or 70 if a worker failed.
    """

    users: Annotated[int, Option("Users of each system.", metavar="N", always=True)] = 1000
    first_user: Annotated[
        int, Option("Number of the first of them, to simulate some again or to go on.", metavar="K")
    ] = 0
    seed: UserSeed = 1
    arrivals: Annotated[
        float | None,
        Option(
            "Users come at random, so many an hour; else one after the other.",
            metavar="RATE",
            above=0,
            remedy="give 60, say",
        ),
    ] = None
    queries: Annotated[
        float | None,
        Option(
            "Mean number of topics of a user, geometrically distributed; all by default.",
            metavar="MEAN",
        ),
    ] = None
    pause: Annotated[
        float,
        Option(
            "Mean time between two topics of a user, exponentially distributed.", metavar="SECONDS"
        ),
    ] = 0.0
    log: Annotated[
        str | None,
        Option(
            "Write each event: .parquet, .jsonl or .jsonl.gz; each session: .simeval.jsonl. For "
            "one campaign.",
            metavar="FILE",
            matters=False,
        ),
    ] = None
    every_event: Annotated[
        bool,
        Option(
            "Log each element behind the list; by default those in a row are one event.",
            matters=False,
        ),
    ] = False
    workers: Annotated[
        int | None,
        processes("Processes; by default all processors where that is faster."),
    ] = None

    def check(self) -> None:
        """Raise for a log that can't be written, and --every-event without one."""
        super().check()
        if self.log is not None:
            from prum.experiments.sessions.outlook import check_log

            check_log(self.log)
        elif self.every_event:
            raise click.UsageError("--every-event goes with --log")

    def files(self, *roles: FileUse) -> tuple[str, ...]:
        """Return the files, the log among them."""
        written = (self.log,) if self.log is not None and "output" in roles else ()
        return (*super().files(*roles), *written)

    def settings(self) -> "Settings":
        """Return what users have in common."""
        from prum.experiments.sessions.result import Settings
        from prum.simulator.model.costs import Exponential
        from prum.simulator.model.stopping import rule_of
        from prum.simulator.sessions.crowd import Geometric, Poisson

        return Settings(
            num_users=self.users,
            first_user=self.first_user,
            seed=self.seed,
            wanted=self.want,
            rules=tuple(rule_of(words) for words in self.stop),
            arrivals=None if self.arrivals is None else Poisson(self.arrivals),
            queries_each=None if self.queries is None else Geometric(self.queries),
            pause=None if self.pause == 0 else Exponential(self.pause),
            costs=self.times(),
            # Without a log nobody looks at what leads to nothing new.
            detail="new" if self.log is None else "every" if self.every_event else "named",
        )


class SimulateOptions(SimulateDesign):
    """Options of all users, and of one."""

    user: Annotated[
        int | None,
        Option("Tell the story of one user, from 0, on one list; --log writes it.", metavar="N"),
    ] = None
    system: Annotated[str | None, Option("Of --user: which system.", metavar="NAME")] = None
    topic: Annotated[str | None, Option("Of --user: which topic.", metavar="NAME")] = None


class SimulateOutputs(TableOutputs):
    """Where the results are written."""

    json: Annotated[str | None, writes("the results as JSON")] = None
    csv: Annotated[str | None, writes("each mean with its standard error as CSV")] = None


def _simulated(options: dict[str, Any]) -> None:
    """Simulate many users, or tell what one of them does."""
    if options["user"] is not None:
        _follow(options)
        return
    for name in _OF_ONE:
        if options[name] is not None:
            raise click.UsageError(f"--{name} goes with --user")
    from prum.experiments.sessions.outlook import outlook_of
    from prum.experiments.sessions.verb import simulate_campaigns

    design, outputs = made(SimulateDesign, options), made(SimulateOutputs, options)
    check_possible(outputs, design)
    settings, log = design.settings(), design.log
    stretches = log is not None and not design.every_event
    say_notices(design)
    campaigns = design.campaigns
    if log is not None and len(campaigns) > 1:
        raise click.UsageError("--log goes with one campaign: files, or one --example")
    num_users = design.users * sum(len(campaign.runs) for campaign in campaigns)
    with ExitStack() as open_:
        open_.enter_context(interruptible(None))
        outlook = outlook_of(campaigns, settings, log, stretches=stretches)
        hands = design.workers or outlook.workers
        if outlook.seconds(hands) > _LONG:
            say(_in_words(outlook, hands))
        gone = open_.enter_context(_progress_bar(num_users))
        tell = open_.enter_context(_logged(design))
        with computed_or("not simulated"):
            result = simulate_campaigns(campaigns, settings, tell, workers=hands, gone=gone)
    command = design.command("simulate")
    finish(outputs, replace(result, command=command, arguments=design.asked()))


def _follow(options: dict[str, Any]) -> None:
    """Tell what one user does, as all of them would."""
    from prum.experiments.frame.files import deliver
    from prum.experiments.sessions.stories import story

    context = click.get_current_context()
    for name in _OF_ALL:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name.replace('_', '-')} goes without --user")
    design = made(SimulateDesign, options)
    check_possible(None, design)
    say_notices(design)
    one = {name: options[name] for name in ("user", *_OF_ONE)}
    with interruptible(None):
        told = story(design.campaign, design.settings(), **one)
    with _logged(design) as tell:
        if tell is not None:
            for entry in told.entries:
                tell(told.system, entry)
    deliver([], lambda: print(told))


def _logged(design: SimulateDesign) -> "AbstractContextManager[Tell | None]":
    """Return what gives the function that writes the log, None without one."""
    from prum.experiments.sessions.outlook import is_of_sessions, log_to, sessions_to

    if design.log is None:
        return nullcontext()
    if is_of_sessions(design.log):
        return sessions_to(design.log, design.campaigns[0].name)
    return log_to(design.log, stretches=not design.every_event)


def _in_words(outlook: "Outlook", workers: int) -> str:
    """Return what it will take, and what takes less.

    >>> from prum.experiments.sessions.outlook import Outlook
    >>> _in_words(Outlook(160_000, 300.0, 0.0), 1).split(";")[0]
    '160,000 sessions will take about 5 min on 1 processor'
    """
    from prum.experiments.commands.long_work import in_words

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
        yield lambda gone: update(completed=gone)


simulate = command_of(
    "simulate", SimulateDesign.__doc__, SimulateOptions, SimulateOutputs, _simulated
)
