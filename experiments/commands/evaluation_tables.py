"""An evaluation as people and programs read it: a table, comparisons, trec_eval's lines."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from prum.experiments.commands.terminal import new_table, standard_output
from prum.experiments.evaluate.evaluation import Evaluation
from prum.experiments.evaluate.measure import Measure
from prum.experiments.statistics.multiplicity import LEVEL

if TYPE_CHECKING:
    import pandas as pd

_MOST_ROWS = 40


def print_evaluation(evaluation: Evaluation, comparisons: "pd.DataFrame | None") -> None:
    """Print means with intervals over topics, and the comparisons, if any."""
    console = standard_output()
    num_topics = len(evaluation.topics)
    title = f"mean over {num_topics} topics ± half a 95 % interval"
    if num_topics == 1:
        title = f"topic {evaluation.topics[0]}"
    for numbers in _fitting(evaluation, console.width):
        names = (str(evaluation.measures[number]) for number in numbers)
        table = new_table(title, "system", *names)
        for system, name in enumerate(evaluation.systems):
            table.add_row(name, *(_cell(*evaluation.mean(system, n)[:2]) for n in numbers))
        console.print(table)
    for name, note in notes(evaluation.measures).items():
        console.print(f"{name}: {note}", markup=False)
    for number, measure in enumerate(evaluation.measures):
        with_value = evaluation.of(number).shape[1]
        if with_value < num_topics:
            console.print(
                f"{measure}: {num_topics - with_value} of {num_topics} topics have no such value",
                markup=False,
            )
    if comparisons is None:
        return
    # A pair that shares fewer than two topics with a value has no test.
    told = comparisons.dropna(subset=["p"]).sort_values("p", kind="stable")
    if not len(told):
        return
    size = len(told)
    title = "paired differences over topics"
    if size > 1:
        title += f"; 95 % intervals and p adjusted for all {size} together (Bonferroni)"
    if len(told) > _MOST_ROWS:
        title += f"; the first {_MOST_ROWS} of {len(told)}"
    table = new_table(title, "measure", "system", "other", "difference", "95 % interval", "p")
    for row in told.head(_MOST_ROWS).to_dict(orient="records"):
        table.add_row(
            row["measure"],
            row["system"],
            row["other"],
            f"{row['difference']:+.4f}",
            f"{row['low']:+.4f} {row['high']:+.4f}",
            f"{row['adjusted']:.3g}",
        )
    console.print(table)
    console.print(f"An interval leaves out 0 if and only if p is below {LEVEL:.2g}.", markup=False)


def notes(measures: Iterable[Measure]) -> dict[str, str]:
    """Return name -> what to know of it, of measures whose names are others' elsewhere."""
    return {
        measure.name.measure: measure.definition.note
        for measure in measures
        if measure.definition.note
    }


def trec_lines(evaluation: Evaluation) -> Iterator[str]:
    """Yield lines as trec_eval prints them: measure, topic or "all", value, by tabs.

    Before the lines of each run stands one that names it.
    """
    for system, name in enumerate(evaluation.systems):
        yield f"{'runid':<22}\tall\t{name}"
        for number, measure in enumerate(evaluation.measures):
            for topic, score in zip(
                evaluation.topics, evaluation.scores[system, :, number], strict=True
            ):
                if not np.isnan(score):
                    yield f"{measure!s:<22}\t{topic}\t{score:.4f}"
        for number, measure in enumerate(evaluation.measures):
            mean = evaluation.mean(system, number)[0]
            if not np.isnan(mean):
                yield f"{measure!s:<22}\tall\t{mean:.4f}"


def _fitting(evaluation: Evaluation, width: int) -> Iterator[list[int]]:
    """Yield the numbers of as many measures as fit beside the systems, until all are told."""
    cell = 6 if len(evaluation.topics) == 1 else 15
    systems = max(len(name) for name in ("system", *evaluation.systems)) + 4
    numbers, taken = list[int](), systems
    for number, measure in enumerate(evaluation.measures):
        column = max(cell, len(str(measure))) + 3
        if numbers and taken + column > width:
            yield numbers
            numbers, taken = [], systems
        numbers.append(number)
        taken += column
    yield numbers


def _cell(mean: float, low: float) -> str:
    if np.isnan(mean):
        return "-"
    return f"{mean:.4f}" if np.isnan(low) else f"{mean:.4f} ± {mean - low:.4f}"
