"""Tables of what agents did: a row for each element that a step showed or opened, or for a game."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import nan
from typing import Any

from prum.experiments.logs.trajectories.agents import Tools, of_wikirace
from prum.experiments.logs.trajectories.trajectory import Action, Fields, Trajectory
from prum.simulator.tables.names import (
    ELEMENT,
    QUESTION,
    RANK,
    SESSION,
    SYSTEM,
    column_of,
    trial_column,
)

# What is read of a table of steps, by the names that columns may have; the first is the best known.
COLUMNS = {
    "session": (*SESSION, "trajectory", "trajectory_id", "episode"),
    "topic": QUESTION[:-1],
    "system": (*SYSTEM[:7], "agent"),
    "step": ("step", "step_id", "call", "turn"),
    "tool": ("tool", "tool_name", "action", "kind"),
    "element": ("element", "page", "url", *ELEMENT[1:]),
    "rank": RANK,
    "time": ("seconds", "elapsed"),
}
COSTS = {"tokens": ("tokens", "total_tokens"), "usd": ("usd", "cost_usd", "dollars")}


def named(names: Sequence[str]) -> dict[str, str]:
    """Return which columns of a table of steps these are: role -> name.

    >>> named(["qid", "call", "rank", "docid"])
    {'topic': 'qid', 'step': 'call', 'element': 'docid', 'rank': 'rank'}
    """
    written = {role: column_of(names, of_role) for role, of_role in (COLUMNS | COSTS).items()}
    written["trial"] = trial_column(names)
    return {role: name for role, name in written.items() if name is not None}


def are_steps(names: Sequence[str]) -> bool:
    """Return whether a table with these columns has a row for each element of each step."""
    roles = named(names).keys()
    is_told = not roles.isdisjoint(("rank", "tool")) and not roles.isdisjoint(("session", "topic"))
    return is_told and {"step", "element"} <= roles


def are_games(names: Sequence[str]) -> bool:
    """Return whether a table with these columns has a row for each game of wikirace."""
    return {"path", "start", "target"} <= set(names)


def of_game(row: Mapping[str, Any], place: str, tools: Tools) -> Iterator[Trajectory]:
    """Yield the game of a row, whose `path` has articles with semicolons between them."""
    fields = Fields(row, "row", place)
    run = {
        **row,
        "start_article": row.get("start"),
        "destination_article": row.get("target"),
        "steps": [{"article": name} for name in fields.text("path").split(";")],
    }
    yield from of_wikirace({"runs": [run]}, place, tools)


def of_steps(rows: Iterable[tuple[Mapping[str, Any], str]], tools: Tools) -> Iterator[Trajectory]:
    """Yield the sessions of a table of steps, which stand as they were taken.

    Rows of one step that have ranks, or a tool that searches, are the list that it showed; others
    were opened. What a step cost, and when it was, stands in its first row.

    Raise InputError for a field of another type, and a row without step or element.
    """
    sessions: dict[tuple[str, str, str, str], dict[str, list[Fields]]] = {}
    for row, place in rows:
        fields = Fields({role: row[name] for role, name in named(list(row)).items()}, "row", place)
        topic, system = fields.text("topic", ""), fields.text("system", "")
        session = fields.text("session", "") or fields.text("topic")
        steps = sessions.setdefault((system, session, topic, fields.text("trial", "")), {})
        steps.setdefault(fields.text("step"), []).append(fields)
    for (system, session, topic, trial), steps in sessions.items():
        actions = [action for step in steps.values() for action in _actions(step, tools)]
        place = next(iter(steps.values()))[0].place
        made = Trajectory(session, topic, tuple(actions), system, system, place=place)
        yield replace(made, trial=trial)


def _actions(rows: Sequence[Fields], tools: Tools) -> Iterator[Action]:
    """Yield the list of a step, or what was opened."""
    first, tool = rows[0], rows[0].text("tool", "")
    costs = {unit: first.number(unit, 0.0) for unit in COSTS if unit in first}
    bare = Action("open", time=first.number("time", nan), costs=costs, label=tool)
    if tools.kind(tool) == "list" or (not tools.kind(tool) and "rank" in first):
        ranks = [row.number("rank", place) for place, row in enumerate(rows)]
        order = sorted(range(len(rows)), key=ranks.__getitem__)
        # A search that returned nothing has a row without an element.
        shown = (rows[place].text("element", "") for place in order)
        yield bare._replace(kind="list", elements=tuple(filter(None, shown)))
        return
    for row in rows:
        yield bare._replace(elements=(row.text("element"),))
        bare = bare._replace(costs={})
