"""Runs of agents: ATIF (trajectories of Harbor), BrowseComp-Plus, and wikirace."""

from collections import Counter
from collections.abc import Iterator, Mapping
from math import isnan, nan
from typing import Any

from prum.experiments.logs.trajectories.tools import Tools, text_of
from prum.experiments.logs.trajectories.trajectory import Action, Fields, Trajectory
from prum.simulator.model import InputError

_TOKENS = ("prompt_tokens", "completion_tokens")


def of_atif(content: Any, place: str, tools: Tools) -> Trajectory:
    """Return a run as ATIF has it: steps with calls of tools and what these returned.

    A step's tokens and dollars are those of its first call that is kept; a step without one hands
    them to the next that has.

    Raise InputError for a field of another type, and for a run none of whose tools is known.
    """
    whole = Fields(content, "run", place)
    actions, lost = list[Action](), Counter[str]()
    costs, start = dict[str, float](), nan
    for step in whole.parts("steps"):
        metrics = step.part("metrics")
        for unit, names in (("tokens", _TOKENS), ("usd", ("cost_usd",))):
            if any(name in metrics for name in names):
                own = sum(metrics.number(name, 0.0) for name in names)
                costs[unit] = costs.get(unit, 0.0) + own
        moment = step.moment("timestamp")
        start = moment if isnan(start) else start
        time = moment - start
        results = step.part("observation").parts("results")
        answers = {result.text("source_call_id", ""): result for result in results}
        calls = step.parts("tool_calls")
        lost["messages"] += not calls
        for number, call in enumerate(calls):
            name = call.text("function_name")
            answer = answers.get(call.text("tool_call_id", ""))
            if answer is None and number < len(results) and "" in answers:
                answer = results[number]
            said = None if answer is None else answer.content.get("content")
            action = _action(name, call.content.get("arguments"), said, tools, lost)
            if action is not None:
                actions.append(action._replace(time=time, costs=costs))
                costs = {}
    lost.update(f"costs in {unit} after the last call" for unit, cost in costs.items() if cost)
    topic = whole.part("extra").text("topic_id", "") or whole.text("session_id", place)
    agent = whole.part("agent")
    session = whole.text("session_id", place)
    person = agent.text("model_name", "") or agent.text("name", "")
    _check_known(actions, lost, tools, place)
    return Trajectory(session, topic, tuple(actions), person, person, False, +lost, place)


def _action(
    name: str, arguments: Any, said: Any, tools: Tools, lost: Counter[str]
) -> Action | None:
    """Return a call of a tool as an action, or count it as lost."""
    kind = tools.kind(name)
    if kind == "list":
        ids = tools.all_ids(text_of(said))
        elements = tuple(dict.fromkeys(ids))
        lost["ids that a list has again"] += len(ids) - len(elements)
        return Action("list", elements, label=name)
    if kind == "open" and (element := tools.opened(arguments)):
        return Action("open", (element,), label=name)
    lost[f"calls of {name}" + (" without an id" if kind else "")] += 1
    return None


def _check_known(actions: list[Action], lost: Mapping[str, int], tools: Tools, place: str) -> None:
    """Raise InputError if a tool was named and no call was of it."""
    named = [name for name in (tools.search, tools.open) if name]
    calls = [name for name in lost if name.startswith("calls of ")]
    if named and calls and not actions:
        others = ", ".join(name.removeprefix("calls of ") for name in calls)
        rule = f"be among the tools of the run: {others}"
        remedy = "name them by tools search=NAME,open=NAME"
        raise InputError("tools", ", ".join(named), rule, remedy=remedy, place=place)


def of_browsecomp(content: Any, place: str, tools: Tools) -> Trajectory:
    """Return a run of BrowseComp-Plus: a question, and calls of tools with their output.

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
    found = {name for action in actions for name in action.elements}
    lost["retrieved_docids that no call returned"] += len(listed - found)
    topic = whole.text("query_id")
    status = whole.text("status", "completed")
    _check_known(actions, lost, tools, place)
    model = whole.part("metadata").text("model", "")
    is_cut = status != "completed"
    return Trajectory(topic, topic, tuple(actions), model, model, is_cut, +lost, place)


def of_wikirace(content: Any, place: str) -> Iterator[Trajectory]:
    """Yield the games of a file of wikirace; one that is neither won nor lost is cut.

    Raise InputError for a field of another type.
    """
    for number, run in enumerate(Fields(content, "file", place).parts("runs"), start=1):
        steps = [step.text("article") for step in run.parts("steps") if "article" in step]
        lost = Counter[str]()
        lost["steps without an article"] += len(run.parts("steps")) - len(steps)
        lost["metadata"] += sum(bool(step.content.get("metadata")) for step in run.parts("steps"))
        actions = [
            Action("follow" if at else "open", (article,), label="step")
            for at, article in enumerate(steps)
        ]
        model = run.text("model", "")
        topic = f"{run.text('start_article', '')} -> {run.text('destination_article', '')}"
        is_cut = run.text("result", "") not in ("win", "lose")
        where = f"{place}, run {number}"
        yield Trajectory(f"{number}", topic, tuple(actions), model, model, is_cut, +lost, where)
