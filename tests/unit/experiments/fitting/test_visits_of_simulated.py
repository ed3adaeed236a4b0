"""Visits recovered from logs of simulated users who stop for reasons, coupled or not."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from prum.experiments.fitting import VisitEstimator
from prum.experiments.logs import Trials, read_events, read_sessions, trials_of
from prum.experiments.logs.trials import EVERY, TURN
from prum.experiments.sessions.logs import log_to
from prum.simulator.model import (
    Found,
    Independent,
    Links,
    Navigation,
    Persistence,
    Stopping,
    Task,
)
from prum.simulator.model.arrays import Ints
from prum.simulator.sessions.crowd import Query
from tests.made_folders import LEVEL
from tests.traffic import traffic

RANKING = [f"x{k}" for k in range(8)]
IDEALS = ["a", "b", "c", "d", "e", "f"]
_RNG = np.random.default_rng(1)
# Each shows three ideals, so that whoever still wants four cannot stop there.
LINKS = Links(
    {
        (x, str(y)): float(_RNG.uniform(0.22, 0.33))
        for x in RANKING
        for y in _RNG.choice(IDEALS, 3, replace=False)
    }
)


def logged(path: Path, navigation: Navigation, *, is_ordered: bool, users: int = 800) -> Trials:
    """Write the log of users who stop when they have what they want, or lose heart."""
    wanted = 2 if is_ordered else 4
    task = Task(RANKING, IDEALS, 20)
    query = Query("t", task, navigation, Stopping(Found(wanted), Persistence(0.97)))
    with log_to(path) as write:
        for entry in traffic([query], num_users=users, seed=3):
            write("s", entry)
    return trials_of(
        read_events(path),
        {"t": LINKS},
        {"s": {"t": RANKING}},
        {"t": IDEALS},
        orders=[{"t": IDEALS}] if is_ordered else [],
    )


def pull(seen: Ints, tried: Ints) -> float:
    """Return how many standard errors what was seen is from what is true."""
    p = LINKS.probabilities
    return float((seen - tried * p).sum() / np.sqrt((tried * p * (1 - p)).sum()))


def test_probabilities_are_recovered_where_users_stop_for_reasons(tmp_path: Path) -> None:
    trials = logged(tmp_path / "log.jsonl", Independent(LINKS), is_ordered=True)
    assert trials.ways == (EVERY, TURN)
    fitted = VisitEstimator("uniform").fit(trials, LINKS)
    assert (fitted.tried > 300).any()
    # What a user saw from an element counts once, in however many lists it stood.
    twice = replace(trials, trials=pd.concat([trials.trials, trials.trials]))
    assert len(fitted.predict(twice)["visit"].session) == fitted.tried.sum()
    p = LINKS.probabilities
    edge = stats.norm.ppf(1 - LEVEL / 2)
    assert abs(pull(fitted.counts.seen, fitted.tried)) < edge
    # Who stops in the middle has had no turn: to forget it is seen.
    assert pull(*trials.counts(EVERY)) < -edge
    table = fitted.intervals(0.95)
    held = ((table["low"] <= p) & (p <= table["high"]))[fitted.tried > 0]
    assert held.sum() >= stats.binom(len(held), 0.95).ppf(LEVEL)
    error = fitted.to_links().probabilities - p
    assert np.sqrt((error**2)[fitted.tried > 300].mean()) < 0.03


def test_sessions_in_order_tell_the_same_as_trials_with_reasons(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    trials = logged(path, Independent(LINKS), is_ordered=True, users=400)
    by_trials = VisitEstimator().fit(trials, LINKS)
    order = [(x, y) for y in IDEALS for x in RANKING]
    by_sessions = VisitEstimator(skip_strays=True).fit(path, LINKS, order=order)
    # Behind the list nobody browses: who gets there enters at ideals, from which nothing leads.
    assert (by_sessions.counts.seen == by_trials.counts.seen).all()
    assert (by_sessions.tried == by_trials.tried).all()
    assert read_sessions(path).is_cut.any()
    assert by_sessions.navigation.key == by_trials.navigation.key
