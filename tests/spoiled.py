"""A valid file of each kind, what reads it, and what holds of the result; and spoiled ones.

Whatever the bytes, a reader returns a result that keeps the rules of its kind, or refuses the file
in one line that begins with its name.
"""

import io
import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from prum.experiments.evaluate.inputs import read_judged, read_lists
from prum.experiments.logs import read_sessions, read_trajectories
from prum.experiments.measures.judged import Collection, Judged
from prum.simulator.collections import (
    ideals_of,
    read_chunks,
    read_gold,
    read_inex_assessments,
    read_inex_run,
    read_links,
    read_qrels,
    read_run,
    read_texts,
)
from prum.simulator.collections.fitted_files import (
    FORMAT,
    checksum,
    navigation_content,
    read_navigation,
)
from prum.simulator.collections.judgements import judgements_from
from prum.simulator.collections.links import read_elements
from prum.simulator.collections.placing import Texts
from prum.simulator.collections.preferences import relevance_by_preference
from prum.simulator.model import InputError, Links, Walk
from tests.unit.experiments.logs.test_trajectories import EACH
from tests.unit.simulator.collections.test_inex import JUDGED, RUN
from tests.unit.simulator.collections.test_preferences import read_preferences

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

# What parsers trip over.
JUNK = (
    *(b'"', b",", b"\n", b"\r", b"\t", b" ", b"\0", b"\xff", b"nan", b"1e999", b"-", b"_"),
    *(b"{", b"]", b"<", b"&x;", b"\x0b", b"\xc2\xa0", b"\xe2\x80\xa8"),
)


class Kind(NamedTuple):
    """A kind of file: its name, valid bytes, what reads it, and what holds of the result."""

    file: str
    valid: bytes
    read: Callable[[Path], Any]
    check: Callable[[Any], None]


def result_of(kind: Kind, content: bytes) -> Any:
    """Read bytes as a file of this kind: return a valid result, or None if they are refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / kind.file
        path.write_bytes(content)
        try:
            result = kind.read(path)
        except InputError as error:
            message = str(error)
            assert len(message.splitlines()) == 1
            assert message.startswith(str(path))
            assert len(message) < 1500
            return None
    kind.check(result)
    return result


def spoiled(content: bytes, rng: np.random.Generator) -> bytes:
    """Return bytes of which some were replaced, left out, doubled, or cut off."""
    changed = bytearray(content)
    for _ in range(rng.integers(1, 3)):
        start = int(rng.integers(len(changed) + 1))
        end = min(len(changed), start + int(rng.integers(0, 8)))
        match int(rng.integers(5)):
            case 0:
                changed[start:end] = rng.bytes(end - start)
            case 1:
                changed[start:end] = JUNK[int(rng.integers(len(JUNK)))]
            case 2:
                del changed[start:end]
            case 3:
                changed[start:start] = changed[start:end]
            case _:
                del changed[start:]
    return bytes(changed)


# --- what holds of results ------------------------------------------------------------------------


def check(value):
    """Ids are texts that UTF-8 can hold, and not empty; numbers are finite."""
    if isinstance(value, str):
        assert value
        value.encode()
    elif isinstance(value, float):
        assert np.isfinite(value)
    elif isinstance(value, Mapping):
        check(list(value))
        check(list(value.values()))
    elif isinstance(value, list | tuple):
        for item in value:
            check(item)


def check_qrels(qrels):
    assert qrels
    check(qrels)
    for topic, ideals in ideals_of(qrels).items():
        grades = qrels[topic]
        assert all(grade >= -2 and (type(grade) is int or grade > 0) for grade in grades.values())
        assert list(ideals) == sorted(e for e, grade in grades.items() if grade >= 0.5)


def check_judged(judged):
    for topic in judged:
        check(topic.topic)
        assert topic.ideals


def check_links(links):
    rows = list(links)
    check(rows)
    assert all(0 <= probability <= 1 for *_, probability in rows)
    assert Links({(source, target): value for source, target, value in rows}) == links


TOPIC = Judged("<q>", ("a",), {"a": 1}, None, Collection(size=9))


def check_preferences(preferences):
    check(preferences)
    for pairs in preferences.values():
        worth = relevance_by_preference(pairs)
        assert all(x != y and worth[x] >= worth[y] for x, y in pairs)


def check_chunks(table):
    check(list(table))
    assert all(0 <= start < end for _, _, start, end in table)


def check_gold(gold):
    assert all(gold.spans.values())
    for spans in gold.spans.values():
        assert all(name == f"{x.document}:{x.start}-{x.end}" for name, x in spans.items())


def check_sessions(log):
    assert len(log) == len(log.person) == len(log.is_cut)
    assert log.starts[-1] == len(log.element) == len(log.is_back)
    assert (np.diff(log.starts) > 0).all()
    assert (log.element >= 0).all()
    for name in (*log.elements, *log.persons):
        assert name.encode()


def check_trajectories(sessions):
    for session in sessions:
        session.session.encode()
        for action in session.actions:
            shows_one = len(action.elements) == 1
            assert action.kind == "list" or shows_one == (action.kind in ("open", "follow"))
            assert len(set(action.elements)) == len(action.elements)
            check([list(action.elements), action.costs])
        assert all(number > 0 for number in session.lost.values())


def check_nothing(_):
    """What is read is valid by its class."""


# --- kinds ----------------------------------------------------------------------------------------


def parquet_bytes(rows):
    sources, targets, values = ([row[i] for row in rows] for i in range(3))
    stream = io.BytesIO()
    table = pa.table(
        {
            "source": pa.array(sources, pa.string()),
            "target": pa.array(targets, pa.string()),
            "probability": pa.array(values, pa.float64()),
        }
    )
    pq.write_table(table, stream)
    return stream.getvalue()


HEADER = "source,target,probability\n"
VALID = {
    "a.run": b"q1 Q0 a 1 3.5 x\nq1 Q0 \xc3\xa9 2 1e-3 x\n"
    b"q2\tQ0\tb\t1\t-1\tx\r\n\nq1 Q0 c 3 3.5 x\n",
    "a.qrels": b"q1 0 a 1\nq1 0 \xc3\xa9 -2\r\n\nq2 0.5 b 12\n",
    "a.assessed": b"q1 0 a E3S2\nq1 0 \xc3\xa9 E0S0\n",
    "a.preferences": b"q1 j 0 a 1\nq1 j 0 \xc3\xa9 0\r\n\nq1 j 1 \xc3\xa9 2\nq1 j 1 b .5\n",
    "a.inex": RUN.encode(),
    "a.judged": JUDGED.encode(),
    "a.judgements": b"\n<q> 0 a E3S3\r\n<q> 0 \xc3\xa9 E0S0\n",
    "a.lists": b"<q> Q0 a 1 3.5 x\n<q>\tQ0\t<b>\t2\t.5\tx\n",
    "a.csv": HEADER.encode() + b'a,b,0.5\n"\xc3\xa9,""\n",c,1\r\n\na,a,.25\n',
    "a.tsv": b"target\tsource\tprobability\na\tb\t0.5\n\xc3\xa9\tc\t1E-3\n",
    "a.jsonl": b'{"source":"a","target":"\\u00e9","probability":0.5}\n\n'
    b'{"probability": 1, "target": "b", "source": "\xc3\xa9"}\n',
    "a.parquet": parquet_bytes([("a", "b", 0.5), ("é", "c", 1.0), ("a", "a", 0.0)]),
}

READERS: dict[str, tuple[Any, Any]] = {
    "preferences": (lambda path: dict(read_preferences(path)), check_preferences),
    "judgements": (lambda path: read_judged(path)[0], check_judged),
    "lists": (
        lambda path: dict(read_lists([path], [TOPIC], takes="ties")),
        check,
    ),
    "run": (read_run, check),
    "qrels": (read_qrels, check_qrels),
    "assessed": (lambda path: judgements_from(path).assessed, check),
    "inex": (read_inex_run, check),
    "judged": (read_inex_assessments, check),
}
TEXTS = Texts({"d": "Où est-il ? Là. \U0001f600 Il est là.", "é": "Oui."})
CHUNK = '{"id": "a", "doc": "d", "start": 0, "end": 4, "tokens": 1.5, "text": "Où e"}\n'
CHUNK += (
    '{"id": "b", "document": "é", "text": "Oui.", "parent": null, "tokens": 2, "more": [1, {}]}\n'
)
REFERENCES = '"[{""content"": ""Là."", ""start_index"": 12, ""end_index"": 15}]"'
SNIPPET = '{"file_path": "d", "span": [12, 15], "answer": "Là."}'
SPANS = {
    "chunks": ("a.jsonl", CHUNK),
    "chunks of others": ("a.csv", "chunk,document,start,end,parent\na,d,0,9,\nb,d,4.0,8,a\n"),
    "gold": ("a.csv", "question,doc,start,end,content\nWho?,d,12,15,Là.\nWho?,é,,,Oui.\n"),
    "gold of questions": ("a.csv", f"question,references,corpus_id\nWho?,{REFERENCES},d\n"),
    "gold of tests": ("a.json", '{"tests": [{"query": "q", "snippets": [' + SNIPPET + "]}]}"),
    "texts": ("a.jsonl", '{"_id": "d", "title": "", "text": "x"}\n{"_id": "é", "text": null}\n'),
}


def read_spans(name, path, texts=TEXTS):
    """Read a file of `SPANS`, beside texts."""
    kind = name.split()[0]
    return read_texts(path) if kind == "texts" else SPAN_READERS[kind](path, texts)


SPAN_READERS = {"chunks": read_chunks, "gold": read_gold}
SPAN_CHECKS = {"chunks": check_chunks, "gold": check_gold, "texts": check_nothing}
LOG = (
    b"session,time,element,person\n1,0,a,ann\n1,2.5,\xc3\xa9,ann\n1,3,back,ann\n"
    b"2,0,a,bob\n2,1,c,bob\n"
)
MOVES = Walk({("a", "b"): 0.5, ("a", "c"): 0.25, ("b", "a"): 0.125})
FITTED = {
    "format": FORMAT,
    "prum": "0.1.0",
    "fitted": "walk",
    "navigation": navigation_content(MOVES),
}
TREE = b"element,parent,length,start\nd,,90,0\na,d,40,0\n\xc3\xa9,d,30,40\nb,a,10,5\n"


def read_games(path):
    """Read sessions of agents; as visits, too, where there is enough to visit."""
    sessions = list(read_trajectories(path))
    if any(len(session.actions) >= 4 for session in sessions):
        check_sessions(read_sessions(path))
    return sessions


KINDS: dict[str, Kind] = {
    **{
        file.removeprefix("a."): Kind(
            file, content, *READERS.get(file.removeprefix("a."), (read_links, check_links))
        )
        for file, content in VALID.items()
    },
    **{
        name: Kind(
            file,
            content.encode(),
            lambda path, name=name: read_spans(name, path),
            SPAN_CHECKS[name.split()[0]],
        )
        for name, (file, content) in SPANS.items()
    },
    "log.csv": Kind("log.csv", LOG, read_sessions, check_sessions),
    "elements.csv": Kind("elements.csv", TREE, read_elements, check_nothing),
    "fitted.json": Kind(
        "fitted.json",
        json.dumps({**FITTED, "checksum": checksum(FITTED)}).encode(),
        read_navigation,
        check_nothing,
    ),
    **{
        file: Kind(file, text.encode(), read_games, check_trajectories)
        for file, text in EACH.items()
    },
}
