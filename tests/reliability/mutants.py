"""Plant faults in the sources, one at a time, and see whether the fast tests notice.

    python -m tests.reliability.mutants [--faults 60] [--seed 1] [--folders analytic ...]

A fault swaps an operator, turns a condition round or changes a constant, drawn at random from all
such places of the folders, each place alike. The tests that are run are those that mirror the room,
and those that import from it; a fault that they miss is printed with its place. A copy of the
checkout is spoiled. Survivors are for people to judge, since some faults change nothing.
"""

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (
    *("analytic", "simulator/sampling"),
    *(f"experiments/{room}" for room in ("crosscheck", "statistics", "fitting", "sweeps")),
)
PATIENCE = 900
_PAIRS: tuple[tuple[type[ast.AST], type[ast.AST]], ...] = (
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot)),
    *((ast.In, ast.NotIn), (ast.Add, ast.Sub), (ast.Mult, ast.Div), (ast.And, ast.Or)),
)
SWAPPED = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}


def places(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield what can be changed by a fault, always in the same order."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(ops=[operator]) | ast.BinOp(op=operator) | ast.BoolOp(op=operator):
                if type(operator) in SWAPPED:
                    yield node
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                yield node


def faulty(text: str, number: int) -> tuple[str, str]:
    """Return a source with the fault of this number, and what it is.

    >>> faulty("x = 1 + y", 0)
    ('x = 1 - y', 'line 1: 1 + y to 1 - y')
    """
    tree = ast.parse(text)
    node = [*places(tree)][number]
    sound = ast.unparse(node)
    match node:
        case ast.Compare(ops=[operator]):
            node.ops = [SWAPPED[type(operator)]()]  # type: ignore[list-item]
        case ast.BinOp(op=operator) | ast.BoolOp(op=operator):
            node.op = SWAPPED[type(operator)]()  # type: ignore[assignment]
        case ast.Constant(value=int() | float() as value):
            node.value = value + 1
    line: int = node.lineno  # type: ignore[attr-defined]
    return ast.unparse(tree), f"line {line}: {sound} to {ast.unparse(node)}"


def tests_of(file: str) -> list[str]:
    """Return the tests that mirror a source's room, and those that import from it."""
    room = Path(file).parent
    dotted = re.escape("prum." + ".".join(room.parts))
    folders = ("unit", "property", "agreement", "golden")
    every = chain.from_iterable((ROOT / "tests" / x).rglob("test_*.py") for x in folders)
    importing = {path for path in every if re.search(rf"\b{dotted}\b", path.read_text("utf-8"))}
    mirroring = (ROOT / "tests" / "unit" / room).rglob("test_*.py")
    return sorted(str(path.relative_to(ROOT)) for path in importing.union(mirroring))


def copied(place: Path) -> Path:
    """Copy the checkout, and lay out beside it what `import prum` finds there."""
    copy, site = place / "copy", place / "site" / "prum"
    skipped = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__")
    shutil.copytree(ROOT, copy, ignore=skipped)
    site.mkdir(parents=True)
    rooms = map(copy.joinpath, ("analytic", "experiments", "simulator"))
    for path in (*(copy / "api").iterdir(), *rooms):
        (site / path.name).symlink_to(path)
    return copy


def noticed(tests: list[str], copy: Path) -> str:
    """Run fast tests in the copy until one fails; return which, "" if none does."""
    environment = {**os.environ, "PYTHONPATH": str(copy.parent / "site")}
    words = ("-m", "pytest", "-x", "-q", "-m", "not slow", "-p", "no:cacheprovider")
    command = [sys.executable, "-B", *words, *tests]
    try:
        run = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, text=True, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        return "all: they do not come to an end"
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", run.stdout, re.MULTILINE)
    return "" if run.returncode == 0 else failed[1] if failed else f"status {run.returncode}"


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Plant faults and see whether tests notice.")
    parser.add_argument("--faults", type=int, default=60, help="how many (60)")
    parser.add_argument("--seed", type=int, default=1, help="of their places (1)")
    parser.add_argument("--folders", nargs="+", default=FOLDERS, help="where")
    options = parser.parse_args()
    sources = [path for folder in options.folders for path in sorted((ROOT / folder).rglob("*.py"))]
    every = [
        (path.relative_to(ROOT), number)
        for path in sources
        for number, _ in enumerate(places(ast.parse(path.read_text("utf-8"))))
    ]
    drawn = random.Random(options.seed).sample(every, min(options.faults, len(every)))
    caught = 0
    with tempfile.TemporaryDirectory(prefix="prum-") as place:
        copy = copied(Path(place))
        for file, number in drawn:
            sound = (copy / file).read_text("utf-8")
            spoiled, fault = faulty(sound, number)
            (copy / file).write_text(spoiled, "utf-8")
            test = noticed(tests_of(str(file)), copy)
            (copy / file).write_text(sound, "utf-8")
            caught += bool(test)
            print(f"{file}, {fault}: {test or 'SURVIVES'}", flush=True)
    print(f"{caught} of {len(drawn)} faults caught, of {len(every):,} places")


if __name__ == "__main__":
    main()
