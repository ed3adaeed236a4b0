"""`prum explore`: its verb, of a campaign that options name."""

from typing import Any

import click

from prum.experiments.commands.campaign_options import CampaignCommand, campaign_design, is_named
from prum.experiments.commands.generator import command, run_work
from prum.experiments.explore.design import EXPLORE


def _explored(options: dict[str, Any]) -> None:
    """Explore the campaign, the Web example of the paper if none is named."""
    if not is_named(options):
        from prum.experiments.explore.verb import EXAMPLE

        options["example"] = (EXAMPLE,)
    run_work(EXPLORE, options, campaign_design(options))


explore: click.Command = command(EXPLORE, CampaignCommand, run=_explored)
