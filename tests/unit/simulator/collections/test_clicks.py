"""Readers of clicks: what they count, and one line on what they cannot read."""

import gzip
from pathlib import Path

import pytest

from prum.simulator.collections.clicks import read_click_log, read_click_totals
from prum.simulator.model import InputError

LOG = """\
s1\t0\tQ\tq1\t0.0\ta\tb\tc\td
s1\t5\tC\tc\t\t\t\t\t
s1\t9\tC\ta
s1\t7\tC\tx
s2\t1\tC\ta
s2\t2\tQ\tq1\t0.0\ta\tb\tc\td
s1\t20\tQ\tq2\t0.0\te\tf\tf\tg
s1\t21\tC\tf
s1\t22\tC\tc

s2\t3\tC\tx
s3\t4\tQ\tq1\t0.0\ta\tb\tc\td
s3\t5\tC\td
s3\t5\tC\tb
"""
TOTALS = """\
# a table
rank\tclicks
1\t50
2\t0

3\t7
"""


def path_of(folder: Path, text: str | bytes) -> Path:
    path = folder / "file.tsv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_clicks_belong_to_the_search_before_them(tmp_path: Path) -> None:
    log = read_click_log(path_of(tmp_path, LOG))
    # Sessions s1 and s3; of a url that is there twice the first counts.
    assert log.every.tolist() == [[1, 1, 1, 0], [0, 1, 0, 1]]
    assert (log.num_sessions, log.num_searches, log.num_clicked) == (3, 4, 4)
    assert (log.num_outside, log.num_last_outside, log.num_early) == (3, 2, 1)


def test_the_last_click_is_last_in_time_then_in_the_log(tmp_path: Path) -> None:
    log = read_click_log(path_of(tmp_path, LOG))
    # s1: a at 9 and, of its second search, f; s3: b, logged after d at the same time.
    assert log.last.tolist() == [[1, 1, 0, 0], [0, 1, 0, 0]]


def test_gzip_windows_lines_and_another_order_make_no_difference(tmp_path: Path) -> None:
    packed = gzip.compress(LOG.replace("\n", "\r\n").encode())
    assert read_click_log(path_of(tmp_path, packed)).every.tolist() == [[1, 1, 1, 0], [0, 1, 0, 1]]


def test_a_log_without_clicks_is_a_log(tmp_path: Path) -> None:
    log = read_click_log(path_of(tmp_path, "s\t0\tQ\tq\tr\ta\tb\n"))
    assert (log.every.shape, log.num_searches, log.num_clicked) == ((0, 2), 1, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "number of lines that are not blank is 0"),
        ("s\t0\tC\ta\n", r"file.tsv: number of searches \(Q\) is 0"),
        ("s 0 Q q r a b\n", "line 1: line is 's 0 Q q r a b', must be session time Q"),
        ("s\t0\tQ\tq\tr\ta\n\ns\t0\tX\ta\n", "line 3: line is"),
        ("s\t0\tQ\tq\tr\ta\t\tb\n", "line 1: line is .* leave none empty"),
        ("s\tnoon\tQ\tq\tr\ta\n", "line 1: line is .* a time is a number"),
        ("s\tnan\tQ\tq\tr\ta\n", "line 1: line is"),
        ("s\t0\tQ\tq\tr\ta\tb\nt\t0\tQ\tq\tr\ta\n", "line 2: number of urls is 1, must be 2"),
    ],
)
def test_what_is_no_log(text: str | bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message) as raised:
        read_click_log(path_of(tmp_path, text))
    assert "\n" not in str(raised.value)


def test_totals(tmp_path: Path) -> None:
    totals = read_click_totals(path_of(tmp_path, TOTALS))
    assert totals.counts.tolist() == [50, 0, 7]
    assert totals.beyond is None


def test_pages_tell_the_clicks_of_later_ranks(tmp_path: Path) -> None:
    pages = "page1\t60\npage2\t4\nlater\t3\nno_click\t1000\n"
    assert read_click_totals(path_of(tmp_path, TOTALS + pages)).beyond == 10
    assert read_click_totals(path_of(tmp_path, TOTALS + "no_click\t9\n")).beyond is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "number of lines that are not blank is 0"),
        ("# nothing\n", "number of ranks is 0"),
        ("1\t5\n3\t5\n", "line 2: rank is '3', must be 2, or page1"),
        ("0\t5\n", "line 1: rank is '0', must be 1"),
        ("1\t5\nmany\t5\n", "line 2: rank is 'many'"),
        ("1\t5\npage1\t5\n2\t5\n", "line 3: rank is '2'"),
        ("1\t5\nlater\t5\nlater\t5\n", "line 3: rank is 'later', .* each once"),
        ("1\t-5\n", "line 1: line is .* a whole number"),
        ("1\t5.0\n", "line 1: line is"),
        ("1\t1000000000000000\n", "line 1: line is .* at most 15 digits"),
        ("1 5\n", "line 1: line is '1 5', must be a rank, a tab"),
        ("1\t5\t6\n", "line 1: line is"),
        ("1\t5\npage1\t4\n", "clicks of all pages is 4, must be at least the 5 of the ranks"),
    ],
)
def test_what_are_no_totals(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read_click_totals(path_of(tmp_path, text))
