"""Logs say the same in every format and in pieces of any size."""

import gzip
import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prum.experiments.logs import Sessions, read_sessions
from prum.experiments.logs.sessions import led_to
from prum.simulator.tables import files
from tests.table_forms import read_few_rows
from tests.tiers import examples
from tests.unit.experiments.logs.test_session_files import plain

FORMATS = ("csv", "tsv", "csv quoted", "jsonl", "parquet", "csv.gz")
NAMES = st.sampled_from(
    ["a", "b", "page 3", "ü", "NA", "1", "nan", "-", 'say "x"', "a,b", "tab\tb"]
)


@st.composite
def logs(draw: st.DrawFn) -> list[tuple[list[str], str]]:
    """Return sessions of one path each, with their persons; one at least has two visits."""
    some = []
    for _ in range(draw(st.integers(1, 6))):
        path, depth = [draw(NAMES)], 1
        for click in draw(st.lists(NAMES | st.just("<"), max_size=6)):
            if click != "<" or depth > 1:
                path.append(click)
                depth += -1 if click == "<" else 1
        some.append((path, draw(st.sampled_from(["", "ann", "bob"]))))
    return [*some, (["a", "b", "<"], "eve")]


def written(log: Any, way: str, *, calendar: bool, seed: int) -> bytes:
    """Return a log as a file of a format, its columns in any order and under any name."""
    rng = np.random.default_rng(seed)
    rows = [
        {
            "session_id": f"s{number}",
            "timestamp": f"2024-05-31T10:00:{k:02}.5Z" if calendar else float(k),
            "page": name,
            "user": person,
            "note": 'what, "ever"' if way == "csv quoted" else 7,
        }
        for number, (path, person) in enumerate(log)
        for k, name in enumerate(path)
    ]
    frame = pd.DataFrame(rows)
    frame = frame[list(rng.permutation(frame.columns))]
    if way == "jsonl":
        return frame.to_json(orient="records", lines=True, force_ascii=False).encode()
    if way == "parquet":
        file = io.BytesIO()
        frame.to_parquet(file)
        return file.getvalue()
    end = "\r\n" if seed % 2 else "\n"
    text = frame.to_csv(index=False, sep="\t" if way == "tsv" else ",", lineterminator=end).encode()
    return gzip.compress(text) if way.endswith("gz") else text


@given(logs(), st.sampled_from(FORMATS), st.booleans(), st.integers(0, 99), st.integers(1, 9))
@settings(
    max_examples=examples(30),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_all_formats_say_the_same(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    log: Any,
    way: str,
    calendar: bool,
    seed: int,
    size: int,
) -> None:
    wanted = plain(Sessions.of([path for path, _ in log], persons=[who or None for _, who in log]))
    path = tmp_path / f"log.{way.split()[0]}"
    path.write_bytes(written(log, way, calendar=calendar, seed=seed))
    read_few_rows(monkeypatch, size)
    monkeypatch.setattr(files, "_BLOCK_SIZE", 1)
    monkeypatch.setattr(files, "_CHUNK_SIZE", 5 * size)
    assert plain(read_sessions(path)) == wanted
    frame = pd.DataFrame(
        [(number, name) for number, (path, _) in enumerate(log) for name in path],
        columns=["session", "element"],
    )
    unnamed = [(*rest, None, cut) for *rest, _, cut in wanted]
    assert plain(read_sessions(frame)) == unnamed


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("eb mmm")), min_size=1))
@settings(deadline=None)
def test_a_trail_is_kept(clicks: list[tuple[int, str]]) -> None:
    """Back clicks lead where a stack says; what has nothing behind it is an entry here."""
    trail, stack, is_entry, is_back = list[int](), list[int](), list[bool](), list[bool]()
    for element, kind in clicks:
        is_back.append(kind == "b" and len(stack) > 1)
        is_entry.append(not stack or kind == "e" or (kind == "b" and not is_back[-1]))
        stack = stack[:-1] if is_back[-1] else [*stack * (not is_entry[-1]), element]
        trail.append(stack[-1])
    elements = np.array([element for element, _ in clicks])
    assert led_to(elements, np.array(is_entry), np.array(is_back)).tolist() == trail
