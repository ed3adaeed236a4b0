"""Users with a goal, as cwl_eval scores them: INST, INSQ, BPM, SDCG and the near relatives of ERR.

Gains are grades, from `min_rel` (worth 0) to `max_rel` (worth 1), which is the highest grade of the
judgements by default; what is beyond them counts as they do. What is unjudged is worth 0, and so is
an element that stands in the list a second time (cwl_eval counts it again). A topic without gain
has 0.
"""

from collections.abc import Mapping
from functools import partial

import numpy as np

from prum.analytic.utility.goals import goal_law
from prum.experiments.measures.definition import Curve, Definition, Parameter, proper_share
from prum.experiments.measures.judged import Judged, Ranking
from prum.simulator.model import InputError

# The ranks that cwl_eval looks at, whatever the length of the list.
_DEPTH = 1000


def _score(
    judged: Judged,
    ranking: Ranking,
    measure: str,
    min_rel: int,
    max_rel: int | None,
    T: float = 1.0,
    p: float = 0.9,
) -> Curve:
    """Return a measure of one list, at cwl_eval's depth or for users who go no further."""
    highest = 1 if judged.grades is None else judged.collection.highest_grade
    top = highest if max_rel is None else max_rel
    if top <= min_rel:
        raise InputError(
            f"max_rel of {measure}", top, f"be more than min_rel, {min_rel}",
            remedy="give the highest grade of the scale",
        )  # fmt: skip
    left = dict(judged.gains())
    by_rank = np.array([left.pop(element, min_rel) for element in ranking], dtype=np.float64)
    gains = (by_rank.clip(min_rel, top) - min_rel) / (top - min_rel)

    def value(depth: int) -> float:
        law = goal_law(measure, gains, T=T, p=p, depth=depth)
        return law.expected_utility(gains)

    return Curve(lambda: value(_DEPTH), {"rank": lambda n: value(int(n))})


_GRADES = {
    "min_rel": Parameter(int, 0, least=0),
    "max_rel": Parameter(int, is_optional=True, least=1),
}
_GOAL = {"T": Parameter(float, 1.0, least=0, more_than_least=True), **_GRADES}


def _definition(
    name: str, about: str, options: Mapping[str, Parameter], *, needs_cutoff: bool = False
) -> Definition:
    score = partial(_score, measure=name)
    return Definition(about, score, options, ("rank",), needs_cutoff=needs_cutoff)


GOALS: Mapping[str, Definition] = {
    "INST": _definition(
        "INST",
        "gain per rank, of users who stop as they get the gain T that they want",
        {**_GOAL, "T": Parameter(float, 1.0, least=0.5)},
    ),
    "INSQ": _definition(
        "INSQ", "gain per rank, of users who want T and stop whatever they get", _GOAL
    ),
    "BPM": _definition(
        "BPM",
        "gain per rank, of users who stop at the gain T or the last rank",
        _GOAL,
        needs_cutoff=True,
    ),
    "SDCG": _definition("SDCG", "DCG over that of full gains", _GRADES, needs_cutoff=True),
    "NERR8": _definition(
        "NERR8", "gain per rank, of users who stop as ERR's", _GRADES, needs_cutoff=True
    ),
    "NERR9": _definition(
        "NERR9",
        "gain per rank, of users who stop as ERR's and as 1 / rank falls",
        _GRADES,
        needs_cutoff=True,
    ),
    "NERR10": _definition(
        "NERR10",
        "gain per rank, of users who stop as ERR's and RBP's",
        {"p": proper_share(0.9), **_GRADES},
    ),
    "NERR11": _definition("NERR11", "gain per rank, of users who stop as ERR's and INSQ's", _GOAL),
}
