"""Systems that ran several times: columns of trials, what is shown of them, and what is wrong."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import prum
from prum.experiments.compare import compare
from prum.experiments.frame.numbers import number
from prum.experiments.statistics.intervals import mean_interval
from prum.experiments.statistics.repeated import components, trial_variances
from prum.simulator.model import InputError


def made(name: str = "trial", *, binary: bool = False) -> pd.DataFrame:
    """Return scores of two systems of 4 and 3 trials, and of one that ran once."""
    rng = np.random.default_rng(4)
    rows = [
        (system, f"q{topic}", "Success" if binary else "AP", trial, score)
        for system, num, up in (("a", 4, 0.3), ("b", 3, 0.1), ("once", 1, 0.0))
        for trial, shift in enumerate(rng.normal(0, 0.08, num))
        for topic, score in enumerate(np.clip(rng.beta(2, 2, 12) + up + shift, 0, 1))
    ]
    frame = pd.DataFrame(rows, columns=["system", "topic", "measure", name, "score"])
    return frame.assign(score=frame.score.round()) if binary else frame


@pytest.mark.parametrize("name", ["trial", "Seed", "attempt", "run"])
def test_a_column_of_trials_by_any_name(name: str) -> None:
    result, frame = compare(made(name)), made()
    assert result.scores.systems == ("a", "b", "once")
    of_a = frame[frame.system == "a"].pivot(index="trial", columns="topic", values="score")
    own = of_a[[f"q{topic}" for topic in range(12)]].to_numpy()
    np.testing.assert_allclose(result.scores.values[0, :, 0], own.mean(axis=0))
    np.testing.assert_allclose(result.scores.repeats(0)[0], own)
    assert [len(x) for x in result.scores.repeats(0)] == [4, 3, 1]
    (added, *_) = trial_variances([own])[0]
    assert result.scores.mean(0, 0)[:3] == pytest.approx(mean_interval(own.mean(axis=0), added))
    assert added > 0


def test_each_measure_has_its_own_trials() -> None:
    second = made().assign(measure="P@5", score=lambda x: 1 - x.score / 2 + x.trial / 9)
    scores = compare(pd.concat([made(), second])).scores
    own = second[second.system == "b"].pivot(index="trial", columns="topic", values="score")
    columns = [f"q{topic}" for topic in range(12)]
    np.testing.assert_allclose(scores.repeats(1)[1], own[columns].to_numpy())
    added = trial_variances(scores.repeats(1))
    np.testing.assert_allclose(scores.shared_by(1), added)
    assert not np.allclose(scores.shared_by(0), added)


@pytest.mark.parametrize("trial", ["seed", "run"])
def test_runs_have_trials_too(trial: str, tmp_path: Path) -> None:
    """Scored each by itself, then compared as systems."""
    rng = np.random.default_rng(6)
    rows = [
        (system, trial, f"q{topic}", f"d{element}", rng.random() + up * (element < 3))
        for system, up, num in (("a", 0.5, 3), ("b", 0.2, 2), ("once", 0.1, 1))
        for trial in range(num)
        for topic in range(6)
        for element in range(8)
    ]
    frame = pd.DataFrame(rows, columns=["system", "seed", "qid", "docno", "score"])
    named = frame.rename(columns={"system": "model", "seed": trial})
    named.to_csv(tmp_path / "runs.csv", index=False)
    qrels = {f"q{topic}": {f"d{at}": int(at < 3) for at in range(8)} for topic in range(6)}
    result = prum.evaluate([tmp_path / "runs.csv"], qrels, measures="AP", baseline="b")
    assert result.scores.systems == ("a", "b", "once")
    own = frame[(frame.system == "a") & (frame.seed == 1)].drop(columns=["system", "seed"])
    alone = prum.evaluate(own, qrels, measures="AP").scores.values[0, :, 0]
    np.testing.assert_allclose(result.scores.repeats(0)[0][1], alone)
    assert "Variance of a score by AP" in [table.label for table in result.view().tables]
    assert result.compare().other.tolist() == ["b", "b"]


def test_decisions_know_that_trials_vary() -> None:
    """A difference that topics show is undecided if it may be of the trials."""
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 0.01, (2, 3, 30))
    by_trial = np.array([[0.5, 0.7, 0.6], [0.45, 0.6, 0.5]])
    scores = noise + by_trial[:, :, None]
    rows = [
        (system, topic, trial, scores[at, trial, topic])
        for at, system in enumerate("ab")
        for trial in range(3)
        for topic in range(30)
    ]
    frame = pd.DataFrame(rows, columns=["system", "topic", "trial", "score"])
    means = frame.groupby(["system", "topic"], as_index=False).score.mean()
    assert compare(means).decision.pairs[0].verdict == "better"
    decision = compare(frame).decision
    assert decision.pairs[0].verdict == "undecided"
    turned = compare(frame[::-1].reset_index(drop=True)).decision
    assert turned.pairs[0].sentence == decision.pairs[0].sentence
    assert turned.pairs[0].low == pytest.approx(decision.pairs[0].low)


def test_what_is_shown() -> None:
    result = compare(made(binary=True), half_width=0.05)
    view = result.view()
    shares, together = view.tables[-2:]
    assert shares.label == "Variance of a score by Success"
    parts = components(result.scores.repeats(0)[0])
    assert shares.rows[0][:2] == ("a", "4")
    assert shares.rows[0][2] == f"{100 * parts.shares()[0]:.0f} %"
    assert together.columns == ("system", "pass^1", "pass^2", "pass^3")
    assert together.rows[0][1].startswith(f"{result.scores.mean(0, 0)[0]:.4f} ± ")
    assert "One trial only, taken to vary by topics alone: once." in view.notes
    assert any(note.startswith("a: ± .05 takes about ") for note in view.notes)
    half = parts.half_width(12, 4)
    notes = compare(made(binary=True)).view().notes
    assert any(note.startswith(f"a: ± {number(half / 2)} takes about ") for note in notes)
    assert result.values()["trials"]["a"]["num_trials"] == 4
    assert [table.label[:8] for table in compare(made()).view().tables[-1:]] == ["Variance"]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda x: x.drop(index=3), r"scores missing, 1 of a \(trial 0\) by AP"),
        (lambda x: pd.concat([x, x[:1]]), r"score of a \(trial 0\) on topic q0 by AP"),
        (lambda x: x.assign(seed=1), "trial"),
    ],
)
def test_mistakes_name_the_trial(spoil: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare(spoil(made()))
    if "missing" in message:
        assert len(compare(spoil(made()), missing="drop").scores.topics) == 12
