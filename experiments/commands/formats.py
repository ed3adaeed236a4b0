"""The schemas there are, by name, each derived from what writes or reads the file."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any, TypedDict, get_args, get_type_hints

from pydantic import BaseModel

from prum.experiments.crosscheck import approximations
from prum.experiments.fitting import features
from prum.experiments.fitting.fitted import FittedFile
from prum.experiments.frame.result import Cell, Schema, schema_of, schema_of_options
from prum.experiments.frame.view import TableContent
from prum.experiments.generate.dataset import NAVIGATION, SCORES
from prum.experiments.generate.files import Description
from prum.experiments.generate.specification import DatasetSpecification
from prum.experiments.logs.events import COLUMNS, STRETCHES, layout_of
from prum.experiments.logs.rows import PLAIN
from prum.experiments.studies.estimators import given
from prum.experiments.studies.kit.registry import studies
from prum.experiments.sweeps.specification import SweepSpecification
from prum.experiments.sweeps.verb import COLUMNS as COLUMNS_OF_ROWS
from prum.experiments.sweeps.verb import OPTIONAL_COLUMNS
from prum.simulator.collections import costs, gold_files, links, placing, probabilities
from prum.simulator.collections.chunk_files import chunk_layout
from prum.simulator.tables.layout import Layout

CHANGES: Mapping[str, tuple[str, ...]] = {}


DRAFT = "https://json-schema.org/draft/2020-12/schema"
_HERE = "prum.experiments"
# The class of a verb's result, its design where its arguments are those of one, and classes of
# results that hold more.
_RESULTS = {
    "compare": ("compare.result:ComparisonResult", "compare.design:COMPARE"),
    "crosscheck": ("crosscheck.result:Crosscheck", ""),
    "evaluate": (
        "evaluate.result:EvaluationResult",
        "evaluate.design:EVALUATE",
        "evaluate.by_spans:SpanEvaluationResult",
        "evaluate.uncertain_result:UncertainEvaluationResult",
    ),
    "evaluate sessions": ("evaluate.session_result:SessionsEvaluation", "evaluate.design:EVALUATE"),
    "explore": ("explore.verb:Explorer", ""),
    "fit": ("fitting.fit_result:FitResult", "fitting.design:FIT"),
    "judges": ("judges.verb:JudgesResult", "judges.design:JUDGES"),
    "referee": ("sessions.referee_result:RefereeResult", "sessions.referee_design:REFEREE"),
    "replay": ("sessions.replay_verb:Replay", ""),
    "report": ("report.view:Report", "report.design:REPORT"),
    "simulate": ("sessions.result:SessionsResult", ""),
    "trust": ("trust.result:TrustResult", "trust.design:TRUST"),
}
# Of a table a row, as a line of JSON has it.
_TABLES: Mapping[str, Layout] = {
    "approximation": approximations.LAYOUT,
    "chunks": chunk_layout((), with_texts=True),
    "costs": costs.LAYOUT,
    "elements": links.ELEMENTS,
    "estimates": given.ESTIMATES,
    "features": features.LAYOUT,
    "gold spans": gold_files.LAYOUT,
    "intents": probabilities.INTENTS,
    "links": links.LAYOUT,
    "log of people": PLAIN,
    "log of users": layout_of((*COLUMNS, *STRETCHES)),
    "texts": placing.LAYOUT,
    "true navigation": NAVIGATION,
    "true scores": SCORES,
    "uncertain judgements": probabilities.LAYOUT,
}
_SPECIFICATIONS: Mapping[str, type[BaseModel]] = {
    "sweep specification": SweepSpecification,
    "dataset specification": DatasetSpecification,
    "dataset": Description,
}
_CELLS = {"string": str, "float64": float}


class TopicRow(TypedDict):
    """A topic of a made collection."""

    topic: str
    ideals: list[str]


def schemas() -> dict[str, Schema]:
    """Return the JSON schema of each result, file and table, by name.

    That of a result holds for its JSON, which says the name: `kind`. That of a table holds for a
    row, with the first name of each column. `$id` ends with the schema's version, and
    `$comment` says what changed in it.

    >>> schemas()["links"]["required"]
    ['source', 'target', 'probability']
    """
    return dict(_known())


@cache
def _known() -> dict[str, Schema]:
    found = {
        **{name: _result(*places) for name, places in _RESULTS.items()},
        **{f"study {name}": _study(name) for name in studies()},
        **{name: layout.schema() for name, layout in _TABLES.items()},
        **{name: kind.model_json_schema() for name, kind in _SPECIFICATIONS.items()},
        "topics": schema_of(TopicRow),
        "sweep rows": _rows(COLUMNS_OF_ROWS, OPTIONAL_COLUMNS),
        "fitted navigation": {**schema_of(FittedFile), "additionalProperties": True},
    }
    return {name: _named(name, found[name]) for name in sorted(found)}


def _named(name: str, schema: Schema) -> Schema:
    changes = CHANGES.get(name, ())
    number = f"urn:prum:schema:{name.replace(' ', '-')}:{len(changes) + 1}"
    told = {"$comment": " ".join(changes)} if changes else {}
    return {**schema, "$schema": DRAFT, "$id": number, "title": name, **told}


def _result(home: str, verb: str, *more: str) -> Schema:
    kind, values = _loaded(home).kind, _values(home)
    for other in more:
        values = {**values, "properties": values["properties"] | _values(other)["properties"]}
    return _envelope(kind, values, schema_of_options(_loaded(verb).design) if verb else None)


def _values(home: str) -> Schema:
    return schema_of(get_type_hints(_loaded(home).values, include_extras=True)["return"])


def _study(name: str) -> Schema:
    study = studies()[name]
    row, found = get_args(get_type_hints(study.compute, include_extras=True)["return"])
    options = schema_of_options(study.design)
    values = {
        "study": {"const": name},
        "options": options,
        "confidence": schema_of(float),
        "rows": schema_of(row),
        "found": schema_of(found),
    }
    return _envelope(f"study {name}", {"properties": values, "required": list(values)}, options)


def _envelope(kind: str, values: Schema, arguments: Schema | None) -> Schema:
    """Return the schema of a result with these values, as `Result.to_json` writes it."""
    common = {
        "kind": {"const": kind},
        "version": schema_of(str),
        "command": schema_of(str),
        "arguments": arguments or schema_of(dict[str, Cell | list[Cell]]),
        "headline": schema_of(str),
    }
    tables = {"tables": schema_of(list[TableContent])}
    return {
        "type": "object",
        "properties": common | values["properties"] | tables,
        "required": [*common, *values["required"], "tables"],
        "additionalProperties": False,
    }


def _rows(columns: Mapping[str, str], optional: Mapping[str, str]) -> Schema:
    """Return the schema of a row of columns as pandas has them; any may be empty."""
    kinds = {
        name: schema_of(_CELLS.get(kind, int) | None)
        for name, kind in {**columns, **optional}.items()
    }
    return {
        "type": "object",
        "properties": kinds,
        "required": list(columns),
        "additionalProperties": False,
    }


def _loaded(home: str) -> Any:
    module, _, name = home.partition(":")
    return getattr(import_module(f"{_HERE}.{module}"), name)
