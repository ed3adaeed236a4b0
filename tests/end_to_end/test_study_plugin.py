"""A study of another package: in the help text, run with every output, and broken."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

MODULE = '''\
"""Toss coins.

Each side is as likely as the others.
"""

from types import SimpleNamespace

from prum.experiments.frame.design import Design, Seed, option
from prum.experiments.frame.frames import frame_table
from prum.experiments.studies.kit.story import Story
from prum.experiments.frame.study import Study


class Coins(Design):
    sides: tuple[int, ...] = option((2, 6), "Sides of a coin.", singular="side", least=1)
    seed: Seed = 1


def compute(design, progress):
    rows = [{"sides": sides, "share": 1 / sides} for sides in design.sides]
    return rows, SimpleNamespace(most=max(design.sides))


def view(result):
    table = frame_table("Shares", result.to_frame(), {"sides": "<", "share": ".3f"})
    values = {"most": result.found.most}
    return Story.of(__package__).view([table], values, notes=())


COINS = Study("coins", __doc__, Coins, compute, view)
'''
STORY = "# Coins\n\n## headline\n\nUp to {most} sides.\n\n## story\n\nSomebody tosses a coin.\n"


@pytest.fixture
def others(tmp_path: Path) -> Path:
    """A folder with a package that has a study, and one whose study is broken."""
    folder = tmp_path / "others"
    for name, entry in (("coins", "coins = coins:COINS"), ("broken", "broken = broken:STUDY")):
        package, about = folder / name, folder / f"{name}-1.0.dist-info"
        package.mkdir(parents=True)
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(f"[prum.studies]\n{entry}\n")
    (folder / "coins" / "__init__.py").write_text(MODULE)
    (folder / "coins" / "story.md").write_text(STORY)
    (folder / "broken" / "__init__.py").write_text('"""A broken study."""\n\nimport nothing_such\n')
    return folder


def run(*words: str, others: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    paths = filter(None, (str(others), os.environ.get("PYTHONPATH")))
    done = subprocess.run(
        [sys.executable, "-m", "prum.experiments.commands.main", "study", *words],
        cwd=others.parent,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )
    assert done.returncode == code, done.stderr
    return done


@pytest.mark.slow
def test_a_study_of_another_package_is_one_of_them(others: Path) -> None:
    pytest.importorskip("jinja2")
    listed = run("--help", others=others).stdout
    assert re.search(r"coins +Toss coins\.\n", listed)
    assert re.search(r"broken +A broken study\.\n", listed)
    told = " ".join(run("coins", "--help", others=others).stdout.split())
    assert "Sides of a coin; repeatable. [default: 2, 6]" in told
    files = ["--json", "o.json", "--csv", "o.csv", "--html", "o.html"]
    assert "Up to 4 sides." in run("coins", "--side", "4", *files, others=others).stdout
    content = json.loads((others.parent / "o.json").read_text())
    assert content["command"] == "prum study coins --side 4 --seed 1"
    assert (others.parent / "o.csv").read_text() == "sides,share\n4,0.25\n"
    assert ">Somebody tosses a coin.</p>" in (others.parent / "o.html").read_text()
    (line,) = run("coins", "--side", "0", others=others, code=2).stderr.splitlines()
    assert line.startswith("prum: side is 0, must be a whole number of at least 1")


def test_a_broken_study_says_so_and_breaks_no_other(others: Path) -> None:
    (line,) = run("broken", others=others, code=2).stderr.splitlines()
    assert line == (
        "prum: study broken is \"ModuleNotFoundError: No module named 'nothing_such'\", must load; "
        "repair or uninstall broken"
    )
