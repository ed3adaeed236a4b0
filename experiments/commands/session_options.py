"""Options of how long users take and when they stop: the same for `simulate` and `replay`."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from prum.experiments.commands.options import Command, whole_number

if TYPE_CHECKING:
    from prum.simulator.model.costs import Costs

_TIMES = {"judge": "judge", "read": "read", "move": "navigate to"}


def session_options(command: Command) -> Command:
    """Add the options that say when users stop, and what `chosen_costs` takes."""
    options = (
        click.option(
            "--want", type=whole_number, metavar="R",
            help="Stop when so many ideals are seen, or all if there are fewer.",
        ),
        click.option(
            "--stop", "stops", multiple=True, metavar="RULE",
            help="Stop by a rule; repeatable. See above. Without any, and without --want, users "
            "stop when they have seen all ideals.",
        ),
        click.option(
            "--costs", type=click.Choice(("unit", "smucker-clarke")), default="unit",
            show_default=True,
            help="Seconds: 1 for each consulted element; or 4.4 to judge it and 7.8 to read each "
            "that is seen, those of Smucker and Clarke for texts of no length.",
        ),
        *(
            click.option(
                f"--{part}", type=float, metavar="SECONDS", help=f"Instead, to {verb} an element."
            )
            for part, verb in _TIMES.items()
        ),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def chosen_costs(options: Mapping[str, Any]) -> "Costs":
    """Return the costs of a name, with other times in the place of some.

    Raises
    ------
    InputError
        for a time that is negative or not finite.
    """
    from prum.simulator.model.costs import Costs
    from prum.simulator.model.times import Constant

    costs = Costs.unit() if options["costs"] == "unit" else Costs.smucker_clarke()
    others: dict[str, Any] = {
        part: Constant(options[part]) for part in _TIMES if options[part] is not None
    }
    return replace(costs, **others)
