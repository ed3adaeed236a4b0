"""Independent visits, learned from a log: P(x -> y) of each link, by shares that are shrunk."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from prum.experiments.fitting.beta import beta_base
from prum.experiments.fitting.fitted_visits import FittedVisits
from prum.experiments.logs import Trials, VisitCounts, VisitReader, sessions_of, turns_of
from prum.experiments.logs.visit_counts import Pair
from prum.simulator.model import InputError, Links
from prum.simulator.model.arrays import Flags, Floats, Ints

Base = Literal["shares", "uniform", "targets", "both", "features"]
_BASES = ("shares", "uniform", "targets", "features", "both")


@dataclass(frozen=True, slots=True)
class VisitEstimator:
    """Learns independent visits: P(x -> y) for each link, whatever else people visit from x.

    A path is a consultation of the element entered at; whatever was visited on it was visited from
    there, each once. A path at whose end the log was cut is one that was broken off: if it is known
    in which order people look, it counts up to the last visit; if not, it is left out, which is
    right if what they saw is not why they broke off (`Consultations`).

    Given p, the number of visits of n trials is binomial; p is Beta(c m, c (1 - m)) before, so
    Beta(c m + k, c (1 - m) + n - k) after k visits. The means and the concentration c come from
    marginal likelihood (`beta_base`) and are then held as known.

    Parameters
    ----------
    base
        What m is of: nothing ("shares": c = 0, so that each probability is the share of visits
        among trials, as `observed` has it), all links ("uniform"), the links to the same target
        from elsewhere, as far as these tell ("targets"), features ("features"), or "both".
    skip_strays
        Leave out visits along no link, rather than refuse them.

    Raises
    ------
    InputError
        for another base.
    """

    base: Base = "targets"
    skip_strays: bool = False

    def __post_init__(self) -> None:
        if self.base not in _BASES:
            rule = f"be one of {', '.join(_BASES)}"
            raise InputError("base", self.base, rule, remedy="leave it out for targets")

    def fit(
        self,
        log: Any,
        links: Links,
        *,
        elements: Iterable[str] = (),
        order: Iterable[Pair] | None = None,
        features: Floats | None = None,
    ) -> "FittedVisits":
        """Return what a log tells of links.

        Parameters
        ----------
        log
            What `sessions_of` takes, or the `Trials` of a log with reasons: their turns if an order
            is known there, else those who could not stop, else all.
        links
            Whose pairs may be visited; its probabilities mean nothing here, nor do pairs (x, x).
        elements
            Known ones besides those of the links.
        order
            Pairs as people look at them from each element, all those of the links.
        features
            Columns for each row of links, of mean 0 and deviation 1; shape (len(links), d).

        Raises
        ------
        InputError
            as `VisitReader`; for a base with features and no such columns.

        >>> links = Links({("x", "a"): 1, ("x", "b"): 1})
        >>> fitted = VisitEstimator("shares").fit([["x", "a"], ["x", "a", "<", "b"], ["x"]], links)
        >>> fitted.navigation
        Independent({('x', 'a'): 0.6666666666666666, ('x', 'b'): 0.3333333333333333})
        """
        away = links.sources != links.targets
        own = links if away.all() else _chosen(links, away)
        turns = None if order is None else turns_of(own, order)
        if isinstance(log, Trials):
            counts = log.visit_counts(own)
        else:
            reader = VisitReader(own, elements=elements, turns=turns, skip_strays=self.skip_strays)
            counts = reader.counts(sessions_of(log))
        if self.base == "shares":
            return FittedVisits(asdict(self), counts, turns, np.zeros(len(own)), 0.0, {})
        columns = None
        if self.base in ("features", "both"):
            if features is None:
                rule, remedy = "have features", "give columns, or take the base targets"
                raise InputError("base", self.base, rule, remedy=remedy)
            columns = features[away]
        others = _elsewhere(counts) if self.base in ("targets", "both") else None
        base = beta_base(counts.seen, counts.tried, columns, others)
        learned = {"intercept": base.intercept, "weights": base.weights.tolist()}
        if others is not None:
            learned["pooling"] = base.pooling
        return FittedVisits(asdict(self), counts, turns, base.means, base.concentration, learned)


def _chosen(links: Links, rows: Flags) -> Links:
    """Return some rows of links."""
    names = links.elements
    return Links.from_columns(
        [names[x] for x in links.sources[rows].tolist()],
        [names[y] for y in links.targets[rows].tolist()],
        links.probabilities[rows],
    )


def _elsewhere(counts: VisitCounts) -> tuple[Ints, Ints]:
    """Return how often each link's target was seen, and tried, from other sources."""
    targets, size = counts.links.targets, len(counts.links.elements)
    seen, tried = (
        np.bincount(targets, part, size)[targets].astype(np.int64) - part
        for part in (counts.seen, counts.tried)
    )
    return seen, tried
