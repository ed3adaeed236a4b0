"""Specifications in TOML: tables that are validated whole, all errors at once with their paths."""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints
from pydantic import ValidationError as Invalid
from pydantic_core import PydanticCustomError

from prum.simulator.collections.fitted_files import file_of
from prum.simulator.model import InputError, Links
from prum.simulator.model.errors import did_you_mean, repeated, shown
from prum.simulator.model.kinds import kind_of, navigation_of
from prum.simulator.model.stopping import rule_of
from prum.simulator.model.way_names import way_of
from prum.simulator.sampling.streams import LARGEST_SEED
from prum.simulator.tables.files import STANDARD_INPUT, opened
from prum.simulator.tables.forms import read_json

_Content = TypeVar("_Content", bound="SpecificationTable")
_Item = TypeVar("_Item")

# Bytes of a specification: the reader of TOML is slow, and a larger file is something else.
LARGEST_FILE = 2**20

# Pydantic's words for these do not read well after "must".
_RULES = {
    "json_invalid": "hold texts that UTF-8 can hold, and no endless nesting",
    "missing": "be given",
    "extra_forbidden": "not be there: the name is unknown",
    "too_short": "hold something",
    "string_too_short": "be a text that is not empty",
}


class SpecificationError(InputError):
    """All mistakes of a specification: `errors`, a line each."""

    def __init__(self, errors: list[InputError]) -> None:
        self.errors = errors
        ValueError.__init__(self, "\n".join(str(error) for error in errors))

    def __reduce__(self) -> tuple[object, ...]:
        return (SpecificationError, (self.errors,))


class SpecificationTable(BaseModel):
    """A table of a specification: no unknown names, no guessing of types."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def dial(default: Any, description: str, **bounds: Any) -> Any:
    """Return the field of a dial that may be left out: its default, and what it means."""
    return Field(default=default, description=description, **bounds)


def _once(values: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(set(values)) < len(values):
        raise PydanticCustomError(
            "repeated", "name {value} once", {"value": shown(repeated(values))}
        )
    return values


def bad_words(error: InputError, thing: str) -> PydanticCustomError:
    """Return the error for words that do not name a `thing`, or give it wrong values."""
    within = f"hold values that fit: {error.thing} must " if error.thing != thing else ""
    return PydanticCustomError("words", "{rule}", {"rule": f"{within}{error.rule}"})


def _named(thing: str, canonical: Callable[[str], str]) -> AfterValidator:
    """Return what takes words that name a `thing`, with the right values, and names it alike."""

    def named(words: str) -> str:
        try:
            return canonical(words)
        except InputError as error:
            raise bad_words(error, thing) from None

    return AfterValidator(named)


def _kind(words: str) -> str:
    # Any links and documents will do.
    return kind_of(navigation_of(words, Links({}), {"element": "document"}))


def _file_or_kind(words: str) -> str:
    file, dials = file_of(words) or ("", words)
    return " + ".join(filter(None, (file, dials and _kind(dials))))


Text = Annotated[str, StringConstraints(min_length=1)]
Seed = Annotated[int, Field(ge=0, le=LARGEST_SEED)]
# In this order, else pydantic says minLength, which a schema ignores at lists.
Distinct = Annotated[tuple[_Item, ...], Field(min_length=1), AfterValidator(_once)]
WayName = Annotated[str, _named("way", lambda words: way_of(words).name)]
NavigationName = Annotated[str, _named("navigation", _kind)]
# The same, or a file of `prum fit`, dials behind it.
FittedName = Annotated[str, _named("navigation", _file_or_kind)]
RuleName = Annotated[str, _named("rule of stopping", lambda words: rule_of(words) and words)]


def toml_content(
    source: str | Path | Mapping[str, Any], *, remedy: str
) -> tuple[Mapping[str, Any], dict[str, Any]]:
    """Return what a TOML file or a mapping like one holds, and the context to validate it in.

    The content of a file has the file's name, unless it has a `name` itself. The context knows the
    `folder` that paths start from, and the `place` that errors name.

    Raise InputError for a file that is not TOML, longer than a megabyte, and
    OSError if the file cannot be read.
    """
    if isinstance(source, Mapping):
        return source, {"folder": Path(), "place": ""}
    if not isinstance(source, str | Path):
        raise InputError("specification", source, "be a file, or like one", remedy=remedy)
    path, place = Path(source), str(source)
    with opened(path) as file:
        raw = file.read(LARGEST_FILE + 1)
    if len(raw) > LARGEST_FILE:
        thing, rule = "bytes of the file", f"be at most {LARGEST_FILE:,}"
        raise InputError(thing, f"more than {LARGEST_FILE:,}", rule, remedy=remedy, place=place)
    try:
        content = {"name": path.stem, **tomllib.loads(raw.decode())}
    except (ValueError, RecursionError) as error:
        raise InputError(
            "file", path.name, f"be TOML in UTF-8 ({shown(str(error))})", remedy=remedy, place=place
        ) from None
    # Paths do not start from a pipe.
    folder = Path() if place == STANDARD_INPUT else path.parent
    return content, {"folder": folder, "place": place}


def json_content(path: Path, *, remedy: str) -> dict[str, Any]:
    """Return the object that a JSON file holds.

    Raise InputError as `read_json`, and for what is not an object; OSError if it cannot be read.
    """
    place = str(path)
    content = read_json(path, remedy=remedy)
    if not isinstance(content, dict):
        raise InputError("content", content, "be an object", remedy=remedy, place=place)
    return content


def validated(
    cls: type[_Content],
    content: Mapping[str, Any],
    context: Mapping[str, Any],
    *,
    remedy: str,
) -> _Content:
    """Return the content as a table; `remedy` says where to look up names and values.

    Raise SpecificationError with all mistakes, each with its path, and InputError for values that
    no TOML file can hold.
    """
    place = context.get("place", "")
    try:
        # As JSON, whose arrays make tuples, while no other type is converted.
        text = json.dumps(content, default=_plain)
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(
            "specification",
            type(content).__name__,
            f"be tables, arrays, texts, numbers and booleans ({error})",
            remedy=remedy,
            place=place or "specification",
        ) from None
    try:
        return cls.model_validate_json(text, context=dict(context))
    except Invalid as invalid:
        mistakes = _mistakes(cls, invalid, json.loads(text), place or "specification", remedy)
    # Not within `except`: Dask pickles contexts, too, and pydantic 2.10's cannot be unpickled.
    raise SpecificationError(mistakes)


def _plain(value: object) -> str:
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{shown(value)} is none of these")


def _mistakes(
    cls: type[SpecificationTable],
    invalid: Invalid,
    content: Any,
    place: str,
    remedy: str,
) -> list[InputError]:
    """Return pydantic's findings in the project's words, without consequences of others."""
    mistakes = []
    for error in invalid.errors():
        kind, value = error["type"], error["input"]
        # A mistake inside an array also makes it too short, or leaves a default without a base.
        if kind == "default_factory_not_called" or (kind == "too_short" and value):
            continue
        rule = _RULES.get(kind) or error["msg"].removeprefix("Input should ")
        if kind == "too_long":
            rule = f"hold at most {error['ctx']['max_length']}"
        if kind in ("union_tag_invalid", "union_tag_not_found"):
            rule = "have a {discriminator} that is known".format(**error["ctx"])
            if tags := error["ctx"].get("expected_tags"):
                rule += f", one of {tags}"
        value = None if kind == "missing" else value
        thing = _path(_steps(content, error["loc"], kind == "missing"))
        near = remedy
        if kind == "literal_error":
            names = re.findall(r"'([^']*)'", error["ctx"]["expected"])
            near = did_you_mean(value, names, remedy)
        elif kind == "extra_forbidden":
            near = did_you_mean(error["loc"][-1], _names(cls) - {error["loc"][-1]}, remedy)
        mistakes.append(InputError(thing, value, rule, remedy=near, place=place))
    return mistakes


def _names(cls: type[SpecificationTable]) -> set[str]:
    """Return the names that stand in some table of a specification."""
    schema = cls.model_json_schema()
    tables = (schema, *schema.get("$defs", {}).values())
    return {name for table in tables for name in table.get("properties", ())}


def _steps(content: Any, place: tuple[int | str, ...], lacks: bool) -> Iterator[int | str]:
    """Yield the steps to a place in the content, of which the last may lack.

    Pydantic also steps to the kind of a table.
    """
    for number, step in enumerate(place, start=1):
        try:
            content = content[step]
        except (KeyError, IndexError, TypeError):
            if not (isinstance(step, int) or (lacks and number == len(place))):
                continue
        yield step


def _path(steps: Iterable[int | str]) -> str:
    """Return a path in a specification as it is written: campaigns[0].runs[2]."""
    path = ""
    for step in steps:
        if isinstance(step, int):
            path += f"[{step}]"
        else:
            path += f".{step}" if re.fullmatch(r"[\w-]{1,60}", step) else f".{shown(step)}"
    return path.removeprefix(".") or "specification"
