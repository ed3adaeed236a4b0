"""Sessions read from files and from what Python has."""

import gzip
import re
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from prum.experiments.logs import Sessions, read_sessions
from prum.experiments.logs.rows import PLAIN
from prum.simulator.model import InputError
from tests.table_forms import read_few_rows

ROOT = Path(__file__).resolve().parents[4]
SESSIONS = [["a", "b", "<", "c", "d", "<", "<", "b"], ["b"], ["a", "b", "c"]]
ROWS = [
    {"session": f"s{number}", "time": float(time), "element": name, "note": 7}
    for number, session in enumerate(SESSIONS)
    for time, name in enumerate(session)
]


def plain(log: Sessions) -> list[Any]:
    """Return what sessions say, without numbers for names."""
    return [
        (
            [log.elements[k] for k in log.element[begin:end]],
            log.is_entry[begin:end].tolist(),
            log.is_back[begin:end].tolist(),
            None if person < 0 else log.persons[person],
            bool(cut),
        )
        for begin, end, person, cut in zip(
            log.starts[:-1], log.starts[1:], log.person, log.is_cut, strict=True
        )
    ]


def test_whatever_python_has_is_read() -> None:
    whole = Sessions.of(SESSIONS)
    frame = pd.DataFrame(ROWS)
    for log in (SESSIONS, iter(SESSIONS), whole, frame):
        assert plain(read_sessions(log)) == plain(whole)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 9])
def test_a_file_is_read_some_rows_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    pd.DataFrame(ROWS).to_csv(tmp_path / "log.csv", index=False)
    read_few_rows(monkeypatch, size)
    assert plain(read_sessions(tmp_path / "log.csv")) == plain(Sessions.of(SESSIONS))


def test_the_log_of_the_page_is_read_as_the_page_says(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "reference" / "logs.md").read_text(encoding="utf-8")
    written = re.search(r"^cat > tea/log\.csv <<END\n(.*?)^END$", page, re.MULTILINE | re.DOTALL)
    assert written is not None
    (tmp_path / "log.csv").write_text(written[1], encoding="utf-8")
    assert plain(read_sessions(tmp_path / "log.csv"))[0] == (
        ["home", "tea", "home", "coffee", "tea"],
        [True, False, False, False, True],
        [False, False, True, False, False],
        "ann",
        False,
    )


def test_the_page_on_logs_names_all_columns() -> None:
    page = (ROOT / "docs" / "reference" / "logs.md").read_text(encoding="utf-8")
    for column in PLAIN.columns:
        others = ", ".join(f"`{name}`" for name in column.names[1:])
        assert f"| `{column.name}` | {others} | {'optional; ' * column.optional}" in page


def test_standard_input_is_read() -> None:
    code = (
        "from prum.experiments.logs import read_sessions\nprint(list(read_sessions('/dev/stdin')))"
    )
    packed = gzip.compress(pd.DataFrame(ROWS).to_csv(index=False).encode())
    done = subprocess.run(
        [sys.executable, "-c", code], input=packed, capture_output=True, check=True
    )
    assert b"('a', 'b', 'a', 'c', 'd', 'c', 'a', 'b')" in done.stdout


@pytest.mark.parametrize(
    "times",
    [
        pd.date_range("2024-05-31", periods=4, freq="ns"),
        pd.date_range("2024-05-31", periods=4, tz="Europe/Vienna"),
        [date(2024, 5, day) for day in (1, 2, 3, 4)],
        ["2024-05-31T10:00+02:00", "2024-05-31T08:00:00.5Z", "2024-05-31T09:00", "2024-06-01"],
        ["-3e-5", ".5", "7", "1e300"],
    ],
)
def test_times_of_many_kinds(times: Any, tmp_path: Path) -> None:
    frame = pd.DataFrame({"session": [1.0, 1, 1, 1], "element": list("abca"), "time": times})
    wanted = plain(Sessions.of([["a", "b", "c", "a"]]))
    assert plain(read_sessions(frame)) == wanted
    frame.astype({"session": int}).to_parquet(tmp_path / "log.parquet")
    assert plain(read_sessions(tmp_path / "log.parquet")) == wanted
    turned = frame.assign(time=list(times)[::-1])
    if not isinstance(times, pd.DatetimeIndex) or times.freq != "ns":  # microseconds are kept
        with pytest.raises(InputError, match="must not be before that of the row before it"):
            read_sessions(turned)


def test_people_may_be_numbers_of_whom_some_are_missing() -> None:
    frame = pd.DataFrame({"session": [1, 1, 2], "element": list("aba"), "user": [7, 7, None]})
    assert [person for *_, person, _ in plain(read_sessions(frame))] == ["7", None]
