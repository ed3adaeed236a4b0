"""How good estimators are where the true scores are known.

FOLDER is what prum generate made; without it the study makes data of its own. It grades PRUM, AP
and your estimators on the true scores: rankings by few topics, coverage of intervals, power of
tests, pooling, and probabilities of navigation from logs.
"""

import os
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from prum.experiments.frame.design import Design, FileUse, Seed, draws_of, option
from prum.experiments.frame.frames import rows_of, turned
from prum.experiments.frame.study import Advance, Study
from prum.experiments.generate import Dataset, read_dataset
from prum.experiments.measures.measure import measures_of
from prum.experiments.studies.estimators.given import (
    REACH,
    SCORES,
    by_table,
    check_names,
    estimator_of,
    named_file,
    notes_on,
)
from prum.experiments.studies.estimators.recovery import by_recovery
from prum.experiments.studies.estimators.resampling import (
    by_coverage,
    by_estimate,
    by_power,
)
from prum.experiments.studies.estimators.scoring import (
    MEASURES,
    REFERENCE,
    EstimatorRows,
    checked_measures,
    complete_scores,
    is_precision,
)
from prum.experiments.studies.estimators.truth import (
    against_truth,
    by_pool,
    by_topics,
    numbers_of_topics,
)
from prum.experiments.studies.estimators.view import view
from prum.simulator import InputError
from prum.simulator.model.errors import whole_number

_MOST_TOPICS = 200
# Numbers that are held at once: half a gigabyte.
_MOST_NUMBERS = 2**26
# The share of the work that is the making of data, and the steps of the rest.
_MAKING, _STEPS = 0.3, 25


class EstimatorsDesign(Design):
    """Options of the study of estimators."""

    folder: str | None = option(
        None,
        "Made data; the study's own without.",
        "[FOLDER]",
        file="input",
        positional=True,
    )
    measures: tuple[str, ...] = option(
        MEASURES,
        "An estimate of ExactPRUM, as prum evaluate names it.",
        "NAME",
        singular="measure",
    )
    scores: tuple[str, ...] = option(
        (),
        "Estimates of your own to grade: system, topic, estimate (CSV, TSV, JSONL, Parquet); "
        "named by the file unless NAME is given.",
        "[NAME=]FILE",
    )
    reach: tuple[str, ...] = option(
        (),
        "P(x → y) of your own to grade, by the ExactPRUM they give: source, target, "
        "probability, and topic where they differ by topic.",
        "[NAME=]FILE",
    )
    draws: int = option(1_000, draws_of("samples of topics, for each number of them"))
    seed: Seed = 1

    # What was given from Python, by what stands for it among scores and reach.
    _sources: ClassVar[dict[str, Any]] = {}

    def __init__(self, /, **options: Any) -> None:
        sources = dict[str, Any]()
        for kind in (SCORES, REACH):
            given = options.get(kind)
            if isinstance(given, Mapping):
                options[kind] = [_text_of(name, given[name], sources) for name in given]
        object.__setattr__(self, "_sources", sources)
        super().__init__(**options)

    def check(self) -> None:
        """Raise InputError if options contradict each other, and take measures by their names."""
        object.__setattr__(self, "measures", checked_measures(self.measures))
        names = [named_file(text)[0] for text in (*self.scores, *self.reach)]
        check_names(names, self.measures)

    def given(self) -> Iterator[tuple[str, str, Any]]:
        """Yield the estimators that are given: kind, name, and a file, a frame or a function."""
        for kind, texts in ((SCORES, self.scores), (REACH, self.reach)):
            for text in texts:
                name, path = named_file(text)
                yield kind, name, self._sources.get(text, path)

    def files(self, *roles: FileUse) -> tuple[str, ...]:
        """Return the files, those of estimators that are given among them."""
        own = [str(source) for *_, source in self.given() if isinstance(source, str | Path)]
        own += [file for measure in measures_of(self.measures) for file in measure.files]
        return (*super().files(*roles), *(own if "input" in roles else ()))

    def command(self, name: str) -> str:
        """Return the command line that repeats the study, or the call where none can."""
        if not self._sources:
            return super().command(name)
        words = [repr(name.removeprefix("study "))]
        for field in self.fields():
            value = getattr(self, field.name)
            if field.name in (SCORES, REACH):
                inner = ", ".join(f"{named_file(text)[0]!r}: ..." for text in value)
                words += [f"{field.name}={{{inner}}}"] if value else []
            elif value != field.default or field.option.always:
                words.append(f"{field.name}={value!r}")
        return f"prum.study({', '.join(words)})"


def _text_of(name: object, source: Any, sources: dict[str, Any]) -> str:
    """Return NAME=FILE for what was given by name from Python; what is no file goes to `sources`.

    Raise InputError for a name that is no text.
    """
    if not isinstance(name, str):
        rule = "be a text"
        raise InputError("name of an estimator", name, rule, remedy="name it by a text")
    if isinstance(source, str | os.PathLike):
        return f"{name}={os.fspath(source)}"
    text = f"{name}=a {'function' if callable(source) else 'table'} in Python"
    sources[text] = source
    return text


def compute(design: EstimatorsDesign, progress: Advance) -> Any:
    """Return what estimators make of a folder, or of the built-in data, which are made for it.

    Groups of rows, each by a function or module that says its hypothesis, design and cost:
    estimates of one list against the true scores, and rankings by few topics, pools and assessors
    (`truth`); coverage of intervals over topics, power of tests and their false alarms
    (`resampling`); probabilities of navigation from logs (`recovery`). True is ExactPRUM on
    complete judgements. What a dataset lacks is left out, and said. Beside the rows: the data, each
    system's mean by each measure, coverage and power one by one, and notes; `given` names the
    estimators that were given.

    Raise InputError as `read_dataset`, `measure_of`, `complete_scores` and `estimator_of`; for more
    draws than there is memory for. Raise OSError if a file cannot be read.
    """
    if design.folder is not None:
        return _measured(read_dataset(design.folder), design, _steps(progress, 0.0))
    from prum.experiments.generate import generate_dataset

    with tempfile.TemporaryDirectory(prefix="prum-") as place:
        folder = Path(place) / "made"
        generate_dataset(built_in(design.seed), folder)
        progress(_MAKING)
        return _measured(read_dataset(folder), design, _steps(progress, _MAKING))


def built_in(seed: int) -> dict[str, Any]:
    """Return the specification of the data that are made where none are given."""
    text = files(__package__).joinpath("built_in.toml").read_text("utf-8")
    return tomllib.loads(text) | {"seed": seed}


def _steps(progress: Advance, begun: float) -> Callable[[], object]:
    """Return what tells of progress by one step, of which some may be left out."""
    steps = count(1)
    return lambda: progress(begun + (1 - begun) * min(next(steps) / _STEPS, 1.0))


def _measured(dataset: Dataset, design: EstimatorsDesign, step: Callable[[], object]) -> Any:
    """Return the rows, and what else was learned."""
    draws = whole_number(
        "draws",
        design.draws,
        least=2,
        most=max(2, _MOST_NUMBERS // len(dataset.topics)),
        remedy="more need too much memory",
    )
    rows = EstimatorRows()
    scores, here, notes = complete_scores(dataset, design.measures)
    true = scores[REFERENCE]
    step()
    precise = [name for name in scores if name != REFERENCE and is_precision(name)]
    estimators = [estimator_of(*given, dataset) for given in design.given()]
    # Those that can tell of other judgements.
    again = [one for one in estimators if one.again is not None]
    scores |= {one.name: one.scores for one in estimators}
    precise += [one.name for one in estimators]
    against_truth(rows, dataset.systems, scores, dataset.errors[REFERENCE], precise)
    several_systems, several_topics = len(dataset.systems) > 1, len(dataset.topics) > 1
    # Every part has numbers of its own: none hangs on what is left out.
    rngs = [np.random.default_rng([design.seed, part]) for part in range(6)]
    coverage, pairs = list[Any](), list[Any]()
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
        if estimators:
            wanted = {name: scores[name] for name in (REFERENCE, *precise)}
            by_estimate(rows, wanted, numbers, draws, rngs[4], step)
    notes += by_pool(rows, dataset, scores, here, rngs[3], step, again, rngs[5])
    by_table(rows, dataset, estimators)
    notes += by_recovery(rows, dataset, scores, here, step, again)
    notes += notes_on(estimators)
    systems = {
        system: {name: float(table[place].mean()) for name, table in scores.items()}
        for place, system in enumerate(dataset.systems)
    }
    return rows_of(turned([vars(row) for row in rows])), SimpleNamespace(
        name=dataset.specification.name,
        given=[one.name for one in estimators],
        systems=systems,
        topics=len(dataset.topics),
        elements=dataset.size,
        browsing=dataset.kind,
        pool=list(dataset.pooling),
        coverage=coverage,
        pairs=pairs,
        notes=notes,
    )


ESTIMATORS = Study("estimators", __doc__, EstimatorsDesign, None, compute, view)
