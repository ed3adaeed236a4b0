"""What people see of the study of thresholds."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from prum.analytic.adm.thresholds import BAND
from prum.experiments.frame import drawing as d
from prum.experiments.frame.frames import frame_table
from prum.experiments.frame.numbers import shortened, shown
from prum.experiments.frame.view import Column, Figure, Table, View
from prum.experiments.studies.kit.story import Story
from prum.experiments.studies.thresholds.parts import (
    BANDED,
    FEW,
    JITTERS,
    MEASURES,
    NUMBERS,
    PAPERS,
    POWER,
    PUSHES,
)
from prum.experiments.studies.thresholds.runs import (
    BEATEN,
    OTHERS,
    PART,
    TAU,
)

# What nobody would call many, and more than anybody has.
_FEW_NEEDED, _MOST_NEEDED = 10, 1e6
# Panels that a figure of runs has at most, and letters in their titles.
_MOST_PLANES, _LONGEST_NAME = 6, 18
_THRESHOLDS = {
    "retrieved": "retrieved, .3 to .7",
    "relevant": "relevant, .3 to .7",
    "both": "both together",
}
_ENDS = {"value": "", "low": "_low", "high": "_high"}
# Rows by part, level, measure and quantity.
Rows = Mapping[tuple[str, str, str, str], Any]


def view(result: Any) -> View:
    """Return a table for each part, and the paper's claims beside numbers."""
    rows = {(row.part, row.level, row.measure, row.quantity): row for row in result.rows}
    label = "Spread of measures over e, and power over the number of queries"
    own, story, frame = result.found.planes, Story.beside(__package__), result.to_frame()
    told = story.view(
        (
            *([_of_planes(own)] if own else []),
            *([_of_runs(frame)] if (frame.part == PART).any() else []),
            *_tables(frame, rows),
            _printed(result.found.printed),
        ),
        _claimed(rows),
        figure=(label, lambda: _figure(rows)),
        notes=("notes", "claims"),
    )
    return replace(told, figures=(*_plane_figure(own, story), *told.figures))


def _wide(frame: Any, by: str, names: Sequence[str], lines: Mapping[str, Any], part: str) -> Any:
    """Return x, x_low and x_high of each name that `by` has in a part, for each of some lines."""
    import pandas as pd

    frame = frame[(frame.part == part) & frame[by].isin(names)]
    wide = frame.pivot(index=list(lines), columns=by, values=list(_ENDS))
    wide.columns = [f"{name}{_ENDS[end]}" for end, name in wide.columns]
    columns = [f"{name}{end}" for name in names for end in _ENDS.values()]
    index = pd.MultiIndex.from_product(list(lines.values()), names=list(lines))
    return wide.reindex(index=index, columns=columns).reset_index()


def _quantities(frame: Any, part: str, levels: Sequence[str], *names: str) -> Any:
    lines = {"measure": MEASURES, "level": levels}
    return _wide(frame, "quantity", names, lines, part)


def _tables(frame: Any, rows: Rows) -> Iterator[Table]:
    """Yield a table for each part of the study."""
    levels = [f"{size:g}" for size in JITTERS]
    forms = {"sd of a query to": ".4f", "sd, few relevant": ".4f", "range of a query": ".4f"}
    forms |= {"sd of the mean": ".5f"}
    names = [name.removesuffix(" to") for name in forms]
    gaps = {level: _in_gaps(rows, level) for level in levels}
    jitters = _quantities(frame, "jitter", levels, *names)
    lines = zip(jitters.measure, jitters.level, strict=True)
    jitters["sd in gaps"] = [gaps[level][measure] for measure, level in lines]
    yield frame_table(
        "Estimates moved by up to e: standard deviation, and the same in gaps between two systems",
        jitters,
        {"measure": "", "level": ""} | forms | {"sd in gaps": ".2f"},
        names={"level": "e"},
        parts="measure",
    )
    names = ["range of a query", "range of the mean"]
    ranges = _quantities(frame, "threshold", [*_THRESHOLDS], *names)
    yield frame_table(
        "Thresholds moved from .3 to .7: range of each measure",
        ranges.assign(threshold=ranges.level.map(_THRESHOLDS)),
        {"measure": "", "threshold": ""} | {f"{name} to": ".3f" for name in names},
        parts="measure",
    )
    levels, of_change = [f"{share:g}" for share in PUSHES], {"measure": MEASURES}
    yield frame_table(
        "Estimates pushed away from the user's by a share of the way to the next threshold: change",
        _wide(frame, "level", levels, of_change | {"quantity": ["change"]}, "push"),
        {"measure": ""} | {f"{level} to": ".4f" for level in levels},
    )
    forms = {"mean to": ".3f", "sd over queries to": ".3f", "sd over systems": ".3f"}
    names = [*(name.removesuffix(" to") for name in forms), "no value"]
    ratios = _over_systems(rows)
    spreads = _quantities(frame, "variance", [""], *names)
    yield frame_table(
        "Spread over queries, and over seven systems",
        spreads.assign(ratio=spreads.measure.map(ratios)),
        {"measure": ""} | forms | {"ratio": ".2f", "no value": ".3f"},
    )
    yield _needed(rows)
    levels = [str(count) for count in NUMBERS]
    yield frame_table(
        "Share of experiments that find the better system better, by number of queries",
        _wide(frame, "level", levels, of_change | {"quantity": ["power"]}, "power"),
        {"measure": ""} | dict.fromkeys(levels, ".2f"),
    )
    part = frame[frame.part == "sample"]
    forms = {"bias, simulated to": ".4f", "bias, theory": ".4f"}
    forms |= {"error, simulated": ".4f", "error, theory": ".4f"}
    designs = {"measure": part.measure.unique(), "level": part.level.unique()}
    names = [name.removesuffix(" to") for name in forms]
    sampled = _wide(frame, "quantity", names, designs, "sample")
    yield frame_table(
        "ADM of a query from some judged documents: bias and root mean squared error",
        sampled.assign(judged=sampled.level.astype(int)),
        {"measure": "", "judged": ""} | forms,
        names={"measure": "design"},
        parts="measure",
    )


def _needed(rows: Rows) -> Table:
    """Return the queries that a test needs; of some no number of them would do."""

    def column(name: str, form: str) -> Column[str]:
        def end(of: str) -> Any:
            return lambda measure: getattr(rows["power", "", measure, name], of)

        if name == "sd of differences":
            return Column(name, end("value"), form)
        data = {f"{name}{_ENDS[of].replace('_', ', ')}": end(of) for of in _ENDS}
        text = lambda measure: _with_interval(rows["power", "", measure, name], form)  # noqa: E731
        return Column(name, text, data=data)

    forms = {"difference": ".4f", "sd of differences": ".3f"}
    forms |= {"queries, formula": ".0f", "queries, simulated": ".0f"}
    return Table.of(
        "Queries for power .8 at level .05, paired t-test of a better and a worse system",
        MEASURES,
        [Column("measure", str, left=True), *(column(*form) for form in forms.items())],
    )


def _of_runs(frame: Any) -> Table:
    """Return how ADM orders the user's own runs."""
    levels = frame.level[frame.part == PART].unique()
    lines = {"level": levels, "quantity": [TAU]}
    orders = _wide(frame, "measure", OTHERS, lines, PART)
    below = frame[(frame.part == PART) & (frame.quantity == BEATEN)].set_index("level").value
    orders[BEATEN] = orders.level.map(below)
    orders["rule"] = orders.level.str.split(",").str[0]
    return frame_table(
        "Your runs: tau-b of their order by ADM with other orders, and how many 0 to all beats",
        orders,
        {"level": ""} | {f"{name} to": ".2f" for name in OTHERS} | {BEATEN: ".0%"},
        names={"level": "estimates, documents"},
        parts="rule",
    )


def _of_planes(planes: Sequence[Any]) -> Table:
    """Return how many documents of each run lie where."""
    sectors = ("retrieved, not relevant", "retrieved, relevant", "relevant, not retrieved")
    columns: dict[str, Any] = {
        "system": [plane.system for plane in planes],
        "ADM": [p.adm for p in planes],
    }
    columns |= dict(zip(sectors, zip(*(p.sectors for p in planes), strict=True), strict=True))
    columns |= {"P'": [p.precision for p in planes], "R'": [p.recall for p in planes]}
    forms = {"system": "", "ADM": ".4f"} | dict.fromkeys(sectors, "") | {"P'": ".3f", "R'": ".3f"}
    return frame_table(
        f"Your runs in the plane of URE and SRE (estimates by {planes[0].rule}, thresholds 1/2): "
        "documents by sector",
        columns,
        forms,
    )


def _plane_figure(planes: Sequence[Any], story: Story) -> tuple[Figure, ...]:
    """Return the documents of the runs with the highest ADM by URE and SRE, if there are runs."""
    if not planes:
        return ()
    best = sorted(planes, key=lambda plane: -plane.adm)[:_MOST_PLANES]
    names = shortened([plane.system for plane in best], _LONGEST_NAME)
    panels = [
        partial(_plane, plane=plane, name=name) for plane, name in zip(best, names, strict=True)
    ]
    label = "Documents of each run by the user's and the system's estimate of relevance"
    draw = partial(d.paneled, panels, columns=3, tall=240, share="y")
    return story.figure("planes", label, draw, shown=len(best), number=len(planes))


def _plane(axes: Any, plane: Any, name: str) -> None:
    """Draw a system's documents: the size of a point grows with their number."""
    most = max(number for *_, number in plane.squares)
    x, y, sizes = zip(*((u, s, 4 + 60 * n / most) for u, s, n in plane.squares), strict=True)
    axes.plot((0, 1), (0, 1), color=d.SOFT, linewidth=0.8)
    for shift in (-BAND, BAND):
        axes.plot((0, 1), (shift, 1 + shift), color=d.SOFT, linewidth=0.8, linestyle=":")
    axes.scatter(x, y, s=sizes, color=d.PRUM, alpha=0.6, linewidths=0)
    axes.set_title(f"{name}: ADM {plane.adm:.3f}")
    axes.set_xlabel("URE, the user's estimate", labelpad=3)
    axes.set_ylabel("SRE, the system's")
    axes.set_xlim(-0.05, 1.05)
    axes.set_ylim(-0.05, 1.05)


def _printed(printed: Sequence[Any]) -> Table:
    def figures(at: int, measure: str) -> Column[Any]:
        return Column(
            measure,
            lambda row: f"{row.printed[at]:g} / {row.computed[at]:.3g}",
            data={
                f"{measure}, printed": lambda row: row.printed[at],
                f"{measure}, computed": lambda row: row.computed[at],
            },
        )

    return Table.of(
        "Tables 1 and 2 of Mizzaro (2001), printed / by definition",
        printed,
        [
            Column("table", lambda row: row.table, left=True),
            Column("system", lambda row: row.system, left=True),
            *(figures(at, measure) for at, measure in enumerate(PAPERS)),
        ],
        parts=lambda row: row.table,
    )


def _claimed(rows: Rows) -> dict[str, Any]:
    """Return the numbers that the story tells of the paper's claims."""
    level, value = f"{JITTERS[1]:g}", partial(_value, rows)
    needed = {name: rows["power", "", name, "queries, formula"] for name in MEASURES}
    own = needed["ADM"]
    compared = (f"{_compared(own, needed[name])} by {name}" for name in MEASURES[:3])
    samples = [(judged, design) for part, judged, design, _ in rows if part == "sample"]
    judged = samples[-1][0]
    errors = {
        design: value("sample", judged, design, "error, simulated")
        for design in dict.fromkeys(design for _, design in samples)
    }
    best = min(errors, key=errors.__getitem__)
    return {
        "level": level,
        "few": FEW,
        "spreads": _values(rows, "jitter", level, "sd of a query"),
        "few_spreads": _values(rows, "jitter", level, "sd, few relevant"),
        "gaps": _in_gaps(rows, level),
        "ratios": _over_systems(rows),
        "needed": ", ".join(f"{name} {_with_interval(row, '.0f')}" for name, row in needed.items()),
        "compared": "; ".join(compared),
        "holds": "holds" if _end(own.high) <= _FEW_NEEDED else "does not hold",
        "adm": value("variance", "", "ADM", "mean"),
        "pushed": value("push", "1", "ADM", "change"),
        "banded": _banded(rows, level, needed),
        "nothing": value("variance", "0 to all", "ADM", "mean"),
        "judged": judged,
        "bias": value("sample", judged, "retrieved only", "bias, simulated"),
        "best": best,
        "error": errors[best],
        "apart": value("power", "", "ADM", "difference"),
    }


def _banded(rows: Rows, level: str, needed: Mapping[str, Any]) -> str:
    """Return how P' and R' answer to small errors, to large ones and to two systems, in words."""
    moved = _values(rows, "jitter", level, "sd of a query")
    told = []
    for own, classic in zip(BANDED, PAPERS, strict=False):
        change = shown(_value(rows, "push", "1", own, "change"), ".3f")
        told.append(
            f"{own} moves by {shown(moved[own], '.3f')}, where {classic} does by "
            f"{shown(moved[classic], '.3f')}, changes by {change}, and needs "
            f"{_with_interval(needed[own], '.0f')} queries, "
            f"{_compared(needed[own], needed[classic])} {classic}"
        )
    return "; ".join(told)


def _value(rows: Rows, *what: str) -> float:
    """Return the value of a row, NaN if there is none."""
    value = rows[what].value  # type: ignore[index]
    return math.nan if value is None else float(value)


def _values(rows: Rows, part: str, level: str, quantity: str) -> dict[str, float]:
    """Return a value of each measure."""
    return {measure: _value(rows, part, level, measure, quantity) for measure in MEASURES}


def _in_gaps(rows: Rows, level: str) -> dict[str, float]:
    """Return how many gaps between two systems each measure of a query moves."""
    spreads = _values(rows, "jitter", level, "sd of a query")
    return _ratios(spreads, _values(rows, "power", "", "difference"))


def _over_systems(rows: Rows) -> dict[str, float]:
    """Return how many times as much each measure varies over queries as over systems."""
    spreads = _values(rows, "variance", "", "sd over queries")
    return _ratios(spreads, _values(rows, "variance", "", "sd over systems"))


def _ratios(values: Mapping[str, float], units: Mapping[str, float]) -> dict[str, float]:
    """Return how many times the unit each value is; NaN if the unit is 0."""
    return {name: values[name] / unit if unit else math.nan for name, unit in units.items()}


def _with_interval(row: Any, form: str) -> str:
    """Return the value of a row with its interval, a dash for none."""
    if row.value is None:
        return shown(None)
    value = _limited(row.value, form)
    if row.low is None:
        return value
    return f"{value} ({_limited(row.low, form)} to {_limited(row.high, form)})"


def _limited(value: float | None, form: str) -> str:
    """Return a number, or that it is too large to mean anything."""
    return "over 10^6" if value is None or value > _MOST_NEEDED else shown(value, form)


def _compared(own: Any, other: Any) -> str:
    if _end(own.high) < _end(other.low):
        return "fewer than"
    if _end(own.low) > _end(other.high):
        return "more than"
    return "not seen to be fewer or more than"


def _end(end: float | None) -> float:
    """Return an end of an interval; what has none may need any number of queries."""
    return math.inf if end is None else end


def _figure(rows: Rows) -> d.Drawing:
    """Return three panels: spread over jitters, the same in gaps, and power by queries."""
    levels = [f"{size:g}" for size in JITTERS]
    spreads = [_values(rows, "jitter", level, "sd of a query") for level in levels]
    gaps = [_in_gaps(rows, level) for level in levels]
    shares = [_values(rows, "power", str(count), "power") for count in NUMBERS]

    def panel(title: str, name: str, x: Any, values: list[dict[str, float]], axes: Any) -> None:
        lines = {measure: [means[measure] for means in values] for measure in MEASURES}
        d.curves(axes, {measure: dict(zip(x, y, strict=True)) for measure, y in lines.items()})
        if x is NUMBERS:
            axes.axhline(POWER, color=d.SOFT, linewidth=0.8, linestyle=":")
        axes.set_title(title)
        axes.set_xlabel(name, labelpad=3)
        axes.set_ylim(bottom=0)

    move = "e, how far estimates move"
    panels = [
        partial(panel, "sd of a query", move, JITTERS, spreads),
        partial(panel, "in gaps of two systems", move, JITTERS, gaps),
        partial(panel, "power", "queries", NUMBERS, shares),
    ]
    return d.paneled(panels, columns=3, tall=240, has_legend=True)
