"""What every study has: options, rows, what was found, and the command that repeats it."""

import csv
import importlib.metadata
import io
import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prum.experiments.intervals import CONFIDENCE
from prum.simulator.model.errors import whole_number

Floats = NDArray[np.float64]
# Told the share of the work that is done.
Advance = Callable[[float], object]


@dataclass(frozen=True, slots=True)
class Study:
    """A study's numbers; equal seeds and options give equal numbers.

    Parameters
    ----------
    name
        As in `prum study NAME`.
    options
        Everything that the numbers depend on, `seed` and `draws` among it.
    rows
        One for each point of the design, all with the same names.
    found
        What else was found, by name.
    command
        Repeats the study.
    """

    name: str
    options: Mapping[str, Any]
    rows: tuple[Mapping[str, Any], ...]
    found: Mapping[str, Any]
    command: str

    @property
    def version(self) -> str:
        """The version of prum."""
        return importlib.metadata.version("prum")

    def to_json(self) -> str:
        """Return all of it as JSON."""
        content = {
            "study": self.name,
            "version": self.version,
            "command": self.command,
            "options": dict(self.options),
            "confidence": CONFIDENCE,
            "rows": [dict(row) for row in self.rows],
            "found": dict(self.found),
        }
        return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    def to_csv(self) -> str:
        """Return the rows as CSV, numbers with all their digits."""
        stream = io.StringIO()
        writer = csv.DictWriter(stream, list(self.rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        return stream.getvalue()


def command_of(name: str, options: Mapping[str, Any], defaults: Mapping[str, Any]) -> str:
    """Return the command line that gives `options`, leaving out what is so by default.

    >>> command_of("normal", {"draws": 9, "sizes": (2, 3), "seed": 1}, {"sizes": (2, 3)})
    'prum study normal --draws 9 --seed 1'
    """
    words = ["prum", "study", name]
    for option, value in options.items():
        if option in defaults and defaults[option] == value:
            continue
        name = _SINGULAR.get(option, option).replace("_", "-")
        for one in value if isinstance(value, (tuple, list)) else (value,):
            words += [f"--{name}", f"{one}"]
    return shlex.join(words)


# Options that may be repeated are called by what is given each time.
_SINGULAR = {
    "sizes": "size", "densities": "density", "strengths": "strength", "measures": "measure",
}  # fmt: skip


def checked_draws(draws: int) -> int:
    """Return the number of draws; an interval needs two.

    Raises
    ------
    InputError
        for fewer.
    """
    return whole_number("draws", draws, least=2, remedy="an interval needs two draws at least")


def checked_seed(seed: int) -> int:
    """Return the seed.

    Raises
    ------
    InputError
        for what is no whole number of at least 0.
    """
    return whole_number("seed", seed, least=0, remedy="give a whole number")


def ascending(thing: str, values: Sequence[Any], check: Callable[[Any], Any]) -> tuple[Any, ...]:
    """Return the distinct checked values in ascending order.

    Raises
    ------
    InputError
        if there is none, or `check` raises it.
    """
    from prum.simulator.model import InputError

    if not len(values):
        raise InputError(thing, (), "hold at least one value", remedy="give one or more")
    return tuple(sorted({check(value) for value in values}))
