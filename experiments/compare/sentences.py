"""Sentences of a comparison: its answer, its verdicts of pairs, and how they were decided."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from prum.experiments.frame.numbers import about, count, ends, exactly, number, probability, shown
from prum.experiments.statistics.maxima import least_topics
from prum.experiments.statistics.tests import POWER, detectable, topics_for, two_sided_t

if TYPE_CHECKING:
    from prum.experiments.compare.decision import Decision, Pair, Verdict
    from prum.experiments.statistics.simultaneous import Comparison

# So many sentences are read one by one; so many names of a group are said.
_MOST_PAIRS, _MOST_NAMES = 6, 4
_ORDER: "tuple[Verdict, ...]" = ("better", "worse", "equivalent", "undecided", "no test")


def answer(decision: "Decision") -> str:
    """Return which system is best, or how many are better than the baseline, in a sentence."""
    ranked, measure = decision.ranked, decision.measure
    if not decision.num_topics:
        return f"No topic has a value of {measure} for all systems: nothing can be decided"
    best = ranked[0]
    first = [place.system for place in ranked if place.place == 1]
    have = f"{_named(first, 'system')} {'has' if len(first) == 1 else 'have'} the highest"
    if len(ranked) == 1:
        half = "" if best.low != best.low else f" ± {shown(best.mean - best.low, '.4f')}"
        return f"{best.system} has a mean {measure} of {shown(best.mean, '.4f')}{half}"
    if decision.num_topics == 1:
        value = f"value ({shown(best.mean, '.4f')})"
        return f"By {measure}, {have} {value}, but one topic decides nothing"
    if len(ranked) == 2:
        return f"By {measure}, {decision.pairs[0].sentence}"
    highest = f"{have} mean ({shown(best.mean, '.4f')})"
    if decision.baseline is not None:
        return f"By {measure}, {_counted(decision)}; {highest}"
    tied = [place.system for place in ranked if place.is_tied_with_best and place != best]
    num = f"{len(ranked):,} systems"
    if all(pair.verdict == "equivalent" for pair in decision.pairs):
        return f"By {measure}, {_alike(decision)}"
    if not tied:
        return f"By {measure}, {best.system} is the best of {num}: better than each of the others"
    if len(tied) == len(ranked) - 1:
        return f"By {measure}, it is undecided which of {num} is best; {highest}"
    return f"By {measure}, {best.system} is first of {num}, tied with {_named(tied)}"


def verdicts(decision: "Decision") -> Iterator[str]:
    """Yield the sentences of all pairs, or of groups of them if there are many."""
    pairs = decision.pairs
    if len(decision.systems) < 3:
        # The answer is the sentence of the only pair.
        return
    if len(pairs) <= _MOST_PAIRS:
        yield from (pair.sentence for pair in pairs)
        return
    for verdict, group in _grouped(pairs):
        if decision.baseline is None:
            yield _of_best(decision, verdict, [pair.other for pair in group])
        else:
            group.sort(key=lambda pair: -abs(pair.difference))
            yield _of_others(decision.baseline, verdict, [pair.system for pair in group])
    close = [pair for pair in pairs if pair.verdict == "undecided"]
    if close:
        yield f"The closest: {min(close, key=lambda pair: abs(pair.difference)).sentence}"


def _grouped(pairs: "Iterable[Pair]") -> "Iterator[tuple[Verdict, list[Pair]]]":
    for verdict in _ORDER:
        group = [pair for pair in pairs if pair.verdict == verdict]
        if group:
            yield verdict, group


def _of_best(decision: "Decision", verdict: "Verdict", others: Sequence[str]) -> str:
    names = _named(others)
    if verdict in ("better", "worse"):
        return f"{decision.best} is {verdict} than {names}"
    if verdict == "equivalent":
        return f"{decision.best} differs by no more than the margin from {names}"
    if verdict == "no test":
        return f"{decision.best} cannot be compared with {names}"
    tied = {place.system for place in decision.places if place.is_tied_with_best}
    behind = sum(other not in tied for other in others)
    sentence = f"It is undecided whether {decision.best} is better than {names}"
    if behind:
        verb = "are" if behind > 1 else "is"
        sentence += f"; {behind:,} of them {verb} worse than another system"
    return sentence


def _of_others(baseline: str, verdict: "Verdict", others: Sequence[str]) -> str:
    names = _named(others, "system")
    is_alone = len(others) == 1
    verb, differ = ("is", "differs") if is_alone else ("are", "differ")
    return {
        "better": f"{names} {verb} better than {baseline}",
        "worse": f"{names} {verb} worse than {baseline}",
        "equivalent": f"{names} {differ} by no more than the margin from {baseline}",
        "undecided": f"It is undecided whether {names} {verb} better or worse than {baseline}",
        "no test": f"{names} cannot be compared with {baseline}",
    }[verdict]


def _counted(decision: "Decision") -> str:
    """Return how many systems have which verdict beside the baseline."""
    groups = [(verdict, len(group)) for verdict, group in _grouped(decision.pairs)]
    (verdict, num), *others = groups
    text = f"{num:,} of {len(decision.pairs):,} systems {'is' if num == 1 else 'are'} {verdict}"
    beside = {"better": "than", "worse": "than", "equivalent": "to", "undecided": "beside"}
    text += f" {beside[verdict]} {decision.baseline}"
    return ", ".join([text, *(f"{num:,} {verdict}" for verdict, num in others)])


def _alike(decision: "Decision") -> str:
    """Return how alike all systems are, of which none is more than equivalent to the best."""
    best, margin = decision.ranked[0], decision.margin
    mean = shown(best.mean, ".4f")
    if margin is None or all(pair.low == pair.high for pair in decision.pairs):
        return (
            f"all {len(decision.ranked):,} systems score the same on every topic, {mean} on average"
        )
    return (
        f"no system differs by more than the margin of {exactly(margin)} from {best.system}, "
        f"which has the highest mean ({mean})"
    )


def _named(names: Sequence[str], noun: str = "other") -> str:
    """Return names, or how many there are and the first of them.

    >>> _named(["a", "b"]), _named(list("abcdefg"))
    ('a and b', '7 others (a, b, c, d and 3 more)')
    """
    if len(names) == 1:
        return names[0]
    # Nobody is helped by "and 1 more".
    if len(names) <= _MOST_NAMES + 1:
        return f"{', '.join(names[:-1])} and {names[-1]}"
    first = ", ".join(names[:_MOST_NAMES])
    return f"{len(names):,} {noun}s ({first} and {len(names) - _MOST_NAMES:,} more)"


METHOD_NAMES = {"bootstrap": "studentised bootstrap", "Holm": "Student's t with Holm's method"}
# What was measured stands in docs/reliability.md.
_PROMISES = {
    "bootstrap": "The chance of any false claim is about {} at most, for skewed scores too",
    "Holm": "The chance of any false claim is about {}, more for skewed scores on few topics",
}
# So many topics nobody judges; with so many Student's law is as good as normal.
_MANY, _NORMAL = 100_000, 2_000


def sentence_of(pair: "Pair", decision: "Decision", row: "Comparison") -> str:
    """Return a pair's verdict in a sentence, by its `row` of the family."""
    system, other, margin = pair.system, pair.other, decision.margin
    if pair.verdict == "no test":
        return f"{system} and {other} cannot be compared on {count(pair.topics, 'topic')}"
    if row.error == 0:
        return _of_alike(pair, decision)
    apart = () if margin is None else (margin,)
    if pair.verdict in ("better", "worse"):
        low, high = sorted((abs(pair.low), abs(pair.high)))
        p = f"{_p(decision)} {probability(pair.adjusted, decision.level)}"
        within = ""
        if margin is not None and high < margin:
            within = f", within the margin of {exactly(margin)}"
        if high == float("inf"):
            return f"{system} is {pair.verdict} than {other}, by the sign test ({p})"
        by = ends(low, high, *apart)
        return f"{system} is {pair.verdict} than {other} by {by}{within} ({p})"
    if pair.verdict == "equivalent":
        most = number(max(abs(pair.low), abs(pair.high)), *apart, up=True)
        return (
            f"{system} and {other} show no difference larger than {most} "
            f"(equivalent at margin {exactly(margin or 0)})"
        )
    undecided = f"{system} against {other} is undecided"
    topics = count(pair.topics, "topic")
    if too_few(decision):
        return f"{undecided}: {topics} are too few to decide anything"
    if row.is_lost:
        return f"{undecided}: the difference is the same on too many of {topics} to be resampled"
    return f"{undecided}: {topics} {_plan(abs(pair.difference), row, decision)}"


def too_few(decision: "Decision") -> bool:
    """Return whether so few topics decide nothing, whatever the scores."""
    needed = least_topics(decision.family, decision.level)
    return decision.method == "bootstrap" and decision.num_topics < needed


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


def _plan(difference: float, row: "Comparison", decision: "Decision") -> str:
    """Return what topics can show, and how many are needed for what matters."""
    num, error, critical = decision.num_topics, row.error, row.critical
    shows = float(detectable(error, num, critical=critical))
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
    level, topics = exactly(decision.level), count(decision.num_topics, "topic")
    where = f"Decided by {decision.measure} on {topics}"
    how = f"{METHOD_NAMES[decision.method]}, seed {decision.seed}"
    if decision.family == 1:
        yield f"{where}: {how}."
    else:
        beside = decision.baseline
        which = "all pairs of systems" if beside is None else f"every system with {beside}"
        yield f"{where}: {which}, {decision.family:,} comparisons together ({how})."
    if too_few(decision):
        needed = least_topics(decision.family, decision.level)
        yield f"{topics} are too few to decide anything: take at least {needed}."
        return
    promise = _PROMISES[decision.method].format(level)
    yield f"{promise}; an interval leaves out 0 if and only if its {_p(decision)} is below {level}."
    if any(pair.verdict == "undecided" for pair in decision.pairs):
        yield f"“Can show” and “need” are with probability {exactly(POWER)}."
