"""What scores leave open beside the draw of topics: by the log of a navigation, or by judges."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from prum.experiments.compare.decision import Decision
from prum.experiments.compare.scores import Scores
from prum.experiments.frame.frames import frame_table, turned
from prum.experiments.frame.view import Table
from prum.experiments.statistics.intervals import normal_factor, student_factor
from prum.simulator.model.arrays import Floats


@dataclass(frozen=True, slots=True, eq=False)
class ErrorParts:
    """Errors of scores that more topics do not reduce, beside those that they do.

    Parameters
    ----------
    source
        "navigation", learned from a log, or "judges".
    label
        The heading of the table.
    deviations
        Standard deviation of each score by the source, shape (systems, topics, measures); NaN where
        it is not known.
    error_of
        The standard error by the source of the decisive measure's means, weighted by a contrast of
        systems: of the mean over all topics there might be.
    covariance
        By judges, of the systems' means over these topics, shape (measures, systems, systems); None
        of a navigation, of which decisions know nothing.
    notes
        What to know of the table.
    facts
        What JSON has beside the table.
    """

    source: str
    label: str
    deviations: Floats
    error_of: Callable[[Floats], float]
    covariance: Floats | None
    notes: tuple[str, ...]
    facts: Mapping[str, Any]

    def rows(
        self, scores: Scores, decision: Decision, top: int | None = None
    ) -> list[dict[str, Any]]:
        """Return means and differences, with halves of their intervals by each part and by both."""
        num = decision.num_topics
        each = dict(zip(scores.systems, np.eye(len(scores.systems)), strict=True))
        factor = student_factor(num - 1) if num > 1 else normal_factor()
        made = []
        for place in decision.ranked[:top]:
            values = decision.values[decision.systems.index(place.system)]
            topics = float(values.std(ddof=1)) / num**0.5 if num > 1 else math.nan
            made.append((place.system, place.mean, factor, topics, each[place.system]))
        for pair in decision.pairs[:top] if num > 1 else ():
            numbers = map(decision.systems.index, (pair.system, pair.other))
            compared = decision.compared.of(*numbers)
            contrast = each[pair.system] - each[pair.other]
            is_known = self.covariance is None
            counted = 0.0 if is_known else self.error_of(contrast) ** 2
            topics = max(compared.error**2 - counted, 0) ** 0.5
            critical = math.inf if is_known and compared.is_lost else compared.critical
            name = f"{pair.system} − {pair.other}"
            made.append((name, pair.difference, critical, topics, contrast))
        rows = []
        for name, value, factor, topics, contrast in made:
            error = self.error_of(contrast)
            both = error if math.isnan(topics) else math.hypot(topics, error)
            halves = {"topics": topics, self.source: error, "both": both}
            row = {"": name, "value": value} | {x: factor * half for x, half in halves.items()}
            if self.covariance is not None:
                these = self.covariance[scores.measures.index(decision.measure)]
                row["these topics"] = normal_factor() * max(contrast @ these @ contrast, 0.0) ** 0.5
            rows.append(row)
        return rows

    def table(self, scores: Scores, decision: Decision, top: int | None = None) -> Table:
        """Return the table of `rows`."""
        rows = self.rows(scores, decision, top)
        names = {name: f"{name} ±" for name in rows[0] if name} | {"value": decision.measure}
        return frame_table(self.label, turned(rows), dict.fromkeys(rows[0], ".4f"), names=names)
