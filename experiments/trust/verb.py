"""Tell how far PRUM can be trusted on your lists.

PRUM takes all visits to be independent, and all users to be the same. But with the same P(x -> y)
visits may exclude each other, follow one path or go together; users may differ, or like
an ideal or not. The command says by how much PRUM is then off at each recall value, which orders of
systems and decisions over topics survive, and which bounds hold for any dependence between visits.

Values are exact where that is quick, else simulated. Ctrl-C reports on what is finished, with
status 130; else the status is 0, or 2 for bad input.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from prum.experiments.compare.question import Question
from prum.experiments.frame.design import option
from prum.experiments.frame.inputs import QRELS, RUNS, ChargeOptions, IdealOptions, LinkOptions
from prum.experiments.frame.verb import Verb, table_outputs

# Correlation of the visits of one user from one element: marks of one person in one document
# correlate by .68 to .79.
CORRELATED = 0.7
# Correlation of all visits of a user (one-factor): marks of one person in different documents
# correlate by .41 to .68; of worlds in tests.reliability.trust the mean errs by more than is said
# in 4 % with .7, in 8 % with .5.
DIFFER = 0.7
# Half of the widest 95 % interval of a simulated mean over topics, at any recall value.
WIDTH = 0.002
# Up to this error PRUM is trusted, a difference that makes none; and up to this share of its value.
MARGIN, SHARE = 0.005, 0.1
# Most simulated users of a list.
MOST_USERS = 65_536


class TrustDesign(LinkOptions, IdealOptions, ChargeOptions, Question):
    """Options of `trust`."""

    first: ClassVar[tuple[str, ...]] = ("runs", "qrels")

    runs: Any = option(
        ...,
        "A run, TREC or INEX, or a folder of them.",
        singular="run",
        file="input",
        several=True,
        data=RUNS,
    )
    qrels: Any = option(..., QRELS)
    differ: float = option(DIFFER, "How users differ: correlation of a user's visits.", "RHO")
    correlated: float = option(CORRELATED, "Correlation of visits from one element.", "RHO")
    most_users: int = option(
        MOST_USERS,
        "Most simulated users of a list.",
        "N",
        data="Most simulated users of a list; fewer where half a 95 % interval of each mean over "
        "topics is .002. Where an exact value is quick, nobody is simulated.",
    )
    workers: int | None = option(
        None,
        "Processes; all processors by default. The numbers do not depend on it.",
        "N",
        matters=False,
    )
    progress: Callable[[float], object] | None = option(
        None, "", data="Called with the share of the work that is done.", shell=False, matters=False
    )


OUTPUTS = table_outputs(
    json="everything as JSON",
    csv="every list, dependence and recall value as CSV",
    html="a page with a figure, means under each dependence, and links to improve",
)
TRUST = Verb("trust", __doc__, TrustDesign, "prum.experiments.trust.jobs:trust", OUTPUTS)
