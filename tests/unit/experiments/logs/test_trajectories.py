"""Logs of agents and of other simulators: each format read, and what it does not keep counted."""

import functools
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from prum.analytic.searching import session_effort
from prum.experiments.evaluate import evaluate
from prum.experiments.evaluate.session_logs import Paying
from prum.experiments.fitting import fit
from prum.experiments.logs import Tools, Trajectory, read_sessions, read_trajectories
from prum.experiments.logs.trials import is_simulated
from prum.simulator.model import InputError
from tests.unit.experiments.logs.test_session_files import plain

SEARCH = {"tool_call_id": "c1", "function_name": "search_corpus", "arguments": {"query": "tea"}}
SHELL = {"tool_call_id": "c2", "function_name": "shell", "arguments": {}}
GET = {"tool_call_id": "c3", "function_name": "get_document", "arguments": {"docid": "a"}}
FOUND = '[{"docid": "b", "score": 2}, {"docid": "a"}]'
ATIF = {
    "session_id": "run 1",
    "agent": {"name": "agent", "version": "1", "model_name": "m"},
    "steps": [
        {"step_id": 1, "message": "find tea", "timestamp": "2026-01-01T00:00:00Z"},
        {
            "step_id": 2,
            "timestamp": "2026-01-01T00:00:02Z",
            "tool_calls": [SEARCH, SHELL],
            "observation": {"results": [{"source_call_id": "c1", "content": FOUND}]},
            "metrics": {"prompt_tokens": 90, "completion_tokens": 10, "cost_usd": 0.5},
        },
        {"step_id": 3, "tool_calls": [GET]},
    ],
}
STRAY = {"results": [{"content": FOUND}, {"source_call_id": "c9", "content": FOUND}]}


def called_tool(name: str, output: Any = None, arguments: str = "{}") -> dict[str, Any]:
    return {"type": "tool_call", "tool_name": name, "arguments": arguments, "output": output}


BROWSECOMP = {
    "query_id": "769",
    "status": "completed",
    "retrieved_docids": ["1", "2", "9"],
    "result": [
        {"type": "reasoning", "output": "hm"},
        called_tool("search", "[]"),
        called_tool("search", json.dumps([{"docid": 1, "snippet": "docid: 5"}, {"docid": "2"}])),
        called_tool("get_document", arguments='{"docid": "2"}'),
        {"type": "output_text", "output": "tea"},
    ],
}


def span(number: int, second: int, **attributes: Any) -> dict[str, Any]:
    about = {"trace_id": "t1", "span_id": f"{number}", "start_time_unix_nano": second * 10**9}
    return {**about, "attributes": {key.replace("__", "."): x for key, x in attributes.items()}}


SPANS = [
    span(
        2,
        3,
        gen_ai__operation__name="execute_tool",
        gen_ai__retrieval__documents=[{"id": "a", "score": 1}, {"id": "b"}],
    ),
    span(1, 1, gen_ai__usage__input_tokens=7, gen_ai__usage__output_tokens=1),
    span(
        3,
        4,
        openinference__span__kind="RETRIEVER",
        retrieval__documents__10__document__id="z",
        retrieval__documents__9__document__id="c",
    ),
    span(4, 5, gen_ai__tool__name="open_page", gen_ai__tool__call__arguments='{"p": "c"}'),
]
GAMES = {
    "runs": [
        {
            "model": "m",
            "result": result,
            "start_article": "Tea",
            "destination_article": "Cup",
            "steps": [{"type": "move", "article": name, "metadata": {}} for name in names],
        }
        for result, names in (("win", ["Tea", "Pot", "Tea", "Cup"]), ("move", ["Tea", "Pot"]))
    ]
}


def event(kind: str, time: float | None = None, **more: Any) -> dict[str, Any]:
    return {"type": kind, "timestamp": time, **more}


SIMEVAL = {
    "schema_version": "v1",
    "session_id": "s",
    "user_id": "u",
    "topic_id": "t",
    "events": [
        event("query_issued", 0, query="tea"),
        event("query_issued", 1, query="teas"),
        event(
            "serp_view",
            1,
            ranked_items=[{"doc_id": "b", "rank": 2}, {"doc_id": "a", "rank": 1}],
            meta={"tokens": 5},
        ),
        event("click", 2, clicked_items=[{"doc_id": "a", "rank": 1, "dwell_time": 3}]),
        event("navigation", meta={"from": "a", "to": "c"}),
        event("navigation", meta={"from": "a", "to": "d"}),
        event("navigation", meta={"back": True}),
        event("navigation", meta={"from": "zzz", "to": "e"}),
        event("rating"),
    ],
    "meta": {"reason": "found"},
}


def happened(*events: dict[str, Any]) -> dict[str, Any]:
    return {**SIMEVAL, "events": events}


PAID = happened(
    event("user_utterance", meta={"tokens": 4}),
    event("query_issued", 1, meta={"tokens": 2}),
    event("click", clicked_items=[{"doc_id": "z"}], meta={"tokens": 8}),
    event("query_issued", 3, meta={"tokens": 16}),
    event(
        "serp_view",
        ranked_items=[{"doc_id": "a", "rank": 1, "score": 2.0, "judged_relevance": 1}],
        meta={"tokens": 32},
    ),
    event("rating", meta={"tokens": 64}),
)


def phoenix(
    number: int, kind: str, second: int, attribute: str, value: Any, parent: str | None = "0"
) -> dict[str, Any]:
    ids = {"context.span_id": f"{number}", "context.trace_id": "t1", "parent_id": parent}
    start = f"2026-01-01T00:00:0{second}Z"
    return {"span_kind": kind, "start_time": start, **ids, f"attributes.{attribute}": value}


METADATA = {"document.content": "y", "document.metadata": {"doc_id": "b"}}
PHOENIX = [
    phoenix(0, "CHAIN", 0, "input.value", "tea?", None),
    phoenix(
        *(1, "RETRIEVER", 3, "retrieval.documents"),
        [{"document.id": "a", "document.content": "x"}, METADATA],
    ),
    phoenix(2, "LLM", 2, "llm.token_count.total", 8),
]


def nested(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with objects in place of dots."""
    tree = dict[str, Any]()
    for name, value in row.items():
        *within, last = name.split(".")
        inner = functools.reduce(lambda part, key: part.setdefault(key, {}), within, tree)
        inner[last] = [nested(each) for each in value] if isinstance(value, list) else value
    return tree


OBSERVATIONS = [
    {
        "id": "1",
        "traceId": "t1",
        "type": "RETRIEVER",
        "startTime": "2026-01-01T00:00:03.000Z",
        "input": "tea?",
        "output": [{"page_content": x, "metadata": {"doc_id": x}} for x in "ab"],
    },
    {
        "id": "2",
        "traceId": "t1",
        "parentObservationId": None,
        "type": "GENERATION",
        "startTime": "2026-01-01T00:00:00.000Z",
        "usageDetails": {"input": 7, "output": 1, "total": 8},
    },
]
TRACE = {"id": "t1", "sessionId": "talk", "input": {"query": "tea?"}}
STEPS = """run_id\tqid\tstep\ttool\tquery\trank\tdocid\ttokens
m\tq1\t1\tsearch\tteas\t\t\t4
m\tq1\t2\tsearch\ttea\t2\tb\t8
m\tq1\t2\tsearch\ttea\t1\ta\t8
m\tq1\t3\topen\t\t\ta\t16
"""


def read(folder: Path, content: Any, name: str = "log.json", **how: Any) -> list[Trajectory]:
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / name).write_text(text, encoding="utf-8")
    return list(read_trajectories(folder / name, **how))


def lines(rows: list[dict[str, Any]]) -> str:
    return "\n".join(map(json.dumps, rows))


def steps(session: Trajectory) -> str:
    """Return actions as "list b a | open a"."""
    return " | ".join(" ".join((action.kind, *action.elements)) for action in session.actions)


def typed(value: Any) -> dict[str, Any]:
    """Return a value as OTLP has it."""
    if isinstance(value, list):
        return {"arrayValue": {"values": [typed(each) for each in value]}}
    if isinstance(value, dict):
        pairs = [{"key": key, "value": typed(each)} for key, each in value.items()]
        return {"kvlistValue": {"values": pairs}}
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


OTLP = [
    {
        "traceId": made["trace_id"],
        "spanId": made["span_id"],
        "startTimeUnixNano": str(made["start_time_unix_nano"]),
        "attributes": typed(made["attributes"])["kvlistValue"]["values"],
    }
    for made in SPANS
]
BARE = [{key: x for key, x in made.items() if not key.startswith("start")} for made in SPANS]
MOMENTS = [{**made, "start_time": f"2026-01-01T00:00:0{k}Z"} for k, made in enumerate(BARE)]
LACKING = [{"id": "a"}, {"score": 3}, "text"]
BESIDES = [
    {"trace_id": "t", "span_id": f"{number}", "attributes": attributes}
    for number, attributes in enumerate(
        [
            {"gen_ai.retrieval.documents": json.dumps(LACKING)},
            {f"retrieval.documents.{k}.document.{x}": "b" for k, x in enumerate(["content", "id"])},
            {"llm.token_count.total": 12},
            {"openinference.span.kind": "RETRIEVER"},
            {"llm.token_count.total": 9, "llm.token_count.prompt": 5},
        ]
    )
]
IN_TIME = {"steps": "list a b | list c z | open c", "times": [2, 3, 4]}
IN_TIME |= {"costs": [{"tokens": 8}, {}, {}], "lost": {"spans without documents": 1}}
ONE_LIST = {"steps": "list a b", "times": [3], "costs": [{"tokens": 8}], "topic": "tea?"}
GAME = {"steps": "open Tea | follow Pot | follow Tea | follow Cup", "is_cut": False}
GAME |= {"topic": "Tea -> Cup", "person": "m"}
LATE = "costs in tokens after the last action"
# What is in a file, and what is read: steps, and what else is told of the first session.
FILES: dict[str, tuple[Any, dict[str, Any]]] = {
    "simeval.json": (
        SIMEVAL,
        {
            "steps": "list | list a b | open a | follow c | follow d | back | follow e",
            "costs": [{}, {"tokens": 5}, *[{}] * 5],
            "ids": ("s", "t", "u"),
            "is_cut": True,
            "lost": {"dwell_time": 1, "rating": 1},
        },
    ),
    # The first query is answered by nothing, before the click; costs are paid with the next.
    "paid.json": (
        PAID,
        {
            "steps": "list | open z | list a",
            "costs": [{"tokens": cost} for cost in (6, 8, 48)],
            "lost": dict.fromkeys(
                ("user_utterance", "rating", "score", "judged_relevance", LATE), 1
            ),
        },
    ),
    "atif.json": (
        ATIF,
        {
            "steps": "list b a | open a",
            "costs": [{"tokens": 100, "usd": 0.5}, {}],
            "ids": ("run 1", "run 1", "agent m"),
            "lost": {"messages": 1, "calls of shell": 1},
        },
    ),
    "atif besides.json": (
        {**ATIF, "steps": [*ATIF["steps"], {"observation": STRAY}], "final_metrics": {"usd": 2}},
        {"lost": {"messages": 2, "calls of shell": 1, "results of no call": 2, "final_metrics": 1}},
    ),
    "browsecomp.json": (
        BROWSECOMP,
        {
            "steps": "list | list 1 2 | open 2",
            "topic": "769",
            "is_cut": False,
            "lost": {"reasoning": 1, "output_text": 1, "retrieved_docids that no call returned": 1},
        },
    ),
    "cut.json": ({**BROWSECOMP, "status": "incomplete"}, {"is_cut": True}),
    "spans.jsonl": (lines(SPANS), IN_TIME),
    "otlp.json": ({"resourceSpans": [{"scopeSpans": [{"spans": OTLP}]}]}, IN_TIME),
    # Without times they stay in order, and have none: 0 would say that all happened at once.
    "bare.jsonl": (lines(BARE), {"steps": IN_TIME["steps"], "times": [None] * 3}),
    "moments.jsonl": (lines(MOMENTS), {"times": [0, 2, 3]}),
    "besides.jsonl": (
        lines(BESIDES),
        {
            "steps": "list a | list b | list",
            "costs": [{}, {}, {"tokens": 12}],
            "lost": {"documents without an id": 3, "spans without documents": 2, LATE: 1},
        },
    ),
    "phoenix.jsonl": (lines(PHOENIX), ONE_LIST | {"session": "t1"}),
    "nested.json": (list(map(nested, PHOENIX)), ONE_LIST | {"session": "t1"}),
    "langfuse.json": ({**TRACE, "observations": OBSERVATIONS}, ONE_LIST | {"session": "talk"}),
    "export.json": ({"trace": TRACE, "observations": OBSERVATIONS}, ONE_LIST | {"session": "talk"}),
    "observations.json": (OBSERVATIONS, ONE_LIST | {"session": "t1"}),
    "page.json": ({"data": OBSERVATIONS, "meta": {"page": 1}}, ONE_LIST | {"session": "t1"}),
    "steps.tsv": (
        STEPS,
        {
            "steps": "list | list a b | open a",
            "costs": [{"tokens": cost} for cost in (4, 8, 16)],
            "ids": ("q1", "q1", "m"),
        },
    ),
    # What a step cost is paid once.
    "steps.csv": (
        "session,call,rank,url,usd\ns,1,1,a,1\ns,1,2,b,1\ns,2,,a,4\ns,2,,c,4\n",
        {"steps": "list a b | open a | open c", "costs": [{"usd": 1}, {"usd": 4}, {}]},
    ),
    "games.tsv": ("model\tresult\tstart\ttarget\tpath\nm\twin\tTea\tCup\tTea;Pot;Tea;Cup\n", GAME),
    "games.json": (GAMES, GAME),
}
EACH = {
    name: content if isinstance(content, str) else json.dumps(content, indent=1)
    for name, (content, _) in FILES.items()
}


@pytest.mark.parametrize("name", FILES)
def test_each_is_read(tmp_path: Path, name: str) -> None:
    content, wanted = FILES[name]
    first, *_ = read(tmp_path, content, name)
    told = {
        "steps": steps(first),
        "times": [None if np.isnan(action.time) else action.time for action in first.actions],
        "costs": [dict(action.costs) for action in first.actions],
        "ids": (first.session, first.topic, first.person),
    }
    told |= {key: getattr(first, key) for key in wanted if key not in told}
    assert {key: told[key] for key in wanted} == wanted


def test_what_is_followed_and_gone_back_to_is_visited(tmp_path: Path) -> None:
    (session,) = read(tmp_path, SIMEVAL)
    assert [action.time for action in session.actions[:3]] == [0, 1, 2]  # 0 is a time
    log = read_sessions(tmp_path / "log.json")
    entry, back = (0, 5), (2, 4)
    assert plain(log) == [
        (list("acadae"), [k in entry for k in range(6)], [k in back for k in range(6)], "u", True)
    ]
    lost = {"costs in tokens": 1, "dwell_time": 1, "lists": 2, "rating": 1}
    assert log.lost == {**lost, "links from elements that were not visited before": 1}
    won, cut = read(tmp_path, GAMES)
    assert (won.is_cut, cut.is_cut) == (False, True)
    games = read_sessions(tmp_path / "log.json")
    assert list(games) == [("Tea", "Pot", "Tea", "Cup"), ("Tea", "Pot")]
    assert not games.is_back.any()


def test_tools_are_named(tmp_path: Path) -> None:
    (session,) = read(tmp_path, ATIF, tools="open=shell,search=search_corpus,id=docid")
    assert (steps(session), session.actions[0].time) == ("list b a", 2)
    with pytest.raises(InputError, match="be among the tools of the run: search_corpus, shell"):
        read(tmp_path, ATIF, tools=Tools(search="bm25", open="page"))
    document = {"docid": "a", "chunk": {"from": {"docid": "a"}, "next": {"docid": "b"}}}
    # An object within one of the same id is a part of it.
    assert Tools().ids([document, {"docid": "a"}]) == ["a", "b", "a"]
    assert Tools.of("open=get, id=pid") == Tools(open="get", id="pid")
    for wrong in ("get", "open=", "see=get"):
        with pytest.raises(InputError, match="be search=NAME, open=NAME and id=FIELD"):
            Tools.of(wrong)


@pytest.mark.parametrize("form", ["frame", "csv", "parquet"])
def test_spans_are_rows_of_a_frame(tmp_path: Path, form: str) -> None:
    frame: Any = pd.DataFrame(PHOENIX)
    frame = frame.assign(start_time=pd.to_datetime(frame["start_time"]))
    if form != "frame":
        write = frame.to_csv if form == "csv" else frame.to_parquet
        write(tmp_path / f"log.{form}", index=False)
        frame = tmp_path / f"log.{form}"
    (session,) = read_trajectories(frame)
    assert (steps(session), session.session, session.topic) == ("list a b", "t1", "tea?")
    assert (session.actions[0].time, session.actions[0].costs) == (3, {"tokens": 8})


def test_steps_are_rows_of_a_frame(tmp_path: Path) -> None:
    (session,) = read(tmp_path, STEPS, "steps.tsv")
    frame = pd.read_csv(tmp_path / "steps.tsv", sep="\t")
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    for source in (frame, rows):
        assert [steps(each) for each in read_trajectories(source)] == [steps(session)]
    result = evaluate(frame, {"q1": {"a": 1}}, cost="tokens")
    assert result.frames["rows"]["cost"][0] == 28
    read(tmp_path, FILES["steps.csv"][0], "steps.csv")
    assert list(read_sessions(pd.read_csv(tmp_path / "steps.csv"))) == [("a", "c")]
    with pytest.raises(InputError, match="must have the columns session or topic, step"):
        read(tmp_path, "session,element\n1,a\n1,b\n", "log.csv")


def test_what_a_list_has_twice_costs_twice(tmp_path: Path) -> None:
    """As in runs: where lists are cut into calls makes no difference to who reads them."""
    first, *_, second, _ = SPANS
    old = {"gen_ai.retrieval.documents": [{"id": "a"}, {"id": "b"}, {"id": "a"}]}
    ids = enumerate(("b", "b", "c", "b"))
    new = {f"retrieval.documents.{at}.document.id": name for at, name in ids}
    again = [{**first, "attributes": old}, {**second, "attributes": new}]
    (spans,) = read(tmp_path, lines(again), "spans.jsonl")
    assert steps(spans) == "list a b a | list b b c b"

    def simeval(*lists: str) -> Trajectory:
        shown = [[{"doc_id": x, "rank": n} for n, x in enumerate(own, 1)] for own in lists]
        return read(tmp_path, happened(*(event("serp_view", ranked_items=x) for x in shown)))[0]

    for one in (spans, simeval("aba", "bbcb"), simeval("ababbcb"), simeval("ab", "ab", "b", "cb")):
        assert not one.lost.keys() - {"spans without documents"}
        effort = session_effort(Paying("elements", reads=True).consultations(one), ["b", "c"])
        assert (effort.new.tolist(), effort.cost.tolist()) == ([1, 2], [2, 6])


@pytest.mark.parametrize("name", EACH)
def test_each_is_known_by_its_content(tmp_path: Path, name: str) -> None:
    """Whatever the file is called, packed or a pipe; a list of runs counts as its runs."""
    text = EACH[name]
    wanted = [steps(session) for session in read(tmp_path, text, name)]
    packed = tmp_path / "bare"
    packed.write_bytes(gzip.compress(b"\xef\xbb\xbf" + text.encode()))
    assert [steps(session) for session in read_trajectories(packed)] == wanted
    assert not is_simulated(packed)
    if name.endswith(".json") and text.startswith("{"):
        again = read(tmp_path, f"[{text}]")
        assert [steps(session) for session in again] == wanted


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({**SIMEVAL, "schema_version": "v2"}, "schema_version is 'v2', must be v1"),
        ({**SIMEVAL, "events": {}}, "must have a list in events, too, to be of SimEval-IR"),
        ({**ATIF, "steps": [{"tool_calls": {}}]}, "tool_calls is 'an object', must be a list"),
        (happened({}), "events[0]: type is None, must be a text"),
        ({**SIMEVAL, "session_id": ""}, "session_id is '', must be a text"),
        (happened(event("click", True)), "timestamp is True, must be a finite number"),
        (
            happened(event("navigation", meta={"back": True})),
            "click on back is 'navigation', must lead to",
        ),
        (
            happened(event("serp_view", ranked_items=[{"doc_id": "a", "rank": 1}] * 2)),
            "rank is 1.0, must be different",
        ),
        ({**ATIF, "steps": [{"timestamp": "soon"}]}, "timestamp is 'soon', must be a time"),
        ({**SPANS[1], "start_time_unix_nano": None, "start_time": "x"}, "start_time is 'x', must"),
        ([{"tea": 1}], "content of a log is 'JSON with the fields tea', must be sessions"),
        ({"q": {"a": 1.5}}, "content of a log is 'JSON, a mapping of queries', must be sessions"),
        (
            {"query_id": "q", "results": []},
            "query_id, results', must have result, too, to be of Bro",
        ),
        ([SIMEVAL, SIMEVAL], "session is 's', must be in the log once"),
        ([1], "content of a log is 'other JSON'"),
        ([SIMEVAL, 1], "session is 1, must be an object"),
        ({"runs": []}, "number of visits in the log is 0"),
        (BROWSECOMP, "visits of each session is 1"),
    ],
)
def test_what_is_wrong_is_refused_in_a_line(tmp_path: Path, content: Any, message: str) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(content))
    with pytest.raises(InputError) as caught:
        read_sessions(path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))


def test_fit_says_what_it_did_not_keep(tmp_path: Path) -> None:
    read(tmp_path, SIMEVAL)
    links = {("a", "c"): 1.0, ("a", "d"): 1.0}
    result = fit(tmp_path / "log.json", links, skip_strays=True)
    note = "Not kept of the log: costs in tokens 1, dwell_time 1, "
    assert any(line.startswith(note) for line in result.view().sentences)
    assert result.log.lost["lists"] == 2
    kept = fit([["a", "c"]], links)
    assert not kept.view().sentences
