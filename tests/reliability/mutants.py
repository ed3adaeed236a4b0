"""Plant faults in the sources, one at a time, and see whether the fast tests notice.

    python -m tests.reliability.mutants [--faults 60] [--seed 1] [--folders analytic ...]

A fault swaps an operator, turns a condition round or changes a constant, drawn at random from all
such places of the folders, each place alike. The tests that are run are those that mirror the room,
and those that import from it; a fault that they miss is printed with its place. The copy of the
checkout is spoiled, never the checkout. Survivors are for people to judge, since some faults change
nothing.
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
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (
    "analytic",
    "simulator/sampling",
    "experiments/crosscheck",
    "experiments/statistics",
    "experiments/fitting",
    "experiments/sweeps",
)
PATIENCE = 900
SWAPPED: dict[type[ast.AST], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
}


class Fault(NamedTuple):
    """A place in a source (in bytes of its line), what stands there, and what replaces it."""

    file: str
    line: int
    start: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.old} to {self.new}"


def faults_of(path: Path) -> Iterator[Fault]:
    """Yield all faults that a source can have."""
    text = path.read_text("utf-8")
    lines = [line.encode() for line in text.splitlines()]
    tree = ast.parse(text)
    name = str(path.relative_to(ROOT))
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                yield from _between(name, lines, left, right, operator)
            case ast.BinOp(left=left, op=operator, right=right):
                yield from _between(name, lines, left, right, operator)
            case ast.BoolOp(op=operator, values=[left, right, *_]):
                yield from _between(name, lines, left, right, operator)
            case ast.Constant(value=int() | float() as value, lineno=line, col_offset=start):
                end = node.end_col_offset
                if not isinstance(value, bool) and line == node.end_lineno and end is not None:
                    yield Fault(
                        name, line, start, lines[line - 1][start:end].decode(), f"{value + 1}"
                    )


def _between(
    name: str, lines: list[bytes], left: ast.expr, right: ast.expr, operator: ast.AST
) -> Iterator[Fault]:
    """Yield the fault of an operator that stands between two expressions of the same line."""
    if type(operator) not in SWAPPED or left.end_lineno != right.lineno:
        return
    old, new = SWAPPED[type(operator)]
    start, end = left.end_col_offset, right.col_offset
    assert start is not None
    gap = lines[right.lineno - 1][start:end].decode()
    if (place := re.search(rf"(?<![\w*/<>=!]){re.escape(old)}(?![\w*/<>=])", gap)) is not None:
        yield Fault(name, right.lineno, start + place.start(), old, new)


def tests_of(file: str) -> list[str]:
    """Return the tests that mirror a source's room, and those that import from it."""
    room = Path(file).parent
    dotted = "prum." + ".".join(room.parts)
    found = {
        str(path.relative_to(ROOT)) for path in (ROOT / "tests/unit" / room).rglob("test_*.py")
    }
    for folder in ("unit", "property", "agreement", "golden", "twins"):
        for path in (ROOT / "tests" / folder).rglob("test_*.py"):
            if re.search(rf"\b{re.escape(dotted)}\b", path.read_text("utf-8")):
                found.add(str(path.relative_to(ROOT)))
    return sorted(found)


def copied(place: Path) -> Path:
    """Copy the checkout, and lay out beside it what `import prum` finds there."""
    copy, site = place / "copy", place / "site" / "prum"
    skipped = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__")
    shutil.copytree(ROOT, copy, ignore=skipped)
    site.mkdir(parents=True)
    for path in [
        *(copy / "api").iterdir(),
        *map(copy.joinpath, ("analytic", "experiments", "simulator")),
    ]:
        (site / path.name).symlink_to(path)
    return copy


def noticed(fault: Fault, copy: Path) -> str | None:
    """Return the test that notices a fault in the copy, or None if none does.

    Raises
    ------
    RuntimeError
        if that test fails without the fault as well, or there are no tests.
    """
    path = copy / fault.file
    sound = path.read_bytes()
    lines = sound.splitlines(keepends=True)
    line, start, end = lines[fault.line - 1], fault.start, fault.start + len(fault.old.encode())
    lines[fault.line - 1] = line[:start] + fault.new.encode() + line[end:]
    path.write_bytes(b"".join(lines))
    try:
        status, out = tested(tests_of(fault.file), copy)
    finally:
        path.write_bytes(sound)
    if status == 0:
        return None
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", out, re.MULTILINE)
    if failed is None:
        return "all: nothing can be collected" if status in (2, 4) else f"exit status {status}"
    if tested([failed[1]], copy)[0] == 1:
        raise RuntimeError(f"{failed[1]} fails without a fault, too")
    return failed[1]


def tested(tests: list[str], copy: Path) -> tuple[int, str]:
    """Run fast tests in the copy until one fails; return pytest's status and output."""
    environment = dict(
        os.environ,
        PYTHONPATH=str(copy.parent / "site"),
        PYTHONDONTWRITEBYTECODE="1",
    )
    words = ("-m", "pytest", "-x", "-q", "-m", "not slow", "-p", "no:cacheprovider")
    try:
        run = subprocess.run(
            [sys.executable, *words, *tests],
            cwd=copy,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return 124, ""
    return run.returncode, run.stdout


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Plant faults and see whether tests notice.")
    parser.add_argument("--faults", type=int, default=60, help="how many (60)")
    parser.add_argument("--seed", type=int, default=1, help="of their places (1)")
    parser.add_argument("--folders", nargs="+", default=FOLDERS, help="where")
    options = parser.parse_args()
    sources = [path for folder in options.folders for path in sorted((ROOT / folder).rglob("*.py"))]
    places = [fault for path in sources for fault in faults_of(path)]
    drawn = random.Random(options.seed).sample(places, min(options.faults, len(places)))
    caught = 0
    with tempfile.TemporaryDirectory(prefix="prum-") as place:
        copy = copied(Path(place))
        for number, fault in enumerate(drawn, 1):
            test = noticed(fault, copy)
            caught += test is not None
            print(f"{number}: {fault}: {test or 'SURVIVES'}", flush=True)
    print(f"{caught} of {len(drawn)} faults caught, of {len(places):,} places")


if __name__ == "__main__":
    main()
