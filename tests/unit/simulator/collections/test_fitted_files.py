"""Fitted files in the place of a navigation's name: read, browsed by, and refused in a line."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prum import fit
from prum.experiments.fitting.fitted import fitted_text, read_fitted
from prum.simulator import Browsing, Independent, InputError, Mixture, Walk, read_campaign
from prum.simulator.collections.examples import example_campaign
from prum.simulator.collections.fitted_files import (
    checksum,
    file_of,
    navigation_content,
    read_browsed,
    read_navigation,
)
from tests.fitted_files import write_navigation

STEPS = Walk({("hub", "a"): 0.1 + 0.2, ("hub", "b"): 1 / 3, ("a", "b"): 0.25})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_navigation(tmp_path / "fitted.json", STEPS)


MIXED = Mixture([0.25, 0.75], [STEPS, Walk({("hub", "c"): 0.5})])


@pytest.mark.parametrize("navigation", [STEPS, Independent(STEPS.links), Walk({}), MIXED])
def test_a_navigation_comes_back_as_it_was(tmp_path: Path, navigation: Walk) -> None:
    read = read_navigation(write_navigation(tmp_path / "fitted.json", navigation))
    assert read == navigation
    assert read.key == navigation.key


def test_a_packed_file_is_the_same(file: Path) -> None:
    packed = Path(f"{file}.gz")
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert read_browsed(str(packed)) == STEPS


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        ("fitted.json", ("fitted.json", "")),
        (" a b/f.json.gz + fading .9 + unranked", ("a b/f.json.gz", "fading .9 + unranked")),
        ("odd + name.json + need .5 1", ("odd + name.json", "need .5 1")),
        ("walk + fading .9", None),
        ("fitted.json.txt", None),
        ("fitted.jsonl", None),
        ("", None),
    ],
)
def test_a_name_tells_the_file_from_the_dials(kind: str, parts: tuple[str, str] | None) -> None:
    assert file_of(kind) == parts


def test_dials_stand_behind_the_file(file: Path) -> None:
    assert read_browsed(f"{file} + fading .9") == Browsing(STEPS, fading=0.9)
    mixed = write_navigation(file.with_name("mixed.json"), MIXED)
    fading = [Browsing(of_type, fading=0.9) for of_type in MIXED.navigations]
    assert read_browsed(f"{mixed} + fading .9") == Mixture(MIXED.shares, fading)
    with pytest.raises(InputError, match="'walk', must be dials where a navigation is given"):
        read_browsed(f"{file} + walk")
    with pytest.raises(InputError, match="documents of no-revisit must be known"):
        read_browsed(f"{file} + no-revisit")


def broken(**changes: Any) -> dict[str, Any]:
    """Return a file as somebody else may write it, with the checksum it should have."""
    content = {"format": 1, "fitted": "walk", "navigation": navigation_content(STEPS)}
    plain = json.loads(json.dumps({**content, **changes}))
    try:
        return {**plain, "checksum": checksum(plain)}
    except ValueError:  # a number that is not finite
        return {**plain, "checksum": "none"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "line 1: fitted file is 'Expecting value', must be JSON"),
        ('{"format": 1,', "must be JSON; give a file that prum fit wrote by -o"),
        ([], "must say what was fitted"),
        ({"nats_per_step": 3.1}, "must say what was fitted; give a file that prum fit wrote by -o"),
        (broken(format=2, prum="9.9"), "is 2, must be at most 1.*install prum 9.9 or newer"),
        (broken(format="1"), "format of the fitted file is '1'"),
        (broken(navigation=None), "is 'damaged', must hold a whole navigation"),
        (
            broken(navigation=None, refusal=["order", 2, "be 1 to browse by it", "fit again"]),
            "fitted.json: order is 2, must be 1 to browse by it; fit again",
        ),
        (broken(navigation={}), "damaged"),
        (broken(navigation={**navigation_content(STEPS), "targets": [0, 1]}), "damaged|length"),
        (broken(navigation={**navigation_content(STEPS), "targets": [0, 1, -1]}), "damaged"),
        (broken(navigation={**navigation_content(STEPS), "targets": [0, 1, 9]}), "damaged"),
        (broken(navigation={**navigation_content(STEPS), "targets": [0, 1, 1e999]}), "damaged"),
        (broken(navigation={**navigation_content(STEPS), "targets": [0, 1, 10**30]}), "damaged"),
        (broken(navigation={**navigation_content(STEPS), "kind": "fly"}), "damaged"),
        (
            broken(navigation={**navigation_content(STEPS), "probabilities": [0.5, 2.0, 0.1]}),
            r"fitted.json: probability of 'hub' -> 'a' is 2.0, must lie in \[0, 1\]",
        ),
    ],
)
def test_a_file_that_is_none_is_refused_in_a_line(
    tmp_path: Path, content: Any, message: str
) -> None:
    file = tmp_path / "fitted.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(InputError, match=message) as refused:
        read_navigation(file)
    assert "fitted.json" in str(refused.value)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    (tmp_path / "one.run").write_text("q Q0 hub 1 2 s\nq Q0 x 2 1 s\n")
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 b 1\n")
    (tmp_path / "links.csv").write_text("source,target,probability\nhub,a,1\n")
    (tmp_path / "tree.csv").write_text("element,parent,length\nhub,,9\na,hub,2\nb,hub,2\nx,,4\n")
    return tmp_path


def test_a_campaign_is_browsed_by_a_file(runs: Path, file: Path) -> None:
    given = [runs / "one.run"], runs / "qrels"
    campaign = read_campaign(*given, kind=f"{file} + fading .5", collection_size=9)
    assert campaign.navigation == Browsing(STEPS, fading=0.5)
    assert read_campaign(*given, kind=STEPS, collection_size=9).navigation == STEPS
    # Elements make no links then: they say what is part of what.
    tree = read_campaign(*given, kind=f"{file} + no-revisit", elements=[runs / "tree.csv"])
    assert tree.navigation == Browsing(
        STEPS, documents={"hub": "hub", "a": "hub", "b": "hub", "x": "x"}
    )
    assert tree.way is None
    assert tree.collection_size == 4


@pytest.mark.parametrize("more", [{"links": "links.csv"}, {"way": "web .85"}])
def test_a_file_goes_without_links_of_others(runs: Path, file: Path, more: dict[str, str]) -> None:
    if "links" in more:
        more = {"links": str(runs / more["links"])}
    with pytest.raises(InputError, match=r"must go without .*: it has links of its own"):
        read_campaign([runs / "one.run"], runs / "qrels", kind=str(file), collection_size=9, **more)


def test_a_file_of_other_elements_is_refused(runs: Path, tmp_path: Path) -> None:
    other = write_navigation(tmp_path / "other.json", Walk({("page 1", "page 2"): 0.5}))
    with pytest.raises(InputError, match=r"other.json: number of links from a listed element is 0"):
        read_campaign([runs / "one.run"], runs / "qrels", kind=str(other), collection_size=9)
    with pytest.raises(InputError, match="number of links from a listed element is 0"):
        example_campaign("web").browsed(str(other))


def test_a_campaign_that_exists_is_browsed_by_a_file(tmp_path: Path) -> None:
    steps = Walk({("c", "a"): 0.25, ("d", "b"): 0.5})
    browsed = example_campaign("web").browsed(
        str(write_navigation(tmp_path / "fitted.json", steps))
    )
    assert browsed.navigation == steps
    assert browsed.kind == "walk"


@pytest.fixture(scope="module")
def fitted() -> str:
    return fitted_text(
        fit([["a", "b"], ["a", "c"], ["a", "b"]], {("a", "b"): 1, ("a", "c"): 1}).fitted
    )


def edited(text: str, way: str) -> str:
    """Return a fitted file that was changed by hand."""
    content = json.loads(text)
    if way == "mean":
        content["navigation"]["probabilities"][0] /= 2
    elif way == "counts":
        content["counts"] = {
            name: [x + 1 for x in value] if isinstance(value, list) else value
            for name, value in content["counts"].items()
        }
    elif way == "dropped":
        del content["choices"]
    elif way == "unsigned":
        del content["checksum"]
    return json.dumps(content)


@pytest.mark.parametrize("read", [read_navigation, read_fitted])
@pytest.mark.parametrize("way", ["mean", "counts", "dropped", "unsigned"])
def test_a_file_that_was_edited_is_refused_by_whatever_reads_it(
    tmp_path: Path, fitted: str, way: str, read: Callable[[Path], object]
) -> None:
    file = tmp_path / "fitted.json"
    file.write_text(edited(fitted, way))
    with pytest.raises(InputError, match=r"'damaged', must be as it was written; fit again"):
        read(file)
    # Blanks and the order of keys mean nothing.
    file.write_text(json.dumps(json.loads(fitted), sort_keys=True, indent=3))
    read(file)
