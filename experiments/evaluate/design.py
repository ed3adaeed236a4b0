"""Score runs by PRUM and the measures it is compared with.

Runs are TREC files (ordered by score, ties by descending element id, as trec_eval) or INEX
submissions; a folder stands for the files in it. A run is called by its file, by its run tag
if two files have one name, by its path if they have one tag. A topic that a run lacks is an
empty list; topics without ideals are named and left out; all others count alike in the mean.
Files may be compressed (gzip, xz, bzip2); one may be standard input, named -, and then called
by its run tag.

Measures are called as trec_eval, ir_measures, ranx, gdeval and cwl_eval call them, in any case
(map, ndcg_cut_10, RBP(p=0.8), P(rel=2)@5, ndcg_burges@10); where these differ, a name with @ is
ir_measures': nDCG@20 has linear gains, gdeval's is nDCG(dcg=exp-log2)@20. RR is the reciprocal
rank, SumRR the sum of rel_k / k (Carterette's RR).

Those of recall are averaged over recall values (GRP, GRPng: over 100 levels), or read at a
level @0.5 or a recall value @r=2; @1 is full recall where there are no ranks, and rank 1 of
AP. Those of browsing take navigation=KIND, those of graded
relevance quantisation=generalised or strict; GR and EPRUM weigh ideals only if it is given.

With --chunks and --spans in the place of --qrels, runs rank chunks of documents, and what they
are worth is said by the characters of gold spans that they cover, each counted once, whatever
chunks overlap. A file of chunks is of all runs; or there is one for each run, in their order.
"""

import os
from collections.abc import Callable, Iterable
from dataclasses import field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from prum.experiments.compare.design import ComparisonOutputs, DecisionOptions
from prum.experiments.frame.design import FileUse, Option
from prum.experiments.frame.inputs import (
    PROGRESS,
    QRELS,
    RUNS,
    CostOptions,
    IdealOptions,
    LinkOptions,
    SpanOptions,
)
from prum.experiments.frame.verb import Verb

if TYPE_CHECKING:
    from prum.experiments.evaluate.result import EvaluationResult

DEFAULT_MEASURES = "AP,nDCG@10,P@10,R@100,RR,RBP"
# With links or elements people browse.
BROWSING_MEASURES = f"PRUM,{DEFAULT_MEASURES}"
# Of chunks by gold spans.
SPAN_MEASURES = "Coverage@10,CharPrecision@10,IoU@10,Efficiency,ExactPRUM"


def names_of_measures(measures: Any) -> str:
    """Return measures, or their names, with commas between."""
    return ",".join(map(str, measures)) if isinstance(measures, Iterable) else str(measures)


class EvaluateDesign(LinkOptions, CostOptions, SpanOptions, IdealOptions, DecisionOptions):
    """Options of `evaluate`."""

    first: ClassVar[tuple[str, ...]] = ("runs", "example", "qrels", "judgements", "measures")

    runs: Annotated[
        Any,
        Option(
            "Runs.",
            metavar="RUNS...",
            file="input",
            positional=True,
            several=True,
            data=RUNS,
        ),
    ] = field(default=(), kw_only=False)
    qrels: Annotated[Any, QRELS] = field(default=None, kw_only=False)
    judgements: Annotated[
        Any,
        Option(
            "In the place of --qrels, how likely each judged element is ideal: topic, element, "
            "probability (CSV, JSONL, Parquet), as prum judges writes it; perhaps a case. Scores "
            "are expected ones, and intervals also have what judges leave open.",
            file="input",
            data="In the place of qrels, how likely each judged element is ideal: a file, a data "
            "frame (topic, element, probability and perhaps case), or topic -> element -> "
            "probability. Cases are equally likely, each of all topics at once.",
        ),
    ] = None
    unjudged: Annotated[
        Any,
        Option(
            "With --judgements, how likely an element is ideal that some run lists and nobody "
            "judged: a probability, 0 by default; or rank, as judged ones are at its best rank.",
            metavar="P|rank",
            data="With judgements, how likely an element is ideal that some run lists and nobody "
            'judged: a probability, 0 by default; or "rank", as judged ones are at its best rank.',
        ),
    ] = None
    judges: Annotated[
        int,
        Option(
            "With --judgements, sets of ideals drawn for each topic.",
            metavar="N",
            least=2,
            most=1_000_000,
            remedy="take 200, say",
        ),
    ] = 200
    intents: Annotated[
        Any,
        Option(
            "How likely users mean each subtopic: topic, subtopic, probability (CSV, JSONL, "
            "Parquet); by default all are equally likely.",
            file="input",
            data="How likely users mean each subtopic: a file, a data frame (topic, subtopic, "
            "probability), or topic -> subtopic -> probability. By default all are equally likely.",
        ),
    ] = None
    example: Annotated[
        str | None,
        Option(
            "A built-in campaign, instead of files; it has its own judgements, links and elements. "
            "See prum list examples.",
            metavar="NAME",
        ),
    ] = None
    measures: Annotated[
        Any,
        Option(
            "With commas between, as xCG(alpha=0.5)@10, PRUM(navigation=walk)@r=2, PRUM@0.5; by "
            f"default {DEFAULT_MEASURES.replace(',', ', ')}, and PRUM with links or elements; of "
            f"spans {SPAN_MEASURES.replace(',', ', ')}. See prum list measures.",
            metavar="NAMES",
            data='Names with commas between, or several names: "PRUM, xCG(alpha=0.5)@10"; one that '
            "is named twice counts once. By default AP, nDCG@10, P@10, R@100, RR and RBP; and PRUM "
            "if there are links or elements. Of spans Coverage@10, CharPrecision@10, IoU@10, "
            "Efficiency, ExactPRUM.",
            words=names_of_measures,
        ),
    ] = None
    progress: Annotated[
        Callable[[int], object] | None,
        Option("", data=PROGRESS, shell=False, matters=False),
    ] = None

    def files(self, *roles: FileUse) -> tuple[str, ...]:
        """Return the files, those that measures name among them."""
        own: Iterable[str] = ()
        if self.measures is not None and "input" in roles:
            from prum.experiments.measures.measure import measures_of

            own = (str(file) for measure in measures_of(self.measures) for file in measure.files)
        return (*super().files(*roles), *own)

    def parts(self) -> int:
        """Return the number of runs."""
        if self.example is not None:
            from prum.experiments.evaluate.example import given_example

            return len(given_example(self.example)["runs"])
        from prum.simulator.collections.run_files import run_files

        return len(run_files([run for run in self.runs if isinstance(run, str | os.PathLike)]))


class EvaluationOutputs(ComparisonOutputs):
    """Where scores are written, and how they are shown."""

    trec: Annotated[bool, Option("Print lines like trec_eval's instead of tables.")] = False

    def lines(self, result: "EvaluationResult") -> Iterable[str] | None:
        """Return lines as trec_eval prints them, if they are wanted."""
        return result.scores.trec_lines() if self.trec else None


EVALUATE = Verb(
    "evaluate",
    __doc__,
    EvaluateDesign,
    "prum.experiments.evaluate.verb:evaluate",
    EvaluationOutputs,
)
