"""Files of fitted navigation, as `prum fit` writes them: how people browse, read and written."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from prum.simulator.model import Independent, InputError, Links, Mixture, Navigation, Walk
from prum.simulator.model.kinds import dialled, kind_of
from prum.simulator.model.process import own_version
from prum.simulator.tables.files import STANDARD_INPUT, FilePath, place
from prum.simulator.tables.forms import read_json

# Of the files that this version writes; it reads these and older ones.
FORMAT = 1
# A stream that is open already has no suffix.
_NAME = re.compile(
    r"(.+?\.json(?:\.(?:gz|xz|bz2))?|-|/dev/stdin|(?:/dev/fd|/proc/self/fd)/[0-9]+)"
    r"\s*(?:\+\s+(.*))?",
    re.DOTALL,
)
_SUM = "checksum"
_REMEDY = "give a file that prum fit wrote by -o"


def file_of(kind: str) -> tuple[str, str] | None:
    """Return the fitted file that a navigation names, and the dials behind it; else None.

    >>> file_of("logs/fitted.json + fading .9"), file_of("walk + fading .9")
    (('logs/fitted.json', 'fading .9'), None)
    """
    match = _NAME.fullmatch(kind.strip())
    if match is None:
        return None
    return STANDARD_INPUT if match[1] == "-" else match[1], match[2] or ""


def files_of(kind: str | None) -> tuple[str, ...]:
    """Return the files that a navigation is read from: one or none."""
    return tuple((file_of(kind or "") or ())[:1])


def located(kind: str, folder: Path) -> str:
    """Return the same navigation with its file, if it names one, as it is found from anywhere."""
    parts = file_of(kind)
    return kind if parts is None else " + ".join(filter(None, (str(folder / parts[0]), parts[1])))


def read_browsed(kind: str, documents: Mapping[str, str] | None = None) -> Navigation:
    """Return the navigation of a fitted file with dials, as ``fitted.json + fading .9`` names it.

    Raise InputError as `read_navigation` and `dialled`. Raise OSError if the file cannot be read.
    """
    file, dials = file_of(kind) or (kind, "")
    return dialled(read_navigation(file), dials, documents)


def read_navigation(path: FilePath) -> Navigation:
    """Return how people browse in the mean, by a file that `prum fit` wrote.

    Raise InputError as `fitted_content`, and for a navigation that breaks the rules of one;
    OSError if the file cannot be read.
    """
    content = fitted_content(path)
    try:
        if content["navigation"] is None:
            thing, value, rule, remedy = content["refusal"]
            raise InputError(str(thing), value, str(rule), remedy=str(remedy))
        return _navigation(content["navigation"])
    except InputError as error:
        raise error.at(place(path)) from None
    except (KeyError, TypeError, ValueError, IndexError, OverflowError):
        raise _damaged("hold a whole navigation", place(path)) from None


def fitted_content(path: FilePath) -> dict[str, Any]:
    """Return what a fitted file holds, as JSON has it.

    Raise InputError as `read_json`; for a file that `prum fit` did not write by -o, or that was
    changed since, and one of a newer version. Raise OSError if the file cannot be read.
    """
    where = place(path)
    content = read_json(path, thing="fitted file", remedy=_REMEDY)
    if not isinstance(content, dict) or not isinstance(content.get("fitted"), str):
        rule = "say what was fitted"
        raise InputError("fitted file", "other JSON", rule, remedy=_REMEDY, place=where)
    version = content.get("format")
    if not isinstance(version, int) or version > FORMAT:
        rule = f"be at most {FORMAT}, which prum {own_version()} reads"
        remedy = f"install prum {content.get('prum', '')} or newer, or fit again"
        raise InputError("format of the fitted file", version, rule, remedy=remedy, place=where)
    try:
        is_whole = content.get(_SUM) == checksum(content)
    except ValueError:
        raise _damaged("hold numbers that are finite", where) from None
    if not is_whole:
        raise _damaged("be as it was written", where)
    return content


def _damaged(rule: str, where: str) -> InputError:
    remedy = "fit again: the file was changed or cut"
    return InputError("fitted file", "damaged", rule, remedy=remedy, place=where)


def checksum(content: Mapping[str, Any]) -> str:
    """Return what a fitted file says of the rest of it, by which one that was changed is known.

    Raise ValueError for a number that is not finite.

    >>> checksum({"b": 1, "a": [0.5]}) == checksum({"a": [0.5], "b": 1, "checksum": "any"})
    True
    """
    rest = {name: value for name, value in content.items() if name != _SUM}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def navigation_content(navigation: Navigation) -> dict[str, Any]:
    """Return a walk, independent visits, or a mixture of these as plain data, without loss.

    Raise InputError for another navigation.

    >>> navigation_content(Walk({("x", "a"): 0.5}))["probabilities"]
    [0.5]
    """
    if isinstance(navigation, Mixture):
        types = [_links_content(of_type) for of_type in navigation.types]
        return {"kind": "mixture", "shares": list(navigation.shares), "types": types}
    return _links_content(navigation)


def _links_content(navigation: Navigation) -> dict[str, Any]:
    if not isinstance(navigation, Walk | Independent):
        rule, remedy = "be a walk or independent visits", "leave dials out"
        raise InputError("navigation to write", type(navigation).__name__, rule, remedy=remedy)
    links = navigation.links
    return {
        "kind": kind_of(navigation),
        "elements": list(links.elements),
        "sources": links.sources.tolist(),
        "targets": links.targets.tolist(),
        "probabilities": links.probabilities.tolist(),
    }


def _navigation(content: Mapping[str, Any]) -> Navigation:
    if content["kind"] == "mixture":
        return Mixture(content["shares"], list(map(_navigation, content["types"])))
    names = np.array(content["elements"], dtype=object)
    sources, targets = (np.array(content[end], dtype=np.int64) for end in ("sources", "targets"))
    if min(sources.min(initial=0), targets.min(initial=0)) < 0:
        raise ValueError
    ends = names[sources].tolist(), names[targets].tolist()
    links = Links.from_columns(*ends, content["probabilities"])
    kinds: dict[str, type[Walk | Independent]] = {"walk": Walk, "independent": Independent}
    return kinds[content["kind"]](links)
