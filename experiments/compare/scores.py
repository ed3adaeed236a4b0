"""Scores of systems on topics by measures, their means, and the rows that they are made of."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from prum.experiments.statistics.intervals import mean_interval
from prum.experiments.statistics.repeated import trial_variances
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Flags, Floats
from prum.simulator.tables.layout import is_unicode
from prum.simulator.tables.names import OF_TRIAL

if TYPE_CHECKING:
    import pandas as pd

Missing = Literal["refuse", "drop", "zero"]
MISSING: tuple[Missing, ...] = ("refuse", "drop", "zero")
# The measure of scores that do not say what they are.
UNNAMED = "score"
_MOST_NAMED = 3
# Squares of larger scores are no numbers.
_LARGEST = 1e100
# As `OF_TRIAL` names it.
_TRIAL = re.compile(r"(.+) \(trial .+\)")


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Scores of systems on topics by measures.

    Parameters
    ----------
    measures, systems, topics
        What was scored by what.
    values
        Shape (systems, topics, measures); NaN where a topic has no such value, as precision at
        the fifth ideal of four.
    shared
        Where ideals are uncertain, the covariance of the systems' means by what that leaves open on
        all topics at once, shape (measures, systems, systems); intervals and decisions then have it
        beside the variance by topics. So have they what trials add where there are some.
    trials
        Where systems ran several times, the scores of each time, shape (systems, trials, topics,
        measures), NaN behind the trials of a system that has fewer; `values` are their means.
    """

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    values: Floats
    shared: Floats | None = None
    trials: Floats | None = None

    def by_name(self) -> "Scores":
        """Return the same scores, systems and topics in the order of their names."""
        systems, topics = (
            sorted(range(len(names)), key=names.__getitem__)
            for names in (self.systems, self.topics)
        )
        return Scores(
            self.measures,
            tuple(self.systems[row] for row in systems),
            tuple(self.topics[row] for row in topics),
            self.values[systems][:, topics],
            None if self.shared is None else self.shared[:, systems][:, :, systems],
            None if self.trials is None else self.trials[systems][:, :, topics],
        )

    def shared_by(self, measure: int) -> Floats:
        """Return the covariance of means that topics share, (systems, systems); 0 without."""
        num = len(self.systems)
        return np.zeros((num, num)) if self.shared is None else self.shared[measure]

    def repeats(self, measure: int) -> list[Floats]:
        """Return each system's scores on the topics that have them, (trials, topics)."""
        trials = self.values[:, None] if self.trials is None else self.trials
        kept = ~np.isnan(self.values[:, :, measure]).any(axis=0)
        each = trials[:, :, kept, measure]
        return [scored[~np.isnan(scored).any(axis=1)] for scored in each]

    def scale(self, measure: int) -> float:
        """Return how far scores of a measure, and 0, are apart: no interval is wider."""
        scores = self.of(measure)
        return float(scores.max(initial=0) - scores.min(initial=0)) or np.inf

    def of(self, measure: int) -> Floats:
        """Return the scores of one measure on the topics that have them, (systems, topics)."""
        scores = self.values[:, :, measure]
        return scores[:, ~np.isnan(scores).any(axis=0)]

    def mean(self, system: int, measure: int) -> tuple[float, float, float, int]:
        """Return mean, ends of its 95 % interval over topics, and number of topics."""
        scores = self.of(measure)[system]
        if not len(scores):
            return np.nan, np.nan, np.nan, 0
        shared = self.shared_by(measure)[system, system]
        return *mean_interval(scores, shared, self.scale(measure)), len(scores)

    def means(self) -> Floats:
        """Return the mean over topics of each system and measure, (systems, measures)."""
        return np.array(
            [
                [self.mean(system, measure)[0] for measure in range(len(self.measures))]
                for system in range(len(self.systems))
            ]
        )

    def frame(self) -> "pd.DataFrame":
        """Return a table with a row for each system, topic and measure."""
        import pandas as pd

        shape = self.values.shape
        system, topic, measure = (axis.ravel() for axis in np.indices(shape))
        return pd.DataFrame(
            {
                "system": np.array(self.systems, dtype=object)[system],
                "topic": np.array(self.topics, dtype=object)[topic],
                "measure": np.array(self.measures, dtype=object)[measure],
                "score": self.values.ravel(),
            }
        )

    def trec_lines(self) -> Iterator[str]:
        """Yield lines as trec_eval 10 prints them: measure, topic or "all", value, by tabs.

        Before the lines of each run stands one that names it. Names of measures have no blanks
        there: Coverage@500_tokens.
        """
        names = [measure.replace(" ", "_") for measure in self.measures]
        for system, name in enumerate(self.systems):
            yield f"{'runid':<22}\tall\t{name}"
            for number, measure in enumerate(names):
                scores = self.values[system, :, number]
                for topic, score in zip(self.topics, scores, strict=True):
                    if not np.isnan(score):
                        yield f"{measure:<22}\t{topic}\t{score:.4f}"
            for number, measure in enumerate(names):
                mean = self.mean(system, number)[0]
                if not np.isnan(mean):
                    yield f"{measure:<22}\tall\t{mean:.4f}"


def joined(parts: Sequence[Scores]) -> Scores:
    """Return the scores of all systems together, of the same topics by the same measures.

    Raise InputError if there is no part.
    """
    if not parts:
        raise InputError("runs", (), "be at least one", remedy="name a run")
    values = np.concatenate([part.values for part in parts])
    values.setflags(write=False)
    systems = tuple(system for part in parts for system in part.systems)
    return Scores(parts[0].measures, systems, parts[0].topics, values)


class ScoreRow(NamedTuple):
    """A score; NaN where the measure has no value on the topic. `place` is for messages."""

    system: str
    topic: str
    measure: str
    score: float
    place: str = ""
    trial: str = ""


def gathered(
    rows: Iterable[ScoreRow], *, measures: Sequence[str] = (), missing: str = "refuse"
) -> tuple[Scores, tuple[str, ...]]:
    """Return the scores of some rows, and what was done about those that are missing.

    Systems, topics and measures come in the order of the rows; `measures` chooses some, in its own
    order. A topic on which some system has a score by a measure is missing where another has none:
    that is refused; or the topic is left out of this measure ("drop"); or it counts 0 ("zero"). So
    is a topic that one trial of a system lacks.

    Raise InputError if there is no row, a score is there twice or beyond 1e100, a measure is none
    of the rows', or scores are missing and refused.
    """
    if missing not in MISSING:
        raise InputError("missing", missing, f"be one of {', '.join(MISSING)}", remedy="choose one")
    systems, topics, numbers = dict[str, int](), dict[str, int](), dict[str, int]()
    seen = dict[tuple[int, int, int], float]()
    for system, topic, measure, score, place, trial in rows:
        system = OF_TRIAL.format(system, trial) if trial else system
        key = (
            systems.setdefault(system, len(systems)),
            topics.setdefault(topic, len(topics)),
            numbers.setdefault(measure, len(numbers)),
        )
        if key in seen:
            raise InputError(
                f"score of {system} on topic {topic} by {measure}",
                score,
                "be given once",
                remedy="leave the row out, or name systems and measures apart",
                place=place,
            )
        if abs(score) > _LARGEST:
            thing = f"score of {system} on topic {topic} by {measure}"
            rule = f"be finite and at most {_LARGEST:g} in size"
            remedy = "leave it empty where there is no value"
            raise InputError(thing, score, rule, remedy=remedy, place=place)
        seen[key] = score
    if not seen:
        raise InputError("number of scores", 0, "be at least 1", remedy="check what wrote them")
    for thing, names_of in (("system", systems), ("topic", topics), ("measure", numbers)):
        for name in names_of:
            if not is_unicode(name):
                rule = "be a string of Unicode characters"
                raise InputError(f"name of a {thing}", name, rule, remedy="rename it")
    values = np.full((len(systems), len(topics), len(numbers)), np.nan)
    there = np.zeros(values.shape, dtype=bool)
    cells = tuple(np.array(list(seen)).T)
    values[cells], there[cells] = list(seen.values()), True
    chosen = _chosen(list(numbers), measures)
    values, there = values[:, :, chosen], there[:, :, chosen]
    names = tuple(np.array(list(numbers), dtype=object)[chosen])
    absent = there.any(axis=0) & ~there
    remarks = tuple[str, ...]()
    if absent.any():
        what = _absent(absent, tuple(systems), tuple(topics), names)
        if missing == "refuse":
            raise InputError(
                f"number of scores missing, {what},",
                int(absent.sum()),
                "be 0",
                remedy="give them, or take --missing drop (missing='drop'), which leaves these "
                "topics out for all systems, or zero",
            )
        done = "those topics are left out" if missing == "drop" else "they count as 0"
        remarks = (f"scores missing, {done}: {what}",)
        if missing == "zero":
            values[absent] = 0
    kept: Flags = np.asarray(~np.isnan(values).all(axis=(0, 2)))
    if not kept.any():
        raise InputError("number of scores", 0, "be at least 1", remedy="check what wrote them")
    values = values[:, kept]
    values.setflags(write=False)
    of_topics = tuple(np.array(list(topics), dtype=object)[kept])
    return folded(Scores(names, tuple(systems), of_topics, values)), remarks


def folded(scores: Scores) -> Scores:
    """Return the scores of systems whose trials were read as systems, by their names."""
    rows: dict[str, list[int]] = {}
    for number, name in enumerate(scores.systems):
        trial = _TRIAL.fullmatch(name)
        rows.setdefault(name if trial is None else trial[1], []).append(number)
    if len(rows) == len(scores.systems):
        return scores
    trials = [scores.values[places] for places in rows.values()]
    values = np.stack([of_system.mean(axis=0) for of_system in trials])
    values.setflags(write=False)
    return with_trials(Scores(scores.measures, tuple(rows), scores.topics, values), trials)


def with_trials(scores: Scores, repeats: Sequence[Floats]) -> Scores:
    """Return scores with each system's trials, (trials, topics, measures), if any has several."""
    most = max(map(len, repeats))
    if most < 2:
        return scores
    trials = np.full((len(repeats), most, *scores.values.shape[1:]), np.nan)
    for row, (filled, of_system) in enumerate(zip(trials, repeats, strict=True)):
        alone = of_system if len(of_system) else scores.values[row, None]
        filled[: len(alone)] = alone
    made = replace(scores, trials=trials)
    each = [made.repeats(measure) for measure in range(len(made.measures))]
    return replace(made, shared=np.stack([trial_variances(scored) for scored in each]))


def _chosen(names: list[str], measures: Sequence[str]) -> list[int]:
    for measure in measures:
        if measure not in names:
            rule = f"be one of {', '.join(names)}"
            raise InputError("measure", measure, rule, remedy="name one of these")
    return [names.index(measure) for measure in dict.fromkeys(measures or names)]


def _absent(
    absent: Flags, systems: Sequence[str], topics: Sequence[str], measures: Sequence[str]
) -> str:
    """Return which systems lack most scores, by which measures, and on which topics."""
    counts = Counter(dict(zip(systems, absent.sum(axis=(1, 2)).tolist(), strict=True)))
    parts = []
    for system, number in counts.most_common(_MOST_NAMED):
        if number:
            lacks = absent[systems.index(system)]
            by, of = _few(measures, lacks.any(axis=0)), _few(topics, lacks.any(axis=1))
            parts.append(f"{number:,} of {system} by {by} (topics {of})")
    others = sum(number > 0 for number in counts.values()) - len(parts)
    return ", ".join(parts) + (f" and of {others} other systems" if others else "")


def _few(names: Sequence[str], chosen: Flags) -> str:
    first = [names[number] for number in np.flatnonzero(chosen).tolist()]
    return ", ".join(first[:_MOST_NAMED]) + ", …" * (len(first) > _MOST_NAMED)
