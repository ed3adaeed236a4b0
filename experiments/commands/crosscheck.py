"""The `prum crosscheck` command."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import click

from prum.experiments.commands.generator import Command, command
from prum.experiments.commands.long_work import processes
from prum.experiments.frame.design import FileUse, UserSeed, option
from prum.experiments.frame.inputs import ChargeOptions
from prum.experiments.frame.verb import table_outputs
from prum.experiments.studies.kit.campaigns import SpanCampaignDesign
from prum.simulator.model.costs import ELEMENTS
from prum.simulator.model.errors import InputError

if TYPE_CHECKING:
    from prum.experiments.frame.result import Result
    from prum.experiments.frame.verb import Advance
    from prum.simulator.collections.campaign import Campaign


class CrosscheckDesign(SpanCampaignDesign, ChargeOptions):
    """Put PRUM, the exact value and simulated users side by side, with a verdict.

    Lists, judgements and links are files, or an example: prum crosscheck --example web. Links are
    given or made from elements; without either nobody browses.

    Exit status 0 if simulation and exact values agree, 1 if they disagree or users are too few to
    tell, 2 for bad input, 70 if prum itself fails. Verdicts on PRUM do not change it.
    """

    users: int = option(
        100_000,
        "Users of a list, at least.",
        "N",
        least=1,
        remedy="say how many users",
        always=True,
    )
    most_users: int | None = option(None, "Users of a list, at most (2^21; 2^24 of one).", "N")
    detect: float = option(
        0.1,
        "Error to be found, as a share of E[C(r)]: lists get as many users as that takes.",
        above=0,
        below=1,
        remedy="give .1 for a tenth",
        always=True,
    )
    seed: UserSeed = 1
    level: float = option(
        0.01,
        "Rate of false alarms, of all tests together.",
        above=0,
        below=1,
        remedy="give .01 for one percent",
        always=True,
    )
    by_rank: bool = option(False, "Also P(consulted) and P(something new) of each rank.")
    approximations: tuple[str, ...] = option(
        (),
        "An approximation of your own to measure: columns topic, system, r, and precision, or CL "
        "and C.",
        "[NAME=]FILE",
        singular="approximation",
    )
    engine: Literal["kernels", "sessions"] = option(
        "kernels", "What simulates: compiled kernels, or sessions in time, which are slow."
    )
    workers: int = option(1, processes("Processes; by default one, on all processors."))
    store: str | None = option(
        None,
        "Keep results, and go on with those kept (SQLite).",
        file="store",
        matters=False,
    )

    def check(self) -> None:
        """Raise for options that do not go together."""
        super().check()
        if self.engine == "sessions":
            alone = {"store": None, "workers": 1, "by_rank": False, "spans": None}
            for name, default in alone.items():
                if getattr(self, name) != default:
                    flag = name.replace("_", "-")
                    raise click.UsageError(f"--engine sessions goes without --{flag}")
        if self.cost is None and self.costs:
            rule, remedy = "be given with --costs", "name the unit in which users are charged"
            raise InputError("cost", None, rule, remedy=remedy)

    def named_approximations(self) -> dict[str, str]:
        """Return the file of each approximation by its name, given or made of the file's stem.

        Raise InputError for a name that is given twice.
        """
        from prum.experiments.frame.inputs import named_file

        files: dict[str, str] = {}
        for word in self.approximations:
            name, file = named_file(word)
            if not word.startswith(f"{name}="):
                name = re.sub(r"\W", "_", name)
            if name in files:
                remedy = "name them apart, as NAME=FILE"
                raise InputError("name of an approximation", name, "be given once", remedy=remedy)
            files[name] = file
        return files

    def files(self, *roles: FileUse) -> tuple[str, ...]:
        """Return the files, those of approximations among them."""
        more = self.named_approximations().values() if "input" in roles else ()
        return (*super().files(*roles), *more)

    def charged_campaigns(self) -> "list[Campaign]":
        """Return the campaigns, with what elements cost.

        Raise InputError or OSError as `campaigns` and `units_of`.
        """
        from prum.simulator.collections.costs import units_of

        if self.cost is None:
            return self.campaigns
        return [replace(x, costs=units_of(self.costs, x.elements)) for x in self.campaigns]


OUTPUTS = table_outputs(
    json="everything as JSON",
    csv="the comparisons as CSV",
    html="a page with curves",
    figure="the first curves: a file of .pdf, .svg or .png",
)


def _crosschecked(design: CrosscheckDesign, advance: "Advance") -> "Result":
    from prum.experiments.crosscheck.verb import crosscheck_campaigns
    from prum.experiments.sweeps.store import Store
    from prum.experiments.sweeps.workers import on_processors
    from prum.simulator.sessions.engine import simulate_sessions

    campaigns = design.charged_campaigns()
    by_sessions = design.engine == "sessions"
    with on_processors(design.workers) as hands, Store(design.store) as store:
        return crosscheck_campaigns(
            campaigns,
            num_users=design.users,
            most_users=design.most_users,
            seed=design.seed,
            level=design.level,
            detect=design.detect,
            cost=None if design.cost == ELEMENTS else design.cost,
            simulate=simulate_sessions if by_sessions else None,
            store=None if by_sessions else store,
            workers=None if by_sessions else hands,
            progress=lambda done, number: advance(done / number),
            by_rank=design.by_rank,
            approximations=design.named_approximations(),
        )


crosscheck = command(Command("crosscheck", CrosscheckDesign, _crosschecked, OUTPUTS))
