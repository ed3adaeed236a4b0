"""The answer in words: can PRUM be trusted here, which orders are kept, what is known of people."""

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

_VOTES = "15 people on each of 56 documents in four settings, who marked relevant paragraphs"
_GAMES = "76,187 games of Wikispeedia, in which people walk from article to article"

_MARKS, _STOPS, _WALKS = (
    f"docs/findings.md, {section}"
    for section in ("People mark paragraphs", "Where people stop", "People walk")
)

# What was measured on people: the dependence that it is about, the figure in words, the data, and
# where the documentation tells it, with the command that repeats it.
KNOWN = tuple(
    dict(zip(("dependence", "figure", "source", "page"), row, strict=True))
    for row in (
        (
            "users differ",
            "marks of one person in different documents correlate by .68, .45, .52 and .41 (one "
            "factor; .20 to .88 by their intervals)",
            _VOTES,
            _MARKS,
        ),
        (
            "users differ",
            "the patience of those who click has the law Beta(1.30 ± .12, 1.34 ± .11): decisions "
            "of one of them to go on correlate by 1 / (1 + a + b) = .27",
            "31,564 searches of NAVER (CLARA2), last clicks",
            _STOPS,
        ),
        (
            "correlated",
            "marks of one person in one document correlate by .79, .70, .71 and .68, their "
            "person's factor among it",
            _VOTES,
            _MARKS,
        ),
        (
            "comonotone",
            "of all players .134 see some ideal, if visits were independent .150, if they went "
            "together .087: a quarter of the way",
            _GAMES,
            _WALKS,
        ),
        (
            "exclusive",
            "of players who look for an ideal .895 see one, if visits were independent .774, if "
            "they excluded each other .966: two thirds of the way, partly because the game ends "
            "there",
            _GAMES,
            _WALKS,
        ),
        (
            "walk",
            "a walk without memory is right on average about who sees some ideal (−.0002 ± .0010 "
            "for all players, +.009 ± .004 for those who look for one)",
            _GAMES,
            _WALKS,
        ),
    )
)


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


def answer(numbers: TrustOrders) -> Iterator[str]:
    """Yield the answer, in a few sentences; the first says whether PRUM can be trusted."""
    if not numbers.given.links.num_links:
        yield "There are no links, so PRUM is exact and there is nothing to check."
        return
    trusted = trusted_recall(numbers)
    first, *others = numbers.topics
    # The answer has 25 words at most, which a question may have of its own.
    where = "" if others else " on this topic" if " " in first else f" on topic {first}"
    if numbers.active == (INDEPENDENT,) and _is_never_off(numbers):
        yield f"Yes: {_prum(numbers)} is right{where}; no visit here can depend on another."
    elif _is_never_off(numbers):
        yield f"Yes: {_prum(numbers)} is right{where} under every dependence tried."
    else:
        yield from _value(numbers, trusted, where)
        if trusted.missing:
            condition = _if(numbers, trusted.missing)
            yield f"Users are too few for a value at some recall values {condition}."
        yield from _extreme(numbers, trusted)
        yield _bounds(numbers)
    yield from _orders(numbers)


def _is_never_off(numbers: TrustOrders) -> bool:
    """Return whether no value of a list differs from PRUM's, and none is missing."""
    return all(
        bool((np.abs(value.precision - one.values[PRUM].precision) < _NONE).all())
        for one in numbers.lists.values()
        for value in one.values.values()
    )


def _value(numbers: TrustOrders, trusted: TrustedRecall, where: str) -> Iterator[str]:
    """Yield whether it is trusted, in 25 words at most, and where it errs most."""
    among = "among the users tried" + ", extremes apart" * trusted.is_apart
    good = f"{_prum(numbers)} errs by at most {_error(trusted.error, trusted.share)}, {among}"
    if trusted.error < _NONE:
        good = f"{_prum(numbers)} is right {among}"
    match trusted.verdict:
        case "yes":
            yield f"Yes: {good}{where}."
            if trusted.largest < numbers.most_ideals:
                yield f"This is up to r = {trusted.largest}, which half of the topics have."
            if trusted.is_proven:
                most = f"{exactly(numbers.tolerance)} and {100 * SHARE:.0f} % of its value"
                yield f"By bounds it errs by at most {most} under any dependence between visits."
            return
        case "up to":
            yield f"Up to r = {trusted.last}: {good}."
        case "no":
            most = _error(trusted.beyond, trusted.beyond_share)
            yield f"No: {_prum(numbers)} may be off by up to {most}, {among}."
        case "unknown":
            how = f"how far {_prum(numbers)} errs"
            yield f"Unknown{where}: simulated users are too few to say {how}."
    yield from _beyond(numbers, trusted, where)


def _beyond(numbers: TrustOrders, trusted: TrustedRecall, where: str) -> Iterator[str]:
    """Yield where PRUM errs most, beyond what it is trusted to, and in the mean over r."""
    on = f"{where.strip()}, " if where else ""
    condition = _if(numbers, [trusted.beyond_name])
    at = f"at r = {trusted.beyond_r}, {condition}" if trusted.largest > 1 else condition
    most = _error(trusted.beyond, trusted.beyond_share)
    begin = {
        "no": f"It errs most {on}{at}",
        "unknown": f"It may be off by up to {most} ({at})",
        "up to": f"Beyond, {on}it may be off by up to {most} ({at})",
    }[trusted.verdict]
    if trusted.largest > 1:
        average = number(trusted.average, up=True)
        begin += (
            f"; in the mean over r, by up to {average} ({_if(numbers, [trusted.average_name])})"
        )
    yield f"{begin}, where users are enough." if trusted.missing else f"{begin}."
    if not trusted.is_off and trusted.verdict == "up to":
        yield "Whether it errs by more than is tolerated there, simulated users are too few to say."


def _extreme(numbers: TrustOrders, trusted: TrustedRecall) -> Iterator[str]:
    """Yield what dependence could do at most, where that is more."""
    whole = trusted_recall(numbers, extremes=True)
    if trusted.is_apart or whole.average > max(trusted.average, numbers.tolerance):
        if whole.average_name in numbers.extremes:
            error = number(whole.average, up=True)
            condition = _if(numbers, [whole.average_name])
            yield f"At the extreme, {condition}, it is off by up to {error} in the mean over r."
        elif whole.beyond_name in numbers.extremes:
            error, at = number(whole.beyond, up=True), whole.beyond_r
            condition = _if(numbers, [whole.beyond_name])
            yield f"At the extreme, {condition}, it is off by up to {error}, at r = {at}."


def _bounds(numbers: TrustOrders) -> str:
    """Return between which bounds a mean lies under any dependence: the widest of all systems'."""
    lows, highs = (end.mean(axis=1) for end in numbers.bounds)
    at = int(np.argmax(highs - lows))
    system, low, high = numbers.systems[at], float(lows[at]), float(highs[at])
    ends = math.floor(low * 1000) / 1000, min(math.ceil(high * 1000) / 1000, 1.0)
    least, most = (exactly(end) for end in ends)
    mean = exactly(round(numbers.mean(system, PRUM), 3))
    return (
        f"Bounds over all dependences between visits: the mean precision of {system} lies between "
        f"{least} and {most} ({_prum(numbers)}: {mean})."
    )


def _orders(numbers: TrustOrders) -> Iterator[str]:
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
    yield from (f"{sentence(pair, numbers)}." for pair in worst_first(rest)[:_MOST_PAIRS])


def worst_first(pairs: Sequence[PairSurvival]) -> list[PairSurvival]:
    """Return pairs by what becomes of their order, the worst first."""
    first = list(_COUNTED)
    return sorted(pairs, key=lambda pair: (first.index(pair.standing), -pair.by_prum.difference))


def sentence(pair: PairSurvival, numbers: TrustOrders) -> str:
    """Return what becomes of the order of two systems."""
    both = f"{pair.system} and {pair.other}"
    if pair.standing == "level":
        return f"By {_prum(numbers)} {both} are level"
    if pair.standing == "kept":
        how = "is kept under every dependence tried"
        if pair.is_kept_by_bounds:
            how += ", and under any between visits"
        elif pair.is_kept_within:
            how += ", and under any between visits from one element"
    else:
        how = "; it ".join(_parts(pair, numbers))
    return f"The order of {both} {how}{_over_topics(pair, numbers)}"


def _parts(pair: PairSurvival, numbers: TrustOrders) -> Iterator[str]:
    """Yield what turns an order, what leaves it undecided, and whether all else keeps it."""
    on, turned = _coverage(pair, numbers), [*pair.turned, *pair.extremes_turned]
    if turned:
        where = "" if pair.turned else "at the extreme, "
        yield f"turns {where}{_if(numbers, turned, on)}"
    if pair.undecided:
        yield f"is undecided {_if(numbers, pair.undecided, on)}"
    if "kept" in pair.fates.values() and not turned:
        yield "is kept under every other dependence tried"


def _coverage(pair: PairSurvival, numbers: TrustOrders) -> dict[str, str]:
    """Return on how many topics there are users of the dependences that not all topics have."""
    return {
        name: f" (on {pair.under[name].topics:,} of {len(numbers.topics):,} topics)"
        for name in pair.partial
        if name in pair.fates and not any(numbers.num_missing(one, name) for one in numbers.systems)
    }


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


def _if(numbers: TrustOrders, names: Sequence[str], on: dict[str, str] | None = None) -> str:
    """Return conditions: "if users differ or if users walk", and on how many topics these are."""
    clauses = {row.name: f"if {row.clause}" for row in numbers.table}
    said = [
        clauses.get(name, "without Hypothesis 2.3") + (on or {}).get(name, "") for name in names
    ]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} or {said[-1]}"


def _prum(numbers: TrustOrders) -> str:
    """Return what is trusted: "PRUM", or "PRUM in tokens"."""
    return f"PRUM{numbers.in_unit}"


def _error(value: float, share: float) -> str:
    """Return an error, and beside PRUM's value unless it is nothing to speak of, rounded up.

    >>> _error(0.0123, 0.4), _error(0.5, 4e7), _error(2e-8, 0.0)
    ('.013, or 40 % of its value', '.50, more than ten times its value', '.000000020')
    """
    beside = f", or {number(100 * share, up=True)} % of its value" if share else ""
    if share > MOST_SHARE:
        beside = ", more than ten times its value"
    return f"{number(value, up=True)}{beside}"


def remarks_of(numbers: TrustOrders) -> Iterator[str]:
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
            "the collection's size is not given, and taken as infinite, where nobody finds an "
            "ideal behind the list"
        )
    if numbers.stopped:
        yield (
            f"{numbers.stopped}: this is of {len(numbers.topics):,} of "
            f"{len(numbers.campaign.ideals):,} topics"
        )
