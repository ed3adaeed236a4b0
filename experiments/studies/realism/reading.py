"""The files of a side, of `prum generate` or named by a TOML file: links, lists, sessions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import numpy as np
from pydantic import Field, PrivateAttr, model_validator
from pydantic_core import PydanticCustomError

from prum.experiments.generate.dataset import runs_of, table_of
from prum.experiments.generate.files import Outline
from prum.experiments.logs import read_log
from prum.experiments.statistics.distances import GroupedSample
from prum.simulator import InputError, read_elements, read_run, read_xml
from prum.simulator.collections.clicks import read_click_log
from prum.simulator.collections.qrels import read_whole_qrels
from prum.simulator.generation.specifications import (
    SpecificationError,
    SpecificationTable,
    Text,
    toml_content,
    validated,
)
from prum.simulator.model.arrays import Ints
from prum.simulator.tables.files import FilePath, bare_name, no_lines, place, text_lines
from prum.simulator.tables.layout import FileColumn, Layout
from prum.simulator.tables.read import read

if TYPE_CHECKING:
    import pandas as pd

    from prum.simulator.collections.clicks import ClickLog

# What the files of a side hold, by kind; nothing of a kind that is not there.
Content = dict[str, Any]
# Samples by statistic.
Samples = Mapping[str, GroupedSample]
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


def read_pairs(path: FilePath) -> LinkTable:
    """Read links, with probabilities or without.

    Files as `read_links` takes them, in which the column probability may be missing; and files of
    another name, or TSV without a line of names: `source target` between tabs, or between blanks
    where a line has no tab. Lines that begin with # are passed over there.
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


def read_paths(path: FilePath) -> Samples:
    """Read what people walked: a path a line, its elements between tabs or blanks.

    Where a line has a tab, ids may hold blanks. Lines that begin with # are passed over. Each path
    counts as that of another person.

    Raise InputError for a file without a path, and as `blocks`; OSError if the file can't be
    read.
    """
    walks = [[element for element in row if element] for _, row in _rows(path)]
    if not walks:
        raise no_lines(path)
    again = [len(walk) - len(set(walk)) for walk in walks]
    return {
        "path_length": GroupedSample.of([len(walk) for walk in walks]),
        "revisits": GroupedSample.of(again),
    }


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


def people_of_log(log: "pd.DataFrame") -> Samples:
    """Return what users of a log did.

    The last ranks of a topic's searches belong together, which hang on its lists; and so do all
    users' consultations, who search for the same topics.
    """
    consulted = log[log["action"] == "consult"]
    consulted = consulted.assign(rank=consulted["rank"] + consulted["elements"] - 1)
    last = consulted.groupby(_SEARCH, sort=False, observed=True)[["rank", "query"]].last()
    sizes = consulted.groupby(_VISIT, sort=False, observed=True)["elements"].sum()
    ranks, topics = last["rank"].to_numpy(), last["query"].factorize()[0]
    return {
        "last_rank": GroupedSample.of(ranks, topics, unit="topic"),
        "clicks": GroupedSample.whole(sizes.to_numpy()),
    }


def people_of_clicks(clicks: "ClickLog") -> Samples:
    """Return what people did whose clicks a search engine logged; a person's belong together."""
    sessions, ranks = np.nonzero(clicks.last)
    times = clicks.last[sessions, ranks]
    return {
        "last_rank": GroupedSample.of(np.repeat(ranks + 1, times), np.repeat(sessions, times)),
        "clicks": GroupedSample.of(clicks.every.sum(axis=1)),
    }


def paths_of_log(log: "pd.DataFrame") -> Samples:
    """Return the paths of a log: what users saw from each element that they consulted.

    They depend on each other, as users walk from the same pages of the same lists.
    """
    number = (log["action"] == "consult").cumsum()
    seen = log["action"] == "see"
    walks = log[seen].groupby(number[seen], sort=False)
    counts = walks.agg(length=("element", "size"), distinct=("element", "nunique"))
    lengths, distinct = counts.to_numpy(np.int64, copy=True).T
    return {
        "path_length": GroupedSample.whole(lengths),
        "revisits": GroupedSample.whole(lengths - distinct),
    }


REMEDY = "prum study realism --help says what may be there"
# What a specification of a dataset holds.
_COLLECTION = "collection"
_XML_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
_SINGLE = ("links", "qrels", "log", "clicks", "paths")
_KINDS = (*_SINGLE, "elements", "runs")
# What is used of a log; `prum simulate` writes more.
_LOG = ("system", "user", "session", "query", "action", "rank", "element", "elements")

_Texts = Annotated[tuple[Text, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """The files of a side, by kind, and the lowest grade of an ideal."""

    paths: Mapping[str, tuple[Path, ...]]
    ideal_grade: int = 1

    def read(self) -> Content:
        """Return the content of all files.

        Raise InputError or OSError as the readers.
        """
        import pandas as pd

        texts: dict[str, str] = {}
        content: Content = {"ideal_grade": self.ideal_grade}
        for kind, paths in self.paths.items():
            if kind == "log" and paths:
                log = pd.DataFrame(read_log(paths[0], _LOG))
                content["people"] = people_of_log(log)
                content.setdefault("paths", paths_of_log(log))
            elif kind == "clicks" and paths:
                content["people"] = people_of_clicks(read_click_log(paths[0]))
            elif kind == "elements" and paths:
                read = read_elements if _is_table(paths[0]) else read_xml
                content["elements"] = read(*paths)
            elif kind == "runs" and paths:
                # Two runs may be called alike in different folders.
                content["runs"] = {str(run): read_run(run, texts=texts) for run in paths}
            elif paths:
                content[kind] = _READERS[kind](paths[0])
        return content


_READERS: Mapping[str, Callable[[Path], Any]] = {
    "links": read_pairs,
    "qrels": read_whole_qrels,
    "paths": read_paths,
}


class Sources(SpecificationTable):
    """Files to compare, as the help text of the study says; paths from the folder of this file."""

    name: Text = "files"
    links: Text | None = None
    elements: _Texts | None = None
    runs: Text | _Texts | None = None
    qrels: Text | None = None
    ideal_grade: Annotated[int, Field(ge=1)] = 1
    log: Text | None = None
    clicks: Text | None = None
    paths: Text | None = None

    _context: dict[str, Any] = PrivateAttr(default_factory=dict)

    def model_post_init(self, context: Any) -> None:
        """Remember where it was read."""
        self._context = context or {}

    @model_validator(mode="after")
    def _something_is_there(self) -> Self:
        if not any(getattr(self, kind) for kind in _KINDS):
            raise PydanticCustomError(
                "nothing", "name files: links, elements, runs, qrels, log, clicks or paths"
            )
        if self.log is not None and self.clicks is not None:
            raise PydanticCustomError("two_logs", "name log or clicks, not both")
        return self

    def files(self) -> SourceFiles:
        """Return the files, which are all there.

        Raise SpecificationError with all that are missing.
        """
        errors: list[InputError] = []
        paths: dict[str, tuple[Path, ...]] = {}
        for kind in _KINDS:
            value: str | tuple[str, ...] | None = getattr(self, kind)
            names = {f"{kind}[{at}]": name for at, name in enumerate(value or ())}
            # A file that two patterns match counts once.
            matches: dict[Path, None] = {}
            for thing, name in ({kind: value} if isinstance(value, str) else names).items():
                found = self._matches(thing, name)
                matches |= dict.fromkeys(found)
                if not found:
                    is_pattern = thing not in _SINGLE and has_magic(name)
                    rule = f"{'match' if is_pattern else 'be'} a file that exists"
                    errors.append(self._error(thing, name, rule))
            paths[kind] = tuple(matches)
        tables = [path for path in paths["elements"] if _is_table(path)]
        if tables and len(paths["elements"]) > 1:
            rule = "be one table, or XML files without one"
            errors.append(self._error("elements", tables[0].name, rule))
        if errors:
            raise SpecificationError(errors)
        return SourceFiles(paths, self.ideal_grade)

    def _matches(self, thing: str, name: str) -> list[Path]:
        """Return the file of a name, or the files of a pattern where there may be many."""
        folder = Path(self._context.get("folder", Path()))
        if (folder / name).is_file():
            return [folder / name]
        # The folder's own name is no pattern.
        names = [] if thing in _SINGLE else sorted(glob(name, root_dir=folder))
        return [folder / name for name in names if (folder / name).is_file()]

    def _error(self, thing: str, value: object, rule: str) -> InputError:
        place = self._context.get("place") or "specification"
        remedy = "paths start from the folder of the TOML file"
        return InputError(thing, value, rule, remedy=remedy, place=place)


def specification_of(path: str | Path) -> Mapping[str, Any] | None:
    """Return what a TOML file says of a collection to make; None of a folder, and of files.

    Raise InputError for a file that is no TOML, and OSError if the file can't be read.
    """
    content = {} if Path(path).is_dir() else toml_content(path, remedy=REMEDY)[0]
    return content if _COLLECTION in content else None


def files_of(path: str | Path) -> SourceFiles:
    """Return the files of a side: of a dataset's folder, or those that a TOML file names.

    Raise InputError for a folder that is no dataset, and all that is wrong with a TOML file;
    OSError if it can't be read.
    """
    folder = Path(path)
    if not folder.is_dir():
        content, context = toml_content(path, remedy=REMEDY)
        return validated(Sources, content, context, remedy=REMEDY).files()
    grade = Outline.read(folder).specification.topics.ideal_grade
    tables = {kind: table_of(folder, kind) for kind in ("links", "log", "elements")}
    paths = {kind: (path,) for kind, path in tables.items() if path is not None}
    if (qrels := folder / "qrels.txt").is_file():
        paths["qrels"] = (qrels,)
    return SourceFiles({**paths, "runs": runs_of(folder)}, grade)


def _is_table(path: Path) -> bool:
    """Return whether a file of elements is a table, not XML."""
    return bare_name(path.name).lower().endswith(_XML_TABLES)
