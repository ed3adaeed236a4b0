"""What goes with what of some files, what can be computed, and the commands that do."""

import os
import shlex
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from prum.experiments.compare.score_files import score_files
from prum.experiments.doctor.kinds import KINDS, TOP, Looked, look
from prum.experiments.frame.frames import FrameResult, frame_table, turned
from prum.experiments.frame.numbers import count
from prum.experiments.frame.view import View

_MOST = 40
_BRING = "No files: bring some of these, in any of their forms."
# What is missing where a file is in no command.
_MISSING = {
    "run": "judgements of the topics of runs (qrels)",
    "judgements": "runs for the topics that are judged",
    "preferences": "runs for the topics that are judged",
    "links": "runs and judgements, or a log, of the elements that links join",
    "edges": "a log of visits, from which prum fit learns probabilities of links",
    "elements": "runs that list these elements, and judgements",
    "scores": "scores of a second system",
    "chunks": "a run that ranks the chunks, and gold spans",
    "gold spans": "chunks, and a run that ranks them for the questions",
    "log": "links along which people may move (source, target)",
    "sessions": "judgements of the topics of sessions, or links",
    "probabilities": "runs for their topics",
}


def _together(files: Sequence[Looked]) -> Iterator[dict[str, Any]]:
    """Yield what runs and sessions share with other files, if anything."""
    for run, other in product(files, files):
        if run.kind not in ("run", "sessions") or other.kind in ("run", "sessions", "scores"):
            continue
        if not (shared := run.shared(other)):
            continue
        said = count(len(shared), "element" if "" in other.elements else "topic")
        if first := [(x, topic) for topic in shared for x in run.first.get(topic, ())]:
            judged = sum(x in other.elements.get(topic, ()) for x, topic in first)
            if other.grades:
                said += f", {100 * judged / len(first):.0f} % of the first {TOP} ranks judged"
        yield {"file": run.path, "other": other.path, "share": said}


def _commands(files: Sequence[Looked]) -> Iterator[tuple[str, list[str]]]:
    """Yield what can be computed, and the words of the command that does."""
    of = {kind: [x for x in files if x.kind == kind and not x.fault] for kind in KINDS}

    def sharing(kind: str, *others: Looked) -> list[str]:
        return [x.path for x in of[kind] if all(x.shared(other) for other in others)]

    for judged in of["judgements"] + of["preferences"]:
        qrels, runs = ["--qrels", judged.path], sharing("run", judged)
        if logs := sharing("sessions", judged):
            yield "score sessions", ["evaluate", *logs, *qrels]
        if not runs:
            continue
        yield "score the runs, and decide which is better", ["evaluate", *runs, *qrels]
        for links in of["links"]:
            parts = [judged, links, *(x for x in files if x.path in runs)]
            size = len({x for part in parts for group in part.elements.values() for x in group})
            linked = [*qrels, "--links", links.path, "--collection-size", str(size)]
            yield "score users who follow links", ["evaluate", *runs, *linked]
            each = [word for run in runs for word in ("--run", run)]
            yield "see how far PRUM can be trusted", ["trust", *each, *linked]
        trees = [x.path for x in of["elements"] if any(x.shared(y) for y in of["run"])]
        named = [word for tree in trees for word in ("--elements", tree)]
        if named:
            yield "score users who browse in documents", ["evaluate", *runs, *qrels, *named]
    for some in of["probabilities"]:
        if runs := sharing("run", some):
            yield "score by uncertain judgements", ["evaluate", *runs, "--judgements", some.path]
    for chunks, gold in product(of["chunks"], of["gold spans"]):
        if runs := sharing("run", chunks, gold):
            given = ["--chunks", chunks.path, "--spans", gold.path]
            yield "score chunks by gold spans", ["evaluate", *runs, *given]
    human, *others = of["judgements"] or [Looked("")]
    if judges := [x.path for x in others if _both(human, x)]:
        words = ["judges", *judges, "--human", human.path]
        yield f"measure judges, if people made {human.path}", words
    for measures in {str(sorted(x.first[""])): x.first for x in of["scores"]}.values():
        alike = [x for x in of["scores"] if x.first == measures]
        if sum(x.number for x in alike) > 1:
            yield "decide which system is better", ["compare", *(x.path for x in alike)]
    for log, links in product(of["log"], of["links"] + of["edges"]):
        if log.shared(links):
            words = ["fit", log.path, "--links", links.path, "--skip-strays", "-o", "fitted.json"]
            yield "learn how people browse", words


def _both(human: Looked, judge: Looked) -> bool:
    """Return whether a judge labelled some that people call ideal, and some that they do not."""
    return {
        grade > 0
        for topic, by in human.grades.items()
        for x, grade in by.items()
        if x in judge.grades.get(topic, ())
    } == {True, False}


def looked_at_all(given: Any) -> FrameResult:
    """Return what files, and those in folders, are and hold, and what can be done with them."""
    given = [given] if isinstance(given, str | os.PathLike) else list(given or ())
    files = [look(os.fspath(path)) for path in score_files(given)]
    words = list(_commands(files))
    used = {word for _, command in words for word in command}
    commands = [{"what": what, "command": shlex.join(["prum", *tokens])} for what, tokens in words]
    commands += [{"what": "an example", "command": "prum crosscheck --example web"}] * (not files)
    faults = {x.path: x.fault.removeprefix(x.path).lstrip(", :") for x in files}
    rows = [{"file": x.path, "kind": x.kind, "holds": x.holds or faults[x.path]} for x in files]
    pairs = list(_together(files))
    kinds = [{"kind": name, "looks like": kind.looks} for name, kind in KINDS.items()]
    idle = dict.fromkeys(x.kind for x in files if x.path not in used and not x.fault)
    headline = f"{count(len(files), 'file')}, {count(len(words), 'command')} to run with them."
    shown = {"Files": rows, "Together": pairs} if files else {"What to bring": kinds}
    folder = given[0] if len(given) == 1 and os.path.isdir(given[0]) else None

    def shortened(row: dict[str, Any]) -> dict[str, Any]:
        """Return a row with its files as they are called in the one folder that was given."""
        paths = {x: row[x] for x in ("file", "other") if folder and x in row}
        return row | {x: os.path.relpath(path, folder) for x, path in paths.items()}

    return FrameResult(
        kind="doctor",
        frames={"files": turned(rows), "together": turned(pairs), "commands": turned(commands)},
        shown=View(
            title="What files are",
            headline=headline if files else _BRING,
            story=(),
            tables=tuple(
                frame_table(
                    label,
                    turned(list(map(shortened, some[:_MOST]))),
                    dict.fromkeys(some[0], "<"),
                    legend=(f"{len(some) - _MOST:,} more",) * (len(some) > _MOST),
                )
                for label, some in shown.items()
                if some
            ),
            sentences=tuple(f"{x['command']}  # {x['what']}" for x in commands),
            notes=(
                *(f"{x.path}: {x.fault}" for x in files if x.fault and x.holds),
                *(f"Missing: {_MISSING[kind]}." for kind in idle if kind in _MISSING),
            ),
        ),
    )
