"""The `prum simulate` command: many users, or one of them step by step."""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import click
from click.core import ParameterSource

from prum.experiments.commands.generator import (
    check_possible,
    command_of,
    finish,
    made,
    say_notices,
)
from prum.experiments.commands.long_work import (
    computed_or,
    interruptible,
    processes,
    shown_bar,
)
from prum.experiments.frame.design import Design, FileUse, UserSeed, option
from prum.experiments.frame.verb import TableOutputs, writes
from prum.experiments.studies.kit.campaigns import SpanCampaignDesign

if TYPE_CHECKING:
    from prum.experiments.sessions.result import Settings
    from prum.experiments.sessions.verb import Tell
    from prum.simulator.model.costs import Constant, Costs

# What is asked of all users, and not of one; and of one alone.
_OF_ALL = (
    "users",
    "first_user",
    "arrivals",
    "workers",
    "json",
    "csv",
    "latex",
    "figure",
)
_OF_ONE = ("system", "topic")
# Sessions that one process plays in less time than others take to begin.
_LONG = 20_000


# Costs with other times in the place of some, as "unit,judge=2,move=1.5".
_TIMES = re.compile(r"(?:^|,)(?=(?:judge|read|move)=)")


class SessionOptions(Design):
    """How long users take, and when they stop."""

    heading: ClassVar[str] = "Sessions"

    want: int | None = option(
        None,
        "Stop when so many ideals are seen, or all if there are fewer.",
        "R",
        least=1,
        remedy="say how many ideals they want",
    )
    stop: tuple[str, ...] = option(
        (),
        "Stop by a rule, which prum list rules has; without any, and without --want, when all "
        "ideals are seen.",
        "RULE",
    )
    costs: str = option(
        "unit",
        "Seconds that actions take: 1 for each consulted element; or 4.4 to judge it and 7.8 to "
        "read each that is seen, those of Smucker and Clarke for texts of no length; or of a "
        "file with columns element and seconds, to read an element. Other times behind it, as "
        "unit,judge=2,read=5,move=1.5.",
        "unit|smucker-clarke|FILE",
        file="input",
        always=True,
    )

    def files(self, *roles: FileUse) -> tuple[str, ...]:
        """Return the files, that of costs without other times."""
        files = super().files(*roles)
        return tuple(_TIMES.split(file)[0] if file == self.costs else file for file in files)

    def times(self) -> "Costs":
        """Return how long actions take.

        Raise InputError for a time that is negative or not finite, and as `read_costs`; OSError
        if a file cannot be opened or read.
        """
        from prum.simulator.collections.costs import SMUCKER_CLARKE
        from prum.simulator.model.costs import Costs

        base, *changes = _TIMES.split(self.costs)
        named = {"": Costs.unit, "unit": Costs.unit, SMUCKER_CLARKE: Costs.smucker_clarke}
        costs = named[base]() if base in named else _seconds(base)
        others: dict[str, Any] = {}
        for change in changes:
            part, _, time = change.partition("=")
            others[part] = _constant(part, time)
        return replace(costs, **others)


def _constant(part: str, time: str) -> "Constant":
    """Return the time of an action.

    Raise InputError if it is no number of seconds.
    """
    from prum.simulator.model.costs import Constant
    from prum.simulator.model.errors import InputError

    try:
        return Constant(float(time))
    except ValueError as error:
        rule, remedy = "be a number of seconds, not negative", "give 4.4, say"
        raise InputError(f"time to {part}", time, rule, remedy=remedy) from error


def _seconds(file: str) -> "Costs":
    """Return what it takes to read elements, by a file of costs."""
    from prum.simulator.collections.costs import read_costs
    from prum.simulator.model.costs import SECONDS
    from prum.simulator.model.errors import InputError
    from prum.simulator.tables.files import place

    units = read_costs(file)
    if SECONDS not in units:
        rule, remedy = f"be {SECONDS}", f"give a column {SECONDS}, or unit or smucker-clarke"
        raise InputError("unit of cost", ", ".join(units), rule, remedy=remedy, place=place(file))
    return units[SECONDS]


class SimulateDesign(SpanCampaignDesign, SessionOptions):
    """Simulate users in time, and log what they do.

    Slower than crosscheck, which is enough for precision at given recall. With the same seed, a
    user behaves identically whatever the number of users.

    Exit status 0, 2 for bad input, or 70 if a worker failed.
    """

    users: int = option(1000, "Users of each system.", "N", always=True)
    first_user: int = option(
        0, "Number of the first of them, to simulate some again or to go on.", "K"
    )
    seed: UserSeed = 1
    arrivals: float | None = option(
        None,
        "Users come at random, so many an hour; else one after the other.",
        "RATE",
        above=0,
        remedy="give 60, say",
    )
    log: str | None = option(
        None,
        "Write each event: .parquet, .jsonl or .jsonl.gz; each session: .simeval.jsonl. For one "
        "campaign.",
        "FILE",
        matters=False,
    )
    workers: int | None = option(
        None, processes("Processes; by default all processors where that is faster.")
    )

    def check(self) -> None:
        """Raise for a log that can't be written."""
        super().check()
        if self.log is not None:
            from prum.experiments.sessions.logs import check_log

            check_log(self.log)

    def files(self, *roles: FileUse) -> tuple[str, ...]:
        """Return the files, the log among them."""
        written = (self.log,) if self.log is not None and "output" in roles else ()
        return (*super().files(*roles), *written)

    def settings(self) -> "Settings":
        """Return what users have in common."""
        from prum.experiments.sessions.result import Settings
        from prum.simulator.model.stopping import rule_of
        from prum.simulator.sessions.crowd import Poisson

        return Settings(
            num_users=self.users,
            first_user=self.first_user,
            seed=self.seed,
            wanted=self.want,
            rules=tuple(rule_of(words) for words in self.stop),
            arrivals=None if self.arrivals is None else Poisson(self.arrivals),
            costs=self.times(),
            # Without a log nobody looks at what leads to nothing new.
            detail="new" if self.log is None else "named",
        )


class SimulateOptions(SimulateDesign):
    """Options of all users, and of one."""

    user: int | None = option(
        None, "Tell the story of one user, from 0, on one list; --log writes it.", "N"
    )
    system: str | None = option(None, "Of --user: which system.", "NAME")
    topic: str | None = option(None, "Of --user: which topic.", "NAME")


class SimulateOutputs(TableOutputs):
    """Where the results are written."""

    json: str | None = option(None, writes("the results as JSON"))
    csv: str | None = option(None, writes("each mean with its standard error as CSV"))


def _simulated(options: dict[str, Any]) -> None:
    """Simulate many users, or tell what one of them does."""
    if options["user"] is not None:
        _follow(options)
        return
    for name in _OF_ONE:
        if options[name] is not None:
            raise click.UsageError(f"--{name} goes with --user")
    from prum.experiments.sessions.verb import simulate_campaigns
    from prum.simulator.model.process import own_processors

    design, outputs = made(SimulateDesign, options), made(SimulateOutputs, options)
    check_possible(outputs, design)
    settings, log = design.settings(), design.log
    say_notices(design)
    campaigns = design.campaigns
    if log is not None and len(campaigns) > 1:
        raise click.UsageError("--log goes with one campaign: files, or one --example")
    num_users = design.users * sum(len(campaign.runs) for campaign in campaigns)
    sessions = sum(len(campaign.runs) * len(campaign.ideals) for campaign in campaigns)
    # Other processes take seconds to start, and what they return for a log takes longer.
    is_long = log is None and sessions * design.users > _LONG
    workers = design.workers or (own_processors() if is_long else 1)
    with ExitStack() as open_:
        open_.enter_context(interruptible(None))
        gone = open_.enter_context(_progress_bar(num_users))
        tell = open_.enter_context(_logged(design))
        with computed_or("not simulated"):
            result = simulate_campaigns(campaigns, settings, tell, workers=workers, gone=gone)
    command = design.command("simulate")
    finish(outputs, replace(result, command=command, arguments=design.options()))


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
        tale = story(design.campaign, design.settings(), **one)
    with _logged(design) as tell:
        if tell is not None:
            for entry in tale.entries:
                tell(tale.system, entry)
    deliver([], lambda: print(tale))


def _logged(design: SimulateDesign) -> "AbstractContextManager[Tell | None]":
    """Return what gives the function that writes the log, None without one."""
    from prum.experiments.sessions.logs import log_to

    return nullcontext() if design.log is None else log_to(design.log, design.campaigns[0].name)


@contextmanager
def _progress_bar(num_users: int) -> "Iterator[Callable[[int], object]]":
    """Give a function that shows on a terminal how many users have gone."""
    users = "{task.completed:,.0f} of {task.total:,.0f} users"
    with shown_bar(users, total=num_users) as update:
        yield lambda gone: update(completed=gone)


simulate = command_of(
    "simulate", SimulateDesign.__doc__, SimulateOptions, SimulateOutputs, _simulated
)
