"""Types of users learned from logs: likelihood, turns, what is predicted, recovery, files."""

import json
import math
from typing import Any

import numpy as np
import pytest

from prum.analytic import closed_form
from prum.experiments.fitting import (
    FittedTypes,
    TypesEstimator,
    WalkEstimator,
    judge,
)
from prum.experiments.fitting.types import TypesRun, log_chances, loosened, outcome_table
from prum.experiments.logs import Sessions
from prum.experiments.logs.counts import Outcomes
from prum.simulator import InputError, Links, Mixture, Task, simulate

# Two ways round a ring with short cuts, and a leaf.
NAMES = [f"e{k}" for k in range(10)]
LINKS = Links(
    {(NAMES[k], NAMES[(k + step) % 10]): 1.0 for k in range(10) for step in (1, 3, 5)}
    | {(NAMES[k], "leaf"): 1.0 for k in range(10)}
)


def made(
    rng: np.random.Generator, likings: list[list[float]], shares: list[float], number: int
) -> list[list[str]]:
    """Return sessions of types who like steps of 1, 3, 5 and the leaf so."""
    sessions = []
    for _ in range(number):
        liking = likings[rng.choice(len(shares), p=shares)]
        trail = [int(rng.integers(10))]
        session = [NAMES[trail[-1]]]
        while rng.random() < 0.85:
            if len(trail) > 1 and (trail[-1] < 0 or rng.random() < 0.15):
                trail.pop()
                session.append("<")
                continue
            if trail[-1] < 0:
                break
            step = [1, 3, 5, 0][rng.choice(4, p=liking)]
            trail.append((trail[-1] + step) % 10 if step else -1)
            session.append(NAMES[trail[-1]] if step else "leaf")
        sessions.append(session)
    return sessions


APART = [[0.7, 0.1, 0.1, 0.1], [0.1, 0.1, 0.7, 0.1]]
LOG = made(np.random.default_rng(1), APART, [0.3, 0.7], 300)


def learned(number: int | None = 2, **more: object) -> FittedTypes:
    return TypesEstimator(number, base="uniform", **more).fit(LOG, LINKS)  # type: ignore[arg-type]


@pytest.mark.slow
def test_types_that_win_by_chance_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prum.experiments.fitting.types._STARTS", 1)
    monkeypatch.setattr("prum.experiments.fitting.types._MOST", 2)

    def number(seed: int) -> int:
        alike = made(np.random.default_rng(seed), [[0.4, 0.3, 0.2, 0.1]], [1.0], 150)
        return len(TypesEstimator(base="uniform").fit(alike, LINKS).shares)

    assert [number(5), number(8)] == [1, 1]
    monkeypatch.setattr("prum.experiments.fitting.types._SURE", 0.0)
    assert [number(5), number(8)] == [2, 2]


def _told(fitted: FittedTypes, session: list[str]) -> tuple[list[float], float]:
    """Return P(step) of each move, and log P of the session, by plain loops over types."""
    code = {name: k for k, name in enumerate(fitted.counts.elements)}
    row = {(x, y): k for k, (x, y, _) in enumerate(fitted.everyone.links)}
    weights, steps = list(fitted.shares), list[float]()
    trail = [session[0]]
    for action in [*session[1:], None]:
        at, alone = code[trail[-1]], len(trail) == 1
        leaf = trail[-1] == "leaf"
        chances = []
        for walk in fitted.walks:
            s, b = (float(end[at]) for end in walk.ends)
            s = 1.0 if leaf and alone else s
            chances.append((s, 0.0 if alone else b))
        if action is None:
            weights = [w * s for w, (s, _) in zip(weights, chances, strict=True)]
        elif action == "<":
            weights = [w * (1 - s) * b for w, (s, b) in zip(weights, chances, strict=True)]
            trail.pop()
        else:
            moving = [w * (1 - s) * (1 - b) for w, (s, b) in zip(weights, chances, strict=True)]
            theta = [float(walk.shares[row[trail[-1], action]]) for walk in fitted.walks]
            weights = [w * p for w, p in zip(moving, theta, strict=True)]
            steps.append(sum(weights) / sum(moving))
            trail.append(action)
    return steps, math.log(sum(weights))


def test_sessions_are_as_probable_as_step_by_step() -> None:
    fitted = learned()
    sessions = Sessions.of([*LOG, ["leaf"]])
    table = outcome_table(sessions, fitted.everyone)
    logs = np.stack([log_chances(walk) for walk in fitted.walks], axis=1)
    whole = np.log(np.exp(table @ logs) @ fitted.shares)
    told = [_told(fitted, session) for session in [*LOG, ["leaf"]]]
    assert whole == pytest.approx([log for _, log in told], rel=1e-9)
    steps = [p for steps, _ in told for p in steps]
    assert fitted.score(sessions) == pytest.approx(-np.mean(np.log(steps)), rel=1e-9)
    predicted = fitted.predict(sessions)
    assert predicted["step"].nats == pytest.approx(-np.log(steps), rel=1e-9)
    # Stops, back clicks and steps together are all that people did.
    assert -sum(choices.nats.sum() for choices in predicted.values()) == pytest.approx(whole.sum())
    assert judge(fitted, sessions).main.nats[0] == pytest.approx(fitted.score(sessions))


def test_no_turn_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    one = WalkEstimator(base="uniform").fit(LOG, LINKS)
    table = outcome_table(Sessions.of(LOG), one)
    for common in (1.0, 50.0):
        monkeypatch.setattr("prum.experiments.fitting.types._COMMON", common)
        run = TypesRun(loosened(one, common), table, rng.dirichlet(np.ones(3), table.shape[0]))
        objectives = [run.run(1).objective for _ in range(40)]
        assert (np.diff(objectives) >= -1e-9 * abs(objectives[0])).all()
        assert objectives[-1] > objectives[0] + 1
        assert run.sizes.sum() == pytest.approx(len(LOG))


def test_one_type_is_the_walk() -> None:
    walk, fitted = WalkEstimator(base="uniform").fit(LOG, LINKS), learned(1)
    links, mean = walk.to_links(), fitted.to_links()
    assert mean.probabilities == pytest.approx(links.probabilities, rel=1e-12)
    assert fitted.score(LOG) == pytest.approx(walk.score(LOG), rel=1e-12)
    assert fitted.row_variances() == pytest.approx(walk.row_variances(), rel=1e-9)
    assert fitted.variances(np.ones(len(links))) == pytest.approx(
        walk.variances(np.ones(len(links)))
    )


@pytest.mark.slow
def test_two_known_types_are_found_and_one_is_left_alone() -> None:
    """Control: where all people are of one type, more of them do not predict better."""
    rng = np.random.default_rng(3)
    estimator = TypesEstimator(base="uniform")
    found = estimator.fit(made(rng, APART, [0.3, 0.7], 3_000), LINKS)
    assert len(found.walks) == 2
    assert found.shares == pytest.approx([0.7, 0.3], abs=0.04)
    held_out = made(rng, APART, [0.3, 0.7], 500)
    assert found.score(held_out) < found.everyone.score(held_out) - 0.05
    for walk, liking in zip(found.walks, APART[::-1], strict=True):
        steps = [0 if y == "leaf" else (int(y[1]) - int(x[1])) % 10 for x, y, _ in walk.links]
        shares = np.bincount(steps, walk.shares, 6)[[1, 3, 5, 0]] / 10
        assert shares == pytest.approx(liking, abs=0.05)
    alike = estimator.fit(made(rng, [[0.25] * 4], [1.0], 1_500), LINKS)
    assert len(alike.walks) == 1
    assert len(alike.losses) == 2


def test_their_number_is_chosen_on_sessions_that_taught_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    logs, whole = list[Sessions](), WalkEstimator.fit

    def noted(self: WalkEstimator, log: Any, *others: Any) -> Any:
        logs.append(log)
        return whole(self, log, *others)

    monkeypatch.setattr(WalkEstimator, "fit", noted)
    losses: Any = TypesEstimator._losses

    def judged(self: TypesEstimator, walk: Any, kept: Sessions, held: Sessions) -> Any:
        logs.append(held)
        return losses(self, walk, kept, held)

    monkeypatch.setattr(TypesEstimator, "_losses", judged)
    monkeypatch.setattr("prum.experiments.fitting.types._STARTS", 1)
    monkeypatch.setattr("prum.experiments.fitting.types._MOST", 2)
    fitted = TypesEstimator(base="uniform").fit(LOG, LINKS)
    assert fitted.num_sessions == len(LOG)
    # All sessions, then those that are not held out, and those that are.
    everything, kept, held_out = logs
    assert sorted(everything) == sorted(Sessions.of(LOG)) == sorted([*kept, *held_out])
    assert 0 < len(held_out) < 0.35 * len(LOG)


def test_files_draws_and_made_sessions() -> None:
    fitted = learned(skip_strays=True)
    content = json.loads(json.dumps(fitted.to_dict(), default=lambda array: array.tolist()))
    again = FittedTypes.from_dict(content)
    assert again.navigation == fitted.navigation
    assert again.summary() == fitted.summary()
    assert "2 types of walkers, shares of sessions" in fitted.summary()
    draws = fitted.sample_posterior(60, 1)
    assert draws == again.sample_posterior(60, 1)
    means = np.mean([draw.links.probabilities for draw in draws], axis=0)
    links = fitted.to_links()
    assert isinstance(draws[0], Mixture)
    assert means == pytest.approx(links.probabilities, abs=0.05)
    assert (fitted.row_variances() > 0).all()
    assert len(fitted.intervals()) == len(links) == len(fitted.tried)
    sessions = fitted.simulate(4_000, 5)
    assert len(sessions) == 4_000
    assert fitted.num_sessions == 300
    relearned = TypesEstimator(2, base="uniform").fit(sessions, LINKS)
    assert relearned.shares == pytest.approx(fitted.shares, abs=0.06)
    task = Task(["e0", "e5"], ["e3", "e6"], 12)
    value = closed_form(task, fitted.navigation)
    users = simulate(task, fitted.navigation, num_users=20_000, seed=1)
    assert value is not None
    assert (np.abs(users.consulted - value.consulted) < 6 * users.consulted_error).all()


def test_strays_and_cut_sessions() -> None:
    log = Sessions.of([["e0", "e1", "e3", "?", "e0", "<"]])
    outcomes = Outcomes.of(log, LINKS, (*NAMES, "leaf"))
    assert (outcomes.row >= 0).tolist() == [True, False, False, False, False, False]
    assert outcomes.stops.tolist() == [False, True, True, False, True, False]
    assert len(Outcomes.of(Sessions.of([]), LINKS, (*NAMES,)).element) == 0
    with pytest.raises(InputError, match="number of strays"):
        learned().score(log)
    assert learned(skip_strays=True).score(log) > 0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"num_types": 0}, "num_types is 0, must be"),
        ({"base": "?"}, "base is '\\?'"),
        ({"num_types": 9}, "number of types is 9, must be at most 2; give fewer types"),
    ],
)
def test_what_is_refused(values: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        TypesEstimator(**values).fit([["e0", "e1"], ["e1"]], LINKS)  # type: ignore[arg-type]
