"""The page of an explorer: one HTML document that needs nothing else, the same bytes each time."""

import json
from importlib.resources import files
from typing import TYPE_CHECKING

from prum.experiments.views.html import check_installed, script_hash, template_page

if TYPE_CHECKING:
    from prum.experiments.explore.lists import ExploredList
    from prum.experiments.explore.verb import Explorer

# In the order in which they stand on each other.
SCRIPTS = (
    "engine.js",
    "world.js",
    "words.js",
    "svg.js",
    "list.js",
    "plots.js",
    "crowd.js",
    "page.js",
)
_PACKAGE = "prum.experiments.explore"
# As large an error has a sentence.
_NOTICEABLE = 5e-4


def page(explorer: "Explorer") -> str:
    """Return the page.

    Raises
    ------
    InputError
        if jinja2 is not installed.
    """
    check_installed(is_drawn=False)
    data = explorer.data()
    script = '"use strict";\n' + "\n".join(_text(name) for name in SCRIPTS)
    return template_page(
        _PACKAGE,
        "page.html",
        {
            "title": explorer.title,
            "headline": headline(explorer.lists[0]),
            "lists": [each["name"] for each in data["lists"]],
            "note": explorer.note,
            "command": explorer.command,
            "look": _text("page.css"),
            "data": embedded(data),
            "script": script,
            "script_hash": script_hash(script),
        },
    )


def headline(explored: "ExploredList") -> str:
    """Return what a reader sees before the page computes, or where it may not."""
    r = explored.telling
    said, exact = (float(value.precision[r - 1]) for value in (explored.prum, explored.exact))
    of = f"Of {explored.task.num_ideals:,} ideals, users who want {r:,}"
    if abs(said - exact) < _NOTICEABLE:
        return f"{of}: PRUM and the exact value both say {_brief(said)}."
    how = "low" if said < exact else "high"
    return (
        f"{of}: PRUM says {_brief(said)}, the exact value is {_brief(exact)}. "
        f"PRUM is {_brief(abs(said - exact))} too {how}."
    )


def _brief(value: float) -> str:
    text = f"{value:.3f}"
    return text.removeprefix("0") if value < 1 else text


def embedded(content: object) -> str:
    """Return content as JSON that may stand in a script element.

    >>> embedded({"name": "</script>"})
    '{"name":"\\\\u003c/script\\\\u003e"}'
    """
    text = json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _text(name: str) -> str:
    return files(_PACKAGE).joinpath(name).read_text("utf-8")
