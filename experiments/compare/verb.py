"""The verb `compare`: anyone's scores of systems on topics, and which system is better."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prum.experiments.compare.decision import Question
from prum.experiments.compare.defaults import LEVEL, METHOD, SEED
from prum.experiments.compare.result import ComparisonResult
from prum.experiments.compare.score_data import rows_of_frame, rows_of_mapping, rows_of_system
from prum.experiments.compare.score_files import rows_of_files, score_files
from prum.experiments.compare.score_json import MAIN
from prum.experiments.compare.score_rows import ScoreRow, gathered
from prum.experiments.compare.scores import Scores
from prum.simulator.model import InputError
from prum.simulator.tables.files import readable

if TYPE_CHECKING:
    import pandas as pd

PathLike = str | Path


def compare(
    scores: "Scores | pd.DataFrame | Mapping[str, Any] | PathLike | Sequence[Any]",
    *,
    measures: str | Sequence[str] = (),
    primary: str | None = None,
    baseline: str | None = None,
    method: str = METHOD,
    level: float = LEVEL,
    margin: float | None = None,
    seed: int = SEED,
    missing: str = "refuse",
    columns: Mapping[str, str] | None = None,
) -> ComparisonResult:
    """Decide which of some systems are better by their scores on topics, as `prum compare` does.

    One measure decides, and all its comparisons hold together: the chance that any claim of the
    decision is wrong is at most `level` (docs/howto/comparing.md). Other measures are described.

    Parameters
    ----------
    scores
        A data frame: long (system, topic, measure, score, or names like run, qid, metric, value),
        or topics by systems; system -> topic -> score; runs of ranx; or files and folders, whose
        forms docs/howto/comparing.md lists.
    measures
        Those to keep, names with commas between or several; by default all, of MTEB's `main_score`.
    primary
        The measure that decides; by default the first.
    baseline
        The system that all others are compared with. By default all pairs of systems are compared,
        since the best one is chosen by the same scores.
    method
        "max-t", "randomisation", "bootstrap" or "Holm", as `compared` of
        `prum.experiments.statistics` has them.
    level
        In (0, 1).
    margin
        The largest difference that makes none, in the unit of the measure: what lies within it is
        "equivalent".
    seed
        Of the draws of the method.
    missing
        What to do where a system lacks a topic that another has: "refuse"; "drop" the topic for
        all systems; or count it as "zero".
    columns
        Which column is what, where names do not say: {"system": "run", "topic": "query"}.

    Raises
    ------
    InputError
        if the scores have no known form, are there twice, missing or no numbers; and if a measure,
        system or method is none.
    OSError
        if a file cannot be read.

    >>> poor = {"q1": 0.1, "q2": 0.3, "q3": 0.2}
    >>> scores = {"good": {"q1": 0.8, "q2": 0.9, "q3": 0.7}, "poor": poor}
    >>> compare(scores).decision.pairs[0].sentence
    'good is better than poor by .35 to .85 (p = .009)'
    """
    question = Question(primary, baseline, method, level, margin, seed)
    names = measures.split(",") if isinstance(measures, str) else list(measures)
    names = [name.strip() for name in names if name.strip()]
    if isinstance(scores, Scores):
        told, remarks = scores, tuple[str, ...]()
    else:
        rows = _rows(scores, columns or {})
        if not names:
            rows = _main_alone(rows)
        told, remarks = gathered(rows, measures=names, missing=missing)
    question.check_measures(told.measures)
    question.check_systems(told.systems)
    arguments = {
        "scores": _place(scores), "measures": ",".join(told.measures), **asdict(question),
        "missing": missing, "columns": columns,
    }  # fmt: skip
    return ComparisonResult(
        scores=told, question=question, arguments=arguments, input_remarks=remarks
    )


def _rows(scores: Any, columns: Mapping[str, str]) -> Iterator[ScoreRow]:
    if isinstance(scores, PathLike):
        scores = [scores]
    if isinstance(scores, Mapping):
        return rows_of_mapping(scores)
    if hasattr(scores, "columns") and hasattr(scores, "index"):
        return rows_of_frame(scores, columns)
    if not isinstance(scores, Sequence) or not scores:
        raise InputError(
            "scores", scores, "be a data frame, a mapping, or files",
            remedy="give system -> topic -> score",
        )  # fmt: skip
    if all(isinstance(item, PathLike) for item in scores):
        return rows_of_files(score_files(scores), columns)
    return _rows_of_runs(scores)


def _rows_of_runs(runs: Sequence[Any]) -> Iterator[ScoreRow]:
    """Yield the scores that runs of ranx hold once they were evaluated."""
    for run in runs:
        if not isinstance(getattr(run, "scores", None), Mapping) or not run.scores:
            raise InputError(
                "scores of a run", run, "be there, of each measure and topic",
                remedy="evaluate runs of ranx first, or give files",
            )  # fmt: skip
        yield from rows_of_system(str(run.name), run.scores, place="")


def _main_alone(rows: Iterator[ScoreRow]) -> Iterator[ScoreRow]:
    """Yield rows; where files hold MTEB's main score, this alone: others differ between tasks."""
    kept = list(rows)
    has_main = any(row.measure == MAIN for row in kept)
    return (row for row in kept if not has_main or row.measure == MAIN)


def _place(scores: Any) -> Any:
    """Return files by their names, and data as nothing that could be named."""
    if isinstance(scores, PathLike):
        return readable(scores)
    if isinstance(scores, list | tuple) and all(isinstance(item, PathLike) for item in scores):
        return [readable(path) for path in scores]
    return None
