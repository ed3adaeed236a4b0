"""A folder as `prum generate` writes it, made by hand, for what reads such folders."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from prum.experiments.evaluate.scores import score_runs
from prum.experiments.generate import Dataset
from prum.experiments.logs import Trials, read_events, trials_of
from prum.experiments.measures.judged import Collection, Judged
from prum.experiments.measures.measure import measure_of
from prum.experiments.sessions.logs import log_to
from prum.experiments.studies.estimators import REFERENCE
from prum.simulator.collections.linking import Linked
from prum.simulator.model import Independent, Links, Task
from prum.simulator.model.stopping import Found, Rule, Stopping
from prum.simulator.sessions.crowd import Query
from tests.traffic import traffic

# Of a false alarm of any one statistical test.
LEVEL = 1e-4
SIZE = 100
_LISTED = 40


def stand_in(
    folder: Path,
    *,
    num_topics: int = 12,
    num_systems: int = 4,
    kind: str = "web",
    pool: Mapping[str, Any] | None = None,
    users: int = 0,
    want: int | None = 2,
    stop: Sequence[str] = (),
    rules: Sequence[Rule] = (),
    log: str = "log.jsonl",
    strength: float = 0.7,
) -> Path:
    """Write a small folder: topics with two to four ideals, links to them, lists of ten."""
    rng = np.random.default_rng(4)
    ids = [f"e{number:02d}" for number in range(_LISTED)]
    (folder / "runs").mkdir(parents=True)
    topics = [f"t{number}" for number in range(num_topics)]
    ideals, links = dict[str, tuple[str, ...]](), dict[str, Links]()
    lists: dict[str, dict[str, tuple[str, ...]]] = {f"s{k}": {} for k in range(num_systems)}
    grades: dict[str, dict[str, int]] = {}
    for topic in topics:
        order = rng.permutation(_LISTED)
        wanted = sorted(ids[k] for k in order[: rng.integers(2, 5)])
        ideals[topic] = tuple(wanted)
        grades[topic] = dict.fromkeys(wanted, 1) | {ids[order[5]]: 0}
        links[topic] = Links(
            {}
            if kind == "flat"
            else {
                (ids[x], y): float(rng.uniform(0.1, strength))
                for x in order[5:17]
                for y in wanted
                if rng.random() < 0.7
            }
        )
        for number, found in enumerate(lists.values()):
            worth = np.array([one in wanted for one in ids]) * (1 - number / 8)
            worth += rng.normal(size=_LISTED) * 0.8
            found[topic] = tuple(ids[k] for k in np.argsort(-worth)[:10])
    specification = {
        "name": "stand-in",
        "collection": {"kind": kind, "elements": SIZE},
        "topics": {"ideal_grade": 1},
        "pool": pool,
        "log": {"users": users, "want": want, "stop": list(stop)} if users else None,
    }
    (folder / "dataset.json").write_text(json.dumps({"specification": specification}))
    write_lines(
        folder / "qrels.txt", (f"{t} 0 {e} {g}" for t in topics for e, g in grades[t].items())
    )
    for system, found in lists.items():
        write_lines(
            folder / "runs" / system,
            (
                f"{topic} Q0 {element} {rank} {-rank} {system}"
                for topic, ranking in found.items()
                for rank, element in enumerate(ranking, start=1)
            ),
        )
    if kind != "flat":
        write_lines(
            folder / "navigation.jsonl",
            (
                json.dumps({"topic": t, "source": x, "target": y, "probability": p})
                for t in topics
                for x, y, p in links[t]
            ),
        )
    if pool is not None:
        judged: dict[str, dict[str, int]] = {topic: {} for topic in topics}
        for topic, by in judged.items():
            for system in pool.get("systems") or lists:
                for element in lists[system][topic][: pool["depth"]]:
                    by[element] = grades[topic].get(element, 0)
        write_lines(
            folder / "qrels-pooled.txt",
            (f"{t} 0 {e} {g}" for t in topics for e, g in judged[t].items()),
        )
    collection = Collection(size=SIZE, linked=Linked(links))
    all_judged = [Judged(t, ideals[t], grades[t], None, collection) for t in topics]
    names = (REFERENCE, "PRUM", "AP")
    scored = score_runs(list(lists.items()), all_judged, [measure_of(name) for name in names])
    write_lines(
        folder / "scores.csv",
        [
            "system,topic,measure,score,error,method",
            *(
                f"{system},{topic},{name},{scored.values[s, t, m]:.9f},0,computed"
                for s, system in enumerate(lists)
                for t, topic in enumerate(topics)
                for m, name in enumerate(names)
            ),
        ],
    )
    if users:
        with log_to(folder / log) as write:
            for system, found in lists.items():
                queries = [
                    Query(
                        topic,
                        task := Task(found[topic], ideals[topic], SIZE),
                        Independent(links[topic]),
                        Stopping(*([Found(min(want, task.num_ideals))] if want else []), *rules),
                    )
                    for topic in topics
                ]
                for entry in traffic(queries, num_users=users, seed=3):
                    write(system, entry)
    return folder


def write_lines(path: Path, lines: Iterator[str] | Sequence[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines))


def logged(data: Dataset, log: Path) -> Trials:
    """Return the trials of a log of a folder; on a walk ideals are looked at in no order."""
    ideals = {judged.topic: judged.ideals for judged in data.judged()}
    orders = [ideals] if data.is_plain else []
    lists = dict(data.lists())
    return trials_of(read_events(log), data.navigation, lists, ideals, orders=orders)


def value(rows: Any, group: str, **what: Any) -> float:
    (row,) = (
        row
        for row in rows
        if row["group"] == group and all(row[name] == own for name, own in what.items())
    )
    return float(row["value"])


def whole_in(folder: Path) -> Path:
    """Return a folder with everything: a pool of two systems of four, and a log."""
    return stand_in(folder, pool={"depth": 3, "systems": ["s0", "s2"]}, users=60)
