"""`prum explore`: its verb, of a campaign that options name."""

from typing import Any

from prum.experiments.commands.generator import command, made, run_work
from prum.experiments.explore.design import EXPLORE, ExploreDesign
from prum.experiments.studies.kit.campaigns import SpanCampaignDesign


class _Options(SpanCampaignDesign, ExploreDesign):
    """Options that name a campaign, and those of the verb."""


def _explored(options: dict[str, Any]) -> None:
    """Explore the campaign, the Web example of the paper if none is named."""
    named = (options[one.name] in (None, (), one.default) for one in SpanCampaignDesign.fields())
    if all(named):
        from prum.experiments.explore.verb import EXAMPLE

        options["example"] = (EXAMPLE,)
    campaigns = made(SpanCampaignDesign, options)
    # What names a campaign in Python has the names of options of files.
    taken = {field.name for field in SpanCampaignDesign.fields()}
    own = {name: value for name, value in options.items() if name not in taken}
    run_work(EXPLORE, own, campaigns)


explore = command(EXPLORE, _explored, design=_Options)
