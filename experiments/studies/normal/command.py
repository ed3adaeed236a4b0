"""The `prum study normal` command."""

from typing import TYPE_CHECKING, Any

import click

from prum.experiments.options import whole_number
from prum.experiments.studies.running import draws_options, run_study

if TYPE_CHECKING:
    from prum.experiments.studies.study import Advance, Study


@click.command()
@click.option(
    "--size",
    "sizes",
    type=whole_number,
    multiple=True,
    metavar="M",
    help="Number of ideals; repeatable. 2, 3, 5, 10, ..., 1000 by default.",
)
@click.option(
    "--power",
    type=float,
    default=1.0,
    show_default=True,
    help="Probabilities are uniform numbers to this power; above 1 most are small.",
)
@draws_options(10_000, "sets of probabilities for each size")
def normal(sizes: tuple[int, ...], power: float, draws: int, seed: int, **files: Any) -> None:
    """The normal law beside the exact one.

    Both are laws of the number of ideals that a user has seen; two other laws stand beside them.

    Repeats appendix A.1 of Piwowarski, Gallinari and Dupret 2007, for more sizes and laws.
    """
    from prum.experiments.studies.normal.printing import print_normal
    from prum.experiments.studies.normal.study import SIZES, study_normal

    def compute(progress: "Advance") -> "Study":
        return study_normal(
            draws=draws, seed=seed, sizes=sizes or SIZES, power=power, progress=progress
        )

    run_study(compute, print_normal, **files)
