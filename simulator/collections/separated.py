"""Text files whose columns are separated by blanks, read many lines at once."""

import re
from collections.abc import Iterator, Sequence

from prum.simulator.collections.files import FilePath, blocks, place
from prum.simulator.model.errors import InputError, shown

# A word that stands for the end of a line.
_END = b"\1"
_BETWEEN_BLANKS = re.compile(rb"[^ \t]+")


def rows(path: FilePath, names: tuple[str, ...]) -> Iterator[tuple[int, tuple[bytes, ...]]]:
    """Yield (line number, columns) of each line that is not blank."""
    for lines, columns in tables(path, names, names):
        yield from zip(lines, zip(*columns, strict=True), strict=True)


def tables(
    path: FilePath, names: tuple[str, ...], wanted: tuple[str, ...]
) -> Iterator[tuple[Sequence[int], Sequence[Sequence[bytes]]]]:
    """Yield (line numbers, wanted columns) of the lines that are not blank, many lines at once."""
    places = [names.index(name) for name in wanted]
    for first_line, whole_lines in blocks(path):
        block = whole_lines.replace(b"\r\n", b"\n").removesuffix(b"\n")
        # bytes.split is fast, but also splits at control characters, which may stand in an id.
        odd = any(mark in block for mark in (b"\r", b"\v", b"\f", _END))
        columns = None if odd else _split(block, len(names), places)
        if columns is not None:
            yield range(first_line, first_line + len(columns[0])), columns
            continue
        lines, rows = list[int](), list[list[bytes]]()
        split = _BETWEEN_BLANKS.findall if odd else bytes.split
        for line, text in enumerate(block.split(b"\n"), start=first_line):
            row = split(text)
            if len(row) == len(names):
                lines.append(line)
                rows.append(row)
            elif row:
                raise InputError(
                    f"number of columns of {shown(text.decode())}",
                    len(row),
                    f"be {len(names)} ({' '.join(names)})",
                    remedy="separate the columns by blanks or tabs, and write none within an id",
                    place=place(path, line),
                )
        if rows:
            yield lines, [[row[column] for row in rows] for column in places]


def _split(block: bytes, width: int, places: Sequence[int]) -> list[list[bytes]] | None:
    """Return some columns of a block, or None unless each of its lines has `width`."""
    words = block.replace(b"\n", b" " + _END + b" ").split()
    words.append(_END)
    step, num_lines = width + 1, block.count(b"\n") + 1
    if len(words) != step * num_lines or words[width::step].count(_END) != num_lines:
        return None
    return [words[column::step] for column in places]
