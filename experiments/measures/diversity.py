"""Topics with several subtopics, as ndeval scores them: alpha-nDCG, ERR-IA, NRBP and others.

Subtopics that no element is relevant to, of grade `rel` or more, are left out. The others weigh the
same, or as the probabilities that users mean them. What is unjudged is not relevant, nor is an
element that stands in the list a second time (ndeval refuses it).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.ranked.scores import average_precision, ndcg
from prum.analytic.utility.diversity import Ideal, novelty, subtopic_recall
from prum.experiments.measures.definition import REL, Curve, Definition, proper_share, share
from prum.experiments.measures.judged import Judged, NoValueError, Ranking
from prum.simulator.collections.qrels import reaches
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats


@dataclass(frozen=True, slots=True)
class Served:
    """A list and a topic's subtopics: which elements are relevant to which, and what is listed.

    `probabilities` are those of the subtopics, with sum 1; None if all are equally likely.
    """

    relevant: Mapping[str, tuple[str, ...]]
    ranking: Ranking
    gains: tuple[Mapping[str, float], ...]
    probabilities: Floats | None

    @property
    def ranked(self) -> Floats:
        """0 or 1 by subtopic and rank, (I, n); 0 where an element stands a second time."""
        return self._matrix(self.ranking)

    @property
    def judged(self) -> Floats:
        """0 or 1 by subtopic and relevant element, by descending id as ndeval breaks ties."""
        elements = {element for members in self.relevant.values() for element in members}
        return self._matrix(sorted(elements, reverse=True))

    def mean(self, values: ArrayLike) -> float:
        """Return the mean over subtopics of a value of each."""
        return float(np.average(np.asarray(values), weights=self.probabilities))

    def _matrix(self, elements: Ranking) -> Floats:
        matrix = np.zeros((len(self.relevant), len(elements)))
        places: dict[str, int] = {}
        for place, element in enumerate(elements):
            places.setdefault(element, place)
        for row, members in zip(matrix, self.relevant.values(), strict=True):
            row[[places[element] for element in members if element in places]] = 1
        return matrix


def served(judged: Judged, ranking: Ranking, measure: str) -> Served:
    """Return a list and the subtopics that some element is relevant to."""
    if judged.subtopics is None:
        rule = "be of subtopics"
        remedy = f"give qrels whose second column names a subtopic, or leave {measure} out"
        raise InputError(f"judgements for {measure}", "grades of whole topics", rule, remedy=remedy)
    relevant: dict[str, list[str]] = {}
    for element, grades in judged.subtopics.items():
        for subtopic, grade in grades.items():
            members = relevant.setdefault(subtopic, [])
            if reaches(grade, judged.ideal_grade):
                members.append(element)
    chosen = {name: tuple(members) for name, members in relevant.items() if members}
    gains = tuple(
        {x: max(by[name], 0) for x, by in judged.subtopics.items() if name in by} for name in chosen
    )
    return Served(chosen, ranking, gains, _probabilities(judged, chosen))


def _probabilities(judged: Judged, subtopics: Mapping[str, object]) -> Floats | None:
    """Return P(i|q) of these subtopics, given that the user means one of them."""
    intents = judged.intents
    if intents is None or not subtopics:
        return None
    lacking = next((name for name in subtopics if name not in intents), None)
    if lacking is not None:
        thing = f"probability of subtopic {lacking!r} of topic {judged.topic!r}"
        rule = "be given, as those of others are"
        raise InputError(thing, None, rule, remedy="add a row to --intents; 0 if nobody means it")
    shares = np.array([intents[name] for name in subtopics])
    if not shares.sum():
        raise NoValueError
    return np.asarray(shares / shares.sum())


def _curve(
    judged: Judged,
    ranking: Ranking,
    measure: str,
    read: Callable[..., float],
    **settings: object,
) -> Curve:
    """Return what `read` makes of a list and its subtopics, at its end and at a rank."""
    view = served(judged, ranking, measure)
    return Curve.of_ranks(lambda n: read(view, cutoff=n, **settings))


def _novelty(
    view: Served, *, discount: str, over: Ideal, cutoff: int | None, **settings: float
) -> float:
    judged = view.judged if over == "greedy" else None
    return novelty(
        discount,
        view.ranked,
        judged,
        over=over,
        cutoff=cutoff,
        probabilities=view.probabilities,
        **settings,
    )


def _recall(view: Served, *, cutoff: int | None) -> float:
    return subtopic_recall(view.ranked, cutoff=cutoff, probabilities=view.probabilities)


def _precision(view: Served, *, cutoff: int | None) -> float:
    ranks = max(len(view.ranking), 1) if cutoff is None else cutoff
    return view.mean(view.ranked[:, :ranks].sum(axis=1)) / ranks


def _average_precision(view: Served, *, cutoff: int | None) -> float:
    top = view.ranking if cutoff is None else view.ranking[:cutoff]
    each = [average_precision(top, members) for members in view.relevant.values()]
    return view.mean(each)


def _ndcg(view: Served, *, cutoff: int | None) -> float:
    return view.mean([ndcg(view.ranking, gains, cutoff) for gains in view.gains])


def _fading(name: str, discount: str, over: Ideal) -> Definition:
    about = f"{_ABOUT[discount]}, over {'what is possible' if over == 'possible' else _GREEDY}"
    read = partial(_novelty, discount=discount, over=over)
    is_endless = discount == "RBP"
    options = {"rel": REL, **_ALPHA} | (_BETA if is_endless else {})
    return Definition(
        about,
        partial(_curve, measure=name, read=read),
        options,
        () if is_endless else ("rank",),
        needs_cutoff=over == "possible" and not is_endless,
    )


def _plain(
    name: str, about: str, read: Callable[..., float], *, needs_cutoff: bool = False
) -> Definition:
    score = partial(_curve, measure=name, read=read)
    return Definition(about, score, {"rel": REL}, ("rank",), needs_cutoff=needs_cutoff)


_ABOUT = {
    "DCG": "DCG of gains that fade",
    "RR": "intent-aware ERR",
    "RBP": "RBP of gains that fade",
}
_GREEDY = "that of a greedy list"
_ALPHA = {"alpha": share(0.5)}
_BETA = {"beta": proper_share(0.5)}

DIVERSITY: Mapping[str, Definition] = {
    "alpha_DCG": _fading("alpha_DCG", "DCG", "possible"),
    "alpha_nDCG": _fading("alpha_nDCG", "DCG", "greedy"),
    "ERR_IA": _fading("ERR_IA", "RR", "possible"),
    "nERR_IA": _fading("nERR_IA", "RR", "greedy"),
    "NRBP": _fading("NRBP", "RBP", "possible"),
    "nNRBP": _fading("nNRBP", "RBP", "greedy"),
    "AP_IA": _plain("AP_IA", "mean of AP over subtopics", _average_precision),
    "nDCG_IA": _plain("nDCG_IA", "mean of nDCG over subtopics, linear gains", _ndcg),
    "P_IA": _plain("P_IA", "mean of P over subtopics", _precision, needs_cutoff=True),
    "StRecall": _plain("StRecall", "share of subtopics served", _recall),
}
