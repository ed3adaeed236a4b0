"""The `prum study robustness` command."""

from typing import TYPE_CHECKING, Any

import click

from prum.experiments.options import input_file, whole_number
from prum.experiments.studies.running import common_options, run_study

if TYPE_CHECKING:
    from prum.experiments.studies.study import Advance, Study


@click.command()
@click.argument("runs", type=input_file, nargs=-1, required=True, metavar="RUNS...")
@click.option("--qrels", type=input_file, required=True, metavar="FILE", help="TREC qrels.")
@click.option(
    "--deeper",
    type=input_file,
    metavar="FILE",
    help="Deeper judgements of the same topics, TREC qrels.",
)
@click.option(
    "--ideal-grade",
    type=whole_number,
    metavar="N",
    default=1,
    show_default=True,
    help="Lowest grade of a relevant element.",
)
@click.option(
    "--dial",
    "dials",
    type=float,
    multiple=True,
    help="Share of relevant elements that another assessor rejects; repeatable. .05, .1, .2, .4 by "
    "default.",
)
@click.option(
    "--trials",
    type=whole_number,
    metavar="N",
    default=100,
    show_default=True,
    help="Samples of topics for each size, and five times the assessors for each dial.",
)
@common_options
def robustness(
    runs: tuple[str, ...],
    qrels: str,
    deeper: str | None,
    ideal_grade: int,
    dials: tuple[float, ...],
    trials: int,
    seed: int,
    **files: Any,
) -> None:
    """How firmly the fifteen measures rank systems.

    By fewer topics, shallower pools, deeper judgements, assessors who disagree: Kendall's tau-a
    with the ranking by everything, by measure, model and tail, and what it says of the hypotheses
    of Carterette 2011.
    """
    from prum.experiments.studies.robustness.printing import print_robustness
    from prum.experiments.studies.robustness.study import DIALS, study_robustness

    def compute(progress: "Advance") -> "Study":
        return study_robustness(
            runs,
            qrels,
            deeper=deeper,
            ideal_grade=ideal_grade,
            dials=dials or DIALS,
            trials=trials,
            seed=seed,
            progress=progress,
        )

    run_study(compute, print_robustness, **files, inputs=(*runs, qrels, deeper))
