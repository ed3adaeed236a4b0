"""What is promised of names: each has a home that shows it, and each class one meaning."""

import importlib
import inspect
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from types import ModuleType

import pytest

import prum
from prum.experiments.commands.main import COMMANDS
from prum.experiments.measures.catalogue import MEASURES
from tests.architecture.reference import (
    FOLDERS,
    FRONTS,
    MEASURES_PAGE,
    PAGE,
    ROOT,
    STUBS,
    leaving,
    names_of,
    page,
    room_of,
)


def public_classes(folder: Path) -> dict[str, list[str]]:
    found = defaultdict(list)
    for path in sorted(folder.rglob("*.py")):
        for name in re.findall(r"^class ([A-Za-z]\w*)[(:]", path.read_text(), re.MULTILINE):
            found[name].append(str(path.relative_to(folder)))
    return found


@pytest.mark.parametrize("stub", STUBS, ids=room_of)
def test_a_room_shows_its_names_and_has_them(stub: Path) -> None:
    room = importlib.import_module(room_of(stub))
    assert set(names_of(stub)) <= set(dir(room))
    for name, module in names_of(stub).items():
        value = getattr(room, name)
        assert isinstance(value, ModuleType) == (module is None), name
        if inspect.isfunction(value):
            assert inspect.getdoc(value), name
    assert not callable(room)


def test_every_room_is_shown_by_its_front() -> None:
    for stub in STUBS:
        if (front := stub.parents[1] / stub.name) in STUBS:
            assert stub.parent.name in names_of(front), f"name the room in {front}"


def test_a_name_has_one_home_and_fronts_show_no_other() -> None:
    homes, shown = defaultdict(set), set()
    for stub in STUBS:
        for name, module in names_of(stub).items():
            if module is not None and room_of(stub) in FRONTS:
                shown.add(name)
            elif module is not None:
                homes[name].add(f"{room_of(stub)}.{module}")
    assert not {name: where for name, where in homes.items() if len(where) > 1}
    assert shown - homes.keys() == {"study"}


def test_a_class_has_a_name_of_its_own(tmp_path: Path) -> None:
    classes = defaultdict(list)
    for top in FOLDERS:
        for name, places in public_classes(ROOT / top).items():
            classes[name] += [f"{top}/{place}" for place in places]
    assert not {name: places for name, places in classes.items() if len(places) > 1}
    for file in ("one.py", "two.py"):
        (tmp_path / file).write_text("class Twice: ...\n")
    assert public_classes(tmp_path)["Twice"] == ["one.py", "two.py"]


# --- the reference ----------------------------------------------------------------------------


def not_told(text: str) -> set[str]:
    """Return what rooms show and a page does not name."""
    shown = {
        name
        for stub in STUBS
        for name in dir(importlib.import_module(room_of(stub)))
        if not name.startswith("_")
    }
    rooms = {name for stub in STUBS for name, module in names_of(stub).items() if module is None}
    return shown - rooms - set(re.findall(r"`(\w+)`", text))


def test_the_reference_has_every_name_and_measure() -> None:
    assert PAGE.read_text("utf-8") == page(), "run python -m tests.architecture.reference"
    described = page(described=True)
    assert not_told(described) == set()
    assert not_told(described.replace("`chunks`", "")) == {"chunks"}
    assert "\n- `exact`: E[CL(r)] and E[C(r)] under Hypotheses 2.1 and 2.2 alone\n" in described
    told = set(re.findall(r"\w+", MEASURES_PAGE.read_text("utf-8")))
    assert set(MEASURES) <= told, "describe it in docs/reference/measures.md"


def test_the_reference_groups_every_command_as_help_does() -> None:
    text = (PAGE.parent / "commands.md").read_text("utf-8")
    parts = (part.partition("\n") for part in text.split("\n## ")[1:])
    told = {title: re.findall(r"^commands/prum-(\w+)", body, re.M) for title, _, body in parts}
    helped = {title: list(commands) for title, commands in COMMANDS.items()}
    assert told == helped, "docs/reference/commands.md has the commands of commands/main.py"


# --- modules ----------------------------------------------------------------------------------


def hidden(stub: Path) -> set[str]:
    """Return the names of a room that a module of the same name would take the place of."""
    modules = {path.stem for path in stub.parent.glob("*.py")}
    return {name for name, module in names_of(stub).items() if module is not None} & modules


def test_no_module_hides_a_name(tmp_path: Path) -> None:
    assert not {room_of(stub): hidden(stub) for stub in STUBS if hidden(stub)}
    (tmp_path / "__init__.pyi").write_text("from .traffic import traffic as traffic\n")
    (tmp_path / "traffic.py").touch()
    assert hidden(tmp_path / "__init__.pyi") == {"traffic"}


# Rooms whose modules are found by the name of what they are for.
BY_NAME = r"precision\.laws|sampling\.ways|studies\.paper"


def unused(folders: dict[Path, str], programs: str) -> set[str]:
    """Return the modules that no source and no stub of their room names, and no program is."""
    modules, named = set[str](), [programs]
    for folder, package in folders.items():
        for path in folder.rglob("*.py*"):
            room = ".".join([package, *path.relative_to(folder).parent.parts])
            if path.suffix == ".pyi":
                named.append(re.sub(r"^from \.", f"from {room}.", path.read_text(), flags=re.M))
            elif path.suffix == ".py":
                text = re.sub(
                    r"^ *from (\S+) import (\w+)$", r"\1.\2 \1", path.read_text(), flags=re.M
                )
                named.append(text)
                modules |= {f"{room}.{path.stem}"} - {f"{room}.__init__"}
    known = set(re.findall(r"\bprum[.\w]+|\broom[.\w]+", "\n".join(named)))
    return {x for x in modules - known if not re.search(BY_NAME, x)}


def test_every_module_is_used(tmp_path: Path) -> None:
    homes = (home for group in COMMANDS.values() for home, _ in group.values())
    programs = " ".join(f"prum.experiments.{home}" for home in homes)
    programs += (ROOT / "pyproject.toml").read_text("utf-8")
    folders = {ROOT / folder: package for folder, package in FOLDERS.items()}
    assert unused(folders, programs) == set()
    (tmp_path / "__init__.pyi").write_text("from .used import name as name\n")
    for name in ("used", "forgotten"):
        (tmp_path / f"{name}.py").touch()
    assert unused({tmp_path: "room"}, "") == {"room.forgotten"}


# --- the front door ---------------------------------------------------------------------------


def told_by(code: str) -> subprocess.CompletedProcess[str]:
    """Return what a program in a fresh interpreter says."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_front_door_is_light_and_suggests_the_nearest_name() -> None:
    heavy = {"numpy", "scipy", "pandas", "click", "rich", "pydantic"}
    code = f"import sys, prum; prum.__version__; print({heavy} & set(sys.modules)); prum.crosschek"
    told = told_by(code)
    assert told.stdout == "set()\n"
    assert told.returncode == 1
    assert "'prum' has no attribute 'crosschek'. Did you mean: 'crosscheck'?" in told.stderr


def test_closed_forms_of_arrays_are_there_and_not_listed() -> None:
    for name in ("exact", "prum"):
        assert getattr(prum, name) is getattr(prum.analytic, name)
        assert name not in {*dir(prum), *prum.__all__}
    assert {"precision", "crosscheck"} <= {*prum.__all__}


def test_a_deprecated_name_warns_and_is_listed() -> None:
    deprecated = pytest.importorskip("typing_extensions").deprecated

    @deprecated("use new; goes in 0.3")
    def old() -> int:
        return 1

    with pytest.warns(DeprecationWarning, match="use new"):
        assert old() == 1
    assert list(leaving({"prum.old": old, "prum.new": len})) == ["| `prum.old` | use new | 0.3 |"]
    with pytest.raises(AssertionError, match=r"goes in 0\.3"):
        list(leaving({"prum.old": deprecated("soon")(lambda: 1)}))
