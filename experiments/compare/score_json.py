"""JSON files of scores: of `prum evaluate`, of ranx, of MTEB, and mappings."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from prum.experiments.compare.score_columns import unknown
from prum.experiments.compare.score_data import (
    rows_of_columns,
    rows_of_mapping,
    rows_of_system,
    score_of,
)
from prum.experiments.compare.score_measures import are_measures
from prum.experiments.compare.score_rows import UNNAMED, ScoreRow
from prum.simulator.model import InputError
from prum.simulator.tables.files import FilePath, Opened, place
from prum.simulator.tables.frames import columns_of
from prum.simulator.tables.json_files import read_json

# The measure of a task of MTEB that stands for it.
MAIN = "main_score"
# How MTEB calls the folder of a model's revision.
_REVISION = re.compile(r"[0-9a-f]{7,40}|no_revision_available|external|main|\d+")


def rows_of_json(
    file: Opened, path: FilePath, columns: Mapping[str, str], *, name: str
) -> Iterator[ScoreRow]:
    """Yield the scores of a JSON file; `name` is the system's of one that names none.

    Raises
    ------
    InputError
        if it is no JSON, or none of the known forms.
    """
    where = place(file)
    content = read_json(file)
    if isinstance(content, list) and content and all(isinstance(row, dict) for row in content):
        places = [f"{where}, row {number}" for number in range(1, len(content) + 1)]
        table = columns_of(content, where)
        yield from rows_of_columns(
            table, columns, place=where, places=places, system=name, measure=UNNAMED
        )
    elif not isinstance(content, dict) or not content:
        raise unknown(json.dumps(content)[:60], where)
    elif {"topics", "scores", "means"} <= set(content):
        yield from _rows_of_prum(content, where)
    elif {"model_names", "metrics", "stat_test"} <= set(content):
        raise InputError(
            "scores", "ranx's report: means alone", "be of each topic",
            remedy="write Run.scores of each run as JSON, a file each", place=where,
        )  # fmt: skip
    elif "scores" in content and "task_name" in content:
        yield from _rows_of_mteb(content, Path(path), where)
    elif "mteb_dataset_name" in content:
        raise InputError(
            "form of MTEB's results", "that before version 1.11", "have main_score in scores",
            remedy="load and save it by a newer mteb", place=where,
        )  # fmt: skip
    elif {"name", "revision"} <= set(content) and Path(path).name == "model_meta.json":
        return
    else:
        yield from _rows_of_nested(content, where, name)


def _rows_of_prum(content: Mapping[str, Any], where: str) -> Iterator[ScoreRow]:
    topics = content["topics"]
    if not _are_scores_on(topics, content["scores"]):
        raise InputError(
            "scores of prum", "something else", "be measure -> system -> a score for each topic",
            remedy="write them again, by --json", place=where,
        )  # fmt: skip
    for measure, by_system in content["scores"].items():
        for system, scores in by_system.items():
            for topic, score in zip(topics, scores, strict=True):
                yield ScoreRow(system, str(topic), measure, score_of(score, measure, where), where)


def _are_scores_on(topics: Any, scores: Any) -> bool:
    """Return whether scores are measure -> system -> one for each topic."""
    return (
        isinstance(topics, list)
        and isinstance(scores, dict)
        and all(isinstance(by_system, dict) for by_system in scores.values())
        and all(
            isinstance(row, list) and len(row) == len(topics)
            for by_system in scores.values()
            for row in by_system.values()
        )
    )


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
    if not isinstance(splits, dict) or not all(map(_are_subsets, splits.values())):
        raise InputError(
            f"scores of {task}", "something else", f"be split -> objects with hf_subset and {MAIN}",
            remedy="take files that mteb writes", place=where,
        )  # fmt: skip
    for split, subsets in splits.items():
        topic = task if len(splits) == 1 else f"{task} ({split})"
        if len(subsets) > 1:
            # Models may have other subsets: a mean would compare what is not alike.
            for subset in subsets:
                yield from _rows_of_subset(subset, model, f"{topic} {subset['hf_subset']}", where)
        else:
            yield from _rows_of_subset(subsets[0], model, topic, where)


def _are_subsets(subsets: Any) -> bool:
    return (
        isinstance(subsets, list)
        and bool(subsets)
        and all(isinstance(subset, dict) and MAIN in subset for subset in subsets)
        and (len(subsets) == 1 or all("hf_subset" in subset for subset in subsets))
    )


def _rows_of_subset(
    subset: Mapping[str, Any], model: str, topic: str, where: str
) -> Iterator[ScoreRow]:
    for measure, score in subset.items():
        if measure == MAIN or (isinstance(score, float | int) and not isinstance(score, bool)):
            yield ScoreRow(model, topic, measure, score_of(score, measure, where), where)


def _model(path: Path) -> str:
    """Return the model of a file in MODEL/REVISION/TASK.json or MODEL/TASK.json."""
    folder = path.resolve().parent
    meta = folder / "model_meta.json"
    if meta.is_file():
        try:
            return str(read_json(meta)["name"])
        except (InputError, KeyError, TypeError):
            pass
    folder = folder.parent if _REVISION.fullmatch(folder.name) else folder
    return folder.name.replace("__", "/")
