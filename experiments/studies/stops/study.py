"""Study: which static stopping distribution fits where people click (Carterette 2011, 4.1).

Readings. "every click": each click is a stop at its rank. "last click": the last click in time of
a search is its stop; searches without a click on the list are left out. "totals": clicks by rank
of a whole log, each a stop, without telling which belong to one session. "totals and beyond":
these, and how many clicks were behind the last rank.

Laws. RBP, DCG, RR; the Beta mixture of RBP, whose member a = b = 1 is RR and whose limits are RBP;
the uniform law of the page, as a baseline. A page of n ranks cuts off who would stop behind it, so
P(k given k <= n) is fitted, by maximum likelihood, and P(k > n) is what the law adds unseen; where
the clicks behind rank n are known, P(k) as it is, with P(k > n) for those.

Comparison. Mean log-likelihood per stop held out: sessions whole, in ten parts; or random halves
of totals. Beside the laws stand the plain frequencies, (count + 1/2) / (stops + n/2), which tell
how much any law leaves to be had.
"""

from typing import Any

import numpy as np

from prum.experiments.studies.stops.families import FAMILIES, PAGE, Family
from prum.experiments.studies.stops.fitting import Fit, fit, standard_errors
from prum.experiments.studies.stops.held_out import Fitted, HeldOut, over_folds, over_halves
from prum.experiments.studies.stops.samples import Sample, samples_of_log, samples_of_totals
from prum.experiments.studies.study import (
    Advance,
    Floats,
    Study,
    checked_draws,
    checked_seed,
    command_of,
)
from prum.simulator.collections.clicks import ClickLog, read_click_log, read_click_totals
from prum.simulator.model import InputError

FOLDS = 10
DRAWS = 200
FREQUENCIES = "frequencies"
PARAMETERS = ("theta", "base", "a", "b")
# The laws of the paper's Figure 2, first as drawn, then with parameters fitted.
PAPER = ("RBP .5", "DCG 2")
PAPER_FITTED = ("RBP", "DCG")


def study_stops(
    *,
    sessions: str | None = None,
    totals: str | None = None,
    ranks: int | None = None,
    draws: int = DRAWS,
    seed: int = 1,
    progress: Advance = lambda _: None,
) -> Study:
    """Return how each law fits each reading of the files.

    Rows have reading, law, the parameters with standard errors (`_se` for sessions that hang
    together and laws that are wrong, `_se_naive` for independent stops of the law), at_end,
    log_likelihood of the data fitted to, held_out, below_best and above_rr (differences of
    held_out with 95 % intervals), total_variation from the frequencies, and remainder. `found` has
    for each reading counts and fitted P(k), the best law and the verdict on RR, and what of the
    files was left out.

    Parameters
    ----------
    sessions
        A log, as `read_click_log` reads it.
    totals
        A table, as `read_click_totals` reads it.
    ranks
        Only the first ranks count.
    draws
        Random halves of totals.

    Raises
    ------
    InputError
        without a file, for bad files, fewer than two draws, a negative seed, or ranks that the
        data do not have.
    """
    draws, seed = checked_draws(draws), checked_seed(seed)
    samples: list[Sample] = []
    log: ClickLog | None = None
    if sessions is not None:
        log = read_click_log(sessions)
        samples += samples_of_log(log, ranks, sessions)
    if totals is not None:
        samples += samples_of_totals(read_click_totals(totals), ranks, totals)
    if not samples:
        raise InputError(
            "files", (), "be at least one", remedy="give a log of sessions, totals, or both"
        )
    work = sum(_folds(one) if one.groups is not None else draws for one in samples)
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        progress(done / work)

    rows: list[dict[str, Any]] = []
    readings: list[dict[str, Any]] = []
    for number, sample in enumerate(samples):
        rng = np.random.default_rng([seed, number])
        own, told = _measured(sample, draws, rng, step)
        rows += own
        readings.append(told)
    options = {
        "sessions": sessions, "totals": totals, "ranks": ranks, "draws": draws, "seed": seed,
    }  # fmt: skip
    options = {name: value for name, value in options.items() if value is not None}
    return Study(
        "stops",
        options,
        tuple(rows),
        {"readings": readings, "log": None if log is None else _left_out(log)},
        command_of("stops", options, {}),
    )


def _folds(sample: Sample) -> int:
    return FOLDS if sample.groups is None else min(FOLDS, len(sample.groups))


def _measured(
    sample: Sample, draws: int, rng: np.random.Generator, step: Any
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the rows of a reading, and what else is to be told of it."""
    families: tuple[Family, ...] = FAMILIES
    if not sample.is_cut:
        families = tuple(family.uncut() for family in FAMILIES if family.name != PAGE)
    fits = {family.name: fit(family, sample.counts) for family in families}
    laws: dict[str, Fitted] = {
        family.name: _from(family, fits[family.name].point) for family in families
    }
    laws[FREQUENCIES] = frequencies
    if sample.groups is None:
        held_out = over_halves(sample.counts, laws, draws, rng, step)
    else:
        held_out = over_folds(sample.groups, laws, _folds(sample), rng, step)
    best = max(fits, key=lambda law: held_out.means[law])
    rows = [_row(sample, family, fits[family.name], held_out, best) for family in families]
    share = sample.counts / sample.counts.sum()
    told = {
        "reading": sample.reading,
        "stops": int(sample.counts.sum()),
        "sessions": None if sample.groups is None else len(sample.groups),
        "counts": sample.counts.astype(int).tolist(),
        "empirical": share.tolist(),
        "fitted": {law: np.exp(one.log_mass).tolist() for law, one in fits.items()},
        "beyond": None if sample.is_cut else float(share[-1]),
        "frequencies": held_out.means[FREQUENCIES],
        "best": best,
        "left_by_best": held_out.difference(FREQUENCIES, best),
        "verdict": {
            "as drawn": _verdict(held_out, PAPER),
            "parameters fitted": _verdict(held_out, PAPER_FITTED),
        },
    }
    return rows, told


def _from(family: Family, start: Floats) -> Fitted:
    """Return the fit of a family, searched from near where that to all stops was found."""
    return lambda counts: fit(family, counts, start).log_mass


def frequencies(counts: Floats) -> Floats:
    """Return the logarithms of (count + 1/2) / (stops + n/2): no rank is impossible.

    >>> np.exp(frequencies(np.array([3.0, 0.0]))).round(4).tolist()
    [0.875, 0.125]
    """
    return np.asarray(np.log(counts + 0.5) - np.log((counts + 0.5).sum()), dtype=np.float64)


def _row(
    sample: Sample, family: Family, found: Fit, held_out: HeldOut, best: str
) -> dict[str, Any]:
    share = sample.counts / sample.counts.sum()
    # Of totals each click is a group of its own; of equal rows a multiple does for all.
    groups = np.diag(np.sqrt(sample.counts)) if sample.groups is None else sample.groups
    errors = standard_errors(family, found, sample.counts, groups)
    values: dict[str, float | None] = {
        f"{name}{kind}": None for name in PARAMETERS for kind in ("", "_se", "_se_naive")
    }
    for at, name in enumerate(family.parameters):
        values[name] = found.values[at]
        if errors is not None:
            values[f"{name}_se"], values[f"{name}_se_naive"] = errors[0][at], errors[1][at]
    return {
        "reading": sample.reading,
        "law": family.name,
        **values,
        "at_end": found.at_end,
        "log_likelihood": float(share @ found.log_mass),
        "held_out": held_out.means[family.name],
        **_ends("below_best", held_out, best, family.name),
        **_ends("above_rr", held_out, family.name, "RR"),
        "total_variation": float(np.abs(share - np.exp(found.log_mass)).sum()) / 2,
        "remainder": family.remainder(found.point, len(share)),
    }


def _ends(name: str, held_out: HeldOut, law: str, other: str) -> dict[str, float]:
    value, low, high = held_out.difference(law, other)
    return {name: value, f"{name}_low": low, f"{name}_high": high}


def _verdict(held_out: HeldOut, others: tuple[str, ...]) -> str:
    """Return whether RR is best, worse than another, or neither for sure.

    "best" and "not best" say that the 95 % intervals of the differences do; one for each law.
    """
    differences = [held_out.difference("RR", other) for other in others]
    if all(low > 0 for _, low, _ in differences):
        return "best"
    return "not best" if any(high < 0 for *_, high in differences) else "open"


def _left_out(log: ClickLog) -> dict[str, int]:
    return {
        "sessions": log.num_sessions,
        "searches": log.num_searches,
        "with_clicks": log.num_clicked,
        "without_stop": log.num_searches - int(log.last.sum()),
        "outside": log.num_outside,
        "last_outside": log.num_last_outside,
        "early": log.num_early,
    }
