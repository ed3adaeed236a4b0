"""The `prum study` commands."""

import click

from prum.experiments.studies.estimators.command import estimators
from prum.experiments.studies.hypotheses.command import hypotheses
from prum.experiments.studies.noisy_or.command import noisy_or
from prum.experiments.studies.normal.command import normal
from prum.experiments.studies.properties.command import properties
from prum.experiments.studies.realism.command import realism
from prum.experiments.studies.robustness.command import robustness
from prum.experiments.studies.stops.command import stops
from prum.experiments.studies.thresholds.command import thresholds
from prum.experiments.studies.utility.command import utility


@click.group()
def study() -> None:
    """Measure what approximations and hypotheses cost, and what measures reward.

    Numbers depend on the seed and the options alone. Exit status 0, or 2 for bad input.
    """


study.add_command(estimators)
study.add_command(hypotheses)
study.add_command(noisy_or)
study.add_command(normal)
study.add_command(properties)
study.add_command(realism)
study.add_command(robustness)
study.add_command(stops)
study.add_command(thresholds)
study.add_command(utility)
