"""Options of what is decided between systems, and how: the same for `evaluate` and `compare`."""

import click

from prum.experiments.commands.options import Command, whole_number
from prum.experiments.compare.defaults import LEVEL, METHOD, METHODS, SEED


def decision_options(command: Command) -> Command:
    """Add the options that `Question` is made of."""
    primary = click.option(
        "--primary", metavar="MEASURE", help="The measure that decides; the first by default."
    )
    return primary(comparison_options(command))


def comparison_options(command: Command) -> Command:
    """Add the options that `Question` is made of, but for the measure."""
    options = (
        click.option(
            "--baseline", metavar="SYSTEM",
            help="Compare every system with this one; all pairs by default.",
        ),
        click.option(
            "--method", type=click.Choice(METHODS, case_sensitive=False), default=METHOD,
            show_default=True, help="How all comparisons are made to hold together.",
        ),
        click.option(
            "--level", type=float, default=LEVEL, show_default=True,
            help="Chance of any wrong claim, of all comparisons together.",
        ),
        click.option(
            "--margin", type=float, metavar="X",
            help="Largest difference that makes none, in the unit of the measure.",
        ),
        click.option(
            "--seed", type=whole_number, metavar="N", default=SEED, show_default=True,
            help="Of the draws that the method makes.",
        ),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command
