"""What readers refuse for its size, and what they read at once."""

import gzip

import numpy as np
import pytest

from prum.simulator.collections import read_links, read_qrels, read_run, read_xml, xml
from prum.simulator.collections.clicks import read_click_log
from prum.simulator.model import InputError
from prum.simulator.tables import files, parquet

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.mark.parametrize(
    ("read", "name"),
    [
        (read_run, "a.run"),
        (read_qrels, "a.qrels"),
        (read_links, "a.csv"),
        (read_links, "a.jsonl"),
        (read_click_log, "a.log"),
    ],
)
def test_an_endless_line_is_not_read_whole(tmp_path, monkeypatch, read, name):
    monkeypatch.setattr(files, "_LONGEST_LINE", 1 << 20)
    path = tmp_path / name
    path.write_bytes(gzip.compress(b"\n" + b" " * (1 << 25), 1))
    blocks = []
    checked = files._check_text
    monkeypatch.setattr(
        files, "_check_text", lambda *given: (blocks.append(given), checked(*given))
    )
    with pytest.raises(InputError, match=r", line 2: number of bytes .* at most 1048576") as caught:
        read(path)
    assert caught.value.value <= (1 << 20) + (1 << 16)
    assert [len(block) for _, _, block in blocks] == [1]


def test_a_line_of_the_greatest_length(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_LONGEST_LINE", 100_000)
    line = f"q Q0 {'x' * 99_989} 1 1 x"
    for rest in ("", "\n", "\nq Q0 b 1 1 x\n"):
        (tmp_path / "a.run").write_text(f"q Q0 a 1 1 x\n{line}{rest}")
        assert read_run(tmp_path / "a.run")
        (tmp_path / "b.run").write_text(f"q Q0 a 1 1 x\n{line}x{rest}")
        with pytest.raises(InputError, match="line 2: number of bytes"):
            read_run(tmp_path / "b.run")


@pytest.mark.parametrize("head", ["<a b='", "<a><b c='", "<!-- "])
def test_xml_that_does_not_end_is_not_kept(tmp_path, monkeypatch, head):
    monkeypatch.setattr(xml, "_LONGEST_WITHOUT_TAGS", 1 << 19)
    path = tmp_path / "a.xml"
    path.write_bytes(gzip.compress(head.encode() + b"x" * (1 << 22), 1))
    with pytest.raises(InputError, match="bytes in which no element begins or ends") as caught:
        read_xml(path)
    assert caught.value.value < 1 << 20


def test_parquet_of_millions_of_equal_rows_is_refused(tmp_path):
    path = tmp_path / "links.parquet"
    column = pa.DictionaryArray.from_arrays(np.zeros(1_000_000, np.int8), pa.array(["a"]))
    rows = pa.table({"source": column, "target": column, "probability": np.zeros(1_000_000)})
    with pq.ParquetWriter(path, rows.schema) as writer:
        for _ in range(11):
            writer.write_table(rows)
    assert path.stat().st_size < 100_000
    with pytest.raises(
        InputError, match=r"number of rows in \d+ bytes is 11000000, must be at most"
    ):
        read_links(path)


def test_rows_of_a_large_parquet_file_are_read(tmp_path, monkeypatch):
    path = tmp_path / "links.parquet"
    ids = [f"{number}" for number in range(2_000)]
    pq.write_table(
        pa.table({"source": ids, "target": ids[::-1], "probability": [0.5] * 2_000}), path
    )
    monkeypatch.setattr(parquet, "_MOST_ROWS", 100)
    assert len(read_links(path)) == 2_000


def test_unpacked_parquet_has_a_limit(tmp_path, monkeypatch):
    path = tmp_path / "links.parquet"
    path.write_bytes(gzip.compress(bytes(1 << 22)))
    monkeypatch.setattr(parquet, "_MOST_UNPACKED", 1 << 21)
    with pytest.raises(
        InputError, match=r"compressed or comes through a pipe is .* give the unpacked"
    ):
        read_links(path)


# --- many lines of columns at once ----------------------------------------------------


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("1 Q0 a 1 1 x\n1 Q0 a 1 1\nx 1 Q0 a 1 1 x\n", 2),
        ("1 Q0 a 1 1 x y\n1 Q0 a 1 1\n", 2),
        ("1 Q0 a 1 1 x\n1 Q0 a\n1 1 x\n", 2),
        ("1 Q0 a\n1 1 x 1 Q0 b 1 1 x\n", 1),
    ],
)
def test_words_on_the_wrong_line_are_seen(tmp_path, content, line):
    (tmp_path / "a.run").write_text(content)
    with pytest.raises(InputError, match=f"line {line}: number of columns"):
        read_run(tmp_path / "a.run")
