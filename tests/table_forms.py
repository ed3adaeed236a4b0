"""A table in every form that people have it."""

import bz2
import csv
import gzip
import io
import json
import lzma
import pickle
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from prum.simulator.model import InputError
from prum.simulator.tables import forms

Row = Mapping[str, Any]


def separated(rows: Sequence[Row], delimiter: str = ",") -> bytes:
    """Return rows as CSV, with an empty cell for None."""
    lines = list[str]()

    class Lines:
        # Python before 3.13 quotes a carriage return only where it ends lines.
        write = staticmethod(lambda line: lines.append(line.removesuffix("\r\n")))

    writer = csv.DictWriter(Lines, list(rows[0]), delimiter=delimiter, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    return "".join(f"{line}\n" for line in lines).encode()


def json_lines(rows: Sequence[Row]) -> bytes:
    """Return rows as JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def parquet(rows: Sequence[Row]) -> bytes:
    """Return rows as Parquet."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([dict(row) for row in rows]), stream)
    return stream.getvalue()


FORMS: dict[str, Callable[[Sequence[Row]], bytes]] = {
    "csv": separated,
    "tsv": lambda rows: separated(rows, "\t"),
    "jsonl": json_lines,
    "parquet": parquet,
}
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
}


def written(folder: Path, name: str, content: str | bytes) -> Path:
    """Write a file and return its path."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refused(read: Callable[[Any], object], path: Path, *parts: str) -> str:
    """Require an error of one line that names the file and every part, and return it."""
    with pytest.raises(InputError) as caught:
        read(path)
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    for part in (path.name, *parts):
        assert part in message
    assert str(pickle.loads(pickle.dumps(caught.value))) == message
    return message


def read_few_rows(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    """Have files read in pieces of so many rows, and of a line of CSV."""
    monkeypatch.setattr(forms, "ROWS_AT_ONCE", rows)
