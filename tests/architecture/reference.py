"""Texts that are made: public names and claims. `python -m tests.architecture.reference`.

The page of public names is made of the rooms, docs/claims.md of docs/claims.toml. What a name is
stands in its docstring; the site adds it to the page.
"""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

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

Each public name is documented in one module. `help(name)` has its law, shapes, units, range, errors
and an example.
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


def brief(text: str) -> str:
    """Return what a line says first, without where a paper says it.

    >>> brief("Return p of the sign test (Dixon 1946): the binomial law. More follows.")
    'p of the sign test'
    """
    text = _PAPER.sub("", text.removeprefix("Return "))
    return _FURTHER.split(text)[0].removesuffix(".")


def page(*, described: bool = False) -> str:
    """Return the page, with what each name is if it is to be `described`."""
    return "\n".join([_HEAD, *_fronts(described), *_rooms(described)]) + "\n"


def _fronts(described: bool) -> Iterator[str]:
    # The other fronts show names of the rooms below them.
    for stub in STUBS:
        if room_of(stub) == "prum" or (described and room_of(stub) in FRONTS):
            names = ", ".join(f"`{name}`" for name in names_of(stub))
            yield f"**`{room_of(stub)}`** shows: {names}.\n"


def _rooms(described: bool) -> Iterator[str]:
    for stub in STUBS:
        room = importlib.import_module(room_of(stub))
        names = {name: module for name, module in names_of(stub).items() if module is not None}
        if not names or room_of(stub) in FRONTS:
            continue
        yield f"## {room.__name__}\n\n{(inspect.getdoc(room) or '').splitlines()[0]}\n"
        if described:
            for name, module in sorted(names.items()):
                line = about(getattr(room, name), name, f"{room.__name__}.{module}")
                yield f"- `{name}`: {brief(line)}"
        else:
            yield ", ".join(f"`{name}`" for name in sorted(names))
        yield ""


if __name__ == "__main__":
    from tests import claims

    claims.PAGE.write_text(claims.page(), "utf-8")
    PAGE.write_text(page(), "utf-8")
