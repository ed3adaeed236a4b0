"""How good are estimators where the true scores are known? Made data, where all is known.

Six groups of rows, each by a module that says its hypothesis, design and cost: estimates of one
list against the true scores (`truth`), rankings by few topics (`fewer_topics`), coverage of
intervals over topics (`coverage`), power of tests and their false alarms (`power`), pooling and
assessors (`pooling`), probabilities of navigation from logs (`recovery`). True is ExactPRUM on
complete judgements. What a dataset lacks is left out, and said.
"""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import field_validator

from prum.experiments.generate.reading import Dataset, read_dataset
from prum.experiments.studies.estimators.built_in import built_in, made
from prum.experiments.studies.estimators.coverage import SeriesCoverage, by_coverage
from prum.experiments.studies.estimators.fewer_topics import by_topics, numbers_of_topics
from prum.experiments.studies.estimators.pooling import by_pool
from prum.experiments.studies.estimators.power import PairPower, by_power
from prum.experiments.studies.estimators.recovery import by_recovery
from prum.experiments.studies.estimators.rows import EstimatorsRow, Rows
from prum.experiments.studies.estimators.scoring import (
    MEASURES,
    REFERENCE,
    checked_measures,
    complete_scores,
    is_precision,
)
from prum.experiments.studies.estimators.truth import against_truth
from prum.experiments.studies.kit.design import Design, Option, Seed, draws_of
from prum.experiments.studies.kit.study import Advance
from prum.simulator.model.errors import whole_number

_MOST_TOPICS = 200
# Numbers that are held at once: half a gigabyte.
_MOST_NUMBERS = 2**26
# The share of the work that is the making of data, and the steps of the rest.
_MAKING, _STEPS = 0.3, 25


class EstimatorsDesign(Design):
    """Options of the study of estimators."""

    folder: Annotated[
        str | None,
        Option(
            "Made data; the study's own without.",
            metavar="[FOLDER]", file="input", positional=True,
        ),
    ] = None  # fmt: skip
    measures: Annotated[
        tuple[str, ...],
        Option(
            "An estimate of ExactPRUM, as prum evaluate names it.",
            singular="measure",
            metavar="NAME",
        ),
    ] = MEASURES
    draws: Annotated[int, draws_of("samples of topics, for each number of them")] = 1_000
    seed: Seed = 1

    @field_validator("measures")
    @classmethod
    def _by_their_names(cls, measures: tuple[str, ...]) -> tuple[str, ...]:
        return checked_measures(measures)


@dataclass(frozen=True, slots=True)
class EstimatorsFindings:
    """The data, each system's mean by each measure, coverage and power one by one, and notes."""

    name: str
    systems: dict[str, dict[str, float]]
    topics: int
    elements: int
    browsing: str
    pool: list[str]
    coverage: list[SeriesCoverage]
    pairs: list[PairPower]
    notes: list[str]


def compute(
    design: EstimatorsDesign, progress: Advance
) -> tuple[list[EstimatorsRow], EstimatorsFindings]:
    """Return what estimators make of a folder, or of the built-in data, which are made for it.

    Raises
    ------
    InputError
        as `read_dataset`, `measure_of` and `complete_scores`; for more draws than there is memory
        for.
    OSError
        if a file cannot be read.
    """
    if design.folder is not None:
        return _measured(read_dataset(design.folder), design, _Steps(progress, 0.0))
    with tempfile.TemporaryDirectory(prefix="prum-") as place:
        folder = Path(place) / "made"
        made(built_in(design.seed), folder)
        progress(_MAKING)
        return _measured(read_dataset(folder), design, _Steps(progress, _MAKING))


class _Steps:
    """Tell of progress by steps, of which some may be left out."""

    def __init__(self, progress: Advance, begun: float) -> None:
        self._progress, self._begun, self._done = progress, begun, 0

    def __call__(self) -> None:
        self._done += 1
        self._progress(self._begun + (1 - self._begun) * min(self._done / _STEPS, 1.0))


def _measured(
    dataset: Dataset, design: EstimatorsDesign, step: Callable[[], object]
) -> tuple[list[EstimatorsRow], EstimatorsFindings]:
    """Return the rows, and what else was learned."""
    draws = whole_number(
        "draws", design.draws, least=2, most=max(2, _MOST_NUMBERS // len(dataset.topics)),
        remedy="more need too much memory",
    )  # fmt: skip
    rows = Rows()
    scores, here, notes = complete_scores(dataset, design.measures)
    true = scores[REFERENCE]
    step()
    precise = [name for name in scores if name != REFERENCE and is_precision(name)]
    against_truth(rows, dataset.systems, scores, dataset.errors[REFERENCE], precise)
    several_systems, several_topics = len(dataset.systems) > 1, len(dataset.topics) > 1
    # Every part has numbers of its own: none hangs on what is left out.
    rngs = [np.random.default_rng([design.seed, part]) for part in range(4)]
    coverage, pairs = list[SeriesCoverage](), list[PairPower]()
    if not several_systems:
        notes.append("There is one system: nothing is ranked, and no two are told apart.")
    if not several_topics:
        notes.append("There is one topic: no intervals over topics, nor tests, nor fewer topics.")
    if several_topics:
        if several_systems:
            by_topics(rows, scores, draws, rngs[0])
            step()
        numbers = numbers_of_topics(len(dataset.topics), _MOST_TOPICS)
        numbers = numbers if numbers[0] > 1 else [2]
        coverage = by_coverage(rows, dataset.systems, true, numbers, draws, rngs[1], step)
        if several_systems:
            pairs = by_power(rows, dataset.systems, true, numbers, draws, rngs[2], step)
    notes += by_pool(rows, dataset, scores, here, rngs[3], step)
    notes += by_recovery(rows, dataset, scores, here, step)
    return rows.rows, EstimatorsFindings(
        name=dataset.specification.name,
        systems={
            system: {name: float(table[place].mean()) for name, table in scores.items()}
            for place, system in enumerate(dataset.systems)
        },
        topics=len(dataset.topics),
        elements=dataset.size,
        browsing=dataset.kind,
        pool=list(dataset.pooling),
        coverage=coverage,
        pairs=pairs,
        notes=notes,
    )
