"""Link files: source, target and probability of each link, as CSV, TSV, JSONL or Parquet."""

import csv
import gzip
import io
import json
import os
import re
from array import array
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prum.simulator.collections.files import (
    DAMAGE,
    FilePath,
    damaged,
    no_lines,
    opened,
    place,
    text_lines,
)
from prum.simulator.model.errors import InputError, shown
from prum.simulator.model.navigation import Links

_NAMES = ("source", "target", "probability")
_SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")

_Row = tuple[int, str, str, float]


def read_links(path: FilePath) -> Links:
    """Return the links of a file with columns source, target and probability.

    The suffix of the name tells the format (`.gz` after it is ignored):

    `.csv`, `.tsv`
        The first line names the three columns, in any order. Quoting as in Python's csv module:
        ids may hold blanks, commas, quotes and line ends. `.tsv` has tabs for commas.
    `.jsonl`, `.ndjson`
        One object with exactly these three names per line; ids are strings, probabilities numbers.
    `.parquet`
        Exactly these three columns, text, text and numbers, without nulls; needs pyarrow.

    All may be gzipped, whatever the name. Blank lines are skipped.

    Raises
    ------
    InputError
        for another suffix, wrong column names, a row that breaks the format, an empty id, a
        probability that is no number in [0, 1], a link given twice, a file that is empty, no
        UTF-8 text or damaged; also if a Parquet file is given and pyarrow is not installed.
    OSError
        if the file cannot be opened or read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "links.csv"
    >>> _ = path.write_text("source,target,probability\\nc,a,.4\\n")
    >>> read_links(path)
    Links({('c', 'a'): 0.4})
    """
    suffix = _suffix(path)
    if suffix == ".parquet":
        return _read_parquet(path)
    if suffix in (".csv", ".tsv"):
        rows = _csv_rows(path, "," if suffix == ".csv" else "\t")
    else:
        rows = _json_rows(path)
    sources, targets = list[str](), list[str]()
    probabilities, lines = array("d"), array("q")
    known: dict[str, str] = {}  # ids repeat: keep one text of each
    for line, source, target, probability in rows:
        sources.append(known.setdefault(source, source))
        targets.append(known.setdefault(target, target))
        probabilities.append(probability)
        lines.append(line)
    return Links.from_columns(
        sources, targets, np.asarray(probabilities), origin=place(path), lines=lines
    )


def _suffix(path: FilePath) -> str:
    """Return the suffix that tells the format of `path`."""
    name = PurePath(os.fspath(path)).name
    bare = name[:-3] if name.lower().endswith(".gz") else name
    for suffix in _SUFFIXES:
        if bare.lower().endswith(suffix):
            return suffix
    raise InputError(
        "name of a file of links",
        name,
        f"end with {', '.join(_SUFFIXES)}, .gz after it allowed",
        remedy="name the file by its format",
        place=place(path),
    )


def _csv_rows(path: FilePath, delimiter: str) -> Iterator[_Row]:
    last = ""

    def lines() -> Iterator[str]:
        nonlocal last
        for line in text_lines(path):
            last = line
            yield line

    reader = csv.reader(lines(), delimiter=delimiter, strict=True)
    source_at = target_at = probability_at = -1
    row_start = 1
    try:
        for row in reader:
            line, row_start = reader.line_num, reader.line_num + 1
            if not last.strip(" \t\r\n"):
                continue
            if source_at < 0:
                _check_names(row, place=place(path, line))
                source_at, target_at, probability_at = (row.index(name) for name in _NAMES)
                continue
            if len(row) != len(_NAMES):
                raise InputError(
                    f"number of columns of {shown(last.rstrip())}",
                    len(row),
                    "be 3, as in the first line",
                    remedy="quote ids that hold the separator",
                    place=place(path, line),
                )
            written = row[probability_at]
            probability = float(written) if _NUMBER.fullmatch(written) else np.nan
            if not 0 <= probability <= 1:
                raise _no_probability(written, place=place(path, line))
            yield line, row[source_at], row[target_at], probability
    except csv.Error as error:
        raise InputError(
            "row",
            last.rstrip("\r\n"),
            f"follow the rules of CSV ({shown(str(error))})",
            remedy=f"check the quotes of the row that begins in line {row_start}",
            place=place(path, reader.line_num),
        ) from None
    if source_at < 0:
        raise no_lines(path)


def _json_rows(path: FilePath) -> Iterator[_Row]:
    # Objects come as tuples of pairs, so that a name given twice is seen.
    decode = json.JSONDecoder(object_pairs_hook=tuple).decode
    empty = True
    for line, text in enumerate(text_lines(path), start=1):
        if not text.strip(" \t\r\n"):
            continue
        empty = False
        try:
            pairs = decode(text)
            if not isinstance(pairs, tuple):
                raise ValueError("another kind of value")
        except (ValueError, RecursionError) as error:
            raise InputError(
                "line",
                text.strip(),
                f"be one JSON object ({shown(str(error))})",
                remedy='write {"source": ..., "target": ..., "probability": ...}',
                place=place(path, line),
            ) from None
        _check_names([name for name, _ in pairs], place=place(path, line))
        row: dict[str, Any] = dict(pairs)
        for name in ("source", "target"):
            if not isinstance(row[name], str) or not _is_unicode(row[name]):
                raise InputError(
                    name,
                    _scalar(row[name]),
                    "be a string of Unicode characters",
                    remedy="put the id between quotes",
                    place=place(path, line),
                )
        probability = row["probability"]
        if type(probability) not in (int, float) or not 0 <= probability <= 1:
            raise _no_probability(_scalar(probability), place=place(path, line))
        yield line, row["source"], row["target"], float(probability)
    if empty:
        raise no_lines(path)


def _read_parquet(path: FilePath) -> Links:
    sources, targets = list[str](), list[str]()
    parts: list[NDArray[np.float64]] = []
    known: dict[str, str] = {}
    for some_sources, some_targets, some_probabilities in _parquet_columns(path):
        sources.extend(known.setdefault(source, source) for source in some_sources)
        targets.extend(known.setdefault(target, target) for target in some_targets)
        parts.append(some_probabilities)
    return Links.from_columns(
        sources, targets, np.concatenate([np.empty(0), *parts]), origin=place(path)
    )


def _parquet_columns(
    path: FilePath,
) -> Iterator[tuple[list[str], list[str], NDArray[np.float64]]]:
    """Yield the columns of a Parquet file, some rows at a time."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise InputError(
            "pyarrow",
            "not installed",
            "be installed to read Parquet",
            remedy='pip install "prum[parquet]"',
            place=place(path),
        ) from None
    try:
        with opened(path) as stream:
            seekable = io.BytesIO(stream.read()) if isinstance(stream, gzip.GzipFile) else stream
            file = pq.ParquetFile(seekable)
            _check_parquet_types(file.schema_arrow, pa.types, place=place(path))
            num_rows = 0
            for batch in file.iter_batches(columns=list(_NAMES)):
                for name in _NAMES:
                    if batch.column(name).null_count:
                        empty = batch.column(name).is_null().to_numpy(zero_copy_only=False)
                        row = num_rows + int(np.flatnonzero(empty)[0]) + 1
                        raise InputError(
                            name,
                            None,
                            "not be null",
                            remedy="fill it in or leave the row out",
                            place=f"{place(path)}, row {row}",
                        )
                num_rows += batch.num_rows
                yield (
                    batch.column("source").to_pylist(),
                    batch.column("target").to_pylist(),
                    batch.column("probability").cast(pa.float64(), safe=False).to_numpy(),
                )
    except DAMAGE as error:
        raise damaged(error, place=place(path)) from None
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        # pyarrow also raises OSError for bad content; those of the system carry a number.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise InputError(
            "content",
            str(error),
            "be a readable Parquet file",
            remedy="write the file again",
            place=place(path),
        ) from None


def _check_parquet_types(schema: Any, types: Any, *, place: str) -> None:
    """Raise InputError unless `schema` holds the three columns: text, text and numbers."""
    _check_names(schema.names, place=place)
    for name in _NAMES:
        kind = schema.field(name).type
        values = kind.value_type if types.is_dictionary(kind) else kind
        numeric = types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
        text = types.is_string(values) or types.is_large_string(values)
        if not (numeric if name == "probability" else text):
            raise InputError(
                f"type of column {name}",
                str(kind),
                "be numbers" if name == "probability" else "be text",
                remedy="convert the column",
                place=place,
            )


def _check_names(names: list[str], *, place: str) -> None:
    if sorted(names) != sorted(_NAMES):
        raise InputError(
            "wrong column names: the row of names",
            ", ".join(names),
            f"be {', '.join(_NAMES)} in any order",
            remedy="name these columns, and leave out others",
            place=place,
        )


def _no_probability(value: object, *, place: str) -> InputError:
    return InputError(
        "probability", value, "be a number in [0, 1]", remedy="write it like 0.25", place=place
    )


def _scalar(value: object) -> object:
    """Return `value`, or a name for what may be nested too deep to show."""
    return "an object or a list" if isinstance(value, (tuple, list)) else value


def _is_unicode(text: str) -> bool:
    """Return whether `text` holds no half of a surrogate pair, which no file could hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
