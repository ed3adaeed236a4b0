"""The files of a dataset, written one after the other into its folder."""

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Literal, Self

import numpy as np
from pydantic import ConfigDict, Field

from prum.experiments.frame.files import json_text, naming
from prum.experiments.frame.row_files import ColumnTypes, Format, RowPiece, encoded, row_writer
from prum.experiments.generate.jobs import SystemLists
from prum.experiments.generate.specification import DatasetSpecification
from prum.experiments.generate.truth import DECIMALS, World
from prum.simulator.generation.candidates import Topic
from prum.simulator.generation.dials import Dials
from prum.simulator.generation.judging import called_ideal, judges_of
from prum.simulator.generation.specifications import SpecificationTable, json_content, validated
from prum.simulator.model import Assessment, InputError
from prum.simulator.model.arrays import Ints

NAME = "dataset.json"
RUNS = "runs"
_REMEDY = "make the dataset again"


class File(SpecificationTable):
    """A file of a dataset."""

    bytes: int = Field(ge=0)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    rows: int | None = Field(default=None, ge=0, description="or lines, where there are any")


class TrueMean(SpecificationTable):
    """A system's true score by a measure, as a mean over topics.

    The error is a standard error over simulated users; 0 where every topic's score is computed,
    which then is off by rounding alone.
    """

    mean: float
    error: float = Field(ge=0)
    method: Literal["computed", "simulated"]


class SystemEntry(SpecificationTable):
    """A system as it was made."""

    strength: float = Field(description="in units of a distractor's noise")
    target: float | None = Field(default=None, description="the mean that it was to reach")
    reached: float | None = Field(default=None, description="and does, by the target's measure")
    lists: int = Field(ge=0, description="topics with a list")
    scores: dict[str, TrueMean] = Field(description="by measure, on the complete judgements")


class Counts(SpecificationTable):
    """How large a dataset is."""

    elements: int
    places: int = Field(description="documents; communities on the Web")
    links: int
    topics: int
    ideals: int = Field(description="of all topics")
    events: int = Field(description="of the log")


class _Read(SpecificationTable):
    """What `dataset.json` is read as."""

    @classmethod
    def read(cls, folder: str | Path) -> Self:
        """Return what `dataset.json` tells of a dataset's folder.

        Raise InputError if it is no dataset; SpecificationError if its description is not as it
        should be. Raise OSError if it can't be read.
        """
        path = Path(folder) / NAME
        if not path.is_file():
            rule = f"be a folder with {NAME}"
            raise InputError("dataset", str(folder), rule, remedy="make it by prum generate")
        content = json_content(path, remedy=_REMEDY)
        return validated(cls, content, {"place": str(path)}, remedy=_REMEDY)


class Outline(_Read):
    """What readers of a dataset need of it: its dials, and which files it has."""

    model_config = ConfigDict(extra="ignore")

    specification: Dials
    files: dict[str, Any] = Field(default_factory=dict)


class Description(_Read):
    """All of it."""

    form: Literal["prum dataset 1"] = "prum dataset 1"
    name: str
    version: str = Field(description="of prum")
    made_with: dict[str, str] = Field(
        description="versions of what the bytes of Parquet files depend on"
    )
    seed: int
    specification: dict[str, Any] = Field(description="every dial, as prum generate takes it")
    counts: Counts
    systems: dict[str, SystemEntry]
    files: dict[str, File] = Field(description=f"all but {NAME}")

    def to_json(self) -> str:
        """Return the text of `dataset.json`."""
        content = self.model_dump(mode="json", exclude_none=True)
        # A dial that is not set is part of the specification.
        content["specification"] = self.specification
        return json_text(content)


NAVIGATION = {
    "topic": "string",
    "source": "string",
    "target": "string",
    "probability": "float64",
}
# Exponentials in ways differ between machines behind this.
_PROBABILITY_DECIMALS = 12


class DatasetFiles:
    """The files of a folder, which messages name `shown`: names, sizes and checksums."""

    def __init__(self, folder: Path, specification: DatasetSpecification, shown: Path) -> None:
        self.folder, self.shown = folder, shown
        self.ending: Format = ".parquet" if specification.format == "parquet" else ".jsonl"
        self.written: dict[str, File] = {}

    @contextmanager
    def open(self, name: str) -> Iterator["_Counted"]:
        """Yield a file to write to; it is among the files when the context ends."""
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        with naming(self.shown / name), path.open("wb") as file:
            counted = _Counted(file)
            yield counted
        self.written[name] = File(
            bytes=path.stat().st_size, sha256=checksum(path), rows=counted.num_rows
        )

    def text(self, name: str, lines: Iterable[str]) -> None:
        """Write lines of text."""
        with self.open(name) as file:
            file.num_rows = 0
            for line in lines:
                file.stream.write(f"{line}\n".encode())
                file.num_rows += 1

    def content(self, name: str, content: bytes, num_rows: int | None = None) -> None:
        """Write bytes."""
        with self.open(name) as file:
            file.stream.write(content)
            file.num_rows = num_rows

    def rows(self, stem: str, columns: ColumnTypes, pieces: Iterable[tuple[RowPiece, int]]) -> None:
        """Write pieces of rows, each with their number, in the format of the dataset."""
        with (
            self.open(f"{stem}{self.ending}") as file,
            row_writer(file.stream, columns, self.ending) as put,
        ):
            file.num_rows = 0
            for piece, num_rows in pieces:
                put(piece)
                file.num_rows += num_rows


class _Counted:
    """An open file, and how many rows or lines it holds."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream
        self.num_rows: int | None = None


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# --- topics and judgements -----------------------------------------------------------------------


def write_topics(files: DatasetFiles, world: World) -> None:
    """Write topics, complete judgements, assessments, intents, and how users browse."""
    dials = world.specification.topics

    def line(topic: Topic) -> str:
        content: dict[str, Any] = {"topic": topic.name, "ideals": world.ids(topic.ideals)}
        if dials.intents > 1:
            content["intents"] = {
                element: (np.flatnonzero(serves) + 1).tolist()
                for element, serves in zip(world.ids(topic.relevant), topic.intents, strict=True)
            }
        return json.dumps(content, ensure_ascii=False)

    files.text("topics.jsonl", map(line, world.topics))
    files.text(
        "qrels.txt",
        (
            f"{topic.name} 0 {element} {grade}"
            for topic in world.topics
            for element, grade in zip(world.ids(topic.relevant), topic.grades.tolist(), strict=True)
        ),
    )
    if dials.intents > 1:
        files.text("qrels-intents.txt", _by_intent(world))
    if world.specification.has_tree:
        files.text("assessments.txt", _assessments(world))
    if any(len(topic.links) for topic in world.topics):
        pieces = (_navigation(topic, files.ending) for topic in world.topics)
        files.rows("navigation", NAVIGATION, pieces)


def _by_intent(world: World) -> Iterator[str]:
    for topic in world.topics:
        ids = world.ids(topic.relevant)
        for intent in range(topic.intents.shape[1]):
            for place in np.flatnonzero(topic.intents[:, intent]).tolist():
                yield f"{topic.name} {intent + 1} {ids[place]} {topic.grades[place]}"


def _assessments(world: World) -> Iterator[str]:
    for topic in world.topics:
        ids = world.ids(topic.assessed)
        levels = zip(topic.exhaustivity.tolist(), topic.specificity.tolist(), strict=True)
        for element, (exhaustivity, specificity) in zip(ids, levels, strict=True):
            yield f"{topic.name} 0 {element} {Assessment(exhaustivity, specificity)}"


def _navigation(topic: Topic, ending: Format) -> tuple[RowPiece, int]:
    links = topic.links
    sources = np.repeat(np.arange(len(links.elements)), np.diff(links.starts)).tolist()
    columns = [
        [topic.name] * len(links),
        [links.elements[source] for source in sources],
        [links.elements[target] for target in links.targets.tolist()],
        np.round(links.probabilities, _PROBABILITY_DECIMALS),
    ]
    return encoded(NAVIGATION, columns, ending), len(links)


def write_pooled(files: DatasetFiles, world: World, systems: Sequence[SystemLists]) -> None:
    """Write the judgements of a pool, and those of judges who err."""
    specification = world.specification
    pool, judges = specification.pool, specification.judges
    if pool is not None:
        chosen = [
            system for system in systems if pool.systems is None or system.name in pool.systems
        ]
        depth: int | None = pool.depth
        files.text("qrels-pooled.txt", _judged(world, chosen, depth))
    else:
        chosen, depth = list(systems), None
    if judges is not None:
        given = [_called(world, number) for number in range(len(world.topics))]
        for number in range(len(judges_of(judges, specification.topics))):
            lines = _judged(world, chosen, depth, [called[number] for called in given])
            files.text(f"qrels-judge-{number + 1}.txt", lines)


def _judged(
    world: World,
    systems: Sequence[SystemLists],
    depth: int | None,
    labels: Sequence[Ints] | None = None,
) -> Iterator[str]:
    """Yield the judgements of retrieved elements: true, or by a judge's labels.

    Without a pool judges also judge all relevant elements.
    """
    for number, topic in enumerate(world.topics):
        tops = [system.lists[number].elements[:depth] for system in systems]
        judged = np.unique(np.concatenate([*tops, np.empty(0, np.int64)]))
        if labels is not None and world.specification.pool is None:
            judged = np.union1d(judged, topic.relevant)
        grades = _true_grades(topic, judged)
        if labels is not None:
            grades = labels[number][np.searchsorted(topic.candidates, judged)]
        for element, grade in zip(world.ids(judged), grades.tolist(), strict=True):
            yield f"{topic.name} 0 {element} {grade}"


def _called(world: World, number: int) -> Ints:
    """Return the grades that judges give to a topic's candidates: an ideal's, or 0.

    Shape (judges, candidates). All are labelled, so that labels do not hang on systems.
    """
    specification, topic = world.specification, world.topics[number]
    if specification.judges is None:
        return np.empty((0, len(topic.candidates)), dtype=np.int64)
    grades, numbers = _true_grades(topic, topic.candidates), topic.candidates.tolist()
    dials, seed = specification.topics, specification.seed
    labels = called_ideal(specification.judges, dials, seed, number, numbers, grades)
    return np.where(labels, dials.ideal_grade, 0)


def _true_grades(topic: Topic, elements: Ints) -> Ints:
    """Return the grades of some elements, 0 where they are not relevant."""
    grades = np.zeros(len(elements), dtype=np.int64)
    places = np.minimum(np.searchsorted(topic.relevant, elements), len(topic.relevant) - 1)
    is_relevant = topic.relevant[places] == elements
    grades[is_relevant] = topic.grades[places[is_relevant]]
    return grades


# --- systems -------------------------------------------------------------------------------------


def write_run(files: DatasetFiles, system: SystemLists) -> None:
    """Write a system's run."""
    num_rows = sum(len(ranked.elements) for ranked in system.lists)
    files.content(f"{RUNS}/{system.name}", system.run, num_rows)


def write_scores(files: DatasetFiles, world: World, systems: Sequence[SystemLists]) -> None:
    """Write every true score."""
    measures = [str(measure) for measure in world.specification.measures()]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["system", "topic", "measure", "score", "error", "method"])
    for system in systems:
        columns = (system.scores.values, system.scores.errors, system.scores.methods)
        for topic, *rows in zip(world.names, *(x.tolist() for x in columns), strict=True):
            for measure, value, error, method in zip(measures, *rows, strict=True):
                numbers = f"{value:.{DECIMALS}f}", f"{error:.{DECIMALS}f}"
                writer.writerow([system.name, topic, measure, *numbers, method])
    number = len(systems) * len(world.names) * len(measures)
    files.content("scores.csv", stream.getvalue().encode(), number)
