"""Judges beside people: rates, evidence, worth, and probabilities."""

import json
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from prum.experiments.judges import JudgesResult, judges
from prum.experiments.judges.labels import Dependence, Labels
from prum.experiments.judges.rates import Rate, worth
from prum.simulator.collections import read_judgement_probabilities
from prum.simulator.model import InputError
from tests.commands import called


def made(
    seed: int, *, size: float = 8, topics: int = 50, known: int = 30, by_document: bool = False
) -> tuple[Labels, dict[str, Any]]:
    """Return labels whose rates differ between topics, or go together by document; and the truth.

    The first topics are judged by people. Two judges where errors go together by document.
    """
    rng = np.random.default_rng(seed)
    names = tuple(map(str, range(60)))
    labels, truth, real = {}, {}, {}
    for topic in range(topics):
        z = rng.random(60) < rng.beta(2.5, 7.5)
        hit, false = rng.beta(size / 2, size / 2), rng.beta(0.19 * size, 0.81 * size)
        p = np.where(z, hit, false)[None]
        if by_document:
            common = 2.5 * rng.normal(size=60)
            p = 1 / (1 + np.exp(-(np.where(z, 0.5, -2.0) + common + np.zeros((2, 1)))))
        key = f"t{topic}"
        labels[key], real[key] = rng.random(p.shape) < p, z.astype(np.float64)
        truth[key] = real[key] if topic < known else np.full(60, -1.0)
    of = Labels(("a", "b")[: len(p)], dict.fromkeys(labels, names), labels, truth)
    return of, real


def as_qrels(of: Labels, real: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    grades = {
        judge: {
            t: dict(zip(of.elements[t], y[j].astype(int).tolist(), strict=True))
            for t, y in of.labels.items()
        }
        for j, judge in enumerate(of.judges)
    }
    human = {
        t: dict(zip(of.elements[t], z.astype(int).tolist(), strict=True))
        for t, z in real.items()
        if (of.people[t] >= 0).all()
    }
    return grades, human


def test_rates_are_posteriors_of_a_beta_binomial_law() -> None:
    rate = Rate(np.array([3, 8, 1]), np.array([10, 10, 4]))
    assert rate.pooled.value == pytest.approx(13 / 26)
    assert rate.pooled.low == pytest.approx(stats.beta(13, 13).ppf(0.025))
    shared = integrate.quad(lambda m: m**12 * (1 - m) ** 12, 0, 1)[0]
    assert rate.evidence_shared == pytest.approx(np.log(shared))
    s, m = np.geomspace(0.5, 2000, 40), (np.arange(0, 100, 3)[:, None] + 0.5) / 100
    logs = sum(
        stats.betabinom(n, m * s, (1 - m) * s).logpmf(k) - np.log(comb(n, k))
        for k, n in zip([3, 8, 1], [10, 10, 4], strict=True)
    )
    assert rate.evidence_within == pytest.approx(np.log(np.exp(logs).mean()), abs=0.02)


def test_spread_is_found_and_its_absence_too() -> None:
    rng = np.random.default_rng(1)
    trials = np.full(200, 50)
    wide = Rate(rng.binomial(50, rng.beta(2, 6, 200)), trials)
    even = Rate(rng.binomial(50, 0.25, 200), trials)
    assert wide.spread == pytest.approx(stats.beta(2, 6).std(), rel=0.15)
    assert even.spread < 0.03
    assert wide.evidence_within > wide.evidence_shared + 20
    assert even.evidence_within < even.evidence_shared


def test_labels_are_worth_as_many_human_ones_as_give_the_same_variance() -> None:
    rng = np.random.default_rng(2)
    trials = np.full(400, 100)
    hit = Rate(rng.binomial(100, rng.beta(12, 8, 400)), trials)
    false = Rate(rng.binomial(100, rng.beta(4, 16, 400)), trials)
    p, num = 0.3, 80
    labels = rng.binomial(num, p * rng.beta(12, 8, 100_000) + (1 - p) * rng.beta(4, 16, 100_000))
    estimates = (labels / num - 0.2) / 0.4
    human = p * (1 - p) / estimates.var()
    assert worth(hit, false, p, num) == pytest.approx(human, rel=0.15)
    assert worth(hit, false, p) > worth(hit, false, p, num)


@pytest.mark.parametrize(
    ("settings", "dependence"),
    [
        ({"size": 8}, "shared within topics"),
        ({"size": 1e6}, "independent"),
        ({"by_document": True}, "shared by document"),
    ],
)
def test_evidence_chooses_what_was_made(settings: Any, dependence: Dependence) -> None:
    of, _ = made(3, **settings)
    assert of.dependence == dependence
    if dependence == "shared by document":
        assert of.correlation(0, 1, 0) > 0.3


def test_what_people_judged_is_certain_and_the_file_reads_back(tmp_path: Path) -> None:
    of, real = made(4, topics=6, known=4)
    grades, human = as_qrels(of, real)
    result = judges(grades, human, cases=5)
    assert isinstance(result, JudgesResult)
    assert result.written["t0"].tolist() == [real["t0"].tolist()] * 5
    assert ((result.written["t5"] > 0) & (result.written["t5"] < 1)).all()
    (tmp_path / "p.csv").write_text(result.to_probabilities())
    read = read_judgement_probabilities(tmp_path / "p.csv")
    assert read.cases == ("1", "2", "3", "4", "5")
    for topic, given in result.written.items():
        np.testing.assert_allclose(read.probabilities[topic], given, atol=1e-5)
    again = judges(grades, human, cases=5)
    assert again.to_json() == result.to_json()
    assert json.loads(result.to_json())["dependence"] == of.dependence
    assert len(result.to_frame()) == 1


def runs(num: int) -> dict[str, dict[str, list[str]]]:
    rng = np.random.default_rng(8)
    return {
        f"s{s}": {f"t{t}": [str(x) for x in rng.permutation(60)] for t in range(num)}
        for s in range(5)
    }


def test_a_judge_without_errors_is_good_enough_and_a_coin_is_not() -> None:
    of, real = made(5, topics=20, known=20)
    _, human = as_qrels(of, real)
    rng = np.random.default_rng(1)
    coin = {t: {x: int(rng.random() < 0.5) for x in by} for t, by in human.items()}
    result = judges({"perfect": human, "coin": coin}, human, run=runs(20), draws=50)
    perfect, tossed = result.measured
    assert perfect.tau.value > tossed.tau.value
    assert not tossed.is_good
    assert tossed.worth < 1 < perfect.worth
    assert result.headline.startswith(("0 of 2 judges are", "1 of 2 judges are"))
    assert perfect.by_grade[1].low > 0.95


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"human": {"other": {"0": 1}}}, "people call ideal and j labelled is 0"),
        ({"human": {"t0": {"0": 1}}}, "people call not ideal and j labelled is 0"),
        ({"judges": {}}, "judges is \\(\\), must be at least one"),
        ({"run": {"s": {"t0": ["0"]}}}, "number of runs is 1, must be at least 2"),
        (
            {"run": {"s": {"t0": ["0"]}, "r": {"t0": ["0", "1"]}}},
            "mean AP by people is 1.0, must differ between systems",
        ),
        ({"human": {"t0": {"0": 1, "1": 0}}, "judges": {"j": {"t1": {"0": 1}}}}, "ideal and j lab"),
        ({"cases": 1}, "cases is 1"),
        ({"qrels": "q"}, "qrels is 'q', must stand with runs"),
    ],
)
def test_what_cannot_be_measured_is_refused(options: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"judges": {"j": {"t0": {"0": 1, "1": 0}}}}
    given |= {"human": {"t0": {"0": 1, "1": 0}}, **options}
    with pytest.raises(InputError, match=message):
        judges(**given)


def test_the_command_writes_what_evaluate_reads(tmp_path: Path) -> None:
    for name in ("human", "judge"):
        rows = [
            f"t{t} 0 e{e} {int(e < 2 + (name == 'judge'))}\n" for t in range(4) for e in range(6)
        ]
        (tmp_path / name).write_text("".join(rows[: -6 if name == "human" else None]))
    lines = [f"t{t} Q0 e{e} 1 {9 - e} x\n" for t in range(4) for e in range(6)]
    (tmp_path / "x.run").write_text("".join(lines))
    done = called(
        "judges", "judge", "--human", "human", "--probabilities", "p.csv", folder=tmp_path
    )
    assert done.returncode == 0, done.stderr
    done = called("evaluate", "x.run", "--judgements", "p.csv", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "of 40 of all topics at once" in done.stdout


def test_each_judge_is_measured_on_what_it_labelled_itself() -> None:
    of, real = made(6, topics=12, known=8)
    grades, human = as_qrels(of, real)
    (own,) = grades.values()
    half = {t: by for t, by in own.items() if t < "t2"}
    part = {t: {x: grade for x, grade in by.items() if x < "3"} for t, by in own.items()}
    alone = [judges({"it": one}, human, cases=2).measured[0] for one in (own, half, part)]
    together = judges({"all": own, "half": half, "part": part}, human, cases=2)
    for one, other in zip(alone, together.measured, strict=True):
        assert (one.hit, one.false_alarm) == (other.hit, other.false_alarm)
        assert (one.pairs, one.topics) == (other.pairs, other.topics)
    assert [one.topics for one in alone] == [8, len(half.keys() & human.keys()), 8]
    assert alone[0].pairs == 8 * 60 > alone[2].pairs
    # What nobody but one judge labelled has a probability, and what two said counts once each.
    assert {t: len(x) for t, x in together.labels.elements.items()} == dict.fromkeys(own, 60)
    assert together.labels.correlation(0, 1, 0) == pytest.approx(1)
    kinds = dict(together.labels.evidence)
    assert np.isfinite(list(kinds.values())).all()


def test_what_people_alone_judged_is_written() -> None:
    human = {"q": {"a": 1, "b": 0, "c": 1}, "r": {"a": 1, "b": 0}}
    made_of = judges({"j": {"q": {"a": 1, "b": 0, "d": 1}}}, human, cases=2)
    assert made_of.labels.elements == {"q": ("a", "b", "d", "c"), "r": ("a", "b")}
    assert made_of.written["q"][:, [0, 1, 3]].tolist() == [[1, 0, 1]] * 2
    assert made_of.written["r"].tolist() == [[1, 0]] * 2
    assert (made_of.measured[0].pairs, made_of.measured[0].topics) == (2, 1)


def test_a_judge_that_calls_all_alike_orders_nothing() -> None:
    of, real = made(5, topics=8, known=8)
    _, human = as_qrels(of, real)
    same = {
        str(grade): {t: dict.fromkeys(by, grade) for t, by in human.items()} for grade in (0, 1)
    }
    result = judges(same, human, run=runs(8), draws=40, cases=2)
    assert not any(one.is_good for one in result.measured)
    assert all(one.tau.low <= 0 <= one.tau.high for one in result.measured)
    assert max(one.worth for one in result.measured) < 1
    assert "nan" not in result.headline
    assert np.isnan(result.labels.correlation(0, 1, 1))
    assert json.loads(result.to_json())["correlations"][0][2] is None
