"""What the glossary promises: its terms are in use, and the words that it rules out are not."""

import io
import re
import tokenize
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
GLOSSARY = ROOT / "docs" / "glossary.md"
PRODUCT = ("api", "analytic", "simulator", "experiments")
PAGES = sorted({ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md")})
ENTRY = re.compile(r"^- \*\*(.+?)\*\*: (.+?)(?=\n- |\n\n|\Z)", re.M | re.S)
# Code, and the name of a type of arguments.
CODE = re.compile(r"```.*?```|`[^`]*`|^    [^\n]*$|truth value", re.M | re.S)
# What stands in files that exist: keys, and texts of results.
KEPT = re.compile(
    r"`[^`\n]*`|truth value|[.]?\btruth[.]measures|\"truth\"|tau-b with truth"
    r"|visits from one element hang together: H|turn came can't be told where visits hang together"
)


def entries(text: str) -> dict[str, str]:
    """Return the terms of a glossary, with what it says of each."""
    return {term: " ".join(said.split()) for term, said in ENTRY.findall(text)}


def ruled_out(text: str) -> set[str]:
    """Return the words that a glossary rules out."""
    lists = (said.partition("*not* ")[2] for said in entries(text).values())
    return {word for words in lists for word in re.split(r", ", words.rstrip(".")) if word}


@cache
def prose(path: Path) -> str:
    """Return what people read of a file: its comments and texts, or all but code of a page."""
    text = path.read_text(encoding="utf-8")
    if path.suffix in {".py", ".pyi"}:
        kinds = (tokenize.COMMENT, tokenize.STRING)
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        text = "\n".join(token.string for token in tokens if token.type in kinds)
        return KEPT.sub("", text)
    return CODE.sub("", text)


def places_of(word: str, files: list[Path]) -> list[str]:
    """Return the files in whose prose a word stands."""
    words = r"\s+".join(map(re.escape, word.split()))
    pattern = re.compile(rf"\b{words}\b", re.IGNORECASE)
    some = (path for path in files if pattern.search(path.read_text(encoding="utf-8")))
    return [path.name for path in some if pattern.search(prose(path))]


def texts_under(root: Path) -> list[Path]:
    """Return the modules, stubs, stories and pages of a product, in whatever folder."""
    files = (path for top in PRODUCT for path in sorted((root / top).rglob("*")))
    return [path for path in files if path.suffix in {".py", ".pyi", ".md", ".html"}]


def test_terms_are_sorted_said_in_a_sentence_and_in_use() -> None:
    terms = entries(GLOSSARY.read_text(encoding="utf-8"))
    assert list(terms) == sorted(terms)
    assert len(terms) >= 30
    for term, said in terms.items():
        assert said.endswith("."), term
        assert ". " not in said, term
    text = "\n".join(path.read_text(encoding="utf-8") for path in texts_under(ROOT)).lower()
    assert [term for term in (*terms, "flibbertigibbet") if term not in text] == ["flibbertigibbet"]


def test_words_that_are_ruled_out_are_not_in_use() -> None:
    words = ruled_out(GLOSSARY.read_text(encoding="utf-8"))
    assert {"truth", "his", "hang together"} <= words
    files = [path for path in [*PAGES, *texts_under(ROOT)] if path != GLOSSARY]
    assert {word: places for word in sorted(words) if (places := places_of(word, files))} == {}


def test_a_word_that_is_ruled_out_would_be_seen(tmp_path: Path) -> None:
    """Negative control: in comments and texts, not in code, and in files that are new."""
    page = "A user and `his` list.\n\n    he = 1\n\nTo him visits hang\ntogether.\n"
    code = 'def his():\n    """Return what he saw."""\n'
    for number, place in enumerate((*PRODUCT, "experiments/studies/new")):
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
        (tmp_path / place / f"new{number}.py").write_text(code)
    (tmp_path / "experiments" / "story.md").write_text(page)
    files = texts_under(tmp_path)
    assert sorted(places_of("he", files)) == [f"new{number}.py" for number in range(5)]
    assert places_of("him", files) == places_of("hang together", files) == ["story.md"]
    assert places_of("his", files) == []
