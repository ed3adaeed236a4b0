"""What noisy-or and the normal law cost PRUM, and noisy-or over paths an expansion.

Under independent browsing PRUM and exact precision differ by noisy-or alone (Hypothesis 2.3). The
law of the number of ideals that a user has seen is compared with the normal and two other laws
(appendix A.1 of Piwowarski, Gallinari and Dupret 2007, for more sizes and laws).
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np

from prum.analytic import exact, poisson_binomial, prum, reach_matrix
from prum.experiments.frame.design import Design, Seed, draws_of, option
from prum.experiments.frame.frames import columns_of, frame_table, rows_of
from prum.experiments.frame.study import Advance, Study
from prum.experiments.frame.view import Table, View, interval
from prum.experiments.statistics.intervals import mean_interval
from prum.experiments.studies.kit.story import Story
from prum.simulator import Expansion, Task
from prum.simulator.model.arrays import Floats

NOISY_OR = "noisy-or"
# Lists of so many elements, half of the ideals among them, and so many elements outside of it.
RANKS, LISTED, UNRANKED = 50, 0.5, 100
IDEALS, DENSITIES, STRENGTHS = (2, 5, 10, 20, 50), (0.05, 0.2, 1.0), (0.1, 0.3, 1.0)
SIZES = (2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
LAWS: tuple[Any, ...] = ("normal", "refined normal", "poisson")
# The paper's m, below which slopes say nothing, and its error there.
PAPER_SIZE, PAPER_ERROR = 10, 0.01
# What is printed as 0 to four decimals.
_PRINTED = 0.5e-4
PATHS, FORWARD = "noisy-or over paths", "forward recursion"
# Pages of a graph, the seed among them, the share of links that there are, and hops.
PAGES, LINKED, HOPS = 8, 0.5, (1, 2, 3)


class ApproximationsDesign(Design):
    """Options of the study of approximations."""

    tasks: int = option(
        1_000, draws_of("tasks for each number of ideals, density and strength", 500_000)
    )
    power: float = option(
        1.0,
        "Probabilities are uniform numbers to this power; above 1 most are small.",
        above=0,
        remedy="give 1 for uniform probabilities",
    )
    draws: int = option(10_000, draws_of("sets of probabilities for each size, for the normal law"))
    seed: Seed = 1


def compute(design: ApproximationsDesign, progress: Advance) -> tuple[Any, SimpleNamespace]:
    """Return PRUM's errors by t, density and strength, and those of three laws by m.

    Hypothesis 2.3. Under 2.1 and 2.2 precision has an exact value, which PRUM approximates: by 2.3
    it takes the ideals to be first seen independently of each other, given how many were seen
    before (equation 8, a noisy-or over the ideals). It never exceeds the exact value and equals it
    at r = 1; how far it falls below should depend on t, the number of ideals, and on how many of
    them one rank reaches.

    Design. A task is random: a list of 50 elements, t ideals, 100 elements outside the list. Each
    entry of the reach matrix is positive with probability `density`, then uniform on (0, strength].
    Half of the ideals stand in the list, at random ranks, with reach 1. For each t, density and
    strength: the largest and the mean of |PRUM - exact| over r = 1 .. t and PRUM - exact at r = t,
    averaged over tasks with 95 % intervals over tasks, all in precision; and the worst task. Task k
    of one t uses the same random numbers at every density and strength, so these are compared on
    the same tasks, and their intervals are not independent. Where nearly all tasks have no error
    (few, weak links and few ideals), the mean rests on a few tasks and its interval is rough.

    The normal law. F, the number of m ideals that a user has seen, follows the Poisson-binomial
    law, equation (7). Appendix A.1 puts P(s - 1/2 < N <= s + 1/2) for P(F = s), N normal with the
    mean and variance of F, and reports for 10,000 random trials at m = 10 a largest absolute
    difference of .01 on average.

    Design. A draw is m independent numbers, uniform on [0, 1], to the power `power` (1 as the paper
    has it; more makes most ideals unlikely). Its error is the largest absolute difference of P(F =
    s) over s ("pmf"). Reported are the mean over draws, in probability, with a 95 % interval over
    draws, and the slope of log mean error on log m over m >= 10, whose interval carries the draws
    and not what the points bend. Draws of different m are independent of each other.

    Expectation. The normal law lacks the skewness gamma, which adds gamma / sigma to the pmf; gamma
    is of the order m^(-1/2) for skewed probabilities but m^(-1) for uniform ones, whose skewnesses
    cancel on average. So the slope to expect is -3/2 for power 1, and -1 for any other. The refined
    law takes gamma out: -3/2.

    Expansion. Who follows links from a seed reads a page if some way to it of up to h links is
    followed. Noisy-or over paths takes ways to be independent, the forward recursion r_h(y) = 1 -
    prod over x -> y of (1 - p r_{h-1}(x)) what the last links of y hang on. Up to 2 links ways to
    one page share none, so both are exact; with 3 those that share some are positively correlated
    (Harris 1960): both are too high. Graphs of 8 pages are random, half of the links there.

    Cost. A task takes o t log(o t) t operations for both values together, the exact law m^2 / 2
    multiplications: by default all takes some 40 seconds.

    Returns
    -------
    frame
        Errors of an approximation at a point of the design; what it has not is None. `of` is what
        is approximated: precision by noisy-or, P(F = s) ("pmf") by a law. `largest` is the largest
        |error| over r or s, the mean over draws, with its interval; `worst` the error farthest from
        0 over all draws, for a law its size. For noisy-or `exact` is precision, averaged over r and
        draws, `mean` the mean |error| over r, `last` the error at r = t; for recall, by `hops`, the
        mean over pages.
    found
        `worst`, the task where PRUM is furthest off, which `random_reach` draws again, and both
        values there; `slopes` of the laws' errors.

    >>> frame, _ = compute(ApproximationsDesign(tasks=2, draws=1000), lambda share: None)
    >>> bool((frame["last"][:45] <= 1e-12).all()), bool(frame.largest[54] < 0.012)
    (True, True)
    """
    import pandas as pd

    points = list(product(IDEALS, DENSITIES, STRENGTHS))
    # Microseconds, roughly, of a task of each point and of a draw of each size.
    work = [500 + 0.64 * t * (t * density + 1) for t, density, _ in points]
    of_laws = [100 + m * m / 4000 for m in SIZES]
    of_graph = 1_500
    total = (sum(work) + of_graph) * design.tasks + sum(of_laws) * design.draws
    done = 0.0

    def advance(cost: float) -> None:
        nonlocal done
        done += cost
        progress(min(done / total, 1.0))

    rows, worst = list[dict[str, Any]](), SimpleNamespace(error=0.0)
    for point, cost in zip(points, work, strict=True):
        row, task = noisy_or(point, design.tasks, design.seed, partial(advance, cost))
        rows.append(row)
        worst = max(worst, task, key=lambda task: abs(task.error))
    laws = list[dict[str, Any]]()
    for m, cost in zip(SIZES, of_laws, strict=True):
        laws += law_errors(m, draws=design.draws, seed=design.seed, power=design.power)
        advance(cost * design.draws)
    read = expansions(design.tasks, design.seed, partial(advance, of_graph))
    frame = pd.DataFrame(rows + laws + read, dtype=object)
    findings = SimpleNamespace(worst=worst, slopes=slopes_of(laws))
    return frame.where(frame.notna(), None), findings


# --- noisy-or -----------------------------------------------------------------------------------


def random_reach(
    *, ranks: int, ideals: int, density: float, strength: float, listed: float, seed: int, draw: int
) -> Floats:
    """Return the reach matrix of a draw, shape (ranks, ideals).

    The random numbers depend on seed, draw, ranks and ideals alone.

    >>> options = {"ranks": 4, "ideals": 2, "density": 1, "listed": 0.5, "seed": 1, "draw": 0}
    >>> weak, strong = (random_reach(strength=strength, **options) for strength in (0.1, 0.2))
    >>> bool((np.where(weak < 1, 2 * weak, 1) == strong).all())
    True
    """
    rng = np.random.default_rng([seed, ranks, ideals, draw])
    chosen = rng.random((ranks, ideals)) < density
    reach = np.where(chosen, strength * (1 - rng.random((ranks, ideals))), 0)
    num_listed = min(round(listed * ideals), ranks)
    reach[rng.permutation(ranks)[:num_listed], np.arange(num_listed)] = 1
    return reach


def noisy_or(
    point: tuple[int, float, float], tasks: int, seed: int, advance: Callable[[], object]
) -> tuple[dict[str, Any], SimpleNamespace]:
    """Return the row of a point (t, density, strength), and its worst task."""
    t, density, strength = point
    values = np.empty((2, tasks, t))
    options = {"ranks": RANKS, "ideals": t, "density": density, "strength": strength}
    for draw in range(tasks):
        reach = random_reach(**options, listed=LISTED, seed=seed, draw=draw)  # type: ignore[arg-type]
        values[:, draw] = [value(reach, UNRANKED).precision for value in (prum, exact)]
        advance()
    errors = values[0] - values[1]
    sizes = np.abs(errors)
    draw, place = map(int, np.unravel_index(sizes.argmax(), sizes.shape))
    error = float(errors[draw, place])
    row = (
        {"approximation": NOISY_OR, "of": "precision", "ideals": t, "density": density}
        | {"strength": strength, "draws": tasks}
        | columns_of(largest=mean_interval(sizes.max(axis=1)))
        | {"worst": error, "exact": float(values[1].mean())}
        | columns_of(mean=mean_interval(sizes.mean(axis=1)), last=mean_interval(errors[:, -1]))
        | {"worst_r": place + 1, "worst_draw": draw}
    )
    both = dict(zip(("prum", "exact"), values[:, draw, place].tolist(), strict=True))
    worst = SimpleNamespace(
        t=t, density=density, strength=strength, draw=draw, r=place + 1, error=error, **both
    )
    return row, worst


# --- the normal law -----------------------------------------------------------------------------


def law_errors(m: int, *, draws: int, seed: int, power: float = 1.0) -> list[dict[str, Any]]:
    """Return the largest errors of three laws over s, for m ideals and random draws."""
    rng, errors = np.random.default_rng([seed, m]), np.empty((len(LAWS), draws))
    for draw in range(draws):
        p = rng.random(m) ** power
        true = poisson_binomial(p)
        for place, law in enumerate(LAWS):
            errors[place, draw] = np.abs(poisson_binomial(p, method=law) - true).max()
    return [
        {"approximation": law, "of": "pmf", "ideals": m, "draws": draws}
        | columns_of(largest=mean_interval(largest))
        | {"worst": float(largest.max())}
        for law, largest in zip(LAWS, errors, strict=True)
    ]


def slopes_of(rows: Sequence[dict[str, Any]]) -> list[SimpleNamespace]:
    """Return the least-squares slopes of log mean error on log m, m >= 10, with intervals.

    A slope is a weighted sum of the logarithms of independent means; its error follows from
    theirs by the delta method.
    """
    slopes = []
    for law in LAWS:
        chosen = [
            row
            for row in rows
            if row["approximation"] == law and row["ideals"] >= PAPER_SIZE and row["largest"] > 0
        ]
        x = np.log([row["ideals"] for row in chosen])
        weights = (x - x.mean()) / ((x - x.mean()) ** 2).sum()
        means = np.array([row["largest"] for row in chosen])
        halves = np.array([row["largest_high"] for row in chosen]) - means
        # Intervals of the rows are Student's, which makes this wide for few draws.
        half = float(np.sqrt(((weights * halves / means) ** 2).sum()))
        slope = float((weights * np.log(means)).sum())
        ends = columns_of(slope=(slope, slope - half, slope + half))
        slopes.append(SimpleNamespace(law=law, **ends))
    return slopes


# --- expansions ---------------------------------------------------------------------------------


def read_behind(p: Floats) -> Floats:
    """Return P(each other page is read behind page 0), exact, by paths, forward: (3, hops, pages).

    `p`: P(a link is followed), shape (pages, pages), none to itself or back to page 0.
    """
    n = len(p)
    links = {(str(x), str(y)): p[x, y] for x, y in np.argwhere(p).tolist()}
    task = Task(["0"], map(str, range(1, n)), n)
    ways = (Expansion(links, hops=hops, fan_out=n) for hops in HOPS)
    true = [reach_matrix(task, expansion).toarray()[0] for expansion in ways]
    two = p[0][:, None] * p
    three = two[:, :, None] * p
    three[np.arange(n), :, np.arange(n)] = 0  # no page twice
    missed = np.cumprod([1 - p[0], (1 - two).prod(axis=0), (1 - three).prod(axis=(0, 1))], axis=0)
    read = [np.eye(n)[0]]
    for _ in HOPS:
        read.append(np.append(1, 1 - np.prod(1 - p * read[-1][:, None], axis=0)[1:]))
    return np.stack([true, 1 - missed[:, 1:], np.array(read)[1:, 1:]])


def expansions(draws: int, seed: int, advance: Callable[[], object]) -> list[dict[str, Any]]:
    """Return the errors of both approximations of P(read) on random graphs, by hops."""
    values = np.empty((draws, 3, len(HOPS), PAGES - 1))
    for draw in range(draws):
        p, there = np.random.default_rng([seed, PAGES, draw]).random((2, PAGES, PAGES))
        leads_on = (1 - np.eye(PAGES, dtype=int)) * (np.arange(PAGES) > 0)
        values[draw] = read_behind(p * (there < LINKED) * leads_on)
        advance()
    rows = []
    for name, (place, hops) in product((PATHS, FORWARD), enumerate(HOPS)):
        sizes = np.abs(values[:, 1 if name == PATHS else 2, place] - (true := values[:, 0, place]))
        rows.append(
            {"approximation": name, "of": "recall", "ideals": PAGES - 1, "hops": hops}
            | {"draws": draws, "worst": float(sizes.max()), "exact": float(true.mean())}
            | columns_of(largest=mean_interval(sizes.max(axis=1)))
            | columns_of(mean=mean_interval(sizes.mean(axis=1)))
        )
    return rows


# --- what is shown ------------------------------------------------------------------------------

_NAMES = {law: law for law in LAWS} | {"poisson": "Poisson"}


def view(result: Any) -> View:
    """Return what noisy-or costs, then what the normal law costs."""
    frame, story = result.to_frame(), Story.of(__package__)
    shortcut = frame[frame.of == "precision"].astype({"worst_r": int})
    laws = frame[frame.of == "pmf"]
    values = _numbers(result, rows_of(shortcut), rows_of(laws))
    read = frame[frame.of == "recall"].astype({"hops": int})
    values |= {"expanded": read[read.hops == HOPS[-1]].set_index("approximation")}
    return story.view(
        (
            _table_of_noisy_or(shortcut),
            _table_of_laws(laws),
            _table_of_slopes(result.found.slopes),
            frame_table(
                f"Error of E[recall] behind a seed, mean over {read.draws.iloc[0]:,} random graphs",
                read,
                {"approximation": "", "hops": "", "exact": ".4f", "mean ±": ".4f", "worst": ".4f"},
            ),
        ),
        values,
        headline=("headline", "of the paper" if result.design.power == 1 else "of others"),
    )


def _numbers(result: Any, shortcut: Sequence[Any], laws: Sequence[Any]) -> dict[str, Any]:
    """Return the numbers that the story tells."""
    design, worst = result.design, result.found.worst
    largest = max(shortcut, key=lambda row: row.largest)
    normal, refined = (
        next(row for row in laws if (row.approximation, row.ideals) == (law, PAPER_SIZE))
        for law in LAWS[:2]
    )
    slopes = [
        interval(slope.slope, slope.slope_low, slope.slope_high, ".3f")
        for slope in result.found.slopes
    ]
    most = "small" if design.power > 1 else "large"
    drawn = f"as uniform numbers to the power {design.power:g}, so that most are {most}"
    off = f"and at most {abs(worst.error):.4f} below it"
    return {
        "design": design,
        "ranks": RANKS,
        "num_tasks": len(shortcut) * design.tasks,
        "largest": largest,
        "largest_error": interval(
            largest.largest, largest.largest_low, largest.largest_high, ".4f"
        ),
        "worst": worst,
        "below": "and equals it to four decimals" if abs(worst.error) < _PRINTED else off,
        "m": PAPER_SIZE,
        "error": interval(normal.largest, normal.largest_low, normal.largest_high, ".4f"),
        "gain": normal.largest / refined.largest,
        "paper": PAPER_ERROR,
        "drawn": "uniformly between 0 and 1" if design.power == 1 else drawn,
        "slope": slopes[0],
        "refined_slope": slopes[1],
    }


def _table_of_noisy_or(shortcut: Any) -> Table:
    forms = {"ideals": "<", "density": "<g", "strength": "<g", "exact": ".5f", "largest ±": ".5f"}
    forms |= {"mean ±": ".5f", "last ±": ".5f", "worst": ".5f", "worst_r": ""}
    names = {"ideals": "t", "last": "at r = t", "worst_r": "its r"}
    tasks = f"{shortcut.draws.iloc[0]:,} random tasks for each point of the design"
    label = f"PRUM minus the exact precision, mean over {tasks}"
    return frame_table(label, shortcut, forms, names=names, parts="ideals")


def _table_of_laws(laws: Any) -> Table:
    """Return mean and largest errors, a row for each m, three columns for each law."""
    columns, forms, names = {"m": laws.ideals.unique()}, {"m": "<"}, {"m": "m"}
    for law in LAWS:
        rows = laws[laws.approximation == law]
        half, worst = f"{law} half", f"{law} worst"
        columns |= {law: rows.largest, half: rows.largest_high - rows.largest, worst: rows.worst}
        forms |= {law: ".4g", half: ".1g", worst: ".4g"}
        names |= {law: _NAMES[law], half: "± 95 %", worst: "largest"}
    label = f"Largest error over s of P(F = s), mean over {laws.draws.iloc[0]:,} draws"
    return frame_table(label, columns, forms, names=names)


def _table_of_slopes(slopes: Sequence[Any]) -> Table:
    columns = {name: [getattr(slope, name) for slope in slopes] for name in vars(slopes[0])}
    columns["law"] = [_NAMES[law] for law in columns["law"]]
    forms = {"law": "", "slope ±": ".4f"}
    return frame_table("Slope of log mean error on log m, from m = 10", columns, forms)


APPROXIMATIONS = Study("approximations", __doc__, ApproximationsDesign, compute, view)
