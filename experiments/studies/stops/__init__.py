"""Which stopping distribution fits where people click.

The study fits RBP, DCG, RR and the Beta mixture of RBP to clicks by maximum likelihood, and
compares them on held-out clicks. It repeats section 4.1 of Carterette 2011.
"""

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

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
    frequencies,
    over_folds,
    over_halves,
    standard_errors,
)
from prum.simulator import InputError
from prum.simulator.collections import read_click_log, read_click_totals
from prum.simulator.model.arrays import Floats

EVERY, LAST, TOTALS, BEYOND = "every click", "last click", "totals", "totals and beyond"
FREQUENCIES = "frequencies"
PARAMETERS = ("theta", "base", "a", "b")
_FOLDS = 10
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
    it, so P(k given k <= n) is fitted, by maximum likelihood; where the clicks behind rank n are
    known, P(k) as it is, with P(k > n) for those.

    Comparison. Mean log-likelihood per stop held out: sessions whole, in ten parts; or random
    halves of totals. Beside the laws stand the plain frequencies, (count + 1/2) / (stops + n/2),
    which tell how much any law leaves to be had.

    Raise InputError for bad files, and those of fewer than two ranks or stops.

    Returns
    -------
    frame
        A row for each law and reading. Parameters have standard errors for dependent stops of a
        session and laws that are wrong (`_se`). `log_likelihood`, of the data fitted to, and
        `held_out` are means per stop; `below_best` and `above_rr` are differences of `held_out`,
        with 95 % intervals.
    found
        `log`, what of the log counts, and `readings`: stops by rank, and how RR does. `beyond` is
        the share of stops behind the last rank, whose cell is the last one; None where they are not
        known. `left_by_best` is how far plain frequencies, held out, are above the best law.
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
            last_outside=log.num_last_outside,
            early=log.num_early,
        )
        for reading, clicks in ((EVERY, log.every), (LAST, log.last)):
            groups = clicks[clicks.any(axis=1)].astype(np.float64)
            thing = f"sessions with a stop on the list ({reading})"
            _check_two(thing, len(groups), clicks.shape[1], design.sessions)
            samples.append((reading, groups.sum(axis=0), groups))
    if design.totals is not None:
        totals = read_click_totals(design.totals)
        counts = totals.counts.astype(np.float64)
        _check_two("clicks", int(counts.sum()), len(counts), design.totals)
        samples.append((TOTALS, counts, None))
        if totals.beyond is not None:
            samples.append((BEYOND, np.append(counts, float(totals.beyond)), None))
    parts = [design.draws if groups is None else min(_FOLDS, len(groups)) for *_, groups in samples]
    step = counted(progress, sum(parts))
    rows: list[dict[str, Any]] = []
    readings = []
    for number, (sample, num_parts) in enumerate(zip(samples, parts, strict=True)):
        rng = np.random.default_rng([design.seed, number])
        rows_of_sample, found = _measured(rng, step, num_parts, *sample)
        rows += rows_of_sample
        readings.append(found)
    return rows, SimpleNamespace(readings=readings, log=log_counts)


def _check_two(thing: str, number: int, num_ranks: int, path: str) -> None:
    for what, size, remedy in (
        ("number of ranks", num_ranks, "laws cannot be told apart by a single rank"),
        (thing, number, "part is held out while the rest is fitted: give more clicks"),
    ):
        if size < 2:
            raise InputError(what, size, "be at least 2", remedy=remedy, place=path)


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
        of_law = dict(zip(family.parameters, fitted.values, strict=True))
        of_law |= {
            f"{name}_se": x for name, x in zip(family.parameters, errors or (), strict=False)
        }
        names = [f"{name}{kind}" for name in PARAMETERS for kind in ("", "_se")]
        rows.append(
            {"reading": reading, "law": law}
            | {name: of_law.get(name) for name in names}
            | {"at_end": fitted.at_end, "log_likelihood": float(share @ fitted.log_mass)}
            | {"held_out": held_out.means[law]}
            | columns_of(
                below_best=held_out.difference(best, law), above_rr=held_out.difference(law, "RR")
            )
        )
    return rows, SimpleNamespace(
        reading=reading,
        stops=int(counts.sum()),
        sessions=None if groups is None else len(groups),
        counts=counts.astype(int).tolist(),
        beyond=None if is_cut else float(share[-1]),
        best=best,
        left_by_best=held_out.difference(FREQUENCIES, best),
        verdict={how: verdict_on_rr(held_out, others) for how, others in _PAPER.items()},
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


# --- what is shown --------------------------------------------------------------------------------

_TITLES = {
    EVERY: "Every click a stop",
    LAST: "The last click of a search its stop",
    TOTALS: "Totals by rank",
    BEYOND: "Totals by rank, and of all later ranks",
}
_VERDICTS = {
    "best": "RR is best",
    "not best": "RR is not best",
    "open": "neither is certain",
}


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
        "caution",
    )
    values = {"log": log, "draws": result.design.draws, "readings": len(readings)}
    values["count"] = {name: verdicts.count(name) for name in _VERDICTS}
    story = Story.beside(__package__)
    frame = result.to_frame().assign(parameters=[_parameters(row) for row in result.rows])
    parts = [(reading, frame[frame.reading == reading.reading]) for reading in readings]
    return story.view(
        [_laws(*part) for part in parts],
        values,
        notes=(),
        more=(*(_told(story, *part) for part in parts), *story.paragraphs(*sections, **values)),
    )


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
    forms |= {"above_rr ±": ".4f"}
    return frame_table(_title(reading), frame, forms, names={"above_rr": "above RR"})


STOPS = Study("stops", __doc__, StopsDesign, compute, view)
