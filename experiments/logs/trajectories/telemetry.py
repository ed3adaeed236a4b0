"""Spans of retrieval: OpenTelemetry, OpenInference (as Phoenix exports it), and Langfuse."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan
from typing import Any, NamedTuple

from prum.experiments.logs.trajectories.agents import Tools
from prum.experiments.logs.trajectories.trajectory import Action, Fields, Trajectory, paid, trial_of
from prum.simulator.model import InputError
from prum.simulator.model.json_text import json_value

# What a span says, by the names of its fields and attributes; of several the first counts.
_TRACE = ("trace_id", "traceId")
_SPAN = ("span_id", "spanId", "id")
_PARENT = (
    *("parent_id", "parent_span_id", "parentSpanId"),
    *("parentObservationId", "parent_observation_id"),
)
_BEGAN = ("start_time", "startTime")
_KIND = ("openinference.span.kind", "span_kind", "type")
_TOOL = ("gen_ai.tool.name", "tool.name")
_TEXTS = {
    "conversation": ("session.id", "gen_ai.conversation.id", "sessionId", "session_id"),
    "topic": ("topic_id", "query_id", "metadata.topic_id", "metadata.query_id"),
    "asked": ("input.value", "input", "input.query", "input.question"),
    "agent": ("gen_ai.agent.name", "agent.name"),
    "model": ("gen_ai.request.model", "llm.model_name", "model"),
}
_AGENT = ("agent", "model")
_DOCUMENTS = ("gen_ai.retrieval.documents", "retrieval.documents")
_ARGUMENTS = ("gen_ai.tool.call.arguments", "input.value", "tool.parameters", "input")
_TOKENS = (
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.output_tokens",
    "llm.token_count.prompt",
    "llm.token_count.completion",
)
_TOTALS = ("llm.token_count.total", "usageDetails.total", "usage_details.total", "usage.total")
_NUMBERED = re.compile(r"retrieval\.documents\.(\d{1,9})\.document\.")
_NANOSECONDS = 1e-9
# Objects whose fields are those of the span, by what stands before their names there.
_INNER = {"attributes": "", "context": ""}
_INNER |= {name: f"{name}." for name in ("metadata", "usageDetails", "usage_details", "usage")}


def are_of_spans(names: Iterable[str]) -> bool:
    """Return whether fields are those of a span, or of what holds spans in OTLP and Langfuse."""
    fields = {name.removeprefix("context.") for name in names}
    is_traced = not fields.isdisjoint((*_TRACE, *_SPAN[:2]))
    has_attributes = any(name.startswith("attributes") for name in fields)
    return (
        not fields.isdisjoint(("resourceSpans", "observations"))
        or {"data", "meta"} <= fields
        or (has_attributes and (is_traced or "context" in fields))
        or (is_traced and "type" in fields)
    )


def spans_of(content: Any, place: str) -> Iterator[Fields]:
    """Yield the spans that an object is or holds.

    Raise InputError for a field of another type.
    """
    whole = Fields(content, "span", place)
    if "observations" in whole:
        # A trace of Langfuse tells the session, and what was asked, of all that is in it.
        trace = whole.part("trace").content or content
        session = {name: trace.get(name) for name in ("sessionId", "session_id")}
        within = {**session, "traceId": trace.get("id"), "parentObservationId": trace.get("id")}
        spans = whole.parts("observations")
        began = [span.text(name) for span in spans for name in _BEGAN if name in span]
        about = {name: trace.get(name) for name in ("input", "metadata")}
        root = {**about, **within, "parentObservationId": None, _BEGAN[0]: min(began, default=None)}
        yield Fields(root, "trace", place)
        for span in spans:
            filled = {name: value for name, value in span.content.items() if value is not None}
            yield Fields({**within, **filled}, span.name, span.place)
        return
    if "data" in whole and "meta" in whole:
        yield from whole.parts("data")
        return
    if "resourceSpans" not in whole:
        yield whole
        return
    for resource in whole.parts("resourceSpans"):
        for scope in resource.parts("scopeSpans"):
            yield from scope.parts("spans")


class TracedSpan(NamedTuple):
    """What a span says: ids and `texts`, "" where it doesn't, and what was done, None for none.

    `is_root` tells of a span that is within no other; "asked" is what it was given.
    """

    trace: str
    span: str
    is_root: bool
    texts: Mapping[str, str]
    action: Action | None
    time: float
    costs: Mapping[str, float]
    lost: Mapping[str, int]
    place: str
    trial: str


def of_span(span: Fields, tools: Tools) -> TracedSpan:
    """Return what a span says.

    Raise InputError for a field of another type.
    """
    fields = _flat(span)
    values = Fields(fields, "span", span.place)
    costs, lost, action = dict[str, float](), Counter[str](), None
    total = [name for name in _TOTALS if name in values][:1]
    if counted := [name for name in _TOKENS if name in values] or total:
        costs["tokens"] = sum(values.number(name, 0.0) for name in counted)
    kind = _named(fields, _KIND).upper()
    tool = _named(fields, (*_TOOL, *["name"] * (kind == "TOOL")))
    documents, does = _documents(fields, kind, tools), tools.kind(tool) if tool else ""
    shown = tuple(filter(None, documents or ()))
    lost["documents without an id"] += len(documents or ()) - len(shown)
    if documents is not None or kind == "RETRIEVER" or does == "list":
        action = Action("list", shown, label="documents")
    elif does == "open" and (element := tools.opened(_first(fields, _ARGUMENTS))):
        action = Action("open", (element,), label=tool)
    lost["spans without documents"] += action is None
    texts = {role: _named(fields, names) for role, names in _TEXTS.items()}
    if kind == "EMBEDDING" or values.text("gen_ai.operation.name", "") == "embeddings":
        texts["model"] = ""
    ids = [_id(values, names) for names in (_TRACE, _SPAN, _PARENT)]
    trial = trial_of({name.removeprefix("metadata."): value for name, value in fields.items()})
    more = _seconds(values), costs, +lost, span.place, trial
    return TracedSpan(ids[0], ids[1], not ids[2], texts, action, *more)


def _flat(span: Fields) -> dict[str, Any]:
    """Return the fields and attributes of a span by their names, with dots where they are nested.

    In a data frame of Phoenix they are columns, as attributes.input.value; in OTLP attributes are a
    list, and name the types of their values.
    """
    flat = dict[str, Any]()
    for name, value in span.content.items():
        if name == "attributes" and isinstance(value, list):
            pairs = span.parts("attributes")
            flat |= {pair.text("key"): _value(pair.content.get("value")) for pair in pairs}
        elif name in _INNER and isinstance(value, Mapping):
            flat |= _nested(value, _INNER[name])
        elif name == "input" and isinstance(value, Mapping):
            flat |= {**_nested(value, "input."), name: value}
        elif name == "attributes" and value is not None:
            span.part("attributes")
        else:
            flat[name.removeprefix("attributes.").removeprefix("context.")] = value
    return flat


def _nested(content: Mapping[str, Any], before: str) -> dict[str, Any]:
    flat = dict[str, Any]()
    for name, value in content.items():
        inner = isinstance(value, Mapping)
        flat |= _nested(value, f"{before}{name}.") if inner else {f"{before}{name}": value}
    return flat


def _first(fields: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _id(span: Fields, names: tuple[str, ...]) -> str:
    """Return the first id that is there; what is empty or 0 alone names nothing."""
    ids = (span.text(name, "") for name in names if span.content.get(name))
    return next((text for text in ids if text.strip("0")), "")


def _named(fields: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((fields[name] for name in names if isinstance(fields.get(name), str)), "")


def _value(value: Any) -> Any:
    """Return a value of OTLP, which names its type: {"stringValue": "tea"}."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    ((kind, inner),) = value.items()
    if kind == "arrayValue" and isinstance(inner, dict) and isinstance(inner.get("values"), list):
        return [_value(each) for each in inner["values"]]
    if kind == "kvlistValue" and isinstance(inner, dict) and isinstance(inner.get("values"), list):
        pairs = [each for each in inner["values"] if isinstance(each, dict)]
        return {str(each.get("key")): _value(each.get("value")) for each in pairs}
    if kind == "intValue" and isinstance(inner, str) and re.fullmatch(r"-?\d{1,18}", inner):
        return int(inner)
    return inner if kind.endswith("Value") else value


def _documents(fields: dict[str, Any], kind: str, tools: Tools) -> list[str] | None:
    """Return the ids of documents, "" of those without; None where there are no documents.

    Langfuse has them in the output of a retriever.
    """
    matches = (_NUMBERED.match(name) for name in fields)
    places = sorted({int(match[1]) for match in matches if match})
    if places:
        ids = [fields.get(f"retrieval.documents.{place}.document.id") for place in places]
        return [str(document) if isinstance(document, str | int) else "" for document in ids]
    listed = _first(fields, (*_DOCUMENTS, *["output"] * (kind == "RETRIEVER")))
    if listed is None:
        return None
    try:
        listed = json_value(listed) if isinstance(listed, str) else listed
    except (ValueError, RecursionError):
        return tools.ids(listed)
    if isinstance(listed, dict):
        listed = next((x for x in listed.values() if isinstance(x, list)), listed)
    each = listed if isinstance(listed, list) else [listed]
    return [next(iter(tools.ids(_unprefixed(document))), "") for document in each]


def _unprefixed(document: Any) -> Any:
    """Return a document with the names of its fields alone: Phoenix has document.id, say."""
    if not isinstance(document, dict):
        return document
    return {str(name).removeprefix("document."): value for name, value in document.items()}


def _seconds(span: Fields) -> float:
    """Return when a span began, NaN where it doesn't say: nanoseconds, or a time of ISO 8601."""
    for name in ("start_time_unix_nano", "startTimeUnixNano"):
        value = span.content.get(name)
        if isinstance(value, str) and re.fullmatch(r"\d{1,30}", value):
            return int(value) * _NANOSECONDS
        if name in span:
            return span.number(name, 0.0) * _NANOSECONDS
    return span.moment(next((name for name in _BEGAN if name in span), _BEGAN[0]))


def of_spans(spans: Sequence[TracedSpan]) -> Iterator[Trajectory]:
    """Yield the sessions of spans."""
    traces: dict[str, list[TracedSpan]] = defaultdict(list)
    sessions: dict[str, list[TracedSpan]] = defaultdict(list)
    for span in _once(spans):
        traces[span.trace or span.place].append(span)
    for trace, members in traces.items():
        named = {span.texts["conversation"] for span in members} - {""}
        for span in members:
            if len(named) < 2 or span.texts["conversation"]:
                session = span.texts["conversation"] or min(named, default=trace)
                sessions[session].append(span)
            elif span.action is not None or span.costs:
                rule = f"be named, as trace {trace} has several"
                remedy = "name it in each span"
                raise InputError("conversation", None, rule, remedy=remedy, place=span.place)
    for session, members in sessions.items():
        # Spans that do not say when they began stay where they are in the file.
        if not any(isnan(span.time) for span in members):
            members.sort(key=lambda span: span.time)
        yield _session(session, members)


def _once(spans: Iterable[TracedSpan]) -> Iterator[TracedSpan]:
    """Yield spans, without what they say where that was said before."""
    met = dict[tuple[str, str], int]()
    for span in spans:
        said = hash(repr(span._replace(place="")))
        key = (span.trace, span.span or str(said))
        if key not in met:
            met[key] = said
            yield span
        elif met[key] == said:
            yield span._replace(action=None, costs={}, lost={"spans that stand twice": 1})
        else:
            rule, remedy = "say the same wherever it stands", "leave the copy out"
            raise InputError("span", span.span, rule, remedy=remedy, place=span.place)


def _session(session: str, spans: Sequence[TracedSpan]) -> Trajectory:
    """Return a session of its spans in their order.

    Tokens of spans without documents are those of the next that has some.
    """
    lost, steps = Counter[str](), list[tuple[Action | None, Mapping[str, float]]]()
    for span in spans:
        lost.update(span.lost)
        time = span.time - spans[0].time
        steps.append((span.action and span.action._replace(time=time), span.costs))

    def one_of(thing: str, names: Iterable[str]) -> str:
        distinct = sorted({*names} - {""})
        if len(distinct) > 1:
            rule, remedy = "be one in a session", f"split conversation {session}"
            both, where = " and ".join(distinct[:2]), spans[0].place
            raise InputError(thing, both, rule, remedy=remedy, place=where)
        return distinct[0] if distinct else ""

    asked = {span.texts["asked"] for span in spans if span.is_root} - {""}
    topic = one_of("question", (span.texts["topic"] for span in spans))
    # A trace may call several models: the first is the agent's.
    first = ({x.trace: x.texts[role] for x in spans[::-1] if x.texts[role]} for role in _AGENT)
    system = " ".join(filter(None, (one_of("agent", names.values()) for names in first)))
    trials = {span.trial for span in spans} - {""}
    return Trajectory(
        session,
        topic or (asked.pop() if len(asked) == 1 else ""),
        paid(steps, lost),
        system,
        system,
        False,
        lost,
        spans[0].place,
        trials.pop() if len(trials) == 1 else "",
    )
