"""The front page: a short README, pictures that say what they show, and the citation."""

import re
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def test_pictures_are_small_and_say_what_they_show() -> None:
    for path in (DOCS / "images").iterdir():
        assert path.stat().st_size < 60_000
        title = ElementTree.parse(path).getroot().findtext("{http://www.w3.org/2000/svg}title")
        assert title
        assert len(title) > 100


def test_readme_and_tutorial_show_pictures_that_are_there() -> None:
    shown = set()
    for path in (ROOT / "README.md", DOCS / "tutorial.md"):
        names = re.findall(r"[\w/-]+\.svg", path.read_text("utf-8"))
        assert names
        shown |= {(path.parent / name).resolve() for name in names}
    assert shown == set((DOCS / "images").iterdir())


def test_the_citation_is_of_this_version_and_of_the_paper() -> None:
    yaml = pytest.importorskip("yaml")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert citation["cff-version"] == "1.2.0"
    assert citation["message"]
    assert citation["title"] == project["name"]
    assert str(citation["version"]) == project["version"]
    assert citation["license"] == project["license"]
    assert citation["authors"] == project["authors"]
    assert set(citation["keywords"]) == set(project["keywords"])
    paper = citation["references"][0]
    names = [author["family-names"] for author in paper["authors"]]
    assert names == ["Piwowarski", "Gallinari", "Dupret"]
    readme = " ".join((ROOT / "README.md").read_text("utf-8").replace(">", "").split())
    for said in (paper["title"], paper["doi"], paper["journal"], str(paper["year"])):
        assert str(said) in readme


def test_the_readme_is_short_and_has_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.splitlines()) <= 130
    assert "```sh\nmake crosscheck\n```" in text
    assert "```sh\nmake test\n```" in text


def test_the_page_on_numbers_explains_what_make_crosscheck_runs() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    (command,) = re.findall(r"^\t\$\(BIN\)/(prum crosscheck .*)$", makefile, re.MULTILINE)
    page = (DOCS / "concepts" / "numbers.md").read_text("utf-8")
    assert f"\n{command.replace('--html ', '--html checked/')} > checked/table.txt\n" in page
