"""Fitted navigation in files: as plain data, written whole, read without loss."""

import os
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from importlib import import_module
from typing import Any, Literal, NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from prum.experiments.fitting.fitted import FittedNavigation
from prum.experiments.views.files import json_text
from prum.simulator.collections.fitted_files import (
    FORMAT,
    LinksContent,
    MixtureContent,
    checksum,
    file_of,
    fitted_content,
    navigation_content,
)
from prum.simulator.model import InputError, Navigation
from prum.simulator.model.browsing import browsing_of
from prum.simulator.model.json_text import json_value
from prum.simulator.model.kinds import dialled
from prum.simulator.model.process import own_version
from prum.simulator.tables.files import FilePath, place

# By what a file says was fitted: the class that reads it, in this room.
_CLASSES = {"walk": "FittedWalk", "independent": "FittedVisits", "types": "FittedTypes"}


class FittedFile(TypedDict):
    """What every file of a fitted navigation holds, beside what its class reads of it."""

    format: int
    prum: str
    fitted: Literal["walk", "independent", "types"]
    navigation: LinksContent | MixtureContent | None
    refusal: NotRequired[list[str | int | float | None]]
    checksum: str


def fitted_text(fitted: FittedNavigation) -> str:
    """Return a fitted navigation as the text of a file, which `read_fitted` reads without loss.

    The file holds the navigation in the mean, too, for whatever takes `--navigation`.
    """
    content = {"format": FORMAT, "prum": own_version(), **fitted.to_dict()}
    try:
        content["navigation"] = navigation_content(fitted.navigation)
    except InputError as error:
        # It predicts, and cannot be browsed by.
        content["navigation"] = None
        content["refusal"] = [error.thing, error.value, error.rule, error.remedy]
    written = json_value(json_text(content))
    return json_text({**written, "checksum": checksum(written)})


def read_fitted(path: FilePath) -> FittedNavigation:
    """Return the fitted navigation of a file that `prum fit` wrote by -o, packed or not.

    Raises
    ------
    InputError
        for a file that is no JSON, was not written by `prum fit`, is of a newer version, or was
        changed or cut.
    OSError
        if it cannot be read.
    """
    content = fitted_content(path)
    name = _CLASSES.get(content["fitted"])
    if name is None:
        rule = f"be one of {', '.join(_CLASSES)}"
        remedy = "install a newer prum, or fit again"
        raise InputError(
            "what was fitted", content["fitted"], rule, remedy=remedy, place=place(path)
        )
    made = getattr(import_module("prum.experiments.fitting"), name)
    try:
        fitted: FittedNavigation = made.from_dict(content)
        mean = content["navigation"]
        is_whole = mean is None or navigation_content(fitted.navigation) == mean
        if is_whole and fitted.num_sessions >= 0:
            return fitted
    except InputError as error:
        raise error.at(place(path)) from None
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
        pass
    rule, remedy = "be as it was written", "fit again: the file was changed or cut"
    raise InputError("fitted file", "damaged", rule, remedy=remedy, place=place(path))


@dataclass(frozen=True, slots=True)
class GivenNavigation:
    """How users browse, as a verb was told: by a kind, a fitted file, or what was fitted.

    Parameters
    ----------
    kind
        What `linked` takes: words, the name of a file with dials, or a navigation.
    source
        What was fitted, or its file, if the navigation was learned.
    dials
        Those that stand behind the name of a file.
    """

    kind: str | Navigation | None
    source: FittedNavigation | str | None = None
    dials: str = ""

    @property
    def name(self) -> str | None:
        """What to call it among the arguments of a result; nothing for data."""
        return self.kind if isinstance(self.kind, str) else None

    @property
    def file(self) -> str | None:
        """The file that it is in, if any."""
        return self.source if isinstance(self.source, str) else None

    def fitted(self) -> FittedNavigation | None:
        """Return what was learned, with what is not known of it; None where nothing was.

        Raises
        ------
        InputError, OSError
            as `read_fitted`.
        """
        return read_fitted(self.source) if isinstance(self.source, str) else self.source

    def dialled(
        self, navigation: Navigation, documents: Mapping[str, str] | None = None
    ) -> Navigation:
        """Return a navigation, drawn from the posterior say, with the same dials."""
        return dialled(navigation, self.dials, documents)


def given_navigation(navigation: Any) -> GivenNavigation:
    """Return how users browse, from words, a file of `prum fit`, what was fitted, or a navigation.

    Raises
    ------
    InputError
        for other data.

    >>> given_navigation("logs/fitted.json + fading .9").file
    'logs/fitted.json'
    """
    if navigation is None:
        return GivenNavigation(None)
    if isinstance(navigation, FittedNavigation):
        return GivenNavigation(navigation.navigation, navigation)
    if isinstance(navigation, str | os.PathLike):
        kind = os.fspath(navigation)
        file, dials = file_of(kind) or (None, "")
        if file is not None and os.path.exists(file) and not os.path.isfile(file):
            # A pipe is read once.
            fitted = read_fitted(file)
            return GivenNavigation(dialled(fitted.navigation, dials), fitted, dials)
        return GivenNavigation(kind, file, dials)
    browsing_of(navigation)
    return GivenNavigation(navigation)


def plain(table: Any) -> dict[str, Any]:
    """Return the fields of a dataclass, arrays as lists."""
    named = {field.name: getattr(table, field.name) for field in fields(table)}
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in named.items()
    }


def with_arrays(content: Mapping[str, Any], kind: type) -> dict[str, Any]:
    """Return plain data with arrays of a kind in the place of lists."""
    return {
        name: np.array(value, dtype=kind) if isinstance(value, list) else value
        for name, value in content.items()
    }


def packed(draws: NDArray[np.int16] | None) -> list[str] | None:
    """Return rows of numbers as text."""
    rows = None if draws is None else draws.astype("<i2")
    return None if rows is None else [b64encode(row.tobytes()).decode() for row in rows]


def unpacked(rows: Iterable[str] | None) -> NDArray[np.int16] | None:
    """Return the rows that `packed` made text of."""
    if rows is None:
        return None
    return np.array([np.frombuffer(b64decode(row), "<i2") for row in rows]).astype(np.int16)
