"""Logs that cannot be: one line each, which says where and what to do."""

import gzip
from pathlib import Path

import pandas as pd
import pytest

from prum.experiments.logs import read_sessions
from prum.simulator.model import InputError

HEAD = "session,time,element\n"
SORT = "sort the log by session and time"
NAME = "must be a text that is not empty; name it, or leave the row out"
TIME = "must be a finite number, or a time like 2024-05-31T13:45:00, as the others are; correct"

CSV = {
    "clock": ("1,0,a\n1,5,b\n2,4,a\n2,3,b\n", "5: time is 3.0, must not be before that of the row"),
    "iso clock": ("1,2024-05-01T10:00:00,a\n1,2024-05-01T09:59:59Z,b\n", "3: time is '2024-05-01T"),
    "twice": ("1,0,a\n1,1,b\n2,0,a\n1,2,b\n", "5: session is '1', must have its rows one after"),
    "no element": ("1,0,a\n1,1,\n", f"3: element is '', {NAME}"),
    "no session": ("1,0,a\n,1,b\n", f"3: session is '', {NAME}"),
    "no time": ("1,0,a\n1,soon,b\n", f"3: time is 'soon', {TIME}"),
    "nan": ("1,0,a\n1,nan,b\n", f"3: time is 'nan', {TIME}"),
    "mixed": ("1,0,a\n1,2024-05-01,b\n", f"3: time is '2024-05-01', {TIME}"),
    "no moment": ("1,2024-05-01,a\n1,2024-05-32,b\n", f"3: time is '2024-05-32', {TIME}"),
    "endless": ("1,2024-05-01,a\n1,-inf,b\n", f"3: time is '-inf', {TIME}"),
    "first back": ("1,0,<\n1,1,b\n", "2: back click is '<', must lead to an element before it"),
    "back again": ("1,0,a\n1,1,b\n1,2,<\n1,3,<\n", "5: back click is '<', must lead to an element"),
    "cut row": ("1,0,a\n1,1,b\n1,2", "4: number of columns of '1,2' is 2, must be 3, as in the"),
    "long row": ("1,0,a\n\n1,1,b,\n", "4: number of columns of '1,1,b,' is 4, must be 3, as in"),
    "quoted": ('1,0,"a\nb"\n1,1,""\n', f"4: element is '', {NAME}"),
    "cut quote": ('1,0,"a\n1,1,b\n', "must follow the rules of CSV ('unexpected end of data')"),
    "single": ("1,0,a\n2,0,b\n", "visits of each session is 1, must be at least 2 in one of them"),
    "one page": (
        "1,0,a\n1,1,a\n",
        "elements in the log is 1, must be at least 2; all visits are of 'a'",
    ),
    "empty": ("", "number of visits in the log is 0, must be at least 1; check what wrote"),
}


def told(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_sessions(path)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(f"{path}")
    return message.removeprefix(f"{path}")


@pytest.mark.parametrize("name", CSV)
def test_it_is_said_where(tmp_path: Path, name: str) -> None:
    text, message = CSV[name]
    path = tmp_path / "log.csv"
    path.write_text(HEAD + text)
    assert message in told(path).removeprefix(", line ")


CUT_SHORT = gzip.compress((HEAD + "1,1,a\n" * 99).encode(), mtime=0)[:-9]


@pytest.mark.parametrize(
    ("ending", "content", "message"),
    [
        (".csv", b"", "number of lines that are not blank is 0"),
        (".jsonl", b"\n", "number of lines that are not blank is 0"),
        (".csv", b"session,page,url,session\n", "wrong column names"),
        (
            ".csv",
            b"time,page\n0,a\n",
            "'time, page', must be session or session_id, element or page",
        ),
        (".csv", b"a;b\n", "separate columns by commas, not semicolons"),
        (".csv", HEAD.encode() + b"1,0,a\n1,1,\xff\n", ", line 3: text is b'\\xff', must be UTF-8"),
        (".csv", HEAD.encode() + b"1,0,\0\n", ", line 2: text is b'\\x00', must hold no NUL"),
        (".csv", CUT_SHORT, "must be a complete gzip file"),
        (".jsonl", b'{"session":"1","element":"a"}\n{"session":"1","ele', ", line 2: line is"),
        (".jsonl", b'{"session":"1","element":"a"},{}\n', ", line 1: line is"),
        (".jsonl", b'{"session":"1","element":"a"}\n[]\n', "another kind of value"),
        (".jsonl", b'\n{"session":"1","element":"a"}\n{"session":"1"}', ", line 3: element is ''"),
        (".jsonl", b'{"session":"1","element":"a"}\n{"session":1,"element":2.5}', "element is 2.5"),
        (
            ".jsonl",
            b'{"session":"1","element":["a"]}\n',
            "element is <class 'list'>, must be a text",
        ),
        (
            ".jsonl",
            b'{"session":"1","element":"a"}\n{"session":"2\\ud800","element":"a"}\n',
            "'it holds half of a surrogate pair'",
        ),
        (
            ".jsonl",
            b'{"session":"1","element":"\\udc00"}\n',
            "'it holds half of a surrogate pair'",
        ),
        (".parquet", b"PAR1", "must be a readable Parquet file"),
    ],
)
def test_files_are_damaged(tmp_path: Path, ending: str, content: bytes, message: str) -> None:
    path = tmp_path / f"log{ending}"
    path.write_bytes(content)
    assert message in told(path)


@pytest.mark.parametrize("entries", [["1", "0", "", "0"], [True, False, None, False]])
def test_entries_are_flags(entries: list[object]) -> None:
    frame = pd.DataFrame({"session": 7, "element": list("abcd"), "entry": entries})
    assert read_sessions(frame).is_entry.tolist() == [True, False, False, False]
    frame["entry"] = [*entries[:2], "a", entries[3]]
    with pytest.raises(InputError, match="row 2: entry is 'a', must be true or false, or 1 or 0"):
        read_sessions(frame)


def test_a_session_is_of_one_person() -> None:
    frame = pd.DataFrame({"session": 1, "element": list("abc"), "user": ["x", "x", "y"]})
    with pytest.raises(InputError, match="row 2: person is 'y', must be that of the row before"):
        read_sessions(frame)


def test_sessions_come_twice_however_far_apart(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    rows = "".join(f"s{number},a\ns{number},b\n" for number in range(60_000))
    path.write_text(f"session,element\n{rows}s17,b\n")
    assert told(path).startswith(", line 120002: session is 's17', must have its rows one after")


@pytest.mark.parametrize("log", [7, None, ["ab", ["c"]], [3], [["a", 3]], [[]]])
def test_what_is_no_log(log: object) -> None:
    with pytest.raises(InputError):
        read_sessions(log)


@pytest.mark.parametrize("row", [1, 2])
def test_a_time_beyond_any_number_and_half_a_character_are_mistakes(
    tmp_path: Path, row: int
) -> None:
    huge = "1" + "0" * 400
    for value, element, message in (
        (huge, "b", "time is an integer of 13"),
        ("2", "b\\ud800", "must be one JSON object ('it holds half of a surrogate pair')"),
    ):
        rows = ['{"session": "s", "time": 1, "element": "a"}'] * 2
        rows[row - 1] = f'{{"session": "s", "time": {value}, "element": "{element}"}}'
        (tmp_path / "log.jsonl").write_text("\n".join(rows))
        assert message in told(tmp_path / "log.jsonl")
