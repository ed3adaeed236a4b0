"""ADM from samples of judged documents: bias and error of each design, simulated and closed."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from prum.analytic.adm.measures import adm
from prum.analytic.adm.sampling import (
    HansenHurwitz,
    HorvitzThompson,
    RetrievedOnly,
    SampleDesign,
    SimpleRandom,
    inclusion_of,
)
from prum.analytic.adm.strata import Stratified, allocation, spreads_of, stratum_of
from prum.experiments.statistics.intervals import Interval, mean_interval, root_interval
from prum.experiments.studies.thresholds.parts import ThresholdsRow, mean_of, row
from prum.simulator.model.arrays import Floats, Ints

NUMBERS = (10, 50, 100)
BOUNDS = (0.05, 0.2, 0.5)
# Weights are SRE + this: what the system takes for irrelevant may be drawn, too.
_OFFSET = 0.05
# Samples are drawn for so many queries at most.
_MOST_QUERIES = 20


@dataclass(frozen=True, slots=True)
class _Drawing:
    """An estimator with its way to draw, and what closed forms say of it."""

    estimator: SampleDesign
    draw: Callable[[np.random.Generator], Ints]
    bias: float
    variance: float


def estimates(
    sre: Floats,
    ure: Floats,
    draws: int,
    rng: np.random.Generator,
    advance: Callable[[], object],
) -> Iterator[ThresholdsRow]:
    """Yield bias and root mean squared error of estimates of ADM, in simulation and theory.

    Over up to 20 queries and `draws` samples of each. Neyman's allocation takes the spreads of
    distances over all queries for known.
    """
    sre, ure = sre[:_MOST_QUERIES], ure[:_MOST_QUERIES]
    spreads = spreads_of(sre.ravel(), ure.ravel(), BOUNDS)
    for number in NUMBERS:
        if number > sre.shape[1]:
            break
        designs = [_designs(*query, number, spreads) for query in zip(sre, ure, strict=True)]
        for name in designs[0]:
            errors = np.empty((draws, len(sre)))
            for query, (system, user) in enumerate(zip(sre, ure, strict=True)):
                errors[:, query] = _errors(designs[query][name], system, user, draws, rng)
            advance()
            yield from _rows(name, number, errors, [drawings[name] for drawings in designs])


def _rows(
    name: str, number: int, errors: Floats, drawings: Sequence[_Drawing]
) -> Iterator[ThresholdsRow]:
    bias = np.array([drawing.bias for drawing in drawings])
    squared = bias**2 + [drawing.variance for drawing in drawings]
    theory = float(bias.mean()), float(np.sqrt(squared.mean()))
    # Samples are independent, queries are what they are.
    values: tuple[tuple[str, float | Interval], ...] = (
        ("bias, simulated", mean_of(errors.mean(axis=1))),
        ("bias, theory", theory[0]),
        ("error, simulated", root_interval(mean_interval((errors**2).mean(axis=1)))),
        ("error, theory", theory[1]),
    )
    for quantity, value in values:
        yield row("sample", str(number), name, quantity, value)


def _errors(
    drawing: _Drawing, sre: Floats, ure: Floats, draws: int, rng: np.random.Generator
) -> Floats:
    """Return estimates less ADM, shape (draws,)."""
    true = adm(sre, ure)
    errors = np.empty(draws)
    for draw in range(draws):
        judged = drawing.draw(rng)
        errors[draw] = drawing.estimator.estimate(judged, ure[judged]).adm - true
    return errors


def _designs(sre: Floats, ure: Floats, number: int, spreads: Floats) -> dict[str, _Drawing]:
    n = len(sre)
    top = RetrievedOnly(sre, number)
    simple = SimpleRandom(sre, number)
    weights = sre + _OFFSET
    hurwitz = HansenHurwitz(sre, weights, number)
    thompson = HorvitzThompson(sre, inclusion_of(weights, number))
    inclusion = np.asarray(thompson.inclusion)
    return {
        "retrieved only": _Drawing(top, lambda _: top.judged, top.bias(ure), 0.0),
        "random": _Drawing(
            simple, lambda rng: rng.choice(n, number, replace=False), 0.0, simple.variance(ure)
        ),
        "stratified, proportional": _stratified(sre, ure, number, None),
        "stratified, Neyman": _stratified(sre, ure, number, spreads),
        "weighted, Hansen-Hurwitz": _Drawing(
            hurwitz,
            lambda rng: rng.choice(n, number, p=hurwitz.probabilities),
            0.0,
            hurwitz.variance(ure),
        ),
        "weighted, Horvitz-Thompson": _Drawing(
            thompson,
            lambda rng: np.flatnonzero(rng.random(n) < inclusion),
            0.0,
            thompson.variance(ure),
        ),
    }


def _stratified(sre: Floats, ure: Floats, number: int, spreads: Floats | None) -> _Drawing:
    of = stratum_of(sre, BOUNDS)
    sizes = np.bincount(of, minlength=len(BOUNDS) + 1)
    drawn = allocation(sizes, number, spreads)
    design = Stratified(sre, BOUNDS, drawn)
    strata = [np.flatnonzero(of == h) for h in range(len(sizes))]

    def draw(rng: np.random.Generator) -> Ints:
        return np.concatenate(
            [
                rng.choice(stratum, m, replace=False)
                for stratum, m in zip(strata, drawn, strict=True)
                if m
            ]
        )

    return _Drawing(design, draw, 0.0, design.variance(ure))
