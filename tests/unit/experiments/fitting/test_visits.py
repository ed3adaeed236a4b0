"""Independent visits: their laws a second time, recovered from logs, and faults that are seen."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from prum.experiments.fitting import FittedVisits, VisitEstimator
from prum.experiments.fitting.laws import BetaBase
from prum.experiments.logs import Sessions
from prum.simulator.model import InputError, Links
from tests.made_folders import LEVEL


def of_probabilities(links: Links) -> FittedVisits:
    """Return visits that are known, people entering everywhere alike, as if from an endless log."""
    fitted = VisitEstimator("shares").fit([[name] for name in links.elements], links)
    return replace(fitted, base=BetaBase(links.probabilities, 1e12))


def made_links(seed: int, *, size: int = 40, degree: int = 6, strength: float = 6.0) -> Links:
    """Return links to elements that are visited more or less often, wherever they are seen."""
    rng = np.random.default_rng(seed)
    worth = 1 / (1 + np.exp(-rng.normal(-1.2, 0.8, size)))
    rows = dict[tuple[str, str], float]()
    for x in range(size):
        for y in rng.choice([k for k in range(size) if k != x], degree, replace=False).tolist():
            p = rng.beta(strength * worth[y], strength * (1 - worth[y]))
            rows[f"e{x:02d}", f"e{y:02d}"] = float(p)
    return Links(rows)


LINKS = made_links(1)
TRUE = of_probabilities(LINKS)


def pull(seen: Any, tried: Any, links: Links = LINKS) -> float:
    """Return how many standard errors what was seen is from what is true."""
    p = links.probabilities
    return float((seen - tried * p).sum() / np.sqrt((tried * p * (1 - p)).sum()))


# --- laws ----------------------------------------------------------------------------------------


def test_each_trial_is_predicted_by_its_mean() -> None:
    p = {"a": 0.5, "b": 0.2, "c": 0.7, "d": 0.05}
    fitted = of_probabilities(Links({("x", y): value for y, value in p.items()}))
    path = ["x", "c", "a", "d"]
    tosses = -np.log([p[y] if y in path else 1 - p[y] for y in p])
    assert fitted.predict(Sessions.of([path]))["visit"].nats == pytest.approx(tosses)
    assert fitted.score([path]) == pytest.approx(tosses.mean())


def test_without_shrinkage_probabilities_are_observed_shares() -> None:
    log = [["x", "a"], ["x", "a", "<", "b"], ["x"], ["y", "a"]]
    links = Links({("x", "a"): 1, ("x", "b"): 1, ("x", "x"): 1, ("y", "a"): 1, ("z", "a"): 1})
    fitted = VisitEstimator("shares").fit(log, links)
    shares = {("x", "a"): 2 / 3, ("x", "b"): 1 / 3, ("y", "a"): 1.0}
    assert {(x, y): p for x, y, p in fitted.to_links() if p} == shares
    assert fitted.row_variances()[-1] == 0
    assert fitted.sample_posterior(1, 1)[0].links.probabilities[-1] == 0


def test_the_posterior_has_the_mean_and_the_variances_that_are_told() -> None:
    fitted = VisitEstimator().fit(TRUE.simulate(300, 5), LINKS)
    draws = np.array([one.links.probabilities for one in fitted.sample_posterior(1500, 6)])
    error = draws.std(axis=0) / np.sqrt(len(draws))
    assert np.abs((draws.mean(axis=0) - fitted.to_links().probabilities) / error).max() < 5
    slopes = np.random.default_rng(7).normal(size=len(LINKS))
    sums = np.array([np.bincount(LINKS.sources, slopes * one) for one in draws])
    told = fitted.variances(slopes)
    assert sums.var(axis=0) == pytest.approx(told, rel=0.25)
    table = fitted.intervals(0.9)
    low, high = np.quantile(draws, (0.05, 0.95), axis=0)
    assert table["low"].to_numpy() == pytest.approx(low, abs=0.05)
    assert table["high"].to_numpy() == pytest.approx(high, abs=0.05)
    assert (table["tried"] == fitted.counts.tried).all()
    with pytest.raises(InputError, match="level"):
        fitted.intervals(1)


def test_variances_of_a_source_sum_those_of_beta_laws() -> None:
    links = Links({("x", "a"): 1, ("x", "b"): 1})
    fitted = VisitEstimator("uniform").fit([["x", "a"], ["x", "a", "<", "b"], ["x"]], links)
    a, b = fitted.strengths * fitted.means, fitted.strengths * (1 - fitted.means)
    slopes = np.array([2.0, -3.0])
    assert fitted.variances(slopes).sum() == pytest.approx(slopes**2 @ stats.beta.var(a, b))


def test_a_file_holds_all_of_it() -> None:
    log = TRUE.simulate(100, 8)
    for order in (None, [(x, y) for x, y, _ in LINKS]):
        if order:
            log = replace(TRUE, turns=np.arange(len(LINKS))).simulate(100, 8)
        fitted = VisitEstimator("features+targets").fit(log, LINKS, order=order)
        again = FittedVisits.from_dict(json.loads(json.dumps(fitted.to_dict())))
        assert again.navigation.key == fitted.navigation.key
        assert again.to_dict() == fitted.to_dict()
        assert again.score(log) == fitted.score(log)
        assert again.summary() == fitted.summary()
        assert (again.simulate(50, 3).element == fitted.simulate(50, 3).element).all()


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(InputError, match="shares, uniform, targets"):
        VisitEstimator("best")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="entries at known elements"):
        VisitEstimator(skip_strays=True).fit([["e99"]], LINKS)


# --- recovery ------------------------------------------------------------------------------------


def test_estimates_converge_and_shrinkage_helps_where_little_is_known() -> None:
    numbers = [250, 1000, 4000, 16000]
    errors = dict[str, list[float]]()
    for base in ("shares", "uniform", "targets"):
        for number in numbers:
            fitted = VisitEstimator(base).fit(TRUE.simulate(number, 9), LINKS)
            error = fitted.to_links().probabilities - LINKS.probabilities
            errors.setdefault(base, []).append(float(np.sqrt((error**2).mean())))
    assert FittedVisits.from_dict(fitted.to_dict()).navigation.key == fitted.navigation.key
    order = np.polyfit(np.log(numbers[1:]), np.log(errors["targets"][1:]), 1)[0]
    assert order == pytest.approx(-0.5, abs=0.1)
    assert errors["targets"][0] < errors["uniform"][0] < errors["shares"][0]
    assert errors["targets"][-1] < 1.02 * errors["shares"][-1]


def test_intervals_hold_what_is_true_and_those_of_another_law_do_not() -> None:
    held = {"fair": 0, "sure": 0}
    number = 0
    for seed in range(6):
        links = made_links(10 + seed)
        log = of_probabilities(links).simulate(400, seed)
        fitted = VisitEstimator().fit(log, links)
        # What a prior does that is too sure of itself.
        base = replace(fitted.base, concentration=20 * fitted.base.concentration)
        sure = replace(fitted, base=base)
        for name, one in (("fair", fitted), ("sure", sure)):
            table = one.intervals(0.9)
            held[name] += int(
                (
                    (table["low"] <= links.probabilities) & (links.probabilities <= table["high"])
                ).sum()
            )
        number += len(links)
    # Links of one source share nothing: their intervals hold each on its own.
    law = stats.binom(number, 0.9)
    assert law.ppf(LEVEL) < held["fair"] < law.ppf(1 - LEVEL)
    assert held["sure"] < 0.5 * law.ppf(LEVEL)


def broken_off(log: Sessions, most: int) -> Sessions:
    """Return paths as people leave them who stop at once when they have seen so many."""
    sessions, cut = list[list[str]](), list[bool]()
    for path in log:
        visits = path[1::2]
        sessions.append([path[0], *visits[:most]])
        cut.append(len(visits) >= most)
    return replace(Sessions.of(sessions), is_cut=np.array(cut))


def test_who_is_broken_off_has_had_no_turn_and_to_forget_it_is_seen() -> None:
    order = [(x, y) for x, y, _ in LINKS]
    log = broken_off(replace(TRUE, turns=np.arange(len(LINKS))).simulate(8000, 11), 1)
    edge = stats.norm.ppf(1 - LEVEL / 2)
    fitted = VisitEstimator("shares").fit(log, LINKS, order=order)
    assert abs(pull(fitted.counts.seen, fitted.counts.tried)) < edge
    assert fitted.counts.num_broken > 4000
    assert "counted up to the last visit" in fitted.summary()
    # Forgotten: who saw what they wanted counts as not having wanted the rest.
    forgotten = replace(log, is_cut=np.zeros(len(log), dtype=np.bool_))
    counts = VisitEstimator("shares").fit(forgotten, LINKS, order=order).counts
    assert pull(counts.seen, counts.tried) < -3 * edge
    # Without an order they are left out, and it matters here why they stopped.
    without = VisitEstimator("shares").fit(log, LINKS)
    assert "left out" in without.summary()
    assert pull(without.counts.seen, without.counts.tried) < -3 * edge


def test_a_log_that_ends_by_the_clock_tells_the_truth_without_an_order() -> None:
    log = TRUE.simulate(6000, 12)
    rng = np.random.default_rng(13)
    cut = rng.random(len(log)) < 0.5
    paths = [
        path[: 1 + rng.integers(0, len(path))] if is_cut else path
        for path, is_cut in zip(log, cut.tolist(), strict=True)
    ]
    ended = replace(Sessions.of(paths), is_cut=cut)
    counts = VisitEstimator("shares").fit(ended, LINKS).counts
    edge = stats.norm.ppf(1 - LEVEL / 2)
    assert abs(pull(counts.seen, counts.tried)) < edge
    forgotten = replace(ended, is_cut=np.zeros(len(log), dtype=np.bool_))
    counts = VisitEstimator("shares").fit(forgotten, LINKS).counts
    assert pull(counts.seen, counts.tried) < -3 * edge
