"""Navigations have a law, a sampler, sessions, words and a door; nobody asks for their class."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import prum
import prum.simulator.model as model
from prum.analytic.precision.of_task import closed_form, consulted_law, reach_matrix
from prum.simulator.model import InputError, Links, Navigation, Task
from prum.simulator.model.kinds import kind_of, navigation_of
from prum.simulator.sessions import play

ROOT = Path(__file__).parents[2]
TASK = Task(["x", "b"], ["a", "b"], 5)
WALK = prum.Walk({("x", "a"): 0.5, ("x", "b"): 0.25, ("b", "a"): 0.125})
TOSSED = prum.Independent(WALK.links)
PIECES = prum.ChunkTable({"x": ("report", 0, 100), "b": ("report", 80, 180)})
SPANS = {"a": prum.Span("report", 90, 110), "b": prum.Span("report", 150, 190)}
# One of each.
EXAMPLES: dict[str, Navigation] = {
    "Independent": TOSSED,
    "Coupled": prum.Coupled(TOSSED, "exclusive"),
    "Walk": WALK,
    "Browsing": prum.Browsing(WALK, fading=0.5),
    "Mixture": prum.Mixture([0.5, 0.5], [WALK, TOSSED]),
    "Expansion": prum.Expansion(WALK.links, hops=2, decay=0.5),
    "Tied": prum.Tied(WALK, [[("x", "b")]]),
    "Covering": prum.Covering(PIECES, SPANS, links={("x", "b"): 0.5}),
}
# No user of these is followed in time, and no words name them: files do.
WITHOUT_SESSIONS, WITHOUT_WORDS = {"Covering", "Tied"}, {"Mixture", "Covering", "Tied"}


def registered() -> dict[str, type[Navigation]]:
    """Return the navigations of the model."""
    modules = [
        importlib.import_module(f"{model.__name__}.{found.name}")
        for found in pkgutil.iter_modules(model.__path__)
    ]
    values = [value for module in modules for value in vars(module).values()]
    kinds = [x for x in values if isinstance(x, type) and issubclass(x, Navigation)]
    return {kind.__name__: kind for kind in kinds if kind is not Navigation}


def lacking(kind: type[Navigation], example: Any) -> set[str]:
    """Return what a navigation lacks."""
    name = kind.__name__

    def has(package: str, *functions: str) -> bool:
        module = f"prum.{package}.{name.lower()}"
        if find_spec(module) is None:
            return False
        return any(hasattr(importlib.import_module(module), function) for function in functions)

    def works(call: Callable[[], Any]) -> bool:
        try:
            return bool(call())
        except (InputError, LookupError):
            return False

    def read() -> bool:
        named = navigation_of(kind_of(example), example.links)
        return bool(named.key == example.key)

    parts = {
        "law": has("analytic.precision.laws", "contexts", "law"),
        "sampler": has("simulator.sampling.ways", "sampler"),
        "words": name in WITHOUT_WORDS or works(read),
        "session": name in WITHOUT_SESSIONS or works(lambda: play(TASK, example, user=0, seed=1)),
        "door": hasattr(model, name),
    }
    return {part for part, there in parts.items() if not there}


def test_every_navigation_has_an_example_and_lacks_nothing() -> None:
    class Unfinished(Navigation):
        links = Links({})
        takes_dials = True

    kinds = registered()
    assert set(EXAMPLES) == set(kinds), "give each an example, in EXAMPLES"
    lacked = {name: lacking(kinds[name], EXAMPLES[name]) for name in kinds}
    assert {name: parts for name, parts in lacked.items() if parts} == {}
    every = {"law", "sampler", "words", "session", "door"}
    assert lacking(Unfinished, Unfinished()) == every


@pytest.mark.parametrize("name", EXAMPLES)
def test_law_and_sampler_say_the_same(name: str) -> None:
    navigation = EXAMPLES[name]
    value, law = closed_form(TASK, navigation), consulted_law(TASK, navigation)
    assert value is not None
    assert law is not None
    assert law.means == pytest.approx(value.consulted, rel=1e-12)
    assert reach_matrix(TASK, navigation).shape == (2, 2)
    assert prum.crosscheck(TASK, navigation, num_users=20_000).verdict == "agrees"


@pytest.mark.parametrize("name", [name for name, x in EXAMPLES.items() if x.takes_dials])
@pytest.mark.parametrize("dial", [{"fading": 0.5}, {"need": [0.5, 1]}, {"unranked": True}], ids=str)
def test_law_and_sampler_turn_the_same_dials(name: str, dial: dict[str, Any]) -> None:
    navigation = prum.Browsing(EXAMPLES[name], **dial)
    assert prum.crosscheck(TASK, navigation, num_users=20_000).verdict == "agrees"


@pytest.mark.parametrize("name", sorted(WITHOUT_SESSIONS))
def test_what_has_no_sessions_says_what_to_do(name: str) -> None:
    with pytest.raises(InputError) as refused:
        play(TASK, EXAMPLES[name], user=0, seed=1)
    assert refused.value.remedy == EXAMPLES[name].instead


# --- nobody asks for the class ----------------------------------------------------------------


MOST_QUESTIONS = 12


@cache
def kind_names() -> frozenset[str]:
    return frozenset({*registered(), "Navigation"})


def questions(source: str) -> int:
    """Return how often the class of a navigation is asked for."""
    kinds = kind_names()
    if not re.search(rf"\b({'|'.join(kinds)})\b", source):
        return 0
    count = 0
    for node in ast.walk(ast.parse(source)):
        asked: ast.AST | None = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            asked = node.args[1] if node.func.id in ("isinstance", "issubclass") else None
        elif isinstance(node, ast.MatchClass):
            asked = node.cls
        elif isinstance(node, ast.Compare) and ast.unparse(node.left).startswith("type("):
            asked = node.comparators[0]
        if asked is not None:
            names = {x.id for x in ast.walk(asked) if isinstance(x, ast.Name)}
            count += bool(names & kinds)
    return count


def test_nobody_asks_for_the_class_of_a_navigation() -> None:
    tops = ("simulator", "analytic", "experiments", "api")
    sources = [path for top in tops for path in (ROOT / top).rglob("*.py")]
    asked = {path: questions(path.read_text("utf-8")) for path in sources}
    assert sum(asked.values()) <= MOST_QUESTIONS, {path: n for path, n in asked.items() if n}
    planted = (
        "isinstance(x, Walk | str)\nisinstance(x, str)\ntype(x) is Covering\n"
        "match x:\n    case Coupled(coupling=word):\n        pass\n"
    )
    assert questions(planted) == 3
