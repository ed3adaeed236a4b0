"""What users have seen when they stop, for each stopping rule, under Hypotheses 2.1 and 2.2.

A user goes down the list and then through the u other elements in random order, where each ideal
leads to itself only; whatever the rule, the session ends with the collection. Visits at rank i do
not depend on what came before, so E[what they bring] = sum_i P(C >= i) E[that of rank i given
C >= i], and a rule that does not look at what was seen leaves those means as they are.
"""

from dataclasses import dataclass

import numpy as np

from prum.analytic.precision.coupled import over_others
from prum.analytic.precision.independent import exact
from prum.analytic.precision.joint import set_sizes
from prum.analytic.precision.of_task import consulted_pmf
from prum.analytic.precision.reach import (
    MatrixLike,
    check_size,
    checked_reach,
    checked_unranked,
    unseen_after,
)
from prum.analytic.precision.seen import poisson_binomial
from prum.analytic.utility.cwl import DepthLaw
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.costs import Constant, seconds
from prum.simulator.model.stopping import (
    Budget,
    Found,
    Fruitless,
    Patience,
    Persistence,
    Ranks,
    Rule,
    Stopping,
)

# The law of the set of ideals seen has 2^t values for each length of a run.
MOST_FRUITLESS_IDEALS = 12
# k times the seconds of an element may miss the budget it fills by rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Stopped:
    """Expectations at the moment a user stops, in elements.

    Parameters
    ----------
    consulted
        E[C], consulted elements, in [0, o + u].
    leading
        E[CL], consulted elements that led to an ideal not seen before.
    found
        E[F_C], ideals seen, in [E[CL], t].
    reaching
        P(C >= i) for i = 1 .. o + u, shape (o + u,).
    """

    consulted: float
    leading: float
    found: float
    reaching: Floats

    def __repr__(self) -> str:
        names = ("consulted", "leading", "found")
        return f"Stopped({', '.join(f'{name} {getattr(self, name):.4f}' for name in names)})"


def stopped(
    reach: MatrixLike, unranked: int, rule: Rule | Stopping, *, judge: float = 1.0
) -> Stopped:
    """Return E[C], E[CL] and E[F_C] of users who stop by one rule, or without any at the end.

    Found(r): E[C(r)] and E[CL(r)] of equation (5) with the joint law of F_{i-1} and F_i (`exact`)
    and E[F_C] = sum_i sum_x P(x not in S_{i-1}, F_{i-1} < r) P(l_i -> x) + what comes after the
    list, one at a time up to r. More than r are found if one element leads to several.

    Persistence, Ranks, Budget and Patience say where users stop whatever they find (for the last
    two: if an element takes `judge` seconds and nothing else takes time). With V_i = P(C >= i),
    E[C] = sum V_i, E[CL] = sum V_i c_i, E[F_C] = sum V_i f_i, where
    f_i = sum_x P(x not in S_{i-1}) P(l_i -> x), c_i = 1 - prod_x (1 - that term) in the list and
    f_i = c_i = (t - E[F_o]) / u after it: any of the u places holds an ideal still unseen with the
    same probability. V_i is p^(i-1); the tail sum of the ranks' law; P(time >= i judge).

    Fruitless(n): the law of (S_i, length of the run without anything new) followed from rank to
    rank over the 2^t sets, then that of (number unseen, run) from place to place: with K unseen
    among L places left the next one is such an ideal with probability K / L. Time
    o (n + t) 2^t and, after the list, min(u, n (t + 1)) n t; t counts ideals the list leads to.

    Parameters
    ----------
    reach
        P(l_i -> x), shape (o, t), as for `exact`.
    unranked
        u, the number of unranked elements.
    rule
        One rule, or `Stopping` of at most one.
    judge
        Seconds that each consulted element takes, for Budget and Patience only. An element counts
        if it is finished when time is up, be it at that very moment.

    Raises InputError for a reach outside [0, 1], u too small, several rules, a time of 0 for an
    element, Fruitless for a list that leads to more than 12 ideals, and o t or o + u above
    100,000,000.

    >>> reach = [[0.4, 0.4], [0.6, 0.4], [1, 0], [0, 1]]   # Table III
    >>> stopped(reach, 0, Found(2))
    Stopped(consulted 2.7136, leading 1.7536, found 2.0000)
    >>> stopped(reach, 0, Persistence(0.5))
    Stopped(consulted 1.8750, leading 1.0018, found 1.2050)
    """
    entries = checked_reach(reach)
    o, t = entries.num_ranked, entries.num_ideals
    dense = entries.dense()
    unseen = unseen_after(dense)
    u = checked_unranked(unranked, int(np.count_nonzero(unseen[-1])))
    check_size("o + u, the elements that users may consult", o + u)
    rules = (rule if isinstance(rule, Stopping) else Stopping(rule)).rules
    if len(rules) > 1:
        remedy = "simulate rules that compete"
        raise InputError("stopping rules", len(rules), "be one at most", remedy=remedy)
    only = rules[0] if rules else None
    if isinstance(only, Found) and only.ideals <= t:
        return _wanting(dense, unseen, u, only.ideals)
    if isinstance(only, Fruitless) and only.elements < o + u:
        return _fruitless(dense, u, only.elements)
    going_on = _going_on(only, o + u, judge)
    listed, after = going_on[:o], float(going_on[o:].sum())
    new = unseen[:-1] * dense
    each_after = float(unseen[-1].sum()) / u if u else 0.0
    later = after * each_after
    return _result(
        going_on,
        float(listed @ (1 - (1 - new).prod(axis=1))) + later,
        float(listed @ new.sum(axis=1)) + later,
    )


def _result(reaching: Floats, leading: float, seen: float) -> Stopped:
    return Stopped(float(reaching.sum()), leading, seen, reaching)


def _going_on(rule: Rule | None, places: int, judge: float) -> Floats:
    """Return P(C >= i) for i = 1 .. o + u of a rule that does not look at what is seen."""
    if isinstance(rule, Persistence):
        return DepthLaw.from_persistence(rule.p).survivors(places)
    if isinstance(rule, Ranks):
        law = DepthLaw.from_last(rule.probabilities)
        prefix = law.survivors(min(places, len(law.prefix)))
        return np.append(prefix, np.full(places - len(prefix), law.prefix[-1]))
    if not isinstance(rule, Budget | Patience):
        return np.ones(places)
    ends = seconds("judge", judge, positive=True) * np.arange(1, places + 1) * (1 - _ROUNDING)
    time = Constant(rule.seconds) if isinstance(rule, Budget) else rule.law
    if isinstance(time, Constant):
        return np.where(ends <= time.value, 1.0, 0.0)
    return np.asarray(np.exp(-ends / time.mean))


def _wanting(reach: Floats, unseen: Floats, u: int, r: int) -> Stopped:
    """Return the expectations of users who want r of t ideals."""
    o, t = reach.shape
    # counts[i, s] = P(F_{i-1} = s), new[i, s] = E[F_i - F_{i-1}; F_{i-1} = s], s < r: the terms of
    # first order in e of prod_x (P(x not in S_{i-1}) (1 + e reach_ix) + P(x in S_{i-1}) z).
    counts, new = np.zeros((o, r)), np.zeros((o, r))
    counts[:, 0] = 1
    for x in range(t):
        not_seen = unseen[:-1, x, np.newaxis]
        bring = counts * not_seen * reach[:, x, np.newaxis]
        for law in (counts, new):
            moved = law[:, :-1] * (1 - not_seen)
            law *= not_seen
            law[:, 1:] += moved
        new += bring
    last = poisson_binomial(1 - unseen[-1])[:r]
    num_seen = float(new.sum() + last @ (r - np.arange(len(last))))
    reaching = np.cumsum(consulted_pmf(reach, u, r)[:0:-1])[::-1]
    return _result(reaching, float(exact(reach, u).leading[r - 1]), num_seen)


def _fruitless(reach: Floats, u: int, n: int) -> Stopped:
    """Return the expectations of users who bear up to n elements in a row with nothing new."""
    o, t = reach.shape
    linked = reach[:, reach.any(axis=0)]
    m = linked.shape[1]
    if m > MOST_FRUITLESS_IDEALS:
        rule = f"be at most {MOST_FRUITLESS_IDEALS} for Fruitless"
        remedy = "simulate longer lists of ideals"
        raise InputError("ideals the list leads to", m, rule, remedy=remedy)
    reaching = np.zeros(o + u)
    leading = num_seen = 0.0
    size = set_sizes(m)
    start = np.zeros(1 << m)
    start[0] = 1
    # runs[k, A] = P(S = A, the last k elements led to nothing new, not stopped).
    runs = start[np.newaxis]
    for i, row in enumerate(linked):
        everyone = runs.sum(axis=0)
        reaching[i] = everyone.sum()
        moved = _moved(everyone, row)
        leading += float(moved.sum())
        for x, p in enumerate(row):
            num_seen += p * float(everyone.reshape(-1, 2, 1 << x)[:, 0].sum())
        runs = np.vstack([moved, (runs * over_others(1 - row, np.multiply))[: n - 1]])
    # live[k, K] = P(K unseen, the last k elements led to nothing new, not stopped).
    live = np.stack([np.bincount(size, weights=run, minlength=t + 1)[t::-1] for run in runs])
    unseen = np.arange(t + 1)
    for place in range(u):
        reaching[o + place] = live.sum()
        if reaching[o + place] == 0:
            break
        hit = live.sum(axis=0) * np.minimum(unseen / (u - place), 1)
        leading += float(hit.sum())
        num_seen += float(hit.sum())
        missed = live * np.maximum(1 - unseen / (u - place), 0)
        live = np.vstack([np.append(hit[1:], 0.0), missed[: n - 1]])
    return _result(reaching, leading, num_seen)


def _moved(before: Floats, row: Floats) -> Floats:
    """Return P(S_i = A, S_{i-1} smaller) from P(S_{i-1} = A), by sums of positive terms only."""
    stay, moved = before.copy(), np.zeros_like(before)
    for x, p in enumerate(row):
        old, new = stay.reshape(-1, 2, 1 << x), moved.reshape(-1, 2, 1 << x)
        new[:, 1] += p * (old[:, 0] + new[:, 0])
        new[:, 0] *= 1 - p
        old[:, 0] *= 1 - p
    return moved
