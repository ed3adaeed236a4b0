"""The verb `referee`: whether a simulator's sessions can be told from real ones."""

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from prum.experiments.logs.read import sessions_of
from prum.experiments.logs.trajectories.agents import Tools
from prum.experiments.logs.trajectories.read import as_trajectories
from prum.experiments.logs.trajectories.trajectory import Action, Trajectory
from prum.experiments.sessions.referee_design import REFEREE, RefereeDesign
from prum.experiments.sessions.referee_result import MetricRow, RefereeResult, verdicts
from prum.experiments.sessions.sides import METRICS, distance_test, metrics_of
from prum.simulator.collections.judgements import grades_of
from prum.simulator.collections.qrels import ideals_of
from prum.simulator.model import InputError
from prum.simulator.tables.read import is_one_table


@REFEREE.function
def referee(design: RefereeDesign) -> RefereeResult:
    """Compare simulated sessions with real ones, as `prum referee` does.

    Raises
    ------
    InputError
        as `read_trajectories` and `sessions_of`; for a log without sessions.
    OSError
        if a file cannot be read.

    >>> from prum.experiments.logs import Action
    >>> short = [Trajectory(f"{k}", "t", (Action("list", ("a",)),)) for k in range(20)]
    >>> long = [Trajectory(f"{k}", "t", (Action("list", ("a",)),) * 2) for k in range(20)]
    >>> [row.name for row in referee(short, long).rows if row.verdict == "differs"]
    ['lengths']
    """
    tools = Tools.of(design.tools)
    sides = (_trajectories(design.real, "real", tools), _trajectories(design.sim, "sim", tools))
    metrics = metrics_of(*sides, _ideals(design))
    # Each is tested at the level that Holm's method has for the smallest p-value.
    level = design.level / len(metrics)
    tests = [
        distance_test(
            metric.first,
            metric.second,
            metric.distance,
            strata=metric.strata,
            level=level,
            permutations=max(design.permutations, int(np.ceil(1 / level)) + 1),
            rng=np.random.default_rng([design.seed, METRICS.index(metric.name)]),
        )
        for metric in metrics
    ]
    rows = [
        MetricRow(
            metric.name,
            metric.about,
            test.distance,
            test.p,
            adjusted,
            test.detectable,
            *test.numbers,
            verdict=verdict,
        )
        for metric, test, adjusted, verdict in zip(
            metrics, tests, *verdicts([test.p for test in tests], design.level), strict=True
        )
    ]
    lost = tuple(dict(_lost(side)) for side in sides)
    return RefereeResult(rows=tuple(rows), level=design.level, lost=(lost[0], lost[1]))


def _trajectories(log: Any, name: str, tools: Tools) -> list[Trajectory]:
    """Return the sessions of a log; those of a table are visits alone."""
    found: list[Trajectory]
    if isinstance(log, str | os.PathLike):
        with as_trajectories(log, tools) as (file, others):
            found = list(_of_visits(file)) if others is None else list(others)
    elif is_one_table(log):
        found = list(_of_visits(log))
    elif isinstance(log, Sequence) and all(isinstance(one, Trajectory) for one in log):
        found = list(log)
    else:
        rule, remedy = (
            "be a file, a data frame, or a list of Trajectory",
            "give what read_trajectories yields",
        )
        raise InputError(name, type(log).__name__, rule, remedy=remedy)
    if not found:
        remedy = "check what wrote the log"
        raise InputError(f"number of sessions of {name}", 0, "be at least 1", remedy=remedy)
    return found


def _of_visits(log: Any) -> Iterator[Trajectory]:
    number = 0
    for batch in sessions_of(log):
        names, first = batch.elements, batch.starts.tolist()
        for begin, end in pairwise(first):
            number += 1
            actions = [
                Action("back")
                if batch.is_back[row]
                else Action("open" if batch.is_entry[row] else "follow", (names[at],))
                for row, at in enumerate(batch.element[begin:end].tolist(), start=begin)
            ]
            yield Trajectory(str(number), "", tuple(actions))


def _ideals(design: RefereeDesign) -> Mapping[str, Any] | None:
    if design.qrels is None:
        return None
    return ideals_of(grades_of(design.qrels), ideal_grade=design.ideal_grade)


def _lost(side: list[Trajectory]) -> Iterator[tuple[str, int]]:
    names = dict.fromkeys(name for one in side for name in one.lost)
    for name in sorted(names):
        yield name, sum(one.lost.get(name, 0) for one in side)
