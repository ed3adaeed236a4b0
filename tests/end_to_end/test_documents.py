"""Every code block of the README and of the documents runs, and prints what the page says.

A block of sh or python is followed by a block of text where it prints something. Blocks of a page
run one after the other, in a folder that is empty at first, with the installed `prum` on the path.
A block of console is not run: it needs data of one's own, a cluster or hours. `make` targets are
read from the Makefile.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.tiers import slow

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = {
    str(path.relative_to(ROOT)): path for path in (ROOT / "README.md", *sorted(DOCS.rglob("*.md")))
}
RUNNER = Path(__file__).with_name("pages_that_run.py")
# Pages whose blocks take a second of processor time or less, but for loading `prum`.
FAST = {"docs/reference/logs.md"}
FENCE = re.compile(r"^(`{3,}|~{3,})([^\n]*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
# How blocks are called that do not run: data, output, what is typed elsewhere, and Sphinx's own.
STILL = {"text", "console", "toml", "json", "csv", "bibtex", "xml", "html", "latex", "yaml"}
RUN = ("python", "sh")


class Block(NamedTuple):
    """A block that runs, and what it is to print; None if the page shows nothing of it."""

    language: str
    code: str
    printed: str | None


def fences(text: str) -> list[tuple[str, str]]:
    """Return (language, content) of all blocks of a page but those for Sphinx."""
    found = [(match[2].strip(), match[3]) for match in FENCE.finditer(text)]
    return [(language, content) for language, content in found if not language.startswith("{")]


def blocks(text: str) -> list[Block]:
    """Return the blocks of a page that run."""
    found = fences(text)
    after = [*found[1:], ("", "")]
    return [
        Block(language, code, content if next_language == "text" else None)
        for (language, code), (next_language, content) in zip(found, after, strict=False)
        if language in RUN
    ]


def is_make(block: Block) -> bool:
    """Return whether a block is a target of the Makefile, which no folder but this has."""
    return bool(re.fullmatch(r"make \w+\n", block.code))


def run(page: list[Block], folder: Path) -> list[str]:
    """Return what the blocks of a page print."""
    environment = dict(os.environ, PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    done = subprocess.run(
        [sys.executable, str(RUNNER)],
        cwd=folder,
        env=environment,
        input=json.dumps([(block.language, block.code) for block in page]),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert isinstance(printed, list)
    return printed


def lines(text: str) -> list[str]:
    """Return the lines of an output, without blanks at their ends."""
    return [line.rstrip() for line in text.rstrip().splitlines()]


def check(text: str, folder: Path) -> None:
    """Run a page, and compare what it prints with what it says."""
    page = [block for block in blocks(text) if not is_make(block)]
    for block, printed in zip(page, run(page, folder), strict=True):
        assert lines(printed) == lines(block.printed or ""), block.code
    # What readers have in the folder where they try a page stays as it is.
    assert [path.name for path in folder.iterdir() if not path.is_dir()] == []


def running() -> Iterator[Any]:
    """Yield the pages with blocks that run, of which most are slow."""
    for name, path in PAGES.items():
        if any(not is_make(block) for block in blocks(path.read_text("utf-8"))):
            yield pytest.param(path, id=name, marks=() if name in FAST else slow)


@pytest.mark.parametrize("path", list(running()))
def test_blocks_print_what_the_page_says(path: Path, tmp_path: Path) -> None:
    check(path.read_text("utf-8"), tmp_path)


PAGE = """\
```python
x = 3
```

```sh
mkdir -p made
cd made
echo 4 > y
```

```console
$ prum sweep my-own.toml
```

```python
print(x, open("y").read())
```

```text
3 4
```
"""


def test_blocks_share_names_and_a_page_that_says_otherwise_is_found(tmp_path: Path) -> None:
    check(PAGE, tmp_path)
    for right, wrong in (("3 4\n", "3 5\n"), ("mkdir -p made\n", ""), ("x = 3", "print(3)")):
        shutil.rmtree(tmp_path / "made", ignore_errors=True)
        with pytest.raises(AssertionError):
            check(PAGE.replace(right, wrong), tmp_path)


@pytest.mark.parametrize("name", PAGES)
def test_blocks_say_what_they_are(name: str) -> None:
    for language, code in fences(PAGES[name].read_text("utf-8")):
        assert language in STILL | set(RUN), f"```{language}\n{code}"


def test_targets_are_those_of_the_makefile() -> None:
    every = [block for path in PAGES.values() for block in blocks(path.read_text("utf-8"))]
    targets = {block.code.split()[1] for block in every if is_make(block)}
    assert {"crosscheck", "test"} <= targets
    makefile = (ROOT / "Makefile").read_text()
    assert targets <= set(re.findall(r"^(\w+):.*\n\t", makefile, re.MULTILINE))
