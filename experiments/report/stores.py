"""Outcomes from the stores of sweeps."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from prum.analytic.precision.result import PrecisionRecall
from prum.experiments.crosscheck.compared import Quantities
from prum.experiments.crosscheck.users import TESTS_OF_A_STEP, sizes
from prum.experiments.crosscheck.verdicts import judge, quantities
from prum.experiments.frame.numbers import count
from prum.experiments.report.results import CellOutcome, ResultFile
from prum.experiments.sweeps.cells import NO_BROWSING
from prum.experiments.sweeps.store import Store
from prum.simulator.model.arrays import Floats
from prum.simulator.model.costs import ELEMENTS
from prum.simulator.sampling.simulation import Simulation

# The rate of false alarms of all verdicts on a store.
LEVEL = 0.01
_SHOWN = ("prum", "exact", "no-browsing", "simulated")
_List = tuple[str, str, str, str, str]


@dataclass(slots=True)
class _Found:
    """What was found of one list, until all of it is."""

    dials: dict[str, str]
    prum: PrecisionRecall | None = None
    exact: PrecisionRecall | None = None
    plain: dict[Any, Simulation] = field(default_factory=dict)
    # By the number of the first user.
    further: dict[Any, dict[int, Simulation]] = field(default_factory=dict)

    def judged(self, manner: Any) -> Quantities:
        """Return what is compared of one simulation, with its further users."""
        plain = self.plain[manner].without_distribution()
        more = _grown(plain, self.further.get(manner, {}))
        if more is plain:
            return quantities(self.exact, plain)
        steps = sizes(plain.num_users, max(more.num_users, sizes(plain.num_users)[-1]))
        looks = TESTS_OF_A_STEP * len(steps)
        return quantities(self.exact, plain, more, looks=looks)


def _grown(users: Simulation, parts: Mapping[int, Simulation]) -> Simulation:
    """Return users with those that follow them."""
    while (part := parts.get(users.num_users)) is not None:
        users = users + part
    return users


def of_store(path: Path, name: str) -> tuple[ResultFile, tuple[str, ...]]:
    """Return what a store holds, of the newest version in it, and what is to be noted of it.

    Raise InputError for a file that is no store, a damaged one, or one of another format, and
    OSError if it can't be read.
    """
    with Store(path, read_only=True) as store:
        return _of_open_store(store, name)


def _of_open_store(store: Store, name: str) -> tuple[ResultFile, tuple[str, ...]]:
    cells = store.cells()
    stored, failures = store.ranges(), store.failures()
    version = _newest(content["version"] for content, _ in cells.values())
    lists: dict[_List, _Found] = {}
    classical: dict[_List, PrecisionRecall] = {}
    gaps, others = 0, set[str]()
    older = 0
    for key, (content, recipe) in cells.items():
        if content["version"] != version:
            older += 1
            continue
        estimator = content["estimator"]
        if estimator not in _SHOWN or "judges" in recipe:
            others.add(f"{estimator} by judges" if "judges" in recipe else estimator)
            continue
        if key not in stored:
            gaps += key not in failures
            continue
        where = _list(recipe)
        result = store.result(key)
        if estimator == "no-browsing":
            if isinstance(result, PrecisionRecall):
                classical[where] = result
            continue
        found = lists.setdefault(where, _Found(_dials(recipe)))
        if isinstance(result, Simulation):
            manner = result.users[0].seed, result.unranked
            first = result.users[0].first
            if content.get("further"):
                found.further.setdefault(manner, {})[first] = result
            else:
                found.plain[manner] = result
        elif result is not None:
            setattr(found, estimator, result)
    outcomes, num_tests = _outcomes(name, lists, classical)
    num_cells = len(cells) - older
    failed = [text for key, text in failures.items() if cells[key][0]["version"] == version]
    settings = (
        f"In the sweep {name} the simulation was compared with the exact values by "
        f"{num_tests:,} tests; the rate of false alarms of all of them together was "
        f"{LEVEL:g} (Bonferroni).",
    )
    told = ResultFile(
        name,
        "sweep",
        f"A sweep's store: {count(num_cells, 'cell')}, {gaps:,} of them missing.",
        version,
        outcomes=outcomes,
        settings=settings if num_tests else (),
        seeds=tuple(sorted({seed for outcome in outcomes for seed in outcome.seeds})),
    )
    notes = (
        (
            gaps,
            f"the sweep is unfinished, {gaps:,} of {num_cells:,} cells are missing; run it again "
            "to go on",
        ),
        (
            failed,
            f"{count(len(failed), 'cell')} could not be computed; the first: {''.join(failed[:1])}",
        ),
        (older, f"{count(older, 'cell')} of other versions than {version} left out"),
        (others, f"estimators that this page does not show: {', '.join(sorted(others))}"),
    )
    return told, tuple(note for is_so, note in notes if is_so)


def _outcomes(
    name: str, lists: dict[_List, _Found], classical: dict[_List, PrecisionRecall]
) -> tuple[tuple[CellOutcome, ...], int]:
    """Return outcomes, judged by all their simulations together, and the number of tests."""
    compared = [
        (where, found.judged(manner)) for where, found in lists.items() for manner in found.plain
    ]
    judged, num_tests = judge([case for _, case in compared], LEVEL)
    verdicts: dict[_List, list[list[str]]] = {}
    for (where, _), judgement in zip(compared, judged, strict=True):
        verdicts.setdefault(where, []).append(judgement.verdicts)
    made = []
    for where, found in lists.items():
        campaign, _, system, topic, unit = where
        simulations = list(found.plain.values())
        if found.prum is None and found.exact is None and not simulations:
            continue
        simulated, error = _pooled(simulations)
        plain = classical.get((campaign, NO_BROWSING, system, topic, unit))
        made.append(
            CellOutcome.of(
                name,
                *where[:4],
                prum=found.prum and found.prum.precision,
                exact=found.exact and found.exact.precision,
                simulated=simulated,
                error=error,
                classical=plain and plain.precision,
                unit=where[4],
                num_users=sum(one.num_users for one in simulations),
                seeds=tuple(sorted({part.seed for one in simulations for part in one.users})),
                verdicts=tuple(map(_worst, zip(*verdicts.get(where, ()), strict=True))),
                dials=found.dials,
            )
        )
    return tuple(made), num_tests


def _pooled(simulations: Sequence[Simulation]) -> tuple[Floats | None, Floats | None]:
    """Return precision of all users of several simulations, and its standard error."""
    if not simulations:
        return None, None
    none = np.zeros_like(simulations[0].leading)
    leading = sum((one.num_users * one.leading for one in simulations), none)
    consulted = sum((one.num_users * one.consulted for one in simulations), none)
    squares = sum(
        (
            (one.num_users * one.consulted / consulted * one.precision_error) ** 2
            for one in simulations
        ),
        none,
    )
    return leading / consulted, np.sqrt(squares)


_ORDER = ("disagrees", "agrees", "unresolved", "no closed form")


def _worst(verdicts: tuple[str, ...]) -> str:
    """Return the verdict that counts of several on one value: a disagreement if there is one."""
    return min(verdicts, key=_ORDER.index)


def _list(recipe: dict[str, Any]) -> _List:
    return (
        recipe["campaign"],
        recipe["navigation"],
        recipe["system"],
        recipe["topic"],
        recipe.get("cost") or ELEMENTS,
    )


def _dials(recipe: dict[str, Any]) -> dict[str, str]:
    return {name: str(recipe[name]) for name in ("way", "need") if recipe.get(name) is not None}


def _newest(versions: Iterable[str]) -> str:
    """Return the newest version, "" of none.

    >>> _newest(["0.9.0", "0.10.0"])
    '0.10.0'
    """
    import re

    def parts(version: str) -> list[tuple[int, str]]:
        return [(int(part) if part.isdigit() else -1, part) for part in re.split(r"[.+]", version)]

    return max(set(versions), key=parts, default="")
