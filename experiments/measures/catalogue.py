"""The measures that lists are scored by."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from prum.analytic.precision.independent import from_changes
from prum.analytic.precision.of_task import closed_form, prum_of, reach_matrix
from prum.analytic.precision.published import CountLaw
from prum.analytic.precision.result import PrecisionRecall
from prum.analytic.ranked.classical import raghavan
from prum.analytic.structured.cumulated_gain import XCG, xcg
from prum.analytic.structured.generalised import grp, grp_ng, overlap
from prum.analytic.structured.reached import generalised_recall, graded_prum, t2i
from prum.experiments.measures.definition import (
    COST,
    HIGHEST,
    QUANTISATION,
    REL,
    Curve,
    CutoffKind,
    Definition,
    Name,
    Parameter,
    refused,
)
from prum.experiments.measures.diversity import DIVERSITY
from prum.experiments.measures.following import FOLLOWING, reading_of
from prum.experiments.measures.judged import Judged, NoValueError, Ranking, taken
from prum.experiments.measures.orders import DISTANCES, ORDERS
from prum.experiments.measures.ranked import CLASSICAL, RETRIEVAL
from prum.experiments.measures.spans import NEED, SPANS, too_many_openings
from prum.experiments.measures.stopping import AVERAGE_PRECISION, STOPPING_MEASURES
from prum.experiments.measures.users import USERS
from prum.simulator.model import InputError, Navigation, Task, Tied
from prum.simulator.model.arrays import Floats
from prum.simulator.model.assessments import QUANTISATIONS

# --- curves of one list ------------------------------------------------------------------------


def _of_ranks(values: Floats) -> Curve:
    """Something that grows along the list: at its end, or after a number of ranks."""

    size = len(values)
    return Curve.of_ranks(lambda n: float(values[min(n, size) - 1]) if size else 0.0, size)


def _of_levels(at_levels: Callable[[Any], Floats], average: Callable[[], float]) -> Curve:
    """Precision at recall levels: its mean over a hundred of them, or at one."""
    return Curve(average, {"level": lambda level: float(at_levels([level])[0])})


# --- measures -----------------------------------------------------------------------------------


def _raghavan(judged: Judged, ranking: Any, tied: bool) -> Curve:
    flat = taken(ranking, "ranking")
    return Curve.of_recall(
        raghavan(ranking if tied else flat, judged.ideals, judged.unranked(flat))
    )


def _grp(judged: Judged, ranking: Ranking, quantisation: str) -> Curve:
    result = grp(ranking, judged.worth(quantisation), judged.unranked(ranking))
    return _of_levels(result.at_levels, lambda: result.average)


def _grp_ng(judged: Judged, ranking: Ranking) -> Curve:
    if judged.assessments is None:
        rule, remedy = "be assessments like E3S2 for GRPng", "give assessments, or leave GRPng out"
        raise InputError("judgements", "grades", rule, remedy=remedy)
    result = grp_ng(ranking, judged.assessments, judged.tree)
    return _of_levels(result.at_levels, lambda: result.average)


def _gained(judged: Judged, ranking: Ranking, alpha: float, quantisation: str) -> XCG:
    worth = judged.worth(quantisation)
    # Of grades the best list has all that gains, also below the grade of an ideal.
    credited = worth if judged.assessments is None else judged.ideals
    ideals = [ideal for ideal in credited if ideal in worth]
    if not ideals:
        raise NoValueError
    return xcg(ranking, worth, judged.collection.elements, alpha=alpha, ideals=ideals)


def _xcg(judged: Judged, ranking: Ranking, alpha: float, quantisation: str) -> Curve:
    return _of_ranks(_gained(judged, ranking, alpha, quantisation).cumulated)


def _nxcg(judged: Judged, ranking: Ranking, alpha: float, quantisation: str) -> Curve:
    result = _gained(judged, ranking, alpha, quantisation)
    return Curve(
        lambda: float(result.normalised.mean()) if len(ranking) else 0.0,
        {"rank": lambda n: float(result.normalised_at(int(n)))},
    )


def _effort_precision(judged: Judged, ranking: Ranking, alpha: float, quantisation: str) -> Curve:
    result = _gained(judged, ranking, alpha, quantisation)
    goals = result.best / result.best[-1]

    def at_level(level: float) -> float:
        return float(result.effort_precision(level))

    def at_recall(r: float) -> float:
        return at_level(float(goals[int(r) - 1])) if r <= len(goals) else np.nan

    return Curve(lambda: result.average_effort_precision, {"level": at_level, "recall": at_recall})


def _gain_recall(judged: Judged, ranking: Ranking, alpha: float, quantisation: str) -> Curve:
    result = _gained(judged, ranking, alpha, quantisation)
    return Curve.of_ranks(result.gain_recall_at, max(len(ranking), 1))


def _t2i(judged: Judged, ranking: Ranking, words: float) -> Curve:
    task = judged.task(ranking)
    return Curve.of_recall(t2i(reach_matrix(task, judged.reading_on(words)), task.num_unranked))


def _generalised_recall(
    judged: Judged, ranking: Ranking, navigation: str | None, quantisation: str | None
) -> Curve:
    values = None if quantisation is None else judged.worth(quantisation)
    ideals = judged.ideals if values is None else tuple(values)
    # How large the collection is doesn't matter.
    task = Task(ranking, ideals, len(ranking) + len(ideals))
    reach = reach_matrix(task, judged.navigation(navigation))
    weights = None if values is None else [values[ideal] for ideal in task.ideals]
    return _of_ranks(generalised_recall(reach, weights))


def _valued(
    judged: Judged, ranking: Ranking, quantisation: str | None
) -> tuple[Task, dict[str, float] | None]:
    """Return the task of a list; with a quantisation, that of all it finds relevant, and values."""
    task = judged.task(ranking)
    if quantisation is None:
        return task, None
    values = judged.worth(quantisation)
    return Task(ranking, values, task.collection_size), values


def _browsed(
    judged: Judged,
    ranking: Ranking,
    cost: str | None,
    *,
    measure: str,
    exact: bool,
    navigation: str | None = None,
    need: str | None = None,
    tied: bool = False,
    followed: bool = False,
    counts: CountLaw = "poisson-binomial",
) -> PrecisionRecall:
    """Return PRUM's E[CL(r)] and E[C(r)], or the exact ones; over orders of what is tied.

    Of gold spans PRUM takes what chunks show for independent (noisy-or).
    """
    items, ranking = ranking, taken(ranking, "ranking")
    costs, of_spans = judged.costs_along(ranking, cost), judged.covering is not None
    if followed:
        costs = reading_of(judged, ranking, cost, navigation).along()
    usual = counts == "poisson-binomial" and not tied and not of_spans
    changes = judged.changes(ranking, navigation) if usual else None
    if changes is not None:
        method = "exact" if exact else "PRUM"
        return from_changes(*changes, costs=costs, noisy_or=not exact, spread=False, method=method)
    task = judged.task(ranking)
    way: Navigation = judged.needing(need) if of_spans else judged.navigation(navigation)
    if tied:
        way = Tied(way, [items])
    if not exact:
        return prum_of(task, way, counts=counts, costs=costs)
    result = closed_form(task, way, costs=costs)
    if result is None and of_spans:
        raise too_many_openings(measure)
    if result is None:
        raise InputError(
            f"navigation of {measure}",
            navigation or judged.collection.kind,
            "have a closed form",
            remedy=f"take {'PRUM' if measure == 'ExactPRUM' else f'{measure} without exact'}, "
            "or simulate it: prum crosscheck",
        )
    return result


def _precision(judged: Judged, ranking: Ranking, exact: bool, **settings: Any) -> Curve:
    measure = "ExactPRUM" if exact else "PRUM"
    return Curve.of_recall(_browsed(judged, ranking, measure=measure, exact=exact, **settings))


def _precision_by(about: str, exact: bool, **more: Parameter) -> Definition:
    options = {**_NAVIGATION, **_TIED, **more, "cost": COST, "need": NEED}
    score, of_spans = (partial(_precision, exact=exact) for _ in range(2))
    return Definition(about, score, options, _RECALL, counts_unlisted=True, of_spans=of_spans)


def _numbers(judged: Judged, ranking: Ranking, measure: str, **settings: Any) -> Curve:
    if measure == "C":
        _ = judged.size  # raises if it is not known
    numbers = _browsed(judged, ranking, measure=measure, **settings)
    return Curve.of_numbers(numbers.consulted if measure == "C" else numbers.leading)


def _numbers_of(measure: str, about: str, **more: Any) -> Definition:
    exact = {
        "exact": Parameter(bool, default=False, of="both"),
        "followed": Parameter(bool, default=False),
    }
    options = {**_NAVIGATION, **_TIED, **exact, "cost": COST, "need": NEED}
    score, of_spans = (partial(_numbers, measure=measure) for _ in range(2))
    return Definition(
        about, score, options, _RECALL, counts_unlisted=True, of_spans=of_spans, **more
    )


def _graded_prum(
    judged: Judged, ranking: Ranking, navigation: str | None, quantisation: str
) -> Curve:
    task, values = _valued(judged, ranking, quantisation)
    reach = reach_matrix(task, judged.navigation(navigation))
    weights = [(values or {})[ideal] for ideal in task.ideals]
    return Curve.of_recall(graded_prum(reach, weights, task.num_unranked))


def _eprum(
    judged: Judged,
    ranking: Ranking,
    navigation: str | None,
    quantisation: str | None,
    users: int,
    seed: int,
) -> Curve:
    from prum.simulator.sampling.measured.effort import simulate_effort

    way = judged.navigation(navigation).tossed
    if way is None:
        thing = "navigation of EPRUM"
        rule, remedy = "be independent", "write EPRUM(navigation=independent)"
        raise InputError(thing, navigation or judged.collection.kind, rule, remedy=remedy)
    task, values = _valued(judged, ranking, quantisation)
    # Its sums are whole numbers, too large for an endless collection.
    task = Task(task.ranking, task.ideals, judged.size)
    simulated = simulate_effort(task, way, num_users=users, seed=seed, values=values)
    return Curve.of_numbers(simulated.effort_precision)


def _overlap(judged: Judged, ranking: Ranking) -> Curve:
    tree = judged.tree
    return Curve.of_ranks(lambda n: overlap(ranking[:n], tree))


def _check_valued(name: Name) -> None:
    """Raise if a scale is given to a measure of ideals that are all worth the same."""
    settings = dict(name.settings)
    if "highest" in settings and "quantisation" not in settings:
        remedy = f"write {name.measure}(quantisation=generalised)"
        raise refused(name, "highest", "be used with quantisation", remedy)


_NAVIGATION = {"navigation": Parameter(str, is_optional=True)}
# Without it all ideals are worth the same.
_VALUES = {
    "quantisation": Parameter(str, is_optional=True, choices=tuple(QUANTISATIONS)),
    "highest": HIGHEST,
}
_GAIN = {"alpha": Parameter(float, 1.0, least=0, most=1), **QUANTISATION}
_TIED = {"tied": Parameter(bool, default=False)}
_RECALL: tuple[CutoffKind, ...] = ("level", "recall")

MEASURES: Mapping[str, Definition] = {
    "AP": AVERAGE_PRECISION,
    **CLASSICAL,
    "RP": Definition(
        "Raghavan's precision with the unranked part",
        _raghavan,
        {"tied": Parameter(bool, False), "rel": REL},
        _RECALL,
        counts_unlisted=True,
    ),
    "GRP": Definition(
        "generalised recall-precision",
        _grp,
        QUANTISATION,
        ("level",),
        counts_unlisted=True,
        by_scale=True,
    ),
    "GRPng": Definition("GRP of what is new, by length", _grp_ng, cutoffs=("level",)),
    "xCG": Definition("XML cumulated gain", _xcg, _GAIN, ("rank",), by_scale=True),
    "nxCG": Definition(
        "xCG over the best list's; uncut: MAnxCG, the mean over ranks", _nxcg, _GAIN, ("rank",)
    ),
    "EP": Definition(
        "effort-precision: ranks the best list needs, over those this one needs; uncut: MAep",
        _effort_precision,
        _GAIN,
        _RECALL,
        note="the mean is over ranks at which the best list gains, not those at which the run does",
    ),
    "GainRecall": Definition(
        "xCG over all that the best list gains", _gain_recall, _GAIN, ("rank",)
    ),
    "T2I": Definition(
        "tolerance to irrelevance",
        _t2i,
        {"words": Parameter(float, above=0)},
        _RECALL,
        counts_unlisted=True,
    ),
    "GR": Definition(
        "generalised recall, INEX's ERR: expected share of ideals seen",
        _generalised_recall,
        _NAVIGATION | _VALUES,
        ("rank",),
        check=_check_valued,
    ),
    "PRUM": _precision_by(
        "precision recall with user modelling, as published",
        exact=False,
        counts=Parameter(
            str, "poisson-binomial", choices=("poisson-binomial", "normal"), of="both"
        ),
    ),
    "ExactPRUM": _precision_by("the exact value that PRUM approximates", exact=True),
    "CL": _numbers_of(
        "CL",
        "expected number of elements that lead to a new ideal, until r are seen: E[CL(r)] of PRUM",
        better="neither",
        note="less where an element shows several ideals, more where a list shows more of them",
    ),
    "C": _numbers_of(
        "C",
        "expected number of elements consulted until r ideals are seen: E[C(r)] of PRUM",
        better="less",
    ),
    "GradedPRUM": Definition(
        "PRUM of users with thresholds on graded relevance",
        _graded_prum,
        _NAVIGATION | QUANTISATION,
        _RECALL,
        counts_unlisted=True,
    ),
    "EPRUM": Definition(
        "least effort over the list's effort, simulated",
        _eprum,
        {
            **_NAVIGATION,
            **_VALUES,
            "users": Parameter(int, 10_000, least=1, most=10_000_000),
            "seed": Parameter(int, 1, least=0),
        },
        _RECALL,
        check=_check_valued,
    ),
    "Overlap": Definition(
        "share of retrieved elements that contain another or lie in one",
        _overlap,
        cutoffs=("rank",),
    ),
    **STOPPING_MEASURES,
    **DISTANCES,
    **RETRIEVAL,
    **ORDERS,
    **USERS,
    **DIVERSITY,
    **FOLLOWING,
    **SPANS,
}
