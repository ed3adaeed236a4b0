"""`prum explore`: its verb, of a campaign that options name."""

from typing import TYPE_CHECKING

from prum.experiments.commands.generator import Command, command
from prum.experiments.explore.design import EXPLORE, ExploreOutputs, ListOptions
from prum.experiments.studies.kit.campaigns import SpanCampaignDesign
from prum.simulator.collections.campaign import Campaign

if TYPE_CHECKING:
    from prum.experiments.frame.result import Result
    from prum.experiments.frame.verb import Advance


class ExploredDesign(SpanCampaignDesign, ListOptions):
    """Options that name a campaign, and its lists."""

    def check(self) -> None:
        """Raise InputError if something is missing, but not for nothing at all."""
        if self.files("input") or self.example:
            super().check()
            self.check_single()

    @property
    def campaigns(self) -> list[Campaign]:
        """The campaign; the Web example of the paper if none is named."""
        from prum.experiments.explore.verb import EXAMPLE
        from prum.simulator.collections.examples import example_campaign

        return super().campaigns or [example_campaign(EXAMPLE)]


def _explored(design: ExploredDesign, _: "Advance") -> "Result":
    from prum.experiments.explore.verb import explore

    return explore(design.campaigns[0], topic=design.topic, systems=design.systems)


explore = command(Command("explore", ExploredDesign, _explored, ExploreOutputs, EXPLORE.help))
