"""Outcomes from sweeps: stores, and the tables that sweeps write."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.analytic.precision.result import PrecisionRecall
from prum.experiments.crosscheck.verdicts import Quantities, judge, quantities
from prum.experiments.report.outcomes import CellOutcome, missing
from prum.experiments.sweeps.cells import NO_BROWSING
from prum.experiments.sweeps.store import Store
from prum.simulator.model import InputError
from prum.simulator.model.list_costs import ELEMENTS
from prum.simulator.sampling.simulation import Simulation
from prum.simulator.tables.files import readable
from prum.simulator.tables.parquet import parquet_frame

if TYPE_CHECKING:
    import pandas as pd

# The rate of false alarms of all verdicts on a store.
LEVEL = 0.01
_SHOWN = ("prum", "exact", "no-browsing", "simulated")
# What a sweep's table must have to be one.
EXPORTED = frozenset(
    {"campaign", "topic", "system", "navigation", "estimator", "seed", "r", "leading", "consulted",
     "precision", "precision_error", "num_users", "num_ideals", "version", "key"}
)  # fmt: skip
_List = tuple[str, str, str, str, str]


@dataclass(frozen=True, slots=True)
class SweepContent:
    """What a store or a sweep's table holds: its outcomes, and how far the sweep came."""

    outcomes: tuple[CellOutcome, ...]
    version: str
    num_cells: int
    num_tests: int = 0
    missing: int = 0
    failures: tuple[str, ...] = ()
    num_older: int = 0
    others: tuple[str, ...] = ()
    keys: frozenset[str] = field(default_factory=frozenset)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not there, each in a sentence."""
        told = []
        if self.missing:
            share = f"{self.missing:,} of {self.num_cells:,} cells"
            told.append(f"the sweep is unfinished, {share} are missing; run it again to go on")
        if self.failures:
            told.append(
                f"{_cells(len(self.failures))} could not be computed; the first: {self.failures[0]}"
            )
        if self.num_older:
            told.append(f"{_cells(self.num_older)} of other versions than {self.version} left out")
        if self.others:
            told.append(f"estimators that this page does not show: {', '.join(self.others)}")
        return tuple(told)


@dataclass(slots=True)
class _Found:
    """What was found of one list, until all of it is."""

    dials: dict[str, str]
    prum: PrecisionRecall | None = None
    exact: PrecisionRecall | None = None
    plain: dict[Any, Simulation] = field(default_factory=dict)
    rare: dict[Any, Simulation] = field(default_factory=dict)
    further: dict[Any, Simulation] = field(default_factory=dict)

    def judged(self, manner: Any) -> Quantities:
        """Return what is compared of one simulation, with its rare and its further users."""
        plain, more = self.plain[manner].without_distribution(), self.further.get(manner)
        more = None if more is None else plain + more
        return quantities(self.exact, plain, self.rare.get(manner), more)


def of_store(path: Path, name: str) -> SweepContent:
    """Return what a store holds, of the newest version in it.

    Raises
    ------
    InputError
        for a file that is no store, a damaged one, or one of another format.
    OSError
        if it can't be read.
    """
    with Store(path, read_only=True) as store:
        return _of_open_store(store, name)


def _of_open_store(store: Store, name: str) -> SweepContent:
    cells = store.cells()
    stored, failures = store.ranges(), store.failures()
    version = _newest(content["version"] for content, _ in cells.values())
    lists: dict[_List, _Found] = {}
    classical: dict[_List, PrecisionRecall] = {}
    gaps, others = 0, set[str]()
    older = 0
    for key, (content, recipe) in cells.items():
        if content["version"] != version:
            older += 1
            continue
        estimator = content["estimator"]
        if estimator not in _SHOWN:
            others.add(estimator)
            continue
        if key not in stored:
            gaps += key not in failures
            continue
        where = _list(recipe)
        result = store.result(key)
        if estimator == "no-browsing":
            if isinstance(result, PrecisionRecall):
                classical[where] = result
            continue
        found = lists.setdefault(where, _Found(_dials(recipe)))
        if isinstance(result, Simulation):
            manner = result.users[0].seed, result.unranked
            kind = "rare" if result.rare else "further" if content.get("further") else "plain"
            getattr(found, kind)[manner] = result
        elif result is not None:
            setattr(found, estimator, result)
    outcomes, num_tests = _outcomes(name, lists, classical)
    return SweepContent(
        outcomes, version, len(cells) - older, num_tests, gaps,
        tuple(text for key, text in failures.items() if cells[key][0]["version"] == version),
        older, tuple(sorted(others)), frozenset(cells),
    )  # fmt: skip


def _outcomes(
    name: str, lists: dict[_List, _Found], classical: dict[_List, PrecisionRecall]
) -> tuple[tuple[CellOutcome, ...], int]:
    """Return outcomes, judged by all their simulations together, and the number of tests."""
    compared = [
        (where, found.judged(manner)) for where, found in lists.items() for manner in found.plain
    ]
    judged, num_tests = judge([case for _, case in compared], LEVEL)
    verdicts: dict[_List, list[list[str]]] = {}
    for (where, _), judgement in zip(compared, judged, strict=True):
        verdicts.setdefault(where, []).append(judgement.verdicts)
    made = []
    for where, found in lists.items():
        campaign, setting, system, topic, unit = where
        known = [one for one in (found.prum, found.exact, *found.plain.values()) if one is not None]
        if not known:
            continue
        size = known[0].num_ideals
        simulations = list(found.plain.values())
        simulated, error = _pooled(
            [
                (one.num_users, one.leading, one.consulted, one.precision_error)
                for one in simulations
            ],
            size,
        )
        plain = classical.get((campaign, NO_BROWSING, system, topic, unit))
        made.append(
            CellOutcome(
                name, campaign, setting, system, topic,
                _precision(found.prum, size), _precision(found.exact, size), simulated, error,
                _precision(plain, size), unit,
                sum(one.num_users for one in simulations),
                tuple(sorted({part.seed for one in simulations for part in one.users})),
                tuple(map(_worst, zip(*verdicts.get(where, ()), strict=True))), found.dials,
            )
        )  # fmt: skip
    return tuple(made), num_tests


def _precision(result: PrecisionRecall | None, size: int) -> Any:
    return missing(size) if result is None else result.precision


def _pooled(parts: Sequence[tuple[Any, Any, Any, Any]], size: int) -> tuple[Any, Any]:
    """Return precision of all users of several simulations, and its standard error."""
    if not parts:
        return missing(size), missing(size)
    leading = sum(users * one for users, one, _, _ in parts)
    consulted = sum(users * one for users, _, one, _ in parts)
    squares = sum((users * one / consulted * error) ** 2 for users, _, one, error in parts)
    return leading / consulted, np.sqrt(squares)


_ORDER = ("disagrees", "agrees", "unresolved", "no closed form")


def _worst(verdicts: tuple[str, ...]) -> str:
    """Return the verdict that counts of several on one value: a disagreement if there is one."""
    return min(verdicts, key=_ORDER.index)


def _list(recipe: dict[str, Any]) -> _List:
    return (
        recipe["campaign"], recipe["navigation"], recipe["system"], recipe["topic"],
        recipe.get("cost") or ELEMENTS,
    )  # fmt: skip


def _dials(recipe: dict[str, Any]) -> dict[str, str]:
    return {name: str(recipe[name]) for name in ("way", "need") if recipe.get(name) is not None}


def _cells(number: int) -> str:
    return f"{number:,} cell{'' if number == 1 else 's'}"


def _newest(versions: Iterable[str]) -> str:
    """Return the newest version, "" of none.

    >>> _newest(["0.9.0", "0.10.0"])
    '0.10.0'
    """
    import re

    def parts(version: str) -> list[tuple[int, str]]:
        return [(int(part) if part.isdigit() else -1, part) for part in re.split(r"[.+]", version)]

    return max(set(versions), key=parts, default="")


def is_export(head: bytes) -> bool:
    """Return whether a file begins as a sweep's CSV does."""
    first, _, _ = head.partition(b"\n")
    return set(first.decode("utf-8", "replace").strip().split(",")) >= EXPORTED


def read_export(path: Path, *, is_parquet: bool) -> "pd.DataFrame":
    """Return a sweep's table from CSV or Parquet.

    Raises
    ------
    InputError
        for what is no such table, a damaged one, or without pyarrow for Parquet.
    """
    import pandas as pd

    if is_parquet:
        frame = parquet_frame(path)
        lacking = EXPORTED - set(frame.columns)
        if not lacking:
            return frame
        rule = f"have the columns of a sweep, {', '.join(sorted(lacking))} too"
        remedy = "write it by prum sweep --csv or --parquet"
        raise InputError("table", path.name, rule, remedy=remedy)
    try:
        return pd.read_csv(
            path,
            compression=None,
            dtype={"topic": str, "system": str, "campaign": str},
            keep_default_na=False,
            na_values={name: [""] for name in _NUMBERS},
        )
    except ValueError as error:
        raise InputError(
            "table", path.name, f"be whole ({error})", remedy="write it again"
        ) from None


_NUMBERS = ("seed", "r", "leading", "consulted", "precision", "precision_error", "num_users")


def of_export(rows: "pd.DataFrame", name: str) -> SweepContent:
    """Return what a sweep's table holds, of its newest version; it has no verdicts.

    Raises
    ------
    InputError
        for values that are none.
    """
    import pandas as pd

    version = _newest(rows["version"].astype(str))
    own = rows[rows["version"].astype(str) == version]
    try:
        own = own.assign(**{name: pd.to_numeric(own[name]).astype(float) for name in _NUMBERS})
    except ValueError as error:
        raise InputError(
            "table", name, f"hold numbers ({error})", remedy="write it again"
        ) from None
    own = own.assign(
        unit=own["cost"].fillna(ELEMENTS).replace("", ELEMENTS) if "cost" in own else ELEMENTS
    )
    cells: dict[_List, dict[str, list[dict[str, Any]]]] = {}
    names = ["campaign", "navigation", "system", "topic", "unit"]
    columns = [*_NUMBERS, "estimator", "key", *names]
    for row in own[columns].to_dict("records"):
        where: Any = tuple(readable(str(row[one])) for one in names)
        cells.setdefault(where, {}).setdefault(f"{row['estimator']} {row['key']}", []).append(
            {str(column): value for column, value in row.items()}
        )
    outcomes = [
        _exported(name, where, parts, cells)
        for where, parts in cells.items()
        if where[1] != NO_BROWSING
    ]
    return SweepContent(
        tuple(outcome for outcome in outcomes if outcome is not None), version,
        own["key"].nunique(), num_older=int(rows["key"].nunique() - own["key"].nunique()),
        others=tuple(sorted(set(own["estimator"].astype(str)) - set(_SHOWN))),
        keys=frozenset(own["key"].astype(str)),
    )  # fmt: skip


def _exported(
    name: str,
    where: _List,
    parts: dict[str, list[dict[str, Any]]],
    cells: dict[_List, dict[str, list[dict[str, Any]]]],
) -> CellOutcome | None:
    """Return the outcome of one list; None where the table has no value of it."""
    campaign, setting, system, topic, unit = where
    size = int(max(row["r"] for rows in parts.values() for row in rows))
    if size > max(map(len, parts.values())):
        remedy = "write it again"
        raise InputError("largest r", size, "be the number of its rows", remedy=remedy)
    apart = cells.get((campaign, NO_BROWSING, system, topic, unit), {})
    values = {one: missing(size) for one in _SHOWN}
    simulations, seeds = [], set[int]()
    for label, rows in {**apart, **parts}.items():
        estimator = label.partition(" ")[0]
        columns = {column: missing(size) for column in _NUMBERS}
        for row in rows:
            if 1 <= row["r"] <= size:
                for column, array in columns.items():
                    array[int(row["r"]) - 1] = row[column]
        if estimator == "simulated":
            users = columns["num_users"]
            simulations.append(
                (users, columns["leading"], columns["consulted"], columns["precision_error"])
            )
            seeds.add(int(rows[0]["seed"]))
        elif estimator in values:
            values[estimator] = columns["precision"]
    simulated, error = _pooled(simulations, size) if simulations else (missing(size),) * 2
    users = sum((users for users, *_ in simulations), start=np.zeros(size))
    outcome = CellOutcome(
        name, campaign, setting, system, topic, values["prum"], values["exact"], simulated, error,
        values["no-browsing"], unit, int(np.nan_to_num(users[0])), tuple(sorted(seeds)),
    )  # fmt: skip
    return None if np.isnan(outcome.prum).all() and np.isnan(outcome.reference).all() else outcome
