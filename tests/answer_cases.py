"""Small commands for answers that those of `small_commands` do not give, by what they answer."""

import csv
import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np

import prum
from prum.experiments.crosscheck import crosscheck
from prum.experiments.frame.result import Result
from prum.simulator import Independent, Simulation, Task, simulate, web_example
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import Navigation
from tests.commands import called
from tests.small_commands import Case
from tests.small_commands import _compared as compared
from tests.small_commands import _judged as judged
from tests.unit.experiments.trust.made import changed, turning

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


def _linked(name: str, rows: str, folder: Path) -> None:
    """Write the same with other links, two more systems, and one topic alone."""
    _lists(folder)
    (folder / name).write_text(f"source,target,probability\n{rows}")
    for copy, run in (("again", "good"), ("once", "bad")):
        (folder / copy).write_text((folder / run).read_text().replace("e1", "e9"))
    (folder / "one.qrels").write_text("".join(QRELS.splitlines(keepends=True)[:16]))


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
    longer = [{**game, "steps": [*game["steps"], *game["steps"]]} for game in games]
    for name, runs in (("games", games), ("longer", longer), ("few", games[:2])):
        (folder / f"{name}.json").write_text(json.dumps({"runs": runs}))
    rows = [f"{x},{y}" for x in names for y in names]
    (folder / "links.csv").write_text("\n".join(["source,target", *rows, ""]))


def _searches(folder: Path, *, questions: int = 6, apart: int = 0) -> None:
    """Write sessions of agents that search several times, the second better, and judgements.

    The second agent's questions begin with number `apart`.
    """
    late, soon = (["x", "a"], [], ["y", "b"], ["a"]), (["u"], ["x", "a"], ["a", "b"], ["c"])
    for model, shown, first in (("an agent", late, 0), ("another agent", soon, apart)):
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
            for number in range(first, first + questions)
        ]
        (folder / f"{model}.json").write_text(json.dumps(runs))
    lines = [f"q{number} 0 {name} 1\n" for number in range(apart + questions) for name in "abc"]
    (folder / "qrels").write_text("".join(lines))


def _reported(folder: Path) -> None:
    """Write the answers of other commands as JSON into a folder."""
    _lists(folder)
    (folder / "results").mkdir()
    words = f"crosscheck {LISTS} --navigation walk --seed 2 --users 200 --json results/c.json"
    called(*shlex.split(words), folder=folder)


def _walked(ideals: str, lists: dict[str, tuple[str, ...]], links: str, folder: Path) -> None:
    """Write the cross-check of lists, whose order by PRUM is not that of users who walk."""
    for name, rankings in lists.items():
        lines = [
            f"q{t} Q0 {element} {rank} {9 - rank} x\n"
            for t, ranking in enumerate(rankings)
            for rank, element in enumerate(ranking.split())
        ]
        (folder / name).write_text("".join(lines))
    rows = [f"q{t} 0 {ideal} 1\n" for t in range(len(rankings)) for ideal in ideals]
    (folder / "qrels").write_text("".join(rows))
    (folder / "links.csv").write_text(f"source,target,probability\n{links}")
    (folder / "results").mkdir()
    words = "--qrels qrels --links links.csv --collection-size 6 --navigation walk --users 200"
    runs = [word for name in lists for word in ("--run", name)]
    called("crosscheck", *runs, *words.split(), "--json", "results/c.json", folder=folder)


# From a gate users go to one ideal or the other: more see some than PRUM says.
_TURNED = (
    "ab",
    {"hub": ("gate n a b", "gate a n b"), "direct": ("n a b gate", "a n gate b")},
    "gate,a,0.5\ngate,b,0.5\n",
)
# From a door they go to both or none; PRUM says the same of either.
_TIED = (
    "abcd",
    {"gate": ("gate",), "door": ("door",)},
    "gate,c,0.5\ngate,d,0.5\ndoor,a,0.5\na,b,1\n",
)


def _exact_report(folder: Path) -> None:
    _lists(folder)
    (folder / "results").mkdir()
    words = "--run good --qrels qrels --collection-size 9 --users 200 --json results/c.json"
    called("crosscheck", *words.split(), folder=folder)


def _empty_report(folder: Path) -> None:
    (folder / "results").mkdir()
    called(*shlex.split("study noisy-or --draws 2 --json results/n.json"), folder=folder)


def _chunks(folder: Path, *, questions: Sequence[str] = ("q1", "q2")) -> None:
    """Write chunks of a document, what is looked for in it, and two runs of chunks."""
    (folder / "chunks.csv").write_text("chunk,doc,start,end\na,d,0,60\nb,d,40,100\nc,d,100,150\n")
    rows = ["q1,d,10,90", *(f"{question},d,30,120" for question in questions[1:])]
    (folder / "gold.csv").write_text("\n".join(["question,doc,start,end", *rows, ""]))
    for name, order in (("chunks", "abc"), ("other", "cba")):
        lines = [f"{q} Q0 {c} {k} {9 - k} x\n" for q in questions for k, c in enumerate(order)]
        (folder / f"{name}.run").write_text("".join(lines))


def _many(folder: Path) -> None:
    """Write a list from which links lead to more ideals than are enumerated."""
    ideals = range(24)
    (folder / "many.qrels").write_text("".join(f"t0 0 i{n} 1\n" for n in ideals))
    (folder / "many").write_text("".join(f"t0 Q0 g{n} {n} {9 - n} x\n" for n in range(9)))
    rows = "".join(f"g{k},i{n},{0.03 * (1 + n) / 24}\n" for k in range(3) for n in ideals)
    (folder / "links.csv").write_text(f"source,target,probability\n{rows}")


def _agreeing(folder: Path) -> None:
    """Write what people say, a judge who says the same, and runs."""
    judged(folder)
    (folder / "a person").write_text((folder / "people say").read_text())


def _swept(folder: Path) -> None:
    (folder / "sweep.toml").write_text(SWEEP)


def _swept_whole(folder: Path, *words: str) -> None:
    _swept(folder)
    called("sweep", "sweep.toml", "--workers", "1", *words, folder=folder)


def _swept_shard(folder: Path) -> None:
    # The version of prum decides which cells a shard has: one of two might have them all.
    _swept_whole(folder, "--shard", "1/1000")


def _swept_other(folder: Path) -> None:
    _swept_shard(folder)
    (folder / "sweep-1-of-1000.sqlite").rename(folder / "other.sqlite")


def _made(folder: Path) -> None:
    compared(folder)
    called("generate", "made.toml", "-o", "made", "--workers", "1", folder=folder)


def _spoiled(folder: Path) -> None:
    _made(folder)
    (folder / "made" / "qrels.txt").write_text("")


def _fitted(every: int, folder: Path) -> None:
    """Fit a navigation to every so many sessions, beside runs that differ a bit on each topic."""
    _lists(folder)
    rows = (folder / "log.csv").read_text().splitlines()
    kept = [row for row in rows[1:] if int(row[1 : row.index(",")]) % every == 1]
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
    five, three = ("".join(qrels.splitlines(keepends=True)[:end]) for end in (10, 6))
    for name, text in {
        "mixed.qrels": qrels,
        "five.qrels": five,
        "three.qrels": three,
        **runs,
    }.items():
        (folder / name).write_text(text)


FITTED = (
    "near far --qrels mixed.qrels --navigation fitted.json --collection-size 99 --measures PRUM"
)
LISTS = "--run good --run bad --qrels qrels --links links.csv --collection-size 9"
ANSWERS: dict[str, Case] = {
    "compare: better": ("scores.csv --seed 2", scores(a=HIGH, b=LOW)),
    "compare: within the margin": ("scores.csv --seed 2 --margin .5", scores(a=HIGH, b=LOW)),
    "compare: undecided": ("scores.csv --seed 2", scores(a=HIGH, b=WIDE)),
    "compare: equivalent": ("scores.csv --seed 2 --margin .1", scores(a=HIGH, b=NEAR)),
    "compare: the same": ("scores.csv --seed 2", scores(a=HIGH, b=HIGH)),
    "compare: constant": ("scores.csv --seed 2", scores(a=HIGH, b=[x - 0.1 for x in HIGH])),
    "compare: one system": ("scores.csv --seed 2", scores(a=HIGH)),
    "compare: one topic": ("scores.csv --seed 2", scores(a=[0.5], b=[0.6])),
    "compare: best": ("scores.csv --seed 2", scores(a=HIGH, b=LOW, c=LOW)),
    "compare: tied": ("scores.csv --seed 2", scores(a=HIGH, b=NEAR, c=LOW)),
    "compare: all equivalent": (
        "scores.csv --seed 2 --margin .2",
        scores(a=HIGH, b=NEAR, c=_waves(0.79, 0.02)),
    ),
    "compare: all the same": ("scores.csv --seed 2", scores(a=HIGH, b=HIGH, c=HIGH)),
    "compare: by signs": ("scores.csv --baseline a", scores(a=[1] * 12, b=[0] * 11 + [1])),
    "compare: within a wide margin": (
        "scores.csv --margin .5",
        scores(a=HIGH, b=NEAR, c=_waves(0.8, 0.02)),
    ),
    "compare: many within the margin": (
        "scores.csv --margin .5 --baseline a",
        scores(a=HIGH, **{name: _waves(0.8, 0.02) for name in "bcdefgh"}),
    ),
    "compare: many on one topic": (
        "scores.csv --baseline a",
        scores(**{name: [0.1 * n] for n, name in enumerate("abcdefgh")}),
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
    "crosscheck: one list": ("--example web --users 4000 --seed 2", None),
    "crosscheck: a walk": (f"{LISTS} --navigation walk --users 4000 --seed 2", _lists),
    "crosscheck: quantiles": (f"{LISTS} --users 500 --seed 2 --quantiles", _lists),
    "crosscheck: two examples": ("--example fig4 --example web --users 500 --seed 2", None),
    "crosscheck: by rank": (f"{LISTS} --users 500 --seed 2 --by-rank", _lists),
    "crosscheck: no closed form": (
        f"{LISTS} --navigation 'walk + one-factor .5' --users 500 --seed 2",
        _lists,
    ),
    "crosscheck: nothing uncertain": (
        f"{LISTS.replace('links.csv', 'one.csv')} --users 9 --navigation 'walk + one-factor .5'",
        partial(_linked, "one.csv", "e1,e0,1\n"),
    ),
    "crosscheck: rarer than any users": (
        f"{LISTS} --users 100 --most-users 100 --seed 2".replace("links.csv", "rare.csv"),
        partial(_linked, "rare.csv", "e3,e0,0.02\ne2,e1,1e-16\n"),
    ),
    "crosscheck: spans": (
        "--run chunks.run --chunks chunks.csv --spans gold.csv --users 400 --seed 2",
        _chunks,
    ),
    "crosscheck: rare": ("--example web --users 30 --seed 2", None),
    "evaluate: a fitted navigation": (f"{FITTED} --seed 2", partial(_fitted, 4)),
    "evaluate: too few sessions": (f"{FITTED} --seed 2", partial(_fitted, 40)),
    "evaluate: too few topics to resample": (
        f"{FITTED.replace('mixed', 'three')} --seed 2",
        partial(_fitted, 4),
    ),
    "evaluate: too few topics": (
        f"{FITTED.replace('mixed', 'five')} --seed 2",
        partial(_fitted, 4),
    ),
    "evaluate: the worst question": (
        "chunks.run other.run --chunks chunks.csv --spans gold.csv --measures Coverage@1",
        _chunks,
    ),
    "evaluate: the worst question of one": (
        "chunks.run --chunks chunks.csv --spans gold.csv --measures Coverage@1",
        _chunks,
    ),
    "evaluate: the worst questions": (
        "chunks.run other.run --chunks chunks.csv --spans gold.csv --measures Coverage@1",
        partial(_chunks, questions=("q1", "q2", "q3")),
    ),
    "evaluate: the worst questions of one": (
        "chunks.run --chunks chunks.csv --spans gold.csv --measures Coverage@1",
        partial(_chunks, questions=("q1", "q2", "q3")),
    ),
    "evaluate: uncertain ideals": (
        "good bad --judgements p.csv --links links.csv --measures AP,PRUM --seed 2",
        _uncertain,
    ),
    "evaluate: sessions": ("'an agent.json' --qrels qrels --users 200 --seed 2", _searches),
    "evaluate: sessions of two": (
        "'an agent.json' 'another agent.json' --qrels qrels --budget 12 --users 200 --seed 2",
        partial(_searches, questions=24),
    ),
    "evaluate: sessions without end": (
        "'an agent.json' 'another agent.json' --qrels qrels --users 200 --seed 2",
        _searches,
    ),
    "evaluate: sessions of other questions": (
        "'an agent.json' 'another agent.json' --qrels qrels --users 200 --seed 2",
        partial(_searches, questions=3, apart=3),
    ),
    "evaluate: spans": ("chunks.run other.run --chunks chunks.csv --spans gold.csv", _chunks),
    "fit: predicts": ("log.csv --links links.csv --test later.csv", _lists),
    "fit: predicts well": ("log.csv --links links.csv --test long.csv", _lists),
    "fit: misleads": ("log.csv --links links.csv --test turned.csv", _lists),
    "referee: differs": ("--real games.json --sim longer.json", _games),
    "referee: none": ("--real games.json --sim games.json", _games),
    "referee: few": ("--real few.json --sim few.json", _games),
    "fit: lost": ("games.json --links links.csv", _games),
    "study people: lost": (
        "--log games.json --links links.csv --permutations 39 --draws 9 --seed 2",
        _games,
    ),
    "study referee: no alarms": ("--size 1 --sessions 12 --experiments 2 --seed 2", None),
    "study referee: realism counts": ("--size 0 --size 1 --experiments 9 --seed 2", None),
    "study referee: one size": ("--size 0 --sessions 800 --experiments 2 --seed 2", None),
    "judges: order": ("'a judge' --human 'people say' --run good --run bad --seed 2", judged),
    "judges: good": ("'a person' --human 'people say' --run good --run bad --seed 2", _agreeing),
    "judges: several": (
        "'a judge' another --human 'people say' --run good --run bad --seed 2",
        judged,
    ),
    "study realism: differ": (
        "'one side' 'one side' --permutations 39 --seed 2",
        compared,
    ),
    "study noisy-or: far": (
        "--ideals 5 --density 1 --strength .9 --ranks 3 --listed .3 --draws 9",
        None,
    ),
    "trust: no links": ("--run good --run bad --qrels qrels --collection-size 9", _lists),
    "trust: off": (f"{LISTS} --seed 2", _lists),
    "trust: rare links": (
        f"{LISTS.replace('links.csv', 'rare.csv')} --seed 2",
        partial(_linked, "rare.csv", "e3,e0,0.001\ne2,e1,0.002\n"),
    ),
    "trust: nothing depends": (
        f"{LISTS.replace('links.csv', 'one.csv')} --seed 2",
        partial(_linked, "one.csv", "e1,e0,1\n"),
    ),
    "trust: too few users": (
        "--run many --qrels many.qrels --links links.csv --most-users 20 --seed 2",
        _many,
    ),
    "trust: four systems": (
        f"{LISTS} --run again --run once --seed 2",
        partial(_linked, "one.csv", ""),
    ),
    "trust: one topic": (
        f"{LISTS.replace('--qrels qrels', '--qrels one.qrels')} --seed 2",
        partial(_linked, "one.csv", ""),
    ),
    "simulate: a user": ("--example web --user 0 --seed 2", None),
    "simulate": ("--example web --users 20 --stop 'found 1' --seed 2", None),
    "explore": ("--example web -o page.html", None),
    "explore: equal": ("--example fig4 -o page.html", None),
    "explore: low": ("--example fig5 -o page.html", None),
    "generate": ("made.toml -o made --workers 1", compared),
    "generate: the same": ("--verify made --workers 1", _made),
    "generate: not the same": ("--verify made --workers 1", _spoiled),
    "sweep": ("sweep.toml --workers 1", _swept),
    "sweep: all there": ("sweep.toml --status sweep.sqlite", _swept_whole),
    "sweep: a shard is missing": ("sweep.toml --status sweep-1-of-1000.sqlite", _swept_shard),
    "sweep: some is missing": ("sweep.toml --status other.sqlite", _swept_other),
    "report": ("results -o report.html", _reported),
    "report: equal": ("results -o report.html", _exact_report),
    "report: another is best": ("results -o report.html", partial(_walked, *_TURNED)),
    "report: another tie": ("results -o report.html", partial(_walked, *_TIED)),
    "report: nothing": ("results -o report.html", _empty_report),
}


def _left_open() -> Result:
    """Return what `trust` says where users are too few to tell of large recall values alone."""
    result = prum.trust(**turning())
    half = np.array([0, 0, 1, 1]) / 20
    drawn = {
        (system, name): replace(
            one.values["PRUM"],
            how="simulated",
            num_users=64,
            half=half * (name == "walk"),
            precision=one.values["PRUM"].precision - 1e-4 * half,
        )
        for (system, _), one in result.lists.items()
        for name in result.names
    }
    return changed(result, drawn)


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
        quantiles: Sequence[float] = (),
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
            quantiles=quantiles,
        )

    def plain(task: Task, navigation: Navigation, *, num_users: int, seed: int) -> Simulation:
        return simulate(task, navigation, num_users=num_users, seed=seed)

    return {
        "trust: users leave it open": _left_open(),
        "simulate: a user": prum.replay(web_example(), seed=1, user=5),
        "simulate: behind the list": prum.replay(
            Campaign("x", {"t": ("a",)}, {"list": {"t": ("c",)}}, Independent({}), 30), seed=1
        ),
        "crosscheck: one far": crosscheck(
            Task(["x", "y"], ["a", "b"], 1_000_001),
            Independent({("x", "a"): 1 - 1e-3, ("y", "b"): 1 - 1e-9}),
            num_users=100,
            most_users=100,
            simulate=plain,
        ),
        "crosscheck: empty lists by rank": crosscheck(
            Task([], ["a", "b"], 9), Independent({link: 0.5}), num_users=50, by_rank=True
        ),
        "crosscheck: half as often": checked(0.5, 0.25, 5_000),
        "crosscheck: deeper": checked(0.9, 0.1, 5_000, quantiles=(0.5,)),
        "crosscheck: more users": checked(0.02, 0.02, 20, size=2, most=10_000),
        "crosscheck: far off": checked(1 - 1e-6, 1 - 1e-7, 320, size=1_000_001),
        "crosscheck: too few": checked(1 - 1e-6, 1 - 1e-6, 100, size=1_000_001, most=100),
    }
