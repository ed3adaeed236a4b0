"""Ways by distance and by judgements, against their definitions pair by pair."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from prum.experiments.evaluate.scored import evaluate
from prum.simulator.collections import read_campaign
from prum.simulator.model import Elements, InputError, Links
from prum.simulator.model.ways import assessed, distance

TREE = Elements(
    {
        "a": (None, 60, 0),
        "b": ("a", 40, 10),
        "c": ("b", 10, 20),
        "d": ("b", 10, 40),
        "e": ("a", 10, 50),
        "z": (None, 60, 0),
        "y": ("z", 10, 20),
    }
)


def random_tree(seed: int) -> Elements:
    rng = np.random.default_rng(seed)
    rows: dict[str, tuple[str | None, int, int]] = {}
    for document in "pq":
        rows[document] = (None, 100, 0)
        starts = np.sort(rng.choice(90, 6, replace=False)).tolist()
        for number, start in enumerate(starts):
            rows[f"{document}{number}"] = (document, 1, start)
    return Elements(rows)


def by_definition(tree: Elements, words: float, inverse: bool, targets: list[str]) -> Links:
    found = {}
    start = dict(zip(tree.ids, tree.starts.tolist(), strict=True))
    for x, y in product(tree.ids, targets):
        apart = abs(start[x] - start[y])
        if x == y or tree.document_of[x] != tree.document_of[y]:
            continue
        if apart <= words:
            found[x, y] = 1.0
        elif inverse:
            found[x, y] = words / apart
    return Links(found)


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_distance_pair_by_pair(seed: int, inverse: bool) -> None:
    tree = random_tree(seed)
    for words in (1, 7, 30, 1000):
        for targets in (["p2"], ["q", "p3", "q5"], list(tree.ids)):
            found = distance(tree, words, inverse=inverse, targets=targets)
            wanted = by_definition(tree, words, inverse, targets)
            assert {(x, y): p for x, y, p in found} == pytest.approx(
                {(x, y): p for x, y, p in wanted}
            )


def test_assessed_pair_by_pair() -> None:
    worth = {"a": 0.5, "b": 0.75, "c": 1.0, "d": 0.25, "e": 1.0, "z": 1.0, "y": 0.25}
    found = {(x, y): p for x, y, p in assessed(TREE, ["b", "e"], worth)}
    assert found == {("a", "b"): 0.5, ("c", "b"): 1.0, ("d", "b"): 0.25, ("a", "e"): 0.5}
    assert assessed(TREE, ["b"], {"b": 1.0, "a": 0.0}) == Links({})
    with pytest.raises(InputError, match="way is 'assessed', must be used with judgements"):
        assessed(TREE, ["b"], None)
    with pytest.raises(InputError, match="relevance of 'a' is 2"):
        assessed(TREE, ["b"], {"a": 2})


ELEMENTS = "element,parent,length,start\na,,60,0\nb,a,40,0\nc,b,10,0\n"


@pytest.mark.parametrize(
    ("judged", "p"),
    [("q 0 a E3S1\nq 0 b E3S2\nq 0 c E3S3\n", 0.75), ("q 0 a .2\nq 0 b .4\nq 0 c 1\n", 0.4)],
)
def test_the_parent_of_an_ideal_leads_there_by_its_quantisation(
    tmp_path: Path, judged: str, p: float
) -> None:
    """The .75 of section 4.1.2: of the list b, c the first leads with .75."""
    (tmp_path / "qrels").write_text(judged)
    (tmp_path / "tree.csv").write_text(ELEMENTS)
    (tmp_path / "run").write_text("q Q0 b 1 2 x\nq Q0 c 2 1 x\n")
    given = {"elements": [str(tmp_path / "tree.csv")], "way": "assessed"}
    result = evaluate([tmp_path / "run"], tmp_path / "qrels", measures="GR@1,PRUM@r=1", **given)
    assert result.scores.values[0, 0].tolist() == pytest.approx([p, 1 / (1 + (1 - p))])
    campaign = read_campaign([tmp_path / "run"], tmp_path / "qrels", **given)  # type: ignore[arg-type]
    assert isinstance(campaign.navigation, dict)
    assert {(x, y): q for x, y, q in campaign.navigation["q"].links}["b", "c"] == p


def test_scales_that_are_not_told_make_no_way() -> None:
    with pytest.raises(InputError, match="must tell which is worth 1: no element has grade 1"):
        evaluate(
            {"run": {"q": ["b", "c"]}},
            {"q": {"b": 2, "c": 3}},
            elements={"b": (None, 2), "c": ("b", 1)},
            way="assessed",
            ideal_grade=3,
            measures="PRUM",
        )


def test_pairs_of_links_need_no_probability_where_a_way_makes_it(tmp_path: Path) -> None:
    """The two links of a page have one half each, as in section 2."""
    (tmp_path / "links.csv").write_text("source,target\nx,a\nx,y\n")
    (tmp_path / "run").write_text("q Q0 x 1 2 s\nq Q0 a 2 1 s\n")
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    options = {"links": str(tmp_path / "links.csv"), "collection_size": 3, "measures": "GR@1"}
    files = [tmp_path / "run"], tmp_path / "qrels"
    assert evaluate(*files, **options, way="web 1").scores.values[0, 0, 0] == 0.5
    with pytest.raises(InputError, match="probability"):
        evaluate(*files, **options)
