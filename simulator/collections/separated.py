"""Text files whose columns are separated by blanks, read many lines at once."""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from prum.simulator.collections.files import FilePath, blocks, place
from prum.simulator.model.errors import InputError, shown

# Other blanks of Unicode may be part of an id.
_BETWEEN_BLANKS = re.compile(r"[^ \t]+")
_OTHER_BLANK = re.compile(r"[^\S \t\r\n]")
_TAB, _LINE_END, _RETURN, _BLANK = b"\t\n\r "


def rows(path: FilePath, names: tuple[str, ...]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield (line number, columns) of each line that is not blank.

    Raises
    ------
    InputError
        as `tables`.
    """
    for lines, columns in tables(path, names, names):
        yield from zip(lines, zip(*columns, strict=True), strict=True)


def tables(
    path: FilePath, names: tuple[str, ...], wanted: tuple[str, ...]
) -> Iterator[tuple[Sequence[int], Sequence[Sequence[str]]]]:
    """Yield (line numbers, wanted columns) of the lines that are not blank, many lines at once.

    Raises
    ------
    InputError
        for a line without as many columns as there are names, and as `blocks`.
    """
    places = [names.index(name) for name in wanted]
    for first_line, block in blocks(path):
        text = block.decode()
        if _is_regular(block, text, len(names)):
            words = text.split()
            num_lines = len(words) // len(names)
            columns = [words[column :: len(names)] for column in places]
            yield range(first_line, first_line + num_lines), columns
            continue
        lines, table = list[int](), list[list[str]]()
        text = text.replace("\r\n", "\n").removesuffix("\n")
        for line, written in enumerate(text.split("\n"), start=first_line):
            row = _BETWEEN_BLANKS.findall(written)
            if len(row) == len(names):
                lines.append(line)
                table.append(row)
            elif row:
                thing = f"number of columns of {shown(written)}"
                rule = f"be {len(names)} ({' '.join(names)})"
                remedy = "separate the columns by blanks or tabs, and write none within an id"
                raise InputError(thing, len(row), rule, remedy=remedy, place=place(path, line))
        if table:
            yield lines, [[row[column] for row in table] for column in places]


def _is_regular(block: bytes, text: str, num_columns: int) -> bool:
    """Return whether each line ends, and has so many words with blanks or tabs between.

    Then splitting the text at blanks finds the words.
    """
    marks = np.frombuffer(block, dtype=np.uint8)
    ends = np.flatnonzero(marks == _LINE_END)
    if not len(ends) or ends[-1] != len(marks) - 1:
        return False
    num_tabs, num_returns = np.count_nonzero(marks == _TAB), np.count_nonzero(marks == _RETURN)
    if np.count_nonzero(marks < _BLANK) != num_tabs + num_returns + len(ends):
        return False
    if num_returns and block.count(b"\r\n") != num_returns:
        return False
    if not block.isascii() and _OTHER_BLANK.search(text):
        return False
    between = marks <= _BLANK
    begins = np.flatnonzero(np.diff(between, prepend=True) & ~between)
    if len(begins) != num_columns * len(ends):
        return False
    first, last = begins[::num_columns], begins[num_columns - 1 :: num_columns]
    return bool((last < ends).all() and (first[1:] > ends[:-1]).all())
