"""Text files whose columns are separated by blanks, read many lines at once."""

from collections.abc import Iterator, Sequence

import numpy as np

from prum.simulator.model.arrays import Ints
from prum.simulator.model.errors import InputError, shown
from prum.simulator.tables.files import FilePath, blocks, place

_TAB, _LINE_END, _BLANK = b"\t\n "


class WordTable:
    """Lines with the same number of words, which become texts when they are asked for.

    Parameters
    ----------
    block
        UTF-8 text that holds the lines.
    edges
        Where each word begins and ends, shape (lines, words, 2).
    lines
        The number of each line.
    """

    def __init__(self, block: bytes, edges: Ints, lines: Sequence[int]) -> None:
        self._marks = np.frombuffer(block, dtype=np.uint8)
        self._edges, self.lines = edges, lines

    def words(self, column: int, rows: Ints | slice = slice(None)) -> list[str]:
        """Return the words of a column, or of some of its rows."""
        begins, ends = self._edges[rows, column].T
        # All words one after the other, the mark behind each being made a line's end.
        sizes = ends - begins + 1
        stops = np.cumsum(sizes)
        places = np.arange(stops[-1]) + np.repeat(begins - (stops - sizes), sizes)
        marks = self._marks.take(places)
        marks[stops - 1] = _LINE_END
        text: str = marks.tobytes().decode()
        return text.split("\n")[:-1]

    def changes(self, column: int) -> Ints:
        """Return the rows, the first included, whose word is not that of the row before."""
        begins, ends = self._edges[:, column].T
        sizes = ends - begins
        differ = np.ones(len(sizes), dtype=np.bool_)
        differ[1:] = sizes[1:] != sizes[:-1]
        for number in range(int(sizes.max())):
            letters = self._marks.take(begins + number, mode="clip")
            differ[1:] |= (letters[1:] != letters[:-1]) & (sizes[1:] > number)
        return np.flatnonzero(differ)


def tables(path: FilePath, names: tuple[str, ...]) -> Iterator[WordTable]:
    """Yield the lines that are not blank, many at once.

    Words have blanks or tabs between; other blanks of Unicode may be part of an id.

    Raise InputError for a line without as many columns as there are names, and as `blocks`.
    """
    for first_line, read in blocks(path):
        block = read.replace(b"\r\n", b"\n") if b"\r" in read else read
        block = block if block.endswith(b"\n") else block.removesuffix(b"\r") + b"\n"
        marks = np.frombuffer(block, dtype=np.uint8)
        is_end = marks == _LINE_END
        between = is_end | (marks == _TAB)
        between |= marks == _BLANK
        edges = np.flatnonzero(between[1:] != between[:-1]) + 1
        if not between[0]:
            edges = np.concatenate(([0], edges))
        ends = np.flatnonzero(is_end)
        # A line ends where its last word does, or further on.
        num_words = np.diff(np.searchsorted(edges, ends, side="right"), prepend=0) // 2
        wrong = (num_words != len(names)) & (num_words != 0)
        if wrong.any():
            number = int(np.argmax(wrong))
            written = block.split(b"\n", number + 1)[number].decode()
            thing = f"number of columns of {shown(written)}"
            rule = f"be {len(names)} ({' '.join(names)})"
            remedy = "separate the columns by blanks or tabs, and write none within an id"
            if written.split()[1:2] == [{6: "0", 4: "Q0"}.get(len(names))]:
                remedy = f"this looks like {'qrels, not a run' if len(names) == 6 else 'a run'}"
            line = place(path, first_line + number)
            raise InputError(thing, int(num_words[number]), rule, remedy=remedy, place=line)
        if len(edges):
            lines = (np.flatnonzero(num_words) + first_line).tolist()
            yield WordTable(block, edges.reshape(-1, len(names), 2), lines)
