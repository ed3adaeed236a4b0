"""Small collections and logs whose statistics are counted by hand."""

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from prum.experiments.generate import generate_dataset
from prum.experiments.studies.realism import Samples, samples_of

LINKS = [("a", "b é"), ("b é", "a"), ("a", "c"), ("b é", "c"), ("c", "c"), ("d", "c")]
# Two documents: one has a section with two paragraphs and a paragraph, the other nothing.
ELEMENTS: list[tuple[str, str | None, int]] = [
    ("D 1", None, 10),
    ("D 1/ß", "D 1", 6),
    ("p1", "D 1/ß", 4),
    ("p2", "D 1/ß", 2),
    ("p3", "D 1", 4),
    ("D2", None, 7),
]
QRELS = "t1 0 a 2\nt1 0 b 1\nt1 0 c 0\nt2 0 a 1\nt3 0 z 0\n"
RUNS = {
    "x": "t1 Q0 a 1 3 x\nt1 Q0 c 2 2 x\nt1 Q0 b 3 1 x\nt2 Q0 a 1 1 x\n",
    "y": "t1 Q0 b 1 2 y\nt1 Q0 d 2 1 y\n",
}
# One user of two systems; they walk from page a to b and back.
EVENTS = [
    ("x", 0, 1, "t1", "consult", 1, "a", ""),
    ("x", 0, 1, "t1", "see", 1, "a", ""),
    ("x", 0, 1, "t1", "see", 1, "b", "a"),
    ("x", 0, 1, "t1", "see", 1, "a", "b"),
    ("x", 0, 1, "t1", "consult", 2, "c", ""),
    ("x", 0, 1, "t1", "see", 2, "c", ""),
    ("x", 0, 1, "t1", "stop", 2, "c", ""),
    ("x", 0, 2, "t2", "consult", 1, "a", ""),
    ("x", 0, 2, "t2", "see", 1, "a", ""),
    ("x", 0, 2, "t2", "stop", 1, "a", ""),
    ("y", 0, 1, "t1", "consult", 1, "b", ""),
    ("y", 0, 1, "t1", "see", 1, "b", ""),
    ("y", 1, 1, "t1", "consult", 1, "b", ""),
    ("y", 1, 1, "t1", "see", 1, "b", ""),
]
_EVENT = ("system", "user", "session", "query", "action", "rank", "element", "origin")


def by_hand(ideal_grade: int) -> dict[str, tuple[list[float], list[int]]]:
    """Return values, and how many of them each group has, in the order of groups."""
    found = {
        "out_degree": ([2, 2, 0, 1], [1] * 4),
        "in_degree": ([1, 1, 3, 0], [4]),
        "returned": ([0.5, 0.5, 0], [3]),
        # a links to b and c, of whose two pairs one is linked; b to a and c, likewise.
        "clustering": ([0.5, 0.5], [2]),
        "leaf_length": ([4, 2, 4, 7], [3, 1]),
        "leaf_depth": ([2, 2, 1, 0], [3, 1]),
        "children": ([2, 2], [2]),
        "document_length": ([10, 7], [1, 1]),
        "document_size": ([5, 1], [1, 1]),
        "list_length": ([3, 2, 1], [2, 1]),
        "overlap": ([0.25], [1]),
        "relevant": ([2, 1, 0], [1] * 3),
        "last_rank": ([2, 1, 1, 1], [3, 1]),
        "clicks": ([3, 1, 1], [3]),
        "path_length": ([3, 1, 1, 1, 1], [5]),
        "revisits": ([1, 0, 0, 0, 0], [5]),
    }
    if ideal_grade == 2:
        # Only a is ideal, on topic 1: AP 1 and 0.
        return found | {
            "ideal": ([1, 0, 0], [1] * 3),
            "ideal_rank": ([1], [1]),
            "ideal_share": ([0.05, 0], [2]),
            "system_spread": ([0.5], [1]),
        }
    # AP is (1 + 2/3)/2 and 1 of x, 1/2 and 0 of y, who has no list for topic 2.
    ap = np.array([[5 / 6, 1], [1 / 2, 0]])
    return found | {
        "ideal": ([2, 1, 0], [1] * 3),
        "ideal_rank": ([1, 3, 1, 1], [3, 1]),
        "ideal_share": ([0.1, 0.05, 0.05], [2, 1]),
        "system_spread": (ap.std(axis=0).tolist(), [1, 1]),
        "topic_spread": (ap.std(axis=1).tolist(), [2]),
    }


def folder_of(place: Path, *, ideal_grade: int = 1, kind: str = "jsonl") -> Path:
    place.mkdir()
    (place / "runs").mkdir()
    told = {
        "specification": {
            "collection": {"kind": "web", "elements": 100},
            "topics": {"ideal_grade": ideal_grade, "grades": [0.5, 0.5]},
        },
        "files": {},
    }
    (place / "dataset.json").write_text(json.dumps(told))
    (place / "qrels.txt").write_text(QRELS)
    for name, text in RUNS.items():
        (place / "runs" / name).write_text(text)
    links = [{"source": a, "target": b, "probability": 0.5} for a, b in LINKS]
    elements = [{"element": e, "parent": p, "length": n, "start": None} for e, p, n in ELEMENTS]
    log = [dict(zip(_EVENT, event, strict=True), time=1.0) for event in EVENTS]
    for name, rows in {"links": links, "elements": elements, "log": log}.items():
        write_table(place / f"{name}.{kind}", rows)
    return place


def write_table(path: Path, rows: list[dict[str, Any]]) -> None:
    if path.suffix == ".parquet":
        pa = pytest.importorskip("pyarrow")
        pq = pytest.importorskip("pyarrow.parquet")
        pq.write_table(pa.Table.from_pylist(rows), path)
        return
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def made_samples(content: dict[str, Any], seed: int) -> Samples:
    """Return the samples of a collection that is made for the moment."""
    with tempfile.TemporaryDirectory() as folder:
        generate_dataset({**content, "seed": seed}, Path(folder) / "made")
        return samples_of(Path(folder) / "made")
