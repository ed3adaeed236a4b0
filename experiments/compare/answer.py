"""What a decision answers, in sentences: which system is best, and how the others stand."""

from collections.abc import Iterable, Iterator, Sequence

from prum.experiments.compare.decision import Decision, Pair, Verdict
from prum.experiments.frame.numbers import count, exactly, shown

# So many sentences are read one by one; so many names of a group are said.
_MOST_PAIRS, _MOST_NAMES = 6, 4
_ORDER: tuple[Verdict, ...] = ("better", "worse", "equivalent", "undecided", "no test")
# Widths of intervals that rounding leaves of equal scores.
_ALIKE = 1e-12


def answer(decision: Decision) -> str:
    """Return which system is best, or how many are better than the baseline, in a sentence."""
    ranked, measure = decision.ranked, decision.measure
    if not decision.num_topics:
        return f"No topic has a value of {measure} for all systems: nothing can be decided"
    best = ranked[0]
    first = [place.system for place in ranked if place.place == 1]
    have = f"{_named(first, 'system')} {'has' if len(first) == 1 else 'have'} the highest"
    if len(ranked) == 1:
        half = "" if best.low != best.low else f" ± {shown(best.mean - best.low, '.4f')}"
        if best.high - best.low <= _ALIKE * abs(best.mean):
            half = f", the same on each of {count(decision.num_topics, 'topic')}"
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


def verdicts(decision: Decision) -> Iterator[str]:
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


def _grouped(pairs: Iterable[Pair]) -> Iterator[tuple[Verdict, list[Pair]]]:
    for verdict in _ORDER:
        group = [pair for pair in pairs if pair.verdict == verdict]
        if group:
            yield verdict, group


def _of_best(decision: Decision, verdict: Verdict, others: Sequence[str]) -> str:
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


def _of_others(baseline: str, verdict: Verdict, others: Sequence[str]) -> str:
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


def _counted(decision: Decision) -> str:
    """Return how many systems have which verdict beside the baseline."""
    groups = [(verdict, len(group)) for verdict, group in _grouped(decision.pairs)]
    (verdict, num), *others = groups
    text = f"{num:,} of {len(decision.pairs):,} systems {'is' if num == 1 else 'are'} {verdict}"
    preposition = {"better": "than", "worse": "than", "equivalent": "to", "undecided": "beside"}
    text += f" {preposition[verdict]} {decision.baseline}"
    return ", ".join([text, *(f"{num:,} {verdict}" for verdict, num in others)])


def _alike(decision: Decision) -> str:
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
