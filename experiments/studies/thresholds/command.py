"""The `prum study thresholds` command."""

from typing import TYPE_CHECKING, Any

import click

from prum.experiments.options import whole_number
from prum.experiments.studies.running import draws_options, run_study

if TYPE_CHECKING:
    from prum.experiments.studies.study import Advance, Study


@click.command()
@click.option(
    "--queries",
    type=whole_number,
    metavar="N",
    default=200,
    show_default=True,
    help="Simulated queries.",
)
@click.option(
    "--documents",
    type=whole_number,
    metavar="N",
    default=500,
    show_default=True,
    help="Documents of each query.",
)
@click.option(
    "--error",
    type=float,
    metavar="X",
    default=0.9,
    show_default=True,
    help="How far a system's estimates are off, on the scale of log odds.",
)
@click.option(
    "--worse",
    type=float,
    metavar="X",
    default=1.1,
    show_default=True,
    help="The same of the system that is to be told from it.",
)
@draws_options(200, "jitters and samples of documents")
def thresholds(
    queries: int,
    documents: int,
    error: float,
    worse: float,
    draws: int,
    seed: int,
    **files: Any,
) -> None:
    """What thresholds cost: precision and recall beside ADM.

    Systems estimate a relevance between 0 and 1. How precision, recall and their mean at thresholds
    of 1/2, and the average distance measure, answer to small and to large errors; how many queries
    each needs to tell two systems apart; and ADM from samples of documents. After Mizzaro 2001.
    """
    from prum.experiments.studies.thresholds.printing import print_thresholds
    from prum.experiments.studies.thresholds.study import study_thresholds

    def compute(progress: "Advance") -> "Study":
        return study_thresholds(
            queries=queries,
            documents=documents,
            draws=draws,
            error=error,
            worse=worse,
            seed=seed,
            progress=progress,
        )

    run_study(compute, print_thresholds, **files)
