"""CSV and TSV, by Python's csv."""

import csv
import io
from collections.abc import Iterator

import numpy as np

from prum.simulator.model.errors import InputError, shown
from prum.simulator.tables.files import FilePath, blocks, no_lines, place
from prum.simulator.tables.layout import Choice, RawTable

ROWS_AT_ONCE, _ROWS_TURNED = 200_000, 1_000


def rows_of_csv(path: FilePath, mark: str, choice: Choice) -> Iterator[RawTable]:
    """Yield rows of CSV or TSV, some at a time."""
    line, start = "", 1
    names, chosen = list[str](), dict[str, int]()
    rows, columns, numbers = list[list[str]](), list[list[str]](), list[int]()

    def lines() -> Iterator[str]:
        nonlocal line
        for _, block in blocks(path):
            for line in io.StringIO(block.decode(), newline="\n"):  # noqa: UP028
                yield line

    def turn() -> None:
        # A few rows at a time are still in the processor's cache.
        for column, cells in zip(columns, zip(*rows, strict=True), strict=False):
            column.extend(cells)
        rows.clear()

    def table() -> RawTable:
        turn()
        read = {name: columns[column] for name, column in chosen.items()}
        return RawTable(read, np.array(numbers), "line", typed=False)

    reader = csv.reader(lines(), delimiter=mark, strict=True)
    try:
        for row in reader:
            number, start = reader.line_num, reader.line_num + 1
            if not line.strip(" \t\r\n"):
                continue
            if not names:
                names, where = row, place(path, number)
                chosen = {name: names.index(name) for name in choice(names, where)}
                columns = [[] for _ in names]
                continue
            if len(row) != len(names):
                rule = f"be {len(names)}, as in the first line"
                remedy = "see whether the file was cut short, and quote ids that hold the separator"
                thing = f"number of columns of {shown(line.rstrip())}"
                raise InputError(thing, len(row), rule, remedy=remedy, place=place(path, number))
            rows.append(row)
            numbers.append(number)
            if len(rows) == _ROWS_TURNED:
                turn()
            if len(numbers) == ROWS_AT_ONCE:
                yield table()
                columns, numbers = [[] for _ in names], []
    except csv.Error as error:
        rule = f"follow the rules of CSV ({shown(str(error))})"
        remedy = f"check the quotes and line ends of the row that begins in line {start}"
        written, where = line.rstrip("\r\n"), place(path, reader.line_num)
        raise InputError("row", written, rule, remedy=remedy, place=where) from None
    if numbers:
        yield table()
    if not names:
        raise no_lines(path)
