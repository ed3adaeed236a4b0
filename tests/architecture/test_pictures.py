"""Pictures of the README and the tutorial are what their code draws; CITATION.cff is right."""

import importlib
import re
import tomllib
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the module, which is part of the documents and no package."""
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module("figures")


def test_pictures_are_what_their_code_draws(figures: ModuleType) -> None:
    drawn = figures.drawn()
    assert {path.name for path in figures.IMAGES.iterdir()} == set(drawn)
    for name, text in drawn.items():
        assert (figures.IMAGES / name).read_text("utf-8") == text, f"python docs/figures.py: {name}"


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
