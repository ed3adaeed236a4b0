"""The study of robustness: rounds of runs as arrays, what is varied, what is compared."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binom

from prum.analytic.utility.measures import utility
from prum.experiments.statistics.intervals import student_factor
from prum.experiments.statistics.rankings import tau_a
from prum.experiments.studies import robustness as rounds
from prum.experiments.studies.robustness import (
    GROUPS,
    HYPOTHESES,
    NAMES,
    ROBUSTNESS,
    Comparisons,
    Round,
    read_round,
    verdict,
)
from prum.simulator.model import InputError
from tests.tiers import slow

TOPICS = [f"t{number}" for number in range(12)]
# Runs, qrels and deeper qrels.
Files = tuple[list[Path], Path, Path]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """Return five runs of rising noise, qrels and deeper qrels, of a made collection."""
    rng = np.random.default_rng(5)
    ids = [f"d{number}" for number in range(60)]
    relevant = {topic: set(rng.permutation(60)[:15].tolist()) for topic in TOPICS}
    first, second = [], []
    for topic, found in relevant.items():
        for number, element in enumerate(ids):
            grade = int(number in found)
            if rng.random() < 0.6:
                first.append(f"{topic} 0 {element} {grade}\n")
            second.append(f"{topic} 0 {element} {grade}\n")
    qrels, deeper = tmp_path / "qrels", tmp_path / "deeper"
    qrels.write_text("".join(first))
    deeper.write_text("".join(second))
    runs = []
    for system in range(5):
        lines = []
        for topic, found in relevant.items():
            scores = np.array([number in found for number in range(60)], dtype=float)
            scores += rng.normal(size=60) * (0.3 + 0.4 * system)
            best = np.argsort(-scores)[:40]
            lines += [
                f"{topic} Q0 {ids[number]} {rank} {-rank} s{system}\n"
                for rank, number in enumerate(best)
            ]
        runs.append(tmp_path / f"s{system}")
        runs[-1].write_text("".join(lines))
    return runs, qrels, deeper


@pytest.fixture
def found(files: Files) -> Round:
    runs, qrels, deeper = files
    return read_round(runs, qrels, {"deeper": deeper})


def test_scores_are_those_of_each_list_alone(found: Round) -> None:
    for relevant in (found.relevant, found.others["deeper"]):
        scores = found.scores(relevant, NAMES)
        for system, topic in ((0, 0), (3, 7), (4, 11)):
            codes = found.codes[system, topic]
            by_rank = [code >= 0 and relevant[code] for code in codes.tolist()]
            total = int(found.num_relevant(relevant)[topic])
            for number, name in enumerate(NAMES):
                alone = utility(name, by_rank, total, normalised=name in rounds.NORMALISED)
                assert scores[number, system, topic] == pytest.approx(alone, abs=1e-12)


def test_a_pool_holds_what_some_system_has_so_far_up(found: Round) -> None:
    for depth in (1, 3, 40):
        by_hand = np.zeros_like(found.relevant)
        for code in np.unique(found.codes[:, :, :depth]):
            if code >= 0:
                by_hand[code] = found.relevant[code]
        assert (rounds.pooled(found, depth) == by_hand).all()
    depths = rounds.pool_depths(found)
    assert depths == [1, 2, 5, 10, 20][: len(depths)]
    assert (rounds.pooled(found, 40) != rounds.pooled(found, depths[-1])).any()


def test_another_assessor_accepts_as_much_as_they_reject(found: Round) -> None:
    rng = np.random.default_rng(1)
    assert (rounds.disturbed(found, 0, rng) == found.relevant).all()
    trials = [rounds.disturbed(found, 0.3, rng) for _ in range(400)]
    kept = np.mean([trial[found.relevant].mean() for trial in trials])
    total = np.mean([trial.sum() for trial in trials])
    assert kept == pytest.approx(0.7, abs=0.01)
    assert total == pytest.approx(found.relevant.sum(), rel=0.01)
    assert not any(trial[~found.judged].any() for trial in trials)
    assert not rounds.disturbed(found, 1, rng)[found.relevant].any()


def test_samples_of_all_topics_rank_as_all_topics_do() -> None:
    scores = np.random.default_rng(2).random((2, 6, 5))
    taus = []
    for size in (5, 2):
        table = Comparisons(scores, np.random.default_rng(1), ("one", "two"))
        table.add_samples(size, 2)
        taus.append([row["tau_a"] for row in table.rows])
    assert taus[0] == [1, 1] > taus[1]


def test_taus_of_many_rows_are_those_of_each() -> None:
    rng = np.random.default_rng(3)
    one, two = rng.integers(0, 4, (2, 7, 9)).astype(float)
    taus = tau_a(one, two)
    assert taus == pytest.approx([tau_a(a, b) for a, b in zip(one, two, strict=True)])


def test_groups_are_those_of_the_paper() -> None:
    assert len(NAMES) == 15
    assert GROUPS["M2"] == ("RBTR", "DCG", "SumRR")
    assert GROUPS["fat tail"] == ("CDG", "DCG", "DAG", "ARR", "AP")
    for first, second, _ in HYPOTHESES.values():
        assert not {x for g in first for x in GROUPS[g]} & {x for g in second for x in GROUPS[g]}


def made_comparisons(
    rng: np.random.Generator, *, num_trials: int, noises: Mapping[str, float] | None = None
) -> Comparisons:
    """Return systems scored on 30 topics, and again by assessors who disturb their scores."""
    shape = (len(NAMES), 12, 30)
    original = np.linspace(0, 0.6, 12)[None, :, None] + rng.normal(size=shape)
    sizes = np.array([(noises or {}).get(name, 0.5) for name in NAMES])[:, None, None]
    table = Comparisons(original, rng)
    trials = [original + sizes * rng.normal(size=shape) for _ in range(num_trials)]
    table.add("assessors", 0.1, trials)
    return table


@pytest.mark.parametrize(
    ("num_trials", "num_worlds"),
    [(1, 15), (4, 10), pytest.param(1, 150, marks=slow), pytest.param(20, 100, marks=slow)],
)
def test_intervals_over_topics_hold_what_they_promise(num_trials: int, num_worlds: int) -> None:
    rng = np.random.default_rng(61)
    worlds = [made_comparisons(rng, num_trials=num_trials) for _ in range(num_worlds)]
    assert verdict(SimpleNamespace(low=1e-17, high=0.2)) == "no difference seen"
    ends = np.array(
        [[(row["tau_a_low"], row["tau_a"], row["tau_a_high"]) for row in w.rows] for w in worlds]
    )
    low, tau, high = np.moveaxis(ends, -1, 0)
    assert (low <= tau).all()
    assert (tau <= high).all()
    # All measures are of one law; those of a world are independent.
    covered = np.count_nonzero((low <= tau.mean()) & (tau.mean() <= high))
    assert covered >= binom.ppf(1e-4, tau.size, 0.93)
    assert (high - low).mean() < 1.3 * 2 * student_factor(29) * tau.std()
    verdicts = [verdict(SimpleNamespace(**c)) for world in worlds for c in world.contrasts]
    alarms = sum(told != "no difference seen" for told in verdicts)
    # Four contrasts of a world share measures.
    assert alarms <= 4 * binom.ppf(1 - 1e-4, num_worlds, 0.06)


def test_measures_that_are_firmer_are_found_so() -> None:
    rng = np.random.default_rng(62)
    noises = dict.fromkeys(GROUPS["slim tail"], 1.5)
    found = [made_comparisons(rng, num_trials=2, noises=noises).contrasts for _ in range(8)]
    contrasts = [SimpleNamespace(**contrast) for own in found for contrast in own]
    verdicts = [verdict(c) for c in contrasts if c.hypothesis.startswith("fat against")]
    assert verdicts.count("firmer") >= 7


def test_intervals_of_means_over_samples_cover() -> None:
    rng = np.random.default_rng(63)
    original = np.linspace(0, 0.6, 8)[None, :, None] + rng.normal(size=(len(NAMES), 8, 20))
    rows = []
    for trials in (100, 900):
        table = Comparisons(original, rng)
        table.add_samples(5, trials)
        rows.append(table.rows)
    # The mean over nearly all samples; its interval is a third as wide.
    widths = [np.mean([row["tau_a_high"] - row["tau_a_low"] for row in own]) for own in rows]
    assert widths[0] / widths[1] == pytest.approx(3, rel=0.2)
    held = sum(
        few["tau_a_low"] <= many["tau_a"] <= few["tau_a_high"]
        for few, many in zip(*rows, strict=True)
    )
    assert held >= binom.ppf(1e-3, len(NAMES), 0.95)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"runs": ["s0"]}, "number of runs is 1, must be at least 2"),
        ({"runs": ["s0", "s0"]}, "must be given once"),
        ({"qrels": "few"}, "number of topics with a relevant element is 1"),
        ({"others": ["others"]}, "topics of others is"),
        ({"scores": ["short"]}, "number of topics is 5, must be at least 6"),
        ({"scores": ["one"]}, "number of systems is 1, must be at least 2"),
    ],
)
def test_mistakes_are_told(
    files: Files,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changed: dict[str, object],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "few").write_text("t0 0 d1 1\nt1 0 d1 0\n")
    (tmp_path / "others").write_text("x 0 d1 1\n")
    _score_table(tmp_path / "short", np.eye(3, 5), ["a", "b", "c"])
    _score_table(tmp_path / "one", np.eye(1, 9), ["a"])
    given = {} if "scores" in changed else {"runs": files[0], "qrels": files[1]}
    with pytest.raises(InputError, match=message):
        ROBUSTNESS(**given | changed)


def _score_table(path: Path, scores: np.ndarray, names: Sequence[str]) -> Path:
    head = "\t".join(["system", *(f"t{number}" for number in range(scores.shape[1]))])
    rows = (
        "\t".join([name, *map(repr, own.tolist())]) for name, own in zip(names, scores, strict=True)
    )
    path.write_text("\n".join([head, *rows]) + "\n")
    return path


def test_tables_of_scores_rank_as_the_runs_they_are_of(files: Files, tmp_path: Path) -> None:
    """Scores of runs, written to tables, have the samples of topics of the runs themselves."""
    runs, qrels, _ = files
    round_ = read_round(runs, qrels)
    chosen = ("AP", "RBP", "DCG", "ERR")
    scores = round_.scores(round_.relevant, NAMES)
    tables = []
    for name in chosen:
        own = scores[NAMES.index(name)]
        tables.append(f"{name}={_score_table(tmp_path / f'{name}.tsv', own, round_.systems)}")
    by_runs = ROBUSTNESS(runs=runs, qrels=qrels, trials=4, seed=3)
    by_tables = ROBUSTNESS(scores=tables, trials=4, seed=3)
    due = {(r.level, r.measure): r for r in by_runs.rows if r.kind == "topics"}
    assert {row.kind for row in by_tables.rows} == {"topics"}
    assert by_tables.rows == tuple(due[row.level, row.measure] for row in by_tables.rows)
    found = by_tables.found
    assert found.groups["fat tail"] == ("DCG", "AP")
    assert "medium tail" not in found.groups
    fat = next(c for c in found.contrasts if c.hypothesis == "fat against slim tails")
    tau = {row.measure: row.tau_a for row in by_tables.rows if row.level == 5}
    mean = (tau["DCG"] + tau["AP"] - tau["RBP"] - tau["ERR"]) / 2
    assert fat.difference == pytest.approx(mean)
    assert [len(table.rows) for table in by_tables.view().tables] == [12, 8]


@slow
def test_second_judgements_by_name_and_folders_of_runs(files: Files, tmp_path: Path) -> None:
    """A folder is its runs; the same judgements again rank alike, and other ones do not."""
    runs, qrels, deeper = files
    folder = tmp_path / "all runs"
    folder.mkdir()
    for run in runs:
        run.rename(folder / run.name)
    swapped = tmp_path / "swapped"
    lines = (line.split() for line in qrels.read_text().splitlines())
    swapped.write_text("".join(f"{t} 0 {d} {1 - int(g)}\n" for t, _, d, g in lines))
    others = [f"same={qrels}", str(deeper), f"turned={swapped}"]
    study = ROBUSTNESS(runs=[str(folder)], qrels=str(qrels), others=others, trials=2)
    assert study.found.systems == tuple(run.name for run in runs)
    tau = {(r.level, r.measure): r.tau_a for r in study.rows if r.kind == "judgements"}
    assert {level for level, _ in tau} == {"same", "deeper", "turned"}
    assert {tau["same", name] for name in NAMES} == {1}
    assert tau["turned", "AP"] < 0 < tau["deeper", "AP"]
    headings = [table.label for table in study.view().tables]
    assert "Tau-a by second judgements" in headings


def test_a_repeated_element_counts_once(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("a 0 x 1\nb 0 x 1\n")
    for name in ("one", "two"):
        (tmp_path / name).write_text("a Q0 x 1 2 -\na Q0 x 2 1 -\n")
    found = read_round([tmp_path / "one", tmp_path / "two"], tmp_path / "qrels")
    assert isinstance(found, Round)
    assert found.codes[0].tolist() == [[0, -1], [-1, -1]]
    assert found.lengths.tolist() == [[2, 0], [2, 0]]
