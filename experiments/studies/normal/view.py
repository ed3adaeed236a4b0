"""The view of the study of the normal law."""

from typing import TYPE_CHECKING

from prum.experiments.frame.drawing import Drawing, paneled, points, tidy
from prum.experiments.frame.study import StudyResult
from prum.experiments.frame.view import Column, Table, View, interval
from prum.experiments.studies.kit.quantities import with_half
from prum.experiments.studies.kit.story import Story
from prum.experiments.studies.normal.study import (
    ERRORS,
    LAWS,
    PAPER_SIZE,
    Convention,
    Error,
    LawName,
    NormalDesign,
    NormalFindings,
    NormalRow,
    Slope,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NormalResult = StudyResult[NormalDesign, NormalRow, NormalFindings]

PAPER_ERROR = 0.01
NAMES: dict[LawName, str] = {law: law for law in LAWS} | {"poisson": "Poisson"}
PROBABILITIES: dict[Error, str] = {"pmf": "P(F = s)", "cdf": "P(F ≤ s)"}


def view(result: NormalResult) -> View:
    """Return errors by m, slopes, and the readings of the paper."""
    design, slopes = result.design, result.found.slopes
    conventions = result.found.conventions
    m = PAPER_SIZE if PAPER_SIZE in design.sizes else design.sizes[0]
    means = {(row.law, row.m, row.error): row for row in result.rows}
    normal, refined = means["normal", m, "pmf"], means["refined normal", m, "pmf"]
    is_paper = m == PAPER_SIZE and design.power == 1
    by_law = {slope.law: slope for slope in slopes if slope.error == "pmf"}
    values = {
        "m": m,
        "draws": design.draws,
        "error": interval(normal.mean, normal.low, normal.high, ".4f"),
        "gain": normal.mean / refined.mean,
        "paper": PAPER_ERROR,
        "paper_size": PAPER_SIZE,
        "num_rounded": sum(round(row.mean, 2) == PAPER_ERROR for row in conventions),
        "drawn": _probabilities(design.power),
    }
    if slopes:
        values["slope"], values["refined_slope"] = (
            interval(by_law[law].slope, by_law[law].low, by_law[law].high, ".3f")
            for law in LAWS[:2]
        )
    label = "Mean error of three laws over the number of ideals, on logarithmic axes"
    return Story.beside(__package__).view(
        (
            *(_errors(result, error) for error in ERRORS),
            *([_slopes(slopes)] if slopes else []),
            *([_readings(conventions)] if conventions else []),
        ),
        values,
        headline=("headline of the paper" if is_paper else "headline",),
        story=(
            "question",
            "slopes" if slopes else None,
            "paper" if is_paper and conventions else None,
        ),
        figure=(label, lambda: _figure(result)),
        notes=("notes", "notes on slopes" if slopes else None),
    )


def _probabilities(power: float) -> str:
    if power == 1:
        return "uniformly between 0 and 1"
    most = "small" if power > 1 else "large"
    return f"as uniform numbers to the power {power:g}, so that most are {most}"


def _errors(result: NormalResult, error: Error) -> Table:
    """Return mean and largest errors, a row for each m, three columns for each law."""
    rows = {(row.m, row.law): row for row in result.rows if row.error == error}

    def columns(law: LawName) -> list[Column[int]]:
        return [
            Column(NAMES[law], lambda m: rows[m, law].mean, ".4g"),
            Column("± 95 %", lambda m: rows[m, law].high - rows[m, law].mean, ".1g"),
            Column("largest", lambda m: rows[m, law].largest, ".4g"),
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


def _figure(result: NormalResult) -> Drawing:
    """Return mean error over m, a line for each law, on logarithmic axes."""

    def panel(axes: "Axes") -> None:
        for number, law in enumerate(LAWS):
            rows = [row for row in result.rows if (row.law, row.error) == (law, "pmf")]
            points(
                axes,
                [row.m for row in rows],
                [row.mean for row in rows],
                [(row.low, row.high) for row in rows],
                number,
                NAMES[law],
            )
        tidy(axes, result.design.sizes, "m, pages looked for")
        axes.set_title("mean error")

    return paneled([panel], columns=1, tall=360, has_legend=True)
