"""Runs and judgements of one's own: what systems and users estimate of the same documents."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from prum.analytic.adm.scales import calibration
from prum.simulator.collections.qrels import read_qrels
from prum.simulator.collections.run_files import named_runs
from prum.simulator.collections.trec import read_scored_run
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.model.errors import InputError, printable, shown
from prum.simulator.tables.files import FilePath, place, readable

# What makes scores estimates; the fitted are fitted to grades, those of the other topics.
Method = Literal["min-max", "rank", "isotonic", "logistic", "none"]
_FITTED = ("isotonic", "logistic")
# Estimates of one run that fit into memory with their jitters, a gigabyte or so.
_MOST_ESTIMATES = 2**24
_MOST_NOTICES = 12


@dataclass(frozen=True, slots=True, eq=False)
class _Listed:
    """What a run lists on a topic: the number of each document, -1 for none, and its score."""

    numbers: Ints
    scores: Floats


@dataclass(frozen=True, slots=True)
class RunDocuments:
    """How many documents of judged topics a run lists, and what is not known of them.

    `unjudged` are listed and not judged, `unlisted` judged and not listed; `lacks` are the topics
    that the run does not answer.
    """

    run: str
    listed: int
    unjudged: int
    unlisted: int
    lacks: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """The user's and the systems' estimates.

    Parameters
    ----------
    runs, topics
        Their names.
    ure
        Grades as shares of the highest, nan behind the last document; (topics, documents).
    documents
        Of each run.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    ure: Floats
    documents: tuple[RunDocuments, ...]
    _lists: tuple[tuple[_Listed, ...], ...]
    _method: Method

    def of(self, run: int) -> tuple[Floats, Flags]:
        """Return a run's SREs, and which of them it gave; shape (topics, documents).

        What it does not list has SRE 0.

        Raises
        ------
        InputError
            if there is nothing to fit a calibration to.
        """
        sre, own = np.where(np.isnan(self.ure), np.nan, 0.0), np.zeros(self.ure.shape, np.bool_)
        for topic, listed in enumerate(self._lists[run]):
            if listed.scores.size:
                known = listed.numbers >= 0
                sre[topic, listed.numbers[known]] = self._estimated(run, topic)[known]
                own[topic, listed.numbers[known]] = True
        return sre, own

    def _estimated(self, run: int, topic: int) -> Floats:
        scores = self._lists[run][topic].scores
        if self._method == "none":
            return scores
        if self._method not in _FITTED:
            return calibration(self._method, scores).of(scores)
        others = [
            (listed.scores[listed.numbers >= 0], ure[listed.numbers[listed.numbers >= 0]])
            for number, (listed, ure) in enumerate(zip(self._lists[run], self.ure, strict=True))
            if number != topic
        ]
        seen, ures = (np.concatenate(parts) for parts in zip(*others, strict=True))
        if not seen.size:
            thing = f"judged documents that run {self.runs[run]} lists on other topics"
            remedy = "take min-max or rank, which are not fitted"
            raise InputError(f"number of {thing}", 0, "be at least 1", remedy=remedy)
        return calibration(self._method, seen, ures).of(scores)

    def notices(self) -> Iterator[str]:
        """Yield what is not known of the documents, in a line for each run, or one for many."""
        if len(self.runs) > _MOST_NOTICES:
            listed = sum(documents.listed for documents in self.documents)
            unjudged = sum(documents.unjudged for documents in self.documents)
            number = f"{unjudged:,} of {listed:,} documents"
            yield f"{number} listed by {len(self.runs)} runs are not judged"
            return
        for documents in self.documents:
            name = printable(documents.run)
            number = f"{documents.unjudged:,} of {documents.listed:,}"
            yield f"{name}: {number} listed documents are not judged"
            if documents.lacks:
                topics = ", ".join(map(printable, documents.lacks))
                yield f"{name}: no list, and so SRE 0, for {topics}"


def read_estimates(
    runs: Sequence[str], qrels: str, *, method: Method, keeps_unjudged: bool
) -> Estimates:
    """Return the estimates of runs on the topics of qrels.

    The documents of a topic are those judged; or, with `keeps_unjudged`, what some run lists too,
    with a URE of 0. Grades below 0 are no judgements. Topics that were not judged are passed over.

    Raises
    ------
    InputError
        as the readers and `named_runs`; if no grade is above 0, for fewer than two judged topics,
        for a run that has none of them, and without calibration for a score outside [0, 1].
    OSError
        if a file cannot be read.
    """
    grades = {
        topic: {x: grade for x, grade in by.items() if grade >= 0}
        for topic, by in read_qrels(qrels).items()
    }
    grades = {topic: by for topic, by in grades.items() if by}
    highest = max((grade for by in grades.values() for grade in by.values()), default=0)
    if highest < 1:
        remedy = "judge some document relevant"
        raise InputError(
            "highest grade", highest, "be at least 1", remedy=remedy, place=place(qrels)
        )
    if len(grades) < 2:
        thing, remedy = "number of judged topics", "an interval needs two topics at least"
        raise InputError(thing, len(grades), "be at least 2", remedy=remedy, place=place(qrels))
    numbers = {topic: {x: at for at, x in enumerate(by)} for topic, by in grades.items()}
    names, lists, documents = list[str](), list[tuple[_Listed, ...]](), list[RunDocuments]()
    for name, path in named_runs(runs):
        names.append(name)
        scored = read_scored_run(path)
        if grades.keys().isdisjoint(scored):
            rule = f"be among those judged, like {shown(next(iter(grades)))}"
            remedy = "check that run and qrels belong together"
            thing, some = "topics of a run", list(scored)[:3]
            raise InputError(thing, some, rule, remedy=remedy, place=place(path))
        if method == "none":
            _check_estimates(scored, path)
        documents.append(_documents(name, scored, grades))
        lists.append(
            tuple(
                _listed(scored.get(topic, {}), numbers[topic], keeps_unjudged) for topic in grades
            )
        )
    most = max(map(len, numbers.values()))
    if most * len(grades) > _MOST_ESTIMATES:
        thing, rule = "number of estimates of a run", f"be at most {_MOST_ESTIMATES:,}"
        remedy = "leave unjudged documents out, or give fewer topics or runs"
        raise InputError(thing, most * len(grades), rule, remedy=remedy)
    ure = np.full((len(grades), most), np.nan)
    for row, (topic, by) in zip(ure, grades.items(), strict=True):
        row[: len(numbers[topic])] = 0
        row[: len(by)] = np.array(list(by.values())) / highest
    return Estimates(tuple(names), tuple(grades), ure, tuple(documents), tuple(lists), method)


def _listed(scored: Mapping[str, float], numbers: dict[str, int], keeps_unjudged: bool) -> _Listed:
    if keeps_unjudged:
        for document in scored:
            numbers.setdefault(document, len(numbers))
    codes = np.array([numbers.get(document, -1) for document in scored], dtype=np.int64)
    return _Listed(codes, np.array(list(scored.values()), dtype=np.float64))


def _documents(
    name: str,
    scored: Mapping[str, Mapping[str, float]],
    grades: Mapping[str, Mapping[str, int]],
) -> RunDocuments:
    pairs = [(scored.get(topic, {}), by) for topic, by in grades.items()]
    both = sum(len(listed.keys() & by.keys()) for listed, by in pairs)
    return RunDocuments(
        readable(name),
        sum(len(listed) for listed, _ in pairs),
        sum(len(listed) for listed, _ in pairs) - both,
        sum(len(by) for _, by in pairs) - both,
        tuple(topic for topic in grades if topic not in scored),
    )


def _check_estimates(scored: Mapping[str, Mapping[str, float]], path: FilePath) -> None:
    for topic, scores in scored.items():
        for document, score in scores.items():
            if not 0 <= score <= 1:
                thing, rule = f"score of {shown(document)}", "lie in [0, 1] to be an estimate"
                remedy = "take another calibration than none"
                where = f"{place(path)}, topic {topic}"
                raise InputError(thing, score, rule, remedy=remedy, place=where)
