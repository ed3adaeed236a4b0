"""Options of how long users take and when they stop: the same for `simulate` and `replay`."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from prum.experiments.commands.options import Command, input_file, whole_number

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
            "--costs", type=input_file, metavar="unit|smucker-clarke|FILE", default="unit",
            show_default=True,
            help="Seconds: 1 for each consulted element; or 4.4 to judge it and 7.8 to read each "
            "that is seen, those of Smucker and Clarke for texts of no length; or of a file with "
            "columns element and seconds, to read an element.",
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
        for a time that is negative or not finite, and as `read_costs`.
    OSError
        if a file cannot be opened or read.
    """
    from prum.simulator.collections.costs import SMUCKER_CLARKE
    from prum.simulator.model.costs import Costs
    from prum.simulator.model.times import Constant

    named = {"unit": Costs.unit, SMUCKER_CLARKE: Costs.smucker_clarke}
    costs = named[options["costs"]]() if options["costs"] in named else _seconds(options["costs"])
    others: dict[str, Any] = {
        part: Constant(options[part]) for part in _TIMES if options[part] is not None
    }
    return replace(costs, **others)


def _seconds(file: str) -> "Costs":
    """Return what it takes to read elements, by a file of costs."""
    from prum.simulator.collections.costs import read_costs
    from prum.simulator.model.costs import SECONDS
    from prum.simulator.model.errors import InputError
    from prum.simulator.tables.files import place

    units = read_costs(file)
    if SECONDS not in units:
        rule, remedy = f"be {SECONDS}", f"give a column {SECONDS}, or unit or smucker-clarke"
        raise InputError("unit of cost", ", ".join(units), rule, remedy=remedy, place=place(file))
    return units[SECONDS]
