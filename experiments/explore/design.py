"""Make an interactive page of a list and its users.

The page itself computes, in any browser and without a network: PRUM, the exact value and
simulated users, for links of any strength, visits that depend on each other, users who differ,
and elements that cost more. Each state has an address to share. Without files or an example it
shows the paper's Web example. It takes lists of up to 250,000 ranks times ideals.

prum list examples has the names of examples.

Exit status 0, or 2 for bad input.
"""

from collections.abc import Iterable
from dataclasses import field
from typing import Annotated, Any, ClassVar

from prum.experiments.frame.design import Design, Option
from prum.experiments.frame.verb import Outputs, Verb, writes


class ExploreDesign(Design):
    """Options of `explore`; the command has those that name a campaign in the place of it."""

    campaign: Annotated[
        Any,
        Option(
            "The campaign.",
            data="As `read_campaign` returns it; by default the Web example of the paper.",
            shell=False,
            matters=False,
        ),
    ] = field(default=None, kw_only=False)
    topic: Annotated[str | None, Option("Which topic, if there are several.", metavar="NAME")] = (
        None
    )
    systems: Annotated[
        tuple[str, ...],
        Option("Whose list, by default those of all.", metavar="NAME", singular="system"),
    ] = ()

    def command(self, name: str) -> str:
        """Return the command that repeats it; "" of a campaign, which no option names."""
        return super().command(name) if self.campaign is None else ""


class ExploreOutputs(Outputs):
    """Where the page is written."""

    is_drawn: ClassVar[bool] = False

    html: Annotated[str, Option("The page.", singular="output", short=("-o",), file="output")] = (
        "explorer.html"
    )
    json: Annotated[str | None, writes("PRUM and the exact value of each list as JSON")] = None

    def lines(self, result: Any) -> Iterable[str]:
        """Return what the page is of, and where it is."""
        return (f"{result!r}", f"Open {self.html} in a browser.")


EXPLORE = Verb(
    "explore", __doc__, ExploreDesign, "prum.experiments.explore.verb:explore", ExploreOutputs
)
