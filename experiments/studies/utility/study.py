"""Study: measures as users who stop at a rank (Carterette 2011), each beside simulated users.

Question. A measure of Carterette's framework is what users have in expectation: a law of the rank
where they stop, and a model of what they have by then. Do users who stop step by step, and who know
no law of ranks, have what the formulas say? And PRUM's users, who browse?

Design. Parts, each with users of its own:

- plain: the fifteen measures on the list of Fig. 1, relevant at ranks 1, 2, 3, 5, 8, 11, 17, 24;
  100 ranks and R = 10 are chosen here, the paper does not say;
- browsed: the same over ideals seen, on the Web example of the PRUM paper (Table III) and on the
  first topic's list of the campaign's system "gateway";
- users whose theta is drawn from Beta(1, 3);
- preferences: of the documents at ranks 1 .. K, one or all, counted if relevant;
- diversity: three made intents of probability .5, .3 and .2, with alpha = .5 where redundancy is
  discounted.

Judgement. A z-test for each row, skewness taken out as in a cross-check; all rows share one
family-wise level of .001 by Bonferroni's inequality, which holds however they depend on each other.
A row is unresolved if its mean's skewness is above .1, or if no user differs from the others while
the closed form does by what fewer than a hundred users would explain: too few users for what is
rare.

Cost. A million users of each group take some fifteen seconds in all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from prum.analytic.utility.laws import StoppingLaw
from prum.experiments.crosscheck.compared import EQUAL, Quantities
from prum.experiments.crosscheck.verdicts import LARGEST_SKEWNESS, LEAST_EXPECTED, judge
from prum.experiments.frame.design import Design, Option, Seed
from prum.experiments.frame.study import Advance
from prum.experiments.studies.utility.groups import Claim, UserGroup, groups_of
from prum.simulator.model.arrays import Floats
from prum.simulator.sampling.measured.stops import Stops

# A verdict of the cross-check -> how several are called.
VERDICTS = {"agrees": "agree", "disagrees": "disagree", "unresolved": "unresolved"}

_LEVEL = 1e-3
_PROBABILITY = "give the probability to stop"
# Ranks of Fig. 1.
_SHOWN = 25


class UtilityDesign(Design):
    """Options of the study of utility."""

    users: Annotated[
        int,
        Option(
            "Simulated users of each kind.",
            metavar="N",
            least=2,
            most=10**9,
            remedy="an error needs two users at least",
        ),
    ] = 1_000_000
    theta: Annotated[
        float,
        Option("Probability to stop, of RBP and ERR.", above=0, below=1, remedy=_PROBABILITY),
    ] = 0.5
    seed: Seed = 1


@dataclass(frozen=True, slots=True)
class UtilityRow:
    """A closed form beside the mean of simulated users; z is None where not tested or infinite."""

    part: str
    measure: str
    distribution: str
    model: str
    closed: float
    simulated: float
    error: float
    z: float | None
    verdict: str


@dataclass(frozen=True, slots=True)
class StoppedLaw:
    """P(k) and F(k) of a distribution at the first ranks, beside the shares of users."""

    stopping: list[float]
    viewing: list[float]
    stopped: list[float]
    viewed: list[float]


@dataclass(frozen=True, slots=True)
class UtilityFindings:
    """The level of all tests together, how they came out, and the plain part's distributions."""

    level: float
    num_tested: int
    largest_z: float | None
    verdicts: dict[str, int]
    laws: dict[str, StoppedLaw]


def compute(
    design: UtilityDesign,
    progress: Advance,
    *,
    groups: Callable[[float], Sequence[UserGroup]] = groups_of,
) -> tuple[list[UtilityRow], UtilityFindings]:
    """Return closed forms beside simulated means; `groups` takes theta to what is compared."""
    claims: list[tuple[UserGroup, Claim, Stops]] = []
    laws: dict[str, StoppedLaw] = {}
    compared = groups(design.theta)
    for number, group in enumerate(compared):
        state = np.random.SeedSequence([design.seed, number]).generate_state(1, np.uint64)
        users = group.simulate(num_users=design.users, seed=int(state[0]))
        claims += [(group, claim, users) for claim in group.claims]
        if group.law is not None:
            laws[group.claims[0].distribution] = _law(group.law, users.stopped / design.users)
        progress((number + 1) / len(compared))
    return _judged(claims, design.users, laws)


def _law(law: StoppingLaw, stopped: Floats) -> StoppedLaw:
    viewed = 1 - np.cumsum(stopped) + stopped
    return StoppedLaw(
        *(shares[:_SHOWN].tolist() for shares in (law.mass, law.viewing, stopped, viewed))
    )


def _judged(
    claims: Sequence[tuple[UserGroup, Claim, Stops]], num_users: int, laws: dict[str, StoppedLaw]
) -> tuple[list[UtilityRow], UtilityFindings]:
    """Return each claim with its z and verdict, and what they say together."""
    closed, most, simulated, error, skewness = np.array(
        [
            (claim.value, claim.most, *(values[claim.column] for values in moments))
            for _, claim, users in claims
            for moments in [(users.mean, users.error, users.skewness)]
        ]
    ).T[:, None]
    apart = np.abs(simulated - closed)
    constant = error == 0
    # Differing users expected at least, if none was drawn.
    expected = num_users * apart / most
    equal = apart <= EQUAL * np.maximum(1, np.abs(closed))
    tested = np.where(
        constant, equal | (expected >= LEAST_EXPECTED), np.abs(skewness) <= LARGEST_SKEWNESS
    )
    degrees, rare = np.array(num_users - 1.0), np.zeros(tested.shape, dtype=np.bool_)
    compared = Quantities(
        degrees, closed, simulated, error, skewness, tested, constant, rare, rounding=EQUAL
    )
    (judged,), num_tested = judge([compared], _LEVEL)
    z = judged.z[0]
    rows = [
        UtilityRow(
            part=group.part,
            measure=claim.measure,
            distribution=claim.distribution,
            model=claim.model,
            closed=claim.value,
            simulated=float(simulated[0, at]),
            error=float(error[0, at]),
            z=float(z[at]) if np.isfinite(z[at]) else None,
            verdict=judged.verdicts[at],
        )
        for at, (group, claim, _) in enumerate(claims)
    ]
    finite = np.abs(z[np.isfinite(z)])
    return rows, UtilityFindings(
        level=_LEVEL,
        num_tested=num_tested,
        largest_z=float(finite.max()) if finite.size else None,
        verdicts={verdict: judged.verdicts.count(verdict) for verdict in VERDICTS},
        laws=laws,
    )
