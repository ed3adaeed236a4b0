"""Made data as a folder holds them: what was judged, what systems returned, and what is true."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from prum.experiments.fitting.walking import reached
from prum.experiments.generate.description import RUNS, Outline
from prum.experiments.generate.tables import read_ideals, read_navigation, read_scores
from prum.experiments.measures.judged import Collection, Judged
from prum.simulator.collections import ideals_of, read_links, read_qrels, read_run
from prum.simulator.collections.linking import Linked
from prum.simulator.generation.dials import Dials
from prum.simulator.generation.showing import browsed
from prum.simulator.model import InputError, Links
from prum.simulator.model.arrays import Floats
from prum.simulator.model.kinds import base_of, navigation_of
from prum.simulator.model.mixture import browsing_of

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

    def other_grades(self, name: str) -> Grades | None:
        """Return the judgements of qrels-NAME.txt, if there are any."""
        path = self.folder / f"qrels-{name}.txt"
        return read_qrels(path) if path.is_file() else None

    def judged(
        self, grades: Grades | None = None, *, navigation: Mapping[str, Links] | None = None
    ) -> list[Judged]:
        """Return the topics that have an ideal by some judgements, the complete ones by default.

        What elements lead to is that of the folder: of walks the chance to get there, so that PRUM
        is theirs and ExactPRUM is not. Other probabilities that are given are those of users as
        they are, whatever makes them so.
        """
        grades = self.grades if grades is None else grades
        wanted = ideals_of(grades, ideal_grade=self.ideal_grade)
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
            Judged(topic, wanted[topic], grades[topic], None, collection)
            for topic in self.topics
            if wanted.get(topic)
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

    def written_ideals(self) -> dict[str, tuple[str, ...]] | None:
        """Return the ideals in the order of topics.jsonl, if it is there.

        Raises
        ------
        InputError
            for a line that is no topic with its ideals.
        """
        path = self.folder / "topics.jsonl"
        return read_ideals(path) if path.is_file() else None


def table_of(folder: Path, name: str) -> Path | None:
    """Return the file of a table, in whatever format it was written; None if there is none."""
    paths = (folder / f"{name}{suffix}" for suffix in _TABLES)
    return next((path for path in paths if path.is_file()), None)


def runs_of(folder: Path) -> tuple[Path, ...]:
    """Return the runs of a folder, by name."""
    return tuple(path for path in sorted((folder / RUNS).glob("*")) if path.is_file())


def read_dataset(folder: str | Path) -> Dataset:
    """Return the made data of a folder.

    Raises
    ------
    InputError
        for a folder that is no dataset, a file that is missing or breaks its format, and scores
        that are not those of the runs and topics, each one once.
    OSError
        if a file cannot be read.
    """
    folder = Path(folder)
    outline = Outline.read(folder)
    present = {str(path.relative_to(folder)) for path in folder.rglob("*")}
    for name in (*outline.files, "qrels.txt", RUNS, "scores.csv"):
        if name not in present:
            raise InputError("file", name, "be in the folder", remedy=_MADE, place=str(folder))
    specification = outline.specification
    grades = read_qrels(folder / "qrels.txt")
    ideals = ideals_of(grades, ideal_grade=specification.topics.ideal_grade)
    topics = tuple(topic for topic, wanted in ideals.items() if wanted)
    if not topics:
        raise InputError(
            "topics with an ideal", 0, "be at least 1", remedy=_MADE,
            place=str(folder / "qrels.txt"),
        )  # fmt: skip
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
        own = dataset.navigation.get(judged.topic) if steps is None else steps
        if own is not None:
            lists = (dataset.runs[system].get(judged.topic, ()) for system in dataset.systems)
            navigation[judged.topic] = reached(own, (x for xs in lists for x in xs), judged.ideals)
    return navigation
