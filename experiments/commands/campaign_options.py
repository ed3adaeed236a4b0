"""The options that name campaigns: files of one's own, or built-in examples."""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click

from prum.experiments.commands.options import HeadedCommand, parameters

if TYPE_CHECKING:
    from prum.experiments.frame.design import Design
    from prum.experiments.studies.kit.campaigns import SpanCampaignDesign


class CampaignCommand(HeadedCommand):
    """A command with the options that name campaigns, made when it is used, before its own."""

    @cached_property
    def _naming(self) -> list[click.Parameter]:
        from prum.experiments.studies.kit.campaigns import SpanCampaignDesign

        return list(parameters(SpanCampaignDesign))

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return all options; a callback gets those that name campaigns as keywords."""
        return [*self._naming, *super().get_params(ctx)]


def campaign_design(options: Mapping[str, Any]) -> "SpanCampaignDesign":
    """Return what the options name.

    Raises
    ------
    InputError
        for options that contradict each other.
    """
    from prum.experiments.studies.kit.campaigns import SpanCampaignDesign

    names = {field.name for field in SpanCampaignDesign.fields()}
    return SpanCampaignDesign(**{name: options[name] for name in names & options.keys()})


def is_named(options: Mapping[str, Any]) -> bool:
    """Return whether any option names a campaign, or says how to read one."""
    from prum.experiments.studies.kit.campaigns import SpanCampaignDesign

    return any(
        options[field.name] not in (None, (), field.default)
        for field in SpanCampaignDesign.fields()
    )


def print_notices(design: "Design") -> None:
    """Print what the user should know of the inputs before the work."""
    for notice in design.notices():
        click.echo(f"prum: {notice}", err=True)


def arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that name campaigns as plain data, in their order."""
    from prum.simulator.tables.files import readable

    plain: dict[str, Any] = {}
    for name, value in options.items():
        if name in ("run", "elements", "chunks"):
            value = [readable(path) for path in value]
        elif name in ("qrels", "links", "spans", "texts"):
            value = value and readable(value)
        plain[name] = list(value) if isinstance(value, tuple) else value
    return plain
