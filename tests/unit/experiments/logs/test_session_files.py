"""Sessions read from files and from what Python has."""

import gzip
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from prum.experiments.logs import Sessions, read_sessions, sessions_of

SESSIONS = [["a", "b", "<", "c", "d", "<", "<", "b"], ["b"], ["a", "b", "c"]]
ROWS = [
    {"session": f"s{number}", "time": float(time), "element": name, "note": 7}
    for number, session in enumerate(SESSIONS)
    for time, name in enumerate(session)
]


def plain(batches: Any) -> list[Any]:
    """Return what sessions say, without numbers for names."""
    return [
        (
            [batch.elements[k] for k in batch.element[begin:end]],
            batch.is_entry[begin:end].tolist(),
            batch.is_back[begin:end].tolist(),
            None if person < 0 else batch.persons[person],
            bool(cut),
        )
        for batch in batches
        for begin, end, person, cut in zip(
            batch.starts[:-1], batch.starts[1:], batch.person, batch.is_cut, strict=True
        )
    ]


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "csv.gz"])
def test_every_format_is_read(tmp_path: Path, ending: str) -> None:
    path, frame = tmp_path / f"log.{ending}", pd.DataFrame(ROWS)
    if ending == "parquet":
        frame.to_parquet(path)
    elif ending == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        text = frame.to_csv(index=False, sep="\t" if ending == "tsv" else ",").encode()
        path.write_bytes(gzip.compress(text) if ending.endswith("gz") else text)
    assert plain(read_sessions(path)) == plain([Sessions.of(SESSIONS)])


def test_whatever_python_has_is_read() -> None:
    whole = Sessions.of(SESSIONS)
    frame = pd.DataFrame(ROWS)
    for log in (SESSIONS, iter(SESSIONS), whole, [whole], frame, [frame[:5], frame[5:]]):
        assert plain(sessions_of(log)) == plain([whole])
