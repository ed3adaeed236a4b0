"""Made data as a folder holds them: what was judged, what systems returned, and what is true."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from prum.experiments.fitting.fitted import reached
from prum.experiments.generate.files import RUNS, Outline
from prum.experiments.measures.judged import Collection, Judged
from prum.simulator.collections import ideals_of, read_links, read_run
from prum.simulator.collections.linking import Linked
from prum.simulator.collections.qrels import read_qrels
from prum.simulator.generation.candidates import browsed
from prum.simulator.generation.dials import Dials
from prum.simulator.model import InputError, Links
from prum.simulator.model.arrays import Floats
from prum.simulator.model.browsing import browsing_of
from prum.simulator.model.kinds import base_of, navigation_of
from prum.simulator.tables.layout import FileColumn, Layout, number_of
from prum.simulator.tables.read import read

_AGAIN = "make the folder anew with prum generate"
SCORES = Layout(
    rows="scores",
    columns=(
        FileColumn(("system",)),
        FileColumn(("topic",)),
        FileColumn(("measure",)),
        FileColumn(("score",), nullable=True),
        FileColumn(("error",), nullable=True),
        FileColumn(("method",)),
    ),
)
NAVIGATION = Layout(
    rows="navigation",
    columns=(
        FileColumn(("topic",)),
        FileColumn(("source",)),
        FileColumn(("target",)),
        FileColumn(("probability",), "number", most=1.0),
    ),
)


def read_scores(
    path: Path, runs: Sequence[str], topics: Sequence[str]
) -> tuple[tuple[str, ...], Mapping[str, Floats], Mapping[str, Floats]]:
    """Return systems, and by measure true scores and standard errors, (systems, topics).

    Systems come in the order in which the file names them, topics in the given one.

    Raise InputError for other columns, a cell that is no number, and unless every run and judged
    topic has one score by each measure.
    """
    written = read(path, SCORES)
    cells = dict[tuple[str, str, str], tuple[float, float]]()
    for row, (system, topic, measure, score, error, _) in enumerate(
        zip(*written.columns.values(), strict=True)
    ):
        where = written.place(row)
        # No value is one of some measures, as precision at the fifth ideal of four.
        value = math.nan if score in (None, "nan") else _number("score", score, where)
        cells[measure, system, topic] = value, _number("error", error or "0", where)
    systems = tuple(dict.fromkeys(written.columns["system"]))
    measures = dict.fromkeys(measure for measure, _, _ in cells)
    due = list(product(measures, dict.fromkeys((*systems, *runs)), topics))
    if (wrong := next(iter(set(due) ^ set(cells)), None)) or len(cells) < len(
        written.columns["system"]
    ):
        thing = "scores" if wrong is None else "score of {1} on topic {2} by {0}".format(*wrong)
        rule = "be given once for each run and each topic with an ideal"
        raise InputError(thing, None, rule, remedy=_AGAIN, place=str(path))
    shape = len(measures), len(systems), len(topics), 2
    table = np.array([cells[key] for key in due]).reshape(shape)
    table.setflags(write=False)
    scores, errors = (dict(zip(measures, table[..., which], strict=True)) for which in (0, 1))
    return systems, scores, errors


def _number(name: str, text: str, where: str) -> float:
    value = number_of(text)
    if not math.isfinite(value):
        raise InputError(name, text, "be a finite number", remedy=_AGAIN, place=where)
    return value


def read_navigation(path: Path) -> dict[str, Links]:
    """Return the true P(x -> y) of each topic.

    Raise InputError as `read_links`, naming the topic.
    """
    topics, sources, targets, probabilities = read(path, NAVIGATION).columns.values()
    rows: dict[str, list[int]] = {}
    for row, topic in enumerate(topics):
        rows.setdefault(topic, []).append(row)
    values = np.asarray(probabilities)
    return {
        topic: Links.from_columns(
            [sources[row] for row in of_topic],
            [targets[row] for row in of_topic],
            values[of_topic],
            origin=f"{path}, topic {topic}",
        )
        for topic, of_topic in rows.items()
    }


Grades = Mapping[str, Mapping[str, int]]

_TABLES = (".parquet", ".jsonl", ".jsonl.gz", ".csv", ".csv.gz")
_MADE = "make the folder with prum generate"


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """A folder of made data, read only.

    Parameters
    ----------
    folder
        Where it lies.
    specification
        The dials it was made by.
    systems, topics
        Names, in the order of the axes of scores.
    grades
        The complete judgements of these topics.
    runs
        System -> topic -> ranking; a topic that a system lacks is an empty list.
    scores, errors
        Measure -> true scores and their standard errors (0 where exact), (systems, topics).
    navigation
        Topic -> P(x -> y), y ideal; empty where nobody browses. Of walks, whose tables are of
        steps, the chance to get from x to y, for every x of some list.
    size
        Number of elements.
    """

    folder: Path
    specification: Dials
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    grades: Grades
    runs: Mapping[str, Mapping[str, tuple[str, ...]]]
    scores: Mapping[str, Floats]
    errors: Mapping[str, Floats]
    navigation: Mapping[str, Links]
    size: int

    @property
    def kind(self) -> str:
        """How people browse, as `navigation_of` names it."""
        return browsed(self.specification).kind

    @property
    def base(self) -> str:
        """The kind without its dials and numbers: independent, walk, ..."""
        return base_of(self.kind)

    @property
    def is_plain(self) -> bool:
        """Whether each visit is on its own, and users are alike and do not change."""
        return self.kind == "independent"

    @property
    def mean_factor(self) -> float:
        """The mean of the factor by which users' browsing differs; 1 where it doesn't."""
        navigation = navigation_of(self.kind, Links({}), {"element": "document"})
        population = browsing_of(navigation).population
        return 1.0 if population is None else float(population.mean)

    @property
    def ideal_grade(self) -> int:
        """The lowest grade of an ideal."""
        return self.specification.topics.ideal_grade

    @property
    def pooling(self) -> tuple[str, ...]:
        """The systems whose lists make the pool: those named, or all."""
        pool = self.specification.pool
        named = None if pool is None else pool.systems
        return tuple(name for name in self.systems if name in named) if named else self.systems

    @property
    def log(self) -> Path | None:
        """The log, if there is one."""
        return table_of(self.folder, "log")

    def judged(
        self, grades: Grades | None = None, *, navigation: Mapping[str, Links] | None = None
    ) -> list[Judged]:
        """Return the topics that have an ideal by some judgements, the complete ones by default.

        What elements lead to is that of the folder: of walks the chance to get there, so that PRUM
        is theirs and ExactPRUM is not. Other probabilities that are given are those of users as
        they are, whatever makes them so.
        """
        grades = self.grades if grades is None else grades
        ideals = ideals_of(grades, ideal_grade=self.ideal_grade)
        links = dict(self.navigation if navigation is None else navigation)
        none = Links({})
        table = Linked({topic: links.get(topic, none) for topic in self.topics})
        collection = Collection(
            size=self.size,
            linked=table,
            kind="independent" if self.base == "walk" or navigation is not None else self.kind,
            highest_grade=max(g for by in self.grades.values() for g in by.values()),
        )
        return [
            Judged(topic, ideals[topic], grades[topic], None, collection)
            for topic in self.topics
            if ideals.get(topic)
        ]

    def lists(
        self, topics: Sequence[str] | None = None
    ) -> list[tuple[str, dict[str, tuple[str, ...]]]]:
        """Return the lists of each system on some topics, on all by default, none missing."""
        names = self.topics if topics is None else topics
        return [
            (system, {topic: self.runs[system].get(topic, ()) for topic in names})
            for system in self.systems
        ]


def table_of(folder: Path, name: str) -> Path | None:
    """Return the file of a table, in whatever format it was written; None if there is none."""
    paths = (folder / f"{name}{suffix}" for suffix in _TABLES)
    return next((path for path in paths if path.is_file()), None)


def runs_of(folder: Path) -> tuple[Path, ...]:
    """Return the runs of a folder, by name."""
    return tuple(path for path in sorted((folder / RUNS).glob("*")) if path.is_file())


def read_dataset(folder: str | Path) -> Dataset:
    """Return the made data of a folder."""
    folder = Path(folder)
    outline = Outline.read(folder)
    present = {str(path.relative_to(folder)) for path in folder.rglob("*")}
    for name in (*outline.files, "qrels.txt", RUNS, "scores.csv"):
        if name not in present:
            raise InputError("file", name, "be in the folder", remedy=_MADE, place=str(folder))
    specification = outline.specification
    grades: Any = read_qrels(folder / "qrels.txt")
    ideals = ideals_of(grades, ideal_grade=specification.topics.ideal_grade)
    topics = tuple(topic for topic, members in ideals.items() if members)
    if not topics:
        thing, where = "topics with an ideal", str(folder / "qrels.txt")
        raise InputError(thing, 0, "be at least 1", remedy=_MADE, place=where)
    texts: dict[str, str] = {}
    runs = {path.name: read_run(path, texts=texts) for path in runs_of(folder)}
    if not runs:
        raise InputError("runs", 0, "be at least 1", remedy=_MADE, place=str(folder / RUNS))
    systems, scores, errors = read_scores(folder / "scores.csv", tuple(runs), topics)
    path = table_of(folder, "navigation")
    dataset = Dataset(
        folder,
        specification,
        systems,
        topics,
        {topic: grades[topic] for topic in topics},
        {system: runs[system] for system in systems},
        scores,
        errors,
        {} if path is None else read_navigation(path),
        specification.collection.elements,
    )
    if dataset.base != "walk":
        return dataset
    return replace(dataset, navigation=_walked(dataset, table_of(folder, "links")))


def _walked(dataset: Dataset, links: Path | None) -> dict[str, Links]:
    """Return P(x -> y) on walks along the tables of the topics, or the links of all."""
    steps = None if links is None or dataset.navigation else read_links(links)
    navigation = {}
    for judged in dataset.judged():
        step = dataset.navigation.get(judged.topic) if steps is None else steps
        if step is not None:
            lists = (dataset.runs[system].get(judged.topic, ()) for system in dataset.systems)
            navigation[judged.topic] = reached(step, (x for xs in lists for x in xs), judged.ideals)
    return navigation
