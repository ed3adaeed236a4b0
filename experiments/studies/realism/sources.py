"""Files of a side: a folder of `prum generate`, or files that a TOML file names."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar

from pydantic import Field, PrivateAttr, model_validator
from pydantic_core import PydanticCustomError

from prum.experiments.generate.dataset import runs_of, table_of
from prum.experiments.generate.files import Outline
from prum.experiments.logs.events import read_log
from prum.experiments.studies.realism.reading import (
    Behaviour,
    Data,
    Paths,
    behaviour_of_clicks,
    behaviour_of_log,
    paths_of_log,
    read_pairs,
    read_paths,
)
from prum.simulator.collections import read_elements, read_run, read_whole_qrels, read_xml
from prum.simulator.collections.clicks import read_click_log
from prum.simulator.generation.specifications import (
    SpecificationError,
    SpecificationTable,
    Text,
    toml_content,
    validated,
)
from prum.simulator.model import Elements, InputError
from prum.simulator.tables.files import bare_name

REMEDY = "prum study realism --help tells what may be there"
# What a specification of a dataset holds.
_COLLECTION = "collection"
_XML_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
_SINGLE = ("links", "qrels", "log", "clicks", "paths")
_KINDS = (*_SINGLE, "elements", "runs")
# What is used of a log; `prum simulate` writes more.
_LOG = ("system", "user", "session", "query", "action", "rank", "element", "elements")

_Texts = Annotated[tuple[Text, ...], Field(min_length=1)]
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """The files of a side, by kind, and the lowest grade of an ideal."""

    paths: Mapping[str, tuple[Path, ...]]
    ideal_grade: int = 1

    def read(self) -> Data:
        """Return the content of all files.

        Raise InputError or OSError as the readers.
        """
        texts: dict[str, str] = {}
        people, paths = self._single("log", _read_log) or (None, None)
        clicks = self._single("clicks", read_click_log)
        return Data(
            links=self._single("links", read_pairs),
            elements=_read_elements(self.paths.get("elements", ())),
            # Two runs may be called alike in different folders.
            runs={str(run): read_run(run, texts=texts) for run in self.paths.get("runs", ())}
            or None,
            qrels=self._single("qrels", read_whole_qrels),
            ideal_grade=self.ideal_grade,
            people=people if clicks is None else behaviour_of_clicks(clicks),
            paths=self._single("paths", read_paths) or paths,
        )

    def _single(self, kind: str, read: Callable[[Path], _T]) -> _T | None:
        return read(self.paths[kind][0]) if self.paths.get(kind) else None


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


def _read_log(path: Path) -> tuple[Behaviour, Paths]:
    import pandas as pd

    log = pd.DataFrame(read_log(path, _LOG))
    return behaviour_of_log(log), paths_of_log(log)


def _is_table(path: Path) -> bool:
    """Return whether a file of elements is a table, not XML."""
    return bare_name(path.name).lower().endswith(_XML_TABLES)


def _read_elements(paths: tuple[Path, ...]) -> Elements | None:
    if not paths:
        return None
    return read_elements(paths[0]) if _is_table(paths[0]) else read_xml(*paths)
