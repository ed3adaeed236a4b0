"""The `prum study noisy-or` command."""

from typing import TYPE_CHECKING, Any

import click

from prum.experiments.options import whole_number
from prum.experiments.studies.running import draws_options, run_study

if TYPE_CHECKING:
    from prum.experiments.studies.study import Advance, Study


@click.command("noisy-or")
@click.option(
    "--ideals",
    type=whole_number,
    multiple=True,
    metavar="T",
    help="Number of ideals; repeatable. 2, 5, 10, 20, 50 by default.",
)
@click.option(
    "--density",
    "densities",
    type=float,
    multiple=True,
    help="Share of pairs of rank and ideal with a link; repeatable. .05, .2, 1 by default.",
)
@click.option(
    "--strength",
    "strengths",
    type=float,
    multiple=True,
    help="Most probable a link can be; repeatable. .1, .3, 1 by default.",
)
@click.option(
    "--ranks",
    type=whole_number,
    metavar="O",
    default=50,
    show_default=True,
    help="Elements in the list.",
)
@click.option(
    "--listed",
    type=float,
    default=0.5,
    show_default=True,
    help="Share of the ideals that are in the list themselves.",
)
@click.option(
    "--unranked",
    type=whole_number,
    metavar="U",
    default=100,
    show_default=True,
    help="Elements outside the list.",
)
@draws_options(1_000, "tasks for each number of ideals, density and strength")
def noisy_or(
    ideals: tuple[int, ...],
    densities: tuple[float, ...],
    strengths: tuple[float, ...],
    ranks: int,
    listed: float,
    unranked: int,
    draws: int,
    seed: int,
    **files: Any,
) -> None:
    """PRUM beside the exact precision.

    Under independent browsing they differ by Hypothesis 2.3 alone; this is what it costs.
    """
    from prum.experiments.studies.noisy_or.printing import print_noisy_or
    from prum.experiments.studies.noisy_or.study import DENSITIES, IDEALS, STRENGTHS, study_noisy_or

    def compute(progress: "Advance") -> "Study":
        return study_noisy_or(
            draws=draws,
            seed=seed,
            ideals=ideals or IDEALS,
            densities=densities or DENSITIES,
            strengths=strengths or STRENGTHS,
            ranks=ranks,
            listed=listed,
            unranked=unranked,
            progress=progress,
        )

    run_study(compute, print_noisy_or, **files)
