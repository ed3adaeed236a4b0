"""Measure judges, such as language models, against human judgements.

For each judge: how likely it calls an ideal ideal (hit) and another element (false alarm), how much
these rates differ between topics, what its labels of a topic are worth in human labels, and with
--run whether labels with such errors order the systems as human ones do. --probabilities writes how
likely each element is ideal by all judges together, and by the ranks of the runs, for prum evaluate
--judgements. Whether errors are independent, shared within topics, or shared by document is chosen
by Bayes factors of the human labels; only several judges can tell the last.
"""

from typing import TYPE_CHECKING, Any

from prum.experiments.frame.design import Design, Seed, option
from prum.experiments.frame.inputs import IDEAL_GRADE, RUNS
from prum.experiments.frame.verb import Verb, table_outputs

if TYPE_CHECKING:
    from prum.experiments.judges.measured import JudgesResult

_QRELS = "Human judgements of the runs, if {}; judges are assumed to err there as they do here."


class JudgesDesign(Design):
    """Options of `judges`."""

    judges: Any = option(
        ...,
        "Qrels of judges, one file each.",
        "JUDGES...",
        file="input",
        positional=True,
        several=True,
        data="Files of qrels, one for each judge; or name -> file, data frame, or topic -> "
        "element -> grade; or the data frame of one judge.",
    )
    human: Any = option(
        ...,
        "Human judgements, of some topics and elements.",
        file="input",
        data="Human judgements: a file, a data frame, or topic -> element -> grade.",
    )
    run: Any = option(
        (), "Runs to be ordered; their ranks are evidence.", file="input", several=True, data=RUNS
    )
    qrels: Any = option(
        None,
        _QRELS.format("not --human"),
        file="input",
        data=_QRELS.format("they are not `human`"),
    )
    qrels_ideal_grade: int = option(1, "Lowest grade of an ideal in --qrels.", "N", least=1)
    ideal_grade: int = option(1, IDEAL_GRADE)
    cases: int = option(40, "Draws of the rates that are written.", "N", least=2, most=10_000)
    draws: int = option(200, "Draws of labels, to order runs.", "N", least=2, most=100_000)
    seed: Seed = 1

    def check(self) -> None:
        """Raise InputError for judgements of runs without runs."""
        if self.qrels is not None and not self.run:
            from prum.simulator.model.errors import InputError

            remedy = "give --run, or leave it out"
            raise InputError("qrels", self.qrels, "stand with runs", remedy=remedy)


OUTPUTS = table_outputs(
    probabilities="topic, element, probability, case as CSV, for evaluate --judgements",
    json="everything as JSON",
    csv="a row for each judge as CSV",
    html="a page",
)
JUDGES = Verb("judges", __doc__, JudgesDesign, "prum.experiments.judges.verb:judges", OUTPUTS)


@JUDGES.function
def judges(design: JudgesDesign) -> "JudgesResult":
    """Measure judges beside human judgements of the same elements, as `prum judges` does.

    A judge's rates are of what it labelled and people judged. Probabilities are of what any judge
    labelled; what people judged is written with 0 or 1.

    Raises
    ------
    InputError
        if qrels break a rule, or people and a judge have no element in common, or people call none
        of these ideal, or all.
    OSError
        if a file cannot be read.

    >>> human = {"q": {"a": 1, "b": 0, "c": 1, "d": 0}}
    >>> made = judges({"judge": {"q": {"a": 1, "b": 0, "c": 0, "d": 0, "e": 1}}}, human)
    >>> made.written["q"].shape, made.written["q"][:, 0].tolist() == [1.0] * 40
    ((40, 5), True)
    """
    from prum.experiments.judges.measured import measured

    return measured(design)
