"""What the files of a side hold: links, lists, and what people did; and readers of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from prum.experiments.statistics.distances import GroupedSample
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Ints
from prum.simulator.model.elements import Elements
from prum.simulator.tables.files import FilePath, bare_name, no_lines, place, text_lines
from prum.simulator.tables.layout import FileColumn, Layout
from prum.simulator.tables.read import read

if TYPE_CHECKING:
    import pandas as pd

    from prum.simulator.collections.clicks import ClickLog

Runs = Mapping[str, Mapping[str, Sequence[str]]]
Qrels = Mapping[str, Mapping[str, int]]

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
# A session of a log is a search: all searches of a user are what others call a session.
_SEARCH, _VISIT = ["system", "user", "session"], ["system", "user"]


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


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """The number of elements of each path, and of different ones.

    `one_draw` says whether they depend on each other, as those of users who walk from the same
    pages of the same lists.
    """

    lengths: Ints
    distinct: Ints
    one_draw: bool = False

    def sample(self, values: Ints) -> GroupedSample:
        """Return what each path has as a sample."""
        return GroupedSample.whole(values) if self.one_draw else GroupedSample.of(values)


@dataclass(frozen=True, slots=True, eq=False)
class Behaviour:
    """Searches and clicks of people.

    Parameters
    ----------
    last_ranks
        The last rank consulted or clicked in each search; a person's belong together, and in a log
        those of a topic, on whose lists they hang.
    clicks
        Clicks of each session that has some; of a log, consultations in all searches of each user,
        which depend on each other where users search for the same topics.
    searches
        The mean number of searches of a person.
    list_length
        Of every list, where all are equally long.
    """

    last_ranks: GroupedSample
    clicks: GroupedSample
    searches: float
    list_length: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """The content of one side's files; None for what it has not."""

    links: LinkTable | None = None
    elements: Elements | None = None
    runs: Runs | None = None
    qrels: Qrels | None = None
    ideal_grade: int = 1
    people: Behaviour | None = None
    paths: Paths | None = None


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
                rule, where = "hold no empty id", table.place(at)
                raise InputError("link", pair, rule, remedy="name the page", place=where)
    else:
        sources, targets = [], []
        for line, row in _rows(path):
            if len(row) != 2 or not all(row):
                rule, remedy = (
                    "be source and target",
                    "separate two ids by a tab, and leave none empty",
                )
                where = place(path, line)
                raise InputError("line", "\t".join(row), rule, remedy=remedy, place=where)
            sources.append(row[0])
            targets.append(row[1])
    if not sources:
        raise no_lines(path)
    import pandas as pd

    numbers, names = pd.factorize(np.array(sources + targets, dtype=object))
    pairs = numbers.reshape(2, -1).astype(np.int64)
    pairs = np.unique(pairs[:, pairs[0] != pairs[1]], axis=1)
    return LinkTable(pairs[0], pairs[1], len(names))


def read_paths(path: FilePath) -> Paths:
    """Read what people walked: a path a line, its elements between tabs or blanks.

    Where a line has a tab, ids may hold blanks. Lines that begin with # are passed over. Each path
    counts as that of another person.

    Raise InputError for a file without a path, and as `blocks`; OSError if the file can't be
    read.
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


def behaviour_of_log(log: "pd.DataFrame") -> Behaviour:
    """Return what users of a log did."""
    consulted = log[log["action"] == "consult"]
    consulted = consulted.assign(rank=consulted["rank"] + consulted["elements"] - 1)
    last = consulted.groupby(_SEARCH, sort=False, observed=True)[["rank", "query"]].last()
    sizes = consulted.groupby(_VISIT, sort=False, observed=True)["elements"].sum()
    searches = log[_SEARCH].drop_duplicates()
    return Behaviour(
        GroupedSample.of(last["rank"].to_numpy(), last["query"].factorize()[0], unit="topic"),
        GroupedSample.whole(sizes.to_numpy()),
        searches=len(searches) / len(searches[_VISIT].drop_duplicates()),
    )


def behaviour_of_clicks(clicks: "ClickLog") -> Behaviour:
    """Return what people did whose clicks a search engine logged."""
    sessions, ranks = np.nonzero(clicks.last)
    times = clicks.last[sessions, ranks]
    return Behaviour(
        GroupedSample.of(np.repeat(ranks + 1, times), np.repeat(sessions, times)),
        GroupedSample.of(clicks.every.sum(axis=1)),
        searches=clicks.num_searches / clicks.num_sessions,
        list_length=clicks.last.shape[1],
    )


def paths_of_log(log: "pd.DataFrame") -> Paths:
    """Return the paths of a log: what users saw from each element that they consulted."""
    number = (log["action"] == "consult").cumsum()
    seen = log["action"] == "see"
    walks = log[seen].groupby(number[seen], sort=False)
    counts = walks.agg(length=("element", "size"), distinct=("element", "nunique"))
    lengths, distinct = counts.to_numpy(np.int64, copy=True).T
    return Paths(lengths, distinct, one_draw=True)
