"""Features of links: each against its definition, counted one by one."""

import math

import numpy as np
import pytest

from prum.experiments.fitting import FeatureTable, LinkFeatures, link_features, read_features
from prum.experiments.logs import Sessions, step_counts
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


def raw(features: LinkFeatures, name: str) -> list[float]:
    """Return a feature as it was before it was put on a common scale."""
    at = features.names.index(name)
    return (features.values[:, at] * features.deviations[at] + features.means[at]).tolist()


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
        assert np.expm1(raw(features, name)) == pytest.approx(np.array(values), abs=1e-12)
    back = [(y, x) in pairs for x, y, _ in web]
    assert raw(features, "links back") == pytest.approx(np.array(back, float), abs=1e-12)
    assert {"links back", *numbers} == set(features.names)


def test_features_are_on_one_scale_and_constant_ones_are_named(web: Links) -> None:
    features = link_features(web)
    assert np.allclose(features.values.mean(axis=0), 0, atol=1e-12)
    assert np.allclose((features.values**2).mean(axis=0), 1)
    ring = link_features(of([("a", "b"), ("b", "c"), ("c", "a")]))
    assert ring.names == ()
    assert ring.values.shape == (3, 0)
    assert "in-degree" in ring.constant


def test_features_of_elements_follow_from_the_tree() -> None:
    links = of([("a1", "b"), ("b", "a1"), ("a1", "c"), ("one", "a"), ("two", "one")])
    rows = [(x, y) for x, y, _ in links]
    assert rows == [("a1", "b"), ("a1", "c"), ("b", "a1"), ("one", "a"), ("two", "one")]
    features = link_features(links, PAGES)
    assert raw(features, "tree distance") == pytest.approx([3, 5, 3, 1, 2])
    assert raw(features, "same document") == pytest.approx([1, 0, 1, 1, 0])
    assert raw(features, "distance") == pytest.approx(
        [math.log(21), 0, math.log(21), 0, 0], abs=1e-12
    )
    assert raw(features, "after") == pytest.approx([1, 0, 0, 0, 0])
    assert raw(features, "size") == pytest.approx([math.log(1 + n) for n in (60, 50, 10, 40, 100)])
    assert raw(features, "size of source") == pytest.approx(
        [math.log(1 + n) for n in (10, 10, 60, 100, 50)]
    )
    assert raw(features, "place among siblings") == pytest.approx([math.log(2), 0, 0, 0, 0])
    assert raw(features, "start") == pytest.approx([0.4, 0, 0.2, 0, 0])
    assert raw(features, "depth") == pytest.approx([1, 1, 2, 1, 0])


def test_elements_of_a_table_share_any_of_several_categories() -> None:
    table = FeatureTable.of(
        ["a", "a", "b", "c", "d"], {"kind": ["red", "blue", "blue", "red", None]}
    )
    links = of([("a", "b"), ("a", "c"), ("b", "c"), ("c", "d"), ("d", "e")])
    features = link_features(links, table=table, names=["same kind"])
    assert raw(features, "same kind") == pytest.approx([1, 1, 0, 0, 0])


def test_numbers_that_are_not_known_stand_at_the_mean_and_say_so() -> None:
    table = FeatureTable.of(["a", "b", "c"], {"age": ["1", "4", ""]})
    links = of([("a", "b"), ("b", "a"), ("b", "c")])
    features = link_features(links, table=table, names=["age", "age unknown", "age difference"])
    assert raw(features, "age") == pytest.approx([4, 1, 2.5])
    assert raw(features, "age unknown") == pytest.approx([0, 0, 1])
    assert features.constant == ("age difference",)  # 3 where it is known, and so at the mean


def test_columns_of_links_are_numbers_and_places_by_name() -> None:
    table = FeatureTable.of(
        [("a", "b"), ("b", "a"), ("b", "c")], {"x": [1, 2, 4], "part": ["lead", "body", "lead"]}
    )
    links = of([("a", "b"), ("b", "a"), ("b", "c")])
    features = link_features(links, table=table, names=["x", "part: lead"])
    assert raw(features, "x") == pytest.approx([1, 2, 4])
    assert raw(features, "part: lead") == pytest.approx([1, 0, 1])


def test_the_click_rate_is_that_of_targets_where_they_were_shown() -> None:
    links = of([("a", "b"), ("a", "c"), ("b", "c")])
    counts = step_counts([Sessions.of([["a", "b", "c"], ["a", "b"], ["a", "c"]])], links)
    features = link_features(links, counts=counts, names=["click rate"])
    # b was chosen 2 times of 3; c 2 times of 4; the mean of both is 4 / 7.
    rate = {"b": 3 / (3 + 7 / 4), "c": 3 / (4 + 7 / 4)}
    assert raw(features, "click rate") == pytest.approx(
        [math.log(rate[target]) for target in ("b", "c", "c")]
    )
    assert "click rate" not in link_features(links, counts=counts).names


def test_choosing_keeps_what_differs_among_links_of_a_source(web: Links) -> None:
    features = link_features(web)
    kept = features.choosing(web)
    assert set(features.names) - set(kept.names) == {"out-degree of source"}
    assert kept.constant == ("out-degree of source",)
    assert kept.values.shape == (len(web), len(features.names) - 1)


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_a_file_of_features_is_read_in_every_format(tmp_path, suffix: str) -> None:
    import pandas as pd

    path = tmp_path / f"features.{suffix}"
    frame = pd.DataFrame(
        {"element": ["a", "a", "b"], "kind": ["x", "y", None], "age": [-3.5, -3.5, None]}
    )
    if suffix == "csv":
        frame.to_csv(path, index=False)
    elif suffix == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path)
    table = read_features(path)
    assert table.keys == (("a",), ("a",), ("b",))
    assert table.texts == {"kind": ("x", "y", None)}
    assert table.numbers["age"].tolist() == pytest.approx([-3.5, -3.5, math.nan], nan_ok=True)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("element,source,target,x\na,,,1\n,a,b,2\n", "either elements or both ends"),
        ("x\n1\n", "either elements or both ends"),
        ("element\na\n", "have rows, and a column beside ids"),
        ("element,x\na,\n", "hold a value"),
        ("element,x\na,1\na,2\n", "line 3"),
        ("source,target,x\na,b,1\na,b,1\n", "be given once"),
        ("element,x\na,1\n,1\n", "be a text that is not empty"),
    ],
)
def test_what_is_wrong_in_a_file_of_features_is_named(tmp_path, text: str, told: str) -> None:
    path = tmp_path / "features.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=told):
        read_features(path)


def test_features_that_there_are_not_are_refused() -> None:
    links = of([("a", "b"), ("b", "a"), ("b", "c")])
    with pytest.raises(InputError, match="be one of in-degree"):
        link_features(links, names=["size"])
    with pytest.raises(InputError, match="give counts"):
        link_features(links, names=["click rate"])
    with pytest.raises(InputError, match="be in the table of elements"):
        link_features(of([("a", "z")]), PAGES)
    with pytest.raises(InputError, match="name elements of the links"):
        link_features(links, table=FeatureTable.of(["z"], {"x": [1]}))
    many = FeatureTable.of(
        [("a", "b")] + [(f"s{k}", "b") for k in range(60)], {"t": [f"t{k}" for k in range(61)]}
    )
    with pytest.raises(InputError, match="be at most 50"):
        link_features(links, table=many)
