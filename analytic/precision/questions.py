"""What is asked of a law: the value, or how many elements users consult.

Users who are alike see ideals independently, all ideals alike, or in sets of ideals with a joint
law. A question has an answer for each of these, and for users who differ the mixture of answers.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Generic, TypeVar

import numpy as np

from prum.analytic.precision.alike import alike_counts, exact_alike
from prum.analytic.precision.consulted_law import ConsultedLaw
from prum.analytic.precision.independent import from_changes
from prum.analytic.precision.joint import exact_joint, joint_counts
from prum.analytic.precision.mixtures import largest_change, mixture
from prum.analytic.precision.result import PrecisionRecall
from prum.analytic.precision.seen import Changes
from prum.simulator.model import ListCosts
from prum.simulator.model.arrays import Floats

T = TypeVar("T")


@dataclass(frozen=True)
class LawQuestion(Generic[T]):
    """What is asked of a law, with u elements unranked.

    Parameters
    ----------
    tossed
        The answer for changes of the list and u, where ideals are seen independently.
    alike
        For what each rank shows of every ideal, t, u, and factors by the number of ideals seen.
    joint
        For what `exact_joint` takes, in the list and later, and u.
    mixed
        For a population, given the share and the answer of each kind of users.
    picked
        The answer whose r-th value is that of the r-th of t answers.
    change
        How far two answers by quadrature are apart.
    mixable
        Whether there is a mixture of some answers.
    remembered
        Keeps the answers at nodes that orders of quadrature share, if there is room.
    """

    tossed: Callable[[Changes, int], T]
    alike: Callable[[Floats, int, int, Sequence[float]], T]
    joint: Callable[[Floats, Floats | None, int], T]
    mixed: Callable[[Iterable[tuple[float, T]]], T]
    picked: Callable[[Sequence[T]], T]
    change: Callable[[T, T], float]
    mixable: Callable[[Sequence[T]], bool] = bool
    remembered: Callable[[Callable[[float], T]], Callable[[float], T]] = lambda at: at


def value(costs: ListCosts | None) -> LawQuestion[PrecisionRecall]:
    """Return the question for E[CL(r)] and E[C(r)], in what ranks cost."""
    return LawQuestion(
        lambda change, u: from_changes(change, u, costs=costs, method="exact"),
        lambda shown, t, u, parts: exact_alike(shown, t, u, satiation=parts, costs=costs),
        lambda within, later, u: exact_joint(within, u, later=later, costs=costs),
        mixed=lambda shares: mixture(*reversed([*zip(*shares, strict=True)])),
        picked=_picked,
        change=largest_change,
        remembered=cache,
    )


def _picked(results: Sequence[PrecisionRecall]) -> PrecisionRecall:
    def each(name: str) -> Floats:
        return np.array([getattr(result, name)[r] for r, result in enumerate(results)])

    return PrecisionRecall(
        each("leading"),
        each("consulted"),
        method="exact by need",
        unit=results[0].unit,
        consulted_deviation=each("consulted_deviation"),
        consulted_skewness=each("consulted_skewness"),
    )


def _of_sets(within: Floats, later: Floats | None, unranked: int) -> ConsultedLaw:
    counts, still_wanting = joint_counts(within, later)
    if later is None:
        return ConsultedLaw.of_counts(counts, unranked)
    return ConsultedLaw.of_browsed(counts, still_wanting, unranked)


def _change(coarse: ConsultedLaw, fine: ConsultedLaw) -> float:
    means = np.abs(coarse.means - fine.means) / fine.means
    return float(max(means.max(), np.abs(coarse.wanting - fine.wanting).max()))


# For the law of C(r), r = 1 .. t; of long lists it is large.
CONSULTED = LawQuestion[ConsultedLaw](
    lambda change, u: ConsultedLaw.of_changes(change, u, np.arange(1, change.num_ideals + 1)),
    lambda shown, t, u, parts: ConsultedLaw.of_counts(alike_counts(shown, t, parts)[0], u),
    _of_sets,
    mixed=ConsultedLaw.mixed,
    picked=ConsultedLaw.picked,
    change=_change,
    mixable=lambda laws: len({law.browsed for law in laws}) == 1,
)
