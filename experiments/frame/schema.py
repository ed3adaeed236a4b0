"""JSON schemas of values, derived from their types as `plain` writes them."""

import dataclasses
import types
from collections.abc import Collection, Mapping
from typing import (
    Annotated,
    Any,
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
