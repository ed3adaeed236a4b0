"""Measure judges, such as language models, against human judgements.

For each judge: how likely it calls an ideal ideal (hit) and another element (false alarm), how much
these rates differ between topics, what its labels of a topic are worth in human labels, and with
--run whether labels with such errors order the systems as human ones do. --probabilities writes how
likely each element is ideal by all judges together, and by the ranks of the runs, for prum evaluate
--judgements. Whether errors are independent, shared within topics, or shared by document is chosen
by the evidence of the human labels; only several judges can tell the last.
"""

from dataclasses import field
from typing import Annotated, Any

from prum.experiments.frame.design import Design, Option, Seed
from prum.experiments.frame.inputs import IDEAL_GRADE, RUNS
from prum.experiments.frame.verb import TableOutputs, Verb, writes


class JudgesDesign(Design):
    """Options of `judges`."""

    judges: Annotated[
        Any,
        Option(
            "Qrels of judges, one file each.",
            metavar="JUDGES...",
            file="input",
            positional=True,
            several=True,
            data="Files of qrels, one for each judge; or name -> file, data frame, or topic -> "
            "element -> grade; or the data frame of one judge.",
        ),
    ] = field(kw_only=False)
    human: Annotated[
        Any,
        Option(
            "Human judgements, of some topics and elements.",
            file="input",
            data="Human judgements: a file, a data frame, or topic -> element -> grade.",
        ),
    ] = field(kw_only=False)
    run: Annotated[
        Any,
        Option(
            "Runs to be ordered; their ranks are evidence.",
            file="input",
            several=True,
            data=RUNS,
        ),
    ] = ()
    qrels: Annotated[
        Any,
        Option(
            "Human judgements of the runs, if not --human; judges are assumed to err there as "
            "they do here.",
            file="input",
            data="Human judgements of the runs, if they are others than `human`; judges are taken "
            "to err there as they do here.",
        ),
    ] = None
    qrels_ideal_grade: Annotated[
        int, Option("Lowest grade of an ideal in --qrels.", metavar="N", least=1)
    ] = 1
    ideal_grade: Annotated[int, IDEAL_GRADE] = 1
    cases: Annotated[
        int,
        Option("Draws of the rates that are written.", metavar="N", least=2, most=10_000),
    ] = 40
    draws: Annotated[
        int, Option("Draws of labels, to order runs.", metavar="N", least=2, most=100_000)
    ] = 200
    seed: Seed = 1

    def check(self) -> None:
        """Raise InputError for judgements of runs without runs."""
        if self.qrels is not None and not self.run:
            from prum.simulator.model.errors import InputError

            remedy = "give --run, or leave it out"
            raise InputError("qrels", self.qrels, "stand with runs", remedy=remedy)


class JudgesOutputs(TableOutputs):
    """Where rates and probabilities are written."""

    probabilities: Annotated[
        str | None, writes("topic, element, probability, case as CSV, for evaluate --judgements")
    ] = None
    json: Annotated[str | None, writes("everything as JSON")] = None
    csv: Annotated[str | None, writes("a row for each judge as CSV")] = None
    html: Annotated[str | None, writes("a page")] = None


JUDGES = Verb("judges", __doc__, JudgesDesign, "prum.experiments.judges.verb:judges", JudgesOutputs)
