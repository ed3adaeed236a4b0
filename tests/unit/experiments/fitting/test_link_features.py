"""Features of links: each against its definition, counted one by one."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from prum.experiments.fitting import LinkFeatures, link_features
from prum.simulator.model import Elements, InputError, Links

PAGES = Elements(
    {
        "one": (None, 100),
        "a": ("one", 40),
        "a1": ("a", 10, 20),
        "b": ("one", 60),
        "two": (None, 50),
        "c": ("two", 50),
    }
)


def check(features: LinkFeatures, name: str, values: Sequence[float]) -> None:
    """Compare a feature with what it should be on the common scale."""
    wanted = np.array(values, dtype=float)
    wanted = (wanted - wanted.mean()) / wanted.std()
    column = features.values[:, features.names.index(name)]
    assert column == pytest.approx(wanted, abs=1e-9)


def of(pairs: list[tuple[str, str]]) -> Links:
    return Links(dict.fromkeys(pairs, 0.0))


@pytest.fixture(scope="module")
def web() -> Links:
    rng = np.random.default_rng(5)
    ends = np.unique((30 * rng.random((200, 2)) ** 2).astype(int), axis=0)
    return of([(f"e{x}", f"e{y}") for x, y in ends.tolist()])


def test_features_of_the_graph_are_those_counted_one_by_one(web: Links) -> None:
    pairs = {(x, y) for x, y, _ in web}
    out = {e: {y for x, y in pairs if x == e} for e in web.elements}
    into = {e: {x for x, y in pairs if y == e} for e in web.elements}
    numbers = {
        "in-degree": [len(into[y]) for _, y, _ in web],
        "out-degree": [len(out[y]) for _, y, _ in web],
        "out-degree of source": [len(out[x]) for x, _, _ in web],
        "shared targets": [len(out[x] & out[y]) for x, y, _ in web],
        "shared sources": [len(into[x] & into[y]) for x, y, _ in web],
        "two-step ways": [len(out[x] & into[y]) for x, y, _ in web],
    }
    features = link_features(web)
    for name, values in numbers.items():
        check(features, name, np.log1p(values))
    back = [(y, x) in pairs for x, y, _ in web]
    check(features, "links back", back)
    assert {"links back", *numbers} == set(features.names)


def test_features_are_on_one_scale_without_constant_ones(web: Links) -> None:
    features = link_features(web)
    assert np.allclose(features.values.mean(axis=0), 0, atol=1e-12)
    assert np.allclose((features.values**2).mean(axis=0), 1)
    ring = link_features(of([("a", "b"), ("b", "c"), ("c", "a")]))
    assert ring.names == ()
    assert ring.values.shape == (3, 0)


def test_features_of_elements_follow_from_the_tree() -> None:
    links = of([("a1", "b"), ("b", "a1"), ("a1", "c"), ("one", "a"), ("two", "one")])
    rows = [(x, y) for x, y, _ in links]
    assert rows == [("a1", "b"), ("a1", "c"), ("b", "a1"), ("one", "a"), ("two", "one")]
    features = link_features(links, PAGES)
    check(features, "tree distance", [3, 5, 3, 1, 2])
    check(features, "same document", [1, 0, 1, 1, 0])
    check(features, "distance", [math.log(21), 0, math.log(21), 0, 0])
    check(features, "after", [1, 0, 0, 0, 0])
    check(features, "size", [math.log(1 + n) for n in (60, 50, 10, 40, 100)])
    check(features, "size of source", [math.log(1 + n) for n in (10, 10, 60, 100, 50)])
    check(features, "place among siblings", [math.log(2), 0, 0, 0, 0])
    check(features, "start", [0.4, 0, 0.2, 0, 0])
    check(features, "depth", [1, 1, 2, 1, 0])


def test_choosing_keeps_what_differs_among_links_of_a_source(web: Links) -> None:
    features = link_features(web)
    kept = features.choosing(web)
    assert set(features.names) - set(kept.names) == {"out-degree of source"}
    assert kept.values.shape == (len(web), len(features.names) - 1)


def test_elements_that_there_are_not_are_refused() -> None:
    with pytest.raises(InputError, match="be in the table of elements"):
        link_features(of([("a", "z")]), PAGES)
