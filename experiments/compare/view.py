"""The view of a comparison: means with intervals over topics, places, and the decision."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from prum.experiments.compare.scores import Scores
from prum.experiments.report.view import Column, Table, View, shown

if TYPE_CHECKING:
    from prum.experiments.compare.result import ComparisonResult

_MOST_ROWS = 40


def comparison_view(result: "ComparisonResult") -> View:
    """Return means and the decision; what was odd of the input stands on the page alone."""
    scores = result.scores
    num_systems, num_topics = len(scores.systems), len(scores.topics)
    title = f"mean over {num_topics} topics ± half a 95 % interval"
    if num_topics == 1:
        title = f"topic {scores.topics[0]}"
    columns = [Column[int]("system", scores.systems.__getitem__, left=True)]
    for number, measure in enumerate(scores.measures):
        columns.append(Column(measure, partial(_mean, scores, number)))
    tables = [Table.of(title, range(num_systems), columns)]
    notes = [*result.notes, *_missing(scores)]
    if num_systems > 1:
        tables.append(_decided(result))
        notes += result.decision.notes
    return View(
        title="Systems by measures",
        headline=result.headline,
        story=tuple(f"{remark[0].upper()}{remark[1:]}." for remark in result.remarks),
        tables=tuple(tables),
        notes=tuple(notes),
    )


def _mean(scores: Scores, measure: int, system: int) -> str:
    mean, low, *_ = scores.mean(system, measure)
    return shown(mean, ".4f") + ("" if np.isnan(low) else f" ± {mean - low:.4f}")


def _missing(scores: Scores) -> Iterator[str]:
    num_topics = len(scores.topics)
    for number, measure in enumerate(scores.measures):
        missing = num_topics - scores.of(number).shape[1]
        if missing:
            yield f"{measure}: {missing} of {num_topics} topics have no such value"


def _decided(result: "ComparisonResult") -> Table:
    decision = result.decision
    title = f"decision by {decision.measure}"
    if len(decision.pairs) > _MOST_ROWS:
        title += f"; the first {_MOST_ROWS} of {len(decision.pairs)}"
    columns = [Column["Pair"]("", lambda pair: pair.sentence, left=True)]
    return Table.of(title, decision.pairs[:_MOST_ROWS], columns)
