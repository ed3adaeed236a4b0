"""The jobs of a dataset: blocks of structure, topics, shortened walks, systems, parts of a log."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from prum.analytic.precision.walks import watched
from prum.experiments.frame.row_files import Format, RowPiece, encoded
from prum.experiments.generate.specification import DatasetSpecification
from prum.experiments.generate.truth import TrueScores, World, calibrated, scores_of, unpacked
from prum.experiments.logs.events import COLUMNS
from prum.experiments.measures.measure import measure_of
from prum.experiments.sessions.logs import ROWS_HELD, row_of
from prum.experiments.sessions.result import Settings
from prum.simulator.generation.blocks import MadeBlock
from prum.simulator.generation.draws import Draws
from prum.simulator.generation.portable import log
from prum.simulator.generation.structures import Structure
from prum.simulator.generation.systems import DECIMALS, NoisySystem, Ranked, systems_of
from prum.simulator.model import InputError, Links, Task, Walk
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.costs import Constant, Costs, Exponential
from prum.simulator.model.stopping import rule_of
from prum.simulator.sessions.crowd import Geometric, Query, Traffic

ELEMENTS = {"element": "string", "parent": "string", "length": "int64", "start": "int64"}
LINKS = {"source": "string", "target": "string", "probability": "float64"}
# Users of a part of the log.
USERS_EACH = 2_000
_PLACES_OF_TIME = 6


# --- structure -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BlockRows:
    """A block's rows for its file, and their number."""

    piece: RowPiece
    num_rows: int
    num_places: int


def make_block(specification: DatasetSpecification, ending: Format, number: int) -> BlockRows:
    """Return what a block of the structure holds.

    Raise InputError if users walk along steps whose probabilities sum to more than 1.
    """
    structure = Structure(specification.collection, specification.seed)
    block = structure.block(number)
    if specification.has_tree and specification.walks:
        # Scores take the documents that hold ideals alone; readers of the files meet all.
        tree = structure.elements(np.unique(block.places))
        way = specification.way
        try:
            Walk({} if way is None else way.links(tree, ()))
        except InputError as error:
            raise error.at("browsing") from None
    if specification.has_tree:
        columns, values = ELEMENTS, _element_rows(structure, block)
    else:
        ends = (_each_named(structure, ends) for ends in (block.sources, block.targets))
        columns, values = LINKS, [*ends, block.probabilities]
    piece = encoded(columns, values, ending)
    return BlockRows(piece, len(values[0]), len(np.unique(block.places)))


def _element_rows(structure: Structure, block: MadeBlock) -> list[Any]:
    numbers = np.arange(block.first, block.first + len(block.parents))
    ids = structure.names(numbers)
    parents = [
        None if parent < 0 else ids[parent - block.first] for parent in block.parents.tolist()
    ]
    return [ids, parents, block.lengths, block.starts]


def _each_named(structure: Structure, numbers: Ints) -> NDArray[np.object_]:
    """Return the ids of elements, each made once."""
    distinct, places = np.unique(numbers, return_inverse=True)
    return np.array(structure.names(distinct), dtype=object)[places]


# --- systems -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, slots=True)
class SystemLists:
    """A system's lists with their true scores, and the text of its run."""

    name: str
    strength: float
    target: float | None
    reached: float | None
    lists: Sequence[Ranked]
    scores: TrueScores
    run: bytes


def make_system(packed: bytes, number: int) -> SystemLists:
    """Return the lists of a system, by its number, at the strength of its target if it has one.

    Raise InputError if it cannot reach its target; as `scores_of`.
    """
    world = unpacked(packed)
    specification = world.specification
    made = systems_of(specification)[number]
    scored = NoisySystem(made, world.topics, specification.dependence, specification.seed)
    strength, reached = made.strength, None
    if made.target is not None and made.value is not None:
        measure = measure_of(made.target.measure)

        def mean_at(strength: float) -> float:
            lists = _with_ids(world, scored.lists(strength))
            return float(scores_of(world, lists, [measure], system=made.name).values.mean())

        calibration = calibrated(made.name, made.target, made.value, mean_at)
        strength, reached = calibration.strength, calibration.mean
    lists = scored.lists(float(strength or 0.0))
    named = _with_ids(world, lists)
    scores = scores_of(world, named, specification.measures(), system=made.name)
    run = "".join(_run_lines(world, lists, named, made.name)).encode()
    return SystemLists(made.name, float(strength or 0.0), made.value, reached, lists, scores, run)


def _with_ids(world: World, lists: Sequence[Ranked]) -> list[tuple[str, ...]]:
    return [tuple(world.ids(ranked.elements)) for ranked in lists]


def _run_lines(
    world: World, lists: Sequence[Ranked], named: Sequence[tuple[str, ...]], system: str
) -> Iterator[str]:
    for topic, ranked, ids in zip(world.names, lists, named, strict=True):
        for rank, (element, score) in enumerate(
            zip(ids, ranked.scores.tolist(), strict=True), start=1
        ):
            yield f"{topic} Q0 {element} {rank} {score:.{DECIMALS}f} {system}\n"


# --- the log -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LogJob:
    """Some users of a system, with its lists, the number of the first, and when they come."""

    packed: bytes
    system: str
    lists: Sequence[Ranked]
    first_user: int
    arrivals: Floats
    ending: Format


def arrivals_of(specification: DatasetSpecification, system: str) -> Iterator[tuple[int, Floats]]:
    """Yield the first user of each part of a system's log, and when its users come, in seconds."""
    if specification.log is None:
        return
    began, pause = 0.0, 3600 / specification.log.arrivals
    for first in range(0, specification.log.users, USERS_EACH):
        count = min(USERS_EACH, specification.log.users - first)
        draws = Draws(specification.seed, "arrivals", system, first)
        times = began + np.cumsum(-log(draws.units(count)) * pause)
        began = float(times[-1])
        yield first, np.round(times, _PLACES_OF_TIME)


def make_log(job: LogJob) -> list[tuple[RowPiece, int]]:
    """Return the events of some users, as pieces of the log with their numbers of rows.

    Raise InputError as `Traffic`.
    """
    world = unpacked(job.packed)
    dials = world.specification.log
    if dials is None:
        return []
    settings = Settings(
        num_users=len(job.arrivals),
        seed=world.specification.seed,
        wanted=dials.want,
        rules=tuple(rule_of(words) for words in dials.stop),
    )
    queries = []
    named = _with_ids(world, job.lists)
    for number, (judged, ids) in enumerate(zip(world.judged, named, strict=True)):
        task: Task = judged.task(ids)
        navigation = world.navigation_from(number, job.lists[number].elements)
        queries.append(Query(judged.topic, task, navigation, settings.stopping(task)))
    traffic = Traffic(
        queries,
        seed=world.specification.seed,
        arrivals=job.arrivals.tolist(),
        queries_each=Geometric(dials.queries),
        pause=Exponential(dials.pause) if dials.pause else Constant(0),
        costs=Costs(Constant(dials.judge), Constant(dials.read), Constant(dials.move)),
    )
    entries = traffic.entries(range(job.first_user, job.first_user + len(job.arrivals)))
    pieces, held = [], []
    for entry in entries:
        row = row_of(job.system, entry)
        held.append((*row[:4], round(row[4], _PLACES_OF_TIME), *row[5:]))
        if len(held) == ROWS_HELD:
            pieces.append(_piece(held, job.ending))
            held = []
    return [*pieces, _piece(held, job.ending)] if held else pieces


def _piece(rows: list[tuple[Any, ...]], ending: Format) -> tuple[RowPiece, int]:
    return encoded(COLUMNS, list(zip(*rows, strict=True)), ending), len(rows)


def shorten_walks(packed: bytes, number: int) -> Links:
    """Return the steps of walks between candidates and ideals of a topic, by its number, alone.

    From a candidate users move to y with the probability that y is the first ideal on their path,
    and from ideal to ideal in the same way (coming back to the same ideal shows nothing). So they
    see the same sets of ideals with the same probabilities as on all links, and the equations of a
    million pages are solved once for a topic, not for each list.

    Raise InputError if the world has no links.
    """
    world = unpacked(packed)
    topic, links = world.topics[number], world.links
    if links is None:
        raise InputError("links", None, "be there to walk along", remedy="make a Web")
    ideals, candidates = world.ids(topic.ideals), world.ids(topic.candidates)
    # Elements that no link names come after the others.
    others = [element for element in candidates if element not in links.code]
    code = {**links.code, **{element: len(links.code) + k for k, element in enumerate(others)}}
    starts = np.append(links.starts, np.full(len(others), links.starts[-1]))
    size = len(code)
    moves = sparse.csr_array((links.probabilities, links.targets, starts), shape=(size, size))
    entries = [element for element in candidates if element not in set(ideals)]
    rows = np.array([code[element] for element in entries], dtype=np.int64)
    first, between = watched(moves, rows, np.array([code[ideal] for ideal in ideals]))
    staying = np.diag(between).copy()
    between = between / (1 - staying)[:, np.newaxis]
    np.fill_diagonal(between, 0)
    steps = np.concatenate([first, between])
    sources, targets = np.nonzero(steps > 0)
    named = [*entries, *ideals]
    return Links.from_columns(
        [named[source] for source in sources.tolist()],
        [ideals[target] for target in targets.tolist()],
        np.minimum(steps[sources, targets], 1),
    )
