"""Study: measures as users who stop at a rank (Carterette 2011), each beside simulated users.

Question. A measure of Carterette's framework is what users have in expectation: a law of the rank
where they stop, and a model of what they have by then. Do users who stop step by step, and who know
no law of ranks, have what the formulas say? And PRUM's users, who browse?

Design. Parts, each with users of its own:

- plain: the fifteen measures on the list of Fig. 1, relevant at ranks 1, 2, 3, 5, 8, 11, 17, 24;
  100 ranks and R = 10 are chosen here, the paper does not say;
- the nine cells of table 1 that are marked "-", and M3 with f(k) = k, the expected last rank;
- browsed: the same over ideals seen, on the Web example of the PRUM paper (Table III) and on the
  first topic's list of the campaign's system "gateway";
- users whose theta is drawn from Beta(1, 3);
- a ranking of one's own, of a run and a topic, takes the place of Fig. 1's in all parts but those
  that browse and diversity;
- preferences: of the documents at ranks 1 .. K, one or all, counted if relevant;
- diversity: three made intents of probability .5, .3 and .2, with alpha = .5 where redundancy is
  discounted.

Judgement. Maurer and Pontil's inequality for each row, which takes nothing but the most that a user
can have and the users' own variance; all rows share one family-wise level of .001 by Bonferroni's
inequality, which holds however they depend on each other. A row that agrees is unresolved if no
user differs from the others while the closed form does.

Cost. A million users of each group take some fifteen seconds in all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import numpy as np

from prum.analytic.utility.laws import StoppingLaw
from prum.experiments.crosscheck.inequalities import EQUAL, p_of_sample
from prum.experiments.frame.design import Design, Option, Seed
from prum.experiments.frame.study import Advance
from prum.experiments.statistics.tests import level_of_each
from prum.experiments.studies.utility.groups import (
    ClosedMean,
    JudgedRanking,
    UserGroup,
    groups_of,
)
from prum.simulator.collections import read_run, read_whole_qrels
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.sampling.measured.stops import Stops
from prum.simulator.tables.files import place

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
            least=2,
            most=10**9,
            remedy="an error needs two users at least",
        ),
    ] = 1_000_000
    theta: Annotated[
        float, Option("Probability to stop, of RBP and ERR.", above=0, below=1, remedy=_PROBABILITY)
    ] = 0.5
    run: Annotated[
        str | None, Option("Your own TREC run, a list for the plain users.", file="input")
    ] = None
    qrels: Annotated[str | None, Option("TREC qrels of it.", file="input")] = None
    topic: Annotated[str | None, Option("Topic of the run; the first by default.")] = None
    seed: Seed = 1

    def check(self) -> None:
        """Raise InputError if options contradict each other."""
        if (self.run is None) != (self.qrels is None):
            remedy = "give --run FILE and --qrels FILE, or neither"
            raise InputError("files", (self.run, self.qrels), "be a run and qrels", remedy=remedy)
        if self.topic is not None and self.run is None:
            remedy = "give --run FILE and --qrels FILE"
            raise InputError("topic", self.topic, "be left out without a run", remedy=remedy)


def ranking_of(design: UtilityDesign) -> JudgedRanking | None:
    """Return the ranking of one's own, None if there is none; a repeated element counts once.

    Raises InputError as the readers, for a topic that is not in the run, and one without a relevant
    element; OSError if a file cannot be read.
    """
    if design.run is None or design.qrels is None:
        return None
    rankings, judged = read_run(design.run), read_whole_qrels(design.qrels)
    topic = next(iter(rankings), "") if design.topic is None else design.topic
    if topic not in rankings:
        rule = f"be one of the run, like {next(iter(rankings), '')!r}"
        raise InputError("topic", topic, rule, remedy="name one", place=place(design.run))
    relevant = {element for element, grade in judged.get(topic, {}).items() if grade >= 1}
    if not relevant:
        rule, remedy = "be at least 1", "choose another topic"
        thing = f"number of relevant elements of {topic}"
        raise InputError(thing, 0, rule, remedy=remedy, place=place(design.qrels))
    ranked = rankings[topic]
    first = {element: rank for rank, element in reversed(list(enumerate(ranked)))}
    found = [element in relevant and first[element] == k for k, element in enumerate(ranked)]
    return JudgedRanking(np.array(found, dtype=np.float64), len(relevant))


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
    groups: Callable[[float], Sequence[UserGroup]] | None = None,
) -> tuple[list[UtilityRow], UtilityFindings]:
    """Return closed forms beside simulated means; `groups` takes theta to what is compared."""
    claims: list[tuple[UserGroup, ClosedMean, Stops]] = []
    laws: dict[str, StoppedLaw] = {}
    groups = groups or partial(groups_of, ranking=ranking_of(design))
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
    claims: Sequence[tuple[UserGroup, ClosedMean, Stops]],
    num_users: int,
    laws: dict[str, StoppedLaw],
) -> tuple[list[UtilityRow], UtilityFindings]:
    """Return each claim with its z and verdict, and what they say together."""
    closed, most, simulated, error = np.array(
        [
            (claim.value, claim.most, users.mean[claim.column], users.error[claim.column])
            for _, claim, users in claims
        ]
    ).T
    apart = np.abs(simulated - closed)
    equal = apart <= EQUAL * np.maximum(1, np.abs(closed))
    p = p_of_sample(closed, most, simulated, num_users * error**2, num_users)
    z = np.where(equal, 0, np.nan)
    np.divide(simulated - closed, error, out=z, where=~equal & (error > 0))
    found = [~equal & (p < level_of_each(_LEVEL, len(p))), ~equal & (error == 0)]
    verdicts = np.select(found, ["disagrees", "unresolved"], "agrees").tolist()
    rows = [
        UtilityRow(
            part=group.part,
            measure=claim.measure,
            distribution=claim.distribution,
            model=claim.model,
            closed=claim.value,
            simulated=float(simulated[at]),
            error=float(error[at]),
            z=float(z[at]) if np.isfinite(z[at]) else None,
            verdict=verdicts[at],
        )
        for at, (group, claim, _) in enumerate(claims)
    ]
    finite = np.abs(z[np.isfinite(z)])
    return rows, UtilityFindings(
        level=_LEVEL,
        num_tested=len(claims),
        largest_z=float(finite.max()) if finite.size else None,
        verdicts={verdict: verdicts.count(verdict) for verdict in VERDICTS},
        laws=laws,
    )
