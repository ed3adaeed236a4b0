"""What is promised of names: each has a home that shows it, and each class one meaning."""

import ast
import importlib
import inspect
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = {"api": "prum", "analytic": "prum.analytic", "experiments": "prum.experiments",
           "simulator": "prum.simulator"}  # fmt: skip
STUBS = sorted(path for top in FOLDERS for path in (ROOT / top).rglob("__init__.pyi"))
# These show what stands in rooms below them.
FRONTS = {"prum", "prum.analytic", "prum.simulator"}


def room_of(stub: Path) -> str:
    top, *rest = stub.relative_to(ROOT).parent.parts
    return ".".join([FOLDERS[top], *rest])


def names_of(stub: Path) -> dict[str, str | None]:
    """Return the names of a stub, each with the module it is in, or None if it is a room."""
    return {
        alias.name: node.module
        for node in ast.parse(stub.read_text()).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def public_classes(folder: Path) -> dict[str, list[str]]:
    found = defaultdict(list)
    for path in sorted(folder.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(str(path.relative_to(folder)))
    return found


@pytest.mark.parametrize("stub", STUBS, ids=room_of)
def test_a_room_shows_its_names_and_has_them(stub: Path) -> None:
    room = importlib.import_module(room_of(stub))
    assert set(names_of(stub)) <= set(dir(room))
    for name, module in names_of(stub).items():
        value = getattr(room, name)
        assert isinstance(value, ModuleType) == (module is None), name
        if inspect.isfunction(value):
            assert inspect.signature(value) is not None
            assert inspect.getdoc(value), name
    assert not callable(room)


def test_a_name_has_one_home() -> None:
    homes = defaultdict(set)
    for stub in STUBS:
        for name, module in names_of(stub).items():
            if module is not None and room_of(stub) not in FRONTS:
                homes[name].add(f"{room_of(stub)}.{module}")
    assert not {name: where for name, where in homes.items() if len(where) > 1}


def test_fronts_show_nothing_that_has_no_home() -> None:
    homes = {name for stub in STUBS if room_of(stub) not in FRONTS for name in names_of(stub)} | {
        "study",
        "prum",
        "analytic",
        "experiments",
        "simulator",
    }
    for stub in STUBS:
        if room_of(stub) in FRONTS:
            rooms = {name for name, module in names_of(stub).items() if module is None}
            assert set(names_of(stub)) - rooms <= homes, room_of(stub)


def test_a_class_has_a_name_of_its_own(tmp_path: Path) -> None:
    classes = defaultdict(list)
    for top in FOLDERS:
        for name, places in public_classes(ROOT / top).items():
            classes[name] += [f"{top}/{place}" for place in places]
    assert not {name: places for name, places in classes.items() if len(places) > 1}
    for file in ("one.py", "two.py"):
        (tmp_path / file).write_text("class Twice: ...\n")
    assert public_classes(tmp_path)["Twice"] == ["one.py", "two.py"]


def test_the_front_door_is_light() -> None:
    code = (
        "import sys, prum; assert prum.__version__ and 'crosscheck' in dir(prum)\n"
        "heavy = {'numpy', 'numba', 'scipy', 'pandas', 'click', 'rich', 'pydantic'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
        "print(prum.prum([[0.4]], 1).precision.tolist(), prum.Task.__name__)"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert shown.stdout.splitlines()[0] == "[]"
    assert shown.stdout.splitlines()[1].endswith("Task")
