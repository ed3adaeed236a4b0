"""Sentences about pairs of systems, and about how they were decided."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from prum.experiments.compare.wording import about, count, ends, exactly, number, probability
from prum.experiments.statistics.planning import POWER, detectable, topics_for
from prum.experiments.statistics.tests import two_sided_t

if TYPE_CHECKING:
    from prum.experiments.compare.decision import Decision, Pair

# So many topics nobody judges; with so many Student's law is as good as normal.
_MANY, _NORMAL = 100_000, 2_000


def sentence_of(pair: "Pair", decision: "Decision", error: float) -> str:
    """Return a pair's verdict in a sentence; `error` is the standard error of its difference."""
    system, other, margin = pair.system, pair.other, decision.margin
    if pair.verdict == "no test":
        return f"{system} and {other} cannot be compared on {count(pair.topics, 'topic')}"
    if error == 0:
        return _of_alike(pair, decision)
    apart = () if margin is None else (margin,)
    if pair.verdict in ("better", "worse"):
        low, high = sorted((abs(pair.low), abs(pair.high)))
        p = f"{_p(decision)} {probability(pair.adjusted, decision.level)}"
        within = ""
        if margin is not None and high < margin:
            within = f", within the margin of {exactly(margin)}"
        by = ends(low, high, *apart)
        return f"{system} is {pair.verdict} than {other} by {by}{within} ({p})"
    if pair.verdict == "equivalent":
        most = number(max(abs(pair.low), abs(pair.high)), *apart, up=True)
        return (
            f"{system} and {other} show no difference larger than {most} "
            f"(equivalent at margin {exactly(margin or 0)})"
        )
    if pair.high == float("inf") > decision.compared.critical:
        few = "they differ on too few topics to be resampled"
        return f"{system} against {other} is undecided: {few}"
    plan = _plan(abs(pair.difference), error, decision)
    return f"{system} against {other} is undecided: {count(pair.topics, 'topic')} {plan}"


def _of_alike(pair: "Pair", decision: "Decision") -> str:
    """Return the verdict of a pair whose difference is the same on every topic."""
    system, other, by = pair.system, pair.other, number(abs(pair.difference))
    if pair.difference == 0:
        return f"{system} and {other} score the same on every topic"
    p = f"{_p(decision)} {probability(pair.adjusted, decision.level)}"
    if pair.verdict != "undecided":
        return f"{system} is {pair.verdict} than {other} by {by} on every topic ({p})"
    more = "more" if pair.difference > 0 else "less"
    return (
        f"{system} against {other} is undecided: {system} scores {by} {more} on each of "
        f"{count(pair.topics, 'topic')}, too few to decide ({p})"
    )


def _p(decision: "Decision") -> str:
    return "adjusted p" if decision.family > 1 else "p"


def _plan(difference: float, error: float, decision: "Decision") -> str:
    """Return what topics can show, and how many are needed for what matters."""
    num, critical = decision.num_topics, decision.compared.critical
    shows = float(detectable(error, num, critical=critical))
    if shows == float("inf"):
        return f"can show no difference at level {exactly(decision.level)}"
    for wanted in (decision.margin, difference):
        if not wanted:
            continue
        needed = _needed(wanted, error, num, critical)
        if needed > num:
            text, apart = exactly(wanted), number(shows, wanted)
            if wanted == difference:
                text, apart = number(difference, shows), number(shows, difference)
            enough = f"about {about(needed)}" if needed < _MANY else f"more than {_MANY:,}"
            return f"can show differences of {apart}; for {text} you need {enough}"
    return f"can show differences of {number(shows)}"


def _needed(difference: float, error: float, num: int, critical: float) -> float:
    """Return how many topics show a difference; of so many by the normal law, which is quick."""
    from scipy.special import ndtri

    each = two_sided_t(np.array(critical), np.array(num - 1.0))
    far = float((ndtri(POWER) - ndtri(each / 2)) * error / difference) ** 2 * num
    return far if far > _NORMAL else topics_for(difference, error, num, critical=critical)


def notes_of(decision: "Decision") -> Iterator[str]:
    """Yield how it was decided, a sentence each."""
    if not decision.family or decision.num_topics < 2:
        return
    level = exactly(decision.level)
    where = f"Decided by {decision.measure} on {count(decision.num_topics, 'topic')}"
    how = f"{decision.method}, level {level}, seed {decision.seed}"
    if decision.family == 1:
        yield f"{where}: {how}."
    else:
        beside = decision.baseline
        which = "all pairs of systems" if beside is None else f"every system with {beside}"
        yield f"{where}: {which}, {decision.family:,} comparisons held together ({how})."
    yield f"An interval leaves out 0 if and only if its {_p(decision)} is below {level}."
    if any(pair.verdict == "undecided" for pair in decision.pairs):
        yield (
            "Of what is undecided: topics can show a difference if they do so "
            f"with probability {exactly(POWER)}."
        )
