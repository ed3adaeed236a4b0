"""What a measure of binary relevance wants of a topic: the elements of a grade or more."""

from collections.abc import Mapping

from prum.experiments.measures.definition import Parameter
from prum.experiments.measures.judged import Judged, Ranking
from prum.simulator.model import InputError

# The lowest grade of an ideal of this measure; by default the topic's ideals.
REL: Mapping[str, Parameter] = {"rel": Parameter(int, is_optional=True, least=1)}
# Whether elements that nobody judged are taken out of the list first.
JUDGED_ONLY: Mapping[str, Parameter] = {"judged_only": Parameter(bool, False)}


def wanted(judged: Judged, rel: int | None) -> tuple[str, ...]:
    """Return the elements of grade `rel` or more, or the topic's ideals.

    A topic may have none of a high grade: as by trec_eval measures are 0 there.

    Raises
    ------
    InputError
        for a grade, if there are none.
    """
    if rel is None:
        return judged.ideals
    if judged.grades is None:
        raise InputError(
            "rel", rel, "be left out where judgements are assessments on two scales",
            remedy="choose the ideals by --ideals",
        )  # fmt: skip
    return tuple(element for element, grade in judged.grades.items() if grade >= rel)


def listed(judged: Judged, ranking: Ranking, judged_only: bool) -> Ranking:
    """Return a list, of which what nobody judged is taken out if only judged elements count."""
    if not judged_only:
        return ranking
    return tuple(element for element in ranking if element in judged.known)
