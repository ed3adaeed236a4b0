"""Compare simulated sessions with real ones.

Both are logs: of people, agents or simulators, in any format that prum fit reads. Sessions are
compared by their types of actions, lengths, depths, first clicks and times; with --qrels also by
the scores that they give systems, and by the order of these. Each distance has a p-value
(permutations of sessions), and the distance that this many sessions can show. With too few sessions
the answer is that they cannot tell, never that there is no difference.

Exit status 0, 1 if they differ, or 2 for bad input.
"""

from dataclasses import field
from typing import Annotated, Any

from prum.experiments.frame.design import Design, Option, Seed
from prum.experiments.frame.inputs import IDEAL_GRADE, QRELS, TOOLS
from prum.experiments.frame.verb import TableOutputs, Verb, writes

_DATA = "A file, `Trajectory` of each session, or a data frame with a row for each visit."


class RefereeDesign(Design):
    """Options of `referee`."""

    real: Annotated[
        Any, Option("The log of real sessions.", metavar="LOG", file="input", data=_DATA)
    ] = field(kw_only=False)
    sim: Annotated[
        Any, Option("The log of simulated sessions.", metavar="LOG", file="input", data=_DATA)
    ] = field(kw_only=False)
    qrels: Annotated[Any, QRELS] = None
    ideal_grade: Annotated[int, IDEAL_GRADE] = 1
    tools: Annotated[Any, TOOLS] = None
    level: Annotated[
        float,
        Option(
            "Chance of any false difference, over all metrics.",
            metavar="P",
            above=0,
            below=1,
            remedy="give .05, say",
        ),
    ] = 0.05
    permutations: Annotated[
        int,
        Option("Permutations of sessions.", metavar="N", least=99, most=100_000, always=True),
    ] = 999
    seed: Seed = 1


class RefereeOutputs(TableOutputs):
    """Where the comparison is written."""

    json: Annotated[str | None, writes("the comparison as JSON")] = None
    csv: Annotated[str | None, writes("a line for each metric as CSV")] = None
    html: Annotated[str | None, writes("a page")] = None


REFEREE = Verb(
    "referee",
    __doc__,
    RefereeDesign,
    "prum.experiments.sessions.referee_verb:referee",
    RefereeOutputs,
)
