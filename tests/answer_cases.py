"""Small commands for answers that those of `small_commands` do not give, by what they answer."""

import csv
import json
from collections.abc import Callable, Sequence
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from prum.experiments.crosscheck import crosscheck
from prum.experiments.frame.result import Result
from prum.simulator import Independent, Simulation, Task, simulate
from prum.simulator.model import Navigation
from tests.commands import called
from tests.small_commands import Case
from tests.small_commands import _compared as compared
from tests.small_commands import _judged as judged

QRELS = "".join(f"t{t} 0 e{e} {int(e < 2)}\n" for t in range(9) for e in range(4))
LINKS = "source,target,probability\ne3,e0,0.5\ne3,e1,0.4\ne2,e1,0.5\n"
SWEEP = 'users = {num_users = 200}\n[[campaigns]]\nexample = "web"\n'


def scores(**systems: Sequence[float]) -> Callable[[Path], None]:
    """Return what writes scores of systems on topics 0, 1, ..."""

    def write(folder: Path) -> None:
        with (folder / "scores.csv").open("w", newline="", encoding="utf-8") as stream:
            rows = csv.writer(stream)
            rows.writerow(("system", "topic", "measure", "score"))
            for system, values in systems.items():
                rows.writerows((system, f"t{t}", "AP", value) for t, value in enumerate(values))

    return write


def _waves(mean: float, step: float, number: int = 12) -> list[float]:
    """Return values around a mean, up and down by turns."""
    return [mean + step * sign for sign in islice(cycle((1, -1, 0)), number)]


HIGH, NEAR, LOW = _waves(0.8, 0.01), _waves(0.8, -0.01), _waves(0.4, 0.02)
WIDE = _waves(0.75, -0.3)


def _uncertain(folder: Path) -> None:
    """Write what `_lists` does, and how likely each element is ideal."""
    _lists(folder)
    rows = [f"t{t},e{e},{(0.9, 0.7, 0.2, 0.1)[e]}\n" for t in range(9) for e in range(4)]
    (folder / "p.csv").write_text("topic,element,probability\n" + "".join(rows))


def _lists(folder: Path) -> None:
    """Write two runs, nine topics, links, and a log of people who walk along them."""
    (folder / "qrels").write_text(QRELS)
    for name, order in (("good", (0, 3, 1, 2)), ("bad", (2, 3, 1, 0))):
        lines = [
            f"t{t} Q0 e{e} {rank} {9 - rank} {name}\n"
            for t in range(9)
            for rank, e in enumerate(order if t else (2, 3, 0, 1), start=1)
        ]
        (folder / name).write_text("".join(lines))
    (folder / "links.csv").write_text(LINKS)
    for name, num in (("log.csv", 60), ("later.csv", 40), ("turned.csv", 40), ("long.csv", 400)):
        rows = ["session,time,element"]
        for s in range(num):
            to = "e1" if name == "turned.csv" or s % 5 == 0 else "e0"
            rows += [f"s{s},0,e3", *([f"s{s},1,{to}"] if s % 4 else [])]
        (folder / name).write_text("\n".join([*rows, ""]))


def _games(folder: Path) -> None:
    """Write games of agents as another program does, and the links along which they went."""
    names = ("home", "tea", "cup", "pot")
    ways = [(s * 7 + k * (1 + s % 3)) % 4 for s in range(80) for k in range(6)]
    games: list[dict[str, Any]] = [
        {
            "model": f"m{s}",
            "result": "win",
            "steps": [
                {"article": names[at], "metadata": {"tokens": 9}} for at in ways[6 * s : 6 * s + 6]
            ],
        }
        for s in range(80)
    ]
    (folder / "games.json").write_text(json.dumps({"runs": games}))
    rows = [f"{x},{y}" for x in names for y in names]
    (folder / "links.csv").write_text("\n".join(["source,target", *rows, ""]))


def _searches(folder: Path, *, questions: int = 6) -> None:
    """Write sessions of agents that search several times, the second better, and judgements."""
    late, soon = (["x", "a"], [], ["y", "b"], ["a"]), (["u"], ["x", "a"], ["a", "b"], ["c"])
    for model, shown in (("an agent", late), ("another agent", soon)):
        runs = [
            {
                "query_id": f"q{number}",
                "status": "completed",
                "metadata": {"model": model},
                "result": [
                    {
                        "type": "tool_call",
                        "tool_name": "search",
                        "output": json.dumps([{"docid": name} for name in names]),
                    }
                    for names in shown[number % 3 :]
                ],
            }
            for number in range(questions)
        ]
        (folder / f"{model}.json").write_text(json.dumps(runs))
    lines = [f"q{number} 0 {name} 1\n" for number in range(questions) for name in "abc"]
    (folder / "qrels").write_text("".join(lines))


def _chunks(folder: Path) -> None:
    """Write chunks of a document, what is looked for in it, and two runs of chunks."""
    (folder / "chunks.csv").write_text("chunk,doc,start,end\na,d,0,60\nb,d,40,100\nc,d,100,150\n")
    (folder / "gold.csv").write_text("question,doc,start,end\nq1,d,10,90\nq2,d,30,120\n")
    for name, order in (("chunks", "abc"), ("other", "cba")):
        lines = [f"{q} Q0 {c} {k} {9 - k} x\n" for q in ("q1", "q2") for k, c in enumerate(order)]
        (folder / f"{name}.run").write_text("".join(lines))


def _agreeing(folder: Path) -> None:
    """Write what people say, a judge who says the same, and runs."""
    judged(folder)
    (folder / "a person").write_text((folder / "people say").read_text())


def _swept(folder: Path) -> None:
    (folder / "sweep.toml").write_text(SWEEP)


def _fitted(folder: Path) -> None:
    """Fit a navigation to every fourth session, beside runs that differ a bit on each topic."""
    _lists(folder)
    rows = (folder / "log.csv").read_text().splitlines()
    kept = [row for row in rows[1:] if int(row[1 : row.index(",")]) % 4 == 1]
    (folder / "few.csv").write_text("\n".join([rows[0], *kept, ""]))
    called(*["fit", "few.csv", "--links", "links.csv", "-o", "fitted.json"], folder=folder)
    qrels, runs = "", {"near": "", "far": ""}
    for t in range(12):
        qrels += f"t{t} 0 e0 1\nt{t} 0 e1 1\n"
        near = [*(f"x{n}" for n in range(t % 3)), "e3", *(f"y{n}" for n in range(9))]
        far = [*(f"x{n}" for n in range(2 + (7 * t) % 5)), "e1"]
        for name, order in (("near", near), ("far", far)):
            lines = [f"t{t} Q0 {e} {k} {99 - k} x\n" for k, e in enumerate(order, start=1)]
            runs[name] += "".join(lines)
    for name, text in {"mixed.qrels": qrels, **runs}.items():
        (folder / name).write_text(text)


FITTED = (
    "near far --qrels mixed.qrels --navigation fitted.json --collection-size 99 --measures PRUM"
)
LISTS = "--run good --run bad --qrels qrels --links links.csv --collection-size 9"
ANSWERS: dict[str, Case] = {
    "compare: one system": ("scores.csv --seed 2", scores(a=HIGH)),
    "compare: one system on one topic": ("scores.csv --seed 2", scores(a=[0.5])),
    "compare: best": ("scores.csv --seed 2", scores(a=HIGH, b=LOW, c=LOW)),
    "compare: tied": ("scores.csv --seed 2", scores(a=HIGH, b=NEAR, c=LOW)),
    "compare: by signs": ("scores.csv --baseline a", scores(a=[1] * 12, b=[0] * 11 + [1])),
    "compare: within a wide margin": (
        "scores.csv --margin .5",
        scores(a=HIGH, b=NEAR, c=_waves(0.8, 0.02)),
    ),
    "compare: many within the margin": (
        "scores.csv --margin .5 --baseline a",
        scores(a=HIGH, **{name: _waves(0.8, 0.02) for name in "bcdefgh"}),
    ),
    "compare: baseline": (
        "scores.csv --seed 2 --baseline b --margin .05",
        scores(a=HIGH, b=_waves(0.6, 0.01), c=LOW, d=WIDE),
    ),
    "compare: groups": (
        "scores.csv --seed 2 --margin .02",
        scores(a=HIGH, b=NEAR, c=LOW, d=WIDE, e=_waves(0.1, 0.05)),
    ),
    "compare: groups beside a baseline": (
        "scores.csv --seed 2 --baseline b --margin .02",
        scores(
            a=HIGH, b=_waves(0.6, 0.01), c=LOW, d=WIDE, e=LOW, f=_waves(0.6, 0.011), g=LOW, h=LOW
        ),
    ),
    "crosscheck: by rank": (f"{LISTS} --users 500 --seed 2 --by-rank", _lists),
    "evaluate: a fitted navigation": (f"{FITTED} --seed 2", _fitted),
    "evaluate: uncertain ideals": (
        "good bad --judgements p.csv --links links.csv --measures AP,PRUM --seed 2",
        _uncertain,
    ),
    "evaluate: sessions": ("'an agent.json' --qrels qrels --seed 2", _searches),
    "evaluate: sessions of two": (
        "'an agent.json' 'another agent.json' --qrels qrels --budget 12 --seed 2",
        partial(_searches, questions=24),
    ),
    "evaluate: spans": ("chunks.run other.run --chunks chunks.csv --spans gold.csv", _chunks),
    "fit: predicts": ("log.csv --links links.csv --test later.csv", _lists),
    "fit: predicts well": ("log.csv --links links.csv --test long.csv", _lists),
    "fit: misleads": ("log.csv --links links.csv --test turned.csv", _lists),
    "study people: lost": (
        "--log games.json --links links.csv --contexts visits --permutations 39 --seed 2",
        _games,
    ),
    "judges: order": ("'a judge' --human 'people say' --run good --run bad --seed 2", judged),
    "judges: good": ("'a person' --human 'people say' --run good --run bad --seed 2", _agreeing),
    "judges: several": (
        "'a judge' another --human 'people say' --run good --run bad --seed 2",
        judged,
    ),
    "simulate": ("--example web --users 20 --stop 'found 1' --seed 2", None),
    "explore": ("--example web -o page.html", None),
    "generate": ("made.toml -o made --workers 1", compared),
    "sweep": ("sweep.toml --workers 1", _swept),
}


def planted() -> dict[str, Result]:
    """Return results that no command has: of simulators with another probability than the law's."""
    link = ("x", "a")

    def checked(
        law: float,
        simulated: float,
        num_users: int,
        *,
        size: int = 5,
        most: int = 0,
    ) -> Result:
        followed = Independent({link: simulated})

        def plain(task: Task, _: Navigation, *, num_users: int, seed: int) -> Simulation:
            return simulate(task, followed, num_users=num_users, seed=seed)

        return crosscheck(
            Task(["x"], ["a"], size),
            Independent({link: law}),
            num_users=num_users,
            most_users=most or num_users,
            seed=1,
            simulate=plain,
        )

    return {
        "crosscheck: deeper": checked(0.9, 0.1, 5_000),
        "crosscheck: more users": checked(0.02, 0.02, 20, size=2, most=10_000),
        "crosscheck: far off": checked(1 - 1e-6, 1 - 1e-7, 320, size=1_000_001),
    }
