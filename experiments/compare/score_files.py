"""Scores in any form; files: tables, lines of trec_eval and of ir_measures, JSON."""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from prum.experiments.compare.score_tables import (
    SUMMARY,
    rows_of_mapping,
    rows_of_system,
    rows_of_table,
    score_of,
    unknown,
)
from prum.experiments.compare.scores import ScoreRow, Scores, gathered
from prum.experiments.measures.aliases import are_measures, is_measure
from prum.simulator.model import InputError
from prum.simulator.tables.files import (
    BYTE_ORDER_MARK,
    FilePath,
    Opened,
    bare_name,
    looked_at,
    place,
    readable,
    text_lines,
)
from prum.simulator.tables.forms import read_json
from prum.simulator.tables.read import is_one_table, is_row

_PARQUET = b"PAR1"
# A line of trec_eval or of ir_measures.
SCORE_LINE = re.compile(r"[^\s,]+\s+[^\s,]+\s+([+-]?[0-9.]+([eE][+-]?[0-9]+)?|[nN]a[nN])\s*")


def scores_of(
    given: Any, measures: str | Sequence[Any] = (), *, missing: str = "refuse"
) -> tuple[Scores, tuple[str, ...]]:
    """Return scores given in any form, and what was done about those that are missing.

    By some `measures`, or all. Raise InputError as `gathered`, and for another form.
    """
    names = measures.split(",") if isinstance(measures, str) else list(measures)
    for name in names:
        if not isinstance(name, str):
            raise InputError("measure", name, "be a text", remedy="give names of measures")
    if isinstance(given, Scores):
        return given, ()
    names = [name.strip() for name in names if name.strip()]
    return gathered(_rows(given), measures=names, missing=missing)


def _rows(scores: Any) -> Iterator[ScoreRow]:
    if isinstance(scores, str | os.PathLike):
        scores = [scores]
    if isinstance(scores, Mapping):
        return rows_of_mapping(scores)
    if is_one_table(scores):
        return rows_of_table(scores)
    is_several = isinstance(scores, Sequence) and len(scores) > 0
    if not is_several or not all(isinstance(item, str | os.PathLike) for item in scores):
        remedy = "give system -> topic -> score"
        raise InputError("scores", scores, "be a data frame, a mapping, or files", remedy=remedy)
    return rows_of_files(score_files(scores))


def score_files(files: Sequence[FilePath]) -> list[Path]:
    """Return files, and for a folder those in it and below, in order, without hidden ones.

    Raise InputError if a folder holds no file, or a file is there twice.
    """
    paths, places = set[str](), list[Path]()
    for name in map(Path, files):
        inside = [name]
        if name.is_dir():
            inside = sorted(
                path
                for path in name.rglob("*")
                if path.is_file()
                and not any(part.startswith(".") for part in path.relative_to(name).parts)
            )
            if not inside:
                remedy = "name a folder with files of scores"
                raise InputError(
                    "number of files", 0, "be at least 1", remedy=remedy, place=place(name)
                )
        for path in inside:
            # Without an error for a link that leads back to itself, which opening it tells.
            real = os.path.realpath(path)
            if real in paths:
                rule, remedy = "be given once", "leave it out the second time"
                raise InputError("file of scores", readable(path), rule, remedy=remedy)
            paths.add(real)
            places.append(path)
    return places


def rows_of_files(files: Sequence[Path]) -> Iterator[ScoreRow]:
    """Yield the scores of files, each of whatever form it has; see `rows_of_file`."""
    names = _system_names(files)
    for path, name in zip(files, names, strict=True):
        yield from rows_of_file(path, name=name)


def rows_of_file(path: FilePath, *, name: str) -> Iterator[ScoreRow]:
    """Yield the scores of a file; `name` is the system's of one that names none.

    Raise InputError if it has none of the forms that are known, or breaks the one it has, and
    OSError if it cannot be read.
    """
    with looked_at(path) as file:
        named = {"system": name, "measure": _bare(path)}
        first = file.beginning.removeprefix(BYTE_ORDER_MARK).lstrip()
        if first.startswith(_PARQUET):
            yield from rows_of_table(file, suffix=".parquet", **named)
            return
        line = first.decode("utf-8", "replace").rstrip("\r\n")
        if line.split()[1:2] == ["Q0"]:
            rule, remedy = "hold scores, not a run", "score runs by prum evaluate"
            raise InputError("file of scores", readable(path), rule, remedy=remedy)
        if is_row(first):
            yield from rows_of_table(file, suffix=".jsonl", **named)
        elif line.startswith(("{", "[")):
            yield from _rows_of_json(file, name=name)
        elif SCORE_LINE.fullmatch(line) or line.split()[:2] == ["runid", SUMMARY]:
            yield from _rows_of_lines(file, name)
        elif "," in line or "\t" in line:
            suffix = ".tsv" if "\t" in line and "," not in line.split("\t")[0] else ".csv"
            yield from rows_of_table(file, suffix=suffix, **named)
        else:
            raise unknown(line, place(path))


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
                "number of columns",
                len(fields),
                "be 3: measure, topic and score",
                remedy="write them by trec_eval -q or ir_measures -q",
                place=place(file, number),
            )
        rows.append((number, system, fields[0], fields[1], fields[2]))
    topic_first = _topic_is_first(rows, place(file))
    for number, system, *fields, text in rows:
        topic, measure = fields if topic_first else fields[::-1]
        if topic == SUMMARY or measure.startswith("relstring"):
            continue
        where = place(file, number)
        score = score_of("" if text.lower() == "nan" else text, measure, where)
        yield ScoreRow(system, topic, measure, score, where)


def _topic_is_first(rows: Sequence[tuple[int, str, str, str, str]], where: str) -> bool:
    firsts, seconds = {row[2] for row in rows}, {row[3] for row in rows}
    signs = (SUMMARY in firsts, SUMMARY in seconds)
    if signs[0] == signs[1]:
        signs = (all(map(is_measure, seconds)), all(map(is_measure, firsts)))
    if signs[0] == signs[1]:
        line = " ".join(rows[0][2:]) if rows else ""
        raise InputError(
            "lines like",
            line,
            "name a measure first (trec_eval) or second (ir_measures)",
            remedy="keep the lines of the mean, topic all, or give a table with columns topic, "
            "measure, score",
            place=where,
        )
    if firsts <= {SUMMARY} or seconds <= {SUMMARY}:
        rule, remedy = "be more than the mean of all", "write scores of each topic, by -q"
        raise InputError("topics", SUMMARY, rule, remedy=remedy, place=where)
    return signs[0]


def _bare(path: FilePath) -> str:
    """Return the name of a file without what tells its form."""
    return PurePath(bare_name(readable(path))).stem


def _system_names(files: Sequence[Path]) -> list[str]:
    """Return what systems are called whose files do not say it: the file's name, or its path."""
    names = [_bare(path) for path in files]
    return [
        name if names.count(name) == 1 else readable(path)
        for path, name in zip(files, names, strict=True)
    ]


def _rows_of_json(file: Opened, *, name: str) -> Iterator[ScoreRow]:
    """Yield the scores of a JSON file: records, system -> topic -> score, or one system's.

    Raise InputError if it is no JSON, or none of the known forms; `name` is the system's of one
    that names none.
    """
    content, where = read_json(file), place(file)
    if isinstance(content, list) and content and all(isinstance(row, dict) for row in content):
        yield from rows_of_table(content, name=where, system=name)
        return
    is_mapping = isinstance(content, dict) and bool(content)
    if not is_mapping or not all(isinstance(by, Mapping) for by in content.values()):
        raise unknown(json.dumps(content)[:60], where)
    is_deep = any(isinstance(value, Mapping) for by in content.values() for value in by.values())
    keys = (key for by in content.values() for key in by)
    if is_deep or not (are_measures(content, place=where) or are_measures(keys, place=where)):
        yield from rows_of_mapping(content, place=where)
    else:
        yield from rows_of_system(name, content, place=where)
