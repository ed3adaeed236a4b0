"""The two answers in words: which orders of systems hold, and how far PRUM's values may be off."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from prum.experiments.evaluate.remarks import remarks
from prum.experiments.frame.numbers import count, exactly, number
from prum.experiments.trust.of_list import INDEPENDENT, PRUM
from prum.experiments.trust.orders import PairSurvival, Standing, TrustOrders
from prum.experiments.trust.trusted import TrustedRecall, trusted_recall
from prum.experiments.trust.verb import SHARE

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
# Of a larger share the size tells nothing: PRUM's value is next to nothing.
MOST_SHARE = 10
# Bounds so many times as far from PRUM as it is said to err come before what is said.
_FAR = 2
_TRIED = "for the users tried, extreme cases aside"


def answer(numbers: TrustOrders) -> Iterator[str]:
    """Yield both answers, in a few sentences: of orders, where there are some, and of values."""
    if not numbers.given.links.num_links:
        yield "There are no links, so PRUM is exact and there is nothing to check."
        return
    yield from _orders(numbers)
    if numbers.active == (INDEPENDENT,) and _is_never_off(numbers):
        yield f"Values hold: {_prum(numbers)} is right; no visit here can depend on another."
    elif _is_never_off(numbers):
        yield f"Values hold: {_prum(numbers)} is right under every dependence tried."
    else:
        trusted = trusted_recall(numbers)
        distance, bounds = _bounds(numbers)
        parts = [[bounds], [*_values(numbers, trusted)]]
        for part in parts if distance > _FAR * trusted.average else reversed(parts):
            yield from part


def _is_never_off(numbers: TrustOrders) -> bool:
    """Return whether no value of a list differs from PRUM's, and none is missing."""
    return all(
        bool((np.abs(value.precision - entry.values[PRUM].precision) < _NONE).all())
        for entry in numbers.lists.values()
        for value in entry.values.values()
    )


def _values(numbers: TrustOrders, trusted: TrustedRecall) -> Iterator[str]:
    """Yield whether values hold; and where PRUM errs most, beyond what it is trusted to."""
    prum = _prum(numbers)
    good = f"{prum} errs by at most {_error(trusted.error, trusted.share)} {_TRIED}"
    if trusted.error < _NONE:
        good = f"{prum} is right {_TRIED}"
    if trusted.verdict == "yes":
        most = trusted.largest
        part = f"; this is up to r = {most}, which half of the topics have"
        yield f"Values hold: {good}{part if most < numbers.most_ideals else ''}."
        if trusted.is_proven:
            most_off = f"{exactly(numbers.tolerance)} and {100 * SHARE:.0f} % of its value"
            yield f"By bounds it errs by at most {most_off} under any dependence between visits."
        return
    case = f"{trusted.beyond_system}, r = {trusted.beyond_r}, {_if(numbers, [trusted.beyond_name])}"
    off = f"may be off by up to {_error(trusted.beyond, trusted.beyond_share)} ({case})"
    yield {
        "up to": f"Values hold up to r = {trusted.last}: {good}; beyond, it {off}.",
        "no": f"Values do not hold: {prum} {off} {_TRIED}.",
        "unknown": f"Values are unknown, for simulated users are too few; {prum} {off}.",
    }[trusted.verdict]
    if trusted.largest > 1:
        average = number(trusted.average, up=True)
        of = f"{trusted.average_system}, {_if(numbers, [trusted.average_name])}"
        yield f"In the mean over r it may be off by up to {average} ({of})."
    if not trusted.is_off and trusted.verdict == "up to":
        yield "Whether it errs by more than is tolerated there, simulated users are too few to say."
    if trusted.missing:
        condition = _if(numbers, trusted.missing)
        yield f"Users are too few for a value at some recall values {condition}."


def _bounds(numbers: TrustOrders) -> tuple[float, str]:
    """Return how far bounds are from PRUM, and the row of all systems, of means over r."""
    lows, highs = (end.mean(axis=1) for end in numbers.bounds)
    prum = np.array([numbers.mean(system, PRUM) for system in numbers.systems])
    row = int(np.argmax(highs - lows))
    low, high = float(lows[row]), float(highs[row])
    ends = math.floor(low * 1000) / 1000, min(math.ceil(high * 1000) / 1000, 1.0)
    least, most = (exactly(end) for end in ends)
    return float(np.maximum(highs - prum, prum - lows).max()), (
        f"Bounds over all dependences between visits: the mean precision of {numbers.systems[row]} "
        f"lies between {least} and {most} ({_prum(numbers)}: "
        f"{exactly(round(float(prum[row]), 3))})."
    )


def _orders(numbers: TrustOrders) -> Iterator[str]:
    pairs = numbers.pairs
    standings = Counter(pair.standing for pair in pairs)
    if len(pairs) > _MOST_PAIRS:
        if standings["kept"] == len(pairs):
            of = f"the {len(pairs):,} pairs of systems"
            yield f"The order of each of {of} is kept under every dependence tried."
            return
        parts = [
            f"{standings[name]:,} {words}" for name, words in _COUNTED.items() if standings[name]
        ]
        of = f"Orders of {len(pairs):,} pairs of systems for the users tried"
        yield f"{of}: {', '.join(parts)}."
        pairs = tuple(pair for pair in worst_first(pairs) if pair.standing != "kept")
    yield from (f"{_sentence(pair, numbers)}." for pair in pairs[:_MOST_PAIRS])


def worst_first(pairs: Sequence[PairSurvival]) -> list[PairSurvival]:
    """Return pairs by what becomes of their order, the worst first."""
    first = list(_COUNTED)
    return sorted(pairs, key=lambda pair: (first.index(pair.standing), -pair.by_prum.difference))


def _sentence(pair: PairSurvival, numbers: TrustOrders) -> str:
    """Return what becomes of the order of two systems."""
    both = f"{pair.system} and {pair.other}"
    if pair.standing == "level":
        return f"By {_prum(numbers)} {both} are level"
    if pair.standing == "kept":
        how = "is kept under every dependence tried"
        if pair.is_kept_by_bounds:
            how += ", and under any between visits"
    else:
        how = "; it ".join(_parts(pair, numbers))
    return f"The order of {both} {how}{_over_topics(pair, numbers)}"


def _parts(pair: PairSurvival, numbers: TrustOrders) -> Iterator[str]:
    """Yield what turns an order, what leaves it undecided, and whether all else keeps it."""
    turned = [*pair.turned, *pair.extremes_turned]
    if turned:
        yield f"turns {'' if pair.turned else 'at the extreme, '}{_if(numbers, turned)}"
    if pair.undecided:
        yield f"is undecided {_if(numbers, pair.undecided)}"
    if "kept" in pair.fates.values() and not turned:
        yield "is kept under every other dependence tried"


def _over_topics(pair: PairSurvival, numbers: TrustOrders) -> str:
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


def _if(numbers: TrustOrders, names: Sequence[str]) -> str:
    """Return conditions: "if users differ or if users walk"."""
    clauses = {row.name: f"if {row.clause}" for row in numbers.table}
    said = [clauses.get(name, "without Hypothesis 2.3") for name in names]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} or {said[-1]}"


def _prum(numbers: TrustOrders) -> str:
    """Return what is trusted: "PRUM", or "PRUM in tokens"."""
    return f"PRUM{numbers.in_unit}"


def _error(value: float, share: float) -> str:
    """Return an error, and beside PRUM's value unless that is next to nothing, rounded up.

    >>> _error(0.0123, 0.4), _error(0.5, 4e7)
    ('.013, or 40 % of its value', '.50')
    """
    share_text = f", or {number(100 * share, up=True)} % of its value"
    return number(value, up=True) + (share_text if 0 < share <= MOST_SHARE else "")


def remarks_of(numbers: TrustOrders) -> Iterator[str]:
    """Yield what is odd of the input, and what was assumed, a line for each kind."""
    given = numbers.given
    yield from remarks(
        given.input_warnings,
        num_topics=len(numbers.campaign.ideals),
        without_ideals=given.without_ideals,
        unsized=None if given.knows_size else (),
    )
    if numbers.stopped:
        yield (
            f"{numbers.stopped}: this is of {len(numbers.topics):,} of "
            f"{len(numbers.campaign.ideals):,} topics"
        )
