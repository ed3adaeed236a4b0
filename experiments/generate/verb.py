"""Make a dataset: structure, topics, systems, true scores and log, as a folder."""

import dataclasses
import importlib.metadata
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from prum.experiments.frame.files import whole_folder
from prum.experiments.frame.row_files import RowPiece, check_format
from prum.experiments.generate.datasheet import datasheet
from prum.experiments.generate.files import (
    NAME,
    Counts,
    DatasetFiles,
    Description,
    SystemEntry,
    TrueMean,
    write_pooled,
    write_run,
    write_scores,
    write_topics,
)
from prum.experiments.generate.jobs import (
    ELEMENTS,
    LINKS,
    LogJob,
    SystemLists,
    arrivals_of,
    make_block,
    make_log,
    make_system,
    shorten_walks,
)
from prum.experiments.generate.specification import DatasetSpecification
from prum.experiments.generate.truth import DECIMALS, World
from prum.experiments.logs.events import COLUMNS
from prum.experiments.sweeps.workers import Here, Workers, in_order
from prum.simulator.generation.candidates import Topic, topics_of
from prum.simulator.generation.structures import Structure
from prum.simulator.generation.systems import all_links, systems_of
from prum.simulator.model import Links
from prum.simulator.model.process import own_version

# Called with what is being made, how much of it is done, and how much there is.
MakingProgress = Callable[[str, int, int], object]

# Each of these goes through trees; one goes through the links of a web.
_TOPIC_JOBS = 8


def generate_dataset(
    source: str | Path | Mapping[str, Any] | DatasetSpecification,
    folder: str | Path,
    *,
    workers: Workers | None = None,
    progress: MakingProgress | None = None,
) -> Description:
    """Make a dataset in a folder, which appears when it is complete.

    Parameters
    ----------
    source
        A specification, in a TOML file or as a mapping; see `prum generate --schema`.
    workers
        Where to compute; the same bytes for any of them. In this process by default.

    Raises
    ------
    SpecificationError
        with all mistakes of the specification.
    InputError
        if the folder cannot be made, a system cannot reach its target, there are too few elements
        for a topic, or a measure has no value.
    OSError
        if a file cannot be written.

    >>> import tempfile
    >>> dials = {"format": "jsonl", "collection": {"kind": "flat", "elements": 1000}}
    >>> with tempfile.TemporaryDirectory() as place:
    ...     made = generate_dataset(dials, f"{place}/made")
    >>> made.counts.topics, sorted(made.systems), made.systems["system"].scores["AP"].method
    (50, ['system'], 'computed')
    """
    specification = (
        source if isinstance(source, DatasetSpecification) else DatasetSpecification.read(source)
    )
    check_format(".parquet" if specification.format == "parquet" else ".jsonl")
    with whole_folder(folder) as part:
        files = DatasetFiles(part, specification, Path(folder))
        return _Making(specification, files, workers or Here(), progress).made()


class _Making:
    """A dataset that is being made in a folder."""

    def __init__(
        self,
        specification: DatasetSpecification,
        files: DatasetFiles,
        workers: Workers,
        progress: MakingProgress | None,
    ) -> None:
        self.specification, self.files, self.workers = specification, files, workers
        self.progress = progress
        self.structure = Structure(specification.collection, specification.seed)
        self.num_links = self.num_places = 0

    def made(self) -> Description:
        """Make all files; return the description, which is the last of them."""
        self._structure()
        world = self._shortened(World(self.specification, self._topics(), self._walked()))
        write_topics(self.files, world)
        packed = pickle.dumps(world)
        systems = self._systems(packed)
        write_scores(self.files, world, systems)
        write_pooled(self.files, world, systems)
        self._log(packed, systems)
        return self._described(world, systems)

    def _counted(self, what: str, results: Iterable[Any], number: int) -> Iterator[Any]:
        """Yield results, and report the progress."""
        for done, result in enumerate(results, start=1):
            yield result
            if self.progress is not None:
                self.progress(what, done, number)

    def _structure(self) -> None:
        """Write the structure, if there is any."""
        specification = self.specification
        if not specification.has_tree and not specification.is_web:
            self.num_places = specification.collection.elements
            return
        make = partial(make_block, specification, self.files.ending)
        number = self.structure.num_blocks

        def pieces() -> Iterator[tuple[RowPiece, int]]:
            blocks = in_order(self.workers, make, range(number))
            for block in self._counted("structure", blocks, number):
                self.num_places += block.num_places
                self.num_links += 0 if specification.has_tree else block.num_rows
                yield block.piece, block.num_rows

        stem, columns = ("elements", ELEMENTS) if specification.has_tree else ("links", LINKS)
        self.files.rows(stem, columns, pieces())

    def _topics(self) -> list[Topic]:
        number = self.specification.topics.number
        size = number if self.specification.is_web else -(-number // _TOPIC_JOBS)
        parts = [range(first, min(first + size, number)) for first in range(0, number, size)]
        make = partial(topics_of, self.structure, self.specification)
        made_parts = self._counted("topics", in_order(self.workers, make, parts), len(parts))
        return [topic for part_topics in made_parts for topic in part_topics]

    def _walked(self) -> Links | None:
        """Return all links, if people walk along them."""
        if not (self.specification.is_web and self.specification.walks):
            return None
        return all_links(self.structure)

    def _shortened(self, world: World) -> World:
        """Return the world with the walks of each topic put shortly, where that is possible."""
        if not world.admits_shortened:
            return world
        make, number = partial(shorten_walks, pickle.dumps(world)), len(world.topics)
        links = self._counted("walks", in_order(self.workers, make, range(number)), number)
        return dataclasses.replace(world, shortened=dict(zip(world.names, links, strict=True)))

    def _systems(self, packed: bytes) -> list[SystemLists]:
        make, number = partial(make_system, packed), len(systems_of(self.specification))
        systems = []
        for system in self._counted("systems", in_order(self.workers, make, range(number)), number):
            write_run(self.files, system)
            systems.append(dataclasses.replace(system, run=b""))
        return systems

    def _log(self, packed: bytes, systems: Iterable[SystemLists]) -> None:
        log = self.specification.log
        if log is None:
            return
        chosen = [system for system in systems if log.systems is None or system.name in log.systems]
        number = sum(1 for system in chosen for _ in arrivals_of(self.specification, system.name))
        jobs = (
            LogJob(packed, system.name, system.lists, first, arrivals, self.files.ending)
            for system in chosen
            for first, arrivals in arrivals_of(self.specification, system.name)
        )
        parts = self._counted("log", in_order(self.workers, make_log, jobs), number)
        self.files.rows("log", COLUMNS, (piece for part in parts for piece in part))

    def _described(self, world: World, systems: list[SystemLists]) -> Description:
        files, specification = self.files, self.specification
        counts = Counts(
            elements=specification.collection.elements,
            places=self.num_places,
            links=self.num_links,
            topics=len(world.topics),
            ideals=sum(len(topic.ideals) for topic in world.topics),
            events=_num_events(files),
        )
        draft = Description(
            name=specification.name,
            version=own_version(),
            made_with=(
                {"pyarrow": importlib.metadata.version("pyarrow")}
                if files.ending == ".parquet"
                else {}
            ),
            seed=specification.seed,
            specification=specification.model_dump(mode="json"),
            counts=counts,
            systems={system.name: self._entry(system) for system in systems},
            files=files.written,
        )
        files.content("DATASHEET.md", datasheet(draft).encode())
        description = draft.model_copy(update={"files": dict(sorted(files.written.items()))})
        files.content(NAME, description.to_json().encode())
        return description

    def _entry(self, system: SystemLists) -> SystemEntry:
        scores = {}
        for number, measure in enumerate(self.specification.measures()):
            errors = system.scores.errors[:, number]
            simulated = bool((system.scores.methods[:, number] == "simulated").any())
            scores[str(measure)] = TrueMean(
                mean=_rounded(system.scores.values[:, number].mean()),
                error=_rounded(np.sqrt((errors**2).sum()) / len(errors)),
                method="simulated" if simulated else "computed",
            )
        return SystemEntry(
            strength=system.strength,
            target=system.target,
            reached=None if system.reached is None else _rounded(system.reached),
            lists=sum(len(ranked.elements) > 0 for ranked in system.lists),
            scores=scores,
        )


def _rounded(value: Any) -> float:
    return round(float(value), DECIMALS)


def _num_events(files: DatasetFiles) -> int:
    file = files.written.get(f"log{files.ending}")
    return 0 if file is None else file.rows or 0
