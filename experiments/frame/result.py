"""The result of a verb or a study, ways to write and show it, and JSON schemas of its values."""

import dataclasses
import types
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import numpy as np

from prum.experiments.frame.design import Design
from prum.experiments.frame.files import json_text, plain
from prum.experiments.frame.view import View
from prum.simulator.model.errors import InputError
from prum.simulator.model.process import own_version

if TYPE_CHECKING:
    import pandas as pd

Schema = dict[str, Any]
# A cell of a table, and an argument that is data.
Cell = str | float | int | bool | None
_PLAIN: Mapping[Any, Schema] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    # NaN and what is infinite are null.
    float: {"type": ["number", "null"]},
    str: {"type": "string"},
    type(None): {"type": "null"},
}


def schema_of(kind: Any) -> Schema:
    """Return the JSON schema of a type's values, as `plain` writes them.

    Numbers, texts, literals, unions, tuples, lists and mappings of these, arrays of numpy,
    dataclasses and typed dictionaries; a named tuple counts as the dictionary of its fields. An
    object has the fields of its class and no others.

    Raise TypeError for a type that says nothing of its values, as Any.

    >>> schema_of(tuple[int, ...])
    {'type': 'array', 'items': {'type': 'integer'}}
    >>> schema_of(dict[str, float])["additionalProperties"]
    {'type': ['number', 'null']}
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if kind in _PLAIN:
        return dict(_PLAIN[kind])
    if origin in (Required, NotRequired):
        return schema_of(arguments[0])
    if origin is Annotated:
        # What follows is what a dictionary holds, of a class that is no dictionary.
        return schema_of(arguments[1] if isinstance(arguments[1], type) else arguments[0])
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(one) for one in arguments]}
    if origin is np.ndarray:
        number = np.dtype(get_args(arguments[1])[0])
        item = schema_of({"b": bool, "i": int}.get(number.kind, float))
        # Of one axis or two.
        return _array({"anyOf": [item, _array(item)]})
    if origin is tuple and arguments[1:] != (Ellipsis,):
        items = [schema_of(one) for one in arguments]
        return {**_array(False), "prefixItems": items, "minItems": len(items)}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": schema_of(arguments[-1])}
    if isinstance(origin, type) and issubclass(origin, Collection):
        return _array(schema_of(arguments[0]))
    if hasattr(kind, "model_json_schema"):
        # A schema of its own within another, for what its references are to.
        return {"$id": f"urn:prum:model:{kind.__name__}", **kind.model_json_schema()}
    if is_typeddict(kind):
        return _object(kind, kind.__required_keys__)
    if dataclasses.is_dataclass(kind):
        return _object(kind, [one.name for one in dataclasses.fields(kind)])
    if hasattr(kind, "_fields"):
        return _object(kind, kind._fields)
    raise TypeError(f"{kind!r} says nothing of its values")


def schema_of_options(design: type[Design]) -> Schema:
    """Return the JSON schema of a design's options, as a result has them: `Design.options`."""
    properties = {}
    for one in design.fields():
        if not one.option.matters or one.option.file == "output":
            continue
        option = one.option
        item: Schema = schema_of(Cell)
        if isinstance(one.kind, tuple):
            item = {"enum": list(one.kind)}
        elif one.kind is not object:
            item = dict(_PLAIN[one.kind])
            bounds = {
                "minimum": 0 if one.kind is int and option.least is None else option.least,
                "maximum": option.most,
                "exclusiveMinimum": option.above,
                "exclusiveMaximum": option.below,
            }
            if one.kind in (int, float):
                item |= {name: end for name, end in bounds.items() if end is not None}
        several = _array(item)
        properties[one.name] = {
            "description": option.help,
            **(several if one.several else item),
        }
        if one.kind is object:
            properties[one.name] = {"description": option.help, "anyOf": [item, several]}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _array(item: Schema | bool) -> Schema:
    return {"type": "array", "items": item}


def _object(kind: Any, required: Collection[str]) -> Schema:
    hints = get_type_hints(kind, include_extras=True)
    fields = getattr(kind, "_fields", None) or (
        hints if is_typeddict(kind) else [one.name for one in dataclasses.fields(kind)]
    )
    return {
        "type": "object",
        "properties": {name: schema_of(hints[name]) for name in fields},
        "required": [name for name in fields if name in required],
        "additionalProperties": False,
    }


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Result(ABC):
    """What was asked, what came out, and what people see of it.

    A subclass says what it is, its values, its frame and its view; all else comes of these.

    Attributes
    ----------
    arguments
        What was asked, as plain data.
    command
        The command line that repeats it, if there is one.
    """

    # Tables that a shell prints.
    num_printed: ClassVar[int] = 1

    arguments: Mapping[str, Any] = field(default_factory=dict)
    command: str = ""

    @property
    @abstractmethod
    def kind(self) -> str:
        """The command that makes such results, as "trust" or "study normal"."""

    @abstractmethod
    def values(self) -> Mapping[str, Any]:
        """Return what came out, as JSON has it: see `plain` for what it may hold."""

    @abstractmethod
    def view(self) -> View:
        """Return what people see: headline, story, tables, figures."""

    @abstractmethod
    def to_frame(self) -> "pd.DataFrame":
        """Return the rows as a table of pandas."""

    @property
    def version(self) -> str:
        """The version of prum."""
        return own_version()

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the user should know of the inputs after the work; a line each."""
        return ()

    @property
    def status(self) -> int:
        """The exit status of the command."""
        return 0

    def brief(self) -> View:
        """Return as much of the view as a notebook or a shell shows."""
        return self.view()

    def whole(self) -> View:
        """Return the view with what only a page has room for."""
        return self.view()

    def to_json(self) -> str:
        """Return all of it as JSON; NaN, and ends that are infinite, as null."""
        view = self.view()
        content = {
            "kind": self.kind,
            "version": self.version,
            "command": self.command,
            "arguments": self.arguments,
            "headline": view.headline,
            **self.values(),
            "tables": [table.content() for table in view.tables],
        }
        return json_text(plain(content))

    def to_csv(self) -> str:
        """Return `to_frame` as CSV, numbers with all their digits."""
        return self.to_frame().to_csv(index=False)

    def to_latex(self) -> str:
        """Return the tables of the view for LaTeX with the package booktabs."""
        from prum.experiments.frame.html import latex

        return "\n".join(latex(table) for table in self.view().tables)

    def to_html(self) -> str:
        """Return a page: one HTML document that needs nothing else, the same bytes each time.

        Raises
        ------
        InputError
            if jinja2, or matplotlib for figures, is not installed.
        """
        from prum.experiments.frame.html import page

        return page(
            self.whole(), command=self.command, version=self.version, options=self.arguments
        )

    def plot(self, which: Any = 0, /) -> Any:
        """Return a figure of the result, which a notebook shows; its `save(path)` writes it.

        Raises
        ------
        InputError
            if there is no figure of this number, from 0, or with this caption.
        """
        figures = self.whole().drawn
        captions = [figure.caption for figure in figures]
        if which in captions:
            which = captions.index(which)
        if which not in range(len(figures)):
            named = ", ".join(f"{at} ({one})" for at, one in enumerate(captions))
            rule = f"be one of {named}" if named else "be left out: there is none"
            raise InputError("figure", which, rule, remedy="see the tables, or the page")
        return figures[which]

    def _repr_html_(self) -> str:
        """Return headline, tables and notes, for a notebook."""
        from prum.experiments.frame.html import fragment

        return fragment(self.brief())

    def __repr__(self) -> str:
        view = self.brief()
        lines = [view.headline]
        for table in view.tables[: self.num_printed]:
            lines += ["", *table.briefly().lines(), *table.legend]
        space = [""] * bool(view.tables)
        return "\n".join([*lines, *space, *view.sentences, *view.notes])
