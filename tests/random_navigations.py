"""A random small task under each navigation and each dial, with links of 0, 1 and in between."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import pytest
from hypothesis import strategies as st

from prum.analytic import PrecisionRecall, closed_form
from prum.simulator.model import (
    Beta,
    Browsing,
    ChunkTable,
    Copula,
    Coupled,
    Covering,
    Expansion,
    Independent,
    Links,
    ListCosts,
    Mixture,
    Navigation,
    OneFactor,
    Task,
    Types,
    Walk,
)
from tests.covering_tasks import random_covering
from tests.tiers import slow

Case = tuple[Task, Navigation]
Rng = np.random.Generator
# In another order than that of the alphabet, which ideals and links have.
NAMES = ("m", "c", "z", "a", "x", "é b", "k", "日")


def random_task(rng: Rng) -> Task:
    """Return a list of up to six ranks, of which two may be equal, and up to four ideals."""
    names = [str(name) for name in rng.permutation(np.array(NAMES))]
    ideals = names[: rng.integers(1, 5)]
    ranking = [names[k] for k in rng.permutation(len(names))[: rng.integers(0, 6)]]
    if ranking and rng.random() < 0.3:
        ranking.append(ranking[0])
    return Task(ranking, ideals, len(NAMES) + int(rng.choice([0, 1, 9])))


def random_links(rng: Rng, most: float | None = None) -> dict[tuple[str, str], float]:
    """Return links between some elements; from each of them with a sum of `most` at most."""
    links = {
        (x, y): float(rng.choice([0.0, 1.0, 0.5, *rng.random(5)]))
        for x in NAMES
        for y in NAMES
        if x != y and rng.random() < 0.4
    }
    if most is None:
        return links
    total = {x: sum(p for (source, _), p in links.items() if source == x) for x in NAMES}
    return {(x, y): p * min(1, most / (total[x] or 1)) for (x, y), p in links.items()}


def _independent(rng: Rng) -> Independent:
    return Independent(random_links(rng))


def _coupled(coupling: str, rng: Rng) -> Coupled:
    if coupling == "copula":
        return Coupled(_independent(rng), Copula(float(rng.uniform(0.05, 0.9))))
    # Of exclusive visits that overlap, the order of ideals matters: see `Coupled`.
    most = 1 - 1e-9 if coupling == "exclusive" else None
    return Coupled(Independent(random_links(rng, most)), coupling)  # type: ignore[arg-type]


def _walk(rng: Rng) -> Walk:
    return Walk(random_links(rng, float(rng.choice([0.5, 0.9, 0.999]))))


BASES: dict[str, Callable[[Rng], Navigation]] = {
    "independent": _independent,
    "exclusive": partial(_coupled, "exclusive"),
    "comonotone": partial(_coupled, "comonotone"),
    "copula": partial(_coupled, "copula"),
    "walk": _walk,
}


def _expansion(rng: Rng) -> Expansion:
    hops, decay = int(rng.integers(1, 3)), float(rng.random())
    return Expansion(random_links(rng), hops=hops, decay=decay)


def random_dials(rng: Rng, *names: str) -> dict[str, object]:
    """Return random values of some dials."""
    falling = np.sort(rng.random(3))[::-1].tolist()
    values: dict[str, object] = {
        "fading": float(rng.random()),
        "satiation": falling,
        "need": rng.random(3).tolist(),
        "documents": {name: str(rng.integers(3)) for name in NAMES if rng.random() < 0.7},
        "unranked": True,
        "population": Types([0.25, 0.75], rng.random(2).tolist()),
    }
    return {name: values[name] for name in names}


def _any_base(rng: Rng) -> Navigation:
    return BASES[str(rng.choice([*BASES]))](rng)


def _browsing(dials: tuple[str, ...], rng: Rng) -> Browsing:
    return Browsing(_any_base(rng), **random_dials(rng, *dials))  # type: ignore[arg-type]


def _rising(rng: Rng) -> Browsing:
    return Browsing(_any_base(rng), satiation=np.sort(rng.random(3)).tolist())


def _beta(rng: Rng) -> Browsing:
    return Browsing(_independent(rng), Beta(*rng.uniform(0.5, 3, 2).tolist()))


def _one_factor(rng: Rng) -> Browsing:
    return Browsing(_independent(rng), OneFactor(float(rng.uniform(0.05, 0.8))))


def _mixture(rng: Rng) -> Mixture:
    dial = str(rng.choice(["fading", "satiation", "need", "documents", "population"]))
    shares = rng.dirichlet([1, 1, 1]).tolist()
    return Mixture(shares, [_any_base(rng), _walk(rng), _browsing((dial,), rng)])


def _on_a_task(navigation: Callable[[Rng], Navigation], rng: Rng) -> Case:
    return random_task(rng), navigation(rng)


def _covering(whole: bool, rng: Rng) -> Case:
    while True:
        task, covering = random_covering(rng)
        if covering.whole == whole:
            return task, covering


_DIALS = ("fading", "documents", "satiation", "need", "unranked", "population")
CASES: dict[str, Callable[[Rng], Case]] = {
    **{name: partial(_on_a_task, base) for name, base in BASES.items()},
    **{dial: partial(_on_a_task, partial(_browsing, (dial,))) for dial in _DIALS},
    "rising": partial(_on_a_task, _rising),
    "beta": partial(_on_a_task, _beta),
    "one-factor": partial(_on_a_task, _one_factor),
    "dials": partial(_on_a_task, partial(_browsing, ("fading", "satiation", "need", "population"))),
    "mixture": partial(_on_a_task, _mixture),
    "expansion": partial(_on_a_task, _expansion),
    "share": partial(_covering, False),
    "whole": partial(_covering, True),
}


SEEDS = st.integers(0, 2**32 - 1)
# Quadrature over users takes its time.
every_navigation = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=slow) if name == "one-factor" else name for name in CASES]
)


def random_case(name: str, seed: int) -> Case:
    """Return the case of a seed."""
    return CASES[name](np.random.default_rng(seed))


def random_costs(task: Task, seed: int) -> ListCosts:
    """Return what the ranks of a list cost, at random."""
    each = np.random.default_rng(seed).uniform(0.2, 5, task.num_ranked + 1)
    return ListCosts(each[:-1], float(each[-1]), unit="seconds")


def exact_value(
    task: Task, navigation: Navigation, costs: ListCosts | None = None
) -> PrecisionRecall:
    """Return the closed form, which all of these cases have."""
    value = closed_form(task, navigation, costs=costs)
    assert value is not None
    return value


# --- the same with other names ------------------------------------------------------------------


def renamed(case: Case, names: Mapping[str, str]) -> Case:
    """Return a case whose elements, ideals and chunks have other names."""
    task, navigation = case
    ranking, ideals = ([names[x] for x in ids] for ids in (task.ranking, task.ideals))
    return Task(ranking, ideals, task.collection_size), _renamed(navigation, names)


def names_in(case: Case) -> list[str]:
    """Return all names of a case, sorted."""
    task, navigation = case
    names = {*task.ranking, *task.ideals}
    for one in navigation.types or (navigation,):
        names |= {*one.links.elements, *dict(getattr(one, "documents", ()))}
    if navigation.reading is not None:
        names |= {*navigation.reading.chunks.ids, *navigation.reading.spans}
    return sorted(names)


def _renamed(navigation: Navigation, names: Mapping[str, str]) -> Navigation:
    if isinstance(navigation, Mixture):
        return Mixture(navigation.shares, [_renamed(one, names) for one in navigation.types])
    if isinstance(navigation, Browsing):
        dials = {name: getattr(navigation, name) for name in navigation.turned}
        if "documents" in dials:
            dials["documents"] = {names[x]: d for x, d in navigation.documents}
        return Browsing(_renamed(navigation.base, names), **dials)
    links = Links({(names[x], names[y]): p for x, y, p in navigation.links})
    if isinstance(navigation, Coupled):
        return Coupled(Independent(links), navigation.coupling)
    if isinstance(navigation, Covering):
        spans = {names[x]: span for x, span in navigation.spans.items()}
        table = _chunks(navigation.chunks, names)
        return Covering(table, spans, links=links, whole=navigation.whole)
    if isinstance(navigation, Expansion):
        return Expansion(links, hops=navigation.hops, decay=navigation.decay)
    return Walk(links) if navigation.is_walk else Independent(links)


def _chunks(table: ChunkTable, names: Mapping[str, str]) -> ChunkTable:
    return ChunkTable(
        {
            names[x]: (table.documents[d], int(start), int(end))
            for x, d, start, end in zip(
                table.ids, table.document, table.starts, table.ends, strict=True
            )
        }
    )
