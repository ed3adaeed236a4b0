"""Lines of words between blanks: the forms that they have, as of TREC and MS MARCO, and columns."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from prum.simulator.model.arrays import Ints
from prum.simulator.model.errors import InputError, shown
from prum.simulator.tables.files import Opened, blocks, no_lines, place
from prum.simulator.tables.layout import Choice, DataTable, seen_in
from prum.simulator.tables.names import column_of

_TAB, _LINE_END, _BLANK = b"\t\n "
_WORD = re.compile(rb"[^ \t\r\n]+")
_DIGIT = re.compile(rb"[0-9]")
_COMMENTS = re.compile(rb"^#[^\n]*", re.MULTILINE)


@dataclass(frozen=True)
class LineForm:
    """Lines of words, with blanks or tabs between; other blanks of Unicode may be part of an id.

    `forms` name the words in each form that lines have, the longest first; by its `aliases` a first
    line may call a column. Lines that `rest` matches may have more words than the longest form,
    that are part of the last; what is `lacking` of a form has these words.
    """

    what: str
    forms: Sequence[tuple[str, ...]]
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    rest: re.Pattern[bytes] | None = None
    lacking: Mapping[str, str] = field(default_factory=dict)

    def header(self, line: bytes) -> tuple[str, ...]:
        """Return the names of the columns that a first line gives, nothing if it gives none."""
        words = [word.decode("utf-8", "replace") for word in _WORD.findall(line)]
        roles = {column_of(words, names): role for role, names in self.aliases.items()}
        named = tuple(roles.get(word, word) for word in words)
        has_ids = {"topic", "element"} <= set(named)
        return named if has_ids and len(self.aliases.keys() & named) >= min(len(words), 3) else ()

    def columns(self, line: bytes) -> tuple[str, ...]:
        """Return the names of the words of a line, nothing if it has no form that is known."""
        if named := self.header(line):
            return named
        words = _WORD.findall(line)
        form = next((form for form in self.forms if len(form) == len(words)), ())
        # What has so few words is easily something else: ranks are whole, ids hold digits.
        plain = form[2:] == ("rank",) and not words[2].isdigit()
        if plain or (len(form) == 2 and not all(map(_DIGIT.search, words))):
            return ()
        is_longer = len(words) > len(self.forms[0]) and self.goes_on(line)
        return self.forms[0] if is_longer else form

    def goes_on(self, line: bytes) -> bool:
        """Return whether the last word of a line may hold blanks."""
        return self.rest is not None and self.rest.fullmatch(line.strip()) is not None


class WordTable:
    """Lines with the same number of words, which become texts when they are asked for.

    Words begin and end at `edges` of a block of UTF-8, shape (lines, words, 2).
    """

    def __init__(
        self, block: bytes, edges: Ints, lines: Sequence[int], names: tuple[str, ...]
    ) -> None:
        self._marks = np.frombuffer(block, dtype=np.uint8)
        self._edges, self.lines, self.names = edges, lines, names

    def words(self, column: str, rows: Ints | slice = slice(None)) -> list[str]:
        """Return the words of a column, or of some of its rows."""
        return self.text(column, rows).split("\n")[:-1]

    def text(self, column: str, rows: Ints | slice = slice(None)) -> str:
        """Return the words of a column, or of some of its rows, each with a line's end."""
        begins, ends = self._edges[rows, self.names.index(column)].T
        # All words one after the other, the mark behind each being made a line's end.
        sizes = ends - begins + 1
        stops = np.cumsum(sizes)
        places = np.arange(stops[-1]) + np.repeat(begins - (stops - sizes), sizes)
        marks = self._marks.take(places)
        marks[stops - 1] = _LINE_END
        text: str = marks.tobytes().decode()
        return text

    def repeated(self, column: str) -> list[str]:
        """Return the words of a column, those that follow each other as one text."""
        starts = self.changes(column)
        texts = np.array(self.words(column, starts), dtype=object)
        words: list[str] = np.repeat(texts, np.diff(starts, append=len(self.lines))).tolist()
        return words

    def changes(self, column: str) -> Ints:
        """Return the rows, the first included, whose word is not that of the row before."""
        begins, ends = self._edges[:, self.names.index(column)].T
        sizes = ends - begins
        differ = np.ones(len(sizes), dtype=np.bool_)
        differ[1:] = sizes[1:] != sizes[:-1]
        for number in range(int(sizes.max())):
            letters = self._marks.take(begins + number, mode="clip")
            differ[1:] |= (letters[1:] != letters[:-1]) & (sizes[1:] > number)
        return np.flatnonzero(differ)


def tables(file: Opened, form: LineForm) -> Iterator[WordTable]:
    """Yield the lines that are not blank, and do not begin with #, many at once.

    Their columns are those of the first line. Raise InputError for a line with another number, and
    as `blocks`.
    """
    names, header = form.columns(file.line) or form.forms[0], bool(form.header(file.line))
    for first_line, read in blocks(file):
        read = _COMMENTS.sub(b"", read) if b"#" in read else read
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
        if wrong.any() and form.rest is not None:
            texts = block.split(b"\n")
            longer = np.flatnonzero(num_words > len(names)).tolist()
            wrong[[row for row in longer if form.goes_on(texts[row])]] = False
            behind = np.cumsum(num_words) - num_words
            order = np.arange(len(edges) // 2) - np.repeat(behind, num_words)
            edges = edges.reshape(-1, 2)[order < len(names)].ravel()
        if wrong.any():
            number = int(np.argmax(wrong))
            written = block.split(b"\n", number + 1)[number]
            thing = f"number of columns of {shown(written.decode())}"
            rule = f"be {len(names)} ({' '.join(names)})"
            remedy = "separate the columns by blanks or tabs, and write none within an id"
            if (looks := seen_in(written.strip())) and looks != form.what:
                remedy = f"this looks like {looks}, not {form.what}"
            line = place(file, first_line + number)
            raise InputError(thing, int(num_words[number]), rule, remedy=remedy, place=line)
        words = edges.reshape(-1, len(names), 2)
        lines = (np.flatnonzero(num_words) + first_line).tolist()
        if header and lines:
            words, lines, header = words[1:], lines[1:], False
        if lines:
            yield WordTable(block, words, lines, names)


def rows_of_lines(file: Opened, form: LineForm, choice: Choice) -> Iterator[DataTable]:
    """Yield lines as rows of a table."""
    names = tuple[str, ...]()
    for table in tables(file, form):
        if not names:
            names = table.names
            choice(list(dict.fromkeys([*names, *form.lacking])), place(file, table.lines[0]))
        columns = {name: [text] * len(table.lines) for name, text in form.lacking.items()}
        columns |= {name: table.repeated(name) for name in names if name != "element"}
        columns["element"] = table.words("element")
        yield DataTable(columns, table.lines, "line", typed=False, origin=place(file))
    if not names:
        raise no_lines(file)
