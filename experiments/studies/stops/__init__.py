"""Which stopping distribution fits where people click.

The study fits RBP, DCG, RR and the Beta mixture of RBP to clicks by maximum likelihood, and
compares them on held-out clicks. It repeats section 4.1 of Carterette 2011.
"""

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from prum.experiments.frame import drawing as d
from prum.experiments.frame.design import Design, Seed, draws_of, option
from prum.experiments.frame.frames import columns_of, frame_table
from prum.experiments.frame.study import Advance, Study, counted
from prum.experiments.frame.view import Table, View, interval
from prum.experiments.studies.kit.story import Story
from prum.experiments.studies.stops.fits import (
    FAMILIES,
    PAGE,
    Family,
    HeldOut,
    fit,
    over_folds,
    over_halves,
    standard_errors,
)
from prum.simulator import InputError
from prum.simulator.collections.clicks import read_click_log, read_click_totals
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import whole_number
from prum.simulator.tables.files import place

EVERY, LAST, TOTALS, BEYOND = "every click", "last click", "totals", "totals and beyond"
TWO_RANKS = "laws cannot be told apart by a single rank"
FREQUENCIES = "frequencies"
PARAMETERS, KINDS = ("theta", "base", "a", "b"), ("", "_se", "_se_naive")
_COLUMNS = [f"{name}{kind}" for name in PARAMETERS for kind in KINDS]
_FOLDS = 10
_MORE = "part is held out while the rest is fitted: give more clicks"
# The laws of the paper's Figure 2, first as drawn, then with parameters fitted.
_PAPER = {"as drawn": ("RBP .5", "DCG 2"), "parameters fitted": ("RBP", "DCG")}


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
    ranks: int | None = option(None, "Count only the first N ranks.", least=2, remedy=TWO_RANKS)
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
    RBP; the uniform law of the page, as a baseline. A page of n ranks hides who would stop behind
    it, so P(k given k <= n) is fitted, by maximum likelihood, and P(k > n) is what the law adds
    unseen; where the clicks behind rank n are known, P(k) as it is, with P(k > n) for those.

    Comparison. Mean log-likelihood per stop held out: sessions whole, in ten parts; or random
    halves of totals. Beside the laws stand the plain frequencies, (count + 1/2) / (stops + n/2),
    which tell how much any law leaves to be had.

    Raises InputError for bad files, and ranks that they do not have.

    Returns
    -------
    frame
        A row for each law and reading. Parameters have standard errors for dependent stops of a
        session and laws that are wrong (`_se`), and for independent stops of the law (`_se_naive`).
        `log_likelihood`, of the data fitted to, and `held_out` are means per stop; `below_best` and
        `above_rr` are differences of `held_out`, with 95 % intervals; `total_variation` is from the
        frequencies; `remainder` is P(k > n).
    found
        `log`, what of the log counts, and `readings`: stops by rank, P(k) of each law fitted to
        them, and how RR does. `beyond` is the share of stops behind the last rank, whose cell is
        the last one; None where they are not known. `left_by_best` is how far plain frequencies,
        held out, are above the best law. `lost` is how probable it is by the clicks that a user
        stops at each rank and then quits the engine for good, as the function `lost` has it.
    """
    import pandas as pd

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
            last_outside=log.num_last_outside,
            early=log.num_early,
        )
        for reading, clicks in ((EVERY, log.every), (LAST, log.last)):
            cut = _cut(clicks, design.ranks, design.sessions)
            groups = cut[cut.any(axis=1)]
            thing = f"sessions with a stop on the list ({reading})"
            _check_two(thing, len(groups), design.sessions)
            samples.append((reading, groups.sum(axis=0), groups))
    if design.totals is not None:
        totals = read_click_totals(design.totals)
        counts = _cut(totals.counts[None, :], design.ranks, design.totals)[0]
        _check_two("clicks", int(counts.sum()), design.totals)
        samples.append((TOTALS, counts, None))
        if totals.beyond is not None:
            beyond = totals.beyond + int(totals.counts[len(counts) :].sum())
            samples.append((BEYOND, np.append(counts, float(beyond)), None))
    parts = [design.draws if groups is None else min(_FOLDS, len(groups)) for *_, groups in samples]
    step = counted(progress, sum(parts))
    rows: list[dict[str, Any]] = []
    readings = []
    for number, (sample, num_parts) in enumerate(zip(samples, parts, strict=True)):
        rng = np.random.default_rng([design.seed, number])
        rows_of_sample, found = _measured(rng, step, num_parts, *sample)
        rows += rows_of_sample
        readings.append(found)
    return pd.DataFrame(rows, dtype=object), SimpleNamespace(readings=readings, log=log_counts)


def _cut(clicks: Ints, ranks: int | None, path: str) -> Floats:
    """Return the first columns, as floats."""
    where, num_ranks = place(path), clicks.shape[1]
    whole_number("number of ranks", num_ranks, least=2, remedy=TWO_RANKS, place=where)
    if ranks is not None:
        remedy = "the data have no more"
        whole_number("ranks", ranks, least=2, most=num_ranks, remedy=remedy, place=where)
    return clicks[:, :ranks].astype(np.float64)


def _check_two(thing: str, number: int, path: str) -> None:
    if number < 2:
        raise InputError(thing, number, "be at least 2", remedy=_MORE, place=place(path))


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
    families: tuple[Family, ...] = FAMILIES
    if not is_cut:
        families = tuple(family.uncut() for family in FAMILIES if family.name != PAGE)
    fits = {family.name: fit(family, counts) for family in families}
    laws: dict[str, Callable[[Floats], Floats]] = {
        family.name: partial(_fitted, family, fits[family.name].point) for family in families
    } | {FREQUENCIES: frequencies}
    if groups is None:
        held_out = over_halves(counts, laws, num_parts, rng, step)
        # Of totals each click is a group of its own; of equal rows a multiple does for all.
        clusters = np.diag(np.sqrt(counts))
    else:
        held_out = over_folds(groups, laws, num_parts, rng, step)
        clusters = groups
    best = max(fits, key=lambda law: held_out.means[law])
    share = counts / counts.sum()
    rows = []
    for family in families:
        law, fitted = family.name, fits[family.name]
        errors = standard_errors(family, fitted, counts, clusters)
        values: dict[str, float] = {}
        for kind, numbers in zip(KINDS, (fitted.values, *(errors or ())), strict=False):
            values |= {
                f"{name}{kind}": x for name, x in zip(family.parameters, numbers, strict=True)
            }
        rows.append(
            {"reading": reading, "law": law}
            | {
                f"{name}{kind}": values.get(f"{name}{kind}")
                for name in PARAMETERS
                for kind in KINDS
            }
            | {"at_end": fitted.at_end, "log_likelihood": float(share @ fitted.log_mass)}
            | {"held_out": held_out.means[law]}
            | columns_of(
                below_best=held_out.difference(best, law), above_rr=held_out.difference(law, "RR")
            )
            | {"total_variation": float(np.abs(share - np.exp(fitted.log_mass)).sum()) / 2}
            | {"remainder": family.remainder(fitted.point, len(share))}
        )
    return rows, SimpleNamespace(
        reading=reading,
        stops=int(counts.sum()),
        sessions=None if groups is None else len(groups),
        counts=counts.astype(int).tolist(),
        empirical=share.tolist(),
        fitted={law: np.exp(fitted.log_mass).tolist() for law, fitted in fits.items()},
        beyond=None if is_cut else float(share[-1]),
        frequencies=held_out.means[FREQUENCIES],
        best=best,
        left_by_best=held_out.difference(FREQUENCIES, best),
        verdict={how: verdict_on_rr(held_out, others) for how, others in _PAPER.items()},
        lost=lost(share[: len(share) - (not is_cut)], fits["RBP"].values[0]).tolist(),
    )


def _fitted(family: Family, start: Floats, counts: Floats) -> Floats:
    """Return the fit of a family, searched from near where that to all stops was found."""
    log_mass: Floats = fit(family, counts, start).log_mass
    return log_mass


def lost(stopped: Floats, theta: float) -> Floats:
    """Return the probability to stop at rank k of n and to quit the engine then, k = 1 .. n.

    Quitting has probability (1 - theta)^(n - k) (Carterette 2011, section 4.1.1); by RBP itself all
    is (1 - theta)^(n - 1) theta at each rank.

    >>> lost(np.array([0.5, 0.25, 0.125]), 0.5).tolist()         # RBP: all ranks alike
    [0.125, 0.125, 0.125]
    """
    return np.asarray(stopped * (1 - theta) ** np.arange(len(stopped))[::-1], dtype=np.float64)


def frequencies(counts: Floats) -> Floats:
    """Return the logarithms of (count + 1/2) / (stops + n/2): no rank is impossible.

    >>> np.exp(frequencies(np.array([3.0, 0.0]))).round(4).tolist()
    [0.875, 0.125]
    """
    return np.asarray(np.log(counts + 0.5) - np.log((counts + 0.5).sum()), dtype=np.float64)


def verdict_on_rr(held_out: HeldOut, others: tuple[str, ...]) -> str:
    """Return whether RR is best, worse than another, or neither for sure.

    "best" and "not best" say that the 95 % intervals of the differences do; one for each law.
    """
    differences = [held_out.difference("RR", other) for other in others]
    if all(low > 0 for _, low, _ in differences):
        return "best"
    return "not best" if any(high < 0 for *_, high in differences) else "open"


# --- what is shown ------------------------------------------------------------------------------

_TITLES = {
    EVERY: ("Every click a stop", "every click"),
    LAST: ("The last click of a search its stop", "last click of a search"),
    TOTALS: ("Totals by rank", "totals"),
    BEYOND: ("Totals by rank, and of all later ranks", "totals, later ranks counted"),
}
_VERDICTS = {
    "best": "RR is best",
    "not best": "RR is not best",
    "open": "neither is certain",
}
# A colour for each kind of law; without parameter dashed, fitted solid.
_LINES = {
    "RBP .5": (d.SIMULATED, "--"),
    "RBP": (d.SIMULATED, "-"),
    "DCG 2": (d.SOFT, "--"),
    "DCG": (d.SOFT, "-"),
    "RR": (d.PRUM, "--"),
    "Beta": (d.PRUM, "-"),
}
_LEAST_SHARE = 1e-4


def view(result: Any) -> View:
    """Return the fits to each reading, what they say of RR, and what to hold against them."""
    readings, log = result.found.readings, result.found.log
    verdicts = [reading.verdict["parameters fitted"] for reading in readings]
    has_later = any(reading.beyond is not None for reading in readings)
    sections = (
        None if log is None else "log",
        "columns",
        "cut or not" if has_later else "cut",
        None if log is None else "sessions",
        None if result.design.totals is None else "totals",
        "lost",
        "caution",
    )
    values = {"log": log, "draws": result.design.draws, "readings": len(readings)}
    values["count"] = {name: verdicts.count(name) for name in _VERDICTS}
    story = Story.beside(__package__)
    frame = result.to_frame().assign(parameters=[_parameters(row) for row in result.rows])
    parts = [(reading, frame[frame.reading == reading.reading]) for reading in readings]
    panels = [
        partial(_panel, reading, scale) for reading in readings for scale in ("linear", "log")
    ]
    return story.view(
        [_laws(*part) for part in parts] + [_by_rank(reading) for reading in readings],
        values,
        figure=(
            "Shares of clicks by rank, and stopping distributions fitted to them",
            lambda: d.paneled(panels, columns=2, tall=230, has_legend=True),
        ),
        notes=(),
        more=(*(_told(story, *part) for part in parts), *story.paragraphs(*sections, **values)),
    )


def _title(reading: Any) -> str:
    of = "" if reading.sessions is None else f" of {reading.sessions:,} sessions"
    return f"{_TITLES[reading.reading][0]}: {reading.stops:,} stops{of}"


def _parameters(row: Any) -> str:
    texts = []
    for name in PARAMETERS:
        value, error = getattr(row, name), getattr(row, f"{name}_se")
        if value is not None:
            texts.append(f"{name} {value:.4g}" + ("" if error is None else f" ± {error:.2g}"))
    return ", ".join(texts + ["at the end of its range"] * row.at_end)


def _told(story: Story, reading: Any, frame: Any) -> str:
    """Return the verdict on RR, which laws may be best, and how much these leave to be had."""
    value, low, high = reading.left_by_best
    near = frame.law[(frame.below_best_low <= 0) & (frame.law != reading.best)]
    values = {
        "title": _title(reading),
        "drawn": _VERDICTS[reading.verdict["as drawn"]],
        "fitted": _VERDICTS[reading.verdict["parameters fitted"]],
        "best": reading.best,
        "near": ", ".join(near) or "no other",
        "left": interval(value, low, high, ".4f"),
        "beyond": reading.beyond,
    }
    later = None if reading.beyond is None else "later ranks"
    return " ".join(story.paragraphs("reading", later, **values))


def _laws(reading: Any, frame: Any) -> Table:
    """Return a row for each law; a law has no difference from itself."""
    frame = frame.assign(
        below_best=frame.below_best.where(frame.law != reading.best),
        above_rr=frame.above_rr.where(frame.law != "RR"),
    )
    forms = {"law": "", "parameters": "", "held_out": ".4f", "below_best ±": ".4f"}
    forms |= {"above_rr ±": ".4f", "total_variation": ".4f", "remainder": ".4f"}
    return frame_table(_title(reading), frame, forms, names={"above_rr": "above RR"})


def _by_rank(reading: Any) -> Table:
    """Return counts, shares and fitted probabilities."""
    ranks = [str(rank) for rank in range(1, len(reading.counts) + 1)]
    unknown = []
    if reading.beyond is not None:
        ranks[-1], unknown = "later", [None]
    columns = {"rank": ranks, "stops": reading.counts, "share": reading.empirical}
    columns |= reading.fitted | {"lost": reading.lost + unknown}
    forms = {"rank": "", "stops": ",", "share": ".4f"} | dict.fromkeys(reading.fitted, ".4f")
    label = f"P(k) by rank: {_title(reading)}"
    return frame_table(label, columns, forms | {"lost": ".2g"}, detail=True)


def _panel(reading: Any, scale: str, axes: Any) -> None:
    """Draw P(k) on a linear or on a logarithmic scale."""
    # The cell of all later ranks is no rank.
    num_ranks = len(reading.counts) - (reading.beyond is not None)
    ranks = range(1, num_ranks + 1)
    for law, (colour, style) in _LINES.items():
        (line,) = axes.plot(ranks, reading.fitted[law][:num_ranks], color=colour, label=law)
        line.set(linestyle=style, linewidth=1.2)
    shares = reading.empirical[:num_ranks]
    axes.plot(ranks, shares, "o", color=d.INK, markersize=3.5, markeredgewidth=0, label="clicks")
    axes.set_yscale(scale)
    if scale == "log":
        least = min((share for share in shares if share > 0), default=_LEAST_SHARE)
        axes.set_ylim(max(least / 10, _LEAST_SHARE), 1)
    else:
        axes.set_ylim(0, None)
        axes.set_title(_TITLES[reading.reading][1])
    axes.set_xticks(list(ranks)[:: max(1, num_ranks // 10)])
    axes.set_xlabel("k, rank", labelpad=3)
    axes.minorticks_off()


STOPS = Study("stops", __doc__, StopsDesign, None, compute, view)
