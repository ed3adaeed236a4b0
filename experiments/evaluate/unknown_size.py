"""What a collection's size would change, where nobody says it: from endless to the smallest."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from prum.experiments.compare.scores import Scores
from prum.experiments.evaluate.scoring import score_runs
from prum.experiments.measures.judged import Judged, RankingLike, taken
from prum.experiments.measures.measure import Measure


class SizeWatch:
    """Scores runs, as they pass, in the smallest collection there can be.

    That is what a run lists and what is judged. A larger collection never raises a measure that
    `counts_unlisted`, and in an endless one nobody finds an ideal behind a list: what lies between
    the two is all that the size can change. Without such a measure, or with a known size, nothing
    is scored.
    """

    def __init__(self, judged: Sequence[Judged], measures: Sequence[Measure]) -> None:
        is_unknown = judged[0].collection.size is None
        self._judged = judged
        self._measures = [
            measure for measure in measures if is_unknown and measure.definition.counts_unlisted
        ]
        self._elements = {element for topic in judged for element in topic.known}
        self._means = list[list[float]]()

    def through(
        self, runs: Iterable[tuple[str, Mapping[str, RankingLike]]]
    ) -> Iterator[tuple[str, Mapping[str, RankingLike]]]:
        """Yield runs with their lists, and score them."""
        for system, lists in runs:
            if self._measures:
                elements = set(self._elements)
                for topic in self._judged:
                    elements.update(taken(lists.get(topic.topic, ()), "ranking"))
                smallest = replace(self._judged[0].collection, size=len(elements))
                judged = [replace(topic, collection=smallest) for topic in self._judged]
                scored = score_runs([(system, lists)], judged, self._measures)
                self._means.append(scored.means()[0].tolist())
            yield system, lists

    def rises(self, scores: Scores) -> dict[str, float]:
        """Return measure -> how much its mean could rise at most, of any run of these."""
        columns = [scores.measures.index(str(measure)) for measure in self._measures]
        if not columns:
            return {}
        rises = np.array(self._means) - scores.means()[:, columns]
        most = np.fmax.reduce(rises, axis=0, initial=0.0).tolist()
        return dict(zip(map(str, self._measures), most, strict=True))
