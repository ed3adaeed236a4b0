"""Walks that are fitted to sessions: of first order, and of second, which remember a step."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from prum.experiments.fitting.features import link_features
from prum.experiments.fitting.fitted_walk import FittedWalk
from prum.experiments.fitting.predictions import STEP
from prum.experiments.fitting.walk import WalkEstimator
from prum.experiments.logs.sessions import Sessions
from prum.experiments.statistics.intervals import Interval
from prum.experiments.studies.people.contexts import owners
from prum.experiments.studies.people.measured import PeopleRow, groups, ratio, row
from prum.experiments.studies.people.steps import Steps
from prum.simulator.model.arrays import Floats, Ints

PART = "memory"
FitWalk = Callable[[Sessions], FittedWalk]


def fit_of(steps: Steps) -> FitWalk:
    """Return what fits a walk to some of the sessions."""
    features = link_features(steps.links)
    return lambda sessions: WalkEstimator().fit(sessions, steps.links, features=features)


def nats(walk: FittedWalk, steps: Steps) -> Floats:
    """Return -log p of each move, given that there was one."""
    return walk.predict(steps.sessions)[STEP].nats


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
    walk = WalkEstimator(order=2).fit(learned, held.links)
    first = nats(replace(walk, memory_concentration=None), held)
    second = nats(walk, held)
    group: Ints = groups(owners(held.sessions)[held.visit], rng)
    gain = 0.0 if walk.memory is None else walk.memory.gain
    saved = ratio(first - second, np.ones(len(group)), group)
    return saved, gain / int(walk.counts.moves.sum())
