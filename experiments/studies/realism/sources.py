"""Where a side's data are: a folder of `prum generate`, or files that a TOML file names."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from glob import glob, has_magic
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, PrivateAttr, model_validator
from pydantic_core import PydanticCustomError

from prum.experiments.generate.description import Outline
from prum.experiments.studies.realism.data import Data
from prum.experiments.studies.realism.reading import read_log_table, read_pairs, read_paths
from prum.simulator.collections.clicks import read_click_log
from prum.simulator.collections.read import read_elements, read_qrels, read_run, read_xml
from prum.simulator.generation.specifications import (
    SpecificationError,
    SpecificationTable,
    Text,
    toml_content,
    validated,
)
from prum.simulator.model import InputError

REMEDY = "prum study realism --help tells what may be there"
# What a specification of a dataset holds.
COLLECTION = "collection"
_TABLES = (".parquet", ".jsonl", ".jsonl.gz", ".csv", ".csv.gz")
_XML_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
_ONE = ("links", "qrels", "log", "clicks", "paths")

_Texts = Annotated[tuple[Text, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """The files of a side, by kind, and the lowest grade of an ideal."""

    one: dict[str, Path] = field(default_factory=dict)
    elements: tuple[Path, ...] = ()
    runs: tuple[Path, ...] = ()
    ideal_grade: int = 1

    def read(self) -> Data:
        """Return the content of all files.

        Raises
        ------
        InputError, OSError
            as the readers.
        """
        links, qrels, log, clicks, paths = (self.one.get(name) for name in _ONE)
        texts: dict[str, str] = {}
        return Data(
            links=None if links is None else read_pairs(links),
            elements=_elements(self.elements) if self.elements else None,
            # Two runs may be called alike in different folders.
            runs={str(run): read_run(run, texts=texts) for run in self.runs} or None,
            qrels=None if qrels is None else read_qrels(qrels),
            ideal_grade=self.ideal_grade,
            log=None if log is None else read_log_table(log),
            clicks=None if clicks is None else read_click_log(clicks),
            paths=None if paths is None else read_paths(paths),
        )

    def all(self) -> list[Path]:
        """Return all of the files."""
        return [*self.one.values(), *self.elements, *self.runs]


class Sources(SpecificationTable):
    """Files to compare, whatever there is; paths from the folder of this file."""

    name: Text = "files"
    links: Text | None = Field(
        default=None, description="CSV, TSV, JSONL or Parquet, with probabilities or without"
    )
    elements: _Texts | None = Field(
        default=None, description="a table (CSV, TSV, JSONL or Parquet), or XML files"
    )
    runs: Text | _Texts | None = Field(default=None, description="TREC runs, or patterns of names")
    qrels: Text | None = None
    ideal_grade: Annotated[int, Field(ge=1)] = 1
    log: Text | None = Field(default=None, description="of prum simulate or prum generate")
    clicks: Text | None = Field(default=None, description="log of searches, as NAVER's CLARA2")
    paths: Text | None = Field(default=None, description="what people walked, a path a line")

    _context: dict[str, Any] = PrivateAttr(default_factory=dict)

    def model_post_init(self, context: Any) -> None:
        """Remember where it was read."""
        self._context = context or {}

    @model_validator(mode="after")
    def _something_is_there(self) -> Self:
        if not any(getattr(self, name) for name in (*_ONE, "elements", "runs")):
            raise PydanticCustomError(
                "nothing", "name files: links, elements, runs, qrels, log, clicks or paths"
            )
        if self.log is not None and self.clicks is not None:
            raise PydanticCustomError("two_logs", "name log or clicks, not both")
        return self

    def files(self) -> SourceFiles:
        """Return the files, which are all there.

        Raises
        ------
        SpecificationError
            with all that are missing.
        """
        errors: list[InputError] = []
        given = {name: self._found(name, getattr(self, name), errors) for name in _ONE}
        elements = [
            path
            for at, name in enumerate(self.elements or ())
            for path in self._found(f"elements[{at}]", name, errors)
        ]
        names = (self.runs,) if isinstance(self.runs, str) else self.runs or ()
        runs = [
            path
            for at, name in enumerate(names)
            for path in self._found(
                "runs" if isinstance(self.runs, str) else f"runs[{at}]", name, errors
            )
        ]
        tables = [path for path in elements if is_table(path)]
        if tables and len(elements) > 1:
            errors.append(
                self._error("elements", tables[0].name, "be one table, or XML files without one")
            )
        if errors:
            raise SpecificationError(errors)
        one = {kind: paths[0] for kind, paths in given.items() if paths}
        return SourceFiles(one, tuple(elements), tuple(dict.fromkeys(runs)), self.ideal_grade)

    def _found(self, thing: str, name: str | None, errors: list[InputError]) -> list[Path]:
        """Return the files of a name, or of a pattern where there may be many.

        What is missing is added to the errors.
        """
        if name is None:
            return []
        folder = Path(self._context.get("folder", Path()))
        if (folder / name).is_file():
            return [folder / name]
        # The folder's own name is no pattern.
        matches = sorted(glob(name, root_dir=folder)) if thing not in _ONE else []
        found = [folder / one for one in matches if (folder / one).is_file()]
        if not found:
            rule = "match a file" if thing not in _ONE and has_magic(name) else "be a file"
            errors.append(self._error(thing, name, f"{rule} that exists"))
        return found

    def _error(self, thing: str, value: object, rule: str) -> InputError:
        place = self._context.get("place") or "specification"
        remedy = "paths start from the folder of the TOML file"
        return InputError(thing, value, rule, remedy=remedy, place=place)


def is_specification(path: str | Path) -> bool:
    """Return whether a path is a TOML file with a collection to make.

    Raises
    ------
    InputError
        for a file that is no TOML.
    OSError
        if the file can't be read.
    """
    return not Path(path).is_dir() and COLLECTION in toml_content(path, remedy=REMEDY)[0]


def files_of(path: str | Path) -> SourceFiles:
    """Return the files of a side: of a dataset's folder, or those that a TOML file names.

    Raises
    ------
    InputError
        for a folder that is no dataset, and all that is wrong with a TOML file.
    OSError
        if it can't be read.
    """
    folder = Path(path)
    if not folder.is_dir():
        content, context = toml_content(path, remedy=REMEDY)
        return validated(Sources, content, context, remedy=REMEDY).files()
    return _of_dataset(folder)


def _of_dataset(folder: Path) -> SourceFiles:
    grade = Outline.read(folder).specification.topics.ideal_grade
    one = {kind: path for kind in ("links", "log") for path in _table(folder, kind)}
    qrels = folder / "qrels.txt"
    if qrels.is_file():
        one["qrels"] = qrels
    runs = tuple(path for path in sorted((folder / "runs").glob("*")) if path.is_file())
    return SourceFiles(one, tuple(_table(folder, "elements")), runs, grade)


def _table(folder: Path, kind: str) -> Iterator[Path]:
    """Yield the first table of a kind that is there."""
    for suffix in _TABLES:
        if (path := folder / f"{kind}{suffix}").is_file():
            yield path
            return


def is_table(path: Path) -> bool:
    """Return whether a file of elements is a table, not XML."""
    return path.name.lower().removesuffix(".gz").endswith(_XML_TABLES)


def _elements(paths: tuple[Path, ...]) -> Any:
    return read_elements(paths[0]) if is_table(paths[0]) else read_xml(*paths)
