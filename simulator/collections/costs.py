"""Cost files: what each element costs, in one unit or several, as CSV, TSV, JSONL or Parquet."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from prum.simulator.model.costs import COST_RULE, SECONDS, Costs, is_cost
from prum.simulator.model.elements import Elements
from prum.simulator.model.errors import InputError, check_id, real_array
from prum.simulator.model.tables import check_rows, places, rows_of_ids
from prum.simulator.tables.files import FilePath, place
from prum.simulator.tables.read import read
from prum.simulator.tables.schemas import SCHEMAS


def read_costs(source: Any) -> dict[str, Costs]:
    """Return what elements cost: unit -> costs, of a table with a column element and others.

    Each other column holds numbers and is a unit: tokens, say, or seconds. The formats are those of
    `read_links`. An element that the file doesn't name costs nothing, which no list admits.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "costs.csv"
    >>> _ = path.write_text("element,tokens,seconds\\na,120,30\\nb,80,20.5\\n")
    >>> read_costs(path)["seconds"].mean("b")
    20.5
    """
    table = read(source, SCHEMAS["costs"])
    _, *units = table.columns
    elements, *columns = table.columns.values()
    if not units:
        rule, remedy = "hold a unit of cost beside element", "add a column tokens, say"
        raise InputError("columns of costs", "element", rule, remedy=remedy, place=table.origin)
    return {
        unit: table_of(unit, elements, values, origin=table.origin, lines=table.lines)
        for unit, values in zip(units, columns, strict=True)
    }


def table_of(
    unit: str,
    elements: Sequence[str],
    values: ArrayLike,
    *,
    origin: str = "",
    lines: ArrayLike | None = None,
) -> Costs:
    """Return costs in a unit from columns; `origin` and `lines` only serve messages.

    Raise InputError for an id or a unit that is no text, a cost that is not positive, or beyond
    1e-60 to 1e60, an element with two rows.
    """
    check_id("unit of cost", unit, place=origin)
    where, remedy = places("costs", origin, lines), "give what it costs, like 12.5"
    rows_of_ids("element", elements, where)
    each = real_array(unit, values, remedy=remedy, shape=("n",))
    thing = f"{unit} of element {{!r}}".format
    check_rows(
        lambda row: thing(elements[row]), each, is_cost(each), COST_RULE, where, remedy=remedy
    )
    return Costs.of(dict(zip(elements, each.tolist(), strict=True)), unit=unit)


# The times of Smucker and Clarke by name, and the units that lengths in words have.
SMUCKER_CLARKE = "smucker-clarke"
LENGTH = "length"
_IN_WORDS = ("words", LENGTH)


def units_of(
    given: Iterable[FilePath | Mapping[str, Costs]], elements: Elements | None = None
) -> dict[str, Costs]:
    """Return what elements cost in each unit that is given: unit -> costs.

    Given are files of costs, units of costs, and `SMUCKER_CLARKE`: the unit seconds, by lengths in
    the unit words, else length, that of elements.

    Raise InputError as `read_costs`; for a unit that is given twice, seconds by lengths that are
    not given. Raise OSError if a file cannot be opened or read.

    >>> lengths = {"words": Costs.of({"a": 500}, unit="words")}
    >>> round(units_of([lengths, "smucker-clarke"])["seconds"].mean("a"), 3)
    21.2
    """
    units = dict[str, Costs]()
    if elements is not None:
        lengths = zip(elements.ids, elements.lengths.tolist(), strict=True)
        units[LENGTH] = Costs.of(dict(lengths), unit=LENGTH)
    # Times are made of lengths, wherever these are given.
    for source in sorted(given, key=lambda source: source == SMUCKER_CLARKE):
        origin = "costs" if isinstance(source, Mapping) else place(source)
        if source == SMUCKER_CLARKE:
            more: Mapping[str, Costs] = {SECONDS: _times(units)}
        else:
            more = source if isinstance(source, Mapping) else read_costs(source)
        for unit, costs in more.items():
            if unit in units:
                remedy = "leave it out, or call it by another name"
                raise InputError("unit of cost", unit, "be given once", remedy=remedy, place=origin)
            units[unit] = costs
    return units


def _times(units: Mapping[str, Costs]) -> Costs:
    """Return seconds by lengths in words."""
    words = in_words(units)
    if words is None:
        rule = "have lengths of elements in words"
        remedy = "give elements, or a file of costs with a column words"
        raise InputError("costs", SMUCKER_CLARKE, rule, remedy=remedy)
    model = Costs.smucker_clarke(words.lengths)
    # Of an element without a length no time is known.
    return Costs.of({element: model.mean(element) for element in words.lengths}, unit=SECONDS)


def in_words(units: Mapping[str, Costs]) -> Costs | None:
    """Return the lengths of elements in words: the unit words, else length, if there is one."""
    return next((units[unit] for unit in _IN_WORDS if unit in units), None)
