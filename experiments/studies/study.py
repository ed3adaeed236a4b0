"""What every study has: options, rows, what was found, and the command that repeats it."""

import csv
import importlib.metadata
import io
import json
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prum.experiments.statistics.intervals import CONFIDENCE
from prum.simulator.collections.files import FilePath, readable
from prum.simulator.model.errors import whole_number
from prum.simulator.sampling.streams import LARGEST_SEED

Floats = NDArray[np.float64]
# More draws than any question here needs, and numbers that fit into half a gigabyte.
MOST_DRAWS, MOST_NUMBERS = 1_000_000, 2**26
# Simulated users of a study: hours of work.
MOST_STUDIED = 10**9
# Told the share of the work that is done.
Advance = Callable[[float], object]


@dataclass(frozen=True, slots=True)
class WrittenStudy:
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


def command_of(
    name: str,
    options: Mapping[str, Any],
    defaults: Mapping[str, Any],
    *,
    arguments: Iterable[FilePath] = (),
) -> str:
    """Return the command line that gives `options`, leaving out what is so by default or None.

    It is quoted for a shell. Files are named as they were: from the same folder.

    >>> command_of("normal", {"draws": 9, "sizes": (2, 3), "seed": 1}, {"sizes": (2, 3)})
    'prum study normal --draws 9 --seed 1'
    >>> command_of("realism", {"seed": 1}, {}, arguments=["a b", "-c"])
    "prum study realism 'a b' ./-c --seed 1"
    """
    words = ["prum", "study", name]
    for argument in map(readable, arguments):
        # What begins with - would be taken for an option.
        words.append(f"./{argument}" if argument.startswith("-") else argument)
    for option, value in options.items():
        if value is None or (option in defaults and defaults[option] == value):
            continue
        for one in value if isinstance(value, (tuple, list)) else (value,):
            words += [f"--{_SINGULAR.get(option, option).replace('_', '-')}", f"{one}"]
    return shlex.join(words)


# Options that may be repeated are called by what is given each time.
_SINGULAR = {
    "sizes": "size", "densities": "density", "strengths": "strength", "measures": "measure",
    "dials": "dial",
}  # fmt: skip


def checked_draws(draws: int, *, least: int = 2, size: int = 1) -> int:
    """Return the number of draws; an interval needs two.

    Parameters
    ----------
    size
        How many numbers are kept of each draw.

    Raises
    ------
    InputError
        for fewer, and for more than there is memory for.
    """
    remedy = "an interval needs two draws at least, and more need too much memory"
    most = min(MOST_DRAWS, MOST_NUMBERS // max(1, size))
    return whole_number("draws", draws, least=least, most=max(least, most), remedy=remedy)


def checked_seed(seed: int) -> int:
    """Return the seed.

    Raises
    ------
    InputError
        for what is no whole number from 0 to 2^64 - 1.
    """
    return whole_number("seed", seed, least=0, most=LARGEST_SEED, remedy="give a whole number")


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
