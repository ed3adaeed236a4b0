"""Readers of what only this study takes: links without probabilities, and paths."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from prum.experiments.studies.realism.behaviour import Paths
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Ints
from prum.simulator.tables.files import FilePath, no_lines, place, text_lines
from prum.simulator.tables.layout import FileColumn, Layout
from prum.simulator.tables.read import read
from prum.simulator.tables.unpacked import bare_name

_LINKS = Layout(
    what="file of links",
    columns=(
        FileColumn(name="source"),
        FileColumn(name="target"),
        FileColumn(name="probability", number=True, most=1.0, nullable=True, optional=True),
    ),
    rule="be a number in [0, 1]",
    remedy="write it like 0.25, or leave the column out",
    bounds_in_csv=True,
)
_NAMED = (".csv", ".jsonl", ".ndjson", ".parquet")


@dataclass(frozen=True, slots=True, eq=False)
class LinkTable:
    """Links between pages by number, each once and none from a page to itself.

    Pages are those that some link names.
    """

    sources: Ints
    targets: Ints
    num_pages: int

    @property
    def out_degrees(self) -> Ints:
        """The number of links of each page."""
        return np.bincount(self.sources, minlength=self.num_pages)

    @property
    def in_degrees(self) -> Ints:
        """The number of links to each page."""
        return np.bincount(self.targets, minlength=self.num_pages)


def read_pairs(path: FilePath) -> LinkTable:
    """Read links, with probabilities or without.

    Files as `read_links` takes them, in which the column probability may be missing; and files of
    another name, or TSV without a line of names: `source target` between tabs, or between blanks
    where a line has no tab. Lines that begin with # are passed over there.

    Raises
    ------
    InputError
        for a line of another form, an empty id, no link, and as `read`.
    OSError
        if the file can't be read.
    """
    if _is_named(path):
        table = read(path, _LINKS)
        sources, targets, _ = table.columns
        for at, pair in enumerate(zip(sources, targets, strict=True)):
            if not all(pair):
                raise InputError(
                    "link", pair, "hold no empty id", remedy="name the page",
                    place=table.place(at),
                )  # fmt: skip
    else:
        sources, targets = [], []
        for line, row in _rows(path):
            if len(row) != 2 or not all(row):
                raise InputError(
                    "line", "\t".join(row), "be source and target", place=place(path, line),
                    remedy="separate two ids by a tab, and leave none empty",
                )  # fmt: skip
            sources.append(row[0])
            targets.append(row[1])
    if not sources:
        raise no_lines(path)
    return _numbered(sources, targets)


def read_paths(path: FilePath) -> Paths:
    """Read what people walked: a path a line, its elements between tabs or blanks.

    Where a line has a tab, ids may hold blanks. Lines that begin with # are passed over. Each path
    counts as that of another person.

    Raises
    ------
    InputError
        for a file without a path, and as `blocks`.
    OSError
        if the file can't be read.
    """
    lengths, distinct = list[int](), list[int]()
    for _, row in _rows(path):
        walked = [element for element in row if element]
        lengths.append(len(walked))
        distinct.append(len(set(walked)))
    if not lengths:
        raise no_lines(path)
    numbers = np.array([lengths, distinct], dtype=np.int64)
    return Paths(numbers[0], numbers[1])


def _is_named(path: FilePath) -> bool:
    """Return whether the columns of a file have names."""
    name = bare_name(Path(path).name).lower()
    if name.endswith(".tsv"):
        first = next((row for _, row in _rows(path)), [])
        return {"source", "target"} <= set(first)
    return name.endswith(_NAMED)


def _rows(path: FilePath) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of lines that are neither blank nor comments, with the line's number."""
    for line, text in enumerate(text_lines(path), start=1):
        written = text.rstrip("\r\n")
        if written.strip(" \t") and not written.startswith("#"):
            row = written.split("\t") if "\t" in written else written.split(" ")
            yield line, [cell for cell in row if cell or "\t" in written]


def _numbered(sources: list[str], targets: list[str]) -> LinkTable:
    import pandas as pd

    numbers, names = pd.factorize(np.array(sources + targets, dtype=object))
    pairs = numbers.reshape(2, -1).astype(np.int64)
    pairs = np.unique(pairs[:, pairs[0] != pairs[1]], axis=1)
    return LinkTable(pairs[0], pairs[1], len(names))
