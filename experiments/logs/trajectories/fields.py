"""Objects of JSON whose fields are taken one by one, each checked for its type."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from prum.simulator.model import InputError

_REMEDY = "see what wrote the file"


class Fields:
    """An object of JSON at a place of a file.

    Raises
    ------
    InputError
        for anything else.
    """

    def __init__(self, content: Any, name: str, place: str) -> None:
        if not isinstance(content, dict):
            raise InputError(name, _kind(content), "be an object", remedy=_REMEDY, place=place)
        self.content: Mapping[str, Any] = content
        self.name, self.place = name, place

    def __contains__(self, name: str) -> bool:
        return self.content.get(name) is not None

    def text(self, name: str, default: str | None = None) -> str:
        """Return a field that is a text or a whole number, as text.

        Raises InputError for anything else, for an empty text, and for none without a default.
        """
        value = self.content.get(name)
        if value is None and default is not None:
            return default
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**30:
            return str(value)
        if not isinstance(value, str) or not value:
            rule = "be a text that is not empty, or a whole number"
            raise InputError(name, _kind(value), rule, remedy=_REMEDY, place=self.place)
        return value

    def number(self, name: str, default: float) -> float:
        """Return a field that is a finite number; 0 is one.

        Raises InputError for anything else.
        """
        value = self.content.get(name)
        if value is None:
            return default
        try:
            number = math.nan if isinstance(value, bool | str) else float(value)
        except (TypeError, OverflowError):
            number = math.nan
        if not math.isfinite(number):
            rule = "be a finite number"
            raise InputError(name, _kind(value), rule, remedy=_REMEDY, place=self.place)
        return number

    def moment(self, name: str) -> float:
        """Return a field that is a time of ISO 8601, in seconds since 1970; NaN for none.

        Raises InputError for anything else.
        """
        if name not in self:
            return math.nan
        try:
            moment = datetime.fromisoformat(self.text(name))
        except ValueError as error:
            if isinstance(error, InputError):
                raise
            rule, value = "be a time like 2024-05-31T13:45:00Z", self.content[name]
            raise InputError(name, value, rule, remedy="correct it", place=self.place) from None
        return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()

    def part(self, name: str) -> "Fields":
        """Return a field that is an object, an empty one where there is none.

        Raises InputError for anything else.
        """
        value = self.content.get(name)
        return Fields({} if value is None else value, name, self.place)

    def listed(self, name: str) -> list[Any]:
        """Return a field that is a list, an empty one where there is none.

        Raises InputError for anything else.
        """
        value = self.content.get(name)
        if value is not None and not isinstance(value, list):
            raise InputError(name, _kind(value), "be a list", remedy=_REMEDY, place=self.place)
        return value or []

    def parts(self, name: str) -> list["Fields"]:
        """Return a field that is a list of objects.

        Raises InputError for anything else.
        """
        return [
            Fields(value, f"{name}[{number}]", f"{self.place}, {name}[{number}]")
            for number, value in enumerate(self.listed(name))
        ]


def _kind(value: Any) -> Any:
    """Return a value as messages show it."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return value
