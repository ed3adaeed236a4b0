"""The view of the study of approximations."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from prum.experiments.frame.drawing import (
    LEAST,
    Drawing,
    colour,
    mark,
    paneled,
    points,
    tidy,
)
from prum.experiments.frame.numbers import shown
from prum.experiments.frame.study import StudyResult
from prum.experiments.frame.view import Column, Table, View, interval
from prum.experiments.studies.approximations.study import (
    ERRORS,
    LAWS,
    NOISY_OR,
    PAPER_SIZE,
    ApproximationsDesign,
    ApproximationsFindings,
    ApproximationsRow,
    Convention,
    Error,
    LawName,
    Slope,
    WorstTask,
)
from prum.experiments.studies.kit.quantities import attributes, with_half
from prum.experiments.studies.kit.story import Story

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ApproximationsResult = StudyResult[ApproximationsDesign, ApproximationsRow, ApproximationsFindings]

PAPER_ERROR = 0.01
# PRUM may exceed the exact value by this.
ROUNDING = 1e-12
NAMES: dict[LawName, str] = {law: law for law in LAWS} | {"poisson": "Poisson"}
PROBABILITIES: dict[Error, str] = {"pmf": "P(F = s)", "cdf": "P(F ≤ s)"}
_COLUMNS = 3
# What is printed as 0 to four decimals.
_PRINTED = 0.5e-4
_POINTS: tuple[Column[ApproximationsRow], ...] = (
    Column("t", lambda row: row.ideals, left=True),
    Column("density", lambda row: row.density, "g", left=True),
    Column("strength", lambda row: row.strength, "g", left=True),
    *attributes(exact=".5f"),
    *with_half("largest", "largest", ".5f"),
    *with_half("mean", "mean", ".5f"),
    *with_half("at r = t", "last", ".5f"),
    *attributes(worst=".5f"),
    Column("its r", lambda row: row.worst_r),
)


def view(result: ApproximationsResult) -> View:
    """Return what noisy-or costs and the worst task, then what the normal law costs."""
    found, story = result.found, Story.beside(__package__)
    design = result.design
    is_paper = PAPER_SIZE in design.sizes and design.power == 1
    values = {"design": design, **_of_noisy_or(result), **_of_normal(result)}
    figures = (
        ("noisy-or", "Largest error of PRUM over the number of ideals, by density and strength"),
        ("laws", "Mean error of three laws over the number of ideals, on logarithmic axes"),
    )
    drawn = (_figure_of_noisy_or, _figure_of_laws)
    return View(
        title=story.title,
        headline=" ".join(
            story.paragraphs("headline", "of the paper" if is_paper else "of others", **values)
        ),
        story=story.paragraphs(
            "story",
            "slopes" if found.slopes else None,
            "paper" if is_paper else None,
            **values,
        ),
        figures=tuple(
            figure
            for (name, label), draw in zip(figures, drawn, strict=True)
            for figure in story.figure(f"caption of {name}", label, partial(draw, result), **values)
        ),
        notes=story.paragraphs("notes", "notes on slopes" if found.slopes else None, **values),
        tables=(
            _curves(found.worst),
            _errors_of_noisy_or(result),
            *(_errors_of_laws(result, error) for error in ERRORS),
            *([_slopes(found.slopes)] if found.slopes else []),
            *([_readings(found.conventions)] if found.conventions else []),
        ),
    )


# --- noisy-or -----------------------------------------------------------------------------------


def _shortcut(result: ApproximationsResult) -> list[ApproximationsRow]:
    return [row for row in result.rows if row.approximation == NOISY_OR]


def _of_noisy_or(result: ApproximationsResult) -> dict[str, Any]:
    worst, highest = result.found.worst, result.found.highest
    rows = _shortcut(result)
    largest = max(rows, key=lambda row: row.largest)
    return {
        "num_tasks": len(rows) * result.design.tasks,
        "largest": largest,
        "largest_error": interval(
            largest.largest, largest.largest_low, largest.largest_high, ".4f"
        ),
        "worst": worst,
        "worst_prum": worst.prum[worst.r - 1],
        "worst_exact": worst.exact[worst.r - 1],
        "below": (
            "and equals it to four decimals"
            if abs(worst.error) < _PRINTED
            else f"and at most {abs(worst.error):.4f} below it"
        ),
        "highest": shown(highest, ".1e"),
        # Only a wrong program would break the bound.
        "place": "never above" if highest <= ROUNDING else f"by up to {highest:.1g} above",
    }


def _errors_of_noisy_or(result: ApproximationsResult) -> Table:
    """Return the errors at each point of the design."""
    tasks = f"{result.design.tasks:,} random tasks for each point of the design"
    label = f"PRUM minus the exact precision, mean over {tasks}"
    return Table.of(label, _shortcut(result), _POINTS, parts=lambda row: row.ideals)


def _curves(worst: WorstTask) -> Table:
    """Return both values of precision at each r of the worst task."""
    columns: list[Column[tuple[int, float, float]]] = [
        Column("r", lambda at: at[0], left=True),
        Column("PRUM", lambda at: at[1], ".5f"),
        Column("exact", lambda at: at[2], ".5f"),
        Column("difference", lambda at: at[1] - at[2], ".5f"),
    ]
    curves = zip(range(1, worst.t + 1), worst.prum, worst.exact, strict=True)
    return Table.of("The worst task, by r", curves, columns, detail=True)


def _figure_of_noisy_or(result: ApproximationsResult) -> Drawing:
    """Return the largest error over t, a panel for each density, a line for each strength."""
    every = _shortcut(result)

    def panel(axes: "Axes", density: float) -> None:
        for place, strength in enumerate(result.design.strengths):
            rows = [row for row in every if (row.density, row.strength) == (density, strength)]
            t = [row.ideals for row in rows]
            means = [row.largest for row in rows]
            ends = [(row.largest_low, row.largest_high) for row in rows]
            points(axes, t, means, ends, place, f"strength {strength:g}")
            worst = [max(-row.worst, LEAST) for row in rows]
            (hollow,) = axes.plot(t, worst, mark(place), color=colour(place))
            hollow.set(markerfacecolor="none", markersize=4.5, markeredgewidth=0.8)
        tidy(axes, result.design.ideals, "t, pages looked for")
        axes.set_title(f"density {density:g}")
        axes.set_ylim(*_limits(every))

    return paneled(
        [partial(panel, density=density) for density in result.design.densities],
        columns=_COLUMNS,
        tall=240,
        has_legend=True,
        share="y",
    )


def _limits(rows: Sequence[ApproximationsRow]) -> tuple[float, float]:
    """Return the ends of the scale; errors below 1e-7 are nothing to anybody."""
    low = max(min(row.largest for row in rows) / 2, 1e-7)
    return low, max(max(-row.worst for row in rows) * 1.5, low * 10)


# --- the normal law -----------------------------------------------------------------------------


def _of_normal(result: ApproximationsResult) -> dict[str, Any]:
    design, found = result.design, result.found
    m = PAPER_SIZE if PAPER_SIZE in design.sizes else design.sizes[0]
    normal, refined = (
        next(
            row for row in result.rows if (row.approximation, row.of, row.ideals) == (law, "pmf", m)
        )
        for law in LAWS[:2]
    )
    values = {
        "m": m,
        "error": interval(normal.largest, normal.largest_low, normal.largest_high, ".4f"),
        "gain": normal.largest / refined.largest,
        "paper": PAPER_ERROR,
        "paper_size": PAPER_SIZE,
        "num_rounded": sum(round(row.mean, 2) == PAPER_ERROR for row in found.conventions),
        "drawn": _probabilities(design.power),
    }
    by_law = {slope.law: slope for slope in found.slopes if slope.error == "pmf"}
    for law, name in zip(LAWS, ("slope", "refined_slope"), strict=False):
        if slope := by_law.get(law):
            values[name] = interval(slope.slope, slope.low, slope.high, ".3f")
    return values


def _probabilities(power: float) -> str:
    if power == 1:
        return "uniformly between 0 and 1"
    most = "small" if power > 1 else "large"
    return f"as uniform numbers to the power {power:g}, so that most are {most}"


def _errors_of_laws(result: ApproximationsResult, error: Error) -> Table:
    """Return mean and largest errors, a row for each m, three columns for each law."""
    rows = {(row.ideals, row.approximation): row for row in result.rows if row.of == error}

    def columns(law: LawName) -> list[Column[int]]:
        return [
            Column(NAMES[law], lambda m: rows[m, law].largest, ".4g"),
            Column("± 95 %", lambda m: rows[m, law].largest_high - rows[m, law].largest, ".1g"),
            Column("largest", lambda m: rows[m, law].worst, ".4g"),
        ]

    return Table.of(
        f"Largest error over s of {PROBABILITIES[error]}, mean over {result.design.draws:,} draws",
        result.design.sizes,
        [Column("m", lambda m: m, left=True), *(column for law in LAWS for column in columns(law))],
    )


def _slopes(slopes: list[Slope]) -> Table:
    columns: list[Column[Slope]] = [
        Column("law", lambda slope: NAMES[slope.law], left=True),
        Column("probability", lambda slope: PROBABILITIES[slope.error], left=True),
        *with_half("slope", "slope", ".4f", high="high"),
        Column("from m =", lambda slope: slope.least_m),
        Column("to m =", lambda slope: slope.greatest_m),
    ]
    return Table.of("Slope of log mean error on log m", slopes, columns)


def _readings(conventions: list[Convention]) -> Table:
    columns: list[Column[Convention]] = [
        Column("largest absolute difference over s", lambda row: row.convention, left=True),
        *with_half("mean", "mean", ".4g", half=".1g", high="high"),
        Column("largest", lambda row: row.largest, ".4g"),
    ]
    label = f"Readings of the paper’s error at m = {PAPER_SIZE}, printed there: {PAPER_ERROR:g}"
    return Table.of(label, conventions, columns)


def _figure_of_laws(result: ApproximationsResult) -> Drawing:
    """Return mean error over m, a line for each law, on logarithmic axes."""

    def panel(axes: "Axes") -> None:
        for number, law in enumerate(LAWS):
            rows = [row for row in result.rows if (row.approximation, row.of) == (law, "pmf")]
            points(
                axes,
                [row.ideals for row in rows],
                [row.largest for row in rows],
                [(row.largest_low, row.largest_high) for row in rows],
                number,
                NAMES[law],
            )
        tidy(axes, result.design.sizes, "m, pages looked for")
        axes.set_title("mean error")

    return paneled([panel], columns=1, tall=360, has_legend=True)
