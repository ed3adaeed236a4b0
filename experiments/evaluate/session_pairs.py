"""Systems whose sessions answer the same questions, compared question by question."""

from collections.abc import Mapping

import numpy as np

from prum.analytic.searching import SearchEffort
from prum.experiments.compare.question import Question
from prum.experiments.compare.result import ComparisonResult
from prum.experiments.compare.scores import Scores


def compared_sessions(
    means: Mapping[str, Mapping[str, SearchEffort]], unit: str, question: Question
) -> ComparisonResult | str:
    """Return systems compared by new ideals for what they cost; or why not, "" of a single one.

    Of a system let N(q) and C(q) be E[new] and E[cost] of question q, means over its sessions and
    r = 1 .. t, and R = mean N / mean C over the questions that all systems have. The score of q is

        R + (N(q) - R C(q)) / mean C

    The mean of these is R, and their variance that of R, linearised. Units are questions, whatever
    the number of their sessions: these meet the same difficulties.

    Parameters
    ----------
    means
        System -> question -> expectations over its sessions.
    unit
        What is paid; scores are per unit, of tokens per 1,000.
    question
        How it is decided.

    Raise InputError if the baseline is none of the systems.
    """
    question.check_systems(tuple(means))
    if len(means) < 2:
        return ""
    shared = sorted(set.intersection(*map(set, means.values())))
    if not shared:
        return "Systems are not compared: they have no judged question in common."
    own = [[means[system][topic] for topic in shared] for system in means]
    new = np.array([[effort.new.mean() for effort in efforts] for efforts in own])
    cost = np.array([[effort.cost.mean() for effort in efforts] for efforts in own])
    paid = cost.mean(axis=1, keepdims=True)
    for system, each in zip(means, paid[:, 0].tolist(), strict=True):
        if not 0 < each < np.inf:
            word = "infinite" if each else "0"
            return f"Systems are not compared: E[cost] of {system} is {word}."
    ratio = new.mean(axis=1, keepdims=True) / paid
    size, per = (1_000, "1,000 tokens") if unit == "tokens" else (1, unit.removesuffix("s"))
    values = size * (ratio + (new - ratio * cost) / paid)
    scores = Scores((f"new ideals per {per}",), tuple(means), tuple(shared), values[:, :, None])
    return ComparisonResult(scores=scores, question=question)
