"""Runs of agents: ATIF (trajectories of Harbor), BrowseComp-Plus, wikirace, tables; their tools.

A table has a row for each element that a step showed or opened, or for a game.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Any

from prum.experiments.logs.trajectories.trajectory import Action, Fields, Trajectory, paid, trial_of
from prum.simulator.model import InputError
from prum.simulator.model.json_text import json_value
from prum.simulator.tables.names import (
    ELEMENT,
    QUESTION,
    RANK,
    SESSION,
    SYSTEM,
    column_of,
    trial_column,
)

_SEARCHES = ("search", "retriev", "query")
_OPENS = ("open", "get", "fetch", "visit", "browse", "read", "view", "click")
_IDS = ("docid", "doc_id", "docno", "document_id", "id", "url")


_LIKE = "write search=bm25,id=docid, say"


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools of an agent that matter, by their names.

    Parameters
    ----------
    search
        The tool that returns a ranked list; by default each whose name speaks of searching.
    open
        The tool that opens an element; by default each whose name speaks of opening or reading.
    id
        The field that holds the id of an element; by default docid, doc_id, docno, document_id,
        id or url, the first of them that there is.

    >>> Tools.of("search=bm25,id=pid")
    Tools(search='bm25', open=None, id='pid')
    """

    search: str | None = None
    open: str | None = None
    id: str | None = None

    @classmethod
    def of(cls, words: "str | Tools | None") -> "Tools":
        """Return the tools that a text names, as ``search=NAME,open=NAME,id=FIELD``."""
        if isinstance(words, Tools):
            return words
        if not isinstance(words, str | None):
            raise InputError("tools", words, "be a text, or Tools", remedy=_LIKE)
        named = dict[str, str]()
        for word in words.split(",") if words else ():
            name, _, value = word.partition("=")
            if name.strip() not in ("search", "open", "id") or not value.strip():
                rule = "be search=NAME, open=NAME and id=FIELD, or some of them"
                raise InputError("tools", words, rule, remedy=_LIKE)
            named[name.strip()] = value.strip()
        return cls(**named)

    def kind(self, name: str) -> str:
        """Return "list" for a tool that searches, "open" for one that opens, else ""."""
        if name in (self.search, self.open):
            return "list" if name == self.search else "open"
        plain = name.lower()
        if self.search is None and any(word in plain for word in _SEARCHES):
            return "list"
        opens = self.open is None and any(word in plain for word in _OPENS)
        return "open" if opens else ""

    def ids(self, content: Any) -> list[str]:
        """Return the ids of elements in what a tool was given or said, in its order.

        Of a text that is no JSON, what stands behind the field's name. What comes again is there
        again; an object within one of the same id is a part of it.

        >>> Tools().ids('[{"docid": 7, "text": "tea"}, {"docid": "b"}, {"docid": 7}]')
        ['7', 'b', '7']
        >>> Tools(id="page").ids("page: home (see also page: tea)")
        ['home', 'tea']
        """
        data = content
        if isinstance(content, str):
            try:
                data = json_value(content)
            except (ValueError, RecursionError):
                return self._in_text(content)
        names = (self.id,) if self.id else _IDS
        objects = list(_objects(data, names))
        name = next((name for name in names if any(name in record for record, _ in objects)), None)
        if name is None:
            return []
        pairs = ((_id(record.get(name)), _id(within.get(name))) for record, within in objects)
        return [text for text, whole in pairs if text and text != whole]

    def opened(self, arguments: Any) -> str:
        """Return the id of the element that a tool was asked to open, "" if it can't be told."""
        ids = self.ids(arguments)
        if ids:
            return ids[0]
        try:
            data = json_value(arguments) if isinstance(arguments, str) else arguments
        except (ValueError, RecursionError):
            return ""
        values = list(data.values()) if isinstance(data, dict) else [data]
        return _id(values[0]) if len(values) == 1 else ""

    def _in_text(self, text: str) -> list[str]:
        for name in (self.id,) if self.id else _IDS:
            pattern = rf"(?<![\w.]){re.escape(name)}[\"']?\s*[:=]\s*[\"']?([^\s\"',;)\]}}]+)"
            if ids := re.findall(pattern, text):
                return ids
        return []


def _objects(data: Any, names: Collection[str]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield the objects of JSON, before those in them, with the next one around that has a name.

    What is nested deep was refused.
    """
    left: list[tuple[Any, dict[str, Any]]] = [(data, {})]
    while left:
        content, within = left.pop()
        if isinstance(content, dict):
            yield content, within
            within = within if content.keys().isdisjoint(names) else content
            left += [(value, within) for value in content.values()][::-1]
        elif isinstance(content, list):
            left += [(value, within) for value in reversed(content)]


def _id(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**30:
        return str(value)
    return value if isinstance(value, str) else ""


def text_of(content: Any) -> Any:
    """Return what a tool said: a text, or the texts of a list of parts put together."""
    if isinstance(content, list) and all(isinstance(part, dict) for part in content):
        texts = [part["text"] for part in content if isinstance(part.get("text"), str)]
        if texts and len(texts) == len(content):
            return "\n".join(texts) if len(texts) > 1 else texts[0]
    if isinstance(content, float):
        return json.dumps(content)
    return content


_TOKENS = ("prompt_tokens", "completion_tokens")


def of_atif(content: Any, place: str, tools: Tools) -> Iterator[Trajectory]:
    """Yield a run as ATIF has it: steps with calls of tools and what these returned.

    A step's tokens and dollars are those of its first call that is kept; a step without one hands
    them to the next that has.

    Raise InputError for a field of another type, and for a run none of whose tools is known.
    """
    whole = Fields(content, "run", place)
    steps, lost, start = list[tuple[Action | None, dict[str, float]]](), Counter[str](), nan
    for step in whole.parts("steps"):
        metrics = step.part("metrics")
        for unit, names in (("tokens", _TOKENS), ("usd", ("cost_usd",))):
            if any(name in metrics for name in names):
                steps.append((None, {unit: sum(metrics.number(name, 0.0) for name in names)}))
        moment = step.moment("timestamp")
        start = moment if isnan(start) else start
        time = moment - start
        results = step.part("observation").parts("results")
        answers = {result.text("source_call_id", ""): result for result in results}
        calls = step.parts("tool_calls")
        lost["messages"] += not calls
        lost["cached_tokens"] += "cached_tokens" in metrics
        lost["results of no call"] += len(results)
        for number, call in enumerate(calls):
            name = call.text("function_name")
            answer = answers.get(call.text("tool_call_id", ""))
            if answer is None and number < len(results) and "" in answers:
                answer = results[number]
            lost["results of no call"] -= answer is not None
            said = None if answer is None else answer.content.get("content")
            action = _action(name, call.content.get("arguments"), said, tools, lost)
            steps.append((action and action._replace(time=time), {}))
    actions = paid(steps, lost)
    lost["final_metrics"] += "final_metrics" in whole
    topic = whole.part("extra").text("topic_id", "")
    agent = whole.part("agent")
    session = whole.text("session_id", "")
    person = " ".join(filter(None, (agent.text(name, "") for name in ("name", "model_name"))))
    _check_known(actions, lost, tools, place)
    yield Trajectory(session, topic, actions, person, person, False, +lost, place)


def _action(
    name: str, arguments: Any, said: Any, tools: Tools, lost: Counter[str]
) -> Action | None:
    """Return a call of a tool as an action, or count it as lost."""
    kind = tools.kind(name)
    if kind == "list":
        return Action("list", tuple(tools.ids(text_of(said))), label=name)
    if kind == "open" and (element := tools.opened(arguments)):
        return Action("open", (element,), label=name)
    lost[f"calls of {name}" + (" without an id" if kind else "")] += 1
    return None


def _check_known(
    actions: Collection[Action], lost: Mapping[str, int], tools: Tools, place: str
) -> None:
    """Raise InputError if a tool was named and no call was of it."""
    named = [name for name in (tools.search, tools.open) if name]
    calls = [name for name in lost if name.startswith("calls of ")]
    if named and calls and not actions:
        others = ", ".join(name.removeprefix("calls of ") for name in calls)
        rule = f"be among the tools of the run: {others}"
        remedy = "name them by tools search=NAME,open=NAME"
        raise InputError("tools", ", ".join(named), rule, remedy=remedy, place=place)


def of_browsecomp(content: Any, place: str, tools: Tools) -> Iterator[Trajectory]:
    """Yield a run of BrowseComp-Plus: a question, and calls of tools with their output.

    Raise InputError as `of_atif`.
    """
    whole = Fields(content, "run", place)
    actions, lost = list[Action](), Counter[str]()
    for step in whole.parts("result"):
        kind = step.text("type")
        if kind != "tool_call":
            lost[kind] += 1
            continue
        said = text_of(step.content.get("output"))
        action = _action(
            step.text("tool_name", ""), step.content.get("arguments"), said, tools, lost
        )
        actions += [] if action is None else [action]
    listed = {str(name) for name in whole.listed("retrieved_docids") if isinstance(name, str | int)}
    returned = {name for action in actions for name in action.elements}
    lost["retrieved_docids that no call returned"] += len(listed - returned)
    topic = whole.text("query_id")
    status = whole.text("status", "completed")
    _check_known(actions, lost, tools, place)
    model = whole.part("metadata").text("model", "")
    is_cut = status != "completed"
    yield Trajectory("", topic, tuple(actions), model, model, is_cut, +lost, place)


def of_wikirace(content: Any, place: str, _: Tools) -> Iterator[Trajectory]:
    """Yield the games of a file of wikirace; one that is neither won nor lost is cut.

    Raise InputError for a field of another type.
    """
    for number, run in enumerate(Fields(content, "file", place).parts("runs"), start=1):
        steps = [step.text("article") for step in run.parts("steps") if "article" in step]
        lost = Counter[str]()
        lost["steps without an article"] += len(run.parts("steps")) - len(steps)
        lost["metadata"] += sum(bool(step.content.get("metadata")) for step in run.parts("steps"))
        actions = [
            Action("follow" if position else "open", (article,), label="step")
            for position, article in enumerate(steps)
        ]
        model = run.text("model", "")
        topic = f"{run.text('start_article', '')} -> {run.text('destination_article', '')}"
        is_cut = run.text("result", "") not in ("win", "lose")
        where = f"{place}, run {number}"
        trial = trial_of(run.content)
        yield Trajectory("", topic, tuple(actions), model, model, is_cut, +lost, where, trial)


# --- tables ---------------------------------------------------------------------------------------

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


def _roles(names: Sequence[str]) -> dict[str, str]:
    """Return which columns of a table of steps these are: role -> name.

    >>> _roles(["qid", "call", "rank", "docid"])
    {'topic': 'qid', 'step': 'call', 'element': 'docid', 'rank': 'rank'}
    """
    written = {role: column_of(names, of_role) for role, of_role in (COLUMNS | COSTS).items()}
    written["trial"] = trial_column(names)
    return {role: name for role, name in written.items() if name is not None}


def are_steps(names: Sequence[str]) -> bool:
    """Return whether a table with these columns has a row for each element of each step."""
    roles = _roles(names).keys()
    is_told = not roles.isdisjoint(("rank", "tool")) and not roles.isdisjoint(("session", "topic"))
    return is_told and {"step", "element"} <= roles


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
        fields = Fields({role: row[name] for role, name in _roles(list(row)).items()}, "row", place)
        topic, system = fields.text("topic", ""), fields.text("system", "")
        session = fields.text("session", "") or fields.text("topic")
        steps = sessions.setdefault((system, session, topic, fields.text("trial", "")), {})
        steps.setdefault(fields.text("step"), []).append(fields)
    for (system, session, topic, trial), steps in sessions.items():
        actions = [action for step in steps.values() for action in _step(step, tools)]
        place = next(iter(steps.values()))[0].place
        ids = session, topic, tuple(actions), system, system
        yield Trajectory(*ids, place=place, trial=trial)


def _step(rows: Sequence[Fields], tools: Tools) -> Iterator[Action]:
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
