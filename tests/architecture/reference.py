"""Texts that are made: public names and measures. `python -m tests.architecture.reference`.

The page of public names is made of the rooms; the lines on measures in docs/reference/grammar.md
are made of the catalogue, docs/claims.md of docs/claims.toml.
"""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from prum.experiments.measures.catalogue import MEASURES
from prum.experiments.measures.definition import Definition

ROOT = Path(__file__).parents[2]
FOLDERS = {
    "api": "prum",
    "analytic": "prum.analytic",
    "experiments": "prum.experiments",
    "simulator": "prum.simulator",
}
STUBS = sorted(path for top in FOLDERS for path in (ROOT / top).rglob("__init__.pyi"))
# These show what stands in rooms below them.
FRONTS = {"prum", "prum.analytic", "prum.simulator"}
PAGE = ROOT / "docs" / "reference" / "names.md"
GRAMMAR = ROOT / "docs" / "reference" / "grammar.md"
_HEAD = """\
# Public names

Every name has one home, a room. `help(name)` has its law, shapes, units, range, errors and an
example.
"""


def room_of(stub: Path) -> str:
    """Return the name of the room a stub describes."""
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


def about(value: object, name: str, module: str) -> str:
    """Return what a name is in a line: the first of its docstring, or the comment above it."""
    if inspect.isclass(value) or inspect.isfunction(value):
        text = (inspect.getdoc(value) or "").split("\n\n")[0]
    else:
        source = inspect.getsource(importlib.import_module(module))
        above = re.search(rf"((?:^# .*\n)+){name}\b.* = ", source, re.MULTILINE)
        text = "" if above is None else above[1].replace("# ", "")
    assert text.strip(), f"{module}.{name} has no line that says what it is"
    return " ".join(text.replace("|", "\\|").split())


def page() -> str:
    """Return the page."""
    return "\n".join([_HEAD, *_fronts(), *_leaving(), *_rooms()]) + "\n"


def _fronts() -> Iterator[str]:
    for stub in STUBS:
        if room_of(stub) in FRONTS:
            names = ", ".join(f"`{name}`" for name in names_of(stub))
            yield f"**`{room_of(stub)}`** shows: {names}.\n"


def leaving(names: Mapping[str, object]) -> Iterator[str]:
    """Yield a row for each name that `typing_extensions.deprecated` marks.

    It says what takes its place and in which version it goes, at least one minor version after
    the one that begins to warn.
    """
    for name, value in names.items():
        if (said := getattr(value, "__deprecated__", None)) is not None:
            match = re.fullmatch(r"(use .+); goes in (\d+\.\d+)", said)
            assert match, f"{name} says {said!r}; say 'use NEW; goes in 0.3'"
            yield f"| `{name}` | {match[1]} | {match[2]} |"


def _leaving() -> Iterator[str]:
    found = {}
    for stub in STUBS:
        room = importlib.import_module(room_of(stub))
        found |= {f"{room.__name__}.{name}": getattr(room, name) for name in names_of(stub)}
    rows = list(leaving(found))
    yield "## Deprecated\n"
    if rows:
        yield "\n".join(("| name | instead | goes in |", "|---|---|---|", *rows, ""))
    else:
        yield "None. A name that goes warns for one minor version first, and stands here.\n"


def _rooms() -> Iterator[str]:
    for stub in STUBS:
        room = importlib.import_module(room_of(stub))
        names = {name: module for name, module in names_of(stub).items() if module is not None}
        if not names or room_of(stub) in FRONTS:
            continue
        yield f"## {room.__name__}\n\n{(inspect.getdoc(room) or '').splitlines()[0]}\n"
        yield "| name | |\n|---|---|"
        for name, module in sorted(names.items()):
            line = about(getattr(room, name), name, f"{room.__name__}.{module}")
            yield f"| `{name}` | {line} |"
        yield ""


def grammar() -> str:
    """Return the page of names, with a row for each measure there is."""
    head, _ = GRAMMAR.read_text("utf-8").split("| `AP` |")
    rows = (
        f"| `{name}` | `{_example(name, definition)}` | {definition.about} |\n"
        for name, definition in MEASURES.items()
    )
    return head + "".join(rows)


def _example(name: str, definition: Definition) -> str:
    if any(
        option.default is None and not option.is_optional for option in definition.options.values()
    ):
        return f"{name}(words=30)"
    return f"{name}@10" if definition.needs_cutoff or definition.cutoffs == ("rank",) else name


if __name__ == "__main__":
    from tests import claims

    claims.PAGE.write_text(claims.page(), "utf-8")
    PAGE.write_text(page(), "utf-8")
    GRAMMAR.write_text(grammar(), "utf-8")
