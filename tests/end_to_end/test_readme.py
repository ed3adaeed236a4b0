"""Every code block of the README and of two pages of docs runs, and prints what they say.

A block of sh or python is followed by a block of text where it has output. Blocks run each in an
empty folder, those of docs/howto/chunks.md and of docs/howto/fitting.md one after the other in the
same, with the installed `prum` command on the path. `make` targets are read from the Makefile:
`make crosscheck` stands for the command that it runs.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tiers import slow

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text: str) -> list[tuple[str, str, str]]:
    """Return (language, code, expected output) of every block that is not output itself."""
    found = [(match[1], match[2]) for match in BLOCK.finditer(text)]
    return [
        (
            language,
            code,
            found[k + 1][1] if found[k + 1 : k + 2] and found[k + 1][0] == "text" else "",
        )
        for k, (language, code) in enumerate(found)
        if language != "text"
    ]


def recipe(target: str) -> str:
    """Return the command that a target of the Makefile runs from the environment."""
    makefile = (ROOT / "Makefile").read_text()
    match = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert match, f"the Makefile has no target {target}"
    commands = [line.strip() for line in match[1].splitlines() if not line.startswith("\t@")]
    return "\n".join(commands).replace("$(BIN)/", "")


def run(code: str, language: str, folder: Path) -> str:
    environment = dict(os.environ, PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    command = [sys.executable, "-c", code] if language == "python" else ["bash", "-euc", code]
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


README = blocks((ROOT / "README.md").read_text(encoding="utf-8"))


def test_the_readme_has_the_two_commands_and_examples() -> None:
    codes = [code.strip() for _, code, _ in README]
    assert "make crosscheck" in codes
    assert "make test" in codes
    assert sum(language == "python" for language, _, _ in README) >= 2
    assert any("prum crosscheck --run" in code for code in codes)


@pytest.mark.parametrize(
    ("language", "code", "expected"),
    [
        block
        if block[0] == "python" or "check --run" in block[1]
        else pytest.param(*block, marks=slow)
        for block in README
    ],
)
def test_block_prints_what_the_readme_says(
    language: str, code: str, expected: str, tmp_path: Path
) -> None:
    if code.strip() == "make test":
        assert "$(PYTEST)" in recipe("test")
        return
    if code.strip() == "make crosscheck":
        code = recipe("crosscheck")
    printed = run(code, language, tmp_path)
    assert [line.rstrip() for line in printed.rstrip().splitlines()] == [
        line.rstrip() for line in expected.splitlines()
    ]
    if "--html" in code:
        assert list(tmp_path.rglob("*.html"))
    # What a reader has in their folder stays as it is.
    if "mkdir" in code:
        assert all(path.is_dir() for path in tmp_path.iterdir())


def test_examples_write_in_folders_that_they_make() -> None:
    for language, code, _ in README:
        if language == "sh" and re.search(r" > |--(html|json|log|csv) | -o ", code):
            assert re.match(r"mkdir -p ([\w-]+) && cd \1\n", code), code


def test_the_readme_and_make_say_how_to_use_what_was_installed() -> None:
    makefile = (ROOT / "Makefile").read_text()
    assert ". $(VENV)/bin/activate" in makefile
    assert "`. .venv/bin/activate`" in (ROOT / "README.md").read_text(encoding="utf-8")


@slow
@pytest.mark.parametrize(("name", "number"), [("chunks", 5), ("fitting", 8)])
def test_a_page_prints_what_it_says(name: str, number: int, tmp_path: Path) -> None:
    page = blocks((ROOT / "docs" / "howto" / f"{name}.md").read_text(encoding="utf-8"))
    assert page[0][0] == "python"
    assert len(page) == number
    for language, code, expected in page:
        printed = [line.rstrip() for line in run(code, language, tmp_path).rstrip().splitlines()]
        assert printed == [line.rstrip() for line in expected.splitlines()]
