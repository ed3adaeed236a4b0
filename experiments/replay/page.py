"""The page of a replay: one HTML document that needs nothing else, the same bytes each time."""

from importlib.resources import files

from prum.experiments.replay.cutting import Cut, cut
from prum.experiments.replay.drawing import SessionDrawing, draw
from prum.experiments.replay.structure import DrawnStructure, graph, tree
from prum.experiments.replay.wording import seconds, steps
from prum.experiments.views.html import check_installed, script_hash, template_page
from prum.simulator.model import Links, Task
from prum.simulator.model.elements import Elements
from prum.simulator.sessions.trace import Session


def page(
    task: Task,
    session: Session,
    *,
    structure: Elements | Links | None = None,
    wanted: int | None = None,
    place: str = "",
    command: str = "",
) -> str:
    """Return the page of a session.

    Parameters
    ----------
    structure
        What the user browses: trees of elements, drawn as such, or links.
    wanted
        How many ideals the user wants, if that is known.
    place
        Which list it is.
    command
        The command that makes this page.

    Raises
    ------
    InputError
        if jinja2 is not installed.
    """
    check_installed(is_drawn=False)
    all_steps = steps(task, session, wanted)
    shown = cut(all_steps)
    script = files("prum.experiments.replay").joinpath("page.js").read_text("utf-8")
    who = f"User {session.user:,} of seed {session.seed:,}"
    return template_page(
        "prum.experiments.replay",
        "page.html",
        {
            "title": f"{who}, step by step",
            "headline": all_steps[-1].sentence if all_steps else "",
            "label": f"{who}: their list and what they saw; the steps below say the same in words",
            "place": place,
            "wants": _wants(task, wanted),
            "drawing": _drawing(task, shown, structure),
            "sentences": [step.sentence for step in shown.steps],
            "gap": "" if shown.gap is None else f"{shown.gap[0]:,} to {shown.gap[1]:,}",
            "facts": _facts(session),
            "command": command,
            "script": script,
            "script_hash": script_hash(script),
        },
    )


def _drawing(task: Task, shown: Cut, structure: Elements | Links | None) -> SessionDrawing:
    events = [event for step in shown.steps for event in step.events if event.element]
    seen = [event.element for event in events if event.action != "stop"]
    moves = [(event.origin, event.element) for event in events if event.origin]

    def arrange(consulted: dict[str, float], x: float, y: float) -> DrawnStructure:
        if isinstance(structure, Elements):
            return tree(structure, seen, x=x, y=y)
        return graph(structure, consulted, moves, x=x, y=y)

    return draw(shown, task.ranking, task.ideals, arrange)


def _wants(task: Task, wanted: int | None) -> str:
    ideals = f"{task.num_ideals:,} ideal{'s' * (task.num_ideals > 1)}"
    if wanted is None:
        return f"There {'are' if task.num_ideals > 1 else 'is'} {ideals}."
    return f"They want {wanted:,} of {ideals}."


def _facts(session: Session) -> list[tuple[str, str]]:
    found = session.found
    shown = [f"{count:,}" for count in found]
    if len(shown) > 40:
        shown = [*shown[:20], "…", *shown[-5:]]
    return [
        ("elements consulted", f"{session.consulted:,}"),
        ("that led to something new", f"{session.leading:,}"),
        ("ideals found after each", ", ".join(shown) or "–"),
        ("time", seconds(session.seconds)),
    ]
