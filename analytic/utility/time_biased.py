"""What a ranked list costs users in seconds: time to so many ideals, and time-biased gain."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.precision.of_task import reach_matrix
from prum.analytic.precision.reach import MatrixLike, checked_reach, checked_unranked, unseen_after
from prum.analytic.precision.seen import poisson_binomial
from prum.simulator.model import Constant, Costs, Independent, InputError, Task
from prum.simulator.model.arrays import Floats
from prum.simulator.model.costs import seconds
from prum.simulator.model.errors import proportion, real_array, whole_number


@dataclass(frozen=True, slots=True, eq=False)
class TimeToFind:
    """What it takes to see r = 1 .. t ideals; arrays of shape (t,), index 0 is r = 1.

    E[time], in seconds, and E[ideals navigated to], those seen before included.
    """

    seconds: Floats
    visits: Floats

    @property
    def ideals_per_minute(self) -> Floats:
        """60 r / E[time], shape (t,): wanted ideals by expected time, inf where it takes none."""
        with np.errstate(divide="ignore"):
            return 60 * np.arange(1, len(self.seconds) + 1) / self.seconds

    def __repr__(self) -> str:
        shown = " ".join(f"{value:.2f}" for value in self.seconds[:7])
        more = " …" if len(self.seconds) > 7 else ""
        return f"TimeToFind(t = {len(self.seconds)}: seconds {shown}{more})"


def time_to_find(
    reach: MatrixLike,
    unranked: int,
    own: Sequence[int],
    *,
    judge: float,
    read_ranked: ArrayLike,
    read_ideals: ArrayLike,
    read_unranked: float = 0.0,
    move: float = 0.0,
) -> TimeToFind:
    """Return the expected time to see r = 1 .. t ideals, under Hypotheses 2.1 and 2.2.

    The visits at rank i do not depend on F_{i-1}, so with d_i the expected seconds at rank i
    E[T(r)] = sum_{i<=o} P(F_{i-1} < r) d_i + E[time after the list],
    d_i = judge + read_ranked[i] + sum over ideals y but the element itself of
    P(l_i -> y) (move + read_ideals[y]), whether or not y was seen before: Wald's argument with
    ranks that differ. Of users with s = F_o < r, K = t - s ideals unseen, r - s of them wanted,
    each unseen ideal is among those they come to with probability (r - s) / K, and any other
    unranked element comes before the last of them with probability (r - s) / (K + 1). Only means
    enter: durations may have any laws independent of visits. Time O(o t^2 + t^3).

    Users finish with the element they consult, visits included, when they have seen r ideals.

    Parameters
    ----------
    reach
        P(l_i -> x), shape (o, t), as for `exact`.
    unranked
        u, the number of unranked elements.
    own
        For each rank the ideal that its element is, the column of `reach` from 0, or -1 if it is
        none; shape (o,). The ideals not named are unranked elements.
    judge
        Seconds that each consulted element takes by itself: a look at its summary.
    read_ranked, read_ideals
        Seconds to read each ranked element, shape (o,), and each ideal, shape (t,); or one number
        for all.
    read_unranked
        Mean seconds to read an unranked element that is not ideal.
    move
        Seconds that each step from a consulted element to another takes.

    Raises InputError for a reach outside [0, 1], u smaller than the number of unranked ideals,
    `own` that names an ideal twice or at a rank where `reach` has no 1, times that are negative or
    not finite.

    >>> time_to_find([[0.5], [1.0]], 0, [-1, 0], judge=4.0, read_ranked=10, read_ideals=10, move=1)
    TimeToFind(t = 1: seconds 26.50)
    """
    entries = checked_reach(reach)
    o, t = entries.num_ranked, entries.num_ideals
    visits = entries.dense()
    unseen = unseen_after(visits)
    ranked = _ranked_ideals(own, visits)
    u = checked_unranked(unranked, t - len(ranked))
    judge, move = seconds("judge", judge), seconds("move", move)
    read_unranked = seconds("read_unranked", read_unranked)
    read_ranked = _times("read_ranked", read_ranked, o)
    read_ideals = _times("read_ideals", read_ideals, t)

    for x, i in ranked.items():
        visits[i, x] = 0  # the element itself: read, but not gone to
    each = judge + read_ranked + visits @ (move + read_ideals)
    wanting = np.zeros((o, t))
    for i in range(o):
        wanting[i] = np.cumsum(poisson_binomial(1 - unseen[i]))[:t]

    others = (u - t + len(ranked)) * (judge + read_unranked)
    later = others * _comes_to(poisson_binomial(1 - unseen[-1]), 1, t)
    for y in set(range(t)).difference(ranked):
        rest = poisson_binomial(1 - np.delete(unseen[-1], y))
        missing = float(unseen[-1, y])
        share = missing * _comes_to(rest, 0, t)
        share += (1 - missing) * _comes_to(np.append(0.0, rest), 1, t)
        later += (judge + read_ideals[y]) * share
    return TimeToFind(each @ wanting + later, visits.sum(axis=1) @ wanting)


def session_time(task: Task, navigation: Independent, costs: Costs) -> TimeToFind:
    """Return `time_to_find` of a task, for users whose actions take what `costs` says.

    As in `prum.simulator.sessions`, users only judge elements behind the list that are not ideal,
    and read none of them. Only the means of costs matter.

    Raises InputError as `time_to_find`; for a navigation in which visits depend on each other.

    >>> task, links = Task(["c", "a"], ["a"], 3), Independent({("c", "a"): 0.5})
    >>> session_time(task, links, Costs.smucker_clarke({"a": 500, "c": 100}))
    TimeToFind(t = 1: seconds 33.00)
    """
    if navigation.tossed is None:
        remedy = "simulate sessions instead"
        raise InputError("navigation", type(navigation), "be Independent", remedy=remedy)

    def reading(elements: Sequence[str]) -> Floats:
        return costs.reading([costs.length_of(element) for element in elements])

    number = {ideal: x for x, ideal in enumerate(task.ideals)}
    return time_to_find(
        reach_matrix(task, navigation),
        task.num_unranked,
        # An element that is listed again is itself no ideal.
        [number.pop(element, -1) for element in task.ranking],
        judge=costs.judge.mean,
        read_ranked=reading(task.ranking),
        read_ideals=reading(task.ideals),
        move=costs.move.mean,
    )


def _comes_to(last: Floats, more: int, t: int) -> Floats:
    """Return sum_{s<r} last[s] (r - s) / (t - s + more), r = 1 .. t."""
    return np.cumsum(np.cumsum(last[:t] / (t - np.arange(t) + more)))


def _ranked_ideals(ideals: Sequence[int], reach: Floats) -> dict[int, int]:
    """Return the rank of each ranked ideal, from 0."""
    o, t = reach.shape
    if len(ideals) != o:
        raise InputError("length of own", len(ideals), f"be {o}", remedy="name an ideal or -1 each")
    ranked: dict[int, int] = {}
    for i, value in enumerate(ideals):
        x = whole_number(f"own[{i}]", value, least=-1, most=t - 1, remedy="give a column, or -1")
        if x >= 0 and (x in ranked or reach[i, x] != 1):
            rule = "name an ideal that rank surely shows, and once"
            remedy = "an element shows itself; where it is listed again give -1"
            raise InputError(f"own[{i}]", x, rule, remedy=remedy)
        if x >= 0:
            ranked[x] = i
    return ranked


@dataclass(frozen=True, slots=True, eq=False)
class TimeBiasedGain:
    """Time-biased gain of a list of m ranks, and what it is if time does not go by its mean.

    Arrays of shape (m,): g_k, the expected gain at rank k; T(k), the expected seconds until rank k
    is reached; D(T(k)); and E[D] of the time itself, at least that as D is convex (Jensen).
    """

    gains: Floats
    seconds: Floats
    decay: Floats
    expected_decay: Floats

    @property
    def value(self) -> float:
        """sum g_k D(T(k)): time-biased gain as published, in units of gain."""
        return float(self.gains @ self.decay)

    @property
    def exact(self) -> float:
        """sum g_k E[D]: the gain expected from users whose time depends on what they click."""
        return float(self.gains @ self.expected_decay)

    def __repr__(self) -> str:
        return f"TimeBiasedGain({self.value:.4f}, with random times {self.exact:.4f})"


def time_biased_gain(
    relevance: ArrayLike,
    words: ArrayLike,
    *,
    half_life: float = 224.0,
    judge: float = 4.4,
    per_word: float = 0.018,
    read: float = 7.8,
    click: tuple[float, float] = (0.39, 0.64),
    save: float = 0.77,
) -> TimeBiasedGain:
    """Return time-biased gain, sum_k g_k D(T(k)), D(t) = exp(-t ln 2 / h) (Smucker and Clarke).

    T(k) = sum_{j<k} judge + P(click on j) (per_word words_j + read) is the expected time before
    rank k, g_k = P(click, save and relevant). Defaults are the values of the paper (SIGIR 2012),
    fitted to 48 people, with documents that differ.

    The exact counterpart: if clicks are independent, the time before rank k is a sum of
    independent terms, and E[D] is the product of their Laplace transforms at a = ln 2 / h,
    prod_{j<k} exp(-a judge) (1 - P(click) + P(click) exp(-a (per_word words_j + read))).

    Parameters
    ----------
    relevance
        1 or 0 for each rank, or the probability of relevance in between; shape (m,).
    words
        Length of each document, shape (m,), or one for all.
    half_life
        h, seconds after which half of the users are gone.
    judge, per_word, read
        Seconds for a summary, a word of a document, and a document besides its words.
    click
        P(click) for what is not relevant and what is.
    save
        P(relevance is recognised) of a relevant document clicked on; a gain of 1 each.

    Raises InputError for probabilities outside [0, 1], times or lengths negative or not finite,
    half_life 0.

    >>> time_biased_gain([1, 0, 1], 500)
    TimeBiasedGain(0.9474, with random times 0.9476)
    """
    relevant = real_array("relevance", relevance, remedy="give one for each rank")
    if relevant.ndim != 1 or not ((relevant >= 0) & (relevant <= 1)).all():
        rule = "lie in [0, 1] and have shape (m,)"
        raise InputError("relevance", relevance, rule, remedy="give 0 or 1 each")
    a = log(2) / seconds("half_life", half_life, positive=True)
    judge, read = seconds("judge", judge), seconds("read", read)
    per_word = seconds("per_word", per_word)
    remedy = "give P(click) of irrelevant, relevant"
    no, yes = (proportion("click", p, remedy=remedy) for p in click)
    save = proportion("save", save, remedy="give P(save) of a relevant document")
    costs = Costs(Constant(judge), Constant(read), Constant(0), per_word)
    reading = costs.reading(_times("words", words, len(relevant)))
    clicks = no + (yes - no) * relevant
    times = _before(judge + clicks * reading)
    # log(1 - p + p exp(-a reading)), of small a as well.
    laplace = _before(np.log1p(clicks * np.expm1(-a * reading)) - a * judge)
    return TimeBiasedGain(yes * save * relevant, times, np.exp(-a * times), np.exp(laplace))


def _before(terms: Floats) -> Floats:
    """Return the sum of what comes before each rank."""
    return np.append(0.0, np.cumsum(terms))[: len(terms)]


def _times(thing: str, values: ArrayLike, number: int) -> Floats:
    """Return one value for each of so many things, none negative."""
    each = real_array(thing, values, remedy="give a number, or one for each")
    if each.shape not in ((), (number,)) or not (np.isfinite(each) & (each >= 0)).all():
        rule = f"be at least 0, finite, and one or {number}"
        raise InputError(thing, values, rule, remedy="give one for each")
    return np.broadcast_to(each, (number,))
