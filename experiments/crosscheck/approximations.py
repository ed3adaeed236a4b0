"""Approximations of the user's own beside PRUM: what they claim of each list, and their errors.

An approximation claims precision at each r of a list, or E[CL(r)] and E[C(r)]. Where the exact
value stands its error is a number, and nothing is tested; elsewhere it is held against the interval
of the simulation, which is asymptotic.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.precision.result import PrecisionRecall
from prum.experiments.crosscheck.inequalities import EQUAL
from prum.simulator.model import InputError, Navigation, Task
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import real_array
from prum.simulator.tables.layout import DataTable, FileColumn, Layout
from prum.simulator.tables.names import SYSTEM, TOPIC
from prum.simulator.tables.read import is_one_table, read

if TYPE_CHECKING:
    import pandas as pd

# A campaign, a system and a topic.
Names: TypeAlias = tuple[str, str, str]
# What is given of one list, or returned of it.
ListValues: TypeAlias = "ArrayLike | PrecisionRecall"
# Whatever may be given.
Given: TypeAlias = "Callable[[Task, Navigation], ListValues] | ListValues | os.PathLike[str] | str"

EXACT, PRUM = "exact", "PRUM"
LAYOUT = Layout(
    rows="the approximation",
    columns=(
        FileColumn(TOPIC, optional=True, nullable=True),
        FileColumn(SYSTEM, optional=True, nullable=True),
        FileColumn(("r",), "whole", rule="be a whole number of at least 1"),
        FileColumn(("precision",), "number", optional=True, nullable=True),
        FileColumn(("CL", "cl"), "number", optional=True, nullable=True),
        FileColumn(("C", "c"), "number", optional=True, nullable=True),
    ),
)


@dataclass(frozen=True, slots=True, eq=False)
class Claimed:
    """What is claimed of one list, shape (t,): precision; E[CL] and E[C], None without them."""

    precision: Floats
    leading: Floats | None = None
    consulted: Floats | None = None

    @classmethod
    def of(cls, values: ListValues, num_ideals: int, thing: str) -> "Claimed":
        """Return what was given of a list with so many ideals, each number checked."""

        def checked(part: str, given: ArrayLike) -> Floats:
            of, remedy = f"{part} of {thing}", "give a value for each recall value 1 .. t"
            numbers = real_array(of, given, remedy=remedy, shape=(num_ideals,))
            valid = np.isfinite(numbers) & (numbers >= 0)
            if not valid.all():
                r, rule = int(np.argmin(valid)) + 1, "be a number of at least 0"
                remedy = "correct the approximation"
                raise InputError(f"{of} at r = {r}", numbers[r - 1], rule, remedy=remedy)
            return numbers

        if not isinstance(values, PrecisionRecall):
            return cls(checked("precision", values))
        leading, consulted = checked("E[CL]", values.leading), checked("E[C]", values.consulted)
        return cls(checked("precision", values.precision), leading, consulted)


def verdict_of(name: str, rows: "pd.DataFrame") -> str:
    """Return the verdict on an approximation, by the rows of all comparisons.

    "disagrees" where it differs from an exact value that stands by more than rounding, or is out of
    the simulation's interval where there is none; "agrees" where all are exact and equal.
    """
    claimed, exact = rows[name].to_numpy(), rows["exact"].to_numpy()
    stands = np.isfinite(exact) & (rows["verdict"] != "disagrees").to_numpy()
    off = np.abs(claimed - exact) > EQUAL * np.abs(exact)
    outside = (claimed < rows["low"].to_numpy()) | (claimed > rows["high"].to_numpy())
    if (np.where(stands, off, outside & np.isnan(exact))).any():
        return "disagrees"
    return "agrees" if stands.all() else "unresolved"


def largest_error(error: str, rows: "pd.DataFrame") -> Any:
    """Return the row in which an error is largest, without its sign."""
    return next(rows.loc[[rows[error].abs().idxmax()]].itertuples())


# Names whose columns, or those that belong to them, are there without them.
_TAKEN = re.compile(
    r"(prum|exact|simulated|reference|leading|consulted|detectable|p)(_.*)?|campaign|system|topic|"
    r"num_topics|r|recall|classical|error|low|high|mean_ratio|unit|users|users_needed|topics|verdict",
    re.IGNORECASE,
)


def check_names(names: Mapping[str, Any]) -> None:
    """Raise InputError unless names can name columns and be told apart from ours."""
    if not isinstance(names, Mapping):
        remedy = 'give {"mine": function}, say'
        raise InputError("approximations", names, "be a mapping", remedy=remedy)
    for name in names:
        is_name = isinstance(name, str) and re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII)
        if not is_name or iskeyword(name) or _TAKEN.fullmatch(name):
            rule = "be letters, digits and '_', a letter first, and no name of prum's own columns"
            remedy = "give another name, as NAME=FILE"
            raise InputError("name of an approximation", name, rule, remedy=remedy)


def claims_of(
    given: Mapping[str, Given], lists: Mapping[Names, tuple[Task, Navigation]]
) -> dict[Names, dict[str, Claimed]]:
    """Return what each approximation claims of each list, by its names and its own.

    Raise InputError for a name that is taken, a table or a function that does not give the values
    of each list, and values of a single list where there are more; OSError if a file cannot be
    read.
    """
    check_names(given)
    claims: dict[Names, dict[str, Claimed]] = {names: {} for names in lists}
    for name, source in given.items():
        for names, claim in _claimed(name, source, lists):
            claims[names][name] = claim
    return claims


def _claimed(
    name: str, source: Any, lists: Mapping[Names, tuple[Task, Navigation]]
) -> Iterator[tuple[Names, Claimed]]:
    if callable(source):
        for names, (task, navigation) in lists.items():
            thing = f"{names[1]}, {names[2]} by {name}"
            yield names, Claimed.of(source(task, navigation), task.num_ideals, thing)
    elif isinstance(source, str | os.PathLike | Mapping) or is_one_table(source):
        sizes = {names: task.num_ideals for names, (task, _) in lists.items()}
        yield from _of_table(read(source, LAYOUT, name=name), sizes)
    else:
        if len(lists) > 1:
            rule, remedy = "be 1 for values without names", "give a table, or a function"
            raise InputError("number of lists", len(lists), rule, remedy=remedy, place=name)
        for names, (task, _) in lists.items():
            yield names, Claimed.of(source, task.num_ideals, name)


def _of_table(table: DataTable, sizes: Mapping[Names, int]) -> Iterator[tuple[Names, Claimed]]:
    """Yield what the rows of a table claim, one for each r of each list."""
    by_list: dict[tuple[Any, Any], Names] = {names[1:]: names for names in sizes}
    origin = table.origin
    if len(by_list) < len(sizes):
        rule, remedy = "be 1 for a table", "check one campaign at a time, or give a function"
        num_campaigns = len({campaign for campaign, *_ in sizes})
        raise InputError("number of campaigns", num_campaigns, rule, remedy=remedy, place=origin)
    given = {
        name: values
        for name, values in [*table.columns.items()][3:]
        if any(value is not None for value in values)
    }
    if {*given} not in ({"precision"}, {"CL", "C"}):
        rule, remedy = "be precision, or CL and C", "say what is approximated"
        raise InputError("columns", list(given), rule, remedy=remedy, place=origin)
    only = next(iter(by_list)) if len(by_list) == 1 else (None, None)
    rows: dict[Names, dict[float, int]] = {names: {} for names in sizes}
    for row, (topic, system, r) in enumerate(zip(*[*table.columns.values()][:3], strict=True)):
        names = by_list.get((system or only[0], topic or only[1]))
        if names is None:
            named, rule = f"{system}, {topic}", "be those of a list"
            remedy = (
                f"name them as the lists do, the first of which is {', '.join(next(iter(by_list)))}"
            )
            raise InputError("system, topic", named, rule, remedy=remedy, place=table.place(row))
        if r in rows[names] or r not in range(1, sizes[names] + 1):
            rule, remedy = f"be 1 to {sizes[names]}, each once", "give a row for each ideal"
            thing, value = f"r of {names[1]}, {names[2]}", int(r) if r == int(r) else r
            raise InputError(thing, value, rule, remedy=remedy, place=table.place(row))
        rows[names][r] = row
    for names, by_r in rows.items():
        for r in range(1, sizes[names] + 1):
            if r not in by_r:
                thing, remedy = f"r = {r} of {names[1]}, {names[2]}", "give a row for each r"
                raise InputError(thing, None, "be there", remedy=remedy, place=origin)
        yield names, _of_rows(table, given, [by_r[r] for r in sorted(by_r)])


def _of_rows(table: DataTable, given: Mapping[str, Any], rows: list[int]) -> Claimed:
    """Return what the rows of a list claim, in the columns that are there."""
    values = {}
    for heading, column in given.items():
        least = 0 if heading == "precision" else 1e-300
        for row in rows:
            if column[row] is None or not least <= column[row] < np.inf:
                rule = f"be a {'positive ' * (least > 0)}number"
                where, remedy = table.place(row), "give what the approximation says"
                raise InputError(heading, column[row], rule, remedy=remedy, place=where)
        values[heading] = np.array([float(column[row]) for row in rows])
    if "CL" not in values:
        return Claimed(values["precision"])
    return Claimed(values["CL"] / values["C"], values["CL"], values["C"])
