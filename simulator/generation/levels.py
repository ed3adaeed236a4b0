"""Dials that are one value, or an array with one for each level of a tree."""

from collections.abc import Callable
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

MOST_LEVELS = 20


def is_pair(value: Any) -> bool:
    """Return whether a value is to be taken for one range.

    >>> is_pair([2, 6]), is_pair([[2, 6]]), is_pair(5)
    (True, False, True)
    """
    return not isinstance(value, list | tuple) or (
        len(value) > 0 and not any(isinstance(item, list | tuple) for item in value)
    )


def is_single(value: Any) -> bool:
    """Return whether a value is to be taken for one number."""
    return not isinstance(value, list | tuple)


def by_level(kind: Any, is_one: Callable[[Any], bool]) -> Callable[[Any], Any]:
    """Return what reads a value of a kind, or a tuple of such values from an array.

    A union would name its members in the paths of what is wrong; here they are those of the file.

    >>> read = by_level(float, is_single)
    >>> read(0.5), read([0.5, 1.0])
    (0.5, (0.5, 1.0))
    """
    adapter = TypeAdapter[Any](kind, config=ConfigDict(strict=True))

    def read(value: Any) -> Any:
        values = [value] if is_one(value) else list(value)
        if not values:
            raise PydanticCustomError("too_short", "hold something")
        if len(values) > MOST_LEVELS:
            raise PydanticCustomError(
                "too_many", "hold at most {most} levels", {"most": MOST_LEVELS}
            )
        checked, wrong = list[Any](), list[InitErrorDetails]()
        for number, item in enumerate(values):
            place = () if is_one(value) else (number,)
            try:
                # Arrays are tuples, and nothing else is taken for another.
                plain = tuple(item) if isinstance(item, list) else item
                checked.append(adapter.validate_python(plain))
            except ValidationError as error:
                wrong += [_moved(detail, item, place) for detail in error.errors()]
        if wrong:
            raise ValidationError.from_exception_data("levels", wrong)
        return checked[0] if is_one(value) else tuple(checked)

    return read


def _moved(error: Any, value: Any, place: tuple[int, ...]) -> InitErrorDetails:
    """Return what is wrong with a value, at its place; of the whole value as it was given."""
    return InitErrorDetails(
        type=PydanticCustomError(error["type"], error["msg"], error.get("ctx")),
        loc=(*place, *error["loc"]),
        input=error["input"] if error["loc"] else value,
    )
