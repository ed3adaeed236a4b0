"""Rows: the results of cells as a table, with all that is needed to get each of them again."""

import io
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from prum.analytic.precision.result import PrecisionRecall
from prum.experiments.sweeps.budget import UserBudget
from prum.experiments.sweeps.cells import Cell
from prum.simulator.model.task import canonical_json
from prum.simulator.sampling.simulation import Simulation

if TYPE_CHECKING:
    import pandas as pd

CellResult = PrecisionRecall | Simulation | None

# Every column, in order, with its type; those of a simulation are empty for a formula.
COLUMNS = {
    "campaign": "string",
    "topic": "string",
    "system": "string",
    "navigation": "string",
    "estimator": "string",
    "seed": "UInt64",
    "unranked": "string",
    "r": "int64",
    "recall": "float64",
    "leading": "float64",
    "leading_error": "float64",
    "consulted": "float64",
    "consulted_error": "float64",
    "precision": "float64",
    "precision_error": "float64",
    "low": "float64",
    "high": "float64",
    "mean_ratio": "float64",
    "num_users": "Int64",
    "users": "string",
    "stopped": "string",
    "num_ranked": "int64",
    "num_ideals": "int64",
    "version": "string",
    "key": "string",
    "parameters": "string",
    "regenerate": "string",
}


def table(
    cells: Iterable[Cell], result: Callable[[str], CellResult], budget: UserBudget, command: str
) -> "pd.DataFrame":
    """Return a row for each cell and recall value, in the order of the cells.

    `low` and `high` are precision's interval at the budget's confidence. A simulation has all the
    users that were found, be it more than the budget asks for; `stopped` says why there are no
    more: "users" (as many as were asked for), "half-width" (met) or "budget" (spent before).
    Without a closed form an exact value is empty. There is a column `cost` where users are charged
    in some unit; it is empty where elements are counted.
    """
    import pandas as pd

    cells = list(cells)
    kinds = COLUMNS
    if any("cost" in cell.content for cell in cells):
        names = list(COLUMNS)
        names.insert(names.index("r"), "cost")
        kinds = {name: COLUMNS.get(name, "string") for name in names}
    columns: dict[str, list[Any]] = {name: [] for name in kinds}
    for cell in cells:
        for row in _rows(cell, result(cell.key), budget, command):
            for name, values in columns.items():
                values.append(row.get(name))
    # Column by column: what is empty would make floats of whole numbers.
    array: Any = pd.array
    return pd.DataFrame({name: array(columns[name], kind) for name, kind in kinds.items()})


def csv_bytes(rows: "pd.DataFrame") -> bytes:
    """Return rows as CSV; numbers with all their digits."""
    return rows.to_csv(index=False).encode("utf-8", "surrogateescape")


def parquet_bytes(rows: "pd.DataFrame") -> bytes:
    """Return rows as Parquet."""
    buffer = io.BytesIO()
    rows.to_parquet(buffer, index=False)
    return buffer.getvalue()


def _rows(
    cell: Cell, result: CellResult, budget: UserBudget, command: str
) -> Iterator[dict[str, Any]]:
    again = f"{command} --cell {cell.key[:16]}"
    common: dict[str, Any] = {
        **cell.names,
        "num_ranked": cell.num_ranked,
        "num_ideals": cell.num_ideals,
        "version": cell.content["version"],
        "key": cell.key,
        "parameters": canonical_json({**cell.content, **cell.recipe()}),
        "regenerate": again,
    }
    values: dict[str, Any] = {}
    if isinstance(result, Simulation):
        low, high = result.interval(budget.confidence)
        ratio = result.mean_ratio if result.unranked == "sampled" else None
        values = {
            "leading_error": result.leading_error,
            "consulted_error": result.consulted_error,
            "precision_error": result.precision_error,
            "low": low,
            "high": high,
            **({} if ratio is None else {"mean_ratio": ratio}),
        }
        ranges = [(users.first, users.count) for users in result.users]
        common["num_users"] = result.num_users
        common["users"] = " ".join(f"{first}-{first + count - 1}" for first, count in ranges)
        common["stopped"] = budget.stopped(result)
        common["regenerate"] = "; ".join(
            f"{again} --first-user {first} --users {count}" for first, count in ranges
        )
    if result is not None:
        values |= {
            "leading": result.leading,
            "consulted": result.consulted,
            "precision": result.precision,
        }
    columns = {name: column.tolist() for name, column in values.items()}
    for number in range(cell.num_ideals):
        row = {name: column[number] for name, column in columns.items()}
        r = number + 1
        yield {**common, "r": r, "recall": r / cell.num_ideals, **row}
