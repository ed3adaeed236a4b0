"""How good are estimators where the truth is known? Made data, with all that is true of them.

Six groups of rows, each by a module that says its hypothesis, design and cost: estimates of one
list against the truth (`truth`), rankings by few topics (`fewer_topics`), coverage of intervals
over topics (`coverage`), power of tests and their false alarms (`power`), pooling and assessors
(`pooling`), probabilities of navigation from logs (`recovery`). The truth is ExactPRUM on complete
judgements. What a dataset lacks is left out, and said.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from prum.experiments.generate.reading import Dataset, read_dataset
from prum.experiments.studies.estimators.built_in import built_in, made
from prum.experiments.studies.estimators.coverage import by_coverage
from prum.experiments.studies.estimators.fewer_topics import by_topics, numbers_of_topics
from prum.experiments.studies.estimators.pooling import by_pool
from prum.experiments.studies.estimators.power import by_power
from prum.experiments.studies.estimators.recovery import by_recovery
from prum.experiments.studies.estimators.rows import Rows
from prum.experiments.studies.estimators.scoring import (
    MEASURES,
    TRUTH,
    checked_measures,
    complete_scores,
    is_precision,
)
from prum.experiments.studies.estimators.truth import against_truth
from prum.experiments.studies.study import (
    Advance,
    WrittenStudy,
    checked_draws,
    checked_seed,
    command_of,
)
from prum.simulator.collections.files import readable

DRAWS = 1_000
_MOST_TOPICS = 200


def study_estimators(
    folder: str | Path | None = None,
    *,
    measures: Sequence[str] = MEASURES,
    draws: int = DRAWS,
    seed: int = 1,
    progress: Advance = lambda _: None,
) -> WrittenStudy:
    """Return the study of a folder of made data, or of the built-in ones, which it makes.

    Parameters
    ----------
    measures
        Estimators of ExactPRUM, as `prum evaluate` names them.
    draws
        Of topics, for each number of them.
    seed
        Of the draws, and of the built-in data.

    Raises
    ------
    InputError
        as `read_dataset`, `measure_of` and `complete_scores`; for fewer than two draws or a
        negative seed.
    OSError
        if a file cannot be read.
    """
    draws, seed = checked_draws(draws), checked_seed(seed)
    names = checked_measures(measures)
    if folder is not None:
        rows, found = _measured(read_dataset(folder), names, draws, seed, progress, 0.0)
    else:
        with tempfile.TemporaryDirectory(prefix="prum-") as place:
            made(built_in(seed), Path(place) / "made")
            progress(_MAKING)
            data = read_dataset(Path(place) / "made")
            rows, found = _measured(data, names, draws, seed, progress, _MAKING)
    options: dict[str, Any] = {"measures": names, "draws": draws, "seed": seed}
    arguments = () if folder is None else (folder,)
    defaults = {"measures": MEASURES, "draws": DRAWS}
    command = command_of("estimators", options, defaults, arguments=arguments)
    if folder is not None:
        options = {"folder": readable(folder), **options}
    return WrittenStudy("estimators", options, tuple(rows.rows), found, command)


_MAKING = 0.3


def _measured(
    dataset: Dataset,
    names: Sequence[str],
    draws: int,
    seed: int,
    progress: Advance,
    begun: float,
) -> tuple[Rows, dict[str, Any]]:
    """Return the rows, and what else was found."""
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        progress(begun + (1 - begun) * min(done / 25, 1.0))

    checked_draws(draws, size=len(dataset.topics))
    rows = Rows()
    scores, here, notes = complete_scores(dataset, names)
    true = scores[TRUTH]
    step()
    precise = [name for name in scores if name != TRUTH and is_precision(name)]
    against_truth(rows, dataset.systems, scores, dataset.errors[TRUTH], precise)
    several_systems, several_topics = len(dataset.systems) > 1, len(dataset.topics) > 1
    # Every part has numbers of its own: none hangs on what is left out.
    rngs = [np.random.default_rng([seed, part]) for part in range(4)]
    each: dict[str, Any] = {"series": [], "pairs": []}
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
        each["series"] = by_coverage(rows, dataset.systems, true, numbers, draws, rngs[1], step)
        if several_systems:
            each["pairs"] = by_power(rows, dataset.systems, true, numbers, draws, rngs[2], step)
    notes += by_pool(rows, dataset, scores, here, rngs[3], step)
    notes += by_recovery(rows, dataset, scores, here, step)
    return rows, {
        "name": dataset.specification.name,
        "systems": {
            system: {name: float(table[place].mean()) for name, table in scores.items()}
            for place, system in enumerate(dataset.systems)
        },
        "topics": len(dataset.topics),
        "elements": dataset.size,
        "browsing": dataset.kind,
        "pool": list(dataset.pooling),
        "coverage": each["series"],
        "pairs": each["pairs"],
        "notes": notes,
    }
