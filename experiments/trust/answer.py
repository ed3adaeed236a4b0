"""The answer in words: up to where PRUM may be trusted, and which orders of systems are safe."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from prum.experiments.compare.wording import count, number
from prum.experiments.trust.of_list import INDEPENDENT
from prum.experiments.trust.result import TrustResult
from prum.experiments.trust.survival import PairSurvival
from prum.simulator.model.arrays import Floats

# So many pairs are named one by one.
_MOST_PAIRS = 3
# Errors below this are none.
_NONE = 1e-9


@dataclass(frozen=True, slots=True)
class TrustedRecall:
    """Up to which recall value PRUM's means over topics err by no more than the tolerance.

    Parameters
    ----------
    last
        The recall value, 0 if there is none.
    error
        The largest error up to it.
    beyond
        The largest error beyond it, of which dependence, and at which r; NaN if there is nothing
        beyond.
    average
        The largest error in the mean over r, and of which dependence.
    largest
        The last recall value that at least half of the topics have: what this is about.
    """

    last: int
    error: float
    beyond: float
    beyond_name: str
    beyond_r: int
    average: float
    average_name: str
    largest: int


def trusted_recall(result: TrustResult, *, extremes: bool = False) -> TrustedRecall:
    """Return up to where PRUM is trusted, whichever system and dependence, but for extremes."""
    sizes = sorted(one.num_ideals for one in result.lists.values())
    largest = sizes[len(sizes) // 2]
    names = [name for name in result.names if extremes or name not in result.extremes]

    def worst(r: int | None) -> tuple[float, str]:
        errors = result.mean_errors(r)
        each = {name: _largest(errors[name]) for name in names}
        name = max(each, key=each.__getitem__)
        return each[name], name

    last, error = 0, 0.0
    rows = [worst(r) for r in range(1, largest + 1)]
    for value, _ in rows:
        if value > result.tolerance:
            break
        last, error = last + 1, max(error, value)
    beyond = rows[last:]
    at = int(np.argmax([value for value, _ in beyond])) if beyond else 0
    value, name = beyond[at] if beyond else (float("nan"), "")
    return TrustedRecall(last, error, value, name, last + at + 1, *worst(None), largest)


def answer(result: TrustResult) -> Iterator[str]:
    """Yield the answer, in a few sentences."""
    if not result.given.links.num_links:
        yield "Nobody browses, for there are no links: PRUM is exact, with nothing to trust."
        return
    trusted = trusted_recall(result)
    where = "" if len(result.topics) > 1 else f" on topic {result.topics[0]}"
    if trusted.average < _NONE and np.isnan(trusted.beyond) and trusted.error < _NONE:
        yield f"{_prum(result)} is right{where} whatever users do: no dependence changes its value."
    else:
        yield f"{_value(result, trusted)}{where}."
        yield from _extreme(result, trusted)
    yield from _orders(result)


def _value(result: TrustResult, trusted: TrustedRecall) -> str:
    good = (
        f"{_prum(result)} is right"
        if trusted.error < _NONE
        else f"{_prum(result)} may be trusted to {_error(trusted.error)}"
    )
    if trusted.last == trusted.largest:
        return good if trusted.largest == 1 else f"{good} at every recall value"
    beyond = (
        f"off by up to {_error(trusted.beyond)} "
        f"(at r = {trusted.beyond_r}, {_if(result, [trusted.beyond_name])})"
    )
    if trusted.last:
        begin = f"{good} up to r = {trusted.last}; beyond, it may be {beyond}"
    else:
        begin = f"{_prum(result)} may be {beyond}"
    if trusted.largest == 1:
        return begin
    average = _error(trusted.average)
    return (
        f"{begin}; in the mean over r, by up to {average} ({_if(result, [trusted.average_name])})"
    )


def _extreme(result: TrustResult, trusted: TrustedRecall) -> Iterator[str]:
    """Yield what dependence could do at most, where that is more."""
    errors = result.mean_errors()
    each = {name: _largest(errors[name]) for name in result.names if name in result.extremes}
    if not each:
        return
    name = max(each, key=each.__getitem__)
    if each[name] > max(trusted.average, result.tolerance):
        error = _error(each[name])
        yield f"At the extreme, {_if(result, [name])}, it is off by {error} in the mean."


def _orders(result: TrustResult) -> Iterator[str]:
    pairs = result.pairs
    if not pairs:
        return
    if len(pairs) <= _MOST_PAIRS:
        yield from (f"{sentence(pair, result)}." for pair in pairs)
        return
    rest = [pair for pair in pairs if pair.standing not in ("whatever", "every")]
    if not rest:
        yield f"The order of all {count(len(result.systems), 'system')} is safe."
        return
    yield f"The order is safe for {len(pairs) - len(rest):,} of {len(pairs):,} pairs of systems."
    worst = sorted(rest, key=lambda pair: (pair.standing != "turned", -pair.by_prum.difference))
    yield from (f"{sentence(pair, result)}." for pair in worst[:_MOST_PAIRS])


def sentence(pair: PairSurvival, result: TrustResult) -> str:
    """Return what becomes of the order of two systems."""
    both = f"{pair.system} and {pair.other}"
    ending = _over_topics(pair, result)
    if pair.standing == "level":
        return f"By {_prum(result)} {both} are level"
    if pair.standing == "turned":
        turned = [*pair.turned, *pair.extremes_turned]
        return f"The order of {both} is not safe: it turns {_if(result, turned)}{ending}"
    if pair.standing == "but extremes":
        return (
            f"The order of {both} is safe but at the extreme: it turns "
            f"{_if(result, pair.extremes_turned)}{ending}"
        )
    how = "every dependence keeps it"
    if pair.standing == "whatever":
        how += ", and so does any between visits from one element"
    if pair.unsure:
        how += f", but users are too few to say what happens {_if(result, pair.unsure)}"
    return f"The order of {both} is safe ({how}){ending}"


def _over_topics(pair: PairSurvival, result: TrustResult) -> str:
    """Return what is to be added of the decision over topics."""
    verdict = pair.by_prum.verdict
    if verdict == "no test":
        return ", on this one topic"
    topics = count(pair.by_prum.topics, "topic")
    others = [name for name in pair.changed if name != INDEPENDENT]
    if verdict == "better":
        if not others:
            return f"; {topics} decide for {pair.system} under each"
        return f"; {topics} decide for {pair.system}, but not {_if(result, others)}"
    left = "show no difference that matters" if verdict == "equivalent" else "leave it undecided"
    return f"; {topics} {left}"


def _if(result: TrustResult, names: Sequence[str]) -> str:
    """Return conditions: "if users differ or if users walk"."""
    clauses = {row.name: f"if {row.clause}" for row in result.table}
    said = [clauses.get(name, "by Hypothesis 2.3 alone") for name in names]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} or {said[-1]}"


def _prum(result: TrustResult) -> str:
    """Return what is trusted: "PRUM", or "PRUM in tokens"."""
    return f"PRUM{result.in_unit}"


def _error(value: float) -> str:
    """Return an error, rounded up."""
    return number(value, up=True)


def _largest(errors: Floats) -> float:
    there = errors[~np.isnan(errors)]
    return float(np.abs(there).max(initial=0.0))
