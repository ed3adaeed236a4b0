"""The view of an evaluation: means with intervals over topics, and the comparisons."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.compare.scores import Scores
from prum.experiments.measures.measure import measure_of
from prum.experiments.report.view import Column, Table, View, shown
from prum.experiments.statistics.multiplicity import LEVEL

if TYPE_CHECKING:
    import pandas as pd

_MOST_ROWS = 40


def evaluation_view(
    scores: Scores, comparisons: "pd.DataFrame | None", remarks: Sequence[str], links: str
) -> View:
    """Return means and comparisons; what was odd of the input stands on the page alone."""
    num_systems, num_topics = len(scores.systems), len(scores.topics)
    title = f"mean over {num_topics} topics ± half a 95 % interval"
    if num_topics == 1:
        title = f"topic {scores.topics[0]}"
    columns = [Column[int]("system", scores.systems.__getitem__, left=True)]
    for number, measure in enumerate(scores.measures):
        columns.append(Column(str(measure), partial(_mean, scores, number)))
    tables = [Table.of(title, range(num_systems), columns)]
    notes = [*map(": ".join, measure_notes(scores.measures).items())]
    notes += _missing(scores)
    if comparisons is not None and comparisons["p"].count():
        tables.append(_compared(comparisons))
        notes.append(
            f"An interval leaves out 0 if and only if its adjusted p is below {LEVEL:.2g}."
        )
    return View(
        title="Runs by measures",
        headline=f"{num_systems:,} run{'s' * (num_systems > 1)} on {num_topics:,} "
        f"topic{'s' * (num_topics > 1)}; {links}",
        story=tuple(f"{remark[0].upper()}{remark[1:]}." for remark in remarks),
        tables=tuple(tables),
        notes=tuple(notes),
    )


def measure_notes(measures: Iterable[str]) -> dict[str, str]:
    """Return name -> what to know of it, of measures whose names are others' elsewhere."""
    named = map(measure_of, measures)
    return {
        measure.name.measure: measure.definition.note
        for measure in named
        if measure.definition.note
    }


def _mean(scores: Scores, measure: int, system: int) -> str:
    mean, low, *_ = scores.mean(system, measure)
    return shown(mean, ".4f") + ("" if np.isnan(low) else f" ± {mean - low:.4f}")


def _missing(scores: Scores) -> Iterator[str]:
    num_topics = len(scores.topics)
    for number, measure in enumerate(scores.measures):
        missing = num_topics - scores.of(number).shape[1]
        if missing:
            yield f"{measure}: {missing} of {num_topics} topics have no such value"


def _compared(comparisons: "pd.DataFrame") -> Table:
    """Return the pairs with a test, the clearest differences first."""
    # A pair that shares fewer than two topics with a value has no test.
    tested = comparisons.dropna(subset=["p"]).sort_values("p", kind="stable")
    size = len(tested)
    title = "paired differences over topics"
    if size > 1:
        title += f"; 95 % intervals and p adjusted for all {size} together (Bonferroni)"
    if size > _MOST_ROWS:
        title += f"; the first {_MOST_ROWS} of {size}"
    columns: list[Column[Any]] = [
        *(
            Column[Any](name, itemgetter(name), left=True)
            for name in ("measure", "system", "other")
        ),
        Column("difference", itemgetter("difference"), "+.4f"),
        Column("95 % interval", _interval),
        Column("adjusted p", itemgetter("adjusted"), ".3g"),
    ]
    return Table.of(title, tested.head(_MOST_ROWS).to_dict(orient="records"), columns)


def _interval(row: Mapping[str, Any]) -> str:
    return f"{shown(row['low'], '+.4f')} {shown(row['high'], '+.4f')}"
