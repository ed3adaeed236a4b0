"""The verb `compare`: anyone's scores of systems on topics, and which system is better."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from prum.experiments.compare.design import COMPARE, CompareDesign
from prum.experiments.compare.question import Question
from prum.experiments.compare.result import ComparisonResult
from prum.experiments.compare.score_files import MAIN, rows_of_files, score_files
from prum.experiments.compare.score_tables import rows_of_frame, rows_of_mapping, rows_of_system
from prum.experiments.compare.scores import ScoreRow, Scores, gathered
from prum.simulator.model import InputError
from prum.simulator.tables.read import as_frame, is_one_table

PathLike = str | Path


@COMPARE.function
def compare(design: CompareDesign) -> ComparisonResult:
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
    question = Question.of(design, None if design.primary is None else str(design.primary))
    names = design.measures
    names = names.split(",") if isinstance(names, str) else list(names)
    for name in names:
        if not isinstance(name, str):
            raise InputError("measure", name, "be a text", remedy="give names of measures")
    names = [name.strip() for name in names if name.strip()]
    if isinstance(design.scores, Scores):
        told, remarks = design.scores, tuple[str, ...]()
    else:
        rows = _rows(design.scores, _named(design.columns))
        if not names:
            rows = _main_alone(rows)
        told, remarks = gathered(rows, measures=names, missing=design.missing)
    question.check_measures(told.measures, len(told.systems))
    question.check_systems(told.systems)
    return ComparisonResult(scores=told, question=question, input_remarks=remarks)


def _named(columns: str | Mapping[str, str] | None) -> Mapping[str, str]:
    """Return which column is what, of "system=run,topic=query" too."""
    if not isinstance(columns, str):
        return columns or {}
    named = {}
    for part in filter(None, columns.split(",")):
        kind, sign, name = part.partition("=")
        if not sign:
            raise InputError("columns", part, "be KIND=NAME", remedy="write system=run, say")
        named[kind.strip()] = name.strip()
    return named


def _rows(scores: Any, columns: Mapping[str, str]) -> Iterator[ScoreRow]:
    if isinstance(scores, PathLike):
        scores = [scores]
    if isinstance(scores, Mapping):
        return rows_of_mapping(scores)
    if is_one_table(scores):
        return rows_of_frame(as_frame(scores), columns)
    if not isinstance(scores, Sequence) or not scores:
        raise InputError(
            "scores",
            scores,
            "be a data frame, a mapping, or files",
            remedy="give system -> topic -> score",
        )
    if all(isinstance(item, PathLike) for item in scores):
        return rows_of_files(score_files(scores), columns)
    return _rows_of_runs(scores)


def _rows_of_runs(runs: Sequence[Any]) -> Iterator[ScoreRow]:
    """Yield the scores that runs of ranx hold once they were evaluated."""
    for run in runs:
        if not isinstance(getattr(run, "scores", None), Mapping) or not run.scores:
            raise InputError(
                "scores of a run",
                run,
                "be there, of each measure and topic",
                remedy="evaluate runs of ranx first, or give files",
            )
        yield from rows_of_system(str(run.name), run.scores, place="")


def _main_alone(rows: Iterator[ScoreRow]) -> Iterator[ScoreRow]:
    """Yield rows; where files hold MTEB's main score, this alone: others differ between tasks."""
    kept = list(rows)
    has_main = any(row.measure == MAIN for row in kept)
    return (row for row in kept if not has_main or row.measure == MAIN)
