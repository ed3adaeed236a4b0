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

from prum.experiments.frame.design import Design, Option, option
from prum.experiments.frame.verb import Outputs, Verb, writes


def _given(data: str) -> Option:
    return Option("", data=data, shell=False, matters=False)


class ListOptions(Design):
    """Which lists of a campaign."""

    topic: str | None = option(None, "Which topic, if there are several.", "NAME")
    systems: tuple[str, ...] = option(
        (), "Whose list, by default those of all.", "NAME", singular="system"
    )


class ExploreDesign(ListOptions):
    """Options of `explore`; the command has those that name a campaign in the place of it."""

    first: ClassVar[tuple[str, ...]] = ("campaign", "qrels")
    campaign: Annotated[
        Any, _given("A task, a campaign, or runs; by default the Web example of the paper.")
    ] = field(default=None, kw_only=False)
    qrels: Annotated[
        Any, _given("Judgements of runs; of a task or a campaign its navigation may stand here.")
    ] = field(default=None, kw_only=False)
    navigation: Annotated[Any, _given("As `crosscheck` has it.")] = None
    links: Annotated[Any, _given("Links of runs or of a task, as `crosscheck` has them.")] = None
    collection_size: Annotated[int | None, _given("Number of elements, of runs.")] = None

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
