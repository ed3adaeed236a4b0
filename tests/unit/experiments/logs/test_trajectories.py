"""Logs of agents and of other simulators: each format read, and what it does not keep counted."""

import gzip
import io
import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from prum.analytic.searching import session_effort
from prum.experiments.evaluate import evaluate
from prum.experiments.evaluate.session_logs import Paying
from prum.experiments.fitting import fit
from prum.experiments.logs import Sessions, Tools, Trajectory, read_sessions, read_trajectories
from prum.experiments.logs.trials import is_simulated
from prum.simulator.model import InputError
from tests.commands import called
from tests.unit.experiments.logs.test_session_files import plain

CALL = {"tool_call_id": "c1", "function_name": "search_corpus", "arguments": {"query": "tea"}}
FOUND = '[{"docid": "b", "score": 2}, {"docid": "a"}]'
ATIF = {
    "schema_version": "ATIF-v1.4",
    "session_id": "run 1",
    "agent": {"name": "agent", "version": "1", "model_name": "m"},
    "steps": [
        {
            "step_id": 1,
            "source": "user",
            "message": "find tea",
            "timestamp": "2026-01-01T00:00:00Z",
        },
        {
            "step_id": 2,
            "source": "agent",
            "message": "",
            "timestamp": "2026-01-01T00:00:02Z",
            "tool_calls": [CALL, {"tool_call_id": "c2", "function_name": "shell", "arguments": {}}],
            "observation": {"results": [{"source_call_id": "c1", "content": FOUND}]},
            "metrics": {"prompt_tokens": 90, "completion_tokens": 10, "cost_usd": 0.5},
        },
        {
            "step_id": 3,
            "source": "agent",
            "message": "",
            "tool_calls": [
                {"tool_call_id": "c3", "function_name": "get_document", "arguments": {"docid": "a"}}
            ],
        },
    ],
}
BROWSECOMP = {
    "query_id": "769",
    "tool_call_counts": {"search": 2},
    "status": "completed",
    "retrieved_docids": ["1", "2", "9"],
    "result": [
        {"type": "reasoning", "output": "hm"},
        {"type": "tool_call", "tool_name": "search", "arguments": "{}", "output": "[]"},
        {
            "type": "tool_call",
            "tool_name": "search",
            "arguments": "{}",
            "output": json.dumps([{"docid": 1, "snippet": "docid: 5"}, {"docid": "2"}]),
        },
        {"type": "tool_call", "tool_name": "get_document", "arguments": '{"docid": "2"}'},
        {"type": "output_text", "output": "tea"},
    ],
}
SPANS = [
    {
        "trace_id": "t1",
        "span_id": "2",
        "start_time_unix_nano": 3_000_000_000,
        "attributes": {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.retrieval.documents": [{"id": "a", "score": 1}, {"id": "b"}],
        },
    },
    {
        "trace_id": "t1",
        "span_id": "1",
        "start_time_unix_nano": 1_000_000_000,
        "attributes": {"gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 1},
    },
    {
        "trace_id": "t1",
        "span_id": "3",
        "start_time_unix_nano": 4_000_000_000,
        "attributes": {
            "openinference.span.kind": "RETRIEVER",
            "retrieval.documents.10.document.id": "z",
            "retrieval.documents.9.document.id": "c",
        },
    },
    {
        "trace_id": "t1",
        "span_id": "4",
        "start_time_unix_nano": 5_000_000_000,
        "attributes": {"gen_ai.tool.name": "open_page", "gen_ai.tool.call.arguments": '{"p": "c"}'},
    },
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
SIMEVAL = {
    "schema_version": "v1",
    "session_id": "s",
    "dataset_id": "d",
    "session_type": "search",
    "user_id": "u",
    "topic_id": "t",
    "events": [
        {"event_id": "1", "type": "query_issued", "timestamp": 0, "query": "tea"},
        {"event_id": "2", "type": "query_issued", "timestamp": 1, "query": "teas"},
        {
            "event_id": "3",
            "type": "serp_view",
            "timestamp": 1,
            "ranked_items": [{"doc_id": "b", "rank": 2}, {"doc_id": "a", "rank": 1}],
            "meta": {"tokens": 5},
        },
        {
            "event_id": "4",
            "type": "click",
            "timestamp": 2,
            "clicked_items": [{"doc_id": "a", "rank": 1, "dwell_time": 3}],
        },
        {"event_id": "5", "type": "navigation", "meta": {"from": "a", "to": "c"}},
        {"event_id": "6", "type": "navigation", "meta": {"from": "a", "to": "d"}},
        {"event_id": "7", "type": "navigation", "meta": {"back": True}},
        {"event_id": "8", "type": "navigation", "meta": {"from": "zzz", "to": "e"}},
        {"event_id": "9", "type": "rating"},
    ],
    "meta": {"reason": "found"},
}
PHOENIX = [
    {
        "name": "chain",
        "span_kind": "CHAIN",
        "start_time": "2026-01-01T00:00:00Z",
        "context.span_id": "0",
        "context.trace_id": "t1",
        "attributes.input.value": "tea?",
        "attributes.retrieval.documents": None,
    },
    {
        "name": "vectors",
        "span_kind": "RETRIEVER",
        "parent_id": "0",
        "start_time": "2026-01-01T00:00:03Z",
        "context.span_id": "1",
        "context.trace_id": "t1",
        "attributes.retrieval.documents": [
            {"document.id": "a", "document.content": "x"},
            {"document.content": "y", "document.metadata": {"doc_id": "b"}},
        ],
    },
    {
        "name": "model",
        "span_kind": "LLM",
        "parent_id": "0",
        "start_time": "2026-01-01T00:00:02Z",
        "context.span_id": "2",
        "context.trace_id": "t1",
        "attributes.llm.token_count.total": 8,
    },
]
NESTED = [
    {
        "context": {"trace_id": "t1", "span_id": name},
        "span_kind": kind,
        "parent_id": None if name == "0" else "0",
        "start_time": f"2026-01-01T00:00:0{second}Z",
        "attributes": attributes,
    }
    for name, kind, second, attributes in (
        ("0", "CHAIN", 0, {"input": {"value": "tea?"}}),
        (
            "1",
            "RETRIEVER",
            3,
            {"retrieval": {"documents": [{"document": {"id": x}} for x in "ab"]}},
        ),
        ("2", "LLM", 2, {"llm": {"token_count": {"total": 8}}}),
    )
]
OBSERVATIONS = [
    {
        "id": "1",
        "traceId": "t1",
        "type": "RETRIEVER",
        "name": "vectors",
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
EACH = {
    "phoenix.jsonl": "\n".join(map(json.dumps, PHOENIX)),
    "langfuse.json": json.dumps({**TRACE, "observations": OBSERVATIONS}),
    "steps.tsv": STEPS,
    "games.tsv": "model\tresult\tstart\ttarget\tpath\nm\twin\tTea\tCup\tTea;Pot;Tea;Cup\n",
    "simeval.jsonl": json.dumps(SIMEVAL),
    "atif.json": json.dumps(ATIF, indent=1),
    "browsecomp.json": json.dumps(BROWSECOMP, indent=1),
    "spans.jsonl": "\n".join(map(json.dumps, SPANS)),
    "games.json": json.dumps(GAMES, indent=1),
}


def read(folder: Path, content: Any, name: str = "log.json", **how: Any) -> list[Trajectory]:
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / name).write_text(text, encoding="utf-8")
    return list(read_trajectories(folder / name, **how))


def steps(one: Trajectory) -> list[tuple[str, tuple[str, ...]]]:
    return [(action.kind, action.elements) for action in one.actions]


def test_simeval_is_read(tmp_path: Path) -> None:
    (one,) = read(tmp_path, SIMEVAL)
    assert steps(one)[:3] == [("list", ()), ("list", ("a", "b")), ("open", ("a",))]
    assert [action.time for action in one.actions[:3]] == [0, 1, 2]  # 0 is a time
    assert one.actions[1].costs == {"tokens": 5}
    assert (one.session, one.topic, one.person, one.is_cut) == ("s", "t", "u", True)
    assert one.lost == {"dwell_time": 1, "rating": 1}
    log = read_sessions(tmp_path / "log.json")
    visits = ["a", "c", "a", "d", "a", "e"]
    entry, back = (0, 5), (2, 4)
    assert plain(log) == [
        (visits, [k in entry for k in range(6)], [k in back for k in range(6)], "u", True)
    ]
    assert log.lost == {
        "costs in tokens": 1,
        "dwell_time": 1,
        "links from elements that were not visited before": 1,
        "lists": 2,
        "rating": 1,
    }


def test_atif_is_read(tmp_path: Path) -> None:
    (one,) = read(tmp_path, json.dumps(ATIF, indent=2))
    assert steps(one) == [("list", ("b", "a")), ("open", ("a",))]
    assert [dict(action.costs) for action in one.actions] == [{"tokens": 100, "usd": 0.5}, {}]
    assert one.actions[0].time == 2
    assert one.lost == {"messages": 1, "calls of shell": 1}
    (named,) = read(tmp_path, ATIF, tools="open=shell,search=search_corpus,id=docid")
    assert steps(named) == [("list", ("b", "a"))]
    with pytest.raises(InputError, match="be among the tools of the run: search_corpus, shell"):
        read(tmp_path, ATIF, tools=Tools(search="bm25", open="page"))


def test_browsecomp_is_read(tmp_path: Path) -> None:
    (one,) = read(tmp_path, BROWSECOMP)
    assert steps(one) == [("list", ()), ("list", ("1", "2")), ("open", ("2",))]
    assert (one.topic, one.is_cut) == ("769", False)
    assert read(tmp_path, {**BROWSECOMP, "status": "incomplete"})[0].is_cut
    assert one.lost == {
        "reasoning": 1,
        "output_text": 1,
        "retrieved_docids that no call returned": 1,
    }


def test_spans_are_read_in_time(tmp_path: Path) -> None:
    wanted = [("list", ("a", "b")), ("list", ("c", "z")), ("open", ("c",))]
    (one,) = read(tmp_path, "\n".join(map(json.dumps, SPANS)), "spans.jsonl")
    assert steps(one) == wanted
    assert [action.time for action in one.actions] == [2, 3, 4]
    assert one.actions[0].costs == {"tokens": 8}
    assert one.lost == {"spans without documents": 1}

    def value(one: Any) -> dict[str, Any]:
        if isinstance(one, list):
            return {"arrayValue": {"values": [value(each) for each in one]}}
        if isinstance(one, dict):
            pairs = [{"key": key, "value": value(each)} for key, each in one.items()]
            return {"kvlistValue": {"values": pairs}}
        return {"intValue": str(one)} if isinstance(one, int) else {"stringValue": one}

    spans = [
        {
            "traceId": span["trace_id"],
            "spanId": span["span_id"],
            "startTimeUnixNano": str(span["start_time_unix_nano"]),
            "attributes": [
                {"key": key, "value": value(each)} for key, each in span["attributes"].items()
            ],
        }
        for span in SPANS
    ]
    (otlp,) = read(tmp_path, {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})
    assert (steps(otlp), otlp.actions[0].costs) == (wanted, {"tokens": 8})


@pytest.mark.parametrize(
    ("name", "content", "session"),
    [
        ("rows.jsonl", "\n".join(map(json.dumps, PHOENIX)), "t1"),
        ("nested.json", NESTED, "t1"),
        ("trace.json", {**TRACE, "observations": OBSERVATIONS}, "talk"),
        ("export.json", {"trace": TRACE, "observations": OBSERVATIONS}, "talk"),
        ("observations.json", OBSERVATIONS, "t1"),
        ("page.json", {"data": OBSERVATIONS, "meta": {"page": 1}}, "t1"),
        ("frame", pd.DataFrame(PHOENIX), "t1"),
        ("frame.csv", pd.DataFrame(PHOENIX), "t1"),
        ("frame.parquet", pd.DataFrame(PHOENIX), "t1"),
    ],
)
def test_spans_of_phoenix_and_langfuse(
    tmp_path: Path, name: str, content: Any, session: str
) -> None:
    if isinstance(content, pd.DataFrame):
        times = pd.to_datetime(content["start_time"])
        source: Any = content.assign(start_time=times)
        if name != "frame":
            write = source.to_csv if name.endswith("csv") else source.to_parquet
            write(tmp_path / name, index=False)
            source = tmp_path / name
        (one,) = read_trajectories(source)
    else:
        (one,) = read(tmp_path, content, name)
    assert steps(one) == [("list", ("a", "b"))]
    assert one.actions[0].time == 3
    assert one.actions[0].costs == {"tokens": 8}
    assert (one.session, one.topic) == (session, "tea?")


def test_a_table_of_steps_is_read(tmp_path: Path) -> None:
    (one,) = read(tmp_path, STEPS, "steps.tsv")
    assert steps(one) == [("list", ()), ("list", ("a", "b")), ("open", ("a",))]
    assert [action.costs["tokens"] for action in one.actions] == [4, 8, 16]
    assert (one.session, one.topic, one.system) == ("q1", "q1", "m")
    frame = pd.read_csv(tmp_path / "steps.tsv", sep="\t")
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    for source in (frame, rows):
        assert [steps(each) for each in read_trajectories(source)] == [steps(one)]
    result = evaluate(frame, {"q1": {"a": 1}}, cost="tokens")
    assert result.frames["rows"]["cost"][0] == 28
    ranks = "session,call,rank,url,usd\ns,1,1,a,1\ns,1,2,b,1\ns,2,,a,4\ns,2,,c,4\n"
    (bare,) = read(tmp_path, ranks, "steps.csv")
    assert steps(bare) == [("list", ("a", "b")), ("open", ("a",)), ("open", ("c",))]
    # What a step cost is paid once.
    assert [action.costs.get("usd", 0) for action in bare.actions] == [1, 4, 0]
    assert list(read_sessions(pd.read_csv(tmp_path / "steps.csv"))) == [("a", "c")]


def test_spans_without_times_stay_in_order(tmp_path: Path) -> None:
    """And have no times: 0 would say that all happened at once."""
    bare = [{k: v for k, v in span.items() if not k.startswith("start")} for span in SPANS]
    (one,) = read(tmp_path, "\n".join(map(json.dumps, bare)), "spans.jsonl")
    assert steps(one) == [("list", ("a", "b")), ("list", ("c", "z")), ("open", ("c",))]
    assert all(np.isnan(action.time) for action in one.actions)
    moments = [{**span, "start_time": f"2026-01-01T00:00:0{k}Z"} for k, span in enumerate(bare)]
    (told,) = read(tmp_path, "\n".join(map(json.dumps, moments)), "spans.jsonl")
    assert [action.time for action in told.actions] == [0, 2, 3]


def test_costs_of_what_is_lost_are_paid_with_the_next(tmp_path: Path) -> None:
    """And what was not kept is counted: costs after the last action, scores, judgements."""
    item = {"doc_id": "a", "rank": 1, "score": 2.0, "judged_relevance": 1}
    events = [
        {"type": "user_utterance", "meta": {"tokens": 4}},
        {"type": "query_issued", "timestamp": 1, "meta": {"tokens": 2}},
        {"type": "click", "clicked_items": [{"doc_id": "z"}], "meta": {"tokens": 8}},
        {"type": "query_issued", "timestamp": 3, "meta": {"tokens": 16}},
        {"type": "serp_view", "ranked_items": [item], "meta": {"tokens": 32}},
        {"type": "rating", "meta": {"tokens": 64}},
    ]
    (one,) = read(tmp_path, {**SIMEVAL, "events": events})
    # The first query is answered by nothing, before the click.
    assert steps(one) == [("list", ()), ("open", ("z",)), ("list", ("a",))]
    assert [action.costs for action in one.actions] == [{"tokens": cost} for cost in (6, 8, 48)]
    assert one.lost == {
        "user_utterance": 1,
        "rating": 1,
        "score": 1,
        "judged_relevance": 1,
        "costs in tokens after the last action": 1,
    }


def test_what_agents_have_besides_is_counted(tmp_path: Path) -> None:
    stray = {"results": [{"content": FOUND}, {"source_call_id": "c9", "content": FOUND}]}
    more = {"step_id": 4, "source": "agent", "message": "", "observation": stray}
    run = {**ATIF, "steps": [*ATIF["steps"], more], "final_metrics": {"total_cost_usd": 2}}
    (one,) = read(tmp_path, run)
    assert steps(one) == [("list", ("b", "a")), ("open", ("a",))]
    told = {"messages": 2, "calls of shell": 1, "results of no call": 2, "final_metrics": 1}
    assert one.lost == told


def test_what_spans_have_besides_is_counted(tmp_path: Path) -> None:
    given = [
        {"gen_ai.retrieval.documents": json.dumps([{"id": "a"}, {"score": 3}, "text"])},
        {"retrieval.documents.0.document.content": "x", "retrieval.documents.1.document.id": "b"},
        {"llm.token_count.total": 12},
        {"openinference.span.kind": "RETRIEVER"},
        {"llm.token_count.total": 9, "llm.token_count.prompt": 5},
    ]
    spans = [{"trace_id": "t", "span_id": f"{k}", "attributes": own} for k, own in enumerate(given)]
    (one,) = read(tmp_path, "\n".join(map(json.dumps, spans)), "spans.jsonl")
    assert steps(one) == [("list", ("a",)), ("list", ("b",)), ("list", ())]
    assert one.actions[2].costs == {"tokens": 12}
    assert one.lost == {
        "documents without an id": 3,
        "spans without documents": 2,
        "costs in tokens after the last action": 1,
    }


def test_what_a_list_has_twice_costs_twice(tmp_path: Path) -> None:
    """As in runs: where lists are cut into calls makes no difference to who reads them."""
    first, *_, second, _ = SPANS
    old = {"gen_ai.retrieval.documents": [{"id": "a"}, {"id": "b"}, {"id": "a"}]}
    ids = enumerate(("b", "b", "c", "b"))
    new = {f"retrieval.documents.{at}.document.id": name for at, name in ids}
    again = [{**first, "attributes": old}, {**second, "attributes": new}]
    (spans,) = read(tmp_path, "\n".join(map(json.dumps, again)), "spans.jsonl")
    assert steps(spans) == [("list", ("a", "b", "a")), ("list", ("b", "b", "c", "b"))]

    def simeval(*lists: str) -> Trajectory:
        shown = [[{"doc_id": x, "rank": n} for n, x in enumerate(own, 1)] for own in lists]
        events = [{"type": "serp_view", "ranked_items": items} for items in shown]
        return read(tmp_path, {**SIMEVAL, "events": events})[0]

    for one in (spans, simeval("aba", "bbcb"), simeval("ababbcb"), simeval("ab", "ab", "b", "cb")):
        assert not one.lost.keys() - {"spans without documents"}
        effort = session_effort(Paying("elements", reads=True).consultations(one), ["b", "c"])
        assert (effort.new.tolist(), effort.cost.tolist()) == ([1, 2], [2, 6])


def test_an_object_within_one_of_the_same_id_is_a_part_of_it() -> None:
    document = {"docid": "a", "chunk": {"from": {"docid": "a"}, "next": {"docid": "b"}}}
    assert Tools().ids([document, {"docid": "a"}]) == ["a", "b", "a"]


def test_games_are_read(tmp_path: Path) -> None:
    won, cut = read(tmp_path, json.dumps(GAMES, indent=1))
    assert steps(won)[:2] == [("open", ("Tea",)), ("follow", ("Pot",))]
    assert (won.topic, won.person, won.is_cut, cut.is_cut) == ("Tea -> Cup", "m", False, True)
    log = read_sessions(tmp_path / "log.json")
    assert list(log) == [("Tea", "Pot", "Tea", "Cup"), ("Tea", "Pot")]
    assert not log.is_back.any()


@pytest.mark.parametrize("name", EACH)
def test_each_is_known_by_its_content(tmp_path: Path, name: str) -> None:
    """Whatever the file is called, packed or a pipe; a list of runs counts as its runs."""
    text = EACH[name]
    wanted = [steps(one) for one in read(tmp_path, text, name)]
    assert wanted[0]
    packed = tmp_path / "bare"
    packed.write_bytes(gzip.compress(b"\xef\xbb\xbf" + text.encode()))
    assert [steps(one) for one in read_trajectories(packed)] == wanted
    assert not is_simulated(packed)
    if name.endswith(".json"):
        again = read(tmp_path, f"[{text}]")
        assert [steps(one) for one in again] == wanted


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({**SIMEVAL, "schema_version": "v2"}, "schema_version is 'v2', must be v1"),
        ({**SIMEVAL, "events": {}}, "events is 'an object', must be a list"),
        ({**SIMEVAL, "events": [{}]}, "events[0]: type is None, must be a text"),
        ({**SIMEVAL, "session_id": ""}, "session_id is '', must be a text"),
        (
            {**SIMEVAL, "events": [{"type": "click", "timestamp": True}]},
            "timestamp is True, must be a finite number",
        ),
        (
            {**SIMEVAL, "events": [{"type": "navigation", "meta": {"back": True}}]},
            "click on back is 'navigation', must lead to an element before it",
        ),
        (
            {
                **SIMEVAL,
                "events": [
                    {"type": "serp_view", "ranked_items": [{"doc_id": "a", "rank": 1}] * 2},
                ],
            },
            "rank is 1.0, must be different",
        ),
        ({**ATIF, "steps": [{"timestamp": "soon"}]}, "timestamp is 'soon', must be a time"),
        ({**SPANS[1], "start_time_unix_nano": None, "start_time": "x"}, "start_time is 'x', must"),
        ([{"tea": 1}], "content of a log is 'JSON with the fields tea', must be sessions"),
        ({"q": {"a": 1.5}}, "content of a log is 'JSON, a mapping of queries', must be sessions"),
        (
            {"query_id": "q", "results": []},
            "is 'JSON with the fields query_id, results', must have result, too, to be of BrowseC",
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


def test_words_for_tools() -> None:
    assert Tools.of("open=get, id=pid") == Tools(open="get", id="pid")
    for wrong in ("get", "open=", "see=get"):
        with pytest.raises(InputError, match="be search=NAME, open=NAME and id=FIELD"):
            Tools.of(wrong)


def test_a_table_has_no_lists(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("session,element\n1,a\n1,b\n")
    with pytest.raises(InputError, match="must have the columns session or topic, step"):
        list(read_trajectories(tmp_path / "log.csv"))


def test_fit_says_what_it_did_not_keep(tmp_path: Path) -> None:
    read(tmp_path, SIMEVAL)
    links = {("a", "c"): 1.0, ("a", "d"): 1.0}
    result = fit(tmp_path / "log.json", links, skip_strays=True)
    note = "Not kept of the log: costs in tokens 1, dwell_time 1, "
    assert any(line.startswith(note) for line in result.view().sentences)
    assert result.log.lost["lists"] == 2
    kept = fit([["a", "c"]], links)
    assert not kept.view().sentences


@pytest.mark.parametrize(
    "users",
    ["--example web", "--example fig1 --want 1", "--example fig6 --stop 'fruitless 3'"],
)
@pytest.mark.parametrize("packed", [False, True])
def test_simulated_sessions_come_back(tmp_path: Path, users: str, packed: bool) -> None:
    """As SimEval-IR they say the same as event by event."""
    words = ["simulate", *shlex.split(users), "--users", "4", "--seed", "3"]
    name = "x.simeval.jsonl" + ".gz" * packed
    for log in (name, "x.jsonl"):
        done = called(*words, "--log", log, folder=tmp_path)
        assert done.returncode == 0, done.stderr
    told = [read_sessions(tmp_path / log) for log in (name, "x.jsonl")]

    def whole(log: Sessions) -> list[str]:
        return sorted(map(str, plain(log)))

    assert whole(told[0]) == whole(told[1])
    content = (tmp_path / name).read_bytes()
    text = gzip.decompress(content) if packed else content
    for line in io.BytesIO(text):
        session = json.loads(line)
        assert session["schema_version"] == "v1"
        assert [event["event_id"] for event in session["events"]] == [
            str(number) for number, _ in enumerate(session["events"], start=1)
        ]
        assert session["events"][0]["timestamp"] == 0.0
