"""Elements and ways on the command line: what a small page makes, and a line for every mistake."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands import called, refused

PAGE = "element,parent,length\npage,,100\na,page,40\nb,page,40\nc,page,20\n"
LINKS = "source,target,probability\na,b,1\na,c,0\n"
GIVEN = ("crosscheck", "--run", "run", "--qrels", "qrels", "--collection-size", "4")
SMALL = (*GIVEN, "--users", "20000")
TREE = (*SMALL, "--elements", "page.csv")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "run").write_text("q1 Q0 a 1 2 s\nq1 Q0 page 2 1 s\n")
    (tmp_path / "qrels").write_text("q1 0 b 1\nq1 0 c 1\n")
    (tmp_path / "page.csv").write_text(PAGE)
    (tmp_path / "links.csv").write_text(LINKS)
    return tmp_path


def checked(folder: Path, *words: str) -> dict[str, Any]:
    done = called(*words, "--json", "out.json", folder=folder)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads((folder / "out.json").read_text())
    assert result["verdict"] == "agrees"
    return result


def first_precision(folder: Path, *words: str) -> float:
    value: float = checked(folder, *words)["comparisons"][0]["exact"]
    return value


def test_each_way_from_a_reaches_what_it_should(files: Path) -> None:
    """Precision at r = 1 is 1 / E[C(1)]: a, then page, then b or c."""
    missed_by_page = (1 - 0.4) * (1 - 0.2)
    for words, reached in (
        ((), (0, 1 - missed_by_page)),
        (("--way", "structural"), (0, 1 - missed_by_page)),
        (("--way", "chunks next .5"), (0.5, 0)),
        (("--way", "chunks next .5", "--navigation", "walk"), (0.5, 0)),
        (("--way", "chunks next .5 child .1", "--navigation", "exclusive"), (0.5, 0.2)),
        (("--way", "tolerance 40"), (1, 0)),
        (("--way", "timeline 0"), (1, 1)),
        (("--way", "timeline-steps 0"), (1, 1)),
    ):
        at_1, at_2 = reached
        consulted = at_1 + (1 - at_1) * (2 + (1 - at_2))
        assert first_precision(files, *TREE, *words) == pytest.approx(1 / consulted), words


def test_xml_and_a_table_of_the_same_are_the_same(files: Path) -> None:
    pytest.importorskip("lxml")
    (files / "qrels").write_text("q1 0 p/q[2] 1\n")
    (files / "run").write_text("q1 Q0 p 1 2 s\n")
    (files / "other.xml.gz").write_bytes(gzip.compress(b"<q>five</q>"))
    (files / "p.xml").write_text("<p><q>one</q><q>two</q></p>")
    (files / "p.csv").write_text("element,parent,length\np,,6\np/q[1],p,3\np/q[2],p,3\nother,,4\n")
    one = checked(files, *SMALL, "--elements", "p.xml", "--elements", "other.xml.gz")
    two = checked(files, *SMALL, "--elements", "p.csv")
    assert one["comparisons"] == two["comparisons"]
    assert one["campaigns"] == two["campaigns"]
    assert one["campaigns"][0]["way"] == "structural"
    assert one["arguments"]["elements"] == ["p.xml", "other.xml.gz"]


def test_equal_shares_of_links_are_walked(files: Path) -> None:
    words = (*SMALL, "--links", "links.csv", "--way", "web .8")
    result = checked(files, *words)
    assert result["campaigns"][0]["navigation"] == "Walk"
    assert result["arguments"]["way"] == "web .8"
    # .4 + .4 by either link, never both: then page, then the rest.
    assert result["comparisons"][0]["exact"] == pytest.approx(1 / (0.8 + 0.2 * 3))
    tossed = first_precision(files, *words, "--navigation", "independent")
    assert tossed == pytest.approx(1 / (0.64 + 0.36 * 3))


MISTAKES = {
    "links beside a way of elements": (
        (*TREE, "--links", "links.csv", "--way", "structural"),
        ("way is 'structural'", "be a way of links", "take web DAMPING"),
    ),
    "broken XML": ((*SMALL, "--elements", "bad.xml"), ("bad.xml",)),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_line(mistake: str, files: Path) -> None:
    (files / "bad.xml").write_text("<p>")
    words, told = MISTAKES[mistake]
    refused(*words, folder=files, told=told)
