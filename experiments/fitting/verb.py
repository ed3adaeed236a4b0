"""The verb `fit`: from a log of people, or machines, to how they browse."""

import os
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from prum.experiments.fitting.feature_table import FeatureTable, read_features
from prum.experiments.fitting.features import LinkFeatures, link_features
from prum.experiments.fitting.fit_result import FitResult
from prum.experiments.fitting.held_out import judge
from prum.experiments.fitting.types import TypesEstimator
from prum.experiments.fitting.visits import Base, VisitEstimator
from prum.experiments.fitting.walk import BASES, WalkEstimator
from prum.experiments.logs.any_log import sessions_of
from prum.experiments.logs.log_summary import LogWatch
from prum.experiments.logs.sessions import BACK
from prum.experiments.logs.simulated import is_simulated, simulated_trials
from prum.simulator.collections.linking import read_trees
from prum.simulator.collections.links import read_links, read_pairs
from prum.simulator.model import Elements, InputError, Links
from prum.simulator.tables.files import readable

WALK, VISITS, TYPES = "walk", "independent", "types"
_BASES = frozenset((*BASES, *get_args(Base)))


def fit(
    log: Any,
    links: Any,
    *,
    elements: Any = None,
    features: Any = None,
    navigation: str = WALK,
    order: int = 1,
    base: Any = None,
    back: str | None = BACK,
    skip_strays: bool = False,
    test: Any = None,
    seed: int = 1,
) -> FitResult:
    """Learn from a log how people browse, as `prum fit` does.

    Parameters
    ----------
    log
        What `sessions_of` takes: a file with the columns session, element and at will time, person
        and entry (docs/howto/fitting.md), a data frame, `Sessions`, or sequences of elements.
    links
        Along which people may move: a file with the columns source and target, `Links`, pairs or a
        mapping from pairs, or a data frame. Probabilities mean nothing.
    elements
        The trees that elements stand in, which give links features: files, or `Elements`.
    features
        A file of columns about elements or links, or a `FeatureTable`; or `LinkFeatures`, which are
        taken as they are.
    navigation
        "walk", "independent" visits from an entry, or "types" of users who walk: "types 3" for
        three, else as many as predict best.
    order
        Of a walk. 2: where people go depends on the element before, too.
    base
        What is believed of links before people are seen to choose; by default what the estimator
        takes. Or a hypothesis of one's own: a file of links with probabilities, or `Links`.
    back
        The element that stands for a back click; None if there are none.
    skip_strays
        Leave out moves along no link and unknown elements, rather than refuse them.
    test
        Another log, held out, which is predicted.
    seed
        Of what is drawn.

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
    estimator = _estimator(navigation, order, base, skip_strays=skip_strays, seed=seed)
    table, trees = _links(links), _elements(elements)
    watch, test_watch, report = LogWatch(), LogWatch(), None
    own = {"elements": trees, "features": _features(features, table, trees)}
    visits = isinstance(estimator, VisitEstimator)
    if visits and is_simulated(log):
        trials, pairs = simulated_trials(log, table, skip_strays=skip_strays)
        deque(watch.through(sessions_of(log)), maxlen=0)
        fitted = estimator.fit(trials, table, order=pairs, **own)
    else:
        fitted = estimator.fit(watch.through(sessions_of(log, back=back)), table, **own)
    if test is not None and visits and is_simulated(test):
        deque(test_watch.through(sessions_of(test)), maxlen=0)
        trials, _ = simulated_trials(test, table, skip_strays=skip_strays)
        report = judge(fitted, trials, seed=seed)
    elif test is not None:
        held_out = list(test_watch.through(sessions_of(test, back=back)))
        # What strays is refused, unless it was asked to be left out.
        fitted.score(held_out)
        report = judge(fitted, held_out, seed=seed)
    return FitResult(
        fitted=fitted,
        log=watch.summary,
        held_out=report,
        held_out_log=None if report is None else test_watch.summary,
        arguments={
            "log": _place(log), "links": _place(links), "elements": _place(elements),
            "features": _place(features), "navigation": navigation, "order": order,
            "base": _place(base), "back": back, "skip_strays": skip_strays, "test": _place(test),
            "seed": seed,
        },
    )  # fmt: skip


def _estimator(navigation: str, order: int, base: Any, *, skip_strays: bool, seed: int) -> Any:
    """Return what learns a navigation of this name.

    Raises
    ------
    InputError
        for another name, an order of what is no walk, and as the estimators.
    """
    word, _, number = navigation.strip().partition(" ")
    chosen: dict[str, Any] = {} if base is None else {"base": _base(base)}
    chosen["skip_strays"] = skip_strays
    if order != 1 and word != WALK:
        rule, remedy = "be 1 where no walk is learned", "leave it out"
        raise InputError("order", order, rule, remedy=remedy)
    if word == WALK and not number:
        return WalkEstimator(order=order, **chosen)
    if word == VISITS and not number:
        return VisitEstimator(**chosen)
    if word == TYPES:
        if number and not number.strip().isdigit():
            rule, remedy = "be a whole number", f"write {TYPES} 2, say, or {TYPES} alone"
            raise InputError("number of types", number, rule, remedy=remedy)
        return TypesEstimator(int(number) if number else None, seed=seed, **chosen)
    rule = f"be one of {', '.join((WALK, VISITS, TYPES))}"
    raise InputError("navigation to learn", navigation, rule, remedy=f"write {WALK}, say")


def _base(base: Any) -> Any:
    """Return a word, whatever file or folder is called so, or a hypothesis as links."""
    if isinstance(base, str) and (base in _BASES or not os.path.exists(base)):
        return base
    return read_links(base) if isinstance(base, str | os.PathLike) else base


def _links(links: Any) -> Links:
    if isinstance(links, Links):
        return links
    if isinstance(links, str | os.PathLike):
        return read_pairs(links)
    if isinstance(links, Mapping):
        return Links(links)
    if hasattr(links, "columns"):
        return Links.from_columns(links["source"], links["target"], [1.0] * len(links))
    return Links(dict.fromkeys(links, 1.0))


def _elements(elements: Any) -> Elements | None:
    if elements is None or isinstance(elements, Elements):
        return elements
    files = [elements] if isinstance(elements, str | Path) else list(elements)
    return read_trees(files) if files else None


def _features(features: Any, links: Links, elements: Elements | None) -> LinkFeatures | None:
    """Return features of links, None for those that the estimator finds itself."""
    if features is None or isinstance(features, LinkFeatures):
        return features
    table = features if isinstance(features, FeatureTable) else read_features(features)
    return link_features(links, elements, table)


def _place(source: Any) -> Any:
    """Return what names a source: a file, a word, or nothing for data."""
    if isinstance(source, str | os.PathLike):
        return readable(source)
    return [_place(part) for part in source] if isinstance(source, tuple) else None
