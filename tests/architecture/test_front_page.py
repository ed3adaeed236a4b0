"""The front page: a short README, pictures that say what they show, and the citation."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text("utf-8")
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def test_pictures_are_shown_are_small_and_say_what_they_show() -> None:
    shown = set()
    for path in (ROOT / "README.md", DOCS / "tutorial.md"):
        names = re.findall(r"[\w/-]+\.svg", path.read_text("utf-8"))
        assert names
        shown |= {(path.parent / name).resolve() for name in names}
    assert shown == set((DOCS / "images").iterdir())
    for path in shown:
        assert path.stat().st_size < 60_000
        title = ElementTree.parse(path).getroot().findtext("{http://www.w3.org/2000/svg}title")
        assert title
        assert len(title) > 100


def test_the_citation_is_complete_and_everybody_says_the_same() -> None:
    pytest.importorskip("yaml")
    from tests.architecture.citation import citation, problems

    cited = citation()
    assert list(problems(cited)) == []
    paper = cited["references"][0]
    wrong = {**cited, "version": "0.0.9", "abstract": "", "references": [{**paper, "year": 0}]}
    assert len(list(problems(wrong))) == 3
    names = [author["family-names"] for author in paper["authors"]]
    assert names == ["Piwowarski", "Gallinari", "Dupret"]
    readme = " ".join(README.replace(">", "").split())
    for said in (paper["title"], paper["doi"], paper["journal"], str(paper["year"])):
        assert said in readme


def test_the_readme_is_short_and_says_what_the_makefile_does() -> None:
    assert len(README.splitlines()) <= 130
    for target in ("crosscheck", "test"):
        assert f"```sh\nmake {target}\n```" in README
    (minutes,) = re.findall(r"^test: .*; some (\w+) minutes$", MAKEFILE, re.MULTILINE)
    assert f"in some {minutes} minutes" in README
    assert ". $(VENV)/bin/activate" in MAKEFILE
    assert "`. .venv/bin/activate`" in README


def test_the_page_on_numbers_explains_what_make_crosscheck_runs() -> None:
    (command,) = re.findall(r"^\t\$\(BIN\)/(prum crosscheck .*)$", MAKEFILE, re.MULTILINE)
    page = (DOCS / "concepts" / "numbers.md").read_text("utf-8")
    assert f"\n{command.replace('--html ', '--html checked/')} > checked/table.txt\n" in page
