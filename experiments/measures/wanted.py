"""What a measure of binary relevance wants of a topic: the elements of a grade or more."""

from collections.abc import Callable
from dataclasses import replace

from prum.experiments.measures.definition import Curve, Parameter
from prum.experiments.measures.judged import Judged, Ranking
from prum.simulator.model import InputError

# The lowest grade of an ideal of this measure; whether only judged elements of a list count.
REL = Parameter(int, is_optional=True, least=1)
JUDGED_ONLY = Parameter(bool, False)


def wanting(score: Callable[..., Curve]) -> Callable[..., Curve]:
    """Return the score that gets a topic with the ideals of `rel`, and a list's judged part.

    A topic that has no element of that grade has 0, as by trec_eval. It raises InputError for a
    grade if judgements have none.
    """

    def of_grade(
        judged: Judged,
        ranking: Ranking,
        rel: int | None,
        judged_only: bool = False,
        **settings: object,
    ) -> Curve:
        if judged_only:
            ranking = tuple(element for element in ranking if element in judged.known)
        topic = judged if rel is None else _of_grade(judged, rel)
        if not topic.ideals:
            return Curve(lambda: 0.0, {"rank": lambda _: 0.0, "level": lambda _: 0.0})
        return score(topic, ranking, **settings)

    return of_grade


def _of_grade(judged: Judged, rel: int) -> Judged:
    if judged.grades is None:
        raise InputError("rel", rel, "stand with judgements by grade", remedy="leave it out")
    ideals = tuple(element for element, grade in judged.grades.items() if grade >= rel)
    return replace(judged, ideals=ideals, ideal_grade=rel)
