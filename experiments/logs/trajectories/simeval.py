"""Sessions of SimEval-IR, version 1: an object of events on each line, read and made.

A link that was followed is a "navigation" there, without a field for where it leads: `meta` has
"from" and "to", or "back". So are read what `prum simulate` writes and what others write alike.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import nan
from typing import TYPE_CHECKING, Any

from prum.experiments.logs.events import BROKEN_OFF
from prum.experiments.logs.trajectories.trajectory import Action, Fields, Trajectory, paid
from prum.simulator.model import InputError
from prum.simulator.model.errors import repeated

if TYPE_CHECKING:
    from prum.simulator.sessions.crowd import Entry

VERSION = "v1"
_UNITS = ("tokens", "seconds", "calls")


def of_simeval(content: Any, place: str, _: Any = None) -> Iterator[Trajectory]:
    """Yield a session of SimEval-IR.

    A list is what "serp_view" or "recommendation" shows, or "query_issued" itself; a query that is
    never answered returned nothing. Other events are lost, and how long people dwelt; what such an
    event cost is paid with the next one.

    Raise InputError for another version, a field of another type, ranks that are not different.
    """
    whole = Fields(content, "session", place)
    version = whole.text("schema_version", VERSION)
    if version != VERSION:
        remedy = "write it by that version"
        raise InputError("schema_version", version, f"be {VERSION}", remedy=remedy, place=place)
    steps, lost = list[tuple[Action | None, dict[str, float]]](), Counter[str]()
    asked: Action | None = None
    for event in whole.parts("events"):
        is_query = event.text("type") == "query_issued"
        actions = _actions(event, lost)
        if asked is not None and (is_query or (actions and actions[0].kind != "list")):
            steps.append((asked, {}))
            asked = None
        meta = event.part("meta")
        steps.append((None, {unit: meta.number(unit, 0.0) for unit in _UNITS if unit in meta}))
        steps += [(action, {}) for action in actions]
        if actions:
            asked = None
        elif is_query:
            asked = Action("list", (), event.number("timestamp", nan), label="query_issued")
    steps.append((asked, {}))
    session_meta = whole.part("meta")
    yield Trajectory(
        whole.text("session_id"),
        whole.text("topic_id", ""),
        paid(steps, lost),
        whole.text("user_id", ""),
        session_meta.text("system", ""),
        session_meta.text("reason", "") in BROKEN_OFF,
        +lost,
        place,
    )


def _actions(event: Fields, lost: Counter[str]) -> list[Action]:
    """Return the actions of an event; none of one that is lost, or of a query without a list."""
    kind, meta = event.text("type"), event.part("meta")
    bare = Action("list", (), event.number("timestamp", nan), label=kind)
    if "ranked_items" in event and kind in ("query_issued", "serp_view", "recommendation"):
        return [bare._replace(elements=tuple(_ranked(event, lost)))]
    if kind == "click":
        clicked = event.parts("clicked_items")
        lost["clicks on nothing"] += not clicked
        lost["dwell_time"] += sum("dwell_time" in item for item in clicked)
        return [bare._replace(kind="open", elements=(item.text("doc_id"),)) for item in clicked]
    if kind == "navigation" and meta.content.get("back") is True:
        return [bare._replace(kind="back")]
    if kind == "navigation" and "to" in meta:
        origin = meta.text("from", "")
        return [bare._replace(kind="follow", elements=(meta.text("to"),), origin=origin)]
    lost[kind] += kind != "query_issued"
    return []


def _ranked(event: Fields, lost: Counter[str]) -> list[str]:
    """Return a list by its ranks."""
    items = event.parts("ranked_items")
    for name in ("score", "judged_relevance"):
        lost[name] += sum(name in item for item in items)
    ranks = [item.number("rank", number) for number, item in enumerate(items, start=1)]
    if (twice := repeated(ranks)) is not None:
        rule, remedy = "be different from the others of the list", "number the items from 1"
        raise InputError("rank", twice, rule, remedy=remedy, place=event.place)
    order = sorted(range(len(items)), key=ranks.__getitem__)
    return [items[place].text("doc_id") for place in order]


# --- made ----------------------------------------------------------------------------------------


def made_session(dataset: str, system: str, entries: "Sequence[Entry]") -> dict[str, Any]:
    """Return a simulated session, from its entries, as an object of SimEval-IR.

    The list that was shown holds what the user consulted, for the others they did not look at. An
    element without a name can't be clicked on: it is an event "other". The end has no event: its
    reason stands in `meta`.
    """
    first, last = entries[0], entries[-1]
    began = first.time - first.event.time
    shown = [
        {"doc_id": entry.event.element, "rank": entry.event.rank}
        for entry in entries
        if entry.event.action == "consult" and entry.event.element
    ]
    events: list[dict[str, Any]] = [
        _event("query_issued", 0.0, query=first.query),
        _event("serp_view", 0.0, query=first.query, ranked_items=shown),
    ]
    for entry in entries:
        action = entry.event.action
        if action == "see" and not entry.event.origin and events[-1].get("clicked_items"):
            events[-1]["meta"] = _flags(entry)
        elif action != "stop":
            events.append(_made(entry))
    for number, event in enumerate(events, start=1):
        event["event_id"] = str(number)
    return {
        "schema_version": VERSION,
        "session_id": f"{system}/{first.user}/{first.session}/{first.query}",
        "dataset_id": dataset,
        "session_type": "search",
        "user_id": str(first.user),
        "topic_id": first.query,
        "events": events,
        "meta": {"system": system, "began": began, "reason": last.reason},
    }


def _made(entry: "Entry") -> dict[str, Any]:
    event = entry.event
    if event.action == "consult" and event.element:
        item = {"doc_id": event.element, "rank": event.rank, "meta": {}}
        return _event("click", event.time, clicked_items=[item])
    if event.action == "consult" or not event.origin:
        return _event("other", event.time, meta={"rank": event.rank, "elements": event.elements})
    steps = {"from": event.origin, "to": event.element}
    return _event("navigation", event.time, meta={**steps, **_flags(entry)})


def _flags(entry: "Entry") -> dict[str, bool]:
    return {"ideal": entry.event.ideal, "new": entry.event.new}


def _event(kind: str, time: float, *, meta: Any = None, **more: Any) -> dict[str, Any]:
    about = {"event_id": "", "type": kind, "timestamp": time, "role": "user", **more}
    return {**about, "meta": meta or {}}
