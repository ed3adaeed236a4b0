"""Decide which systems are better by their scores on topics.

The first measure decides: all its comparisons hold together at --level; others
are shown without tests. Forms of scores, recognised by their content; files may be gzipped, and a
folder stands for what is in it:

\b
tables         CSV, TSV, JSONL, Parquet: system, topic, measure, score (or
               run, qid, metric, value, ...), as prum evaluate --csv has them;
               with a column trial (seed, attempt) of systems that ran several
               times, intervals are over topics and trials
wide tables    topics by systems, or the reverse; the file names the measure
lines          of trec_eval -q or ir_measures -q; a file for each system
ranx           Run.scores as JSON, a file for each run
other JSON     system -> topic -> score
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from prum.experiments.compare.question import ComparisonOutputs, Question
from prum.experiments.frame.design import option
from prum.experiments.frame.verb import Verb

if TYPE_CHECKING:
    from prum.experiments.compare.result import ComparisonResult


class CompareDesign(Question):
    """Options of `compare`."""

    first: ClassVar[tuple[str, ...]] = ("scores", "measures")

    scores: Any = option(
        ...,
        "Files of scores.",
        "FILES...",
        file="input",
        positional=True,
        several=True,
        data="A data frame: long (system, topic, measure, score, or names like run, qid, "
        "metric, value), or topics by systems; system -> topic -> score; or files and folders, "
        "whose forms docs/howto/comparing.md lists.",
    )
    measures: str | Sequence[str] = option(
        (),
        "Measures to keep, with commas between; all by default. The first decides.",
        "NAMES",
        data="Measures to keep, names with commas between or several, of which the first decides; "
        "by default all.",
        words=",".join,
    )
    missing: Literal["refuse", "drop", "zero"] = option(
        "refuse", "Where a system lacks a topic: leave it out for all, or count it as 0."
    )
    half_width: float | None = option(
        None,
        "Of scores with trials, half of the interval that is wanted: how many more trials or "
        "topics give it.",
        "X",
        above=0,
    )


COMPARE = Verb(
    "compare", __doc__, CompareDesign, "prum.experiments.compare.verb:compare", ComparisonOutputs
)


@COMPARE.function
def compare(design: CompareDesign) -> "ComparisonResult":
    """Decide which of some systems are better by their scores on topics, as `prum compare` does.

    One measure decides, and all its comparisons hold together: the chance of any false claim is
    about `level` at most (docs/howto/comparing.md). Other measures are described.

    Raises
    ------
    InputError
        if the scores have no known form, are there twice, missing or no numbers; and if a measure,
        system or method is none.
    OSError
        if a file cannot be read.

    >>> poor = dict(enumerate([0.1, 0.3, 0.2, 0.5, 0.4, 0.1, 0.2, 0.3]))
    >>> good = dict(enumerate([0.8, 0.9, 0.7, 0.6, 0.8, 0.7, 0.4, 0.9]))
    >>> compare({"good": good, "poor": poor}).decision.pairs[0].sentence
    'good is better than poor by .22 to .70 (p = .011)'
    """
    from prum.experiments.compare.result import ComparisonResult
    from prum.experiments.compare.score_files import scores_of

    question = Question.of(design)
    scores, remarks = scores_of(design.scores, design.measures, missing=design.missing)
    question.check_measures(scores.measures, len(scores.systems))
    question.check_systems(scores.systems)
    return ComparisonResult(
        scores=scores, question=question, input_remarks=remarks, half_width=design.half_width
    )
