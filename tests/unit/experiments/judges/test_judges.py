"""Judges beside people: rates, evidence, worth, and probabilities."""

import json
from itertools import product
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, optimize, stats

from prum.experiments.judges import JudgesResult, judges
from prum.experiments.judges.labels import Dependence, Labels, _by_document, labels_of
from prum.experiments.judges.ranks import constants, drawn_coefficients
from prum.experiments.judges.rates import Rate, worth
from prum.experiments.statistics.intervals import mean_interval
from prum.experiments.statistics.repeated import components, trial_variances
from prum.simulator.collections import read_judgement_probabilities
from prum.simulator.model import InputError
from tests.commands import called


def made(
    seed: int,
    *,
    size: float = 8,
    topics: int = 50,
    known: int = 30,
    by_document: bool = False,
    num_judges: int = 1,
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
        p = np.repeat(np.where(z, hit, false)[None], num_judges, axis=0)
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
    # A fortieth of the posterior lies below the interval of the mean, and as much above.
    law, means = rate.posterior.sum(axis=1), (np.arange(100) + 0.5) / 100
    for outside in (means < rate.mean.low, means > rate.mean.high):
        assert law[outside].sum() == pytest.approx(0.025, abs=0.008)


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
        ({"size": 1e6, "num_judges": 2, "known": 2}, "independent"),
        ({"by_document": True}, "shared by document"),
    ],
)
def test_evidence_chooses_what_was_made(settings: Any, dependence: Dependence) -> None:
    of, _ = made(3, **settings)
    assert of.dependence == dependence
    if dependence == "shared by document":
        assert of.correlation(0, 1, 0) > 0.3


@pytest.mark.parametrize("sigma", [1.0, 3.0])
def test_evidence_by_document_is_that_of_integrals(sigma: float) -> None:
    """The best sigma of six, each judge's rate kept; integrals over documents on a grid."""
    rng = np.random.default_rng(3)
    logits = sigma * rng.normal(size=400) + np.array([[0.5], [-1.0]])
    y = (rng.random((2, 400)) < 1 / (1 + np.exp(-logits))).astype(np.int64)
    means = (y.sum(axis=1) + 0.5) / 401

    u = np.linspace(-10, 10, 4001)
    law = stats.norm.pdf(u) * (u[1] - u[0])

    def rate(centre: float, by: float) -> Any:
        return 1 / (1 + np.exp(-centre - by * u))

    sigmas = [0.5, 1.0, 1.5, 2.0, 3.0, 4.0]
    logs = []
    for by in sigmas:
        p = np.array(
            [
                rate(optimize.brentq(lambda c, m=m, by=by: law @ rate(c, by) - m, -30, 30), by)
                for m in means
            ]
        )
        chances = [law @ np.where(said[:, None] == 1, p, 1 - p).prod(axis=0) for said in y.T]
        logs.append(float(np.log(chances).sum()))
    evidence, best, _ = _by_document(y)
    assert best == sigmas[int(np.argmax(logs))] == sigma
    wanted = np.log(np.mean(np.exp(np.array(logs) - max(logs)))) + max(logs) - np.log(400)
    assert evidence == pytest.approx(wanted, abs=0.05)


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
    perfect, tossed = result.rows()
    assert perfect.tau > tossed.tau
    assert not tossed.is_good
    assert tossed.worth < 1 < perfect.worth
    assert result.headline.startswith(("0 of 2 judges are", "1 of 2 judges are"))


def lists_by(real: dict[str, Any], strength: float) -> list[dict[str, list[str]]]:
    """Return two systems' lists, which know what is ideal beyond what the judge says."""
    rng = np.random.default_rng(9)
    return [
        {
            t: [str(x) for x in np.argsort(-strength * z - rng.normal(size=60))]
            for t, z in real.items()
        }
        for _ in range(2)
    ]


def test_coefficients_are_those_of_a_regression_on_reweighted_topics() -> None:
    rng = np.random.default_rng(8)
    topics = []
    for _ in range(6):
        z = (rng.random(60) < rng.beta(2.5, 7.5)).astype(np.float64)
        label = (rng.random(60) < np.where(z == 1, 0.6, 0.2)).astype(np.int64)
        topics.append((z, label, rng.normal(size=(60, 1)) + z[:, None]))
    found = drawn_coefficients(topics, 5, np.random.default_rng(3))
    weights = np.random.default_rng(3).dirichlet(np.ones(6), 5) * 6
    # Of a mean over six topics, the bootstrap's variance is too small by this factor.
    weights = 1 + (weights - 1) * (7 / 5 * 6 / 5) ** 0.5

    def fitted(weight: Any) -> Any:
        def loss(at: Any) -> float:
            total = (at[7:] ** 2).sum() / 2 + 0.005 * (at[:7] ** 2).sum()
            for number, (w, (z, label, scores)) in enumerate(zip(weight, topics, strict=True)):
                odds = at[number] + at[6] * label + at[7 + label] * scores[:, 0]
                total += w * (np.log1p(np.exp(odds)) - z * odds).sum()
            return float(total)

        return optimize.minimize(loss, np.zeros(9), method="BFGS").x[7:]

    exact = np.array([fitted(weight) for weight in np.maximum(weights, 0.01)])
    np.testing.assert_allclose(found[:, :, 0].T, exact, atol=0.15)
    assert np.abs(found[:, :, 0].T - fitted(np.ones(6))).max() > 0.3  # the control: equal weights


def test_a_topics_chances_are_those_of_enumeration() -> None:
    """Of six elements: every set of ideals, and every share on a grid."""
    y, z = np.array([[1, 0, 1, -1, 0, 1]]), np.array([-1.0, -1, -1, -1, 1, 0])
    evidence = np.array([1.5, -0.5, 0.0, 0.7, -1.0, -0.7])
    hit, false, mean, size, num = 0.7, 0.2, 0.3, 8.0, 4_000
    of = Labels(("j",), {"q": tuple("abcdef")}, {"q": y}, {"q": z})
    means = np.broadcast_to([[hit, 1e9], [false, 1e9]], (num, 1, 2, 2))
    share = np.array([np.full(num, mean), np.full(num, size)])
    ranked = np.broadcast_to(evidence, (num, 6))
    rates, rng = means[:, 0, :, :1], np.random.default_rng(1)
    found = of._topic("independent", y, z, means, rates, share, ranked, rng)
    logits = np.linspace(-9, 9, 2001)
    p = 1 / (1 + np.exp(-logits))
    added = constants(logits, evidence[None])[:, 0]
    alone = 1 / (1 + np.exp(-((logits + added)[:, None] + evidence)))
    density = p ** (mean * size) * (1 - p) ** ((1 - mean) * size)
    total, ideal = 0.0, np.zeros(6)
    for one in product([0, 1], repeat=6):
        if one[4] != 1 or one[5] != 0:
            continue
        chosen = np.array(one)
        rate = np.where(chosen == 1, hit, false)
        said = np.where(y[0] == 1, rate, np.where(y[0] == 0, 1 - rate, 1)).prod()
        weight = (density * np.where(chosen == 1, alone, 1 - alone).prod(axis=1)).sum() * said
        total += weight
        ideal += weight * chosen
    error = 4 * 0.25 / num**0.5
    np.testing.assert_allclose(found.mean(axis=0), ideal / total, atol=error)
    naive = 1 / (1 + np.exp(-(np.log(mean / (1 - mean)) + evidence)))
    assert np.abs(found.mean(axis=0) - naive).max() > 5 * error


def test_ranks_count_by_what_the_judge_says() -> None:
    """The list knows what is ideal only of what the judge denied."""
    of, real = made(9, topics=40, known=30)
    grades, human = as_qrels(of, real)
    rng = np.random.default_rng(4)
    scores = {t: 3 * z * (of.labels[t][0] == 0) + rng.normal(size=60) for t, z in real.items()}
    runs = [{t: [str(x) for x in np.argsort(-own)] for t, own in scores.items()}]
    labels = labels_of(grades, human, ideal_grade=1, runs=runs)
    p = labels.probabilities(10, rng, "shared within topics")
    gaps: dict[int, list[float]] = {0: [], 1: []}
    for topic in set(real) - set(human):
        means = p[topic].mean(axis=0)
        for said, found in gaps.items():
            own = of.labels[topic][0] == said
            high = own & (labels.places[topic][:, 0] > 0.8)
            low = own & (labels.places[topic][:, 0] < 0)
            if high.any() and low.any():
                found.append(float(means[high].mean() - means[low].mean()))
    assert np.mean(gaps[0]) > 0.3
    assert abs(np.mean(gaps[1])) < 0.2


def test_runs_are_evidence_on_topics_that_they_have_and_it_is_said() -> None:
    of, real = made(7, topics=12, known=8)
    grades, human = as_qrels(of, real)
    lists = {f"s{at}": one for at, one in enumerate(lists_by(real, 2.0))}
    lists["s0"]["t11"] = lists["s1"]["t11"] = []
    alone = judges(grades, human, cases=3)
    both = judges(grades, human, run=lists, cases=3, draws=2)
    assert not np.allclose(alone.written["t10"], both.written["t10"], atol=0.1)
    assert sorted(both.labels.places) == sorted(set(real) - {"t11"})
    told = "The ranks given by 2 systems on 11 topics also count as evidence."
    assert told in both.view().notes
    assert not any("Ranks by" in note for note in alone.view().notes)
    # Of one topic nobody learns how coefficients differ between topics.
    one = {t: human["t0"] for t in human if t == "t0"}
    few = judges(grades, one, run=lists, cases=3, draws=2)
    assert not few.labels.ranked
    assert any("fewer than two" in note for note in few.view().notes)
    # Of topics that others judged, ranks are no evidence here.
    apart = judges(grades, human, run=lists, qrels=human, cases=3, draws=2)
    assert not apart.labels.places


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
    files = ("--probabilities", "p.csv", "--figure", "f.svg", "--latex", "t.tex")
    done = called("judges", "judge", "--human", "human", *files, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "false alarm" in (tmp_path / "t.tex").read_text()
    assert (tmp_path / "f.svg").stat().st_size > 5_000
    done = called("evaluate", "x.run", "--judgements", "p.csv", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "of 40 of all topics at once" in done.stdout


def test_each_judge_is_measured_on_what_it_labelled_itself() -> None:
    of, real = made(6, topics=12, known=8)
    grades, human = as_qrels(of, real)
    (own,) = grades.values()
    half = {t: by for t, by in own.items() if t < "t2"}
    part = {t: {x: grade for x, grade in by.items() if x < "3"} for t, by in own.items()}
    alone = [judges({"it": one}, human, cases=2).rows()[0] for one in (own, half, part)]
    together = judges({"all": own, "half": half, "part": part}, human, cases=2)
    for one, other in zip(alone, together.rows(), strict=True):
        assert (one.hit, one.false_alarm) == (other.hit, other.false_alarm)
        assert (one.labels, one.topics) == (other.labels, other.topics)
    assert [one.topics for one in alone] == [8, len(half.keys() & human.keys()), 8]
    assert alone[0].labels == 8 * 60 > alone[2].labels
    # What nobody but one judge labelled has a probability, and what two said counts once each.
    assert {t: len(x) for t, x in together.labels.elements.items()} == dict.fromkeys(own, 60)
    assert together.labels.correlation(0, 1, 0) == pytest.approx(1)
    kinds = dict(together.labels.evidence)
    assert np.isfinite(list(kinds.values())).all()


def test_a_judge_that_calls_all_alike_orders_nothing() -> None:
    of, real = made(5, topics=8, known=8)
    _, human = as_qrels(of, real)
    same = {
        str(grade): {t: dict.fromkeys(by, grade) for t, by in human.items()} for grade in (0, 1)
    }
    result = judges(same, human, run=runs(8), draws=40, cases=2)
    assert not any(one.is_good for one in result.rows())
    assert all(one.tau_low <= 0 <= one.tau_high for one in result.rows())
    assert max(one.worth for one in result.rows()) < 1
    assert "nan" not in result.headline
    assert np.isnan(result.labels.correlation(0, 1, 1))
    assert json.loads(result.to_json())["correlations"][0]["hits"] is None


def labelled(tmp_path: Path, header: str) -> tuple[Path, Any, Any]:
    """Return a file of two judges, who labelled 4 and 2 times; agreement of the first; people."""
    rng, names = np.random.default_rng(2), [f"d{x}" for x in range(20)]
    human = {f"t{t}": {x: int(rng.random() < 0.4) for x in names} for t in range(8)}
    lines, agreed = [header], np.zeros((4, 8))
    for judge, num in (("a", 4), ("b", 2)):
        for trial in range(num):
            for t, (topic, by) in enumerate(human.items()):
                same = rng.random(20) < 0.6 + 0.1 * trial
                lines += [
                    f"{judge},{topic},{x},{z if ok else 1 - z},{trial}"
                    for ok, (x, z) in zip(same, by.items(), strict=True)
                ]
                if judge == "a":
                    agreed[trial, t] = same.mean()
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(lines) + "\n")
    return path, agreed, human


@pytest.mark.parametrize(
    "header",
    ["judge,qid,docno,label,trial", "model,topic,doc_id,grade,run", "rater,q_id,doc,rel,Seed"],
)
def test_trials_of_a_judge_are_no_judges_of_their_own(header: str, tmp_path: Path) -> None:
    path, agreed, human = labelled(tmp_path, header)
    result = judges(path, human, cases=2)
    assert result.labels.judges[:2] == ("a (trial 0)", "a (trial 1)")
    assert result.agreement is not None
    scores = result.agreement.scores
    assert (scores.systems, [len(x) for x in scores.repeats(0)]) == (("a", "b"), [4, 2])
    added = trial_variances(scores.repeats(0))[0, 0]
    wanted = mean_interval(agreed.mean(axis=0), added)
    assert added > 0
    assert scores.mean(0, 0)[:3] == pytest.approx(wanted)
    assert result.agreement.values()["trials"]["a"] == pytest.approx(components(agreed).values())
    # Ideals and others, weighed by their numbers on each topic, are all.
    share = np.array([np.mean(list(by.values())) for by in human.values()])
    parts = share * scores.values[0, :, 1] + (1 - share) * scores.values[0, :, 2]
    np.testing.assert_allclose(parts, scores.values[0, :, 0])
    assert not np.allclose(scores.values[0, :, 1], scores.values[0, :, 2])
    view = result.view()
    assert "Variance of a score by agreement" in [table.label for table in view.tables]
    assert any(note.startswith("a: ± ") and " more trial" in note for note in view.notes)
    assert result.headline.startswith("By agreement, a against b is undecided")
    again = judges(pd.read_csv(path), human, cases=2).agreement
    assert again is not None
    np.testing.assert_array_equal(again.scores.values, scores.values)


def test_files_of_one_labelling_each_have_no_trials(tmp_path: Path) -> None:
    human = {"q": {"a": 1, "b": 0}, "p": {"a": 0, "b": 1}}
    (tmp_path / "both.json").write_text(json.dumps({"x": human, "y": human}))
    (tmp_path / "one.json").write_text(json.dumps(human))
    both = judges(tmp_path / "both.json", human, cases=2)
    assert both.labels.judges == ("x", "y")
    assert both.agreement is None
    assert judges(tmp_path / "one.json", human, cases=2).labels.judges == ("one.json",)
    (tmp_path / "x.csv").write_text("judge,qid,docno,label\nx,q,a,1\nx,q,b,0\n")
    with pytest.raises(InputError, match="judge is 'x', must be"):
        judges([tmp_path / "both.json", tmp_path / "x.csv"], human, cases=2)
