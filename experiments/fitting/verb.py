"""The verb `fit`: from a log of people, or machines, to how they browse."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, get_args

from prum.experiments.fitting.design import FIT, FitDesign
from prum.experiments.fitting.features import (
    FeatureTable,
    LinkFeatures,
    link_features,
    read_features,
)
from prum.experiments.fitting.fit_result import FitResult
from prum.experiments.fitting.fitted_visits import Base, VisitEstimator
from prum.experiments.fitting.held_out import judge
from prum.experiments.fitting.types import TypesEstimator
from prum.experiments.fitting.walk import BASES, WalkEstimator
from prum.experiments.logs.log_summary import LogWatch
from prum.experiments.logs.trials import Trials, trials_or_sessions
from prum.simulator.collections.linking import read_trees
from prum.simulator.collections.links import read_elements, read_links, read_pairs
from prum.simulator.model import Elements, InputError, Links
from prum.simulator.tables.read import is_one_table

WALK, VISITS, TYPES = "walk", "independent", "types"
_BASES = frozenset((*BASES, *get_args(Base)))


@FIT.function
def fit(design: FitDesign) -> FitResult:
    """Learn from a log how people browse, as `prum fit` does.

    Raises
    ------
    InputError
        as `sessions_of`, the readers and the estimators.
    OSError
        if a file cannot be read.

    >>> sessions = [["a", "b"], ["a", "b", "<", "c"]]
    >>> result = fit(sessions, {("a", "b"): 1, ("a", "c"): 1}, test=[["a", "b"]])
    >>> result.held_out.perplexity < 2
    True
    """
    estimator = _estimator(design)
    table, trees = _links(design.links), _elements(design.elements)
    watch, test_watch, report = LogWatch(), LogWatch(), None
    own = {"elements": trees, "features": _features(design.features, table, trees)}
    log, test = design.log, design.test
    # Whose visits are independent: logs that are made say why users stop.
    reasons_in = table if isinstance(estimator, VisitEstimator) else None
    how: dict[str, Any] = {
        "reasons_in": reasons_in,
        "back": design.back,
        "tools": design.tools,
        "skip_strays": design.skip_strays,
    }
    fitted = estimator.fit(trials_or_sessions(log, watch, **how), table, **own)
    if test is not None:
        held_out: Any = trials_or_sessions(test, test_watch, **how)
        if not isinstance(held_out, Trials):
            held_out = list(held_out)
            # What strays is refused, unless it was asked to be left out.
            fitted.score(held_out)
        report = judge(fitted, held_out, seed=design.seed)
    return FitResult(
        fitted=fitted,
        log=watch.summary,
        held_out=report,
        held_out_log=None if report is None else test_watch.summary,
    )


def _estimator(design: FitDesign) -> Any:
    """Return what learns a navigation of this name.

    Raise InputError for another name, and as the estimators.
    """
    base = design.base
    word, _, number = design.navigation.strip().partition(" ")
    chosen: dict[str, Any] = {} if base is None else {"base": _base(base)}
    chosen["skip_strays"] = design.skip_strays
    if word == WALK and not number:
        return WalkEstimator(**chosen)
    if word == VISITS and not number:
        return VisitEstimator(**chosen)
    if word == TYPES:
        if number and not number.strip().isdigit():
            rule, remedy = "be a whole number", f"write {TYPES} 2, say, or {TYPES} alone"
            raise InputError("number of types", number, rule, remedy=remedy)
        return TypesEstimator(int(number) if number else None, seed=design.seed, **chosen)
    rule = f"be one of {', '.join((WALK, VISITS, TYPES))}"
    raise InputError("navigation to learn", design.navigation, rule, remedy=f"write {WALK}, say")


def _base(base: Any) -> Any:
    """Return a word, whatever file or folder is called so, or a hypothesis as links."""
    if isinstance(base, str) and (base in _BASES or not os.path.exists(base)):
        return base
    is_file = isinstance(base, str | os.PathLike)
    return read_links(base) if is_file or is_one_table(base) else base


def _links(links: Any) -> Links:
    if isinstance(links, Links):
        return links
    if isinstance(links, str | os.PathLike) or is_one_table(links):
        return read_pairs(links)
    if isinstance(links, Mapping):
        return Links(links)
    if not isinstance(links, Iterable) or isinstance(links, bytes):
        remedy = 'give [("a", "b")], say'
        raise InputError("links", links, "be a file, a table, or pairs", remedy=remedy)
    return Links(dict.fromkeys(map(_pair, links), 1.0))


def _pair(link: Any) -> Any:
    """Return what may be the key of a mapping, for `Links` to judge."""
    return link if isinstance(link, str) or not isinstance(link, Iterable) else tuple(link)


def _elements(elements: Any) -> Elements | None:
    if elements is None or isinstance(elements, Elements):
        return elements
    if isinstance(elements, str | Path):
        elements = [elements]
    if is_one_table(elements) or not isinstance(elements, list | tuple):
        return read_elements(elements)
    return read_trees(elements) if elements else None


def _features(features: Any, links: Links, elements: Elements | None) -> LinkFeatures | None:
    """Return features of links, None for those that the estimator finds itself."""
    if features is None or isinstance(features, LinkFeatures):
        return features
    table = features if isinstance(features, FeatureTable) else read_features(features)
    return link_features(links, elements, table)
