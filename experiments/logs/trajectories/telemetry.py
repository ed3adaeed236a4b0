"""Spans of retrieval: OpenTelemetry's conventions for generative systems, and OpenInference."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from prum.experiments.logs.trajectories.agents import Tools
from prum.experiments.logs.trajectories.trajectory import Action, Fields
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
_TRACE_IDS, _SPAN_IDS = ("trace_id", "traceId"), ("span_id", "spanId")
_PARENT_IDS = ("parent_id", "parent_span_id", "parentSpanId")


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


class TracedSpan(NamedTuple):
    """What a span says: ids, "" where it doesn't, and what was done, None for none.

    `root` tells of a span that is within no other; `asked` is what it was given, as text.
    """

    trace: str
    span: str
    is_root: bool
    conversation: str
    topic: str
    asked: str
    agent: str
    model: str
    action: Action | None
    time: float
    costs: Mapping[str, float]
    lost: Mapping[str, int]
    place: str


def of_span(span: Fields, tools: Tools) -> TracedSpan:
    """Return what a span says.

    Raise InputError for a field of another type.
    """
    attributes, context = _attributes(span), span.part("context")
    own = Fields(attributes, "attributes", span.place)
    costs, lost, action = dict[str, float](), Counter[str](), None
    if told := [name for name in _TOKENS if name in own] or [x for x in (_TOTAL,) if x in own]:
        costs["tokens"] = sum(own.number(x, 0.0) for x in told)
    tool = own.text("gen_ai.tool.name", "") or own.text("tool.name", "")
    kind = tools.kind(tool) if tool else ""
    documents = _documents(attributes, tools)
    ids = tuple(filter(None, documents))
    lost["documents without an id"] += len(documents) - len(ids)
    retrieves = own.text("openinference.span.kind", "") == "RETRIEVER"
    if documents or retrieves or _DOCUMENTS in attributes or kind == "list":
        action = Action("list", ids, label="documents")
    elif kind == "open" and (element := tools.opened(_arguments(attributes))):
        action = Action("open", (element,), label=tool)
    lost["spans without documents"] += action is None
    return TracedSpan(
        trace=_first(span, *_TRACE_IDS) or _first(context, *_TRACE_IDS),
        span=_first(span, *_SPAN_IDS) or _first(context, *_SPAN_IDS),
        is_root=not _first(span, *_PARENT_IDS),
        conversation=_named(attributes, _SESSION),
        topic=_named(attributes, _TOPIC),
        asked=_named(attributes, ("input.value",)),
        agent=_named(attributes, ("gen_ai.agent.name", "agent.name")),
        model=""
        if own.text("gen_ai.operation.name", "") == "embeddings"
        else _named(attributes, ("gen_ai.request.model", "llm.model_name")),
        action=action,
        time=_seconds(span),
        costs=costs,
        lost=+lost,
        place=span.place,
    )


def _first(span: Fields, *names: str) -> str:
    """Return the first id that is there; what is empty or 0 alone names nothing."""
    own = (span.text(name, "") for name in names if span.content.get(name))
    return next((text for text in own if text.strip("0")), "")


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
