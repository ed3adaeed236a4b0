"""The `prum study utility` command."""

from typing import TYPE_CHECKING, Any

import click

from prum.experiments.options import whole_number
from prum.experiments.studies.running import common_options, run_study

if TYPE_CHECKING:
    from prum.experiments.studies.study import Advance, Study


@click.command()
@click.option(
    "--users",
    type=whole_number,
    metavar="N",
    default=1_000_000,
    show_default=True,
    help="Simulated users of each kind.",
)
@click.option(
    "--theta",
    type=float,
    default=0.5,
    show_default=True,
    help="Probability to stop, of RBP and ERR.",
)
@common_options
def utility(users: int, theta: float, seed: int, **files: Any) -> None:
    """Measures as users who stop, beside simulated users.

    The fifteen measures of Carterette 2011, the same for users who browse, who differ, who compare
    documents, and who have different intents. Exit status 0, whatever the verdicts.
    """
    from prum.experiments.studies.utility.printing import print_utility
    from prum.experiments.studies.utility.study import study_utility

    def compute(progress: "Advance") -> "Study":
        return study_utility(users=users, theta=theta, seed=seed, progress=progress)

    run_study(compute, print_utility, **files)
