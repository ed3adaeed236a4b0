"""Input that can be read only once: pipes, standard input, and how a command names it."""

import gzip
import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from prum.experiments.evaluate.inputs import read_judged, read_lists
from prum.simulator.collections import read_elements, read_links
from prum.simulator.model import Links
from prum.simulator.tables.files import looked_at, opened, text_lines
from tests.tiers import slow

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

PRUM = Path(sys.executable).with_name("prum")
NUM_LINES = 8_000
# 32 bytes a line, so that a block that is lost goes unnoticed.
LINES = "".join(f"1 Q0 d{n:05} {n:06} {-n:08} abcd\n" for n in range(NUM_LINES))
QRELS = "".join(f"1 0 d{n:05} 1\n" for n in (0, 5, 3_000, 7_999))
LINKS = "source,target,probability\nd00001,d00005,0.5\n"
JUDGED = """<?xml version="1.0" encoding="ISO-8859-1"?><!-- é -->
<assessments topic="01"><file file="r1">
<path path="/article" exhaustiveness="3" specificity="3"/></file></assessments>"""
ELEMENTS = "element,parent,length\na,,3\nb,a,2\n"


@contextmanager
def pipe(folder, content, name="fifo", piece=None):
    """Give a FIFO that somebody writes to, in pieces of some bytes at will."""
    path = folder / name
    os.mkfifo(path)

    def write():
        with open(path, "wb", buffering=0) as stream:
            size = piece or len(content)
            try:
                for start in range(0, len(content), size):
                    stream.write(content[start : start + size])
            except BrokenPipeError:
                pass

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    yield path
    writer.join(10)
    assert not writer.is_alive()
    path.unlink()


def zipped(content):
    return gzip.compress(content, mtime=0)


@pytest.mark.parametrize("packed", [bytes, zipped])
@pytest.mark.parametrize("piece", [1, None])
def test_every_byte_of_a_pipe_is_read(tmp_path, packed, piece):
    content = QRELS.encode()
    with pipe(tmp_path, packed(content), piece=piece) as path, opened(path) as stream:
        assert stream.read() == content
    with pipe(tmp_path, packed(content), piece=piece) as path, looked_at(path) as file:
        assert file.beginning == b"1 0 d00000 1\n"
        assert "".join(text_lines(file)) == QRELS


@pytest.mark.parametrize("packed", [bytes, zipped])
def test_judgements_and_runs_through_pipes(tmp_path, packed):
    with pipe(tmp_path, packed(QRELS.encode())) as path:
        judged, _ = read_judged(path)
    with pipe(tmp_path, packed(LINES.encode())) as path:
        [(name, lists)] = read_lists([path], judged, takes="ranking")
    assert name == "fifo"
    assert lists == {"1": tuple(f"d{n:05}" for n in range(NUM_LINES))}
    for takes in ("ties", "scores"):
        with pipe(tmp_path, packed(LINES.encode())) as path:
            [(_, lists)] = read_lists([path], judged, takes=takes)
        assert len(lists["1"]) == NUM_LINES


def test_tables_from_pipes_are_told_by_their_content(tmp_path):
    stream = pa.BufferOutputStream()
    pq.write_table(pa.table({"source": ["a"], "target": ["b"], "probability": [0.5]}), stream)
    forms = (
        b"source,target,probability\na,b,.5\n",
        b"\xef\xbb\xbfsource,target,probability\na,b,.5\n",
        b"\n\nprobability\tsource\ttarget\n.5\ta\tb\n",
        b'\n {"source": "a", "target": "b", "probability": 0.5}\n',
        stream.getvalue().to_pybytes(),
    )
    for content in forms:
        for packed in (bytes, zipped):
            with pipe(tmp_path, packed(content)) as path:
                assert read_links(path) == Links({("a", "b"): 0.5})
    with pipe(tmp_path, ELEMENTS.encode()) as path:
        assert read_elements(path).ids == ("a", "b")


def test_ids_that_begin_like_xml(tmp_path):
    (tmp_path / "qrels").write_text("<b> 0 <a> 1\n<b> 0 c 0\n")
    (tmp_path / "assessed").write_text("<b> 0 <a> E3S3\n")
    (tmp_path / "run").write_text("<b> Q0 c 1 2.5 x\n<b> Q0 <a> 2 1e-3 x\n")
    for name in ("qrels", "assessed"):
        judged, _ = read_judged(tmp_path / name)
        assert judged[0].ideals == ("<a>",)
    assert dict(read_lists([tmp_path / "run"], judged, takes="ranking")) == {
        "run": {"<b>": ("c", "<a>")}
    }
    four_words = '<assessments topic="1" by="x" at="y"\n><file file="f"><path path="/a" '
    (tmp_path / "inex").write_text(
        f'{four_words}exhaustiveness="3" specificity="3"/></file></assessments>'
    )
    judged, _ = read_judged(tmp_path / "inex")
    assert judged[0].ideals == ("f",)


# --- the command ------------------------------------------------------------------------------


def prum(*arguments, stdin=b"", folder):
    done = subprocess.run(
        [PRUM, *arguments], input=stdin, capture_output=True, cwd=folder, check=False, timeout=120
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.run").write_text(LINES)
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "links.csv").write_text(LINKS)
    return tmp_path


@slow
def test_evaluate_reads_standard_input(folder):
    options = ("--measures", "AP,P@5")
    (folder / "a.run").rename(folder / "stdin")
    status, *wanted = prum("evaluate", "stdin", "--qrels", "qrels", *options, folder=folder)
    assert status == 0
    for run, packed in (("-", bytes), ("/dev/stdin", zipped)):
        found = prum(
            "evaluate",
            run,
            "--qrels",
            "qrels",
            *options,
            stdin=packed(LINES.encode()),
            folder=folder,
        )
        assert found == (0, *wanted)


@slow
def test_standard_input_is_read_for_one_file_only(folder):
    for arguments in (
        ("evaluate", "-", "--qrels", "-"),
        ("evaluate", "-", "/dev/stdin", "--qrels", "qrels"),
        ("study", "robustness", "-", "b.run", "--qrels", "-"),
        ("crosscheck", "--run", "-", "--qrels", "qrels", "--links", "-", "--collection-size", "9"),
    ):
        status, out, told = prum(*arguments, stdin=LINES.encode(), folder=folder)
        assert (status, out) == (2, "")
        assert "standard input (-) can be read for one file only" in told
        assert len(told.splitlines()) == 1
