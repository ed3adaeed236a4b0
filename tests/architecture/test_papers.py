"""The page of the papers' items is made of its table, and what it says to do can be done."""

import ast
import importlib
from functools import cache
from pathlib import Path

import pytest

import prum
from prum.experiments.studies.paper import TITLES
from tests.architecture.papers import PAGE, ROOT, items, page
from tests.commands import called
from tests.paper_files import PAPER_FILES, write_paper_files
from tests.tiers import slow

# Studies of half a minute or more, whose own tests run them with smaller options.
LONG = ("prum study hypotheses", "prum study people", "prum study approximations")
ITEMS = items()
COMMANDS = sorted({i.get for i in ITEMS if i.words} - {*LONG})
QUICK = [line for line in COMMANDS if "--of mizzaro" in line or "--user" in line]


def test_the_page_is_made_of_the_table() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tests.architecture.papers"


@cache
def named_tests(file: str) -> frozenset[str]:
    """Return the names of the tests of a file under tests, none if there is no such file."""
    path = ROOT / "tests" / file
    tree = ast.parse(path.read_text(encoding="utf-8") if path.is_file() else "")
    return frozenset(each.name for each in tree.body if isinstance(each, ast.FunctionDef))


def is_test(check: str) -> bool:
    file, _, name = check.partition("::")
    return name.startswith("test_") and name in named_tests(file)


def test_each_item_says_what_it_is_and_what_checks_it() -> None:
    assert {item.paper for item in ITEMS} == set(TITLES)
    assert len(ITEMS) > 200
    assert len({(i.paper, i.where, i.what) for i in ITEMS}) == len(ITEMS)
    for item in ITEMS:
        assert item.where
        assert item.what
        # What cannot be had is called so.
        assert item.get or item.remark, item
        assert is_test(item.check) or item.remark.startswith("missing"), item
        assert not item.check or is_test(item.check), item

    file, _, name = ITEMS[0].check.partition("::")
    assert not any(map(is_test, ("", file, f"{file}::{name}s", f"no_{file}::{name}")))


def test_each_call_gives_something_and_each_file_is_named() -> None:
    for name in ("ranked", "utility", "adm"):
        importlib.import_module(f"prum.analytic.{name}")
    calls = [item.get for item in ITEMS if item.get and not item.words]
    assert len(calls) > 60
    for expression in calls:
        assert eval(expression, {"prum": prum}) is not None, expression
    named = {word.rpartition("=")[2] for item in ITEMS if item.words for word in item.words}
    assert not PAPER_FILES.keys() - named


@pytest.mark.parametrize(
    "line", [line if line in QUICK else pytest.param(line, marks=slow) for line in COMMANDS]
)
def test_commands_run(line: str, tmp_path: Path) -> None:
    item = next(item for item in ITEMS if item.get == line)
    write_paper_files(tmp_path)
    done = called(*item.words, folder=tmp_path)
    # A cross-check of few users may leave something open.
    assert done.returncode == 0 or (done.returncode == 1 and "crosscheck" in line), done.stderr
