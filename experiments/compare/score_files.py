"""Files of scores: tables, lines of trec_eval and ir_measures, and JSON, told by their content."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from prum.experiments.compare.score_columns import NAMES, unknown
from prum.experiments.compare.score_data import SUMMARY, rows_of_columns, rows_of_frame
from prum.experiments.compare.score_json import rows_of_json
from prum.experiments.compare.score_measures import is_measure
from prum.experiments.compare.score_rows import ScoreRow
from prum.simulator.model import InputError
from prum.simulator.tables.cells import number_of
from prum.simulator.tables.files import (
    BYTE_ORDER_MARK,
    FilePath,
    Opened,
    looked_at,
    place,
    readable,
    text_lines,
)
from prum.simulator.tables.parquet import parquet_frame
from prum.simulator.tables.raw import read_raw

_PARQUET = b"PAR1"
# How pandas heads an index without a name.
_NAMELESS = ("", "Unnamed: 0")
_PACKED = (".gz", ".xz", ".bz2")
# A line of trec_eval or of ir_measures.
_LINE = re.compile(r"[^\s,]+\s+[^\s,]+\s+([+-]?[0-9.]+([eE][+-]?[0-9]+)?|[nN]a[nN])\s*")


def score_files(files: Sequence[FilePath]) -> list[Path]:
    """Return files, and for a folder those in it and below, in order, without hidden ones.

    Raises
    ------
    InputError
        if a folder holds no file, or a file is there twice.
    """
    paths, places = dict[Path, Path](), list[Path]()
    for name in map(Path, files):
        inside = [name]
        if name.is_dir():
            inside = sorted(
                path for path in name.rglob("*")
                if path.is_file()
                and not any(part.startswith(".") for part in path.relative_to(name).parts)
            )  # fmt: skip
            if not inside:
                remedy = "name a folder with files of scores"
                raise InputError(
                    "number of files", 0, "be at least 1", remedy=remedy, place=place(name)
                )
        for path in inside:
            if path.resolve() in paths:
                raise InputError(
                    "file of scores", readable(path), "be given once",
                    remedy="leave it out the second time",
                )  # fmt: skip
            paths[path.resolve()] = path
            places.append(path)
    return places


def rows_of_files(files: Sequence[Path], columns: Mapping[str, str]) -> Iterator[ScoreRow]:
    """Yield the scores of files, each of whatever form it has; see `rows_of_file`."""
    names = _system_names(files)
    for path, name in zip(files, names, strict=True):
        yield from rows_of_file(path, columns, name=name)


def rows_of_file(path: FilePath, columns: Mapping[str, str], *, name: str) -> Iterator[ScoreRow]:
    """Yield the scores of a file; `name` is the system's of one that names none.

    Raises
    ------
    InputError
        if it has none of the forms that are known, or breaks the one it has.
    OSError
        if it cannot be read.
    """
    with looked_at(path) as file:
        named = {"place": place(path), "system": name, "measure": _bare(path)}
        first = file.beginning.removeprefix(BYTE_ORDER_MARK).lstrip()
        if first.startswith(_PARQUET):
            yield from rows_of_frame(parquet_frame(file), columns, **named)
            return
        line = first.decode("utf-8", "replace").rstrip("\r\n")
        if line.startswith(("{", "[")):
            if _is_row(line, columns):
                yield from _rows_of_table(file, columns, ".jsonl", **named)
            else:
                yield from rows_of_json(file, path, columns, name=name)
        elif _LINE.fullmatch(line) or line.startswith("runid"):
            yield from _rows_of_lines(file, name)
        elif "," in line or "\t" in line:
            suffix = ".tsv" if "\t" in line and "," not in line.split("\t")[0] else ".csv"
            yield from _rows_of_table(file, columns, suffix, **named)
        else:
            raise unknown(line, place(path))


def _rows_of_table(
    file: Opened, columns: Mapping[str, str], suffix: str, **named: Any
) -> Iterator[ScoreRow]:
    """Yield the scores of CSV, TSV or JSON lines."""
    raw = read_raw(file, suffix=suffix)
    places = [raw.place(place(file), row) for row in range(len(raw.numbers))]
    first = next(iter(raw.columns))
    index = first if first in _NAMELESS else None
    yield from rows_of_columns(
        raw.columns, columns, places=places, index=index, typed=raw.typed, **named
    )


def _rows_of_lines(file: Opened, name: str) -> Iterator[ScoreRow]:
    """Yield the scores of lines like trec_eval's, measure first, or ir_measures', topic first.

    Which of both is seen by the mean's line, whose topic is "all", or by the names of measures.
    A line "runid all NAME" begins another system.
    """
    system, rows = name, list[tuple[int, str, str, str, str]]()
    for number, line in enumerate(text_lines(file), start=1):
        fields = line.split()
        if not fields:
            continue
        if fields[0] == "runid":
            system = line.split(None, 2)[2].strip() if len(fields) > 2 else name
            continue
        if len(fields) != 3:
            raise InputError(
                "number of columns", len(fields), "be 3: measure, topic and score",
                remedy="write them by trec_eval -q or ir_measures -q", place=place(file, number),
            )  # fmt: skip
        rows.append((number, system, fields[0], fields[1], fields[2]))
    topic_first = _topic_is_first(rows, place(file))
    for number, system, *fields, text in rows:
        topic, measure = fields if topic_first else fields[::-1]
        if topic == SUMMARY or measure == "relstring":
            continue
        score = float("nan") if text.lower() == "nan" else number_of(text)
        if score != score and text.lower() != "nan":
            raise InputError(
                f"score of {measure}", text, "be a number", remedy="check what wrote it",
                place=place(file, number),
            )  # fmt: skip
        yield ScoreRow(system, topic, measure, score, place(file, number))


def _topic_is_first(rows: Sequence[tuple[int, str, str, str, str]], where: str) -> bool:
    firsts, seconds = {row[2] for row in rows}, {row[3] for row in rows}
    signs = (SUMMARY in firsts, SUMMARY in seconds)
    if signs[0] == signs[1]:
        signs = (all(map(is_measure, seconds)), all(map(is_measure, firsts)))
    if signs[0] == signs[1]:
        line = " ".join(rows[0][2:]) if rows else ""
        raise InputError(
            "lines like", line, "name a measure first (trec_eval) or second (ir_measures)",
            remedy="keep the lines of the mean, topic all, or give a table with columns topic, "
            "measure, score", place=where,
        )  # fmt: skip
    if firsts <= {SUMMARY} or seconds <= {SUMMARY}:
        raise InputError(
            "topics", SUMMARY, "be more than the mean of all",
            remedy="write scores of each topic, by -q", place=where,
        )  # fmt: skip
    return signs[0]


def _is_row(line: str, columns: Mapping[str, str]) -> bool:
    """Return whether a line is a JSON object that has a topic and a score, as a row has.

    So has one of single values, except what MTEB says of a model.
    """
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return False
    if not isinstance(content, dict):
        return False
    is_mteb_model = {"name", "revision"} <= content.keys()
    if not any(isinstance(value, list | dict) for value in content.values()):
        return bool(content) and not is_mteb_model
    keys = {key.lower() for key in content} | {
        role for role, column in columns.items() if column in content
    }
    return all(keys & {role, *NAMES[role]} for role in ("topic", "score"))


def _bare(path: FilePath) -> str:
    """Return the name of a file without what tells its form."""
    name = PurePath(readable(path))
    return (name.with_suffix("") if name.suffix in _PACKED else name).with_suffix("").name


def _system_names(files: Sequence[Path]) -> list[str]:
    """Return what systems are called whose files do not say it: the file's name, or its path."""
    names = [_bare(path) for path in files]
    return [
        name if names.count(name) == 1 else readable(path)
        for path, name in zip(files, names, strict=True)
    ]
