"""A round of runs as arrays: which judged element stands at which rank of which list."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from prum.analytic.utility.batch import utilities
from prum.simulator.collections import read_qrels, read_run
from prum.simulator.collections.run_files import named_runs, run_files
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Counts, Flags, Floats, Ints
from prum.simulator.tables.files import place

# The paper normalises total utility and what does not lie in [0, 1] by itself.
NORMALISED = ("RBTR", "DCG", "SumRR", "ARR")
# Lists that are scored at once.
_AT_ONCE = 600


@dataclass(frozen=True, slots=True)
class Round:
    """Runs of several systems on judged topics.

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
    relevant, deeper
        Which are relevant by the original judgements, and by deeper ones, if there are any.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    codes: Counts
    lengths: Ints
    topic_of: Ints
    judged: Flags
    relevant: Flags
    deeper: Flags | None

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
        plain = [place for place, name in enumerate(names) if name not in NORMALISED]
        normalised = [place for place, name in enumerate(names) if name in NORMALISED]
        for begin in range(0, len(codes), _AT_ONCE):
            rows = np.arange(begin, min(begin + _AT_ONCE, len(codes)))
            rows = rows[num_relevant[rows] > 0]
            relevance = by_code[codes[rows]]
            for columns, is_normalised in ((plain, False), (normalised, True)):
                if columns:
                    out[np.ix_(rows, np.array(columns))] = utilities(
                        [names[column] for column in columns],
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
    deeper: str | Path | None = None,
    ideal_grade: int = 1,
    progress: Callable[[float], object] | None = None,
) -> Round:
    """Return a round from TREC runs and qrels, and deeper qrels of the same topics.

    Topics are those with a relevant element in the qrels. A topic that a run lacks is an empty
    list.

    Raises InputError as the readers, for fewer than two runs or topics, two runs of one name, and
    deeper judgements that share no topic; OSError if a file cannot be read.
    """
    judged = read_qrels(qrels)
    more = {} if deeper is None else read_qrels(deeper)
    topics = tuple(
        topic for topic, grades in judged.items() if any(g >= ideal_grade for g in grades.values())
    )
    _at_least_two("topics with a relevant element", len(topics), place(qrels))
    _at_least_two("runs", len(runs), "")
    if deeper is not None and not set(topics) & set(more):
        thing, rule = (
            "topics of deeper judgements",
            f"be those of {place(qrels)}, like {topics[0]!r}",
        )
        remedy = "check that the files belong together"
        raise InputError(thing, list(more)[:3], rule, remedy=remedy, place=place(deeper))
    code_of: list[dict[str, int]] = []
    topic_of, flags = list[int](), list[tuple[bool, bool, bool]]()
    for number, topic in enumerate(topics):
        first, second = judged[topic], more.get(topic, {})
        codes_of_topic = dict[str, int]()
        for element in {**first, **second}:
            codes_of_topic[element] = len(topic_of)
            topic_of.append(number)
            is_relevant = first.get(element, 0) >= ideal_grade
            flags.append((element in first, is_relevant, second.get(element, 0) >= ideal_grade))
        code_of.append(codes_of_topic)
    is_judged, is_relevant_first, is_relevant_deeper = np.array(flags, dtype=np.bool_).T
    systems, lists = list[str](), list[list[Counts]]()
    files = run_files(runs)
    for done, (name, file) in enumerate(named_runs(files), start=1):
        rankings = read_run(file)
        systems.append(name)
        ranked = zip((rankings.get(topic, ()) for topic in topics), code_of, strict=True)
        lists.append([np.array(_once(*of_topic), np.int32) for of_topic in ranked])
        if progress is not None:
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
        np.array(topic_of, dtype=np.int64),
        is_judged,
        is_relevant_first,
        None if deeper is None else is_relevant_deeper,
    )


def _once(ranking: Sequence[str], code_of: Mapping[str, int]) -> list[int]:
    """Return the code at each rank; a repeated element finds nothing the second time."""
    codes = [code_of.get(element, -1) for element in ranking]
    if len(set(ranking)) < len(ranking):
        seen = set[int]()
        for rank, code in enumerate(codes):
            codes[rank] = -1 if code in seen else code
            seen.add(code)
    return codes


def _at_least_two(thing: str, number: int, where: str) -> None:
    if number < 2:
        rule = "be at least 2"
        raise InputError(f"number of {thing}", number, rule, remedy="give more", place=where)
