"""How well a fitted navigation predicts a log that it was not fitted to, and each person in it."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
from prum.experiments.logs.read import sessions_of
from prum.experiments.logs.sessions import Sessions
from prum.experiments.logs.trials import Trials
from prum.experiments.statistics.intervals import (
    Interval,
    mean_interval,
    ratio_interval,
    root_interval,
)
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats, Ints

if TYPE_CHECKING:
    import pandas as pd

# Beside the number of choices, what rounding leaves of none.
_NONE = 1e-9
# So many permutations at most, and fewer where they would move more sessions than this.
_PERMUTATIONS, _MOST_MOVED = 999, 100_000_000
# Visits looked at at once: memory does not grow with the log.
_AT_ONCE = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class ByPerson:
    """Nats of a choice by person; the choices of one session depend on each other.

    A choice of person j has m + a_j nats in the mean, where a_j has the variance tau^2. Sessions of
    one person have a_j in common and nothing else, so that with r = (nats of a session) -
    m (its choices)

        tau^2 = (sum over j of products r r' of two sessions, by N_j) / (the same of choices n n'),

    N_j being the choices of person j: sessions may differ in how much they vary.

    Parameters
    ----------
    persons
        By name.
    sessions, choices, nats
        How many there are of each person, and the mean nats of a choice; shape (n,).
    expected
        What is to be expected of more choices: nats drawn towards m by what is chance, whose
        variance is taken to be the same for each choice.
    mean
        The mean over persons, each counting once, with its interval over persons.
    spread
        tau, with the jackknife's interval over persons; 0 for a negative square, NaN where nobody
        has two sessions.
    p_value
        Of the hypothesis that it does not matter whose a session is: by dealing out sessions anew.
        NaN for infinite nats.
    """

    persons: tuple[str, ...]
    sessions: Ints
    choices: Ints
    nats: Floats
    expected: Floats
    mean: Interval
    spread: Interval
    p_value: float

    @classmethod
    def of(
        cls, persons: tuple[str, ...], person: Ints, nats: Floats, choices: Floats, seed: int
    ) -> "ByPerson | None":
        """Return it from each session's person, sum of nats, and number of choices.

        Sessions without choices or of unknown persons (-1) are left out; None without two persons.
        """
        kept = (person >= 0) & (choices > 0)
        numbers, own = np.unique(person[kept], return_inverse=True)
        if len(numbers) < 2:
            return None
        total, size = nats[kept], choices[kept]
        each, sums = np.bincount(own, size), np.bincount(own, total)
        products = (np.bincount(own, part) for part in (total**2, total * size, size**2))
        first = (np.ones(len(each)), each, sums, sums**2 / each)
        parts = np.stack([*first, *(part / each for part in products)])
        whole = parts.sum(axis=1, keepdims=True)
        if not np.isfinite(whole).all():
            whole, parts = np.full_like(whole, np.nan), np.full_like(parts, np.nan)
        square, noise = (float(part[0]) for part in _variances(whole))
        values = len(each) * square - (len(each) - 1) * _variances(whole - parts)[0]
        ends = mean_interval(values)[1:] if np.isfinite(values).all() else (np.nan, np.nan)
        middle = float(whole[2, 0] / whole[1, 0])
        beyond = np.full(len(each), max(square, 0.0))
        by_chance = max(noise, 0.0) / each
        own_share = np.divide(
            beyond, beyond + by_chance, out=np.ones(len(each)), where=beyond + by_chance != 0
        )
        return cls(
            tuple(persons[number] for number in numbers.tolist()),
            np.bincount(own),
            each.astype(np.int64),
            sums / each,
            middle + own_share * (sums / each - middle),
            ratio_interval(sums / each, np.ones(len(each))),
            root_interval((square, *ends)),
            _p_value(own, total - middle * size, size, seed),
        )

    def __len__(self) -> int:
        return len(self.persons)

    def frame(self) -> "pd.DataFrame":
        """Return a line for each person, those whose expected nats are highest first."""
        import pandas as pd

        names = ("sessions", "choices", "nats", "expected")
        frame = pd.DataFrame(
            {"person": self.persons} | {name: getattr(self, name) for name in names}
        )
        return frame.sort_values(["expected", "nats"], ascending=False, ignore_index=True)


def _variances(sums: Floats) -> tuple[Floats, Floats]:
    """Return tau^2, maybe negative, and the variance of chance of one choice.

    From sums over persons: of 1, N, the nats S, S^2 / N, and, summed over sessions, s^2 / N,
    s n / N and n^2 / N; shape (7, k) for k ways of leaving persons out.
    """
    people, choices, nats, squares, own, crossed, sizes = sums
    m = nats / choices
    apart = own - 2 * m * crossed + m**2 * sizes
    between = squares - 2 * m * nats + m**2 * choices - apart
    room = choices - sizes
    # Where nobody has two sessions rounding is left.
    known = room > _NONE * choices
    square = np.divide(between, room, out=np.full_like(nats, np.nan), where=known)
    return square, (apart - square * sizes) / people


def _p_value(own: Ints, rest: Floats, choices: Floats, seed: int) -> float:
    """Return how often sessions of one person are as alike when they are dealt out anew."""
    if not np.isfinite(rest).all():
        return float("nan")
    rng = np.random.default_rng(seed)
    squares = rest**2

    def alike(person: Ints) -> float:
        products = np.bincount(person, rest) ** 2 - np.bincount(person, squares)
        return float((products / np.bincount(person, choices)).sum())

    actual = alike(own)
    num = max(min(_PERMUTATIONS, _MOST_MOVED // len(own)), 99)
    as_alike = sum(alike(rng.permutation(own)) >= actual for _ in range(num))
    return (1 + as_alike) / (1 + num)


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
    persons
        By person, if there are two at least.
    """

    choices: int
    nats: Interval
    alike: Interval
    gain: Interval
    reliability: Reliability
    persons: ByPerson | None

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


def judge(fitted: FittedNavigation, log: Any, *, seed: int = 1) -> HeldOutReport:
    """Return how well a fitted navigation predicts a log, which it should not have seen.

    Moves along no link and unknown elements are left out. One pass; what is kept grows with the
    sessions only by a few numbers of each.

    Parameters
    ----------
    log
        As `sessions_of` takes it; or `Trials`, where visits from an entry were learned.
    seed
        Of the permutations by which persons are compared.
    """
    judges = defaultdict[str, _Judge](_Judge)
    numbers: dict[str, int] = {}
    num_sessions = 0
    if isinstance(log, Trials) and isinstance(fitted, FittedVisits):
        num_sessions = log.num_users
        judges[VISIT].add(fitted.predict_trials(log), np.full(num_sessions, -1))
    for batch in () if isinstance(log, Trials) else sessions_of(log):
        code = np.array([numbers.setdefault(name, len(numbers)) for name in batch.persons] + [-1])
        for piece in _pieces(batch):
            person = code[piece.person]
            for kind, predicted in fitted.predict(piece).items():
                judges[kind].add(predicted, person)
        num_sessions += len(batch)
    reports = {
        kind: part.report(kind, tuple(numbers), seed)
        for kind, part in judges.items()
        if part.sums.num_choices
    }
    if STEP not in reports and VISIT not in reports:
        rule, remedy = "hold choices among known links", "give a log of the same elements"
        raise InputError("log", f"{num_sessions} sessions", rule, remedy=remedy)
    return HeldOutReport(num_sessions, reports)


class _Judge:
    """What is added up over choices of one kind."""

    def __init__(self) -> None:
        self.sums = ReliabilitySums()
        self.persons: list[Ints] = []
        self.parts: list[Floats] = []

    def add(self, predicted: Predictions, person: Ints) -> None:
        self.sums.add(predicted)
        session, size = predicted.session, len(person)
        taken = np.bincount(predicted.choice, predicted.taken, len(session))
        even = np.log(np.maximum(np.diff(predicted.starts), 1))
        of_choices = (np.ones(len(session)), predicted.nats, even, taken)
        self.persons.append(person)
        self.parts.append(np.stack([np.bincount(session, part, size) for part in of_choices]))

    def report(self, kind: str, persons: tuple[str, ...], seed: int) -> ChoiceReport:
        choices, nats, even, taken = np.concatenate(self.parts, axis=1)
        alike = even if kind == STEP else _alike(choices, taken)
        return ChoiceReport(
            self.sums.num_choices,
            ratio_interval(nats, choices),
            ratio_interval(alike, choices),
            ratio_interval(alike - nats, choices),
            Reliability.of(self.sums),
            ByPerson.of(persons, np.concatenate(self.persons), nats, choices, seed),
        )


def _alike(choices: Floats, taken: Floats) -> Floats:
    """Return the nats of sessions if what happened was as likely in each choice."""
    from scipy.special import xlogy

    share = taken.sum() / choices.sum()
    nats: Floats = -xlogy(taken, share) - xlogy(choices - taken, 1 - share)
    return nats


def _pieces(batch: Sessions) -> Iterator[Sessions]:
    """Yield whole sessions of a batch, a bounded number of visits at once unless one has more."""
    cuts = np.flatnonzero(np.diff(batch.starts[:-1] // _AT_ONCE)) + 1
    for first, last in zip([0, *cuts.tolist()], [*cuts.tolist(), len(batch)], strict=True):
        yield batch.some(np.arange(first, last))
