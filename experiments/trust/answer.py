"""The answer in words: up to where PRUM may be trusted, and which orders of systems are kept."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from prum.experiments.compare.numbers import count, number
from prum.experiments.evaluate.remarks import remarks
from prum.experiments.trust.numbers import PairSurvival, Standing, TrustNumbers
from prum.experiments.trust.of_list import PRUM
from prum.simulator.model.arrays import Floats

# So many pairs are named one by one.
_MOST_PAIRS = 3
# What becomes of orders, in words, the worst first.
_COUNTED: dict[Standing, str] = {
    "turns": "turned",
    "undecided": "undecided",
    "level": "level by PRUM",
    "kept": "kept",
}
# Errors below this are none.
_NONE = 1e-9


@dataclass(frozen=True, slots=True)
class TrustedRecall:
    """Up to which recall value PRUM's means over topics err by no more than the tolerance.

    Parameters
    ----------
    last
        The recall value, 0 if there is none; none beyond the first where users are too few.
    error
        The largest error up to it.
    beyond
        The largest error beyond it, of which dependence, and at which r; NaN if there is nothing
        beyond.
    average
        The largest error in the mean over r, and of which dependence.
    largest
        The last recall value that at least half of the topics have: what this is about.
    missing
        The dependences of which users are too few for a value, at one of these recall values.
    """

    last: int
    error: float
    beyond: float
    beyond_name: str
    beyond_r: int
    average: float
    average_name: str
    largest: int
    missing: tuple[str, ...]


def trusted_recall(numbers: TrustNumbers, *, extremes: bool = False) -> TrustedRecall:
    """Return up to where PRUM is trusted, whichever system and dependence, but for extremes."""
    sizes = sorted(one.num_ideals for one in numbers.lists.values())
    largest = sizes[len(sizes) // 2]
    names = [name for name in numbers.names if extremes or name not in numbers.extremes]

    def worst(r: int | None) -> tuple[float, str]:
        errors = numbers.mean_errors(r)
        each = {name: _largest(errors[name]) for name in names}
        name = max(each, key=each.__getitem__)
        return each[name], name

    def missing(r: int) -> list[str]:
        if not numbers.num_unresolved:
            return []
        return [
            name
            for name in names
            if any(numbers.num_missing(one, name, r) for one in numbers.systems)
        ]

    recall = range(1, largest + 1)
    rows, gaps = [worst(r) for r in recall], [missing(r) for r in recall]
    last, error = 0, 0.0
    for (value, _), gap in zip(rows, gaps, strict=True):
        if gap or value > numbers.tolerance:
            break
        last, error = last + 1, max(error, value)
    beyond = rows[last:]
    at = int(np.argmax([value for value, _ in beyond])) if beyond else 0
    value, name = beyond[at] if beyond else (float("nan"), "")
    average, average_name = worst(None)
    without = tuple(name for name in names if any(name in gap for gap in gaps))
    return TrustedRecall(
        last, error, value, name, last + at + 1, average, average_name, largest, without
    )


def answer(numbers: TrustNumbers) -> Iterator[str]:
    """Yield the answer, in a few sentences."""
    if not numbers.given.links.num_links:
        yield "There are no links, so PRUM is exact and there is nothing to check."
        return
    trusted = trusted_recall(numbers)
    where = "" if len(numbers.topics) > 1 else f" on topic {numbers.topics[0]}"
    if _is_never_off(numbers):
        yield f"{_prum(numbers)} is right{where} under every dependence tried."
    else:
        yield f"{_value(numbers, trusted)}{where}."
        if trusted.missing:
            condition = _if(numbers, trusted.missing)
            yield f"Users are too few for a value at some recall values {condition}."
        yield from _extreme(numbers, trusted)
    yield from _orders(numbers)


def _is_never_off(numbers: TrustNumbers) -> bool:
    """Return whether no value of a list differs from PRUM's, and none is missing."""
    return all(
        bool((np.abs(value.precision - one.values[PRUM].precision) < _NONE).all())
        for one in numbers.lists.values()
        for value in one.values.values()
    )


def _value(numbers: TrustNumbers, trusted: TrustedRecall) -> str:
    good = (
        f"{_prum(numbers)} is right"
        if trusted.error < _NONE
        else f"{_prum(numbers)} may be trusted to {_error(trusted.error)}"
    )
    if trusted.last == trusted.largest:
        if trusted.largest < numbers.most_ideals:
            return f"{good} up to r = {trusted.largest}, which half of the topics have"
        return good if trusted.largest == 1 else f"{good} at every recall value"
    beyond = (
        f"off by up to {_error(trusted.beyond)} "
        f"(at r = {trusted.beyond_r}, {_if(numbers, [trusted.beyond_name])})"
    )
    if trusted.last:
        begin = f"{good} up to r = {trusted.last}; beyond, it may be {beyond}"
    else:
        begin = f"{_prum(numbers)} may be {beyond}"
    if trusted.largest > 1:
        average = _error(trusted.average)
        condition = _if(numbers, [trusted.average_name])
        begin += f"; in the mean over r, by up to {average} ({condition})"
    return f"{begin}, where users are enough" if trusted.missing else begin


def _extreme(numbers: TrustNumbers, trusted: TrustedRecall) -> Iterator[str]:
    """Yield what dependence could do at most, where that is more."""
    errors = numbers.mean_errors()
    each = {name: _largest(errors[name]) for name in numbers.names if name in numbers.extremes}
    if not each:
        return
    name = max(each, key=each.__getitem__)
    if each[name] > max(trusted.average, numbers.tolerance):
        error = _error(each[name])
        yield f"At the extreme, {_if(numbers, [name])}, it is off by {error} in the mean."


def _orders(numbers: TrustNumbers) -> Iterator[str]:
    pairs = numbers.pairs
    if not pairs:
        return
    if len(pairs) <= _MOST_PAIRS:
        yield from (f"{sentence(pair, numbers)}." for pair in pairs)
        return
    rest = [pair for pair in pairs if pair.standing != "kept"]
    if not rest:
        yield (
            f"The order of each of the {len(pairs):,} pairs of systems is kept under every "
            "dependence tried."
        )
        return
    standings = Counter(pair.standing for pair in pairs)
    parts = [f"{standings[name]:,} {words}" for name, words in _COUNTED.items() if standings[name]]
    yield (
        f"Orders of {len(pairs):,} pairs of systems under the dependences tried: "
        f"{', '.join(parts)}."
    )
    first = list(_COUNTED)
    worst = sorted(rest, key=lambda pair: (first.index(pair.standing), -pair.by_prum.difference))
    yield from (f"{sentence(pair, numbers)}." for pair in worst[:_MOST_PAIRS])


def sentence(pair: PairSurvival, numbers: TrustNumbers) -> str:
    """Return what becomes of the order of two systems."""
    both = f"{pair.system} and {pair.other}"
    if pair.standing == "level":
        return f"By {_prum(numbers)} {both} are level"
    undecided = f"is undecided {_if(numbers, pair.undecided)}" if pair.undecided else ""
    if pair.standing == "turns":
        turned = [*pair.turned, *pair.extremes_turned]
        extreme = "" if pair.turned else "at the extreme, "
        how = f"turns {extreme}{_if(numbers, turned)}"
        if undecided:
            how += f", and {undecided}"
    elif pair.standing == "undecided":
        how = undecided
        if len(pair.undecided) < len(pair.under) - 1:
            how += ", and kept under every other dependence tried"
    else:
        how = "is kept under every dependence tried"
        if pair.is_kept_by_bounds:
            how += ", and under any between visits from one element"
    return f"The order of {both} {how}{_over_topics(pair, numbers)}"


def _over_topics(pair: PairSurvival, numbers: TrustNumbers) -> str:
    """Return what is to be added of the decision over topics."""
    verdict = pair.by_prum.verdict
    if verdict == "no test":
        return ", on this one topic"
    over = f"; over {count(pair.by_prum.topics, 'topic')}"
    if verdict == "better":
        if pair.changed:
            how = f", but not {_if(numbers, pair.changed)}"
        else:
            how = " under each that has a value on all" if pair.partial else " under each"
        return f"{over} {pair.system} is significantly better{how}"
    if verdict == "equivalent":
        return f"{over} the difference by PRUM does not matter"
    return f"{over} the difference by PRUM is not significant"


def _if(numbers: TrustNumbers, names: Sequence[str]) -> str:
    """Return conditions: "if users differ or if users walk"."""
    clauses = {row.name: f"if {row.clause}" for row in numbers.table}
    said = [clauses.get(name, "without Hypothesis 2.3") for name in names]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} or {said[-1]}"


def _prum(numbers: TrustNumbers) -> str:
    """Return what is trusted: "PRUM", or "PRUM in tokens"."""
    return f"PRUM{numbers.in_unit}"


def _error(value: float) -> str:
    """Return an error, rounded up."""
    return number(value, up=True)


def _largest(errors: Floats) -> float:
    there = errors[~np.isnan(errors)]
    return float(np.abs(there).max(initial=0.0))


def remarks_of(numbers: TrustNumbers) -> Iterator[str]:
    """Yield what is odd of the input, and what was assumed, a line for each kind."""
    given = numbers.given
    yield from remarks(
        num_topics=len(numbers.campaign.ideals),
        without_ideals=given.without_ideals,
        lists=given.input_warnings,
        size_rises={},
        takes_highest=False,
    )
    if not given.knows_size:
        yield (
            "the collection's size is not given, and taken for endless, where nobody finds an "
            "ideal behind the list"
        )
    if numbers.stopped:
        yield (
            f"{numbers.stopped}: this is of {len(numbers.topics):,} of "
            f"{len(numbers.campaign.ideals):,} topics"
        )
