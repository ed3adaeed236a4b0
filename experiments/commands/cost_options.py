"""Options that charge users for what they consult, and the campaigns with what elements cost."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from prum.experiments.commands.input_options import costs_option
from prum.experiments.commands.options import Command

if TYPE_CHECKING:
    from prum.simulator.collections.campaign import Campaign


def cost_options(command: Command) -> Command:
    """Add the options that say what elements cost, and in which unit users are charged."""
    unit = click.option(
        "--cost",
        metavar="UNIT",
        help="Count what elements cost in place of elements: in a unit of --costs; or of chunks, "
        "or length, of --elements, where there are any.",
    )
    return costs_option(unit(command))


def charged(
    campaigns: "Sequence[Campaign]", costs: tuple[str, ...], unit: str | None
) -> "list[Campaign]":
    """Return the campaigns with what elements cost.

    Raises
    ------
    InputError
        for costs without a unit, and as `units_of`.
    OSError
        if a file cannot be opened or read.
    """
    from prum.simulator.collections.costs import units_of
    from prum.simulator.model.errors import InputError

    if unit is None:
        if costs:
            rule, remedy = "be given with --costs", "name the unit in which users are charged"
            raise InputError("cost", None, rule, remedy=remedy)
        return list(campaigns)
    return [replace(campaign, costs=units_of(costs, campaign.elements)) for campaign in campaigns]
