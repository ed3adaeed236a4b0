"""A round of runs as arrays, and by how much less its systems might have been ranked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np

from prum.analytic.utility.batch import utilities
from prum.simulator.collections import read_run
from prum.simulator.collections.qrels import read_whole_qrels
from prum.simulator.collections.trec import named_runs, run_files
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Counts, Flags, Floats, Ints
from prum.simulator.tables.files import place

# The paper normalises total utility and what does not lie in [0, 1] by itself.
NORMALISED = ("RBTR", "DCG", "SumRR", "ARR")
# Lists that are scored at once.
_AT_ONCE = 600


@dataclass(frozen=True, slots=True)
class Round:
    """Runs of several systems on judged topics: which judged element stands where in which list.

    Parameters
    ----------
    systems, topics
        Their names.
    codes
        The judged element at each rank of each list, counted over all topics; -1 for none. Shape
        (systems, topics, ranks).
    lengths
        How many ranks each list has, (systems, topics).
    topic_of
        The topic of each judged element.
    judged
        Which of them the original judgements name.
    relevant
        Which are relevant by the original judgements.
    others
        And by second ones, by name.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    codes: Counts
    lengths: Ints
    topic_of: Ints
    judged: Flags
    relevant: Flags
    others: Mapping[str, Flags]

    @property
    def depths(self) -> Ints:
        """The least rank (from 1) at which a system has each judged element; none: beyond all."""
        num_ranks = self.codes.shape[2]
        depths = np.full(len(self.topic_of) + 1, num_ranks + 1)
        ranks = np.broadcast_to(np.arange(1, num_ranks + 1), self.codes.shape)
        np.minimum.at(depths, self.codes.ravel(), ranks.ravel())  # -1 is the last
        return depths[:-1]

    def num_relevant(self, relevant: Flags) -> Ints:
        """Return R of each topic."""
        return np.bincount(self.topic_of[relevant], minlength=len(self.topics))

    def scores(self, relevant: Flags, names: Sequence[str]) -> Floats:
        """Return scores by these judgements, shape (measures, systems, topics).

        Topics without a relevant element score 0 throughout.
        """
        by_code = np.append(relevant, False)
        num_relevant = np.tile(self.num_relevant(relevant), len(self.systems))
        codes = self.codes.reshape(-1, self.codes.shape[2])
        lengths = self.lengths.ravel()
        out = np.zeros((len(codes), len(names)))
        own = np.array([name in NORMALISED for name in names])
        for begin in range(0, len(codes), _AT_ONCE):
            rows = np.arange(begin, min(begin + _AT_ONCE, len(codes)))
            rows = rows[num_relevant[rows] > 0]
            relevance = by_code[codes[rows]]
            for is_normalised in set(own.tolist()):
                columns = np.flatnonzero(own == is_normalised)
                out[np.ix_(rows, columns)] = utilities(
                    [names[column] for column in columns.tolist()],
                    relevance,
                    num_relevant[rows],
                    lengths=lengths[rows],
                    normalised=is_normalised,
                )
        return out.T.reshape(len(names), len(self.systems), len(self.topics))


def read_round(
    runs: Sequence[str | Path],
    qrels: str | Path,
    *,
    others: Mapping[str, str | Path] = MappingProxyType({}),
    ideal_grade: int = 1,
    progress: Callable[[float], object] = lambda _: None,
) -> Round:
    """Return a round from TREC runs and qrels, and second qrels of the same topics by name.

    Topics are those with a relevant element in the qrels. A topic that a run lacks is an empty
    list, and a folder stands for the runs in it.

    Raises InputError as the readers, for fewer than two runs or topics, two runs of one name, and
    second judgements that share no topic; OSError if a file cannot be read.
    """
    judged = read_whole_qrels(qrels)
    more = {name: read_whole_qrels(path) for name, path in others.items()}
    topics = tuple(
        topic for topic, grades in judged.items() if any(g >= ideal_grade for g in grades.values())
    )
    files = run_files(runs)
    at_least_two("topics with a relevant element", len(topics), place(qrels))
    at_least_two("runs", len(files), "")
    for name, own in more.items():
        if not set(topics) & set(own):
            rule = f"be those of {place(qrels)}, like {topics[0]!r}"
            remedy, where = "check that the files belong together", place(others[name])
            raise InputError(f"topics of {name}", list(own)[:3], rule, remedy=remedy, place=where)
    pairs = [
        (number, topic, element)
        for number, topic in enumerate(topics)
        for element in {
            **judged[topic],
            **{element: 0 for own in more.values() for element in own.get(topic, ())},
        }
    ]
    code_of = {(topic, element): code for code, (_, topic, element) in enumerate(pairs)}

    def relevant(by: Mapping[str, Mapping[str, int]]) -> Flags:
        grades = (by.get(topic, {}).get(element, 0) for _, topic, element in pairs)
        return np.array([grade >= ideal_grade for grade in grades], dtype=np.bool_)

    systems, lists = list[str](), list[list[list[int]]]()
    for done, (name, file) in enumerate(named_runs(files), start=1):
        rankings = read_run(file)
        systems.append(name)
        lists.append([_codes(topic, rankings.get(topic, ()), code_of) for topic in topics])
        progress(done / len(files))
    lengths = np.array([[len(codes) for codes in by_topic] for by_topic in lists])
    codes = np.full((len(systems), len(topics), max(1, int(lengths.max()))), -1, dtype=np.int32)
    for system, by_topic in enumerate(lists):
        for number, of_list in enumerate(by_topic):
            codes[system, number, : len(of_list)] = of_list
    return Round(
        tuple(systems),
        topics,
        codes,
        lengths,
        np.array([number for number, *_ in pairs], dtype=np.int64),
        np.array([element in judged[topic] for _, topic, element in pairs], dtype=np.bool_),
        relevant(judged),
        {name: relevant(own) for name, own in more.items()},
    )


def _codes(topic: str, ranking: Sequence[str], code_of: Mapping[tuple[str, str], int]) -> list[int]:
    """Return the code at each rank; a repeated element finds nothing the second time."""
    first = {element: rank for rank, element in reversed(list(enumerate(ranking)))}
    return [
        code_of.get((topic, element), -1) if first[element] == rank else -1
        for rank, element in enumerate(ranking)
    ]


def at_least_two(thing: str, number: int, where: str) -> None:
    """Raise InputError for fewer than two."""
    if number < 2:
        rule = "be at least 2"
        raise InputError(f"number of {thing}", number, rule, remedy="give more", place=where)


# --- shallower pools, other assessors, fewer topics ----------------------------------------------


def pooled(round_: Round, depth: int) -> Flags:
    """Return what is relevant of the elements that some system has down to a rank.

    The pool that the same systems would have given; what is not in it counts as not relevant.
    """
    return round_.relevant & (round_.depths <= depth)


def pool_depths(round_: Round) -> list[int]:
    """Return depths 1, 2, 5, 10, 20, ... below the first that holds all relevant elements."""
    depths = round_.depths
    within = round_.relevant & (depths <= round_.codes.shape[2])
    deepest = int(depths[within].max(initial=1))
    steps = (step * 10**power for power in range(7) for step in (1, 2, 5))
    return [depth for depth in steps if depth < deepest]


def disturbed(round_: Round, dial: float, rng: np.random.Generator) -> Flags:
    """Return what another assessor finds relevant, who differs from the first by a dial.

    They reject each relevant element with probability `dial`, and accept each other judged element
    with a probability of its topic that keeps the expected number of relevant elements. So of what
    either takes for relevant, both do for some (1 - dial) / (1 + dial): .8 at dial .11, .43 at .4,
    as much as assessors of TREC were seen to share.
    """
    relevant, others = round_.relevant, round_.judged & ~round_.relevant
    lost = round_.num_relevant(relevant) * dial
    candidates = np.bincount(round_.topic_of[others], minlength=len(round_.topics))
    share = np.divide(lost, candidates, out=np.zeros(len(lost)), where=candidates > 0).clip(max=1)
    chance = np.where(relevant, 1 - dial, np.where(others, share[round_.topic_of], 0))
    accepted: Flags = rng.random(len(relevant)) < chance
    return accepted


def sample_means(scores: Floats, size: int, trials: int, rng: np.random.Generator) -> list[Floats]:
    """Return mean scores (measures, systems) over random samples of topics, none twice in one."""
    num_topics = scores.shape[2]
    samples = (rng.permutation(num_topics)[:size] for _ in range(trials))
    return [scores[:, :, sample].mean(axis=2) for sample in samples]
