"""Study: which static stopping distribution fits where people click (Carterette 2011, 4.1).

Readings. "every click": each click is a stop at its rank. "last click": the last click in time of
a search is its stop; searches without a click on the list are left out. "totals": clicks by rank
of a whole log, each a stop, without telling which belong to one session. "totals and beyond":
these, and how many clicks were behind the last rank.

Laws. RBP, DCG, RR; the Beta mixture of RBP, whose member a = b = 1 is RR and whose limits are RBP;
the uniform law of the page, as a baseline. A page of n ranks hides who would stop behind it, so
P(k given k <= n) is fitted, by maximum likelihood, and P(k > n) is what the law adds unseen; where
the clicks behind rank n are known, P(k) as it is, with P(k > n) for those.

Comparison. Mean log-likelihood per stop held out: sessions whole, in ten parts; or random halves
of totals. Beside the laws stand the plain frequencies, (count + 1/2) / (stops + n/2), which tell
how much any law leaves to be had.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from prum.experiments.frame.design import Design, Option, Seed, draws_of
from prum.experiments.frame.study import Advance, counted
from prum.experiments.statistics.intervals import Interval
from prum.experiments.studies.kit.quantities import triple
from prum.experiments.studies.stops.samples import (
    FAMILIES,
    PAGE,
    TWO_RANKS,
    Family,
    FamilyFit,
    FittedLaw,
    HeldOut,
    StopSample,
    fit,
    over_folds,
    over_halves,
    samples_of_log,
    samples_of_totals,
    standard_errors,
)
from prum.simulator.collections.clicks import ClickLog, read_click_log, read_click_totals
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import InputError

FamilyVerdict = Literal["best", "not best", "open"]

FREQUENCIES = "frequencies"
PARAMETERS = ("theta", "base", "a", "b")
_FOLDS = 10
# The laws of the paper's Figure 2, first as drawn, then with parameters fitted.
_PAPER = {"as drawn": ("RBP .5", "DCG 2"), "parameters fitted": ("RBP", "DCG")}


class StopsDesign(Design):
    """Options of the study of stops."""

    sessions: Annotated[
        str | None,
        Option(
            "Log of searches: session time Q query region url ..., or session time C url, between "
            "tabs, as NAVER's CLARA2.",
            file="input",
        ),
    ] = None
    totals: Annotated[
        str | None,
        Option(
            "Clicks by rank: rank, clicks between tabs; then page1, page2, ..., later, if known.",
            file="input",
        ),
    ] = None
    ranks: Annotated[
        int | None, Option("Count only the first N ranks.", least=2, remedy=TWO_RANKS)
    ] = None
    draws: Annotated[int, draws_of("halves of the totals to hold out")] = 200
    seed: Seed = 1

    def check(self) -> None:
        """Raise InputError if options contradict each other."""
        if self.sessions is None and self.totals is None:
            remedy = "give --sessions FILE, --totals FILE, or both"
            raise InputError("files", (), "be at least one", remedy=remedy)


@dataclass(frozen=True, slots=True)
class StopsRow:
    """The fit of a law to a reading of the clicks.

    Parameters have standard errors for dependent stops of a session and laws that are wrong
    (`_se`), and for independent stops of the law (`_se_naive`). `log_likelihood`, of the data
    fitted to, and `held_out` are means per stop; `below_best` and `above_rr` are differences of
    `held_out`, with 95 % intervals; `total_variation` is from the frequencies;
    `remainder` is P(k > n).
    """

    reading: str
    law: str
    theta: float | None
    theta_se: float | None
    theta_se_naive: float | None
    base: float | None
    base_se: float | None
    base_se_naive: float | None
    a: float | None
    a_se: float | None
    a_se_naive: float | None
    b: float | None
    b_se: float | None
    b_se_naive: float | None
    at_end: bool
    log_likelihood: float
    held_out: float
    below_best: float
    below_best_low: float
    below_best_high: float
    above_rr: float
    above_rr_low: float
    above_rr_high: float
    total_variation: float
    remainder: float | None


@dataclass(frozen=True, slots=True)
class Reading:
    """Stops by rank, P(k) of each law fitted to them, and how RR does.

    `beyond` is the share of stops behind the last rank, whose cell is the last one; None where they
    are not known. `left_by_best` is how far plain frequencies, held out, are above the best law.
    `lost` is how probable it is by the clicks that a user stops at each rank and then quits the
    engine for good, with probability (1 - theta)^(n - k) of the fitted RBP (section 4.1.1); by RBP
    itself it is (1 - theta)^(n - 1) theta at each rank.
    """

    reading: str
    stops: int
    sessions: int | None
    counts: list[int]
    empirical: list[float]
    fitted: dict[str, list[float]]
    beyond: float | None
    frequencies: float
    best: str
    left_by_best: Interval
    verdict: dict[str, FamilyVerdict]
    lost: list[float]


@dataclass(frozen=True, slots=True)
class LogCounts:
    """The size of a log, and how much of it does not count."""

    sessions: int
    searches: int
    with_clicks: int
    without_stop: int
    outside: int
    last_outside: int
    early: int


@dataclass(frozen=True, slots=True)
class StopsFindings:
    """The readings, and what of the log counts, if there is one."""

    readings: list[Reading]
    log: LogCounts | None


def compute(design: StopsDesign, progress: Advance) -> tuple[list[StopsRow], StopsFindings]:
    """Return how each law fits each reading of the files.

    Raises InputError for bad files, and ranks that they do not have.
    """
    samples: list[StopSample] = []
    counts: LogCounts | None = None
    if design.sessions is not None:
        log = read_click_log(design.sessions)
        counts = _counts(log)
        samples += samples_of_log(log, design.ranks, design.sessions)
    if design.totals is not None:
        samples += samples_of_totals(read_click_totals(design.totals), design.ranks, design.totals)
    step = counted(progress, sum(_steps(sample, design.draws) for sample in samples))
    rows: list[StopsRow] = []
    readings: list[Reading] = []
    for number, sample in enumerate(samples):
        rng = np.random.default_rng([design.seed, number])
        rows_of_sample, reading = _measured(sample, design.draws, rng, step)
        rows += rows_of_sample
        readings.append(reading)
    return rows, StopsFindings(readings, counts)


def _steps(sample: StopSample, draws: int) -> int:
    """Return how often stops are held out."""
    return draws if sample.groups is None else min(_FOLDS, len(sample.groups))


def _measured(
    sample: StopSample, draws: int, rng: np.random.Generator, step: Callable[[], None]
) -> tuple[list[StopsRow], Reading]:
    """Return the rows of a reading, and what else was found of it."""
    families: tuple[Family, ...] = FAMILIES
    if not sample.is_cut:
        families = tuple(family.uncut() for family in FAMILIES if family.name != PAGE)
    fits = {family.name: fit(family, sample.counts) for family in families}
    laws: dict[str, FittedLaw] = {
        family.name: _from(family, fits[family.name].point) for family in families
    }
    laws[FREQUENCIES] = frequencies
    steps = _steps(sample, draws)
    if sample.groups is None:
        held_out = over_halves(sample.counts, laws, steps, rng, step)
    else:
        held_out = over_folds(sample.groups, laws, steps, rng, step)
    best = max(fits, key=lambda law: held_out.means[law])
    share = sample.counts / sample.counts.sum()
    rows = [_row(sample, family, fits[family.name], held_out, best) for family in families]
    return rows, Reading(
        reading=sample.reading,
        stops=int(sample.counts.sum()),
        sessions=None if sample.groups is None else len(sample.groups),
        counts=sample.counts.astype(int).tolist(),
        empirical=share.tolist(),
        fitted={law: np.exp(fitted.log_mass).tolist() for law, fitted in fits.items()},
        beyond=None if sample.is_cut else float(share[-1]),
        frequencies=held_out.means[FREQUENCIES],
        best=best,
        left_by_best=held_out.difference(FREQUENCIES, best),
        verdict={how: _verdict(held_out, others) for how, others in _PAPER.items()},
        lost=lost(share[: len(share) - (not sample.is_cut)], fits["RBP"].values[0]).tolist(),
    )


def lost(stopped: Floats, theta: float) -> Floats:
    """Return the probability to stop at rank k of n and to quit the engine then, k = 1 .. n.

    Quitting has probability (1 - theta)^(n - k) (Carterette 2011, section 4.1.1).

    >>> lost(np.array([0.5, 0.25, 0.125]), 0.5).tolist()         # RBP: all ranks alike
    [0.125, 0.125, 0.125]
    """
    return np.asarray(stopped * (1 - theta) ** np.arange(len(stopped))[::-1], dtype=np.float64)


def _from(family: Family, start: Floats) -> FittedLaw:
    """Return the fit of a family, searched from near where that to all stops was found."""
    return lambda counts: fit(family, counts, start).log_mass


def frequencies(counts: Floats) -> Floats:
    """Return the logarithms of (count + 1/2) / (stops + n/2): no rank is impossible.

    >>> np.exp(frequencies(np.array([3.0, 0.0]))).round(4).tolist()
    [0.875, 0.125]
    """
    return np.asarray(np.log(counts + 0.5) - np.log((counts + 0.5).sum()), dtype=np.float64)


def _row(
    sample: StopSample, family: Family, fitted: FamilyFit, held_out: HeldOut, best: str
) -> StopsRow:
    share = sample.counts / sample.counts.sum()
    # Of totals each click is a group of its own; of equal rows a multiple does for all.
    groups = np.diag(np.sqrt(sample.counts)) if sample.groups is None else sample.groups
    errors = standard_errors(family, fitted, sample.counts, groups)
    values: dict[str, Any] = {
        f"{name}{kind}": None for name in PARAMETERS for kind in ("", "_se", "_se_naive")
    }
    for at, name in enumerate(family.parameters):
        values[name] = fitted.values[at]
        if errors is not None:
            values[f"{name}_se"], values[f"{name}_se_naive"] = errors[0][at], errors[1][at]
    return StopsRow(
        reading=sample.reading,
        law=family.name,
        **values,
        at_end=fitted.at_end,
        log_likelihood=float(share @ fitted.log_mass),
        held_out=held_out.means[family.name],
        **triple("below_best", held_out.difference(best, family.name)),
        **triple("above_rr", held_out.difference(family.name, "RR")),
        total_variation=float(np.abs(share - np.exp(fitted.log_mass)).sum()) / 2,
        remainder=family.remainder(fitted.point, len(share)),
    )


def _verdict(held_out: HeldOut, others: tuple[str, ...]) -> FamilyVerdict:
    """Return whether RR is best, worse than another, or neither for sure.

    "best" and "not best" say that the 95 % intervals of the differences do; one for each law.
    """
    differences = [held_out.difference("RR", other) for other in others]
    if all(low > 0 for _, low, _ in differences):
        return "best"
    return "not best" if any(high < 0 for *_, high in differences) else "open"


def _counts(log: ClickLog) -> LogCounts:
    return LogCounts(
        sessions=log.num_sessions,
        searches=log.num_searches,
        with_clicks=log.num_clicked,
        without_stop=log.num_searches - int(log.last.sum()),
        outside=log.num_outside,
        last_outside=log.num_last_outside,
        early=log.num_early,
    )
