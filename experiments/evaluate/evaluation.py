"""Score many lists by many measures: one number for each system, topic and measure."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.evaluate.judged import Judged, NoValueError, TiedRanking, taken
from prum.experiments.evaluate.measure import Measure
from prum.experiments.evaluate.stopping_measures import scores_together
from prum.experiments.statistics.intervals import mean_interval
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """Scores of systems on topics by measures.

    Parameters
    ----------
    measures, systems, topics
        What was scored by what.
    scores
        Shape (systems, topics, measures); NaN where a topic has no such value, as precision at
        the fifth ideal of four.
    """

    measures: tuple[Measure, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    scores: Floats

    def of(self, measure: int) -> Floats:
        """Return the scores of one measure on the topics that have them, (systems, topics)."""
        scores = self.scores[:, :, measure]
        return scores[:, ~np.isnan(scores).any(axis=0)]

    def mean(self, system: int, measure: int) -> tuple[float, float, float, int]:
        """Return mean, ends of its 95 % interval over topics, and number of topics."""
        scores = self.of(measure)[system]
        if not len(scores):
            return np.nan, np.nan, np.nan, 0
        return *mean_interval(scores), len(scores)

    def means(self) -> Floats:
        """Return the mean over topics of each system and measure, (systems, measures)."""
        return np.array(
            [
                [self.mean(system, measure)[0] for measure in range(len(self.measures))]
                for system in range(len(self.systems))
            ]
        )

    def frame(self) -> "pd.DataFrame":
        """Return a table with a row for each system, topic and measure."""
        import pandas as pd

        shape = self.scores.shape
        system, topic, measure = (axis.ravel() for axis in np.indices(shape))
        return pd.DataFrame(
            {
                "system": np.array(self.systems, dtype=object)[system],
                "topic": np.array(self.topics, dtype=object)[topic],
                "measure": np.array([str(name) for name in self.measures], dtype=object)[measure],
                "score": self.scores.ravel(),
            }
        )

    def trec_lines(self) -> Iterator[str]:
        """Yield lines as trec_eval prints them: measure, topic or "all", value, by tabs.

        Before the lines of each run stands one that names it.
        """
        for system, name in enumerate(self.systems):
            yield f"{'runid':<22}\tall\t{name}"
            for number, measure in enumerate(self.measures):
                scores = self.scores[system, :, number]
                for topic, score in zip(self.topics, scores, strict=True):
                    if not np.isnan(score):
                        yield f"{measure!s:<22}\t{topic}\t{score:.4f}"
            for number, measure in enumerate(self.measures):
                mean = self.mean(system, number)[0]
                if not np.isnan(mean):
                    yield f"{measure!s:<22}\tall\t{mean:.4f}"


def score_runs(
    runs: Iterable[tuple[str, Mapping[str, TiedRanking]]],
    judged: Sequence[Judged],
    measures: Sequence[Measure],
    *,
    progress: Callable[[int], object] | None = None,
) -> Evaluation:
    """Return the scores of runs, each (system, topic -> ranking), on judged topics.

    Rankings hold ties or scores only if a measure takes them. A topic that a run lacks is an empty
    list; topics that are not judged are passed over. Measures that differ in their cut-off only are
    computed once.

    Parameters
    ----------
    progress
        Called with the number of runs done.

    Raises
    ------
    InputError
        if there is no run or measure, or a measure lacks what it needs; naming system and topic.

    >>> from prum.experiments.evaluate.judged import Collection, Judged
    >>> from prum.experiments.evaluate.measure import measure_of
    >>> topic = Judged("web", ("a", "b"), {"a": 1, "b": 1}, None, Collection(size=4))
    >>> run = ("list", {"web": ["c", "d", "a", "b"]})
    >>> result = score_runs([run], [topic], [measure_of("AP"), measure_of("P@4")])
    >>> result.scores.round(4).tolist()
    [[[0.4167, 0.5]]]
    """
    if not measures:
        raise InputError("measures", (), "be at least one", remedy="name one")
    together, alone = _divided(measures)
    is_plain = all(measure.takes == "ranking" for measure in measures)
    systems, rows = list[str](), list[Floats]()
    for system, lists in runs:
        row = np.empty((len(judged), len(measures)))
        rankings = [lists.get(topic.topic, ()) for topic in judged]
        flat: list[Any] = [
            tuple(ranking) if is_plain else taken(ranking, "ranking") for ranking in rankings
        ]
        for numbers in together:
            _score_together(row, judged, flat, measures, numbers)
        for place, topic in enumerate(judged):
            for numbers in alone:
                measure = measures[numbers[0]]
                try:
                    takes = measure.takes
                    ranking = flat[place] if takes == "ranking" else taken(rankings[place], takes)
                    curve = measure.curve(topic, ranking)
                    for number in numbers:
                        row[place, number] = curve.read(measures[number].name.cutoff)
                except NoValueError:
                    row[place, numbers] = np.nan
                except InputError as error:
                    raise error.at(f"{measure}, run {system}, topic {topic.topic}") from None
        systems.append(system)
        rows.append(row)
        if progress is not None:
            progress(len(rows))
    if not rows:
        raise InputError("runs", (), "be at least one", remedy="name a run")
    scores = np.stack(rows)
    scores.setflags(write=False)
    return Evaluation(
        tuple(measures), tuple(systems), tuple(topic.topic for topic in judged), scores
    )


def _divided(measures: Sequence[Measure]) -> tuple[list[list[int]], list[list[int]]]:
    """Return which measures are computed for all topics at once, and which for each list.

    Each group shares what it is computed from: settings and cut-off, or the curve it is read off.
    """
    together: dict[object, list[int]] = {}
    alone: dict[object, list[int]] = {}
    for number, measure in enumerate(measures):
        if measure.definition.admits_together(measure.settings):
            key = measure.name.cutoff, tuple(sorted(measure.settings.items()))
            together.setdefault(key, []).append(number)
        else:
            alone.setdefault(measure.uncut, []).append(number)
    return list(together.values()), list(alone.values())


def _score_together(
    row: Floats,
    judged: Sequence[Judged],
    rankings: Sequence[tuple[str, ...]],
    measures: Sequence[Measure],
    numbers: list[int],
) -> None:
    first = measures[numbers[0]]
    cutoff = None if first.name.cutoff is None else int(first.name.cutoff.value)
    names = [measures[number].name.measure for number in numbers]
    settings = {key: first.settings[key] for key in ("theta", "base", "normalised")}
    row[:, numbers] = scores_together(judged, rankings, names, cutoff, **settings)
