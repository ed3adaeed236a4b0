"""Which stopping distribution fits where people click.

The study fits RBP, DCG, RR and the Beta mixture of RBP to clicks by maximum likelihood, and
compares them on held-out clicks. It repeats section 4.1 of Carterette 2011.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from prum.analytic.utility import StoppingLaw, beta_stopping, stopping
from prum.experiments.frame.design import Design, Seed, draws_of, option
from prum.experiments.frame.frames import columns_of, frame_table
from prum.experiments.frame.study import Advance, Study, counted
from prum.experiments.frame.view import Table, View
from prum.experiments.statistics.intervals import Estimate, normal_factor
from prum.experiments.studies.kit.quantities import check_number
from prum.experiments.studies.kit.story import Story
from prum.simulator import InputError
from prum.simulator.collections import read_click_log, read_click_totals
from prum.simulator.model.arrays import Floats

EVERY, LAST, TOTALS, BEYOND = "every click", "last click", "totals", "totals and beyond"
PARAMETERS = ("theta", "base", "a", "b")
_FOLDS = 10
# The laws of the paper's Figure 2 that RR is compared with, their parameters fitted.
_OTHERS = ("RBP", "DCG")

# Takes counts of stops by rank to log P(k).
FittedLaw = Callable[[Floats], Floats]
# Parameters are searched on scales on which all numbers are allowed, between -_END and _END.
_END = 12.0
# Steps of central differences: of values, and of slopes.
_STEP, _WIDER_STEP = 1e-5, 1e-3
_STARTS = (-4.0, -1.5, 0.0, 1.5, 4.0)
# A likelihood that is flatter than this, per stop, says nothing of the parameter.
_FLAT = 1e-7
_NEAR_END = 1e-2
_HELD_OUT = "part is held out while the rest is fitted: give more clicks"


class StopsDesign(Design):
    """Options of the study of stops."""

    sessions: str | None = option(
        None,
        "Log of searches: session time Q query region url ..., or session time C url, between "
        "tabs, as NAVER's CLARA2.",
        file="input",
    )
    totals: str | None = option(
        None,
        "Clicks by rank: rank, clicks between tabs; then page1, page2, ..., later, if known.",
        file="input",
    )
    draws: int = option(200, draws_of("halves of the totals to hold out"))
    seed: Seed = 1

    def check(self) -> None:
        """Raise InputError if options contradict each other."""
        if self.sessions is None and self.totals is None:
            remedy = "give --sessions FILE, --totals FILE, or both"
            raise InputError("files", (), "be at least one", remedy=remedy)


def compute(design: StopsDesign, progress: Advance) -> tuple[Any, SimpleNamespace]:
    """Return how each law fits each reading of the files: which static law fits clicks.

    Readings. "every click": each click is a stop at its rank. "last click": the last click in time
    of a search is its stop; searches without a click on the list are left out. "totals": clicks by
    rank of a whole log, each a stop, without telling which belong to one session. "totals and
    beyond": these, and how many clicks were behind the last rank.

    Laws. RBP, DCG, RR; the Beta mixture of RBP, whose member a = b = 1 is RR and whose limits are
    RBP. A page of n ranks hides who would stop behind it, so P(k given k <= n) is fitted, by
    maximum likelihood; where the clicks behind rank n are known, P(k) as it is, with P(k > n) for
    those.

    Comparison. Mean log-likelihood per stop held out: sessions whole, in ten parts; or random
    halves of totals.

    Raise InputError for bad files, and those of fewer than two ranks or stops.

    Returns
    -------
    frame
        A row for each law and reading. Parameters have standard errors for dependent stops of a
        session and laws that are wrong (`_se`). `held_out` is the mean log-likelihood per stop;
        `below_best` and `above_rr` are its differences, with 95 % intervals.
    found
        `log`, what of the log counts, and `readings`: stops by rank, and how RR does. `beyond` is
        the share of stops behind the last rank, whose cell is the last one; None where they are not
        known.
    """
    samples: list[Any] = []
    log_counts = None
    if design.sessions is not None:
        log = read_click_log(design.sessions)
        log_counts = SimpleNamespace(
            sessions=log.num_sessions,
            searches=log.num_searches,
            with_clicks=log.num_clicked,
            without_stop=log.num_searches - int(log.last.sum()),
            outside=log.num_outside,
            early=log.num_early,
        )
        for reading, clicks in ((EVERY, log.every), (LAST, log.last)):
            groups = clicks[clicks.any(axis=1)].astype(np.float64)
            check_number("ranks", clicks.shape[1], place=design.sessions)
            thing = f"sessions with a stop on the list ({reading})"
            check_number(thing, len(groups), remedy=_HELD_OUT, place=design.sessions)
            samples.append((reading, groups.sum(axis=0), groups))
    if design.totals is not None:
        totals = read_click_totals(design.totals)
        counts = totals.counts.astype(np.float64)
        check_number("ranks", len(counts), place=design.totals)
        check_number("clicks", int(counts.sum()), remedy=_HELD_OUT, place=design.totals)
        samples.append((TOTALS, counts, None))
        if totals.beyond is not None:
            samples.append((BEYOND, np.append(counts, float(totals.beyond)), None))
    parts = [design.draws if groups is None else min(_FOLDS, len(groups)) for *_, groups in samples]
    step = counted(progress, sum(parts))
    rows: list[dict[str, Any]] = []
    readings = []
    for number, (sample, num_parts) in enumerate(zip(samples, parts, strict=True)):
        rng = np.random.default_rng([design.seed, number])
        rows_of_sample, measured = _measured(rng, step, num_parts, *sample)
        rows += rows_of_sample
        readings.append(measured)
    return rows, SimpleNamespace(readings=readings, log=log_counts)


def _measured(
    rng: np.random.Generator,
    step: Callable[[], None],
    num_parts: int,
    reading: str,
    counts: Floats,
    groups: Floats | None,
) -> tuple[list[dict[str, Any]], SimpleNamespace]:
    """Return the rows of a reading, and what else was found of it."""
    is_cut = reading != BEYOND
    families = FAMILIES if is_cut else tuple(family.uncut() for family in FAMILIES)
    fits = {family.name: fit(family, counts) for family in families}
    laws = {family.name: partial(_fitted, family, fits[family.name].point) for family in families}
    if groups is None:
        held_out = over_halves(counts, laws, num_parts, rng, step)
        # Of totals each click is a group of its own; of equal rows a multiple does for all.
        clusters = np.diag(np.sqrt(counts))
    else:
        held_out = over_folds(groups, laws, num_parts, rng, step)
        clusters = groups
    best = max(fits, key=lambda law: held_out.means[law])
    rows = []
    for family in families:
        law, fitted = family.name, fits[family.name]
        errors = standard_errors(family, fitted, counts, clusters)
        of_law = dict(zip(family.parameters, fitted.values, strict=True))
        of_law |= {
            f"{name}_se": x for name, x in zip(family.parameters, errors or (), strict=False)
        }
        names = [f"{name}{kind}" for name in PARAMETERS for kind in ("", "_se")]
        rows.append(
            {"reading": reading, "law": law}
            | {name: of_law.get(name) for name in names}
            | {"at_end": fitted.at_end, "held_out": held_out.means[law]}
            | columns_of(
                below_best=held_out.difference(best, law), above_rr=held_out.difference(law, "RR")
            )
        )
    return rows, SimpleNamespace(
        reading=reading,
        stops=int(counts.sum()),
        sessions=None if groups is None else len(groups),
        counts=counts.astype(int).tolist(),
        beyond=None if is_cut else float(counts[-1] / counts.sum()),
        best=best,
        verdict=verdict_on_rr(held_out, _OTHERS),
    )


def _fitted(family: "Family", start: Floats, counts: Floats) -> Floats:
    """Return the fit of a family, searched from near where that to all stops was found."""
    log_mass: Floats = fit(family, counts, start).log_mass
    return log_mass


def verdict_on_rr(held_out: "HeldOut", others: tuple[str, ...]) -> str:
    """Return whether RR is best, worse than another, or neither for sure.

    "best" and "not best" say that the 95 % intervals of the differences do; one for each law.
    """
    differences = [held_out.difference("RR", other) for other in others]
    if all(low > 0 for _, low, _ in differences):
        return "best"
    return "not best" if any(high < 0 for *_, high in differences) else "open"


# --- laws, fitted and held out --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Family:
    """Stopping distributions that differ in their parameters.

    Parameters
    ----------
    name
        As in a study's rows.
    law
        Takes the number of ranks and the parameters to P(k).
    parameters
        Names of the free ones.
    to_values
        Takes a point of the scales to the parameters.
    cut
        Whether stops are those at ranks 1 .. n, so that P(k given k <= n) is their law. Otherwise
        one cell more counts all stops behind rank n.
    """

    name: str
    law: Callable[..., StoppingLaw]
    parameters: tuple[str, ...] = ()
    to_values: Callable[[Floats], tuple[float, ...]] = lambda _: ()
    cut: bool = True

    def uncut(self) -> "Family":
        """Return the family with a cell for stops behind the last rank."""
        return replace(self, cut=False)

    def log_mass(self, point: Floats, num_cells: int) -> Floats:
        """Return the logarithm of each cell's probability."""
        law = self.law(num_cells - (not self.cut), *self.to_values(point))
        mass = law.mass / law.mass.sum() if self.cut else np.append(law.mass, law.remainder)
        # At the ends of the scales a P(k) may underflow, which is no proof that it is 0.
        return np.asarray(np.log(np.maximum(mass, np.finfo(np.float64).tiny)), dtype=np.float64)


def _beta(point: Floats) -> tuple[float, ...]:
    """Return a and b: their share a / (a + b) and their sum are easier to find."""
    total = float(np.exp(point[1]))
    return float(expit(point[0])) * total, float(expit(-point[0])) * total


FAMILIES = (
    Family("RBP .5", lambda n: stopping("RBP", n=n, theta=0.5)),
    Family(
        "RBP",
        lambda n, theta: stopping("RBP", n=n, theta=theta),
        ("theta",),
        lambda point: (float(expit(point[0])),),
    ),
    Family("DCG 2", lambda n: stopping("DCG", n=n, base=2.0)),
    Family(
        "DCG",
        lambda n, base: stopping("DCG", n=n, base=base),
        ("base",),
        lambda point: (1 + float(np.exp(point[0])),),
    ),
    Family("RR", lambda n: stopping("RR", n=n)),
    Family("Beta", lambda n, a, b: beta_stopping("RBP", n=n, a=a, b=b), ("a", "b"), _beta),
)


# --- maximum likelihood, from counts of stops by rank -------------------------------------------


def fit(family: Family, counts: Floats, start: Floats | None = None) -> SimpleNamespace:
    """Return the fit to counts of stops by rank, searched from `start` or from a grid.

    Returns
    -------
    point
        On the family's scales.
    values
        The parameters.
    log_mass
        log P(k given k <= n), shape (n,).
    at_end
        Whether the search stopped at the end of a scale: no member is best, some limit is.
    """
    share = counts / counts.sum()
    num_ranks = len(counts)

    def loss(point: Floats) -> float:
        return -float(share @ family.log_mass(point, num_ranks))

    point = np.empty(0)
    if family.parameters:
        if start is None:
            grid = [np.array(point) for point in product(_STARTS, repeat=len(family.parameters))]
            start = min(grid, key=loss)
        options: Any = {"ftol": 1e-14, "gtol": 1e-9}
        bounds = [(-_END, _END)] * len(family.parameters)
        best = minimize(
            loss, start, method="L-BFGS-B", jac="3-point", bounds=bounds, options=options
        )
        point = np.asarray(best.x, dtype=np.float64)
    return SimpleNamespace(
        point=point,
        values=family.to_values(point),
        log_mass=family.log_mass(point, num_ranks),
        at_end=bool((np.abs(np.abs(point) - _END) < _NEAR_END).any()),
    )


def standard_errors(
    family: Family, fitted: Any, counts: Floats, groups: Floats
) -> tuple[float, ...] | None:
    """Return standard errors of the parameters, for stops in groups and laws that are wrong.

    With H the observed information and G the sum over groups of the outer product of their score,
    from H^-1 G H^-1 by the delta method.

    `family`, `fitted`: the fit; `counts`: stops by rank, shape (n,); `groups`: stops of each group
    by rank, shape (groups, n), or any C with the same C' C.

    Returns
    -------
    None if there is no parameter, or the likelihood has no peak.
    """
    if not family.parameters or fitted.at_end:
        return None

    def differences(of: Callable[[Floats], Any], point: Floats, step: float) -> Floats:
        """Return central differences of a function, a row for each scale."""
        ends = [[of(point + side * step * axis) for side in (1, -1)] for axis in np.eye(len(point))]
        return np.array([np.subtract(above, below) for above, below in ends]) / (2 * step)

    def scores(point: Floats) -> Floats:
        """Return the score of a stop by rank, shape (parameters, n)."""
        return differences(lambda moved: family.log_mass(moved, len(counts)), point, _STEP)

    information = -differences(lambda point: scores(point) @ counts, fitted.point, _WIDER_STEP)
    information = (information + information.T) / 2
    if np.linalg.eigvalsh(information)[0] < _FLAT * counts.sum():
        return None
    inverse = np.linalg.inv(information)
    of_groups = groups @ scores(fitted.point).T
    variance = inverse @ of_groups.T @ of_groups @ inverse
    moved = differences(family.to_values, fitted.point, _STEP)
    return tuple(np.sqrt(np.diag(moved.T @ variance @ moved)).tolist())


# --- held out -----------------------------------------------------------------------------------


class HeldOut:
    """Held-out log-likelihoods of laws, their means per stop, and differences with intervals.

    Parameters
    ----------
    values
        The sum over the stops of each independent piece, by law, shape (pieces,).
    sizes
        The stops of each piece.
    scale
        Takes what a piece adds to a sum, about its mean, to what it adds to the mean: the squares
        of differences of these add up to their variance.
    """

    def __init__(self, values: Mapping[str, Floats], sizes: Floats, scale: float) -> None:
        self.means = {law: float(sums.sum() / sizes.sum()) for law, sums in values.items()}
        self._influence = {
            law: scale * (sums - self.means[law] * sizes) for law, sums in values.items()
        }

    def difference(self, law: str, other: str) -> Estimate:
        """Return the mean of one law less that of another, and the ends of its 95 % interval."""
        value = self.means[law] - self.means[other]
        apart = self._influence[law] - self._influence[other]
        return Estimate.around(value, normal_factor() * float(np.sqrt(apart @ apart)))


def over_folds(
    groups: Floats,
    laws: Mapping[str, FittedLaw],
    folds: int,
    rng: np.random.Generator,
    step: Callable[[], object],
) -> HeldOut:
    """Hold out each of `folds` parts of the groups of stops once.

    Groups are drawn into parts whole, since the stops of a group are not independent. The means are
    over stops, so ratios of sums over groups; their intervals, by linearisation, are over groups,
    the fits taken as they are.

    `groups`: stops of each group by rank, shape (groups, n), each with one at least.
    """
    part = rng.permutation(np.arange(len(groups)) % folds)
    sums = {law: np.zeros(len(groups)) for law in laws}
    for fold in range(folds):
        out = part == fold
        for law, fitted in laws.items():
            sums[law][out] = groups[out] @ fitted(groups[~out].sum(axis=0))
        step()
    sizes = groups.sum(axis=1)
    # The factor is that of a variance with one mean taken out.
    return HeldOut(sums, sizes, np.sqrt(len(groups) / (len(groups) - 1)) / sizes.sum())


def over_halves(
    counts: Floats,
    laws: Mapping[str, FittedLaw],
    draws: int,
    rng: np.random.Generator,
    step: Callable[[], object],
) -> HeldOut:
    """Hold out a random half of the stops, many times, where groups are not known.

    Each stop goes into either half by a coin. The mean of a half varies about that of all by as
    much as that of all about its expectation, if stops are independent; so do intervals over
    halves.
    """
    means = {law: np.empty(draws) for law in laws}
    for draw in range(draws):
        half = np.zeros(1)
        while not 0 < half.sum() < counts.sum():
            half = rng.binomial(counts.astype(np.int64), 0.5).astype(np.float64)
        rest = counts - half
        for law, fitted in laws.items():
            means[law][draw] = rest @ fitted(half) / rest.sum()
        step()
    return HeldOut(means, np.ones(draws), 1 / np.sqrt(draws - 1))


# --- what is shown --------------------------------------------------------------------------------

_TITLES = {
    EVERY: "Every click a stop",
    LAST: "The last click of a search its stop",
    TOTALS: "Totals by rank",
    BEYOND: "Totals by rank, and of all later ranks",
}
_VERDICTS = {"best": "is best", "not best": "is not best", "open": "may be best or not"}


def view(result: Any) -> View:
    """Return the fits to each reading, what they say of RR, and what to hold against them."""
    readings, log, story = result.found.readings, result.found.log, Story.of(__package__)
    verdicts = [reading.verdict for reading in readings]
    values = {"log": log, "draws": result.design.draws, "readings": len(readings)}
    values["count"] = {name: verdicts.count(name) for name in _VERDICTS}
    frame = result.to_frame().assign(parameters=[_parameters(row) for row in result.rows])
    parts = [(reading, frame[frame.reading == reading.reading]) for reading in readings]
    paragraphs = [
        story.line(
            "reading" if reading.beyond is None else "reading beyond",
            title=_title(reading),
            verdict=_VERDICTS[reading.verdict],
            best=reading.best,
            beyond=reading.beyond,
        )
        for reading in readings
    ]
    sections = (
        None if log is None else "log",
        "columns",
        None if log is None else "sessions",
        None if result.design.totals is None else "totals",
        "caution",
    )
    more = (*paragraphs, *story.paragraphs(*sections, **values))
    return story.view([_laws(*part) for part in parts], values, notes=(), more=more)


def _title(reading: Any) -> str:
    of = "" if reading.sessions is None else f" of {reading.sessions:,} sessions"
    return f"{_TITLES[reading.reading]}: {reading.stops:,} stops{of}"


def _parameters(row: Any) -> str:
    texts = []
    for name in PARAMETERS:
        value, error = getattr(row, name), getattr(row, f"{name}_se")
        if value is not None:
            texts.append(f"{name} {value:.4g}" + ("" if error is None else f" ± {error:.2g}"))
    return ", ".join(texts + ["at the end of its range"] * row.at_end)


def _laws(reading: Any, frame: Any) -> Table:
    """Return a row for each law; a law has no difference from itself."""
    frame = frame.assign(
        below_best=frame.below_best.where(frame.law != reading.best),
        above_rr=frame.above_rr.where(frame.law != "RR"),
    )
    forms = {"law": "", "parameters": "", "held_out": ".4f", "below_best ±": ".4f"}
    forms |= {"above_rr ±": ".4f"}
    return frame_table(_title(reading), frame, forms, names={"above_rr": "above RR"})


STOPS = Study("stops", __doc__, StopsDesign, compute, view)
