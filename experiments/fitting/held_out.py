"""How well a fitted navigation predicts a log that it was not fitted to."""

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from prum.experiments.fitting.fitted import FittedNavigation
from prum.experiments.fitting.fitted_visits import FittedVisits
from prum.experiments.fitting.predictions import (
    STEP,
    VISIT,
    Predictions,
    Reliability,
    ReliabilitySums,
)
from prum.experiments.frame.files import plain
from prum.experiments.logs.read import read_sessions
from prum.experiments.logs.trials import Trials
from prum.experiments.statistics.intervals import (
    Interval,
    ratio_interval,
)
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats


@dataclass(frozen=True, slots=True, eq=False)
class ChoiceReport:
    """How well choices of one kind were predicted; intervals are 95 % ones over sessions.

    Parameters
    ----------
    choices
        How many there were.
    nats
        The mean of -log P(what was chosen).
    alike
        The same if all were alike: each link of an element as likely as the others, and stopping,
        say, as likely everywhere as it is in this log.
    gain
        How much less `nats` is than `alike`.
    reliability
        The calibration.
    """

    choices: int
    nats: Interval
    alike: Interval
    gain: Interval
    reliability: Reliability

    @property
    def perplexity(self) -> Interval:
        """As many options, alike, would be as hard to predict: e to the power of `nats`."""
        middle, low, high = (math.exp(x) if x < 700 else math.inf for x in self.nats)
        return middle, low, high


@dataclass(frozen=True, slots=True, eq=False)
class HeldOutReport:
    """How well a fitted navigation predicts a log.

    Parameters
    ----------
    sessions
        How many there were.
    kinds
        By kind of choice, as `FittedNavigation.predict` has them.
    """

    sessions: int
    kinds: Mapping[str, ChoiceReport]

    @property
    def nats_per_step(self) -> float:
        """The mean of -log P(link) over steps; over visits from an element without steps."""
        return self.main.nats[0]

    @property
    def perplexity(self) -> float:
        """e to the power of `nats_per_step`."""
        return self.main.perplexity[0]

    @property
    def main(self) -> ChoiceReport:
        """The report of steps; of visits from an element without steps."""
        return self.kinds[STEP if STEP in self.kinds else VISIT]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data; what is not known or infinite is None."""
        named = {"nats_per_step": self.nats_per_step, "perplexity": self.perplexity}
        content: dict[str, Any] = plain(named | {"sessions": self.sessions, "kinds": self.kinds})
        return content


def judge(fitted: FittedNavigation, log: Any) -> HeldOutReport:
    """Return how well a fitted navigation predicts a log, which it should not have seen.

    Moves along no link and unknown elements are left out. One pass; what is kept grows with the
    sessions only by a few numbers of each.

    Parameters
    ----------
    log
        As `read_sessions` takes it; or `Trials`, where visits from an entry were learned.
    """
    judges = defaultdict[str, _Judge](_Judge)
    if isinstance(log, Trials) and isinstance(fitted, FittedVisits):
        num_sessions = log.num_users
        judges[VISIT].add(fitted.predict_trials(log), num_sessions)
    else:
        sessions = read_sessions(log)
        num_sessions = len(sessions)
        for piece in sessions.pieces():
            for kind, predicted in fitted.predict(piece).items():
                judges[kind].add(predicted, len(piece))
    reports = {kind: part.report(kind) for kind, part in judges.items() if part.sums.num_choices}
    if STEP not in reports and VISIT not in reports:
        rule, remedy = "hold choices among known links", "give a log of the same elements"
        raise InputError("log", f"{num_sessions} sessions", rule, remedy=remedy)
    return HeldOutReport(num_sessions, reports)


class _Judge:
    """What is added up over choices of one kind."""

    def __init__(self) -> None:
        self.sums = ReliabilitySums()
        self.parts: list[Floats] = []

    def add(self, predicted: Predictions, num_sessions: int) -> None:
        self.sums.add(predicted)
        session = predicted.session
        taken = np.bincount(predicted.choice, predicted.taken, len(session))
        even = np.log(np.maximum(np.diff(predicted.starts), 1))
        of_choices = (np.ones(len(session)), predicted.nats, even, taken)
        sums = [np.bincount(session, part, num_sessions) for part in of_choices]
        self.parts.append(np.stack(sums))

    def report(self, kind: str) -> ChoiceReport:
        choices, nats, even, taken = np.concatenate(self.parts, axis=1)
        alike = even if kind == STEP else _alike(choices, taken)
        return ChoiceReport(
            self.sums.num_choices,
            ratio_interval(nats, choices),
            ratio_interval(alike, choices),
            ratio_interval(alike - nats, choices),
            Reliability.of(self.sums),
        )


def _alike(choices: Floats, taken: Floats) -> Floats:
    """Return the nats of sessions if what happened was as likely in each choice."""
    from scipy.special import xlogy

    share = taken.sum() / choices.sum()
    nats: Floats = -xlogy(taken, share) - xlogy(choices - taken, 1 - share)
    return nats
