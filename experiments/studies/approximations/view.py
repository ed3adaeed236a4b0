"""What people see of the study of approximations."""

from dataclasses import replace
from typing import Any

from prum.experiments.frame import drawing as d
from prum.experiments.frame.frames import frame_table, rows_of
from prum.experiments.frame.numbers import shown
from prum.experiments.frame.view import Table, View, interval
from prum.experiments.studies.kit.story import Story

LAWS: tuple[Any, ...] = ("normal", "refined normal", "poisson")
ERRORS = ("pmf", "cdf")
# The paper's m, below which slopes say nothing, and its error there.
PAPER_SIZE, PAPER_ERROR = 10, 0.01

# PRUM may exceed the exact value by this.
_ROUNDING = 1e-12
# What is printed as 0 to four decimals.
_PRINTED = 0.5e-4
_NAMES = {law: law for law in LAWS} | {"poisson": "Poisson"}
_PROBABILITIES = {"pmf": "P(F = s)", "cdf": "P(F ≤ s)"}


def view(result: Any) -> View:
    """Return what noisy-or costs and the worst task, then what the normal law costs."""
    found, story, design = result.found, Story.beside(__package__), result.design
    frame = result.to_frame()
    shortcut = frame[frame.of == "precision"].astype({"worst_r": int})
    is_paper = PAPER_SIZE in design.sizes and design.power == 1
    values = {"design": design, **_of_noisy_or(result, shortcut), **_of_normal(result)}
    told = story.view(
        (
            *_tables_of_noisy_or(found.worst, shortcut, design.tasks),
            *(_errors_of_law(frame[frame.of == error], error, design.draws) for error in ERRORS),
            *([_table_of_slopes(found.slopes)] if found.slopes else []),
            *([_readings(found.conventions)] if found.conventions else []),
        ),
        values,
        headline=("headline", "of the paper" if is_paper else "of others"),
        story=("story", "slopes" if found.slopes else None, "paper" if is_paper else None),
        notes=("notes", "notes on slopes" if found.slopes else None),
    )
    panels = _panels_of_noisy_or(shortcut)
    figures = (
        *story.figure(
            "caption of noisy-or",
            "Largest error of PRUM over the number of ideals, by density and strength",
            lambda: d.paneled(panels, columns=3, tall=240, has_legend=True, share="y"),
            **values,
        ),
        *story.figure(
            "caption of laws",
            "Mean error of three laws over the number of ideals, on logarithmic axes",
            lambda: d.paneled(
                [lambda axes: _panel_of_laws(axes, frame[frame.of == "pmf"])],
                columns=1,
                tall=360,
                has_legend=True,
            ),
            **values,
        ),
    )
    return replace(told, figures=figures)


def _of_noisy_or(result: Any, shortcut: Any) -> dict[str, Any]:
    worst, highest = result.found.worst, result.found.highest
    largest = rows_of(shortcut)[shortcut.largest.argmax()]
    ends = largest.largest, largest.largest_low, largest.largest_high
    off = f"and at most {abs(worst.error):.4f} below it"
    return {
        "num_tasks": len(shortcut) * result.design.tasks,
        "largest": largest,
        "largest_error": interval(*ends, ".4f"),
        "worst": worst,
        "worst_prum": worst.prum[worst.r - 1],
        "worst_exact": worst.exact[worst.r - 1],
        "below": "and equals it to four decimals" if abs(worst.error) < _PRINTED else off,
        "highest": shown(highest, ".1e"),
        # Only a wrong program would break the bound.
        "place": "never above" if highest <= _ROUNDING else f"by up to {highest:.1g} above",
    }


def _tables_of_noisy_or(worst: Any, shortcut: Any, num_tasks: int) -> tuple[Table, Table]:
    """Return both values of precision at each r of the worst task, and errors at each point."""
    apart = [own - true for own, true in zip(worst.prum, worst.exact, strict=True)]
    curves = {"r": range(1, worst.t + 1), "PRUM": worst.prum, "exact": worst.exact}
    forms = {"r": "<"} | dict.fromkeys(("PRUM", "exact", "difference"), ".5f")
    first = frame_table("The worst task, by r", curves | {"difference": apart}, forms, detail=True)
    forms = {"ideals": "<", "density": "<g", "strength": "<g", "exact": ".5f", "largest ±": ".5f"}
    forms |= {"mean ±": ".5f", "last ±": ".5f", "worst": ".5f", "worst_r": ""}
    names = {"ideals": "t", "last": "at r = t", "worst_r": "its r"}
    tasks = f"{num_tasks:,} random tasks for each point of the design"
    label = f"PRUM minus the exact precision, mean over {tasks}"
    return first, frame_table(label, shortcut, forms, names=names, parts="ideals")


def _panels_of_noisy_or(shortcut: Any) -> list[Any]:
    """Return a panel for each density: the largest error over t, a line for each strength."""
    low = max(shortcut.largest.min() / 2, 1e-7)  # smaller errors are nothing to anybody
    high = max((-shortcut.worst).max() * 1.5, low * 10)

    def panel(axes: Any, density: float, rows: Any) -> None:
        for place, (strength, line) in enumerate(rows.groupby("strength")):
            ends = line[["largest_low", "largest_high"]].to_numpy().tolist()
            t, name = line.ideals.tolist(), f"strength {strength:g}"
            d.points(axes, t, line.largest.tolist(), ends, place, name)
            worst = (-line.worst).clip(d.LEAST).tolist()
            (hollow,) = axes.plot(t, worst, d.mark(place), color=d.colour(place))
            hollow.set(markerfacecolor="none", markersize=4.5, markeredgewidth=0.8)
        d.tidy(axes, shortcut.ideals.unique().tolist(), "t, pages looked for")
        axes.set_title(f"density {density:g}")
        axes.set_ylim(low, high)

    return [lambda axes, part=part: panel(axes, *part) for part in shortcut.groupby("density")]


def _of_normal(result: Any) -> dict[str, Any]:
    design, found = result.design, result.found
    m = PAPER_SIZE if PAPER_SIZE in design.sizes else design.sizes[0]
    by_law = {row.approximation: row for row in result.rows if (row.of, row.ideals) == ("pmf", m)}
    normal, refined = by_law["normal"], by_law["refined normal"]
    most = "small" if design.power > 1 else "large"
    drawn = f"as uniform numbers to the power {design.power:g}, so that most are {most}"
    values = {
        "m": m,
        "error": interval(normal.largest, normal.largest_low, normal.largest_high, ".4f"),
        "gain": normal.largest / refined.largest,
        "paper": PAPER_ERROR,
        "paper_size": PAPER_SIZE,
        "num_rounded": sum(round(row.mean, 2) == PAPER_ERROR for row in found.conventions),
        "drawn": "uniformly between 0 and 1" if design.power == 1 else drawn,
    }
    names = {"normal": "slope", "refined normal": "refined_slope"}
    for row in found.slopes:
        if row.error == "pmf" and row.law in names:
            ends = row.slope, row.slope_low, row.slope_high
            values[names[row.law]] = interval(*ends, ".3f")
    return values


def _errors_of_law(frame: Any, error: str, num_draws: int) -> Table:
    """Return mean and largest errors, a row for each m, three columns for each law."""
    columns, forms, names = {"m": frame.ideals.unique()}, {"m": "<"}, {"m": "m"}
    for law in LAWS:
        rows = frame[frame.approximation == law]
        half, worst = f"{law} half", f"{law} worst"
        columns |= {law: rows.largest, half: rows.largest_high - rows.largest, worst: rows.worst}
        forms |= {law: ".4g", half: ".1g", worst: ".4g"}
        names |= {law: _NAMES[law], half: "± 95 %", worst: "largest"}
    label = f"Largest error over s of {_PROBABILITIES[error]}, mean over {num_draws:,} draws"
    return frame_table(label, columns, forms, names=names)


def _table_of_slopes(slopes: list[Any]) -> Table:
    import pandas as pd

    frame = pd.DataFrame(map(vars, slopes))
    frame = frame.assign(law=frame.law.map(_NAMES), probability=frame.error.map(_PROBABILITIES))
    forms = {"law": "", "probability": "", "slope ±": ".4f", "least_m": "", "greatest_m": ""}
    names = {"least_m": "from m =", "greatest_m": "to m ="}
    return frame_table("Slope of log mean error on log m", frame, forms, names=names)


def _readings(conventions: list[Any]) -> Table:
    import pandas as pd

    frame = pd.DataFrame(map(vars, conventions))
    return frame_table(
        f"Readings of the paper’s error at m = {PAPER_SIZE}, printed there: {PAPER_ERROR:g}",
        frame.assign(half=frame.mean_high - frame["mean"]),
        {"convention": "", "mean": ".4g", "half": ".1g", "largest": ".4g"},
        names={"convention": "largest absolute difference over s", "half": "± 95 %"},
    )


def _panel_of_laws(axes: Any, frame: Any) -> None:
    """Draw mean error over m, a line for each law, on logarithmic axes."""
    for number, law in enumerate(LAWS):
        line = frame[frame.approximation == law]
        ends = line[["largest_low", "largest_high"]].to_numpy().tolist()
        d.points(axes, line.ideals.tolist(), line.largest.tolist(), ends, number, _NAMES[law])
    d.tidy(axes, frame.ideals.unique().tolist(), "m, pages looked for")
    axes.set_title("mean error")
