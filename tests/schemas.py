"""Whether what is written is as the schemas say; `python -m tests.schemas` keeps what they say."""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema

from prum.experiments.commands.formats import schemas

_ANYTHING = ("additionalProperties", True)
SUMS = Path(__file__).parent / "golden" / "schemas.json"


@cache
def validator(name: str) -> Any:
    """Return what checks values by a schema, after the schema itself was checked."""
    schema = schemas()[name]
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def mistakes(name: str, value: Any) -> list[str]:
    """Return where a value is not as the schema of this name says, and how."""
    return [
        f"{error.json_path}: {error.message[:200]}" for error in validator(name).iter_errors(value)
    ]


def canonical(value: Any) -> Any:
    """Return a schema in the one form of all versions of pydantic: they say 0.0 or 0.

    Some also say that other properties are allowed, which is so where nothing is said.

    >>> canonical({"minimum": 0.0, "additionalProperties": True, "enum": [True, 0.5]})
    {'minimum': 0, 'enum': [True, 0.5]}
    """
    if isinstance(value, dict):
        said = {name: canonical(one) for name, one in value.items()}
        return {name: one for name, one in said.items() if (name, one) != _ANYTHING}
    if isinstance(value, list):
        return [canonical(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def sums() -> dict[str, list[str]]:
    """Return of each schema its version, and a sum of what it says."""
    return {
        name: [
            schema["$id"].rpartition(":")[2],
            hashlib.sha256(json.dumps(canonical(schema), sort_keys=True).encode()).hexdigest()[:16],
        ]
        for name, schema in schemas().items()
    }


if __name__ == "__main__":
    SUMS.write_text(json.dumps(sums(), indent=1) + "\n", "utf-8")
