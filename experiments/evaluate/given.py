"""Runs, judgements, links and costs as people hold them in Python, as the readers return them.

Data frames and iterables of records have a name for each column; those of PyTerrier (qid, docno),
ir_measures and ir_datasets (query_id, doc_id), ranx (q_id) and of this project mean the same.
"""

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from operator import is_
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prum.simulator.collections.costs import read_costs, table_of
from prum.simulator.collections.links import read_elements, read_links, read_pairs
from prum.simulator.collections.list_tables import (
    checked_grades,
    judgements_of_table,
    runs_of_table,
)
from prum.simulator.collections.preferences import preferences_of_pairs
from prum.simulator.model import Costs, Elements, InputError, Links
from prum.simulator.model.assessments import strict_ideals
from prum.simulator.model.tied import Tie
from prum.simulator.tables.files import readable
from prum.simulator.tables.layout import id_of, with_ids
from prum.simulator.tables.names import plain
from prum.simulator.tables.read import is_one_table

if TYPE_CHECKING:
    from prum.experiments.frame.design import Design
    from prum.simulator.collections.campaign import Campaign

# The name of a run that has none.
NAMELESS = "run"


def called(system: str) -> str:
    """Return what messages call a run.

    >>> called("bm25"), called(NAMELESS)
    ('run bm25', 'the run')
    """
    return "the run" if system == NAMELESS else f"run {system}"


def is_given(source: Any) -> bool:
    """Return whether something is given, and not None or several of nothing."""
    return source is not None and not (isinstance(source, list | tuple) and not source)


def place_of(source: Any) -> Any:
    """Return files by their names, and data as nothing that could be named."""
    if isinstance(source, str | Path):
        return readable(source)
    return [place_of(path) for path in source] if isinstance(source, list | tuple) else None


def refuse(design: "Design", names: Iterable[str], rule: str, remedy: str = "leave it out") -> None:
    """Raise InputError if one of these options of a design is given."""
    fields = {field.name: field for field in design.fields()}
    for name in names:
        value = getattr(design, name)
        if is_given(value) and not (isinstance(value, str | int) and value == fields[name].default):
            is_word = isinstance(value, str | int)
            shown_value = value if is_word else place_of(value) or type(value).__name__
            raise InputError(name, shown_value, rule, remedy=remedy)


Lists = Mapping[str, Any]


def given_runs(runs: Any) -> Sequence[str | Path] | Mapping[str, str | Path | Lists]:
    """Return files, or system -> a file, or topic -> list.

    Runs are a file or several; a data frame or an iterable of records with names (topic, element,
    score or rank, and perhaps system); what has a `to_dict` of ranx's; topic -> element -> score or
    topic -> elements, best first; or system -> any of these. A run without a name is `NAMELESS`.
    A column `system` names systems; so do others with usual names.

    >>> import pandas as pd
    >>> given_runs(pd.DataFrame({"qid": [7, 7], "docno": ["b", "a"], "score": [2.0, 3.0]}))
    {'run': {'7': {'b': 2.0, 'a': 3.0}}}
    """
    if isinstance(runs, str | Path):
        return [runs]
    if isinstance(runs, Mapping) and not _is_one_run(runs):
        return {system: _given_run(run, system) for system, run in runs.items()}
    if isinstance(runs, list | tuple) and all(isinstance(run, str | Path) for run in runs):
        return runs
    as_mapping = _as_mapping(runs)
    if isinstance(as_mapping, Mapping):
        return {NAMELESS: _given_run(as_mapping, NAMELESS)}
    return runs_of_table(as_mapping, "runs", NAMELESS)


def _given_run(run: Any, system: str) -> str | Path | Lists:
    """Return a file, or topic -> list."""
    run = _as_mapping(run)
    if isinstance(run, Mapping):
        lists = with_ids(run, "topic", called(system))
        named = {topic: list_of(items, topic, called(system)) for topic, items in lists.items()}
        return lists if all(map(is_, named.values(), lists.values())) else named
    if isinstance(run, str | Path):
        return run
    systems = runs_of_table(run, called(system), NAMELESS)
    if len(systems) > 1:
        thing = f"systems of {called(system)}"
        rule, remedy = "be one", "give the whole table as runs, or a table for each system"
        raise InputError(thing, ", ".join(systems), rule, remedy=remedy)
    return next(iter(systems.values()), {})


def given_qrels(qrels: Any, *, by_subtopic: bool = False) -> Any:
    """Return a file, or topic -> element -> grade, assessment, or subtopic -> grade; or -> pairs.

    Qrels are a file; a mapping as it is; a data frame or an iterable of records with names (topic,
    element, grade and perhaps subtopic; or topic, preferred, other, of preferences); what has a
    `to_dict` of ranx's or the `qrels_iter` of ir_datasets. Grades have subtopics if some topic has
    an element more than once; `by_subtopic`, if some topic has several.

    >>> from collections import namedtuple
    >>> qrel = namedtuple("Qrel", "query_id doc_id relevance")
    >>> given_qrels([qrel("q1", "a", 2), qrel("q1", "b", 0)])
    {'q1': {'a': 2, 'b': 0}}
    """
    qrels = _as_mapping(qrels.qrels_iter() if hasattr(qrels, "qrels_iter") else qrels)
    if isinstance(qrels, Mapping):
        # Topics have preferences, lists, or mappings from elements to grades.
        if qrels and all(isinstance(pairs, list | tuple) for pairs in qrels.values()):
            return preferences_of_pairs(qrels, "qrels")
        return checked_grades(qrels)
    if isinstance(qrels, str | Path):
        return qrels
    return judgements_of_table(qrels, "qrels", by_subtopic=by_subtopic)


def _as_mapping(data: Any) -> Any:
    """Return the mapping that an object of ranx holds, else the data; ir_datasets' as records."""
    if hasattr(data, "scoreddocs_iter"):
        return data.scoreddocs_iter()
    return data.to_dict() if hasattr(data, "to_dict") and not is_one_table(data) else data


def _is_one_run(runs: Mapping[Any, Any]) -> bool:
    """Return whether a mapping goes from topics to lists, and not from systems to runs."""
    for lists in runs.values():
        if isinstance(lists, Mapping):
            inner = next(iter(lists.values()), None)
            if inner is not None:
                return isinstance(inner, Real)
        elif is_list(lists):
            if len(lists):
                first = lists[0] if isinstance(lists, list | tuple) else lists.tolist()[0]
                is_item = isinstance(first, str | tuple | Real)
                return is_item and not hasattr(first, "_fields")
        else:
            return False
    return False


def is_list(data: Any) -> bool:
    """Return whether data can be a topic's list: a list, a tuple, an array or a series."""
    is_frame = hasattr(data, "itertuples")
    return isinstance(data, list | tuple) or (hasattr(data, "tolist") and not is_frame)


def list_of(given: Any, topic: str, place: str) -> Any:
    """Return a topic's list: element -> score, or elements (those that are tied in a `Tie`).

    Elements best first may be any iterable that has an order; a series must hold texts, for one of
    numbers might be of ids or of scores.

    >>> list_of([3, Tie("b", 7)], "q", "run x")
    ('3', Tie('b', '7'))
    """
    if isinstance(given, Mapping):
        return with_ids(given, f"element of topic {topic}", place)
    if isinstance(given, list | tuple) and set(map(type, given)) <= {str}:
        return given
    items = given.tolist() if hasattr(given, "tolist") else given
    is_scored = hasattr(given, "to_dict") and not all(isinstance(item, str) for item in items)
    if (
        is_scored
        or isinstance(items, str | bytes | set | frozenset)
        or not isinstance(items, Iterable)
    ):
        raise InputError(
            f"type of the list of topic {topic}",
            type(given).__name__,
            "be that of elements, best first, or of a mapping from elements to scores",
            remedy=f"give its {'tolist() or to_dict()' if is_scored else 'elements in a list'}",
            place=place,
        )
    thing = f"element of topic {topic}"
    items = list(items)
    for item in items:
        if isinstance(item, list | tuple) and not isinstance(item, Tie):
            remedy = 'give prum.Tie("a", "b") for tied elements, {element: score} for scores'
            thing = f"item of the list of topic {topic}"
            raise InputError(thing, item, "be an element", remedy=remedy, place=place)
    return tuple(
        Tie(*(id_of(tied, thing, place) for tied in item))
        if isinstance(item, Tie)
        else id_of(item, thing, place)
        for item in items
    )


def given_example(name: str) -> dict[str, Any]:
    """Return runs, qrels, links, elements, navigation, collection size, ideals, by these names.

    Judgements are the example's assessments, or grade 1 for each ideal and 0 for what else is
    listed. Links are by topic where they differ.

    >>> given_example("fig7")["qrels"]["fig7"]["a"], given_example("fig4")["qrels"]
    (Assessment(exhaustivity=3, specificity=3), {'fig4': {'a': 0, 'b': 0, 'c': 0, 'd': 1}})
    """
    from prum.simulator.collections.examples import example_of

    example = example_of(name)
    campaign = example.load()
    ideals = next(iter(campaign.ideals.values()))
    strict = strict_ideals(example.assessments) or ideals
    browses = campaign.link_use.num_links > 0
    return {
        "runs": campaign.runs,
        "qrels": {
            topic: example.assessments or _grades(campaign, topic) for topic in campaign.ideals
        },
        # Where nobody browses there are none, and elements make their own.
        "links": campaign.links if browses and campaign.way is None else None,
        "elements": example.elements or (),
        "navigation": campaign.kind if browses else None,
        "collection_size": campaign.collection_size,
        # Of Fig. 7 a is E3S3 as well, but the ideals are what it contains.
        "ideals": "strict" if strict == ideals else "best",
    }


def _grades(campaign: "Campaign", topic: str) -> dict[str, int]:
    listed = (element for lists in campaign.runs.values() for element in lists[topic])
    return {**dict.fromkeys(listed, 0), **dict.fromkeys(campaign.ideals[topic], 1)}


def given_links(links: Any, way: str | None = None) -> Any:
    """Return a file, or links: of (source, target) -> probability, edges, a data frame, networkx.

    Edges are pairs or triples (source, target, probability), or source -> targets; of networkx they
    have the attribute probability or weight, else 1. A way makes probabilities, so that none are
    needed beside it. Topic -> `Links`, where they differ, stays as it is.

    >>> given_links({("x", "a"): 0.5})
    Links({('x', 'a'): 0.5})
    >>> given_links({"x": ["a"]}, way="web .85")
    Links({('x', 'a'): 1.0})
    """
    if links is None or isinstance(links, str | Path | Links):
        return links
    if hasattr(links, "is_directed"):  # a graph of networkx, whose edges lead both ways if it isn't
        rows = dict[tuple[str, str], float]()
        for x, y, data in links.edges(data=True):
            p = data.get("probability", data.get("weight", 1.0))
            rows |= {(str(x), str(y)): p} | ({} if links.is_directed() else {(str(y), str(x)): p})
        return Links(rows)
    if isinstance(links, Mapping):
        if links and all(isinstance(of_topic, Links) for of_topic in links.values()):
            return dict(links)
        if all(isinstance(key, tuple) for key in links):
            return Links(links)
        if not set(map(plain, map(str, links))) >= {"source", "target"}:
            edges = list[tuple[Any, ...]]()
            for source, targets in links.items():
                if not isinstance(targets, Mapping) and not is_list(targets):
                    rule, remedy = "be a list of targets", "give {source: [target, ...]}"
                    raise InputError(f"links of {source!r}", targets, rule, remedy=remedy)
                ends = targets.items() if isinstance(targets, Mapping) else zip(targets)
                edges += [(source, *end) for end in ends]
            links = edges
    if _are_edges(links):
        names = ("source", "target", "probability")[: len(links[0])]
        links = [dict(zip(names, edge, strict=True)) for edge in links]
    return read_links(links) if way is None else read_pairs(links)


def _are_edges(links: Any) -> bool:
    """Return whether these are pairs or triples, and no records."""
    if not isinstance(links, list | tuple) or not links:
        return False
    return all(type(edge) in (list, tuple) and len(edge) == len(links[0]) for edge in links) and (
        len(links[0]) in (2, 3)
    )


def given_elements(elements: Any) -> Any:
    """Return files, or elements: of element -> (parent, length, start), or of a data frame.

    >>> given_elements({"page": (None, 9), "part": ("page", 4)}).ids
    ('page', 'part')
    """
    if is_one_table(elements):
        return read_elements(elements)
    if isinstance(elements, Mapping) and not isinstance(elements, Elements):
        return Elements(elements)
    if isinstance(elements, str | Path):
        return [elements]
    return elements if isinstance(elements, list | tuple | Elements) else read_elements(elements)


def given_costs(costs: Any) -> tuple[str | Path | Mapping[str, Costs], ...]:
    """Return files, "smucker-clarke", and costs: of unit -> element -> number, or of a data frame.

    >>> given_costs({"tokens": {"a": 120}})[0]["tokens"].mean("a")
    120.0
    """
    if is_one_table(costs):
        return (read_costs(costs),)
    if isinstance(costs, list | tuple):
        return tuple(source for each in costs for source in given_costs(each))
    if costs is None:
        return ()
    if isinstance(costs, str | Path):
        return (costs,)
    if isinstance(costs, Mapping):
        return ({unit: _unit_costs(unit, each) for unit, each in costs.items()},)
    return (read_costs(costs),)


def _unit_costs(unit: Any, each: Any) -> Costs:
    if isinstance(each, Costs):
        return each
    if not isinstance(each, Mapping):
        remedy = "give {unit: {element: number}}"
        raise InputError(f"costs in {unit}", type(each).__name__, "be a mapping", remedy=remedy)
    return table_of(unit, list(each), list(each.values()))
