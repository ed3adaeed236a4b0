"""The `prum study estimators` command."""

from typing import TYPE_CHECKING, Any

import click

from prum.experiments.commands.study_running import draws_options, run_study

if TYPE_CHECKING:
    from prum.experiments.studies.study import Advance, WrittenStudy


@click.command()
@click.argument("folder", required=False, metavar="[FOLDER]")
@click.option(
    "--measure",
    "measures",
    multiple=True,
    metavar="NAME",
    help="An estimate of ExactPRUM, as prum evaluate names it; repeatable. PRUM, AP and nDCG@10 by "
    "default.",
)
@draws_options(1_000, "samples of topics, for each number of them")
def estimators(
    folder: str | None,
    measures: tuple[str, ...],
    draws: int,
    seed: int,
    **files: Any,
) -> None:
    """How good estimators are where the truth is known.

    FOLDER is what prum generate made; without it the study makes data of its own. PRUM and AP
    against the truth, rankings by few topics, coverage of intervals, power of tests, pooling, and
    probabilities of navigation from logs.
    """
    from prum.experiments.commands.study_estimators_tables import print_estimators
    from prum.experiments.studies.estimators.scoring import MEASURES
    from prum.experiments.studies.estimators.study import study_estimators

    def compute(progress: "Advance") -> "WrittenStudy":
        return study_estimators(
            folder, measures=measures or MEASURES, draws=draws, seed=seed, progress=progress
        )

    run_study(compute, print_estimators, **files, inputs=(folder,))
