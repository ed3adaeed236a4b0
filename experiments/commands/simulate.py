"""The `prum simulate` command: many users, or one of them step by step."""

import re
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from prum.experiments.commands.generator import Command, command
from prum.experiments.commands.long_work import processes
from prum.experiments.frame.design import FileUse, UserSeed, option
from prum.experiments.frame.verb import table_outputs
from prum.experiments.studies.kit.campaigns import SpanCampaignDesign

if TYPE_CHECKING:
    from prum.experiments.frame.result import Result
    from prum.experiments.frame.verb import Advance
    from prum.experiments.sessions.result import Settings
    from prum.experiments.sessions.verb import Tell
    from prum.simulator.model.costs import Constant, Costs

# Sessions that one process plays in less time than others take to begin.
_LONG = 20_000


# Costs with other times in the place of some, as "unit,judge=2,move=1.5".
_TIMES = re.compile(r"(?:^|,)(?=(?:judge|read|move)=)")


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


class SimulateDesign(SpanCampaignDesign):
    """Simulate users in time, and log what they do.

    Slower than crosscheck, which is enough for precision at given recall. With the same seed, a
    user behaves identically whatever the number of users.

    Exit status 0, 2 for bad input, or 70 if a worker failed.
    """

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

    user: int | None = option(
        None, "Tell the story of one user, from 0, on one list; --log writes it.", "N"
    )
    system: str | None = option(None, "Of --user: which system.", "NAME")
    topic: str | None = option(None, "Of --user: which topic.", "NAME")

    def check(self) -> None:
        """Raise for a log that can't be written, or of several campaigns."""
        super().check()
        if self.log is not None:
            from prum.experiments.sessions.logs import check_log

            self.check_single()
            check_log(self.log)
        if self.user is None and (self.system or self.topic):
            raise click.UsageError("--system and --topic go with --user")
        of_all = (self.users, self.first_user, self.arrivals, self.workers)
        if self.user is not None and of_all != (1000, 0, None, None):
            raise click.UsageError("--users, --first-user, --arrivals, --workers go without --user")

    def files(self, *roles: FileUse) -> tuple[str, ...]:
        """Return the files, the log among them."""
        written = (self.log,) if self.log is not None and "output" in roles else ()
        files = super().files(*roles)
        # Without other times behind it.
        named = (_TIMES.split(file)[0] if file == self.costs else file for file in files)
        return (*named, *written)

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
            detail="named",
        )


OUTPUTS = table_outputs(json="the results as JSON", csv="each mean with its standard error as CSV")


def _simulated(design: SimulateDesign, advance: "Advance") -> "Result":
    """Simulate many users, or tell what one of them does, as all of them would."""
    from prum.experiments.sessions.verb import simulate_campaigns
    from prum.simulator.model.process import own_processors

    if design.user is not None:
        return _story(design)
    campaigns, settings = design.campaigns, design.settings()
    num_users = design.users * sum(len(campaign.runs) for campaign in campaigns)
    sessions = sum(len(campaign.runs) * len(campaign.ideals) for campaign in campaigns)
    # Other processes take seconds to start, and what they return for a log takes longer.
    is_long = design.log is None and sessions * design.users > _LONG
    with _logged(design) as tell:
        return simulate_campaigns(
            campaigns,
            settings,
            tell,
            workers=design.workers or (own_processors() if is_long else 1),
            gone=lambda number: advance(number / num_users),
        )


def _story(design: SimulateDesign) -> "Result":
    from prum.experiments.frame.frames import FrameResult
    from prum.experiments.frame.view import View
    from prum.experiments.sessions.stories import story

    chosen = {"system": design.system, "topic": design.topic}
    tale = story(design.campaign, design.settings(), design.user or 0, **chosen)
    with _logged(design) as tell:
        if tell is not None:
            for entry in tale.entries:
                tell(tale.system, entry)
    return FrameResult(
        kind="simulate",
        frames={"story": {"sentence": tale.sentences}},
        shown=View(f"User {design.user}", "", (), (), sentences=tale.sentences),
    )


def _logged(design: SimulateDesign) -> "AbstractContextManager[Tell | None]":
    """Return what gives the function that writes the log, None without one."""
    from prum.experiments.sessions.logs import log_to

    return nullcontext() if design.log is None else log_to(design.log, design.campaigns[0].name)


simulate = command(Command("simulate", SimulateDesign, _simulated, OUTPUTS))
