"""The `prum study stops` command."""

from typing import TYPE_CHECKING, Any

import click

from prum.experiments.options import input_file, whole_number
from prum.experiments.studies.running import draws_options, run_study

if TYPE_CHECKING:
    from prum.experiments.studies.study import Advance, Study


@click.command()
@click.option(
    "--sessions",
    type=input_file,
    metavar="FILE",
    help="Log of searches: session time Q query region url ..., or session time C url, between "
    "tabs, as NAVER's CLARA2.",
)
@click.option(
    "--totals",
    type=input_file,
    metavar="FILE",
    help="Clicks by rank: rank, clicks between tabs; then page1, page2, ..., later, if known.",
)
@click.option("--ranks", type=whole_number, metavar="N", help="Only the first N ranks count.")
@draws_options(200, "halves of the totals to hold out")
def stops(
    sessions: str | None,
    totals: str | None,
    ranks: int | None,
    draws: int,
    seed: int,
    **files: Any,
) -> None:
    """Which stopping distribution fits where people click.

    RBP, DCG, RR and the Beta mixture of RBP, fitted to clicks by maximum likelihood and compared
    by clicks held out. Repeats section 4.1 of Carterette 2011.
    """
    from prum.experiments.studies.stops.printing import print_stops
    from prum.experiments.studies.stops.study import study_stops

    if sessions is None and totals is None:
        raise click.UsageError("give --sessions FILE, --totals FILE, or both")

    def compute(progress: "Advance") -> "Study":
        return study_stops(
            sessions=sessions,
            totals=totals,
            ranks=ranks,
            draws=draws,
            seed=seed,
            progress=progress,
        )

    run_study(compute, print_stops, **files, inputs=(sessions, totals))
