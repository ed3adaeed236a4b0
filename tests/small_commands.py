"""A small run of every command that writes a page, with names that are no plain words."""

import csv
from collections.abc import Callable
from pathlib import Path

from tests.compared_folders import folder_of
from tests.made_folders import stand_in

# What a page must show as text: markup, what ends a string, another direction, no end.
HOSTILE = "<img src=x onerror=alert(1)>&\"'\u202eab"
LONG = "L" * 300
QRELS = "".join(f"t{t} 0 e{e} {int(e < 2)}\n" for t in range(3) for e in range(3))
RUN = "".join(f"t{t} Q0 e{e} {e} SIGN{e} x\n" for t in range(3) for e in range(4))
LOG = "".join(f"{i}\t0\tQ\tq\tr\tu1\tu2\n{i}\t1\tC\tu{1 + i % 2}\n" for i in range(6))


def _files(folder: Path) -> None:
    (folder / "the qrels").write_text(QRELS)
    (folder / "-first.run").write_text(RUN.replace("SIGN", "-"))
    (folder / "it's second.run").write_text(RUN.replace("SIGN", ""))
    (folder / "links.csv").write_text("source,target,probability\ne3,e0,0.5\n")
    (folder / "a log").write_text(LOG)


def _walked(folder: Path) -> None:
    """Write a log of 40 people who walk from e0 to e1, and some of them to e2."""
    (folder / "links.csv").write_text("source,target\ne0,e1\ne1,e2\n")
    rows = [f"{k},e{e},p{k}\n" for k in range(40) for e in range(1 + k % 3)]
    (folder / "log.csv").write_text("session,element,person\n" + "".join(rows))


def _made(folder: Path) -> None:
    stand_in(folder / "made data", num_topics=2, num_systems=2)
    rows = "".join(f"s{s},t{t},0.{s}{t}\n" for s in range(2) for t in range(2))
    (folder / "my scores.csv").write_text(f"system,topic,estimate\n{rows}")


def _compared(folder: Path) -> None:
    folder_of(folder / "one side")
    folder_of(folder / "another side", ideal_grade=2)


def _hostile(folder: Path) -> None:
    """Write runs, judgements, links, scores and a log whose names are hostile."""
    mark = HOSTILE.replace(" ", "_")
    names = {"e0": f"e0{mark}", "e1": LONG, "e2": "e2", "e3": f"e3{mark}"}
    topics = {"t0": f"t0{mark}", "t1": "t1", "t2": LONG}

    def renamed(line: str) -> str:
        words = line.split()
        words[0], words[2] = topics[words[0]], names[words[2]]
        return " ".join(words) + "\n"

    for name, sign in ((f"one{mark}", "-"), ("two" + "L" * 200, "")):
        lines = RUN.replace("SIGN", sign).splitlines()
        (folder / name).write_text("".join(map(renamed, lines)), encoding="utf-8")
    lines = QRELS.splitlines()
    (folder / "qrels").write_text("".join(map(renamed, lines)), encoding="utf-8")
    tables = {
        "links.csv": [
            ("source", "target", "probability"),
            (names["e3"], names["e0"], "0.5"),
            (names["e3"], "e2", "0.25"),
        ],
        "scores.csv": [
            ("system", "topic", "measure", "score"),
            *(
                (system, topic, "AP<b>", f"{0.1 * (1 + at) + 0.07 * (number * at % 3)}")
                for number, system in enumerate((HOSTILE, LONG, "plain"))
                for at, topic in enumerate((*topics.values(), "t3"))
            ),
        ],
        "log.csv": [
            ("session", "time", "element", "person"),
            *(
                (f"s{session}", str(at), element, HOSTILE if session % 2 else "ann")
                for session in range(6)
                for at, element in enumerate((names["e3"], names["e0" if session < 4 else "e2"]))
            ),
        ],
    }
    for name, rows in tables.items():
        with (folder / name).open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream).writerows(rows)


_RUNS = f"'./one{HOSTILE.replace(' ', '_').replace(chr(39), chr(39) + chr(92) + chr(39) * 2)}'"
_TWO = "two" + "L" * 200
_LISTS = f"--run {_RUNS} --run {_TWO} --qrels qrels --links links.csv --collection-size 9"


def _judged(folder: Path) -> None:
    """Write what people and two judges say of some elements, and runs."""
    for name, wrong in (("people say", 9), ("a judge", 5), ("another", 7)):
        rows = [
            f"t{t} 0 e{e} {int((e < 3) != ((t + e) % wrong == 1 and wrong < 9))}\n"
            for t in range(5)
            for e in range(8)
        ]
        (folder / name).write_text("".join(rows))
    for name, step in (("good", 1), ("bad", 5)):
        lines = [f"t{t} Q0 e{e * step % 8} 1 {9 - e} x\n" for t in range(5) for e in range(8)]
        (folder / name).write_text("".join(lines))


Case = tuple[str, Callable[[Path], None] | None]
# Words as a shell has them, and what writes the files they name.
STUDIES: dict[str, Case] = {
    "judges": ("--hit .6 --false-alarm .2 --dependence .2 --topics 6 --human 3 --draws 2", None),
    "approximations": (
        "--tasks 2 --power 1.5 --draws 2 --seed 3",
        None,
    ),
    "hypotheses": (
        "--run ./-first.run --run \"it's second.run\" --qrels 'the qrels' --links links.csv "
        "--collection-size 9 --within exclusive --across 'types 1:1' --need 'need 1' --users 50 "
        "--workers 1 --seed 2",
        _files,
    ),
    "paper": ("--seed 2", None),
    "people": ("--log log.csv --links links.csv --least 5 --permutations 39 --seed 2", _walked),
    "robustness": (
        "--qrels 'the qrels' --other 'deeper=the qrels' --trials 2 --seed 2 "
        '-- -first.run "it\'s second.run"',
        _files,
    ),
    "stops": ("--sessions 'a log' --draws 2", _files),
    "thresholds": ("--queries 10 --draws 2", None),
    "estimators": (
        "'made data' --measure PRUM --measure AP --scores 'mine too=my scores.csv' --draws 2 "
        "--seed 2",
        _made,
    ),
    "realism": ("'one side' 'another side' --permutations 3", _compared),
}
COMMANDS: dict[str, Case] = {
    **{f"study {name}": case for name, case in STUDIES.items()},
    "crosscheck": (f"{_LISTS} --users 500 --seed 2", _hostile),
    "evaluate": (f"{_RUNS} {_TWO} --qrels qrels --measures AP,P@2 --seed 2", _hostile),
    "compare": ("scores.csv --seed 2", _hostile),
    "judges": ("'a judge' --human 'people say' --cases 2 --seed 2", _judged),
    "doctor": (f"{_RUNS} {_TWO} qrels links.csv scores.csv log.csv", _hostile),
    "trust": (f"{_LISTS} --seed 2", _hostile),
    "fit": ("log.csv --links links.csv", _hostile),
}
