"""Walks that are fitted to sessions: of first order, and of second, which remember a step."""

from collections.abc import Callable, Sequence

import numpy as np

from prum.experiments.fitting.fitted_walk import FittedWalk
from prum.experiments.fitting.foretold import STEP
from prum.experiments.fitting.walk import WalkEstimator
from prum.experiments.logs.sessions import Sessions
from prum.experiments.statistics.intervals import Interval
from prum.experiments.studies.people.contexts import owners
from prum.experiments.studies.people.measured import PeopleRow, groups, ratio, row
from prum.experiments.studies.people.steps import Steps
from prum.simulator.model.arrays import Floats, Ints

PART = "memory"
Fit = Callable[[Sessions], FittedWalk]


def fit_of(steps: Steps) -> Fit:
    """Return what fits a walk to some of the sessions."""
    return lambda sessions: WalkEstimator().fit(sessions, steps.links)


def nats(walk: FittedWalk, steps: Steps) -> Floats:
    """Return -log p of each move, given that there was one."""
    return walk.foretell(steps.sessions)[STEP].nats


def by_memory(
    learned: Sequence[Sessions], held: Sequence[Steps], rng: np.random.Generator
) -> list[PeopleRow]:
    """Return what memory of one step more tells of the next: of people, then of the control.

    Parameters
    ----------
    learned, held
        Sessions that walks are fitted to, and moves of others: of people, and those that a walk
        without memory made.
    """
    values: list[tuple[Interval, float]] = [
        _gains(*each, rng) for each in zip(learned, held, strict=True)
    ]
    (saved, evidence), (control, other) = values
    nan = (np.nan, np.nan)
    return [
        row(PART, "nats a step that memory saves", saved, 0, control, len(held[0].row), "moves"),
        row(
            PART, "log evidence of memory, a move", (evidence, *nan), 0, (other, *nan),
            len(held[0].row), "moves",
        ),
    ]  # fmt: skip


def _gains(learned: Sessions, held: Steps, rng: np.random.Generator) -> tuple[Interval, float]:
    walks = [WalkEstimator(order=order).fit(learned, held.links) for order in (1, 2)]
    first, second = (nats(walk, held) for walk in walks)
    group: Ints = groups(owners(held.sessions)[held.visit], rng)
    memory = walks[1].memory
    gain = 0.0 if memory is None else memory.gain
    return ratio(first - second, np.ones(len(group)), group), gain / int(
        walks[0].counts.moves.sum()
    )
