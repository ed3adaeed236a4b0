"""What a pipeline read: a file of the pages behind each seed of each topic, and what they cost."""

from typing import Any

import numpy as np

from prum.simulator.collections.costs import table_of
from prum.simulator.model import Costs, InputError, Links
from prum.simulator.tables.read import read
from prum.simulator.tables.schemas import SCHEMAS


def read_expanded(source: Any) -> tuple[dict[str, Links], dict[str, Costs]]:
    """Return the certain links of each topic, seed to page, and unit -> what pages cost.

    Of a table with the columns topic, seed, page and one for each unit of cost, as tokens; formats
    are those of `read_links`. A row whose page is its seed says what the seed costs.

    Raise InputError as `read_links`; for a row that is given twice, a page of two costs.

    >>> rows = {"topic": ["q", "q"], "seed": ["s", "s"], "page": ["s", "a"], "tokens": [9, 40]}
    >>> links, costs = read_expanded(rows)
    >>> links["q"], costs["tokens"].mean("a")
    (Links({('s', 'a'): 1.0, ('s', 's'): 1.0}), 40.0)
    """
    table = read(source, SCHEMAS["expanded"])
    topics, seeds, pages, *_ = table.columns.values()
    rows: dict[str, list[int]] = {}
    for row, topic in enumerate(topics):
        rows.setdefault(topic, []).append(row)
    links = {
        topic: Links.from_columns(
            [seeds[row] for row in of_topic],
            [pages[row] for row in of_topic],
            np.ones(len(of_topic)),
            origin=table.origin,
            lines=None if table.lines is None else [table.lines[row] for row in of_topic],
        )
        for topic, of_topic in rows.items()
    }
    costs = dict[str, Costs]()
    for unit, values in [*table.columns.items()][3:]:
        cost_of = dict[str, float]()
        for row, (page, value) in enumerate(zip(pages, values, strict=True)):
            if cost_of.setdefault(page, value) != value:
                rule, remedy = f"be {cost_of[page]:g}, as above", "give a page one cost"
                where = table.place(row)
                raise InputError(f"{unit} of {page!r}", value, rule, remedy=remedy, place=where)
        costs[unit] = table_of(unit, [*cost_of], [*cost_of.values()], origin=table.origin)
    return links, costs
