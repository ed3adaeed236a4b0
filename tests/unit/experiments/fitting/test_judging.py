"""The report on a held-out log: each number by another road, and models that are off are seen."""

import itertools
import json
import math

import numpy as np
import pytest

from prum.experiments.fitting import ChoiceReport, Predictions, judge
from prum.experiments.fitting.fitted_walk import predicted
from prum.experiments.fitting.held_out import EDGES, ChoiceSums
from prum.experiments.logs import Sessions, step_counts
from prum.experiments.logs.counts import Outcomes
from prum.experiments.statistics.intervals import ratio_interval
from prum.simulator.model import InputError, Links

# What all tests of this file together may raise by chance.
LEVEL = 1e-3 / 6


PATHS = [["a", "b", "<", "c"], ["b", "a"], ["c"], ["a", "c", "a", "b"]]
SMALL = Links({("a", "b"): 0, ("a", "c"): 0, ("b", "a"): 0, ("b", "c"): 0, ("c", "a"): 0})


class Walking:
    """What predicts walks by given shares of links, chances to stop and to go back."""

    def __init__(self, links: Links, shares, stop: float = 0.3, back: float = 0.2) -> None:
        self.links, self.shares = links, np.asarray(shares, dtype=np.float64)
        self.ends = [np.full(len(links.elements), part) for part in (stop, back)]
        self.is_leaf = np.zeros(len(links.elements), dtype=bool)
        self.counts = step_counts(Sessions.of(PATHS), SMALL)

    def predict(self, sessions: Sessions) -> dict[str, Predictions]:
        outcomes = Outcomes.of(sessions, self.links, self.links.elements)
        return predicted([self], np.zeros((len(outcomes.element), 1)), sessions, outcomes)

    def walks(self, num: int, seed: int) -> list[list[str]]:
        """Return sessions of people who do as predicted, but never go back from an entry."""
        rng = np.random.default_rng(seed)
        links, sessions = self.links, []
        for _ in range(num):
            at = int(rng.integers(len(links.elements)))
            path = [at]
            while rng.random() >= 0.3:
                rows = slice(links.starts[at], links.starts[at + 1])
                at = int(rng.choice(links.targets[rows], p=self.shares[rows]))
                path.append(at)
            sessions.append([links.elements[at] for at in path])
        return sessions


def report_of(predicted: Predictions, num_sessions: int) -> ChoiceReport:
    sums = ChoiceSums()
    sums.add(predicted, num_sessions)
    return sums.report("step")


def sharpened(links: Links, shares, power: float):
    powers = shares**power
    return powers / np.bincount(links.sources, powers)[links.sources]


@pytest.fixture(scope="module")
def web() -> Walking:
    rng = np.random.default_rng(3)
    pairs = {(x, (x + 1) % 12) for x in range(12)} | {
        tuple(p) for p in rng.integers(12, size=(60, 2)).tolist()
    }
    links = Links({(f"e{x:02}", f"e{y:02}"): 0.0 for x, y in pairs})
    shares = rng.gamma(0.7, size=len(links))
    return Walking(links, shares / np.bincount(links.sources, shares)[links.sources])


SHARES = [0.25, 0.75, 0.6, 0.4, 1.0]


def test_numbers_are_those_counted_one_by_one() -> None:
    report = judge(Walking(SMALL, SHARES), PATHS)
    # a -> b, a -> c, b -> a, a -> c, c -> a, a -> b
    chosen = [0.25, 0.75, 0.6, 0.75, 1.0, 0.25]
    steps = report.kinds["step"]
    assert steps.choices == 6
    assert report.nats_per_step == pytest.approx(-np.log(chosen).mean())
    assert report.perplexity == pytest.approx(math.prod(chosen) ** (-1 / 6))
    assert steps.alike[0] == pytest.approx(5 * math.log(2) / 6)
    assert steps.gain[0] == pytest.approx(steps.alike[0] - steps.nats[0])
    assert steps.brier == pytest.approx(np.mean([2 * (1 - p) ** 2 for p in chosen]))
    # Of 11 visits 4 were the last; after 3 of the others people could go back, and once they did.
    stops, backs = report.kinds["stop"], report.kinds["back"]
    assert stops.choices == 11
    assert stops.nats[0] == pytest.approx(-(4 * math.log(0.3) + 7 * math.log(0.7)) / 11)
    assert stops.alike[0] == pytest.approx(-(4 * math.log(4 / 11) + 7 * math.log(7 / 11)) / 11)
    assert backs.choices == 3
    assert backs.nats[0] == pytest.approx(-(math.log(0.2) + 2 * math.log(0.8)) / 3)
    assert (stops.curve["share"] * stops.curve["options"]).tolist() == [4]


def test_the_interval_is_that_of_steps_in_clusters(web: Walking) -> None:
    row = {(x, y): p for (x, y, _), p in zip(web.links, web.shares.tolist(), strict=True)}
    walks = web.walks(60, 1)
    sums = [-sum(np.log(row[step]) for step in itertools.pairwise(walk)) for walk in walks]
    expected = ratio_interval(np.array(sums), np.array([len(walk) - 1.0 for walk in walks]))
    assert judge(web, walks).kinds["step"].nats == pytest.approx(expected)


def test_what_happened_is_what_step_counts_count(web: Walking) -> None:
    paths = [*web.walks(40, 2), ["e00", "e01", "<", "e01", "e02", "<", "<"]]
    log = Sessions.of(paths)
    counts = step_counts(log, web.links)
    ends = web.predict(log)
    assert ends["stop"].taken.sum() == counts.stops.sum()
    assert ends["back"].taken.sum() == counts.backs.sum()
    left = counts.moved - counts.first_moves + counts.backs
    assert len(ends["back"].taken) == left.sum()


def test_the_curve_is_that_counted_by_hand(web: Walking) -> None:
    log = Sessions.of(web.walks(80, 4))
    predicted = web.predict(log)["step"]
    report = judge(web, log).kinds["step"]
    p, y = predicted.probabilities, predicted.taken
    for low, high, options, mean, share, begin, end in zip(*report.curve.values(), strict=True):
        own = (p >= low) & ((p < high) | (high == EDGES[-1]))
        assert options == own.sum()
        assert mean == pytest.approx(p[own].mean())
        assert share == pytest.approx(y[own].mean())
        assert begin - 1e-12 <= share <= end + 1e-12
    assert report.curve["options"].sum() == len(p)
    assert report.brier == pytest.approx(((p - y) ** 2).sum() / len(predicted.session))


def test_p_values_of_calibrated_models_are_uniform_and_of_others_small(web: Walking) -> None:
    from scipy.stats import kstest

    def p_value(fitted: Walking, seed: int, num: int = 150) -> float:
        log = Sessions.of(web.walks(num, seed))
        return report_of(fitted.predict(log)["step"], num).p_value

    assert kstest([p_value(web, seed) for seed in range(60)], "uniform").pvalue > LEVEL
    off = Walking(web.links, sharpened(web.links, web.shares, 2.0))
    assert max(p_value(off, seed, 600) for seed in range(3)) < LEVEL


def test_intervals_of_the_curve_hold_what_is_predicted_if_it_is_right(web: Walking) -> None:
    from scipy.stats import binom

    held = tried = off = 0
    wrong = Walking(web.links, sharpened(web.links, web.shares, 2.0))
    for seed in range(20):
        log = Sessions.of(web.walks(300, 100 + seed))
        for fitted in (web, wrong):
            curve = report_of(fitted.predict(log)["step"], 300).curve
            p = curve["probability"]
            used = curve["options"] * np.minimum(p, 1 - p) >= 5
            inside = (curve["share_low"] <= p) & (p <= curve["share_high"])
            if fitted is web:
                held, tried = held + inside[used].sum(), tried + used.sum()
            else:
                off += (~inside[used]).sum()
    assert binom.cdf(held, tried, 0.95) > LEVEL
    assert off > tried / 2


def test_intervals_of_the_curve_know_that_a_session_repeats_itself() -> None:
    from scipy.stats import binom

    # What happens once in a session happens each of its 20 times.
    held = 0
    for seed in range(200):
        happens = np.random.default_rng(seed).random(60) < 0.4
        told = Predictions.tosses(
            np.repeat(np.arange(60), 20), np.full(1_200, 0.4), happens.repeat(20)
        )
        curve = report_of(told, 60).curve
        held += int(curve["share_low"][0] <= 0.4 <= curve["share_high"][0])
    # As 1,200 choices on their own they would hold .4 in a third of the cases.
    assert binom.cdf(held, 200, 0.95) > LEVEL
    assert binom.sf(held - 1, 200, 0.99) > LEVEL


def test_a_log_in_pieces_gives_the_same(web: Walking, monkeypatch) -> None:
    log = Sessions.of(web.walks(50, 6))
    whole = judge(web, log).to_dict()
    monkeypatch.setattr(Sessions.pieces, "__defaults__", (3,))
    pieces = judge(web, log).to_dict()
    for kind, part in whole["kinds"].items():
        assert pieces["kinds"][kind]["nats"] == pytest.approx(part["nats"])
        assert pieces["kinds"][kind]["brier"] == pytest.approx(part["brier"])


def test_what_was_ruled_out_costs_all_and_json_says_nothing() -> None:
    report = judge(Walking(SMALL, [0.0, 1.0, 0.6, 0.4, 1.0]), PATHS)
    assert report.nats_per_step == math.inf
    content = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert content["nats_per_step"] is None
    assert content["kinds"]["stop"]["nats"][0] > 0


def test_strays_and_what_was_cut_are_left_out() -> None:
    log = Sessions.of([["a", "z", "b"], ["a", "b"], ["c", "b"]])
    log.is_cut[1] = True
    report = judge(Walking(SMALL, SHARES), log)
    assert report.kinds["step"].choices == 1
    stops = report.kinds["stop"]
    assert stops.choices == 5  # a, b; a; c, b
    # Who strays is taken to have stopped before, as where stops are learned.
    assert (stops.curve["share"] * stops.curve["options"]).tolist() == [4]
    with pytest.raises(InputError, match="hold choices among known links"):
        judge(Walking(SMALL, SHARES), [["z"]])
