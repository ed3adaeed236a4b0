"""Runs scored by measures, on ids or on chunks, with what their lists warn of."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from prum.experiments.compare.scores import Scores, joined
from prum.experiments.evaluate.given import called
from prum.experiments.evaluate.remarks import InputWarnings, input_warnings, together
from prum.experiments.measures.judged import Judged, NoValueError, RankingLike, taken
from prum.experiments.measures.measure import Measure
from prum.experiments.measures.stopping import scores_together
from prum.simulator.collections.judgements import check_judged
from prum.simulator.collections.trec import RunByTopic, ScatteredError
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats


def scored_runs(
    runs: Iterable[tuple[str, Any, Sequence[Judged]]],
    measures: Sequence[Measure],
    *,
    progress: Callable[[int], object] | None = None,
) -> dict[str, Any]:
    """Return `scores` of runs, and what their `lists` warn of.

    Each run is (system, topic -> ranking, the topics as judged for this run). In place of lists
    `RunByTopic` may stand, if no measure needs a run's lists all at once.

    `progress`: called with the number of runs done.

    Raise InputError as `score_runs`.
    """
    parts, counted = list[Scores](), list[InputWarnings]()
    for system, lists, judged in runs:
        if isinstance(lists, RunByTopic):
            part, warnings = _scored_by_topic(system, lists, judged, measures)
        else:
            part = score_runs([(system, lists)], judged, measures)
            warnings = input_warnings(system, lists, judged)
        parts.append(part)
        counted.append(warnings)
        if progress is not None:
            progress(len(parts))
    return {"scores": joined(parts), "lists": tuple(counted)}


def _scored_by_topic(
    system: str, run: RunByTopic, judged: Sequence[Judged], measures: Sequence[Measure]
) -> tuple[Scores, InputWarnings]:
    """Return the scores of a run of which a piece is in memory at a time, and its warnings."""
    number = {topic.topic: row for row, topic in enumerate(judged)}
    values = np.full((1, len(judged), len(measures)), np.nan)

    def scored(lists: Mapping[str, RankingLike], rows: list[int]) -> InputWarnings:
        some = [judged[row] for row in rows]
        if some:
            values[0, rows] = score_runs([(system, lists)], some, measures).values[0]
        return input_warnings(system, lists, some)

    pieces, left, first = list[InputWarnings](), set(number.values()), list[str]()
    try:
        for lists in run:
            first = first or list(lists)
            rows = [number[topic] for topic in lists if topic in number]
            left.difference_update(rows)
            pieces.append(scored(lists, rows))
        if len(left) == len(judged):
            check_judged(first, list(number), run.place)
        pieces.append(scored({}, sorted(left)))
        warnings = together(pieces)
    except ScatteredError:
        lists = run.whole()
        check_judged(lists, list(number), run.place)
        warnings = scored(lists, list(range(len(judged))))
    values.setflags(write=False)
    return Scores(tuple(map(str, measures)), (system,), tuple(number), values), warnings


def score_runs(
    runs: Iterable[tuple[str, Mapping[str, RankingLike]]],
    judged: Sequence[Judged],
    measures: Sequence[Measure],
    *,
    progress: Callable[[int], object] | None = None,
) -> Scores:
    """Return the scores of runs, each (system, topic -> ranking), on judged topics.

    Of a topic without ideals a measure that needs them has no value, NaN. Rankings hold ties or
    scores only if a measure takes them. A topic that a run lacks is an empty list; topics that
    are not judged are passed over. Measures that differ in their cut-off only are computed once.

    Parameters
    ----------
    progress
        Called with the number of runs done.

    >>> from prum.experiments.measures.judged import Collection, Judged
    >>> from prum.experiments.measures.measure import measure_of
    >>> topic = Judged("web", ("a", "b"), {"a": 1, "b": 1}, None, Collection(size=4))
    >>> run = ("list", {"web": ["c", "d", "a", "b"]})
    >>> result = score_runs([run], [topic], [measure_of("AP"), measure_of("P@4")])
    >>> result.values.round(4).tolist()
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
                    if not topic.ideals and measure.needs_ideals:
                        raise NoValueError
                    takes = measure.takes
                    ranking = flat[place] if takes == "ranking" else taken(rankings[place], takes)
                    curve = measure.curve(topic, ranking)
                    for number in numbers:
                        row[place, number] = curve.read(measures[number].name.cutoff)
                except NoValueError:
                    row[place, numbers] = np.nan
                except InputError as error:
                    raise error.at(f"{measure}, {called(system)}, topic {topic.topic}") from None
        systems.append(system)
        rows.append(row)
        if progress is not None:
            progress(len(rows))
    if not rows:
        raise InputError("runs", (), "be at least one", remedy="name a run")
    scores = np.stack(rows)
    scores.setflags(write=False)
    return Scores(
        tuple(map(str, measures)), tuple(systems), tuple(topic.topic for topic in judged), scores
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
    there = [place for place, topic in enumerate(judged) if topic.ideals or not first.needs_ideals]
    topics, lists = [judged[place] for place in there], [rankings[place] for place in there]
    row[:, numbers] = np.nan
    row[np.ix_(there, numbers)] = scores_together(topics, lists, names, cutoff, first.settings)
