"""Score runs by PRUM and the measures it is compared with.

Runs are TREC files or INEX submissions, folders of them, or logs of sessions; with --chunks and
--spans instead of --qrels, they rank chunks. A topic that a run lacks is an empty list; topics
without ideals are left out. Measures have the names of trec_eval, ir_measures, ranx and others.
"""

import os
from collections.abc import Callable, Iterable
from dataclasses import field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from prum.experiments.compare.question import ComparisonOutputs, Question
from prum.experiments.frame.design import Design, FileUse, Option, option
from prum.experiments.frame.inputs import (
    PROGRESS,
    QRELS,
    RUNS,
    TOOLS,
    CostOptions,
    IdealOptions,
    LinkOptions,
    SpanOptions,
)
from prum.experiments.frame.verb import Content, Verb

if TYPE_CHECKING:
    from prum.experiments.compare.result import ComparisonResult

DEFAULT_MEASURES = "AP,nDCG@10,P@10,R@100,RR,RBP"
# With links or elements people browse.
BROWSING_MEASURES = f"PRUM,{DEFAULT_MEASURES}"
# Of chunks by gold spans.
SPAN_MEASURES = "Coverage@10,CharPrecision@10,IoU@10,Efficiency,ExactPRUM"


def names_of_measures(measures: Any) -> str:
    """Return measures, or their names, with commas between."""
    return ",".join(map(str, measures)) if isinstance(measures, Iterable) else str(measures)


class SearchOptions(Design):
    """Sessions in which agents, or people, search several times."""

    heading: ClassVar[str] = "Sessions of several lists"

    cost: str | None = option(
        None,
        "Of sessions: what is paid: elements (the default), steps, or a unit of the log, as "
        "tokens or seconds.",
        metavar="UNIT",
    )
    budget: float | None = option(
        None,
        "Of sessions: what a user can pay in all, in the unit of --cost; in the place of "
        "--collection-size.",
        metavar="COST",
        above=0,
        remedy="give what a session may cost",
    )
    lists: Any = option(
        None,
        "Of sessions: the lists of another retriever, for users like those of the log: a log, "
        "or a TREC run of topics with the number of the call, as q7#1.",
        metavar="FILE",
        file="input",
        data="Of sessions: the lists of another retriever, scored for users like those of the "
        "log: a log, `Trajectory` of each session, a TREC run of topics with the number of the "
        "call, as q7#1, or question -> lists, one for each call.",
    )
    tools: Any = option(None, TOOLS)


class UncertainOptions(Design):
    """What is not known of ideals."""

    heading: ClassVar[str] = "Uncertain judgements"

    unjudged: float | None = option(
        None,
        "With --judgements: how likely elements are ideal that a run lists and nobody judged, 0 by "
        "default.",
        metavar="P",
        least=0,
        most=1,
        remedy="write .02, say",
    )
    judges: int = option(
        200,
        "With --judgements: sets of ideals that are drawn.",
        metavar="N",
        least=2,
        most=1_000_000,
        remedy="take 200, say",
    )


class EvaluateDesign(
    SearchOptions,
    UncertainOptions,
    LinkOptions,
    CostOptions,
    SpanOptions,
    IdealOptions,
    Question,
):
    """Options of `evaluate`."""

    first: ClassVar[tuple[str, ...]] = ("runs", "example", "qrels", "judgements", "measures")

    runs: Annotated[
        Any,
        Option(
            "Runs, or logs of sessions.",
            metavar="RUNS...",
            file="input",
            positional=True,
            several=True,
            data=f"{RUNS} Or logs of sessions of agents, or `Trajectory` of each session.",
        ),
    ] = field(default=(), kw_only=False)
    qrels: Annotated[Any, QRELS] = field(default=None, kw_only=False)
    judgements: Any = option(
        None,
        "Instead of --qrels, how likely elements are ideal, as prum judges writes it.",
        file="input",
        data="In the place of qrels, how likely each judged element is ideal: a file, a data "
        "frame (topic, element, probability and perhaps case), or topic -> element -> "
        "probability. Cases are equally likely, each of all topics at once.",
    )
    expanded: Any = option(
        None,
        "Instead of links, what a pipeline read: topic, seed, page, and costs as tokens.",
        file="input",
        data="In the place of links, what a pipeline read: a file, a data frame or records (topic, "
        "seed, page, and a column of numbers for each unit of cost).",
    )
    intents: Any = option(
        None,
        "Probabilities of subtopics; equal by default.",
        file="input",
        data="How likely users mean each subtopic: a file, a data frame (topic, subtopic, "
        "probability), or topic -> subtopic -> probability. By default all are equally likely.",
    )
    example: str | None = option(
        None,
        "A built-in campaign, instead of files.",
        metavar="NAME",
    )
    measures: Any = option(
        None,
        f"The first decides; {DEFAULT_MEASURES} by default, and PRUM with links.",
        metavar="NAMES",
        data='Names with commas between, or several names: "PRUM, xCG(alpha=0.5)@10"; the first '
        "decides, and one that is named twice counts once. By default AP, nDCG@10, P@10, R@100, "
        "RR and RBP; and PRUM if there are links or elements. Of spans Coverage@10, "
        "CharPrecision@10, IoU@10, Efficiency, ExactPRUM.",
        words=names_of_measures,
    )
    precision: Literal["double", "single"] = option(
        "double",
        "How exactly scores order a list: as trec_eval 10; or single, as 9.",
        data="How exactly scores order a list: double, as trec_eval 10; or single, as trec_eval 9 "
        "and pytrec_eval, where 1.00000001 and 1 are tied.",
    )
    progress: Annotated[
        Callable[[int], object] | None,
        Option("", data=PROGRESS, shell=False, matters=False),
    ] = None

    def files(self, *roles: FileUse) -> tuple[str, ...]:
        """Return the files, those that measures name among them."""
        files: Iterable[str] = ()
        if self.measures is not None and "input" in roles:
            from prum.experiments.measures.measure import measures_of

            files = (str(file) for measure in measures_of(self.measures) for file in measure.files)
        return (*super().files(*roles), *files)

    def parts(self) -> int:
        """Return the number of runs."""
        if self.example is not None:
            from prum.experiments.evaluate.given import given_example

            return len(given_example(self.example)["runs"])
        from prum.simulator.collections.trec import run_files

        return len(run_files([run for run in self.runs if isinstance(run, str | os.PathLike)]))


class EvaluationOutputs(ComparisonOutputs):
    """Where scores are written, and how they are shown."""

    trec: bool = option(False, "Print lines like trec_eval's; nothing is decided.")

    def lines(self, result: Any) -> Iterable[str] | None:
        """Return lines as trec_eval 10 prints them, if they are wanted."""
        return result.scores.trec_lines() if self.trec else None

    def contents(self, result: "ComparisonResult") -> list[tuple[str | None, Content]]:
        """Return the files; raises InputError for a figure, or lines, of what has none."""
        for name in ("figure", "trec"):
            if getattr(self, name) and not hasattr(result, "scores"):
                from prum.simulator.model.errors import InputError

                rule, remedy = "go without sessions of several lists", "leave it out"
                raise InputError(name, "given", rule, remedy=remedy)
        return super().contents(result)


EVALUATE = Verb(
    "evaluate",
    __doc__,
    EvaluateDesign,
    "prum.experiments.evaluate.scored:evaluate",
    EvaluationOutputs,
)
