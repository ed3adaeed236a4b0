"""How a walk is learned from a log."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from prum.experiments.fitting.choices import DRAWS, choice_law
from prum.experiments.fitting.features import link_features
from prum.experiments.fitting.fitted import check_base
from prum.experiments.fitting.fitted_walk import FittedWalk, return_rows
from prum.experiments.fitting.laws import LOG_CONCENTRATION, beta_belief, log_evidence
from prum.experiments.logs.counts import step_counts
from prum.experiments.logs.read import read_sessions
from prum.simulator.model import Elements, InputError, Links
from prum.simulator.model.arrays import Floats, Ints

BASES = ("uniform", "features", "targets", "features+targets")


@dataclass(frozen=True, slots=True)
class WalkEstimator:
    """Learns a walk, with stops and back clicks, from what people did: empirical Bayes.

    Probabilities of stopping and going back are Beta, those of choices among an element's links
    Dirichlet around a base; means, concentrations and the base itself are those under which the
    log is most probable, all probabilities integrated out.

    Links from an element to itself are no choices, unless people take such.

    Parameters
    ----------
    base
        What choices are believed to be before anybody chooses at an element: "uniform"; "features"
        of links; "targets", by what each is worth wherever people choose; or "features+targets".
    skip_strays
        Leave out moves along no link, rather than refuse them.

    >>> links = Links({("a", "b"): 1, ("a", "c"): 1, ("b", "a"): 1})
    >>> walk = WalkEstimator(base="uniform").fit([["a", "b", "<", "c"], ["a", "b"]], links)
    >>> round(walk.score([["a", "b"]]), 3)
    0.551
    """

    base: str = "features+targets"
    skip_strays: bool = False

    def __post_init__(self) -> None:
        check_base(self.base, BASES)

    def fit(self, log: Any, links: Links, elements: Elements | None = None) -> FittedWalk:
        """Return the walk that people's steps tell of.

        Parameters
        ----------
        log
            As `read_sessions` takes it.
        links
            Along which people may move; its probabilities mean nothing here.
        elements
            Those of the collection: they are known besides those of the links, and have features.
        """
        ids, sessions = () if elements is None else elements.ids, read_sessions(log)
        counts = step_counts(sessions, links, elements=ids, skip_strays=self.skip_strays)
        if not counts.entries.any():
            remedy = "check the names of elements"
            raise InputError("number of visits in the log", 0, "be at least 1", remedy=remedy)
        moves, is_loop = counts.moves, links.sources == links.targets
        how: dict[str, Any] = {"by_target": "targets" in self.base}
        how["offset"] = np.where(is_loop & (moves[is_loop].sum() == 0), -np.inf, 0.0)
        if "features" in self.base:
            varied = link_features(links, elements).choosing(links)
            how |= {"names": varied.names, "features": varied.values}
        beliefs = (1.0, 1.0), (1.0, 0.0), (0.0, 1.0), 1.0
        walk = FittedWalk(counts, choice_law(links, moves, **how), *beliefs, self.skip_strays)
        linked = ~walk.is_leaf
        left = counts.moved + counts.backs
        rng, draws = np.random.default_rng(0), dict[str, Floats]()

        def learned(name: str, successes: Ints, trials: Ints) -> None:
            nonlocal walk
            mode, draws[name] = beta_belief(successes, trials, DRAWS, rng)
            changed: dict[str, Any] = {name: mode}
            walk = replace(walk, **changed)

        learned("stops", counts.stops[linked], (left + counts.stops)[linked])
        if counts.backs.any():
            stopped = np.maximum(counts.stops - counts.entries, 0)[~linked]
            learned("leaf_stops", stopped, stopped + counts.backs[~linked])
            learned("backs", counts.backs[linked], (left - counts.first_moves)[linked])
            origins, _, believed, returned = return_rows(counts, walk.shares)
            centre, width = LOG_CONCENTRATION

            def negative(log: float) -> float:
                shapes = np.exp(log) * believed
                evidence = log_evidence(returned, shapes, origins, len(counts.elements)).sum()
                return -float(evidence) + ((log - centre) / width) ** 2 / 2

            log = minimize_scalar(negative, bounds=(-10, 20), method="bounded").x
            walk = replace(walk, return_concentration=float(np.exp(log)))
        for name in ("leaf_stops", "backs"):
            draws.setdefault(name, np.tile(getattr(walk, name), (DRAWS, 1)))
        return replace(walk, draws=draws)
