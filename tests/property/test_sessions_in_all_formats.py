"""The same sessions in every format, doubled, split into files: the same is read, or a refusal.

What is read twice or under another id would go into means without a word.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from prum.experiments.logs import Trajectory, read_sessions, read_trajectories
from prum.simulator.model import InputError
from tests.tiers import drawn, examples

pytestmark = drawn

START = 1_767_225_600  # 2026-01-01


class Made(NamedTuple):
    """A session as it is made here: each action a kind, elements, and seconds since the start."""

    session: str
    topic: str
    agent: str
    actions: tuple[tuple[str, tuple[str, ...], int], ...]


def made(rng: np.random.Generator) -> list[Made]:
    """Return sessions of two agents; some begin with the same id, question or actions."""
    found = list[Made]()
    for number in range(int(rng.integers(2, 6))):
        times = np.cumsum(rng.integers(0, 3, size=int(rng.integers(1, 6)))).tolist()
        actions = [("list", tuple(rng.choice(list("abcd"), size=2, replace=False)), 0)]
        actions += [
            (kind, tuple(rng.choice(list("abcd"), size=2 if kind == "list" else 1)), time)
            for kind, time in zip(rng.choice(["list", "open"], size=len(times)), times, strict=True)
        ]
        agent = f"agent{rng.integers(2)}"
        found.append(Made(f"s{number}", f"q{rng.integers(3)} {number}", agent, tuple(actions)))
    return found


def ids(elements: tuple[str, ...]) -> str:
    return json.dumps([{"docid": name} for name in elements])


def simeval(one: Made) -> Iterator[dict[str, Any]]:
    def event(kind: str, elements: tuple[str, ...], time: int) -> dict[str, Any]:
        items = [{"doc_id": name, "rank": rank} for rank, name in enumerate(elements, start=1)]
        told = ("serp_view", "ranked_items") if kind == "list" else ("click", "clicked_items")
        return {"type": told[0], "timestamp": time, told[1]: items}

    yield {
        "session_id": one.session,
        "topic_id": one.topic,
        "events": [event(*action) for action in one.actions],
        "meta": {"system": f"{one.agent} m"},
    }


def atif(one: Made) -> Iterator[dict[str, Any]]:
    steps = []
    for number, (kind, elements, time) in enumerate(one.actions, start=1):
        call = {"tool_call_id": "c", "function_name": "search", "arguments": {}}
        if kind == "open":
            call |= {"function_name": "open", "arguments": {"docid": elements[0]}}
        results = [{"source_call_id": "c", "content": ids(elements)}]
        stamp = np.datetime64(START + time, "s")
        step = {"step_id": number, "source": "agent", "message": "", "timestamp": f"{stamp}Z"}
        steps.append({**step, "tool_calls": [call], "observation": {"results": results}})
    yield {
        "session_id": one.session,
        "agent": {"name": one.agent, "model_name": "m"},
        "steps": steps,
        "extra": {"topic_id": one.topic},
    }


def browsecomp(one: Made) -> Iterator[dict[str, Any]]:
    calls = [
        {
            "type": "tool_call",
            "tool_name": "search" if kind == "list" else "open",
            "arguments": json.dumps({"docid": elements[0]}),
            "output": ids(elements),
        }
        for kind, elements, _ in one.actions
    ]
    about = {"query_id": one.topic, "metadata": {"model": f"{one.agent} m"}}
    yield {**about, "result": calls}


def spans(one: Made, *, everywhere: bool = True, asked: bool = False) -> Iterator[dict[str, Any]]:
    """Yield spans: of each action, and of the turn that it is in, which begins a trace.

    Ids stand in each of them, or in those of turns alone; the question as what was asked, or an id.
    """
    question = {"input.value": one.topic} if asked else {"topic_id": one.topic}
    about = {"session.id": one.session, "gen_ai.agent.name": one.agent, "llm.model_name": "m"}
    for number, (kind, elements, time) in enumerate(one.actions):  # a microsecond apart
        trace = f"{one.session} {number // 2}"
        began = {"trace_id": trace, "start_time_unix_nano": (START + time) * 10**9 + number * 1_000}
        if not number % 2:
            own = {**began, "span_id": f"{number}r", "parent_id": None}
            yield {**own, "attributes": {**about, **question}}
        told: dict[str, Any] = {"gen_ai.retrieval.documents": json.loads(ids(elements))}
        if kind == "open":
            told = {"gen_ai.tool.name": "open", "input.value": json.dumps({"docid": elements[0]})}
        told |= {**about, **question, **told} if everywhere else {}
        parent = {"span_id": f"{number}", "parent_id": f"{number - number % 2}r"}
        yield {**began, **parent, "attributes": told}


def phoenix(one: Made) -> Iterator[dict[str, Any]]:
    """Yield spans as rows of a data frame: attributes and ids are columns."""
    for span in spans(one):
        began = np.datetime64(span["start_time_unix_nano"], "ns")
        yield {
            "context.trace_id": span["trace_id"],
            "context.span_id": span["span_id"],
            "parent_id": span.get("parent_id"),
            "start_time": f"{began.astype('datetime64[us]')}Z",
            **{f"attributes.{name}": value for name, value in span["attributes"].items()},
        }


def langfuse(one: Made) -> Iterator[dict[str, Any]]:
    """Yield the observations of a trace, where the model is that of a generation."""
    about = {"traceId": one.session, "sessionId": one.session, "metadata": {"topic_id": one.topic}}
    for number, (kind, elements, time) in enumerate(one.actions):
        began = f"{np.datetime64((START + time) * 10**6 + number, 'us')}Z"
        told = {**about, "id": f"{number}", "startTime": began, "model": f"{one.agent} m"}
        shown = [{"page_content": "", "metadata": {"doc_id": name}} for name in elements]
        if kind == "list":
            yield {**told, "type": "RETRIEVER", "output": {"documents": shown}}
        else:
            yield {**told, "type": "TOOL", "name": "open", "input": {"docid": elements[0]}}


Write = Callable[[Made], Iterator[dict[str, Any]]]
FORMATS: dict[str, Write] = {
    "simeval": simeval,
    "atif": atif,
    "browsecomp": browsecomp,
    "spans": spans,
    "spans, Phoenix": phoenix,
    "spans, Langfuse": langfuse,
    "spans, ids on roots": lambda one: spans(one, everywhere=False),
    "spans, questions asked": lambda one: spans(one, everywhere=False, asked=True),
}
TIMED = FORMATS.keys() - {"browsecomp"}


def told(sessions: list[Trajectory], *, is_timed: bool) -> Counter[Any]:
    return Counter(
        (
            one.topic,
            one.system,
            tuple(
                (action.kind, action.elements, round(action.time) if is_timed else 0)
                for action in one.actions
            ),
        )
        for one in sessions
    )


def wanted(log: list[Made], *, is_timed: bool) -> Counter[Any]:
    """Return what is to be read; time from the first action on."""
    return Counter(
        (
            one.topic,
            f"{one.agent} m",
            tuple((kind, elements, time * is_timed) for kind, elements, time in one.actions),
        )
        for one in log
    )


def written(folder: Path, name: str, objects: list[dict[str, Any]]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("".join(json.dumps(one) + "\n" for one in objects))
    return folder / name


def visits(log: Any) -> Counter[tuple[str, ...]]:
    return Counter(read_sessions(log))


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_is_read_or_refused(tmp_path: Path, name: str) -> None:
    rng = np.random.default_rng(7)
    is_timed = name in TIMED
    for number in range(examples(25)):
        log, folder = made(rng), tmp_path / f"{number}"
        objects = [part for one in log for part in FORMATS[name](one)]
        shuffled = [objects[place] for place in rng.permutation(len(objects))]
        if not is_timed:
            shuffled = objects
        whole = written(folder, "one.jsonl", objects)
        files = [
            written(folder / "split" / f"{at % 3}", f"{at}.jsonl", [one])
            for at, one in enumerate(shuffled)
        ]
        written(folder / "copy", "one.jsonl", objects)
        written(folder / "copy", "two.jsonl", shuffled)
        truth = wanted(log, is_timed=is_timed)
        same = (whole, files, folder / "split", written(folder, "mixed.jsonl", shuffled))
        for source in same:
            assert told(list(read_trajectories(source)), is_timed=is_timed) == truth
        twice = written(folder, "twice.jsonl", [*objects, *objects])
        doubled = (folder / "copy", twice)
        for source in doubled:
            if name.startswith("spans"):
                assert told(list(read_trajectories(source)), is_timed=is_timed) == truth
            else:
                with pytest.raises(InputError, match="must be in the log once"):
                    list(read_trajectories(source))
        for again in ([whole, whole], [folder / "copy", folder / "copy" / "one.jsonl"]):
            with pytest.raises(InputError, match="must be given once"):
                list(read_trajectories(again))
        if any(kind == "open" for one in log for kind, *_ in one.actions) and len(log) > 2:
            try:
                taken = visits(whole)
            except InputError:
                continue
            assert visits(files) == visits(folder / "split") == taken


@pytest.mark.parametrize("name", sorted(TIMED))
def test_time_does_not_run_backwards(tmp_path: Path, name: str) -> None:
    """Spans, which come in any order, are put in that of time; else it is refused."""
    one = Made(
        "s", "q", "agent", (("list", ("a", "b"), 0), ("list", ("c",), 5), ("open", ("a",), 9))
    )
    (content, *others) = FORMATS[name](one)
    if others:
        path = written(tmp_path, "log.jsonl", [content, *others][::-1])
        assert told(list(read_trajectories(path)), is_timed=True) == wanted([one], is_timed=True)
        return
    order = content.get("events") or content["steps"]
    order[1], order[2] = order[2], order[1]
    with pytest.raises(InputError, match=r"time is -4\.0, must not run backwards"):
        list(read_trajectories(written(tmp_path, "log.jsonl", [content])))


def test_games_are_read_once(tmp_path: Path) -> None:
    """They have no ids: the same file twice is refused, the same game twice in one is not."""
    game = {"model": "m", "result": "win", "steps": [{"article": "Tea"}, {"article": "Cup"}]}
    path = written(tmp_path / "games", "one.json", [{"runs": [game, game]}])
    assert visits(path) == {("Tea", "Cup"): 2}
    written(tmp_path / "games", "two.json", [{"runs": [game]}])
    assert visits(tmp_path / "games") == {("Tea", "Cup"): 3}
    written(tmp_path / "games", "three.json", [{"runs": [game]}])
    with pytest.raises(InputError, match="must be in the log once"):
        visits(tmp_path / "games")


def span(trace: str, number: int, **attributes: Any) -> dict[str, Any]:
    shown = {"gen_ai.retrieval.documents": [{"id": "a"}]}
    own = {name.replace("__", "."): value for name, value in attributes.items()}
    about = {"trace_id": trace, "span_id": f"{number}", "start_time_unix_nano": number}
    return {**about, "attributes": {**shown, **own}}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            [
                span("t", 1, session__id="c"),
                span("t", 2, session__id="d"),
                span("t", 3),
            ],
            "conversation must be named, as trace t has several",
        ),
        ([span("t", 1), span("t", 1, topic_id="q")], "span is '1', must say the same"),
        (
            [span("t", 1, topic_id="q"), span("t", 2, topic_id="p")],
            "question is 'p and q', must be one in a session",
        ),
        (
            [
                span("t", 1, session__id="c", gen_ai__agent__name="x"),
                span("u", 2, session__id="c", gen_ai__agent__name="y"),
            ],
            "agent is 'x and y', must be one in a session",
        ),
    ],
)
def test_spans_of_which_two_things_may_be_said_are_refused(
    tmp_path: Path, given: list[dict[str, Any]], message: str
) -> None:
    path = written(tmp_path, "spans.jsonl", given)
    with pytest.raises(InputError) as caught:
        list(read_trajectories(path))
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_conversation_that_asks_twice_has_no_question(tmp_path: Path) -> None:
    """But is a session still: what is learned from it needs no question."""
    spans = [span(trace, k, session__id="c", input__value=trace) for k, trace in enumerate("tu")]
    (one,) = read_trajectories(written(tmp_path, "two.jsonl", spans))
    assert (one.session, one.topic, len(one.actions)) == ("c", "c", 2)
    (one,) = read_trajectories(written(tmp_path, "one.jsonl", spans[:1]))
    assert one.topic == "t"


def test_the_first_model_of_a_trace_is_that_of_the_agent(tmp_path: Path) -> None:
    spans = [span("t", k, llm__model_name=model) for k, model in enumerate(("first", "later"))]
    (session,) = read_trajectories(written(tmp_path, "models.jsonl", spans))
    assert session.system == "first"
