"""The fifteen measures of users who stop, in `prum evaluate`: one list, or all of a run at once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from prum.analytic.utility.batch import utilities
from prum.analytic.utility.distributions import STATIC
from prum.analytic.utility.documents import GAINS, gains_of
from prum.analytic.utility.measures import MEASURES as GRID
from prum.experiments.measures.definition import (
    JUDGED_ONLY,
    REL,
    Curve,
    Definition,
    Expected,
    Parameter,
    proper_share,
)
from prum.experiments.measures.judged import Judged, Ranking
from prum.experiments.measures.names import Name, SettingValue
from prum.experiments.measures.stopping_scores import (
    CONVENTIONS,
    GRADE,
    average_precision_score,
    persistent_score,
    satisfied_score,
    stopping_score,
    theta_of,
)
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats

_STOPS = {
    "RBP": "each rank alike",
    "DCG": "as the logarithm's steps",
    "RR": "as reciprocal ranks' steps",
    "ERR": "each relevant element alike",
    "AP": "one relevant element at random",
    "RRR": "as SumRR's, at relevant elements",
}
_ABOUT = {
    "RBP": "rank-biased precision, of persistence p",
    "ERR": "expected reciprocal rank, as gdeval (INEX's ERR is GR)",
    "SumRR": "sum of the reciprocal ranks of relevant elements (Carterette's RR)",
}
_COUNTS = {
    "M1": "utility at the stop",
    "M2": "total utility",
    "M3": "reciprocal rank of the stop",
    "M4": "precision at the stop",
}


def scores_together(
    judged: Sequence[Judged],
    rankings: Sequence[Ranking],
    names: Sequence[str],
    cutoff: int | None,
    settings: Mapping[str, Any],
) -> Floats:
    """Return measures of binary relevance of many lists at once, (lists, names)."""
    lengths = np.array([len(ranking) for ranking in rankings])
    relevance = np.zeros((len(rankings), max(1, int(lengths.max()))), dtype=np.bool_)
    for row, (topic, ranking) in enumerate(zip(judged, rankings, strict=True)):
        wanted = set(topic.ideals)
        for rank in [rank for rank, element in enumerate(ranking) if element in wanted]:
            relevance[row, rank] = ranking[rank] in wanted
            wanted.discard(ranking[rank])
    theta = settings.get("theta")
    return utilities(
        list(names),
        relevance,
        [len(topic.ideals) for topic in judged],
        lengths=lengths,
        theta=theta_of(settings.get("p", 0.5), theta),
        base=settings.get("base", 2.0),
        cutoff=cutoff,
        normalised=settings["normalised"],
    )


def _is_plain(settings: Mapping[str, SettingValue]) -> bool:
    plain = settings["gain"] == "binary" and settings.get("theta") not in GAINS
    without = ("highest", "navigation", "rel")
    return plain and not settings["residual"] and all(settings[key] is None for key in without)


def _check(name: Name) -> None:
    """Raise if a setting has no say beside another."""
    settings = dict(name.settings)

    def refuse(key: str, rule: str) -> None:
        raise InputError(
            f"{key} of {name.measure}", settings[key], rule, remedy="leave one of the two out"
        )

    if "p" in settings and "theta" in settings:
        refuse("theta", "stand without p, which is 1 - theta")
    if "rel" in settings and settings.get("gain", "binary") != "binary":
        refuse("rel", "stand with gain=binary")
    if "convention" in settings and "highest" in settings:
        refuse("convention", "stand without highest, which it says")
    if "convention" in settings and settings.get("theta", "linear") not in GAINS:
        refuse("convention", "stand without theta, which it says")
    by_rank = {"gain", "highest", "normalised", "residual", "navigation"} & settings.keys()
    if name.measure == "AP" and by_rank and name.cutoff is not None and name.cutoff.kind != "rank":
        raise InputError(
            f"cut-off of AP with {min(by_rank)}",
            str(name.cutoff),
            "be a rank (@10)",
            remedy="correct what stands behind @",
        )


def _satisfied(convention: str, theta: float | str) -> float:
    """Return how likely an ideal, of grade 1, satisfies: as `gains_of` has it."""
    if not isinstance(theta, str):
        return theta
    highest = CONVENTIONS[convention] or 1.0
    return float(gains_of([1.0], theta, highest=highest)[0])


# Where ideals are uncertain.
_EXPECTED = {
    "RBP": Expected(
        lambda ideals, listed, rank, p, theta: ideals.rbp(listed, rank, p=1 - theta_of(p, theta)),
        ("p", "theta"),
    ),
    "DCG": Expected(lambda ideals, listed, rank: ideals.dcg(listed, rank)),
    "ERR": Expected(
        lambda ideals, listed, rank, convention, theta: ideals.err(
            listed, rank, stop=_satisfied(convention, theta)
        ),
        ("convention", "theta"),
    ),
}


def _definition(name: str) -> Definition:
    distribution, model = GRID[name]
    gains = (*GAINS, GRADE) if distribution in STATIC else GAINS
    options = {
        "gain": Parameter(str, "binary", choices=gains),
        "highest": Parameter(float, is_optional=True, least=0, more_than_least=True),
        "normalised": Parameter(bool, False),
        "residual": Parameter(bool, False),
        "navigation": Parameter(str, is_optional=True),
        "rel": REL,
    }
    score: Callable[..., Curve] = stopping_score
    share = Parameter(float, 0.5, least=0, most=1, more_than_least=True)
    if distribution == "RBP":
        score = persistent_score
        options = {"p": proper_share(0.8), "theta": proper_share(None), **options}
    elif name == "ERR":
        score = satisfied_score
        theta = replace(share, default="exponential", words=GAINS[1:])
        convention = Parameter(str, "gdeval", choices=tuple(CONVENTIONS))
        options = {"convention": convention, "theta": theta, **options}
    elif distribution == "ERR":
        options = {"theta": replace(share, words=GAINS[1:]), **options}
    elif distribution == "DCG":
        options = {"base": Parameter(float, 2.0, least=1, more_than_least=True), **options}
    return Definition(
        _ABOUT.get(name, f"{_COUNTS[model]}, of users who stop {_STOPS[distribution]}"),
        partial(score, measure=name),
        options,
        ("rank",),
        admits_together=_is_plain,
        check=_check,
        expected=_EXPECTED.get(name),
    )


# AP has the same value, and is read at recall too.
STOPPING_MEASURES: Mapping[str, Definition] = {
    name: _definition(name) for name in GRID if name != "AP"
}
_RANKED = _definition("AP")
AVERAGE_PRECISION = Definition(
    "average precision, as trec_eval",
    average_precision_score,
    {**_RANKED.options, "judged_only": JUDGED_ONLY},
    ("rank", "level", "recall"),
    check=_check,
    expected=Expected(lambda ideals, listed, rank: ideals.average_precision(listed, rank)),
)
