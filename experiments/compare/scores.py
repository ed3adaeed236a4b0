"""Scores of systems on topics by measures, their means, and the tables they are written as."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from prum.experiments.statistics.intervals import mean_interval
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats

if TYPE_CHECKING:
    import pandas as pd


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
    """

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    values: Floats

    def by_name(self) -> "Scores":
        """Return the same scores, systems and topics in the order of their names."""
        systems, topics = (
            sorted(range(len(names)), key=names.__getitem__)
            for names in (self.systems, self.topics)
        )
        return Scores(
            self.measures,
            tuple(self.systems[at] for at in systems),
            tuple(self.topics[at] for at in topics),
            self.values[systems][:, topics],
        )

    def of(self, measure: int) -> Floats:
        """Return the scores of one measure on the topics that have them, (systems, topics)."""
        scores = self.values[:, :, measure]
        return scores[:, ~np.isnan(scores).any(axis=0)]

    def mean(self, system: int, measure: int) -> tuple[float, float, float, int]:
        """Return mean, ends of its 95 % interval over topics, and number of topics."""
        scores = self.of(measure)[system]
        if not len(scores):
            return np.nan, np.nan, np.nan, 0
        return *mean_interval(scores), len(scores)

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
        """Yield lines as trec_eval prints them: measure, topic or "all", value, by tabs.

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

    Raises
    ------
    InputError
        if there is no part.
    """
    if not parts:
        raise InputError("runs", (), "be at least one", remedy="name a run")
    values = np.concatenate([part.values for part in parts])
    values.setflags(write=False)
    systems = tuple(system for part in parts for system in part.systems)
    return Scores(parts[0].measures, systems, parts[0].topics, values)
