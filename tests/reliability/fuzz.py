"""Spoil valid files at random and read them: a valid result, or one line that says what is wrong.

    python -m tests.reliability.fuzz [--inputs 10000] [--seed 1]

A table with a line for each kind: how many spoiled files were read, refused in one line, and
neither, that is by a fault. The bytes of these are kept in the folder, and exit status is 1.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from prum.experiments.logs import read_sessions, read_trajectories
from prum.simulator.collections.fitted_files import (
    FORMAT,
    checksum,
    navigation_content,
    read_navigation,
)
from prum.simulator.collections.links import read_elements
from prum.simulator.model import InputError, Walk
from tests.property import test_readers_garbage as lists
from tests.property import test_spans_garbage as spans
from tests.unit.experiments.logs.test_trajectories import EACH

JUNK = (
    b'"',
    b",",
    b"\n",
    b"\r",
    b"\t",
    b"\0",
    b"\xff",
    b"nan",
    b"1e999",
    b"-",
    b"{",
    b"]",
    b"<",
    b"&x;",
)

LOG = (
    b"session,time,element,person\n1,0,a,ann\n1,2.5,\xc3\xa9,ann\n1,3,back,ann\n"
    b"2,0,a,bob\n2,1,c,bob\n"
)
MOVES = Walk({("a", "b"): 0.5, ("a", "c"): 0.25, ("b", "a"): 0.125})
FITTED = {
    "format": FORMAT,
    "prum": "0.1.0",
    "fitted": "walk",
    "navigation": navigation_content(MOVES),
}
TREE = b"element,parent,length,start\nd,,90,0\na,d,40,0\n\xc3\xa9,d,30,40\nb,a,10,5\n"
OTHERS: dict[str, tuple[bytes, Callable[[Path], object]]] = {
    "log.csv": (LOG, lambda path: list(read_sessions(path))),
    "elements.csv": (TREE, read_elements),
    "fitted.json": (
        json.dumps({**FITTED, "checksum": checksum(FITTED)}).encode(),
        read_navigation,
    ),
    **{
        name: (text.encode(), lambda path: list(read_trajectories(path)))
        for name, text in EACH.items()
    },
}


def readers() -> dict[str, tuple[bytes, Callable[[bytes], object]]]:
    """Return a valid file of each kind, and what reads it and checks the result."""
    found: dict[str, tuple[bytes, Callable[[bytes], object]]] = {
        f"{name.removeprefix('a.')}": (content, partial(lists.checked, name))
        for name, content in lists.VALID.items()
    }
    for name, (_, content) in spans.VALID.items():
        found[name] = (content.encode(), partial(_spans, name))
    for name, (content, reader) in OTHERS.items():
        found[name] = (content, partial(_other, name, reader))
    return found


def _other(name: str, reader: Callable[[Path], object], content: bytes) -> object:
    """Read a file whose reader has no garbage test of its own here."""
    with tempfile.TemporaryDirectory(prefix="prum-") as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        try:
            return reader(path)
        except InputError as error:
            message = str(error)
            if len(message.splitlines()) != 1 or not message.startswith(str(path)):
                raise RuntimeError(f"not one line that names the file: {message}") from error
            return None


def _spans(name: str, content: bytes) -> object:
    return spans.checked(name, content, spans.TEXTS)


def spoiled(content: bytes, rng: np.random.Generator) -> bytes:
    """Return bytes of which some were replaced, left out, doubled, or cut off."""
    changed = bytearray(content)
    for _ in range(rng.integers(1, 3)):
        start = int(rng.integers(len(changed) + 1))
        end = min(len(changed), start + int(rng.integers(0, 8)))
        match int(rng.integers(5)):
            case 0:
                changed[start:end] = rng.bytes(end - start)
            case 1:
                changed[start:end] = JUNK[int(rng.integers(len(JUNK)))]
            case 2:
                del changed[start:end]
            case 3:
                changed[start:start] = changed[start:end]
            case _:
                del changed[start:]
    return bytes(changed)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Spoil valid files and read them.")
    parser.add_argument("--inputs", type=int, default=10_000, help="of each kind (10000)")
    parser.add_argument("--seed", type=int, default=1, help="of what is spoiled (1)")
    options = parser.parse_args()
    faults = 0
    print(f"{'kind':<20} {'inputs':>8} {'read':>8} {'refused':>8} {'neither':>8}")
    for number, (name, (content, read)) in enumerate(readers().items()):
        rng = np.random.default_rng([options.seed, number])
        counts = Counter[str]()
        for _ in range(options.inputs):
            file = spoiled(content, rng)
            try:
                counts["refused" if read(file) is None else "read"] += 1
            except Exception as error:
                counts["neither"] += 1
                kept = Path(f"neither-{name}-{counts['neither']}".replace(" ", "-"))
                kept.write_bytes(file)
                print(f"{name}: {type(error).__name__}: {error}: see {kept}", file=sys.stderr)
        faults += counts["neither"]
        shown = " ".join(f"{counts[what]:>8,}" for what in ("read", "refused", "neither"))
        print(f"{name:<20} {options.inputs:>8,} {shown}", flush=True)
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
