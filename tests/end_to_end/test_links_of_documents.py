"""Links between the documents lead somewhere: to a file, and to a heading of it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    str(path.relative_to(ROOT)): path
    for path in (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")))
}
FENCED = re.compile(r"^(`{3,}|~{3,})[^\n]*\n.*?^\1$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]+`")
LINK = re.compile(r"\]\(\s*<?([^()\s>]+)>?[^()]*\)|(?:src|srcset|href)=\"([^\"]+)\"")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:")
# Pages that `make docs` makes.
MADE = re.compile(r"reference/(commands|rooms)/|explorer\.html$")


def anchors(text: str) -> set[str]:
    """Return what headings are called in links, as code hosts call them."""
    names, known = set[str](), dict[str, int]()
    for heading in HEADING.findall(FENCED.sub("", text)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
        name = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        number = known.get(name, 0)
        known[name] = number + 1
        names.add(f"{name}-{number}" if number else name)
    return names | set(re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE))


def links(text: str) -> Iterator[str]:
    """Yield the targets of links and pictures that are not on the network."""
    for found in LINK.finditer(CODE.sub("", FENCED.sub("", text))):
        target = found[1] or found[2]
        if not SCHEME.match(target):
            yield target


def dead(path: Path, text: str) -> list[str]:
    """Return the links of a page that lead nowhere."""
    missing = []
    for target in links(text):
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        if name and MADE.search(name):
            continue
        if not file.exists() or not file.is_relative_to(ROOT):
            missing.append(target)
        elif anchor and file.suffix == ".md":
            headings = anchors(text if file == path else file.read_text("utf-8"))
            if anchor not in headings:
                missing.append(target)
    return missing


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    assert dead(PAGES[name], PAGES[name].read_text("utf-8")) == []


def test_dead_links_are_found() -> None:
    here = ROOT / "docs" / "glossary.md"
    text = """\
# It's `one` word, *said* once
## Twice
## Twice

[a](#its-one-word-said-once), [b](#twice-1), [c](findings.md), [d](https://example.org/none)
[e](#twice-2), [f](nowhere.md), [g](findings.md#nowhere "title"), ![h](images/none.svg)
<img src="none.png">
`[i](code.md)`

```text
[j](fenced.md)
```
"""
    assert dead(here, text) == [
        "#twice-2",
        "nowhere.md",
        "findings.md#nowhere",
        "images/none.svg",
        "none.png",
    ]
