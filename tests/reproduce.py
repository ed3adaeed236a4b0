"""Compute the numbers of the documents again, step by step, and say where each came out.

    python -m tests.reproduce [--minutes M] [--data FOLDER] [--out FOLDER] [STEP ...]

The steps are those of docs/reproduce.toml; M leaves out those that take longer, and a step whose
data is missing is left out with a line. A step that is done is not done again, so that what was
cut off goes on; one whose command has changed is. FOLDER gets what the steps print and write, and
reproduced.csv, a line for each file: step, page, file, seconds, SHA-256, and whether it is the file
of docs/reproduced.csv. Exit status 1 if a step fails.
"""

import argparse
import csv
import hashlib
import json
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STEPS, KEPT = ROOT / "docs" / "reproduce.toml", ROOT / "docs" / "reproduced.csv"
COLUMNS = ("step", "page", "file", "seconds", "sha256")


@dataclass(frozen=True)
class Step:
    """A set of numbers: where it is printed, the command for a shell, minutes, and its files."""

    name: str
    page: str
    what: str
    run: str
    minutes: float
    files: tuple[str, ...] = ()
    data: str = ""
    varies: bool = False

    @property
    def outputs(self) -> tuple[str, ...]:
        """What it prints, and its files."""
        return (f"{self.name}.txt", *self.files)


def steps(text: str | None = None) -> list[Step]:
    """Return the steps of docs/reproduce.toml, or of a text like it."""
    tables = tomllib.loads(STEPS.read_text("utf-8") if text is None else text)
    return [
        Step(name=name, **{**table, "files": tuple(table.get("files", ()))})
        for name, table in tables.items()
    ]


def sums(step: Step, folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each of a step's files."""
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in step.outputs}


def is_done(step: Step, folder: Path) -> bool:
    """Return whether a step was done by the same command, and its files are as it left them."""
    try:
        record = json.loads((folder / "done" / f"{step.name}.json").read_text("utf-8"))
        return bool(record["run"] == step.run and record["files"] == sums(step, folder))
    except FileNotFoundError:
        return False


def do(step: Step, folder: Path, data: Path) -> bool:
    """Run a step and keep a record of it, written last; return whether it succeeded."""
    command = step.run.replace("{root}", str(ROOT)).replace("{data}", str(data))
    paths = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    began = time.monotonic()
    texts = (folder / f"{step.name}.{end}" for end in ("txt", "log"))
    with next(texts).open("wb") as printed, next(texts).open("wb") as progress:
        done = subprocess.run(
            ["bash", "-ec", command],
            cwd=folder,
            env={**os.environ, "PATH": paths},
            stdout=printed,
            stderr=progress,
            check=False,
        )
    if done.returncode or not all((folder / name).exists() for name in step.outputs):
        return False
    record = {"run": step.run, "seconds": time.monotonic() - began, "files": sums(step, folder)}
    (folder / "done").mkdir(exist_ok=True)
    (folder / "done" / f"{step.name}.json").write_text(json.dumps(record), "utf-8")
    return True


def rows(known: Iterable[Step], folder: Path) -> list[dict[str, str]]:
    """Return a row for each file of the steps that are done."""
    found = []
    for step in known:
        if is_done(step, folder):
            record = json.loads((folder / "done" / f"{step.name}.json").read_text("utf-8"))
            values = (step.name, step.page), f"{record['seconds']:.1f}"
            found += [
                dict(zip(COLUMNS, (*values[0], name, values[1], digest), strict=True))
                for name, digest in record["files"].items()
            ]
    return found


def write(table: Iterable[Mapping[str, str]], path: Path) -> None:
    """Write rows as CSV."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)


def kept() -> dict[tuple[str, str], str]:
    """Return the SHA-256 of each step and file that is kept in docs/reproduced.csv."""
    if not KEPT.exists():
        return {}
    with KEPT.open(encoding="utf-8", newline="") as stream:
        return {(row["step"], row["file"]): row["sha256"] for row in csv.DictReader(stream)}


def compared(step: Step, table: Iterable[Mapping[str, str]]) -> str:
    """Return whether the files of a step are those that are kept."""
    before = kept()
    found = {(row["step"], row["file"]): row["sha256"] for row in table}
    own = [key for key in found if key[0] == step.name and key in before]
    if step.varies or not own:
        return "no bytes to compare"
    other = [name for name in own if found[name] != before[name]]
    return f"other bytes: {', '.join(name for _, name in other)}" if other else "the same bytes"


def main(words: list[str] | None = None) -> int:
    """Do the steps that are asked for; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", nargs="*")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "reproduced")
    options = parser.parse_args(words)
    known = steps()
    if wrong := set(options.step) - {step.name for step in known}:
        parser.error(f"no step {', '.join(sorted(wrong))}; docs/reproduce.toml has all")
    options.out.mkdir(parents=True, exist_ok=True)
    failed = False
    for step in known:
        if step.minutes > options.minutes or (options.step and step.name not in options.step):
            continue
        if step.data and not (options.data / step.data).exists():
            print(f"{step.name}: left out, {options.data / step.data} is missing", flush=True)
            continue
        was_done = is_done(step, options.out)
        if not was_done and not do(step, options.out, options.data.resolve()):
            failed = True
            print(f"{step.name}: failed, see {options.out / step.name}.log", flush=True)
            continue
        table = rows(known, options.out)
        write(table, options.out / "reproduced.csv")
        seconds = next(row["seconds"] for row in table if row["step"] == step.name)
        state = "was done" if was_done else "done"
        print(f"{step.name}: {state}, {seconds} s, {compared(step, table)}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
