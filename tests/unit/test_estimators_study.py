"""The study of estimators: every number a second time, wrong estimators seen, parts left out."""

import csv
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from prum.analytic.tasks import closed_form, prum_of
from prum.experiments.evaluating.evaluation import evaluate
from prum.experiments.evaluating.judged import Collection, Judged
from prum.experiments.evaluating.measure import measure_of
from prum.experiments.simulating.log import log_to
from prum.experiments.studies.estimators import coverage, power, study
from prum.experiments.studies.estimators.command import estimators
from prum.experiments.studies.estimators.coverage import covered, neighbours
from prum.experiments.studies.estimators.dataset import TRUTH, Dataset, read_dataset
from prum.experiments.studies.estimators.events import read_events
from prum.experiments.studies.estimators.fewer_topics import (
    average_precision_taus,
    by_topics,
    numbers_of_topics,
)
from prum.experiments.studies.estimators.intervals import intervals, resampled_counts
from prum.experiments.studies.estimators.pooling import IN, OUT, by_pool, pooled
from prum.experiments.studies.estimators.power import pairs_of, rejected
from prum.experiments.studies.estimators.proportions import (
    binomial_coverage,
    holds,
    proportion_intervals,
)
from prum.experiments.studies.estimators.recovery import add_pairs, estimated
from prum.experiments.studies.estimators.rows import Rows, clustered
from prum.experiments.studies.estimators.scoring import complete_scores, scores_by
from prum.experiments.studies.estimators.significance import (
    randomization,
    sign_test,
    t_test,
    wilcoxon,
)
from prum.experiments.studies.estimators.study import study_estimators
from prum.experiments.studies.estimators.trials import EVERY, SAFE, TURN, trials_of
from prum.experiments.studies.estimators.truth import against_truth
from prum.experiments.studies.estimators.walking import reached
from prum.experiments.studies.page import page
from prum.experiments.studies.ranking import average_precision_tau, kendall_tau
from prum.simulator.collections.linking import Linked
from prum.simulator.model import Independent, InputError, Links, Task
from prum.simulator.model.stopping import Found, Persistence, Rule, Stopping
from prum.simulator.sessions.traffic import traffic
from prum.simulator.sessions.visits import Query

# Of a false alarm of any one statistical test.
LEVEL = 1e-4
SIZE = 40

# --- a stand-in for what prum generate makes ------------------------------------------------------


def stand_in(
    folder: Path,
    *,
    num_topics: int = 12,
    num_systems: int = 4,
    kind: str = "web",
    pool: Mapping[str, Any] | None = None,
    users: int = 0,
    want: int | None = 2,
    stop: Sequence[str] = (),
    rules: Sequence[Rule] = (),
    log: str = "log.jsonl",
    strength: float = 0.7,
) -> Path:
    """Write a small folder: topics with two to four ideals, links to them, lists of ten."""
    rng = np.random.default_rng(4)
    ids = [f"e{number:02d}" for number in range(SIZE)]
    (folder / "runs").mkdir(parents=True)
    topics = [f"t{number}" for number in range(num_topics)]
    ideals, links = dict[str, tuple[str, ...]](), dict[str, Links]()
    lists: dict[str, dict[str, tuple[str, ...]]] = {f"s{k}": {} for k in range(num_systems)}
    grades: dict[str, dict[str, int]] = {}
    for topic in topics:
        order = rng.permutation(SIZE)
        wanted = sorted(ids[k] for k in order[: rng.integers(2, 5)])
        ideals[topic] = tuple(wanted)
        grades[topic] = dict.fromkeys(wanted, 1) | {ids[order[5]]: 0}
        links[topic] = Links(
            {}
            if kind == "flat"
            else {
                (ids[x], y): float(rng.uniform(0.1, strength))
                for x in order[5:17]
                for y in wanted
                if rng.random() < 0.7
            }
        )
        for number, found in enumerate(lists.values()):
            worth = np.array([one in wanted for one in ids]) * (1 - number / 8)
            worth += rng.normal(size=SIZE) * 0.8
            found[topic] = tuple(ids[k] for k in np.argsort(-worth)[:10])
    specification = {
        "name": "stand-in",
        "collection": {"kind": kind, "elements": SIZE},
        "topics": {"ideal_grade": 1},
        "pool": pool,
        "log": {"users": users, "want": want, "stop": list(stop)} if users else None,
    }
    (folder / "dataset.json").write_text(json.dumps({"specification": specification}))
    _lines(folder / "qrels.txt", (f"{t} 0 {e} {g}" for t in topics for e, g in grades[t].items()))
    for system, found in lists.items():
        _lines(
            folder / "runs" / system,
            (
                f"{topic} Q0 {element} {rank} {-rank} {system}"
                for topic, ranking in found.items()
                for rank, element in enumerate(ranking, start=1)
            ),
        )
    if kind != "flat":
        _lines(
            folder / "navigation.jsonl",
            (
                json.dumps({"topic": t, "source": x, "target": y, "probability": p})
                for t in topics
                for x, y, p in links[t]
            ),
        )
    if pool is not None:
        judged: dict[str, dict[str, int]] = {topic: {} for topic in topics}
        for topic, by in judged.items():
            for system in pool.get("systems") or lists:
                for element in lists[system][topic][: pool["depth"]]:
                    by[element] = grades[topic].get(element, 0)
        _lines(
            folder / "qrels-pooled.txt",
            (f"{t} 0 {e} {g}" for t in topics for e, g in judged[t].items()),
        )
    collection = Collection(size=SIZE, linked=Linked(links))
    all_judged = [Judged(t, ideals[t], grades[t], None, collection) for t in topics]
    names = (TRUTH, "PRUM", "AP")
    scored = evaluate(list(lists.items()), all_judged, [measure_of(name) for name in names])
    _lines(
        folder / "scores.csv",
        [
            "system,topic,measure,score,error,method",
            *(
                f"{system},{topic},{name},{scored.scores[s, t, m]:.9f},0,computed"
                for s, system in enumerate(lists)
                for t, topic in enumerate(topics)
                for m, name in enumerate(names)
            ),
        ],
    )
    if users:
        with log_to(folder / log) as write:
            for system, found in lists.items():
                queries = [
                    Query(
                        topic,
                        task := Task(found[topic], ideals[topic], SIZE),
                        Independent(links[topic]),
                        Stopping(*([Found(min(want, task.num_ideals))] if want else []), *rules),
                    )
                    for topic in topics
                ]
                for entry in traffic(queries, num_users=users, seed=3):
                    write(system, entry)
    return folder


def _lines(path: Path, lines: Iterator[str] | Sequence[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with everything: a pool of two systems of four, and a log."""
    return stand_in(
        tmp_path_factory.mktemp("whole") / "made",
        pool={"depth": 3, "systems": ["s0", "s2"]},
        users=60,
    )


def value(rows: Any, group: str, **what: Any) -> float:
    (row,) = (
        row
        for row in rows
        if row["group"] == group and all(row[name] == one for name, one in what.items())
    )
    return float(row["value"])


# --- reading a folder -----------------------------------------------------------------------------


def test_a_folder_is_read_as_it_was_made(whole: Path) -> None:
    data = read_dataset(whole)
    assert (data.systems, data.size, data.kind) == (("s0", "s1", "s2", "s3"), SIZE, "independent")
    assert data.pooling == ("s0", "s2")
    assert data.scores["AP"].shape == (4, 12)
    for judged in data.judged():
        task = Task(data.runs["s1"][judged.topic], judged.ideals, SIZE)
        navigation = Independent(data.navigation[judged.topic])
        found = closed_form(task, navigation)
        place = data.topics.index(judged.topic)
        assert found is not None
        assert data.scores[TRUTH][1, place] == pytest.approx(found.average, abs=1e-8)
        prum = prum_of(task, navigation).average
        assert data.scores["PRUM"][1, place] == pytest.approx(prum, abs=1e-8)


def _without(name: str) -> Any:
    return lambda folder: (folder / name).unlink()


def _in_scores(old: str, new: str) -> Any:
    def change(folder: Path) -> None:
        path = folder / "scores.csv"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    return change


def _add_score(folder: Path) -> None:
    with (folder / "scores.csv").open("a") as file:
        file.write("s0,t0,AP,0.5,0,computed\n")


def _drop_last_score(folder: Path) -> None:
    path = folder / "scores.csv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))


def _another_run(folder: Path) -> None:
    (folder / "runs" / "new").write_text("t0 Q0 e01 1 1 new\n")


def _mark(text: str) -> Any:
    return lambda folder: (folder / "dataset.json").write_text(text)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_without("dataset.json"), "be a dataset, which holds dataset.json"),
        (_mark("{}"), "be JSON that holds a specification with a collection"),
        (_mark('{"specification": {"collection": {}}, "files": ["log.jsonl"]}'), "'log.jsonl'"),
        (_without("qrels.txt"), "file is 'qrels.txt', must be in the folder"),
        (_without("scores.csv"), "file is 'scores.csv'"),
        (_in_scores("s0,t0", "s9,t0"), "line 2: system is 's9', must have a run"),
        (_in_scores("s0,t0", "s0,t99"), "topic is 't99', must have an ideal by qrels.txt"),
        (_in_scores("system,", "run,"), "columns is"),
        (_in_scores(",0,computed", ",x,computed"), "line 2: error is 'x', must be a finite"),
        (_in_scores(",0,computed", ",0"), "line 2: number of columns is 5, must be 6"),
        (_add_score, "AP of s0 is 't0', must be given once"),
        (_drop_last_score, "AP of s1 is None, must be given for topic t1"),
        (_another_run, "run is 'new', must have scores"),
    ],
)
def test_a_bad_folder_is_refused_in_one_line(tmp_path: Path, change: Any, told: str) -> None:
    folder = stand_in(tmp_path / "made", num_topics=2, num_systems=2)
    change(folder)
    with pytest.raises(InputError) as error:
        read_dataset(folder)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_scores_that_are_not_those_of_runs_are_refused(tmp_path: Path) -> None:
    folder = stand_in(tmp_path / "made", num_topics=2, num_systems=2)
    rows = list(csv.reader((folder / "scores.csv").read_text().splitlines()))
    rows[3][3] = f"{float(rows[3][3]) + 0.01:.9f}"
    _lines(folder / "scores.csv", [",".join(row) for row in rows])
    with pytest.raises(InputError, match=r"AP of s0 on topic t0 is .*what its run scores"):
        complete_scores(read_dataset(folder), ["AP"])


# --- one list, and few topics ---------------------------------------------------------------------


def test_errors_against_truth_are_those_of_loops(whole: Path) -> None:
    data = read_dataset(whole)
    rows = Rows()
    against_truth(rows, data.systems, data.scores, data.errors[TRUTH], ["PRUM", "AP"])
    for measure, subject in product(("PRUM", "AP"), (*data.systems, "all")):
        chosen = data.systems if subject == "all" else (subject,)
        errors = [
            data.scores[measure][data.systems.index(s), t]
            - data.scores[TRUTH][data.systems.index(s), t]
            for s in chosen
            for t in range(12)
        ]
        found = {
            name: value(rows.rows, "truth", subject=subject, method=measure, quantity=name)
            for name in ("bias", "rmse", "largest")
        }
        assert found == pytest.approx(
            {
                "bias": sum(errors) / len(errors),
                "rmse": (sum(e * e for e in errors) / len(errors)) ** 0.5,
                "largest": max(map(abs, errors)),
            }
        )


def test_the_noise_of_a_simulated_truth_is_taken_off() -> None:
    rng = np.random.default_rng(2)
    exact = rng.random((3, 4000))
    scores = {TRUTH: exact + rng.normal(0, 0.1, exact.shape), "PRUM": exact + 0.05}
    rows = Rows()
    against_truth(rows, ["a", "b", "c"], scores, np.full(exact.shape, 0.1), ["PRUM"])
    found = value(rows.rows, "truth", subject="all", method="PRUM", quantity="rmse")
    assert found == pytest.approx(0.05, abs=0.01)


def test_rankings_by_few_topics_are_those_of_loops() -> None:
    rng = np.random.default_rng(1)
    true = rng.random((5, 11)) + np.linspace(0, 0.4, 5)[:, None]
    scores = {TRUTH: true, "AP": true + rng.normal(0, 0.2, true.shape)}
    rows = Rows()
    by_topics(rows, scores, 7, np.random.default_rng(9))
    orders = np.random.default_rng(9).permuted(np.tile(np.arange(11), (7, 1)), axis=1)
    for measure, number in product(scores, (5, 10)):
        taus, tops, best = [], [], []
        for order in orders:
            assert len(set(order[:number].tolist())) == number
            means = scores[measure][:, order[:number]].mean(axis=1)
            taus.append(kendall_tau(means, true.mean(axis=1)))
            tops.append(average_precision_tau(means, true.mean(axis=1)))
            best.append(np.argmax(means) == np.argmax(true.mean(axis=1)))
        for name, wanted in (("tau", taus), ("tau_ap", tops), ("best", best)):
            found = value(rows.rows, "topics", method=measure, at=number, quantity=name)
            assert found == pytest.approx(np.mean(wanted))


def test_all_topics_give_the_true_ranking() -> None:
    true = np.random.default_rng(1).random((5, 10))
    rows = Rows()
    by_topics(rows, {TRUTH: true}, 4, np.random.default_rng(1))
    assert value(rows.rows, "topics", method=TRUTH, at=10, quantity="tau") == 1
    # The variance of a mean of 5 of 10 is that of 9 of an endless number.
    assert value(rows.rows, "topics", method="", at=5, quantity="endless") == pytest.approx(9)
    subsets = [true[0, list(some)].mean() for some in combinations(range(10), 5)]
    assert np.var(subsets) == pytest.approx(true[0].var() / 9)


def test_tau_ap_of_many_is_that_of_each() -> None:
    rng = np.random.default_rng(3)
    estimated, true = rng.integers(0, 4, (20, 6)) / 4, rng.integers(0, 3, 6) / 2
    found = average_precision_taus(estimated, true)
    assert found == pytest.approx([average_precision_tau(one, true) for one in estimated])


@pytest.mark.parametrize(
    ("topics", "most", "wanted"), [(1, None, [1]), (5, None, [5]), (120, 50, [5, 10, 25, 50])]
)
def test_numbers_of_topics(topics: int, most: int | None, wanted: list[int]) -> None:
    assert numbers_of_topics(topics, most) == wanted


# --- intervals and coverage -----------------------------------------------------------------------


def test_intervals_are_those_of_loops_and_scipy() -> None:
    rng = np.random.default_rng(7)
    samples = rng.beta(0.4, 1, (3, 9))
    counts = resampled_counts(9, 399, rng)
    assert (counts.sum(axis=1) == 9).all()
    found = intervals(samples, counts)
    for row, sample in enumerate(samples):
        mean, error = sample.mean(), stats.sem(sample)
        wanted = {
            "t": stats.t.interval(0.95, 8, mean, error),
            "normal": stats.norm.interval(0.95, mean, error),
        }
        resamples = [np.repeat(sample, count.astype(int)) for count in counts]
        means = np.array([one.mean() for one in resamples])
        wanted["percentile"] = tuple(np.quantile(means, [0.025, 0.975]))
        pulls = sorted((one.mean() - mean) / one.std(ddof=1) for one in resamples)
        low, high = pulls[int(np.ceil(0.025 * 399)) - 1], pulls[int(np.ceil(0.975 * 399)) - 1]
        deviation = sample.std(ddof=1)
        wanted["bootstrap t"] = mean - high * deviation, mean - low * deviation
        jackknife = np.array([np.delete(sample, k).mean() for k in range(9)])
        away = jackknife.mean() - jackknife
        acceleration = (away**3).sum() / (6 * (away**2).sum() ** 1.5)
        bias = stats.norm.ppf(stats.percentileofscore(means, mean, "mean") / 100)
        levels = [
            stats.norm.cdf(bias + (bias + z) / (1 - acceleration * (bias + z)))
            for z in stats.norm.ppf([0.025, 0.975])
        ]
        wanted["BCa"] = tuple(np.quantile(means, levels))
        assert set(found) == set(wanted)
        for method, ends in wanted.items():
            assert [float(end[row]) for end in found[method]] == pytest.approx(ends), method


def test_bootstrap_intervals_are_near_those_of_scipy() -> None:
    rng = np.random.default_rng(8)
    sample = rng.beta(0.5, 1, 30)
    found = intervals(sample[None], resampled_counts(30, 20_000, rng))
    width = np.ptp(sample) / 30**0.5
    for method in ("percentile", "BCa"):
        wanted = stats.bootstrap(
            (sample,), np.mean, n_resamples=20_000, method=method, rng=rng
        ).confidence_interval
        ends = [float(end[0]) for end in found[method]]
        assert ends == pytest.approx(tuple(wanted), abs=0.03 * width)


def test_equal_values_give_a_point() -> None:
    counts = resampled_counts(4, 99, np.random.default_rng(1))
    for low, high in intervals(np.full((1, 4), 0.3), counts).values():
        assert (float(low[0]), float(high[0])) == pytest.approx((0.3, 0.3))


def _tally(hit: Any, probability: float) -> bool:
    """Whether a count of independent hits fits a probability."""
    return bool(stats.binomtest(int(np.sum(hit)), len(hit), probability).pvalue > LEVEL)


def test_coverage_is_that_of_all_samples() -> None:
    series = np.array([[0.0, 0.2, 1.0]])
    true = series.mean()
    held = dict.fromkeys(("t", "normal"), 0.0)
    for sample in product(series[0], repeat=4):
        mean, error = np.mean(sample), stats.sem(sample)
        for name, law in (("t", stats.t(3)), ("normal", stats.norm)):
            half = law.ppf(0.975) * error
            held[name] += (mean - half - 1e-9 <= true <= mean + half + 1e-9) / 3**4
    found = covered(series, 4, 4000, np.random.default_rng(5))
    for name, wanted in held.items():
        below, above, _ = found[name]
        assert _tally(~(below | above)[0], wanted)
        assert not _tally(~(below | above)[0], wanted - 0.05)


def test_an_interval_with_the_wrong_n_misses() -> None:
    """Each topic taken for two: Student's interval is too narrow, and that is seen."""
    series = np.random.default_rng(6).normal(size=(1, 5000))

    def doubled(samples: Any, counts: Any) -> Any:
        return {"t": intervals(np.tile(samples, 2), np.tile(counts, 2))["t"]}

    rng = np.random.default_rng(2)
    honest = covered(series, 10, 3000, rng)["t"]
    wrong = covered(series, 10, 3000, rng, doubled)["t"]
    assert _tally(~(honest[0] | honest[1])[0], 0.95)
    assert not _tally(~(wrong[0] | wrong[1])[0], 0.95)


def test_neighbours_are_pairs_of_the_ranking() -> None:
    assert neighbours(np.array([0.5])) == []
    assert neighbours(np.array([0.1, 0.3, 0.2])) == [(1, 2), (2, 0)]


# --- tests ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("num", [4, 9, 25, 60])
@pytest.mark.parametrize("ties", [False, True])
def test_p_values_are_those_of_scipy(num: int, ties: bool) -> None:
    rng = np.random.default_rng(num)
    samples = rng.normal(0.3, 1, (12, num))
    if ties:
        samples = np.round(samples)
        samples[:, 0] = 1
    tests = {
        "t": (t_test(samples), lambda d: stats.ttest_1samp(d, 0).pvalue),
        "sign": (
            sign_test(samples),
            lambda d: stats.binomtest(int((d > 0).sum()), int((d != 0).sum())).pvalue,
        ),
        "Wilcoxon": (
            wilcoxon(samples),
            lambda d: (
                stats.wilcoxon(
                    d, method="asymptotic" if ties or num > 50 else "exact", correction=False
                ).pvalue
            ),
        ),
    }
    for name, (found, wanted) in tests.items():
        for p, sample in zip(found, samples, strict=True):
            sizes = np.abs(sample[sample != 0])
            if name == "Wilcoxon" and ties and len(np.unique(sizes)) == len(sizes):
                continue  # none tied: the exact law
            with np.errstate(all="ignore"):
                assert p == pytest.approx(wanted(sample), rel=1e-9), name


def test_randomization_is_that_of_all_signs_and_near_it_by_chance() -> None:
    rng = np.random.default_rng(4)
    few, more = rng.normal(0.4, 1, (6, 7)), rng.normal(0.3, 1, (4, 12))

    def all_ways(sample: Any) -> float:
        sums = [abs(np.dot(signs, sample)) for signs in product((-1, 1), repeat=len(sample))]
        return float(np.mean([one >= abs(sample.sum()) - 1e-9 for one in sums]))

    assert randomization(few, rng) == pytest.approx([all_ways(sample) for sample in few])
    wanted = np.array([all_ways(sample) for sample in more])
    error = np.sqrt(wanted * (1 - wanted) / 999) * 4.5 + 2e-3
    assert (np.abs(randomization(more, rng) - wanted) < error).all()


def test_nothing_differs_nothing_is_found() -> None:
    none = np.zeros((1, 12))
    rng = np.random.default_rng(1)
    found = [t_test(none), sign_test(none), wilcoxon(none), randomization(none, rng)]
    assert [float(p[0]) for p in found] == [1, 1, 1, 1]
    assert float(t_test(np.full((1, 5), 0.1))[0]) == 0


def test_power_of_t_is_that_of_the_noncentral_law() -> None:
    quantiles = stats.norm.ppf((np.arange(4000) + 0.5) / 4000)
    row = (quantiles / quantiles.std() + 0.5)[None]
    found = rejected(row, 20, 2000, np.random.default_rng(3))
    edge, shift = stats.t.ppf(0.975, 19), 0.5 * 20**0.5
    right = 1 - stats.nct.cdf(edge, 19, shift)
    assert _tally(found["paired t"][0][0], right)
    assert not _tally(found["paired t"][0][0], right - 0.06)


def test_equal_systems_give_false_alarms_at_the_promised_rate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    row = np.random.default_rng(5).normal(0.2, 1, (1, 3000))
    found = rejected(row, 12, 3000, np.random.default_rng(6))
    # Of 12 signs two or fewer, or ten or more: the level that the sign test has.
    exact = 2 * stats.binom.cdf(2, 12, 0.5)
    for test, rate in (("paired t", 0.05), ("randomization", 0.05), ("sign", exact)):
        assert _tally(found[test][2][0], rate)
    # The sign test asks whether medians are 0; Student's, means.
    assert _tally(found["paired t"][3][0], 0.05)
    # Each topic taken for two: seen.
    monkeypatch.setattr(power, "p_values", lambda samples, _: {"t": t_test(np.tile(samples, 2))})
    assert not _tally(rejected(row, 12, 3000, np.random.default_rng(6))["t"][2][0], 0.05)


def test_pairs_rise_by_difference_and_are_not_too_many() -> None:
    assert pairs_of(np.array([0.1, 0.5, 0.2])) == [(2, 0), (1, 2), (1, 0)]
    many = pairs_of(np.random.default_rng(1).random(40))
    assert len(many) == len(set(many)) == power.MOST_PAIRS


# --- pooling --------------------------------------------------------------------------------------


def test_a_pool_is_that_of_the_file_and_scores_those_of_loops(whole: Path) -> None:
    data = read_dataset(whole)
    assert pooled(data, 3) == data.other_grades("pooled")
    scores, here, _ = complete_scores(data, ["PRUM", "AP"])
    assert here == (TRUTH, "PRUM", "AP")
    rows = Rows()
    notes = by_pool(rows, data, scores, here, np.random.default_rng(1), lambda: None)
    assert notes == []
    grades = pooled(data, 1)
    for subject, systems in ((IN, ("s0", "s2")), (OUT, ("s1", "s3"))):
        biases = []
        for topic in data.topics:
            ideals = [element for element, grade in grades[topic].items() if grade]
            if not ideals:
                continue
            for system in systems:
                task = Task(data.runs[system][topic], ideals, SIZE)
                prum = prum_of(task, Independent(data.navigation[topic])).average
                place = data.systems.index(system), data.topics.index(topic)
                biases.append(prum - data.scores["PRUM"][place])
        found = value(rows.rows, "pooling", subject=subject, method="PRUM", at=1, quantity="bias")
        assert found == pytest.approx(np.mean(biases), abs=1e-7)
        kept = value(rows.rows, "pooling", method="", at=1, quantity="topics")
        assert kept * len(systems) == len(biases)


def test_a_pool_of_everything_changes_nothing(tmp_path: Path) -> None:
    data = read_dataset(stand_in(tmp_path / "made"))
    scores, here, _ = complete_scores(data, ["PRUM"])
    everything = {
        topic: {f"e{k:02d}": grades.get(f"e{k:02d}", 0) for k in range(SIZE)}
        for topic, grades in data.grades.items()
    }
    _, found = scores_by(data, here, everything)
    assert found["PRUM"] == pytest.approx(scores["PRUM"], abs=1e-8)
    rows = Rows()
    notes = by_pool(rows, data, scores, here, np.random.default_rng(1), lambda: None)
    assert notes == ["All systems make the pool: none is left out of it."]
    assert not rows.of("pooling", subject=OUT)


# --- probabilities from logs ----------------------------------------------------------------------


def test_intervals_of_proportions_are_those_of_scipy() -> None:
    happened, trials = np.array([0, 1, 3, 9, 40]), np.array([1, 4, 3, 30, 77])
    found = proportion_intervals(happened, trials)
    for row, (k, n) in enumerate(zip(happened.tolist(), trials.tolist(), strict=True)):
        wilson = stats.binomtest(k, n).proportion_ci(method="wilson")
        assert [float(e[row]) for e in found["Wilson"]] == pytest.approx([*wilson], abs=1e-12)
        law = stats.beta(k + 0.5, n - k + 0.5)
        ends = (0.0 if k == 0 else law.ppf(0.025), 1.0 if k == n else law.ppf(0.975))
        assert [float(end[row]) for end in found["Jeffreys"]] == pytest.approx(ends)


def test_binomial_coverage_is_that_of_all_outcomes() -> None:
    trials, p = np.array([5, 5, 12]), np.array([0.1, 0.8, 0.35])
    found = binomial_coverage(trials, p)
    for method, row in product(found, range(3)):
        wanted = 0.0
        for k in range(trials[row] + 1):
            ends = proportion_intervals(np.array([k]), trials[[row]])[method]
            wanted += stats.binom.pmf(k, trials[row], p[row]) * bool(holds(ends, p[[row]])[0])
        assert found[method][row] == pytest.approx(wanted)


def test_an_interval_over_clusters_of_one_is_students() -> None:
    values = np.random.default_rng(1).normal(size=9)
    mean, low, high = clustered(values, np.arange(9))
    wanted = stats.t.interval(0.95, 8, values.mean(), stats.sem(values))
    assert (mean, low, high) == pytest.approx((values.mean(), *wanted))
    wide = clustered(np.repeat(values, 4), np.repeat(np.arange(9), 4))
    assert wide == pytest.approx((mean, low, high))


def counted_by_hand(data: Dataset, path: Path) -> dict[str, dict[Any, list[int]]]:
    """Return seen and trials of each way to count, by topic, x and y, event by event."""
    sessions: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    for line in path.read_text().splitlines():
        row = json.loads(line)
        sessions[row["system"], row["user"], row["session"], row["query"]].append(row)
    ideals = {one.topic: one.ideals for one in data.judged()}
    want = data.specification["log"]["want"]
    tosses: dict[str, dict[Any, bool]] = {way: {} for way in (EVERY, TURN, SAFE)}
    for (system, user, _, topic), rows in sessions.items():
        table = {(x, y) for x, y, _ in data.navigation[topic]}
        reason = rows[-1]["reason"]
        length = len(data.runs[system][topic])
        ranks = sorted({row["rank"] for row in rows if row["action"] == "consult"})
        found = set[str]()
        for rank in ranks:
            here = [row for row in rows if row["rank"] == rank and row["action"] != "stop"]
            x = here[0]["element"]
            seen = [row["element"] for row in here if row["action"] == "see" and row["origin"]]
            broken = rank == ranks[-1] and reason in ("found", "budget", "patience")
            targets = [y for y in ideals[topic] if (x, y) in table and x != y]
            left = min(want or 99, len(ideals[topic])) - len(found)
            for place, y in enumerate(targets):
                if rank > length:
                    continue
                key = user, topic, x, y
                ways = {EVERY: True, SAFE: left > len(targets) + (x in ideals[topic])}
                ways[TURN] = not broken or any(one in targets[place:] for one in seen)
                for way, counts in ways.items():
                    if counts:
                        tosses[way][key] = tosses[way].get(key, False) or y in seen
            found |= {row["element"] for row in here if row["new"]}
    told: dict[str, dict[Any, list[int]]] = {}
    for way, by in tosses.items():
        counts = defaultdict(lambda: [0, 0])
        for (_, *pair), was_seen in by.items():
            counts[tuple(pair)][0] += was_seen
            counts[tuple(pair)][1] += 1
        told[way] = dict(counts)
    return told


@pytest.mark.parametrize("log", ["log.jsonl", "log.jsonl.gz", "log.parquet"])
def test_trials_are_those_counted_by_hand(tmp_path: Path, log: str) -> None:
    if log.endswith("parquet"):
        pytest.importorskip("pyarrow")
    rules = (Persistence(0.95),)
    made = [
        stand_in(tmp_path / name, num_topics=5, users=30, stop=["persistence .95"], rules=rules,
                 log=name)
        for name in ("log.jsonl", log)[: 1 + (log != "log.jsonl")]
    ]  # fmt: skip
    data = read_dataset(made[-1])
    assert data.log is not None
    trials = trials_of(data, read_events(data.log))
    assert trials.are_same_people
    assert trials.unknown == 0
    wanted = counted_by_hand(data, made[0] / "log.jsonl")
    assert trials.broken_off > 0
    for way in (EVERY, TURN, SAFE):
        happened, number = trials.counts(way)
        found = {
            (data.topics[topic], x, y): [k, n]
            for topic, x, y, k, n in zip(
                trials.topic_of.tolist(), trials.sources, trials.targets,
                happened.tolist(), number.tolist(), strict=True,
            )
            if n
        }  # fmt: skip
        assert found == wanted[way], way
        assert found


def _pull(trials: Any, way: str) -> float:
    """Return how many standard errors the sights of a way are from what is true."""
    happened, number = trials.counts(way)
    variance = float((number * trials.true * (1 - trials.true)).sum())
    return float((happened - number * trials.true).sum()) / variance**0.5


def test_shares_where_the_turn_came_are_unbiased_and_all_shares_are_not(tmp_path: Path) -> None:
    data = read_dataset(stand_in(tmp_path / "made", num_systems=1, users=1500))
    assert data.log is not None
    trials = trials_of(data, read_events(data.log))
    edge = stats.norm.ppf(1 - LEVEL / 2)
    assert abs(_pull(trials, TURN)) < edge
    assert abs(_pull(trials, SAFE)) < edge
    assert _pull(trials, EVERY) < -2 * edge
    # Counts are binomial given the trials: so is the coverage of intervals.
    happened, number = trials.counts(TURN)
    tried = number > 0
    ends = proportion_intervals(happened[tried], number[tried])["Wilson"]
    held = holds(ends, trials.true[tried])
    law = binomial_coverage(number[tried], trials.true[tried])["Wilson"]
    assert abs(held.sum() - law.sum()) < edge * np.sqrt((law * (1 - law)).sum()) + 1


def test_a_biased_share_is_seen_in_the_rows() -> None:
    rng = np.random.default_rng(3)
    true, topics = rng.uniform(0.2, 0.8, 600), np.repeat(np.arange(60), 10)
    trials = rng.integers(1, 40, 600)
    rows = Rows()
    add_pairs(rows, "fair", rng.binomial(trials, true), trials, true, topics)
    add_pairs(rows, "low", rng.binomial(trials, true - 0.1), trials, true, topics)
    for way, wanted in (("fair", True), ("low", False)):
        (bias,) = rows.of("links", subject=way, at=None, quantity="bias")
        assert (bias["low"] < 0 < bias["high"]) == wanted
        (told,) = rows.of("links", subject=way, at=None, method="Wilson", quantity="coverage")
        law = value(
            rows.rows, "links", subject=way, at=None, method="Wilson", quantity="binomial coverage"
        )
        assert (told["low"] < law < told["high"]) == wanted


def test_users_of_several_systems_may_be_different_people(tmp_path: Path) -> None:
    folder = stand_in(tmp_path / "made", users=40)
    data = read_dataset(folder)
    assert data.log is not None
    same = trials_of(data, read_events(data.log))
    rows = [json.loads(line) for line in data.log.read_text().splitlines()]
    # In every other system a number is somebody else's.
    for row in rows:
        row["user"] = (row["user"] + int(row["system"][1])) % 40
    _lines(data.log, [json.dumps(row) for row in rows])
    others = trials_of(data, read_events(data.log))
    assert same.are_same_people
    assert not others.are_same_people
    assert others.counts(EVERY)[1].sum() > same.counts(EVERY)[1].sum()


def test_without_an_order_no_turn_is_known(tmp_path: Path) -> None:
    folder = stand_in(tmp_path / "made", num_topics=4, num_systems=1, users=60, want=None,
                      rules=(Persistence(0.9),), stop=["persistence .9"])  # fmt: skip
    data = read_dataset(folder)
    assert data.log is not None
    assert {TURN} <= set(trials_of(data, read_events(data.log)).counted)
    rows = [json.loads(line) for line in data.log.read_text().splitlines()]
    for one, two in pairwise(rows):
        if one["origin"] and one["origin"] == two["origin"]:
            one["element"], two["element"] = two["element"], one["element"]
            break
    _lines(data.log, [json.dumps(row) for row in rows])
    counted = set(trials_of(data, read_events(data.log)).counted)
    # Nobody stops for what he has found: which turn he could not stop before is not asked.
    assert counted == {EVERY}


def test_estimated_links_are_shares_and_true_ones_where_somebody_was(whole: Path) -> None:
    data = read_dataset(whole)
    assert data.log is not None
    trials = trials_of(data, read_events(data.log))
    shares, known = estimated(data, trials, TURN, trials.num_users)
    happened, number = trials.counts(TURN)
    for row in range(0, len(trials.true), 7):
        topic = data.topics[trials.topic_of[row]]
        pair = trials.sources[row], trials.targets[row]
        found = {(x, y): p for x, y, p in shares[topic]}[pair]
        true = {(x, y): p for x, y, p in known[topic]}[pair]
        assert found == (happened[row] / number[row] if number[row] else 0)
        assert true == (trials.true[row] if number[row] else 0)


def test_a_walk_gets_where_its_steps_lead() -> None:
    steps = {
        ("a", "b"): 0.3, ("a", "c"): 0.5, ("b", "c"): 0.4, ("b", "y"): 0.5, ("c", "a"): 0.2,
        ("c", "y"): 0.1, ("y", "z"): 0.9,
    }  # fmt: skip

    def hits(x: str, y: str, moves: int = 60) -> float:
        """The chance to be at y within some moves, by one step after the other."""
        at, arrived = {x: 1.0}, 0.0
        for _ in range(moves):
            then: dict[str, float] = defaultdict(float)
            for (source, target), p in steps.items():
                then[target] += at.get(source, 0.0) * p
            arrived += then.pop(y, 0.0)
            at = then
        return arrived

    found = reached(Links(steps), ["a", "b", "c", "y", "d"], ["y", "z"])
    told = {(x, y): p for x, y, p in found}
    assert set(told) == {("a", "y"), ("b", "y"), ("c", "y"), *((x, "z") for x in "abcy")}
    assert told == pytest.approx({pair: hits(*pair) for pair in told})


def test_people_who_walk_and_people_who_differ(tmp_path: Path) -> None:
    folder = stand_in(tmp_path / "made", num_topics=3, num_systems=2, strength=0.2)
    specification = json.loads((folder / "dataset.json").read_text())
    plain = read_dataset(folder)
    for kind, base, factor in (("walk", "walk", 1), ("beta 1 3 + fading .9", "independent", 0.25)):
        specification["specification"]["browsing"] = {"kind": kind, "way": None}
        (folder / "dataset.json").write_text(json.dumps(specification))
        data = read_dataset(folder)
        assert (data.base, data.mean_factor, data.is_plain) == (base, factor, False)
        # The truth is that of other people: PRUM of the folder isn't what is computed.
        scores, here, notes = complete_scores(data, ["PRUM", "AP"])
        assert set(scores) == {TRUTH, "PRUM", "AP"}
        assert here == (("PRUM", "AP") if kind == "walk" else ("AP",))
        assert len(notes) == (1 if kind == "walk" else 2)
    # One step at most leads from a listed element to an ideal: walks get there as links say.
    walked = {topic: {(x, y): p for x, y, p in data.navigation[topic]} for topic in data.topics}
    assert walked == {t: {(x, y): p for x, y, p in plain.navigation[t]} for t in data.topics}


# --- the study ------------------------------------------------------------------------------------


def test_equal_seeds_give_equal_studies(whole: Path) -> None:
    one, two, other = (study_estimators(whole, draws=20, seed=seed) for seed in (3, 3, 4))
    assert one.to_json() == two.to_json()
    assert one.to_csv() == two.to_csv()
    assert one.rows != other.rows
    # What isn't drawn hangs on no seed.
    for group in ("truth", "links", "plug-in"):
        mine, others = (
            [row for row in some.rows if row["group"] == group] for some in (one, other)
        )
        assert mine == others
        assert mine
    assert one.command == f"prum study estimators {whole} --draws 20 --seed 3"
    groups = Counter(row["group"] for row in one.rows)
    assert set(groups) == {
        "truth", "topics", "coverage", "power", "false alarms", "pooling", "links", "plug-in",
    }  # fmt: skip
    text = page(one)
    assert "Kendall’s tau with the true ranking" in text
    assert "Coverage of 95 % intervals" in text


@pytest.mark.parametrize(
    ("options", "left_out", "told"),
    [
        ({"num_topics": 1}, {"topics", "coverage", "power", "false alarms"}, "There is one topic"),
        ({"num_systems": 1}, {"topics", "power", "false alarms"}, "There is one system"),
        ({"kind": "flat"}, {"links", "plug-in"}, "There is no log"),
        ({"kind": "flat", "users": 5}, {"links", "plug-in"}, "Nobody browses"),
        ({}, {"links", "plug-in"}, "All systems make the pool"),
    ],
)
def test_what_data_lack_is_left_out_and_said(
    tmp_path: Path, options: dict[str, Any], left_out: set[str], told: str
) -> None:
    found = study_estimators(stand_in(tmp_path / "made", **options), draws=5, measures=["AP"])
    groups = {row["group"] for row in found.rows}
    assert not groups & left_out
    assert {"truth", "pooling"} <= groups
    assert any(note.startswith(told) for note in found.found["notes"])
    page(found)


def test_without_a_folder_the_study_makes_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def made(specification: Mapping[str, Any], folder: Path) -> None:
        assert specification["seed"] == 5
        assert specification["topics"]["number"] == 400
        stand_in(folder, users=10)

    monkeypatch.setattr(study, "made", made)
    result = CliRunner().invoke(
        estimators,
        ["--draws", "5", "--seed", "5", "--measure", "AP", "--csv", str(tmp_path / "rows.csv")],
    )
    assert result.exit_code == 0, result.output
    assert "stand-in: 12 topics, 4 systems" in result.output
    rows = list(csv.DictReader((tmp_path / "rows.csv").read_text().splitlines()))
    assert {row["method"] for row in rows if row["group"] == "truth"} == {"AP"}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere"], "be a dataset, which holds dataset.json"),
        (["--measure", "XYZ"], "measure is 'XYZ'"),
        (["--draws", "1"], "draws is 1, must be a whole number of at least 2"),
    ],
)
def test_mistakes_are_told_in_a_line(arguments: list[str], told: str) -> None:
    result = CliRunner().invoke(estimators, arguments)
    assert isinstance(result.exception, InputError)
    assert told in str(result.exception)
    assert "\n" not in str(result.exception)


def test_the_built_in_specification_is_one() -> None:
    from prum.experiments.generating.specification import Specification
    from prum.experiments.studies.estimators.built_in import built_in

    specification = Specification.read(built_in(7))
    assert specification.topics.number == 400
    assert specification.seed == 7
    assert coverage.RESAMPLES == 999
