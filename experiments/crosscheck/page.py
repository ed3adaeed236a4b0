"""The page of a cross-check, in the order in which people read it."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.compare.wording import amount_of
from prum.experiments.crosscheck.curves import ALONE, Curves, curves_of, draw
from prum.experiments.crosscheck.depths import by_probability, in_a_sentence, people
from prum.experiments.crosscheck.detectable_errors import verdict_in_words
from prum.experiments.crosscheck.means import OF_LISTS, OF_SYSTEMS, SYMBOLS, title
from prum.experiments.crosscheck.noisy_or import noisy_or_in_words
from prum.experiments.crosscheck.systems import rank_correlations, reference_name
from prum.experiments.views.drawing import Drawing
from prum.experiments.views.files import write_whole
from prum.experiments.views.html import check_installed, template_page
from prum.experiments.views.view import Value
from prum.simulator.model.list_costs import ELEMENTS

if TYPE_CHECKING:
    import pandas as pd

    from prum.experiments.crosscheck.result import CheckedList, Crosscheck

_MOST_ROWS = 2_000
_MOST_DISAGREEING = 100
_MOST_ERRORS = 10
_MOST_PANELS = 40
_MOST_NAMES = 20
# Up to here the table of a single list stands open.
_SHORT_LIST = 20
_DIGITS = 5
# An error that would be printed as 0 is none.
_PRINTED = 0.5 * 10.0**-_DIGITS

_NAVIGATIONS = {
    "Independent": (
        "Each link leads a user on, or not, on its own, whatever else happens. Then PRUM only "
        "approximates whether an element leads to something new; it is never above the exact "
        "value, and equal to it at r = 1."
    ),
    "Walk": (
        "From each consulted element a user follows one path, so some visits exclude others. "
        "PRUM knows only how likely each visit is and takes them as independent."
    ),
    "Coupled": (
        "What a user visits from one element hangs together. PRUM knows only how likely each visit "
        "is and takes them as independent."
    ),
    "Browsing": (
        "Users differ, or change as they go on. PRUM knows only how likely each visit is in the "
        "mean, for one who has seen nothing yet, and takes all visits as independent."
    ),
    "Covering": (
        "A chunk shows the characters it covers, and none of them twice. PRUM knows only how much "
        "of a span each chunk covers and takes what they miss as independent (noisy-or): of two "
        "chunks that hold a half of a span each, it says that they show three quarters of it."
    ),
}


@dataclass(frozen=True, slots=True)
class PageTable:
    """Columns and rows of text; `num_left` columns stand left and head their rows.

    `data` holds the same as columns of data with all their digits. `classes` has a class for each
    row, or is empty; `groups` are headings over several columns, with their widths; `last_left`
    says whether the last column is text too.
    """

    label: str
    columns: tuple[str, ...]
    rows: list[list[str]]
    data: Mapping[str, Sequence[Value]]
    num_left: int = 1
    classes: list[str] = field(default_factory=list)
    groups: tuple[tuple[str, int], ...] = ()
    last_left: bool = False

    @property
    def left(self) -> list[bool]:
        """Whether each column stands left."""
        last = len(self.columns) - 1
        return [at < self.num_left or (self.last_left and at == last) for at in range(last + 1)]


@dataclass(frozen=True, slots=True)
class Panel:
    """One drawing and what names it."""

    title: str
    label: str
    drawing: Drawing


def write_page(crosscheck: "Crosscheck", path: str | Path) -> None:
    """Write `page` to `path`; on any failure the old file stays and nothing else.

    Raises
    ------
    InputError
        as `page`.
    OSError
        if the disk is full, the folder closed, and the like.
    """
    write_whole(path, page(crosscheck))


def page(crosscheck: "Crosscheck") -> str:
    """Return the page: one HTML document that needs nothing else, the same bytes each time.

    Raises
    ------
    InputError
        if jinja2 or matplotlib is not installed.
    """
    check_installed()
    return template_page("prum.experiments.crosscheck", "page.html", _contents(crosscheck))


def _contents(crosscheck: "Crosscheck") -> dict[str, Any]:
    rows = crosscheck.comparisons
    counts = {str(name): int(count) for name, count in rows["verdict"].value_counts().items()}
    names = list(dict.fromkeys(case.campaign for case in crosscheck.cases))
    disagreeing = rows[rows["verdict"] == "disagrees"]
    tested = counts.get("agrees", 0) + counts.get("disagrees", 0)
    return {
        "verdict": crosscheck.verdict,
        "unit": None if crosscheck.unit == ELEMENTS else crosscheck.unit,
        "means_title": title(crosscheck.unit),
        "num_comparisons": len(rows),
        "num_tested": tested,
        "num_single_tests": crosscheck.num_tested,
        "threshold": _probability(crosscheck.level / max(crosscheck.num_tested, 1)),
        "num_disagreeing": counts.get("disagrees", 0),
        "num_unresolved": counts.get("unresolved", 0),
        "worth": crosscheck.detectable_errors,
        "num_rare": crosscheck.num_rare,
        "of_more": crosscheck.of_more,
        "num_without_exact": counts.get("no closed form", 0),
        "level": f"{crosscheck.level!r}",
        "num_users": crosscheck.num_users,
        "seed": crosscheck.seed,
        "version": crosscheck.version,
        "command": crosscheck.command,
        "largest": _largest(rows),
        "campaigns": [
            _campaign(crosscheck, name, number) for number, name in enumerate(names, start=1)
        ],
        "errors": _errors(rows),
        "disagreements": _disagreements(disagreeing),
    }


def _campaign(crosscheck: "Crosscheck", name: str, number: int) -> dict[str, Any]:
    """Return what the page says of one campaign."""
    cases = [case for case in crosscheck.cases if case.campaign == name]
    rows = crosscheck.comparisons[crosscheck.comparisons["campaign"] == name]
    systems = crosscheck.systems[crosscheck.systems["campaign"] == name]
    parameters: dict[str, Any] = next(
        (entry for entry in crosscheck.campaigns if entry["name"] == name), {}
    )
    without_ideals = list(parameters.get("without_ideals", ()))
    by_system = _by_system(cases, systems)
    shown = dict(list(by_system.items())[:_MOST_PANELS])
    curves = {system: curves_of(results) for system, results in shown.items()}
    num_topics = len({case.topic for case in cases})
    single = len(cases) == 1
    return {
        "name": name,
        "anchor": f"campaign-{number}",
        "navigation": _NAVIGATIONS.get(parameters.get("navigation", "")),
        "navigation_key": parameters.get("navigation_key", ""),
        "links": str(crosscheck.link_use(name)),
        "collection_size": parameters.get("collection_size"),
        "num_systems": len(by_system),
        "num_topics": num_topics,
        "without_ideals": without_ideals[:_MOST_NAMES],
        "num_without_ideals": len(without_ideals),
        "single": single,
        "reference": reference_name(cases),
        "systems": _systems(name, reference_name(cases), systems),
        "system_means": _system_means(crosscheck, name, reference_name(cases), systems),
        "correlations": _correlations(crosscheck, name),
        "panels": list(_panels(curves, f"c{number}", single=single)),
        "num_panels_cut": len(by_system) - len(shown),
        "all_exact": all(entry.exact is not None for entry in curves.values()),
        "any_exact": any(entry.exact is not None for entry in curves.values()),
        "largest": _largest(rows),
        "noisy_or": noisy_or_in_words(crosscheck, name),
        "depths": _depths(crosscheck, name),
        "comparisons": _comparisons(name, cases[0].navigation, rows.head(_MOST_ROWS)),
        "means": _means(crosscheck, name, rows.head(_MOST_ROWS)),
        "num_rows": len(rows),
        "num_rows_cut": max(len(rows) - _MOST_ROWS, 0),
        "is_open": single and len(rows) <= _SHORT_LIST,
    }


def _by_system(
    cases: "Iterable[CheckedList]", systems: "pd.DataFrame"
) -> "dict[str, list[CheckedList]]":
    """Return system -> its cases, in order of the systems' places by reference."""
    ordered = systems.sort_values("reference_place", kind="stable")["system"]
    by_system: dict[str, list[CheckedList]] = {system: [] for system in ordered}
    for case in cases:
        by_system[case.system].append(case)
    return by_system


def _panels(curves: dict[str, Curves], prefix: str, *, single: bool) -> Iterator[Panel]:
    limit = max((curve.limit for curve in curves.values()), default=1.0)
    for number, (system, curve) in enumerate(curves.items(), start=1):
        exact = "no exact value" if curve.exact is None else f"exact {_number(curve.exact[0])}"
        end = "" if curve.exact is None else f" to {_number(curve.exact[-1])}"
        where = "recall level 0 to 1" if curve.x[0] == 0 else f"r = 1 to {len(curve.x)}"
        label = (
            f"Precision of {system}, {where}: PRUM {_number(curve.prum[0])} to "
            f"{_number(curve.prum[-1])}, {exact}{end}, simulated {_number(curve.simulated[0])} to "
            f"{_number(curve.simulated[-1])}"
        )
        width = {"width": ALONE} if single else {}
        yield Panel(system, label, draw(curve, prefix=f"{prefix}p{number}", limit=limit, **width))


def _systems(campaign: str, reference: str, systems: "pd.DataFrame") -> PageTable:
    has_places, has_topics = len(systems) > 1, bool((systems["num_topics"] > 1).any())
    scores = ["PRUM", reference, "simulated", "± users", *["± topics"] * has_topics, "no browsing"]
    places = ["PRUM", reference, "no browsing"] if has_places else []
    table = PageTable(
        f"Systems of {campaign}",
        ("system", *scores, *places),
        [],
        _data(systems.sort_values("reference_place", kind="stable"), without=("campaign",)),
        groups=(("", 1), ("score", len(scores)), ("place", 3)) if has_places else (),
    )
    for row in systems.sort_values("reference_place", kind="stable").to_dict(orient="records"):
        cells = [_number(row[name]) for name in ("prum", "reference", "simulated", "users_error")]
        if has_topics:
            cells.append(_number(row["topics_error"], 3))
        cells.append(_number(row["classical"]))
        if has_places:
            cells += [str(row[f"{name}_place"]) for name in ("prum", "reference", "classical")]
        table.rows.append([row["system"], *cells])
    return table


def _system_means(
    crosscheck: "Crosscheck", campaign: str, reference: str, systems: "pd.DataFrame"
) -> PageTable:
    ordered = systems.sort_values("reference_place", kind="stable")
    of_one = ("PRUM", reference.partition(", ")[0], "simulated", "± users")
    return PageTable(
        f"{title(crosscheck.unit)} of the systems of {campaign}",
        ("system", *of_one * len(SYMBOLS)),
        [
            [row["system"], *(_number(row[column]) for column in OF_SYSTEMS)]
            for row in _records(ordered)
        ],
        _data(ordered[["system", *OF_SYSTEMS]]),
        groups=(("", 1), *((symbol, len(of_one)) for symbol in SYMBOLS.values())),
    )


def _correlations(crosscheck: "Crosscheck", campaign: str) -> list[dict[str, str]]:
    names = {"prum": "PRUM", "classical": "no browsing"}
    return [
        {
            "score": names[name],
            "tau": _number(tau, 2),
            "interval": "" if math.isnan(low) else f"{_number(low, 2)} to {_number(high, 2)}",
        }
        for name, (tau, low, high) in rank_correlations(crosscheck, campaign).items()
    ]


def _largest(rows: "pd.DataFrame") -> dict[str, str] | None:
    """Return the largest error of PRUM and where it is; None if there is none to print."""
    row = _records(rows.loc[[rows["prum_error"].abs().idxmax()]])[0]
    if abs(row["prum_error"]) < _PRINTED:
        return None
    names = ("campaign", "system", "topic", "r", "reference_name")
    places = {name: str(row[name]) for name in names}
    return {**places, "error": _signed(row["prum_error"])}


def _errors(rows: "pd.DataFrame") -> PageTable:
    order = rows["prum_error"].abs().sort_values(ascending=False, kind="stable").index
    largest = rows.loc[order[:_MOST_ERRORS]]
    largest = largest[largest["prum_error"].abs() >= _PRINTED]
    table = PageTable(
        "Largest errors of PRUM",
        (
            "campaign", "system", "topic", "r", "PRUM error", "against", "PRUM", "exact",
            "simulated", "± error", "PRUM − simulated, 95 %",
        ),
        [],
        _data(largest),
        num_left=3,
    )  # fmt: skip
    for row in _records(largest):
        low, high = _signed(row["prum_error_low"]), _signed(row["prum_error_high"])
        numbers = [_number(row[name]) for name in ("prum", "exact", "simulated", "error")]
        error, against = _signed(row["prum_error"]), str(row["reference_name"])
        table.rows.append([*_place(row), error, against, *numbers, f"{low} to {high}"])
    return table


def _disagreements(rows: "pd.DataFrame") -> PageTable:
    table = PageTable(
        "Comparisons that disagree",
        (
            "campaign", "system", "topic", "r", "exact", "simulated", "± error",
            "z of E[CL]", "z of E[C]", "z of precision", "p",
        ),
        [],
        _data(rows.head(_MOST_DISAGREEING)),
        num_left=3,
    )  # fmt: skip
    for row in _records(rows.head(_MOST_DISAGREEING)):
        numbers = [_number(row[name]) for name in ("exact", "simulated", "error")]
        z = [_signed(row[name], 2) for name in ("z_leading", "z_consulted", "z_precision")]
        table.rows.append([*_place(row), *numbers, *z, _probability(row["p"])])
    return table


def _comparisons(campaign: str, navigation: str, rows: "pd.DataFrame") -> PageTable:
    table = PageTable(
        f"All comparisons of {campaign}",
        (
            "system", "topic", "r", "PRUM", f"exact, {navigation}", "simulated", "± error",
            "95 % from", "to",
            "E[CL/C]", "PRUM error", "p", "would find", "verdict",
        ),
        [],
        _data(rows, without=("campaign",)),
        num_left=2,
        last_left=True,
    )  # fmt: skip
    columns = ("prum", "exact", "simulated", "error", "low", "high", "mean_ratio")
    for row in _records(rows):
        numbers = [_number(row[name]) for name in columns]
        tested = [_probability(row["p"]), _number(row["detectable"]), verdict_in_words(row)]
        table.rows.append([*_place(row)[1:], *numbers, _signed(row["prum_error"]), *tested])
        table.classes.append("bad" if row["verdict"] == "disagrees" else "")
    return table


def _means(crosscheck: "Crosscheck", campaign: str, rows: "pd.DataFrame") -> PageTable:
    of_one = ("PRUM", "exact", "simulated", "± error")
    names = ("system", "topic", "r")
    return PageTable(
        f"{title(crosscheck.unit)} of all comparisons of {campaign}",
        (*names, *of_one * len(SYMBOLS)),
        [
            [*_place(row)[1:], *(_number(row[column]) for column in OF_LISTS)]
            for row in _records(rows)
        ],
        _data(rows[[*names, *OF_LISTS]]),
        num_left=2,
        classes=["bad" if verdict == "disagrees" else "" for verdict in rows["verdict"]],
        groups=(("", len(names)), *((symbol, len(of_one)) for symbol in SYMBOLS.values())),
    )


def _depths(crosscheck: "Crosscheck", campaign: str) -> dict[str, Any] | None:
    """Return how many elements users consult, in a sentence and a table; None if not asked for."""
    if crosscheck.quantiles is None:
        return None
    rows = crosscheck.quantiles[crosscheck.quantiles["campaign"] == campaign]
    users = [people(probability) for probability in rows["probability"].unique()]
    listed = _records(by_probability(rows))
    shown = listed[:_MOST_ROWS]
    table = PageTable(
        f"{crosscheck.unit.capitalize()} that users of {campaign} consult",
        ("system", "topic", "r", *users, "verdict"),
        [
            [*_place(row)[1:], *(amount_of(row[name]) for name in users), row["verdict"]]
            for row in shown
        ],
        _data(by_probability(rows).head(_MOST_ROWS), without=("campaign",)),
        num_left=2,
        classes=["bad" if row["verdict"] == "disagrees" else "" for row in shown],
        last_left=True,
    )
    return {
        "sentence": in_a_sentence(rows, crosscheck.unit),
        "table": table,
        "num_cut": len(listed) - len(shown),
    }


def _data(rows: "pd.DataFrame", without: Sequence[str] = ()) -> dict[str, list[Value]]:
    """Return rows as columns of data, by their names in the CSV of the command."""
    return {str(name): column.tolist() for name, column in rows.items() if str(name) not in without}


def _place(row: dict[str, Any]) -> list[str]:
    return [row["campaign"], row["system"], row["topic"], str(row["r"])]


def _records(rows: "pd.DataFrame") -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in rows.to_dict("records")]


def _number(value: float, digits: int = _DIGITS) -> str:
    """Return a number in typographic signs; "–" for one that is not there.

    >>> _number(0.5), _number(float("nan")), _number(-1.25, 1), _number(-1e-9)
    ('0.50000', '–', '−1.2', '0.00000')
    """
    if np.isnan(value):
        return "–"
    text = "∞" if np.isinf(value) else f"{abs(value):.{digits}f}"
    is_zero = not text.strip("0.")
    return f"−{text}" if value < 0 and not is_zero else text


def _signed(value: float, digits: int = _DIGITS) -> str:
    """Return a number with its sign, unless it is printed as 0.

    >>> _signed(0.5, 2), _signed(-0.5, 2), _signed(1e-9, 2)
    ('+0.50', '−0.50', '0.00')
    """
    text = _number(value, digits)
    return f"+{text}" if value > 0 and text.strip("0.") else text


def _probability(value: float) -> str:
    """Return a p-value to two digits.

    >>> _probability(0.0312), _probability(2e-9), _probability(0.0)
    ('0.031', '2e−9', '<1e−300')
    """
    if np.isnan(value):
        return "–"
    if value < 1e-300:
        return "<1e−300"
    digits, e, exponent = f"{value:.2g}".partition("e-")
    return f"{digits}e−{exponent.lstrip('0')}" if e else digits
