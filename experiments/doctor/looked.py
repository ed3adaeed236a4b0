"""What goes with what of some files, what can be computed, and the commands that do."""

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import chain, product
from typing import Any

from prum.experiments.compare.score_files import score_files
from prum.experiments.doctor.kinds import KINDS, Looked, look
from prum.experiments.frame.frames import FrameResult, frame_table, turned
from prum.experiments.frame.numbers import count
from prum.experiments.frame.view import View

# What can be computed: of all files of the first kind that go with one of each other kind.
_USES = """
score the runs, and decide which is better: evaluate {run} --qrels {judgements}
score the runs by preferences: evaluate {run} --qrels {preferences}
score sessions: evaluate {sessions} --qrels {judgements}
score users who follow links: evaluate {run} --qrels {judgements} --links {links}
see how far PRUM can be trusted: trust --run {run} --qrels {judgements} --links {links}
score users who browse in documents: evaluate {run} --qrels {judgements} --elements {elements}
score by uncertain judgements: evaluate {run} --judgements {probabilities}
score chunks by gold spans: evaluate {run} --chunks {chunks} --spans {gold spans}
measure judges, if people made the last: judges {judges} --human {people}
decide which system is better: compare {scores}
learn how people browse: fit {log} --links {links} --skip-strays -o fitted.json
learn how people browse: fit {log} --links {edges} --skip-strays -o fitted.json
"""
_EACH = ("--run", "--elements")


def _uses() -> Iterator[tuple[str, str, list[str]]]:
    """Yield what can be computed, the words of the command, and the kinds of its files."""
    for line in _USES.strip().splitlines():
        what, words = line.split(": ")
        yield what, words, re.findall("{(.+?)}", words)


def _together(files: Sequence[Looked]) -> Iterator[dict[str, Any]]:
    """Yield what runs and sessions share with other files, if anything."""
    for run, other in product(files, files):
        if run.kind not in ("run", "sessions") or other.kind in ("run", "sessions", "scores"):
            continue
        if not (shared := run.shared(other)):
            continue
        said = count(len(shared), "element" if "" in other.elements else "topic")
        listed = {(topic, x) for topic in shared for x in run.elements.get(topic, ())}
        if listed and other.kind == "judgements":
            judged = sum(x in other.elements[topic] for topic, x in listed)
            said += f", {100 * judged / len(listed):.0f} % of what is listed is judged"
        yield {"file": run.path, "other": other.path, "share": said}


def _commands(files: Sequence[Looked]) -> Iterator[tuple[dict[str, str], list[Looked]]]:
    """Yield what can be computed with the command that does, and the files that it reads."""
    of = {kind: [[x] for x in files if x.kind == kind and not x.fault] for kind in KINDS}
    several = [group for group in of["judgements"] if "judge" in group[0].held]
    of["judgements"] = [group for group in of["judgements"] if group not in several]
    of["people"], of["judges"] = of["judgements"][:1], of["judgements"][1:] + several
    for kind in ("run", "sessions", "judges", "elements"):
        of[kind] = [[*chain(*of[kind])]] if of[kind] else []
    by_measures: dict[str, list[Looked]] = {}
    for (scores,) in of["scores"]:
        by_measures.setdefault(str(sorted(scores.held["measure"])), []).append(scores)
    of["scores"] = [x for x in by_measures.values() if sum(len(y.held["system"]) for y in x) > 1]
    for what, words, kinds in _uses():
        for some, *others in product(*(of[kind] for kind in kinds)):
            kept = [x for x in some if all(any(map(x.shared, group)) for group in others)]
            command, groups = words, [kept, *others] if kept else []
            for kind, group in zip(kinds, groups, strict=False):
                # What may be repeated has its option before each file.
                option = next((f"{x} " for x in _EACH if f"{x} {{{kind}}}" in words), "")
                paths = f" {option}".join(shlex.quote(x.path) for x in group)
                command = command.replace(f"{{{kind}}}", paths)
            if groups:
                yield {"what": what, "command": f"prum {command}"}, [*chain(*groups)]


def looked_at_all(given: Any) -> FrameResult:
    """Return what files, and those in folders, are and hold, and what can be done with them."""
    given = [given] if isinstance(given, str | os.PathLike) else list(given or ())
    files = [look(os.fspath(path)) for path in score_files(given)]
    made = list(_commands(files))
    used = {x.path for _, group in made for x in group}
    commands = [command for command, _ in made]
    commands += [{"what": "an example", "command": "prum crosscheck --example web"}] * (not files)
    rows = [{"file": x.path, "kind": x.kind, "holds": x.holds or x.fault} for x in files]
    pairs = list(_together(files))
    kinds = [{"kind": name, "looks like": looks} for name, (looks, _) in KINDS.items()]
    shown = {"Files": rows, "Together": pairs} if files else {"What to bring": kinds}
    headline = f"{count(len(files), 'file')}, {count(len(made), 'command')} to run with them."
    idle = dict.fromkeys(x.kind for x in files if x.path not in used)
    lacks = {
        kind: f"{', '.join(x for x in of if x != kind) or 'scores of a second system'}, to {what}"
        for what, _, of in [*_uses()][::-1]
        for kind in of
    }
    return FrameResult(
        kind="doctor",
        frames={"files": turned(rows), "together": turned(pairs), "commands": turned(commands)},
        shown=View(
            title="What files are",
            headline=headline if files else "No files: bring some of these, in any of their forms.",
            story=(),
            tables=tuple(
                frame_table(label, turned(some), dict.fromkeys(some[0], "<"))
                for label, some in shown.items()
                if some
            ),
            sentences=tuple(f"{x['command']}  # {x['what']}" for x in commands),
            notes=tuple(f"Missing beside {x}: {lacks[x]}." for x in idle if x in lacks),
        ),
    )
