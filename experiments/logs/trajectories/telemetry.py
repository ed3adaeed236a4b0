"""Spans of retrieval: OpenTelemetry's conventions for generative systems, and OpenInference."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from math import isnan
from typing import Any

from prum.experiments.logs.trajectories.agents import Tools
from prum.experiments.logs.trajectories.trajectory import Action, Fields, Trajectory
from prum.simulator.model.json_text import json_value

_DOCUMENTS = "gen_ai.retrieval.documents"
_OPEN_INFERENCE = re.compile(r"retrieval\.documents\.(\d{1,9})\.document\.")
_SESSION = ("session.id", "gen_ai.conversation.id")
_TOPIC = ("topic_id", "query_id", "metadata.topic_id")
_TOKENS = (
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.output_tokens",
    "llm.token_count.prompt",
    "llm.token_count.completion",
)
_TOTAL = "llm.token_count.total"
_NANOSECONDS = 1e-9


def is_span(content: Any) -> bool:
    """Return whether an object is a span, or holds spans as OTLP does."""
    if not isinstance(content, dict):
        return False
    names = {"trace_id", "traceId", "span_id", "spanId", "context"} & set(content)
    return "resourceSpans" in content or ("attributes" in content and bool(names))


def spans_of(content: Any, place: str) -> Iterator[Fields]:
    """Yield the spans that an object is or holds.

    Raise InputError for a field of another type.
    """
    whole = Fields(content, "span", place)
    if "resourceSpans" not in whole:
        yield whole
        return
    for resource in whole.parts("resourceSpans"):
        for scope in resource.parts("scopeSpans"):
            yield from scope.parts("spans")


def of_spans(spans: Iterable[Fields], tools: Tools) -> Iterator[Trajectory]:
    """Yield the sessions of spans: those of one conversation, or of one trace, by their beginning.

    Tokens of spans without documents are those of the next that has some.

    Raise InputError for a field of another type.
    """
    sessions = defaultdict[str, list[tuple[float, Fields, dict[str, Any]]]](list)
    for span in spans:
        attributes = _attributes(span)
        context = span.part("context")
        trace = (
            span.text("trace_id", "") or span.text("traceId", "") or context.text("trace_id", "")
        )
        session = _named(attributes, _SESSION) or trace or span.place
        sessions[session].append((_seconds(span), span, attributes))
    for session, own in sessions.items():
        # Spans that do not say when they began stay where they are in the file.
        if not any(isnan(time) for time, _, _ in own):
            own.sort(key=lambda one: one[0])
        yield _session(session, own, tools)


def _session(
    session: str, spans: list[tuple[float, Fields, dict[str, Any]]], tools: Tools
) -> Trajectory:
    actions, lost, costs = list[Action](), Counter[str](), dict[str, float]()
    topic = model = ""
    for time, span, attributes in spans:
        topic = topic or _named(attributes, _TOPIC)
        model = model or _named(attributes, ("gen_ai.request.model", "llm.model_name"))
        own = Fields(attributes, "attributes", span.place)
        if told := [name for name in _TOKENS if name in own] or [x for x in (_TOTAL,) if x in own]:
            costs["tokens"] = costs.get("tokens", 0) + sum(own.number(x, 0.0) for x in told)
        tool = own.text("gen_ai.tool.name", "") or own.text("tool.name", "")
        kind = tools.kind(tool) if tool else ""
        documents = _documents(attributes, tools)
        ids = tuple(filter(None, documents))
        lost["documents without an id"] += len(documents) - len(ids)
        retrieves = own.text("openinference.span.kind", "") == "RETRIEVER"
        if documents or retrieves or _DOCUMENTS in attributes or kind == "list":
            actions.append(Action("list", ids, time - spans[0][0], costs, label="documents"))
        elif kind == "open" and (element := tools.opened(_arguments(attributes))):
            actions.append(Action("open", (element,), time - spans[0][0], costs, label=tool))
        else:
            lost["spans without documents"] += 1
            continue
        costs = {}
    lost.update(f"costs in {unit} after the last action" for unit, cost in costs.items() if cost)
    return Trajectory(
        session, topic or session, tuple(actions), model, model, False, +lost, spans[0][1].place
    )


def _attributes(span: Fields) -> dict[str, Any]:
    """Return attributes by their names, whether they stand in an object or, as OTLP's, a list."""
    if not isinstance(span.content.get("attributes"), list):
        return dict(span.part("attributes").content)
    return {one.text("key"): _value(one.content.get("value")) for one in span.parts("attributes")}


def _value(value: Any) -> Any:
    """Return a value of OTLP, which names its type: {"stringValue": "tea"}."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    ((kind, own),) = value.items()
    if kind == "arrayValue" and isinstance(own, dict) and isinstance(own.get("values"), list):
        return [_value(one) for one in own["values"]]
    if kind == "kvlistValue" and isinstance(own, dict) and isinstance(own.get("values"), list):
        pairs = [one for one in own["values"] if isinstance(one, dict)]
        return {str(one.get("key")): _value(one.get("value")) for one in pairs}
    if kind == "intValue" and isinstance(own, str) and re.fullmatch(r"-?\d{1,18}", own):
        return int(own)
    return own if kind.endswith("Value") else value


def _documents(attributes: dict[str, Any], tools: Tools) -> list[str]:
    """Return the ids of documents, "" of those without."""
    if _DOCUMENTS in attributes:
        told = attributes[_DOCUMENTS]
        try:
            told = json_value(told) if isinstance(told, str) else told
        except (ValueError, RecursionError):
            return tools.ids(told)
        each = told if isinstance(told, list) else [told]
        return [next(iter(tools.ids(one)), "") for one in each]
    matches = (_OPEN_INFERENCE.match(name) for name in attributes)
    places = sorted({int(match[1]) for match in matches if match})
    ids = [attributes.get(f"retrieval.documents.{place}.document.id") for place in places]
    return [str(one) if isinstance(one, str | int) else "" for one in ids]


def _arguments(attributes: dict[str, Any]) -> Any:
    names = ("gen_ai.tool.call.arguments", "input.value", "tool.parameters")
    return next((attributes[name] for name in names if name in attributes), None)


def _named(attributes: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((attributes[x] for x in names if isinstance(attributes.get(x), str)), "")


def _seconds(span: Fields) -> float:
    """Return when a span began, NaN where it doesn't say: nanoseconds, or a time of ISO 8601."""
    for name in ("start_time_unix_nano", "startTimeUnixNano"):
        value = span.content.get(name)
        if isinstance(value, str) and re.fullmatch(r"\d{1,30}", value):
            return int(value) * _NANOSECONDS
        if name in span:
            return span.number(name, 0.0) * _NANOSECONDS
    return span.moment("start_time")
