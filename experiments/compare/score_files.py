"""Scores in any form; files: tables, lines of trec_eval, JSON of prum, ranx and MTEB."""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from prum.experiments.compare.score_tables import (
    NAMES,
    SUMMARY,
    rows_of_columns,
    rows_of_frame,
    rows_of_mapping,
    rows_of_system,
    score_of,
    unknown,
)
from prum.experiments.compare.scores import UNNAMED, ScoreRow, Scores, gathered
from prum.experiments.measures.aliases import are_measures, is_measure
from prum.simulator.model import InputError
from prum.simulator.tables.files import (
    BYTE_ORDER_MARK,
    FilePath,
    Opened,
    looked_at,
    place,
    readable,
    text_lines,
)
from prum.simulator.tables.json_files import read_json
from prum.simulator.tables.layout import number_of
from prum.simulator.tables.read import as_frame, columns_of, is_one_table, read_raw

_PARQUET = b"PAR1"
# How pandas heads an index without a name, in text and in Parquet.
_NAMELESS = ("", "Unnamed: 0", "__index_level_0__")
_PACKED = (".gz", ".xz", ".bz2")
# A line of trec_eval or of ir_measures.
_LINE = re.compile(r"[^\s,]+\s+[^\s,]+\s+([+-]?[0-9.]+([eE][+-]?[0-9]+)?|[nN]a[nN])\s*")


def scores_of(
    given: Any, measures: str | Sequence[Any] = (), *, missing: str = "refuse"
) -> tuple[Scores, tuple[str, ...]]:
    """Return scores given in any form, and what was done about those that are missing.

    By some `measures`; where none is chosen and files hold MTEB's main score, by this alone, since
    others differ between tasks.

    Raise InputError as `gathered`, and for another form.
    """
    names = measures.split(",") if isinstance(measures, str) else list(measures)
    for name in names:
        if not isinstance(name, str):
            raise InputError("measure", name, "be a text", remedy="give names of measures")
    names = [name.strip() for name in names if name.strip()]
    if isinstance(given, Scores):
        return given, ()
    rows = list(_rows(given))
    if not names and any(row.measure == MAIN for row in rows):
        rows = [row for row in rows if row.measure == MAIN]
    return gathered(rows, measures=names, missing=missing)


def _rows(scores: Any) -> Iterator[ScoreRow]:
    if isinstance(scores, str | os.PathLike):
        scores = [scores]
    if isinstance(scores, Mapping):
        return rows_of_mapping(scores)
    if is_one_table(scores):
        return rows_of_frame(as_frame(scores))
    if not isinstance(scores, Sequence) or not scores:
        remedy = "give system -> topic -> score"
        raise InputError("scores", scores, "be a data frame, a mapping, or files", remedy=remedy)
    if all(isinstance(item, str | os.PathLike) for item in scores):
        return rows_of_files(score_files(scores))
    return _rows_of_runs(scores)


def _rows_of_runs(runs: Sequence[Any]) -> Iterator[ScoreRow]:
    """Yield the scores that runs of ranx hold once they were evaluated."""
    for run in runs:
        if not isinstance(getattr(run, "scores", None), Mapping) or not run.scores:
            rule, remedy = (
                "be there, of each measure and topic",
                "evaluate runs of ranx first, or give files",
            )
            raise InputError("scores of a run", run, rule, remedy=remedy)
        yield from rows_of_system(str(run.name), run.scores, place="")


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
        named = {"place": place(path), "system": name, "measure": _bare(path)}
        first = file.beginning.removeprefix(BYTE_ORDER_MARK).lstrip()
        if first.startswith(_PARQUET):
            yield from _rows_of_table(file, ".parquet", **named)
            return
        line = first.decode("utf-8", "replace").rstrip("\r\n")
        if line.split()[1:2] == ["Q0"]:
            rule, remedy = "hold scores, not a run", "score runs by prum evaluate"
            raise InputError("file of scores", readable(path), rule, remedy=remedy)
        if line.startswith(("{", "[")):
            if _is_row(line):
                yield from _rows_of_table(file, ".jsonl", **named)
            else:
                yield from _rows_of_json(file, path, name=name)
        elif _LINE.fullmatch(line) or line.startswith("runid"):
            yield from _rows_of_lines(file, name)
        elif "," in line or "\t" in line:
            suffix = ".tsv" if "\t" in line and "," not in line.split("\t")[0] else ".csv"
            yield from _rows_of_table(file, suffix, **named)
        else:
            raise unknown(line, place(path))


def _rows_of_table(file: Opened, suffix: str, **named: Any) -> Iterator[ScoreRow]:
    """Yield the scores of CSV, TSV, JSON lines or Parquet."""
    raw = read_raw(file, suffix=suffix)
    places = [raw.place(place(file), row) for row in range(len(raw.numbers))]
    index = next((name for name in _NAMELESS if name in raw.columns), None)
    yield from rows_of_columns(raw.columns, places=places, index=index, typed=raw.typed, **named)


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
        score = float("nan") if text.lower() == "nan" else number_of(text)
        if score != score and text.lower() != "nan":
            raise InputError(
                f"score of {measure}",
                text,
                "be a number",
                remedy="check what wrote it",
                place=place(file, number),
            )
        yield ScoreRow(system, topic, measure, score, place(file, number))


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


def _is_row(line: str) -> bool:
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
    keys = {key.lower() for key in content}
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


# --- JSON


# The measure of a task of MTEB that stands for it.
MAIN = "main_score"
# How MTEB calls the folder of a model's revision.
_REVISION = re.compile(r"[0-9a-f]{7,40}|no_revision_available|external|main|\d+")


def _rows_of_json(file: Opened, path: FilePath, *, name: str) -> Iterator[ScoreRow]:
    """Yield the scores of a JSON file; `name` is the system's of one that names none.

    Raise InputError if it is no JSON, or none of the known forms.
    """
    where = place(file)
    content = read_json(file)
    if isinstance(content, list) and content and all(isinstance(row, dict) for row in content):
        places = [f"{where}, row {number}" for number in range(1, len(content) + 1)]
        table = columns_of(content, where)
        yield from rows_of_columns(table, place=where, places=places, system=name, measure=UNNAMED)
    elif not isinstance(content, dict) or not content:
        raise unknown(json.dumps(content)[:60], where)
    elif {"topics", "scores", "means"} <= set(content):
        yield from _rows_of_prum(content, where)
    elif "scores" in content and "task_name" in content:
        yield from _rows_of_mteb(content, Path(path), where)
    elif {"name", "revision"} <= set(content) and Path(path).name == "model_meta.json":
        return
    else:
        yield from _rows_of_nested(content, where, name)


def _rows_of_prum(content: Mapping[str, Any], where: str) -> Iterator[ScoreRow]:
    try:
        rows = [
            (system, str(topic), measure, score)
            for measure, by_system in content["scores"].items()
            for system, scores in by_system.items()
            for topic, score in zip(content["topics"], scores, strict=True)
        ]
    except (AttributeError, TypeError, ValueError):
        rule, remedy = (
            "be measure -> system -> a score for each topic",
            "write them again, by --json",
        )
        raise InputError("scores of prum", "other", rule, remedy=remedy, place=where) from None
    for system, topic, measure, score in rows:
        yield ScoreRow(system, topic, measure, score_of(score, measure, where), where)


def _rows_of_nested(content: Mapping[str, Any], where: str, name: str) -> Iterator[ScoreRow]:
    """Yield system -> topic -> score; or one system's measure -> topic or topic -> measure."""
    inner = [by for by in content.values() if isinstance(by, Mapping)]
    if len(inner) < len(content):
        raise unknown(", ".join(list(content)[:6]), where)
    is_deep = any(isinstance(value, Mapping) for by in inner for value in by.values())
    keys = (key for by in inner for key in by)
    if is_deep or not (are_measures(content, place=where) or are_measures(keys, place=where)):
        yield from rows_of_mapping(content, place=where)
    else:
        yield from rows_of_system(name, content, place=where)


def _rows_of_mteb(content: Mapping[str, Any], path: Path, where: str) -> Iterator[ScoreRow]:
    """Yield a model's scores on a task, its topic; of several splits or subsets each is a topic."""
    model, task, splits = _model(path), str(content["task_name"]), content["scores"]
    try:
        topics = {
            f"{task} ({split})" if len(splits) > 1 else task: {
                # Models may have other subsets: a mean would compare what is not alike.
                f" {subset['hf_subset']}" if len(subsets) > 1 else "": subset
                for subset in subsets
            }
            for split, subsets in splits.items()
        }
    except (AttributeError, KeyError, TypeError):
        topics = {}
    subsets = [subset for by_subset in topics.values() for subset in by_subset.values()]
    if not (topics and all(topics.values()) and all(MAIN in subset for subset in subsets)):
        rule = f"be split -> objects with hf_subset and {MAIN}"
        remedy = "take files that mteb writes"
        raise InputError(f"scores of {task}", "other", rule, remedy=remedy, place=where)
    for topic, by_subset in topics.items():
        for name, subset in by_subset.items():
            yield from _rows_of_subset(subset, model, f"{topic}{name}", where)


def _rows_of_subset(
    subset: Mapping[str, Any], model: str, topic: str, where: str
) -> Iterator[ScoreRow]:
    for measure, score in subset.items():
        if measure == MAIN or (isinstance(score, float | int) and not isinstance(score, bool)):
            yield ScoreRow(model, topic, measure, score_of(score, measure, where), where)


def _model(path: Path) -> str:
    """Return the model of a file in MODEL/REVISION/TASK.json or MODEL/TASK.json."""
    folder = Path(os.path.realpath(path)).parent
    meta = folder / "model_meta.json"
    if meta.is_file():
        try:
            return str(read_json(meta)["name"])
        except (InputError, KeyError, TypeError):
            pass
    folder = folder.parent if _REVISION.fullmatch(folder.name) else folder
    return folder.name.replace("__", "/")
