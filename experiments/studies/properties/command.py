"""The `prum study properties` command."""

from typing import TYPE_CHECKING, Any

import click

from prum.experiments.studies.running import draws_options, run_study

if TYPE_CHECKING:
    from prum.experiments.studies.study import Advance, Study


@click.command()
@draws_options(300, "tasks that each search tries")
def properties(draws: int, seed: int, **files: Any) -> None:
    """Which measure has which property: Table IV, decided by evidence.

    Near misses, overlap, graded assessments and more, for eleven measures: lists compared, users
    simulated, counter-examples searched. Each verdict but "yes" comes with its counter-example.
    """
    from prum.experiments.studies.properties.printing import print_properties
    from prum.experiments.studies.properties.study import study_properties

    def compute(progress: "Advance") -> "Study":
        return study_properties(draws=draws, seed=seed, progress=progress)

    run_study(compute, print_properties, **files)
