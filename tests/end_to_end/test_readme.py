"""Every code block of the README and of some pages of docs runs, and prints what they say.

A block of sh or python is followed by a block of text where it has output; one of console is not
run. Blocks run each in an empty folder, those of a page of docs one after the other in the same,
with the installed `prum` command on the path. `make` targets are read from the Makefile.
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
        if language not in ("text", "console")
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


def test_the_readme_is_short_and_has_the_two_commands_and_an_example() -> None:
    codes = [code.strip() for _, code, _ in README]
    assert codes[:2] == ["make crosscheck", "make test"]
    assert "$(PYTEST)" in recipe("test")
    assert sum(language == "python" for language, _, _ in README) == 1
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120


def test_the_page_on_numbers_runs_what_make_crosscheck_does() -> None:
    _, code, expected = blocks((ROOT / "docs" / "concepts" / "numbers.md").read_text("utf-8"))[0]
    assert code.splitlines()[-1].replace("checked/", "") == recipe("crosscheck")
    assert "agrees" in expected


def test_blocks_print_what_the_readme_says(tmp_path: Path) -> None:
    for language, code, expected in README[2:]:
        printed = run(code, language, tmp_path)
        assert printed.splitlines() == expected.splitlines()


def test_the_readme_and_make_say_how_to_use_what_was_installed() -> None:
    makefile = (ROOT / "Makefile").read_text()
    assert ". $(VENV)/bin/activate" in makefile
    assert "`. .venv/bin/activate`" in (ROOT / "README.md").read_text(encoding="utf-8")


@slow
@pytest.mark.parametrize(
    ("name", "number"),
    [("howto/chunks", 4), ("howto/fitting", 7), ("concepts/numbers", 2), ("tutorial", 6)],
)
def test_a_page_prints_what_it_says(name: str, number: int, tmp_path: Path) -> None:
    page = blocks((ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8"))
    assert len(page) == number
    for language, code, expected in page:
        printed = [line.rstrip() for line in run(code, language, tmp_path).rstrip().splitlines()]
        assert printed == [line.rstrip() for line in expected.splitlines()]
