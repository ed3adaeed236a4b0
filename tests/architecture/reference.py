"""The page of public names, made of the rooms. `python -m tests.architecture.reference`.

What a name is stands in its docstring; the site adds it to the page.
"""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import click

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
MEASURES_PAGE = ROOT / "docs" / "reference" / "measures.md"
# References to papers, and what begins what goes into details.
_PAPER = re.compile(r" \([^()]*(?:equation|section|appendix|figure|table|\d{4})[^()]*\)")
_FURTHER = re.compile(r"(?<=[\w)`])(?:\.\s|; |: )")
_HEAD = """\
# Public names

`dir(prum)` and `dir(prum.analytic)` list the names of a room, and `help(name)` has law, shapes,
units, range, errors and an example. Each name has one room; `make docs` makes a page of each.
"""
_UNLISTED = """\
`prum.precision(task, browsing, by="prum" | "exact" | "simulated")` is the way to a value, and
`prum.simulate` to more: users until an interval is narrow, who go on and add up. `prum.prum` and
`prum.exact`, of arrays, are those of `prum.analytic`; `dir(prum)` does not list them, nor the
names of `prum.simulator`, which import from `prum` as well. `prum.spans.evaluate` scores chunks as
retrievers return them against gold spans ([in Python](../howto/chunks.md)).
"""


def room_of(stub: Path) -> str:
    """Return the name of the room a stub describes."""
    top, *rest = stub.relative_to(ROOT).parent.parts
    return ".".join([FOLDERS[top], *rest])


def names_of(stub: Path) -> dict[str, str | None]:
    """Return the names of a stub, each with the module it is in, or None if it is a room."""
    names = dict[str, str | None]()
    for node in ast.parse(stub.read_text()).body:
        if not isinstance(node, ast.ImportFrom):
            continue
        if node.names[0].name == "*":
            shown = names_of(stub.parent / str(node.module) / stub.name)
            names |= {name: f"{node.module}.{module}" for name, module in shown.items()}
        else:
            names |= {alias.name: node.module for alias in node.names}
    return names


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


def brief(text: str) -> str:
    """Return what a line says first, without where a paper says it.

    >>> brief("Return p of the sign test (Dixon 1946): the binomial law. More follows.")
    'p of the sign test'
    """
    text = _PAPER.sub("", text.removeprefix("Return "))
    return _FURTHER.split(text)[0].removesuffix(".")


def page(*, described: bool = False) -> str:
    """Return the page, with what each name is if it is to be `described`."""
    return "\n".join([_HEAD, _UNLISTED, *_leaving(), *_rooms(described)]) + "\n"


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
    found = {
        f"{room}.{name}": getattr(importlib.import_module(room), name)
        for room, names in rooms().items()
        for name, _ in names
    }
    rows = list(leaving(found))
    yield "## Deprecated\n"
    if rows:
        yield "\n".join(("| name | instead | goes in |", "|---|---|---|", *rows, ""))
    else:
        yield "None. A name that goes warns for one minor version first, and stands here.\n"


def _rooms(described: bool) -> Iterator[str]:
    if not described:
        yield f"## Rooms\n\n{', '.join(f'`{name}`' for name in rooms())}"
        return
    for name, names in rooms().items():
        room = importlib.import_module(name)
        what = (inspect.getdoc(room) or "").splitlines()[0]
        yield f"## {name}\n\n{what}\n"
        for member, module in names:
            line = about(getattr(room, member), member, f"{name}.{module}")
            yield f"- `{member}`: {brief(line)}"
        yield ""


def leaves(context: click.Context) -> Iterator[click.Context]:
    """Yield a context for each command that does something."""
    group = context.command
    if not isinstance(group, click.Group):
        yield context
        return
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield from leaves(click.Context(command, info_name=name, parent=context))


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
