"""Texts that are made: public names and measures. `python -m tests.architecture.reference`.

The page of public names is made of the rooms; the lines on measures in docs/reference/grammar.md
are made of the catalogue, docs/claims.md of docs/claims.toml.
"""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
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

Each name stands once, under the shortest path to import it by: `from prum import crosscheck`.
`help(name)` has law, shapes, units, range, errors and an example.
"""
_UNLISTED = """\
`prum.precision(task, browsing, by="prum" | "exact" | "simulated")` is the way to a value.
`prum.prum` and `prum.exact` import as well: they are those of `prum.analytic`, of arrays, and
`dir(prum)` does not list them.
`prum.simulate` stays for more: users until an interval is narrow, who go on and add up.
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
    return "\n".join([_HEAD, _UNLISTED, *_rooms()]) + "\n"


@cache
def homes() -> dict[str, str]:
    """Return where each public name is imported from: a front that shows it, else its room."""
    stubs = sorted(STUBS, key=lambda stub: (room_of(stub) in FRONTS, room_of(stub) == "prum"))
    return {
        name: room_of(stub)
        for stub in stubs
        for name, module in names_of(stub).items()
        if module is not None
    }


def rooms() -> dict[str, list[tuple[str, str]]]:
    """Return the names that are imported from each room, with their modules; `prum` first."""
    known, found = homes(), dict[str, list[tuple[str, str]]]()
    for stub in sorted(STUBS, key=lambda stub: (room_of(stub) != "prum", room_of(stub))):
        room = room_of(stub)
        names = sorted((n, m) for n, m in names_of(stub).items() if m and known[n] == room)
        if names:
            found[room] = names
    return found


def _rooms() -> Iterator[str]:
    for name, names in rooms().items():
        room = importlib.import_module(name)
        yield f"## {name}\n\n{(inspect.getdoc(room) or '').splitlines()[0]}\n"
        yield "| name | |\n|---|---|"
        for member, module in names:
            yield f"| `{member}` | {about(getattr(room, member), member, f'{name}.{module}')} |"
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
