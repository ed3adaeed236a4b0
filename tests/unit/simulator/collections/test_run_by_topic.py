"""Runs that are read topic by topic score as those that are read whole, in less memory."""

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import prum
from prum.simulator.collections import trec
from prum.simulator.collections.trec import RunByTopic, ScatteredError, read_run
from prum.simulator.model import InputError
from prum.simulator.tables import files
from prum.simulator.tables.files import looked_at
from tests.table_forms import written

QRELS = {f"q{n}": {"d1": 1, "d2": n % 3, "d9": 1} for n in (2, 3, 4, 5, 90)}
MEASURES = "AP, P@2, nDCG@3"
LINES = [f"q{n} Q0 d{x} 0 {(x * n) % 7} s\n" for n in range(9) for x in range(n + 1)]


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trec, "_LINES_AT_ONCE", 4)
    monkeypatch.setattr(files, "_CHUNK_SIZE", 64)
    monkeypatch.setattr(files, "_BLOCK_SIZE", 1)


@pytest.mark.parametrize("order", ["sorted", "blocks", "scattered"])
def test_scores_and_warnings_are_those_of_the_whole(order: str, tmp_path: Path) -> None:
    lines = {
        "sorted": LINES,
        "blocks": sorted(LINES, key=lambda line: line.split()[0][::-1], reverse=True),
        "scattered": random.Random(1).sample(LINES, len(LINES)),
    }[order]
    path = written(tmp_path, "a.run", "".join(lines))
    with looked_at(path) as file:
        if order == "scattered":
            with pytest.raises(ScatteredError):
                list(RunByTopic(file))
        else:
            pieces = list(RunByTopic(file))
            assert len(pieces) > 3
            assert {q: ranked for piece in pieces for q, ranked in piece.items()} == read_run(path)
    result = prum.evaluate(path, QRELS, measures=MEASURES)
    whole: Any = prum.evaluate({"a.run": read_run(path)}, QRELS, measures=MEASURES)
    assert result.to_frame().equals(whole.to_frame())
    missing = {name for row in (result.lists[0], whole.lists[0]) for name in row.missing_topics}
    assert missing == {"q90"}
    assert result.lists == whole.lists


def test_what_is_wrong_is_told_as_of_the_whole(tmp_path: Path) -> None:
    path = written(tmp_path, "a.run", "".join(LINES) + "q9 Q0 d1 0 x s\n")
    with pytest.raises(InputError, match=rf"a\.run, line {len(LINES) + 1}: score is 'x'"):
        prum.evaluate(path, QRELS, measures=MEASURES)
    for mixed in (LINES[::-1], LINES[::2] + LINES[1::2]):
        path = written(tmp_path, "b.run", "".join(mixed).replace("q", "t"))
        with pytest.raises(InputError, match=r"topics of a run is .*must be among those judged"):
            prum.evaluate(path, QRELS, measures=MEASURES)


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    code = (
        "import prum, re, sys\n"
        "prum.evaluate(sys.argv[1], {'q0': {'d1': 1}}, measures='AP, P@5')\n"
        "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
    )
    peaks = []
    for topics in (50, 1_000):
        rows = (f"q{q} Q0 d{d} 0 {1000 - d} s\n" for q in range(topics) for d in range(1000))
        path = written(tmp_path, "a.run", "".join(rows))
        done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, check=True)
        peaks.append(int(done.stdout))
    assert peaks[1] < peaks[0] + 20_000
