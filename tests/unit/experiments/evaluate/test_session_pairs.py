"""Systems that answered the same questions, compared by new ideals for what their sessions cost."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import prum
from prum.experiments.compare.result import ComparisonResult
from prum.experiments.evaluate.session_result import SessionsEvaluation
from prum.experiments.evaluate.sessions import crossed
from prum.experiments.logs import Action, Trajectory
from prum.experiments.statistics.intervals import mean_interval
from prum.experiments.statistics.repeated import trial_variances
from prum.simulator.model import InputError

QUESTIONS = [f"q{number}" for number in range(12)]
QRELS = {topic: {"a": 1, "b": 1} for topic in QUESTIONS}


def opened(system: str, topic: str, *elements: str, number: int = 0, cost: float = 1) -> Trajectory:
    """Return a session that opens elements, and pays as much for each."""
    actions = tuple(Action("open", (x,), costs={"tokens": cost, "usd": cost}) for x in elements)
    return Trajectory(f"{system} {topic} {number}", topic, actions, system=system)


def scored(log: list[Trajectory], qrels: Any = QRELS, **options: Any) -> SessionsEvaluation:
    result = prum.evaluate(log, qrels, **options)
    assert isinstance(result, SessionsEvaluation)
    return result


def compared(log: list[Trajectory], **options: Any) -> ComparisonResult:
    comparison = scored(log, **options).comparison
    assert isinstance(comparison, ComparisonResult)
    return comparison


def logs(**prices: float) -> list[Trajectory]:
    """Return logs of systems; x has one to three sessions of a question, others have one."""
    log = []
    for number, topic in enumerate(QUESTIONS):
        before = [f"n{at}" for at in range(number % 5)]
        for system, price in prices.items():
            times = 1 + (number % 3) * (system == "x")
            for at in range(times):
                found = [*before, *["n9"] * at, "a", "a", "b"]
                log.append(opened(system, topic, *found, number=at, cost=price))
    return log


def by_hand(log: list[Trajectory], system: str, questions: list[str]) -> list[Fraction]:
    """Return the scores of a system from its sessions alone, which see a, then b: r = 1, 2."""
    new, cost = list[Fraction](), list[Fraction]()
    for topic in questions:
        paid = list[Fraction]()
        for one in log:
            if (one.system, one.topic) == (system, topic):
                seen = [action.elements[0] for action in one.actions]
                price = Fraction(one.actions[0].costs["usd"])
                paid.append(price * (seen.index("a") + 1 + seen.index("b") + 1) / 2)
        new.append(Fraction(3, 2))
        cost.append(sum(paid) / len(paid))
    mean = sum(cost) / len(cost)
    ratio = sum(new) / len(new) / mean
    return [ratio + (n - ratio * c) / mean for n, c in zip(new, cost, strict=True)]


def test_scores_are_those_by_hand() -> None:
    log = logs(x=1, y=3)
    scores = compared(log, cost="usd").scores
    assert (scores.systems, scores.measures) == (("x", "y"), ("new ideals per usd",))
    for at, system in enumerate("xy"):
        wanted = dict(zip(QUESTIONS, by_hand(log, system, QUESTIONS), strict=True))
        expected = [float(wanted[topic]) for topic in scores.topics]
        assert scores.values[at, :, 0] == pytest.approx(expected)
    tokens = compared(log, cost="tokens").scores
    assert tokens.measures == ("new ideals per 1,000 tokens",)
    assert tokens.values == pytest.approx(1_000 * scores.values)


def test_the_better_system_is_told_whatever_the_order() -> None:
    log = logs(x=1, y=3)
    result, turned = scored(log, cost="usd"), scored(log[::-1], cost="usd")
    told = result.view()
    sentence = next(one for one in told.sentences if "better" in one)
    assert sentence.startswith("By new ideals per usd, x is better than y by .")
    assert sentence in turned.view().sentences
    assert result.values()["comparison"]["decision"]["pairs"][0]["verdict"] == "better"  # type: ignore[index]
    assert "new ideals per usd" in result.to_latex()
    assert any("sessions of a question are averaged" in note for note in told.notes)
    equal = scored(logs(x=1, y=1, z=1), baseline="z")
    assert isinstance(equal.comparison, ComparisonResult)
    assert equal.comparison.decision.baseline == "z"
    assert equal.comparison.decision.family == 2


def test_questions_that_not_all_have_are_left_out_of_the_ratio() -> None:
    log = logs(x=1, y=3)
    part = [one for one in log if one.system == "x" or one.topic in QUESTIONS[:9]]
    scores = compared(part, cost="usd").scores
    assert scores.topics == tuple(sorted(QUESTIONS[:9]))
    assert scores.values[0, :, 0] == pytest.approx(
        [float(value) for value in by_hand(log, "x", QUESTIONS[:9])]
    )


def test_what_cannot_be_compared_is_told_in_a_line() -> None:
    def lines(log: list[Trajectory], **options: Any) -> list[str]:
        result = scored(log, **options)
        told = result.view().sentences
        assert (result.values()["comparison"] is None) == isinstance(result.comparison, str)
        return [one for one in told if "compare" in one or "decide" in one]

    x, y = ([opened(name, topic, "a", "b") for topic in QUESTIONS] for name in "xy")
    assert lines(x) == []
    assert lines(x[:6] + y[6:]) == [
        "Systems are not compared: they have no judged question in common."
    ]
    (one,) = lines(x[:6] + y[5:])
    assert one.endswith("but one topic decides nothing.")
    unlike = [opened("y", "q0", "n", "a", "b"), opened("y", "q1", "a", "b")]
    (few,) = [one for one in scored(x[:2] + unlike).view().sentences if "too few" in one]
    assert few.endswith("is undecided: 2 topics are too few to decide anything.")
    endless = [*x, *y[1:], opened("y", "q0", "a")]
    assert lines(endless) == ["Systems are not compared: E[cost] of y is infinite."]
    assert "infinite" not in str(lines(endless, budget=9))
    free = [opened("y", topic, "a", "b", cost=0) for topic in QUESTIONS]
    assert lines(x + free, cost="usd") == ["Systems are not compared: E[cost] of y is 0."]
    with pytest.raises(InputError, match="baseline is 'z', must be one of the systems"):
        scored(x + y, baseline="z")


def attempts(named: str = "seed") -> tuple[list[dict[str, Any]], Any]:
    """Return runs of one agent, 3 times on 6 questions, and whether each found both ideals."""
    rng = np.random.default_rng(5)
    wins = rng.random((3, 6)) < np.array([[0.9], [0.5], [0.6]])
    runs = []
    for trial in (2, 0, 1):
        for topic in range(6):
            # What is not found by the second call never is.
            lists = [["g1", "x"], ["y", "g2"] if wins[trial, topic] else ["y", "z"]]
            calls = [
                {
                    "type": "tool_call",
                    "tool_name": "search",
                    "output": [{"docid": x} for x in shown],
                }
                for shown in lists
            ]
            about = {"model": "agent", **({named: trial} if named else {})}
            runs.append({"query_id": f"q{topic}", "metadata": about, "result": calls})
    if named:  # so that they stand in other orders on other questions
        late = [run for run in runs if run["query_id"] in ("q1", "q4")]
        runs = [run for run in runs if run not in late] + late[::-1]
    return runs, wins


GOLD = {f"q{topic}": {"g1": 1, "g2": 1} for topic in range(6)}


def logged(folder: Path, runs: list[dict[str, Any]]) -> SessionsEvaluation:
    (folder / "log.json").write_text(json.dumps(runs))
    result = prum.evaluate(folder / "log.json", GOLD, budget=10)
    assert isinstance(result, SessionsEvaluation)
    return result


@pytest.mark.parametrize("named", ["seed", "Attempt", "trial", "run", ""])
def test_sessions_of_one_question_are_trials(named: str, tmp_path: Path) -> None:
    runs, wins = attempts(named)
    for number, run in enumerate(runs):  # the same run twice would be a copy
        run["result"].append({"type": f"thought {number}"})
    result = logged(tmp_path, runs)
    np.testing.assert_array_equal(result.successes["agent"], wins[[2, 0, 1]])
    mean = next(row for row in result.rows() if row.r is None)
    # The first ideal is the first element, the second the fourth; or 10 are paid for one alone.
    new, cost = np.where(wins, 2, 1), np.where(wins, 4, 10)
    value = new.mean(axis=0) / cost.mean(axis=0)
    repeats = (1 + value + (new - value * cost) / cost.mean(axis=0)) / 2
    added = trial_variances([repeats])[0, 0]
    assert added > 0
    wanted = mean_interval(repeats.mean(axis=0), added)
    assert (mean.value, mean.high) == pytest.approx((wanted.value, wanted.high))
    tables = {table.label: table for table in result.view().tables}
    together = tables["pass^k: how likely k sessions of a question all see every ideal"]
    counts = wins.sum(axis=0)
    pairs = np.mean([count * (count - 1) / 6 for count in counts])
    assert together.columns == ("system", "pass^1", "pass^2", "pass^3")
    assert together.rows[0][2].startswith(f"{pairs:.4f} ± ")
    assert "Variance of a score by new ideals per element" in tables
    assert result.values()["comparison"]["trials"]["agent"]["num_trials"] == 3
    assert any(note.startswith("agent: ± ") and " more " in note for note in result.view().notes)


def test_a_table_of_steps_keeps_attempts_apart(tmp_path: Path) -> None:
    runs, wins = attempts()
    rows = ["model\tqid\tattempt\tstep\trank\tdocid"]
    for run in runs:
        seed = run["metadata"]["seed"]
        for step, call in enumerate(run["result"]):
            rows += [
                "\t".join(map(str, ("agent", run["query_id"], seed, step, rank, item["docid"])))
                for rank, item in enumerate(call["output"])
            ]
    (tmp_path / "steps.tsv").write_text("\n".join(rows) + "\n")
    result = prum.evaluate(tmp_path / "steps.tsv", GOLD, budget=10)
    assert isinstance(result, SessionsEvaluation)
    assert result.rows()[0].sessions == 18
    np.testing.assert_array_equal(result.successes["agent"], wins[[2, 0, 1]])


def test_systems_with_trials_are_compared_over_both(tmp_path: Path) -> None:
    runs, _ = attempts()
    other = [
        {**run, "metadata": {**run["metadata"], "model": "b"}, "result": run["result"][::-1]}
        for run in runs
    ]
    result = logged(tmp_path, runs + other)
    assert isinstance(result.comparison, ComparisonResult)
    scores = result.comparison.scores
    assert scores.trials is not None
    np.testing.assert_allclose(np.mean(scores.repeats(0), axis=1), scores.values[:, :, 0])
    np.testing.assert_allclose(scores.shared_by(0), trial_variances(scores.repeats(0)))
    assert any(x.startswith("Variance of a score") for x in (t.label for t in result.view().tables))


def test_what_trials_lack_is_no_trial() -> None:
    """Of a trial that a question lacks nothing is known over both; its sessions count in means."""
    values = [[1.0, 2.0, 4.0], [3.0, 5.0]]
    assert crossed(values, [["a", "b", "b"], ["b", "a"]]).tolist() == [[1.0, 5.0], [3.0, 3.0]]
    assert crossed(values, [["a", "b", "c"], ["a", "c"]]).tolist() == [[1.0, 3.0], [4.0, 5.0]]
    assert crossed(values, [[""] * 3, [""] * 2]).tolist() == [[1.0, 3.0], [2.0, 5.0]]
    assert crossed(values, [["a"] * 3, ["b"] * 2]).shape == (0, 2)
