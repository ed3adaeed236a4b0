"""Install prum in an environment of its own, use it there first and again, and print Markdown.

python tests/benchmarks/first_use.py [--rounds N]

Seconds of processor, user and system, all processes, of what people do first: at its first use and
again (median). pip may take packages from its cache. Nothing is written but to a temporary folder.
"""

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[2]
# What a shell has that worked on the tree itself.
NOT_PASSED = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX", "VIRTUAL_ENV")


def block(page: str, language: str, word: str) -> str:
    """Return the first block of a page that is in this language and has this word."""
    text = (ROOT / page).read_text("utf-8")
    blocks = re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    found: str = next(code for code in blocks if word in code)
    return found


def until(code: str, command: str) -> str:
    """Return the lines of a shell's script up to a command, which is its last."""
    lines = code.splitlines()
    last = next(number for number, line in enumerate(lines) if line.startswith(command))
    while lines[last].endswith("\\"):
        last += 1
    return "\n".join(lines[: last + 1])


def uses() -> dict[str, list[str]]:
    """Return what people do first: name -> command."""
    readme = block("README.md", "python", "crosscheck")
    spans = block("docs/howto/chunks.md", "python", "prum.spans.evaluate")
    trust = until(block("docs/howto/trust.md", "sh", "prum trust"), "prum trust")
    sweep = until(block("docs/howto/sweeps.md", "sh", "prum sweep"), "prum sweep")
    return {
        "`import prum`": ["python", "-c", "import prum"],
        "README's Python": ["python", "-c", readme],
        "chunks in five lines": ["python", "-c", spans],
        "`prum crosscheck --example web`": ["prum", "crosscheck", "--example", "web"],
        "`prum trust`, how-to": ["bash", "-ec", trust],
        "`prum sweep`, how-to": ["bash", "-ec", sweep],
    }


def seconds_of(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> float:
    """Return a processor's seconds that a command and its children take."""
    before = _used()
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return _used() - before


def _used() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def clone(target: Path) -> Path:
    """Copy the tree as it is, without what git leaves out."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


def main() -> None:
    """Install, use, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7, help="uses after the first")
    given = parser.parse_args()
    environment = {name: value for name, value in os.environ.items() if name not in NOT_PASSED}
    with TemporaryDirectory(prefix="prum-first-use-") as name:
        folder = Path(name)
        tree, made = clone(folder / "tree"), folder / "environment"
        subprocess.run([sys.executable, "-m", "venv", made], check=True, env=environment)
        there = {**environment, "PATH": f"{made / 'bin'}{os.pathsep}{environment['PATH']}"}
        install = ["pip", "install", "--quiet", "--disable-pip-version-check", "."]
        seconds_of(install, tree, there)
        print("| seconds of processor | first use | again |\n|---|---|---|")
        for what, command in uses().items():
            used_by = []
            for number in range(given.rounds + 1):
                place = folder / f"{what.strip('`').replace(' ', '-')}-{number}"
                place.mkdir()
                used_by.append(seconds_of(command, place, there))
            print(f"| {what} | {used_by[0]:.2f} | {median(used_by[1:]):.2f} |", flush=True)


if __name__ == "__main__":
    main()
