"""Tell what one simulated user does, step by step.

With the options of prum simulate it is a user's session of its log, in seconds from its
beginning. On a terminal a long session is folded, as on the page; in a pipe it is whole. The
user stops by the first rule that applies of --want and of those given (prum list rules).

Exit status 0, or 2 for bad input.
"""

import sys
from collections.abc import Iterable
from dataclasses import field
from typing import Annotated, Any, ClassVar

from prum.experiments.frame.design import Option, UserSeed
from prum.experiments.frame.inputs import SessionOptions
from prum.experiments.frame.verb import Outputs, Verb, writes


class ReplayDesign(SessionOptions):
    """Options of `replay`; the command has those that name a campaign in the place of it."""

    first: ClassVar[tuple[str, ...]] = ("campaign", "topic", "system", "seed", "user")

    campaign: Annotated[Any, Option("", data="As `read_campaign` returns it.", shell=False)] = (
        field(kw_only=False)
    )
    topic: Annotated[str | None, Option("Which topic, if there are several.", metavar="NAME")] = (
        None
    )
    system: Annotated[str | None, Option("Which system, if there are several.", metavar="NAME")] = (
        None
    )
    seed: UserSeed = 1
    user: Annotated[int, Option("Number of the user, from 0.", metavar="N", always=True)] = 0


class ReplayOutputs(Outputs):
    """Where a session is written, and how much of it is shown."""

    is_drawn: ClassVar[bool] = False

    json: Annotated[str | None, writes("everything as JSON")] = None
    html: Annotated[str | None, writes("a page that draws each step")] = None

    def lines(self, result: Any) -> Iterable[str]:
        """Return a sentence for each step; of a long session on a terminal those at its ends."""
        # There is no standard output at all behind `>&-`.
        is_terminal = sys.stdout is not None and sys.stdout.isatty()
        sentences: Iterable[str] = result.folded if is_terminal else result.sentences
        return sentences


REPLAY = Verb(
    "simulate", __doc__, ReplayDesign, "prum.experiments.sessions.replay_verb:replay", ReplayOutputs
)
