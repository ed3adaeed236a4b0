"""Text files whose columns are separated by blanks, read many lines at once."""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from prum.simulator.collections.files import FilePath, blocks, place
from prum.simulator.model.errors import InputError, shown

# Other blanks, as those within Unicode, may stand in an id.
_BETWEEN_BLANKS = re.compile(r"[^ \t]+")
_BLANK, _LINE_END = 32, 10


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
        for a line that has not as many columns as there are names, and as `blocks`.
    """
    places = [names.index(name) for name in wanted]
    for first_line, block in blocks(path):
        if _is_regular(block, len(names)):
            words = block.decode("ascii").split()
            num_lines = len(words) // len(names)
            columns = [words[column :: len(names)] for column in places]
            yield range(first_line, first_line + num_lines), columns
            continue
        lines, found = list[int](), list[list[str]]()
        text = block.decode().replace("\r\n", "\n").removesuffix("\n")
        for line, written in enumerate(text.split("\n"), start=first_line):
            row = _BETWEEN_BLANKS.findall(written)
            if len(row) == len(names):
                lines.append(line)
                found.append(row)
            elif row:
                raise InputError(
                    f"number of columns of {shown(written)}",
                    len(row),
                    f"be {len(names)} ({' '.join(names)})",
                    remedy="separate the columns by blanks or tabs, and write none within an id",
                    place=place(path, line),
                )
        if found:
            yield lines, [[row[column] for row in found] for column in places]


def _is_regular(block: bytes, num_columns: int) -> bool:
    """Return whether each line is as many ASCII words with single blanks between, and its end."""
    if not block.isascii():
        return False
    marks = np.frombuffer(block, dtype=np.uint8)
    ends = np.flatnonzero(marks <= _BLANK)
    if not len(ends) or len(ends) % num_columns or ends[-1] != len(marks) - 1:
        return False
    pattern = np.full(num_columns, _BLANK)
    pattern[-1] = _LINE_END
    apart = bool(ends[0] > 0 and (np.diff(ends) > 1).all())
    return apart and bool((marks[ends].reshape(-1, num_columns) == pattern).all())
