"""Approximations of the user's own beside PRUM: what they claim of each list, and its verdict.

An approximation claims precision at each r of a list, or E[CL(r)] and E[C(r)], or all three. A
claimed mean is tested as an exact one is, on the same users: it takes the place of the exact mean,
and the law of C(r) stays that of the exact value, which a right claim shares. A claimed precision R
is out of the question if no pair of means whose ratio it is agrees with both simulated ones: with
p_L(x) and p_C(x) the p-values of E[CL] = x and of E[C] = x,

    p = 2 max over c of min(p_L(R c), p_C(c)).

Of the right R, c = E[C] is among these, and P(min(p_L, p_C) < a / 2) is at most a, however C and CL
depend on each other. Without an exact law, means are held against a bound that takes nothing but
their measured variance and the ends of what is possible; nothing can be found to agree then.

The tests of one name are a family of their own: what is found of it does not depend on what else is
checked.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.precision.result import PrecisionRecall
from prum.experiments.crosscheck.verdicts import p_of_means
from prum.experiments.statistics.tests import level_of_each
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import InputError, Navigation, Task
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import real_array
from prum.simulator.tables.layout import FileColumn, Layout
from prum.simulator.tables.names import SYSTEM, TOPIC
from prum.simulator.tables.read import DataTable, is_table, read

if TYPE_CHECKING:
    from prum.experiments.crosscheck.result import CheckedList

# What is given of one list, or returned of it; and whatever may be given.
ListValues: TypeAlias = "ArrayLike | PrecisionRecall"
Given: TypeAlias = "Callable[[Task, Navigation], ListValues] | ListValues | os.PathLike[str] | str"
_Names: TypeAlias = tuple[str, str, str]

EXACT, PRUM = "exact", "PRUM"
# Halvings of an interval of means: to the last bit.
_HALVINGS = 60
LAYOUT = Layout(
    what="table of an approximation",
    columns=(
        FileColumn.of(TOPIC, optional=True, nullable=True),
        FileColumn.of(SYSTEM, optional=True, nullable=True),
        FileColumn(name="r", number=True, whole=True, rule="be a whole number of at least 1"),
        FileColumn(name="precision", number=True),
        FileColumn(name="CL", aliases=("cl",), number=True, optional=True, nullable=True),
        FileColumn(name="C", aliases=("c",), number=True, optional=True, nullable=True),
    ),
    rule="be a number of at least 0",
    remedy="give what the approximation says",
    bounds_in_csv=True,
    others=True,
)


@dataclass(frozen=True, slots=True, eq=False)
class Claimed:
    """What is claimed of one list, shape (t,): precision; E[CL] and E[C], None without them.

    `own_precision` says whether precision is a claim of its own, and not their ratio.
    """

    precision: Floats
    leading: Floats | None = None
    consulted: Floats | None = None
    own_precision: bool = True

    @classmethod
    def of(cls, values: ListValues, num_ideals: int, thing: str) -> "Claimed":
        """Return what was given of a list with so many ideals.

        Raise InputError for another number of values, and for one that is negative or no finite
        number.
        """
        if not isinstance(values, PrecisionRecall):
            remedy = "give a value for each recall value 1 .. t of the list"
            given = real_array(thing, values, remedy=remedy, shape=(num_ideals,))
            _check(given, f"{thing} at r = {{}}")
            return cls(given)
        if values.num_ideals != num_ideals:
            rule, remedy = f"be {num_ideals}, the ideals of the list", "give a value for each r"
            raise InputError(f"number of values of {thing}", values.num_ideals, rule, remedy=remedy)
        _check(values.leading, f"E[CL] of {thing} at r = {{}}")
        _check(values.consulted, f"E[C] of {thing} at r = {{}}", positive=True)
        return cls.of_prum(values)

    @classmethod
    def of_prum(cls, prum: PrecisionRecall) -> "Claimed":
        """Return what PRUM claims."""
        return cls(prum.precision, prum.leading, prum.consulted, own_precision=False)

    @property
    def num_tests(self) -> int:
        """How many tests it takes."""
        kinds = 2 * (self.leading is not None) + self.own_precision
        return kinds * len(self.precision)

    def p(self, case: "CheckedList") -> Floats:
        """Return the smallest p-value at each r, shape (t,)."""
        found = []
        if self.leading is not None and self.consulted is not None:
            found += list(self._p_of(case, np.stack([self.leading, self.consulted])))
        if self.own_precision:
            found.append(self._p_of_precision(case))
        smallest: Floats = np.min(found, axis=0)
        return smallest

    @staticmethod
    def _p_of(case: "CheckedList", means: Floats) -> Floats:
        return p_of_means(case.quantities, case.exact, case.more or case.simulated, means)

    def _p_of_precision(self, case: "CheckedList") -> Floats:
        """Return p as above: on the way from simulated C to CL / R one p-value falls, one rises."""
        compared, largest = case.quantities, case.more or case.simulated
        leading, consulted = compared.simulated
        far = np.array(consulted)
        np.divide(leading, self.precision, out=far, where=self.precision > 0)

        def both(of_consulted: Floats) -> Floats:
            means = np.stack([self.precision * of_consulted, of_consulted])
            return p_of_means(compared, case.exact, largest, means)

        low, high = np.zeros(far.shape), np.ones(far.shape)
        best = np.maximum(both(consulted).min(axis=0), both(far).min(axis=0))
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            of_leading, of_consulted = both(consulted + middle * (far - consulted))
            best = np.maximum(best, np.minimum(of_leading, of_consulted))
            rises = of_leading < of_consulted
            low, high = np.where(rises, middle, low), np.where(rises, high, middle)
        p: Floats = np.minimum(2 * best, 1)
        return p


@dataclass(frozen=True, slots=True, eq=False)
class ClaimVerdict:
    """What was found of one list's claim: the smallest p-value and the verdict, at each r."""

    p: Floats
    verdicts: list[str]


def judged_claims(cases: "list[CheckedList]", level: float) -> dict[str, list[ClaimVerdict]]:
    """Return of each name, PRUM first, what was found of each list: a family for each name."""
    return {
        name: _judged([case.claims[name] for case in cases], cases, level)
        for name in cases[0].claims
    }


def _judged(claims: list[Claimed], cases: "list[CheckedList]", level: float) -> list[ClaimVerdict]:
    threshold = level_of_each(level, sum(claim.num_tests for claim in claims))
    found = []
    for claim, case in zip(claims, cases, strict=True):
        p, tested = claim.p(case), case.quantities.tested.all(axis=0)
        verdicts = np.select([p < threshold, tested], ["disagrees", "agrees"], "unresolved")
        found.append(ClaimVerdict(np.minimum(p, 1), verdicts.tolist()))
    return found


def of_all(verdicts: Iterable[str]) -> str:
    """Return the verdict of a name: it agrees if each of its comparisons does.

    >>> of_all(["agrees", "unresolved"]), of_all(["unresolved", "disagrees"]), of_all(["agrees"])
    ('unresolved', 'disagrees', 'agrees')
    """
    found = set(verdicts)
    if "disagrees" in found:
        return "disagrees"
    return "agrees" if found == {"agrees"} else "unresolved"


def _check(values: Floats, thing: str, *, positive: bool = False) -> None:
    valid = np.isfinite(values) & (values > 0 if positive else values >= 0)
    if not valid.all():
        first = int(np.flatnonzero(~valid)[0])
        rule = "be a positive number" if positive else "be a number of at least 0"
        remedy = "correct the approximation"
        raise InputError(thing.format(first + 1), values[first], rule, remedy=remedy)


def check_names(names: Mapping[str, Any]) -> None:
    """Raise InputError unless names can name columns and be told apart from ours."""
    for name in names:
        rule = None
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
            rule = "be letters, digits and '_', a letter first"
        elif iskeyword(name) or name.lower() in _TAKEN or name.startswith(_PREFIXES):
            rule = "differ from those of prum's own columns"
        if rule is not None:
            remedy = "give another name, as NAME=FILE"
            raise InputError("name of an approximation", name, rule, remedy=remedy)


_PREFIXES = ("prum_", "exact_", "simulated_", "reference_", "leading_", "consulted_", "detectable_")
# Names whose columns, or those that belong to them, are there without them.
_TAKEN = frozenset(
    {"campaign", "system", "topic", "num_topics", "reference", "reference_name", "r", "recall"}
    | {"prum", "exact", "simulated", "classical", "error", "low", "high", "mean_ratio", "unit"}
    | {"leading", "consulted", "rare", "users", "topics", "p", "z", "verdict", "detectable"}
    | {"users_needed", "z_leading", "z_consulted", "z_precision"}
)


def claims_of(
    given: Mapping[str, Given], campaigns: list[Campaign]
) -> dict[_Names, dict[str, Claimed]]:
    """Return what each approximation claims of each list, by (campaign, system, topic) and name.

    Raise InputError for a name that is taken, a table or a function that does not give the values
    of each list, and values of a single list where there are more; OSError if a file cannot be
    read.
    """
    check_names(given)
    lists = {
        (campaign.name, system, topic): (task, campaign.navigation_on(topic))
        for campaign in campaigns
        for system, topic, task in campaign.tasks()
    }
    claims: dict[_Names, dict[str, Claimed]] = {names: {} for names in lists}
    for name, source in given.items():
        for names, claim in _claimed(name, source, lists):
            claims[names][name] = claim
    return claims


def _claimed(
    name: str, source: Any, lists: Mapping[_Names, tuple[Task, Navigation]]
) -> Iterator[tuple[_Names, Claimed]]:
    if callable(source):
        for names, (task, navigation) in lists.items():
            thing = f"precision of {names[1]}, {names[2]} by {name}"
            yield names, Claimed.of(source(task, navigation), task.num_ideals, thing)
    elif isinstance(source, str | os.PathLike | Mapping) or is_table(source):
        sizes = {names: task.num_ideals for names, (task, _) in lists.items()}
        yield from _of_table(read(source, LAYOUT, name=name), sizes)
    else:
        if len(lists) > 1:
            rule, remedy = "be 1 for values without names", "give a table, or a function"
            raise InputError("number of lists", len(lists), rule, remedy=remedy, place=name)
        for names, (task, _) in lists.items():
            yield names, Claimed.of(source, task.num_ideals, f"precision by {name}")


def _of_table(table: DataTable, sizes: Mapping[_Names, int]) -> Iterator[tuple[_Names, Claimed]]:
    """Yield what the rows of a table claim, one for each r of each list."""
    by_list: dict[tuple[Any, Any], _Names] = {names[1:]: names for names in sizes}
    origin = table.origin or table.what
    if len(by_list) < len(sizes):
        rule, remedy = "be 1 for a table", "check one campaign at a time, or give a function"
        num_campaigns = len({campaign for campaign, *_ in sizes})
        raise InputError("number of campaigns", num_campaigns, rule, remedy=remedy, place=origin)
    only = next(iter(by_list)) if len(by_list) == 1 else (None, None)
    rows: dict[_Names, dict[int, int]] = {names: {} for names in sizes}
    topics, systems, recall, precision, leading, consulted = table.columns
    for row, (topic, system, r) in enumerate(zip(topics, systems, recall, strict=True)):
        where = table.place(row)
        names = by_list.get((system or only[0], topic or only[1]))
        if names is None:
            told, rule = f"{system}, {topic}", "be those of a list"
            remedy = "name them as the lists do, the first of which is " + ", ".join(
                next(iter(by_list))
            )
            raise InputError("system, topic", told, rule, remedy=remedy, place=where)
        of = f" of {names[1]}, {names[2]}"
        if not 1 <= r <= sizes[names] or r != int(r):
            rule, remedy = f"be from 1 to {sizes[names]}", "give a row for each ideal of the topic"
            raise InputError(f"r{of}", r, rule, remedy=remedy, place=where)
        if int(r) in rows[names]:
            rule, remedy = "be given once", "leave one of the rows out"
            raise InputError(f"r{of}", int(r), rule, remedy=remedy, place=where)
        rows[names][int(r)] = row
    is_given = [any(value is not None for value in column) for column in (leading, consulted)]
    if is_given[0] != is_given[1]:
        rule, remedy = "be there both or neither", "give both columns, or leave one out"
        raise InputError("columns CL and C", None, rule, remedy=remedy, place=origin)
    for names, own in rows.items():
        missing = [r for r in range(1, sizes[names] + 1) if r not in own]
        if missing:
            thing, rule = f"r = {missing[0]} of {names[1]}, {names[2]}", "be there"
            raise InputError(thing, None, rule, remedy="give a row for each r", place=origin)
        at = [own[r] for r in sorted(own)]
        claim = Claimed(_column(table, precision, at, "precision"))
        if is_given[0]:
            means = (_column(table, leading, at, "CL"), _column(table, consulted, at, "C"))
            claim = Claimed(claim.precision, *means)
        yield names, claim


def _column(table: DataTable, column: Any, rows: list[int], heading: str) -> Floats:
    """Return the numbers of some rows of a column."""
    least = 0 if heading == "precision" else 1e-300
    for row in rows:
        if column[row] is None or not least <= column[row] < np.inf:
            rule = f"be a {'positive ' * (least > 0)}number"
            where, remedy = table.place(row), "give what the approximation says"
            raise InputError(heading, column[row], rule, remedy=remedy, place=where)
    return np.array([float(column[row]) for row in rows])
