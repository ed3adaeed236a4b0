"""The `prum replay` command."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from prum.experiments.commands.campaign_options import (
    CampaignCommand,
    arguments,
    campaign_design,
    print_notices,
)
from prum.experiments.commands.options import file_option, seed_option, typed, whole_number

if TYPE_CHECKING:
    from prum.simulator.collections.campaign import Campaign
    from prum.simulator.model import Links, Task
    from prum.simulator.model.elements import Elements
    from prum.simulator.model.stopping import Stopping
    from prum.simulator.sessions.trace import Session

_MOST_NAMES = 5


@click.command(cls=CampaignCommand)
@click.option("--topic", metavar="NAME", help="Which topic, if there are several.")
@click.option("--system", metavar="NAME", help="Which system, if there are several.")
@seed_option
@click.option(
    "--user", type=whole_number, metavar="N", default=0, show_default=True,
    help="Which of them, from 0.",
)  # fmt: skip
@click.option(
    "--want", type=whole_number, metavar="R",
    help="He stops when he has seen R ideals; all, if no other rule is given.",
)  # fmt: skip
@click.option(
    "--stop", "stops", multiple=True, metavar="RULE",
    help="He stops by a rule; repeatable, the first that applies counts. See above.",
)  # fmt: skip
@file_option("json", "everything as JSON")
@file_option("html", "a page that draws each step")
@click.pass_context
def replay(
    context: click.Context,
    /,
    topic: str | None,
    system: str | None,
    seed: int,
    user: int,
    want: int | None,
    stops: tuple[str, ...],
    json_file: str | None,
    html_file: str | None,
    **files: Any,
) -> None:
    """Tell what one simulated user does, step by step.

    Consulting an element takes him 1 s and browsing no time. Rules by which he stops:

    \b
    {rules}

    Exit status 0, or 2 for bad input.
    """
    from prum.experiments.replay.sentences import sentences
    from prum.experiments.report.files import check_outputs, deliver
    from prum.simulator.sessions.session import play

    named = campaign_design(files)
    check_outputs((json_file, html_file), named.files("input"))
    if html_file is not None:
        # A page needs an extra: better to miss it now than after the work.
        from prum.experiments.replay.page import check_installed

        check_installed()
    chosen: dict[str, Any] = {
        "topic": topic, "system": system, "seed": seed, "user": user, "want": want, "stop": stops
    }  # fmt: skip
    print_notices(named)
    campaign = named.campaign
    topic = _one("topic", topic, campaign.ideals)
    system = _one("system", system, campaign.runs)
    task = campaign.task(system, topic)
    stopping = _stopping(want, stops, task)
    session = play(task, campaign.navigation_on(topic), user=user, seed=seed, stopping=stopping)
    told = sentences(task, session, stopping.wanted)
    content = {
        **_plain(session),
        "system": system,
        "topic": topic,
        "sentences": told,
        "command": typed(context),
        "arguments": {**arguments(files), **chosen, "stop": list(stops)},
    }

    def html() -> str:
        from prum.experiments.replay.page import page
        from prum.simulator.collections.files import readable

        return page(
            task,
            session,
            structure=_structure(campaign, topic),
            wanted=stopping.wanted,
            place=readable(f"{campaign.name}, system {system}, topic {topic}"),
            command=typed(context),
        )

    deliver(
        [(json_file, lambda: _json(content)), (html_file, html)],
        lambda: print("\n".join(told)),
    )


def _one(what: str, given: str | None, names: Iterable[str]) -> str:
    """Return the name given, or the only one there is."""
    from prum.simulator.model.errors import shown

    known = list(names)
    if given in known:
        return given
    if given is None and len(known) == 1:
        return known[0]
    few = ", ".join(map(shown, known[:_MOST_NAMES]))
    more = f" and {len(known) - _MOST_NAMES:,} more" if len(known) > _MOST_NAMES else ""
    if given is None:
        raise click.UsageError(f"choose one --{what}: {few}{more}")
    raise click.UsageError(f"--{what} {shown(given)} is none of {few}{more}")


def _stopping(want: int | None, stops: Iterable[str], task: "Task") -> "Stopping":
    from prum.simulator.model.rule_names import rule_of
    from prum.simulator.model.stopping import Found, Stopping

    rules = [rule_of(words) for words in stops]
    if want is not None or not rules:
        rules = [Found(task.num_ideals if want is None else want), *rules]
    return Stopping(*rules)


def _structure(campaign: "Campaign", topic: str) -> "Elements | Links":
    """Return what the user browses: the elements that were given, or the links."""
    if campaign.elements is None:
        return campaign.navigation_on(topic).links
    return campaign.elements


def _plain(session: "Session") -> dict[str, Any]:
    """Return a session as plain data."""
    from dataclasses import asdict

    return {
        "user": session.user,
        "seed": session.seed,
        "reason": session.reason,
        "consulted": session.consulted,
        "leading": session.leading,
        "found": list(session.found),
        "seconds": session.seconds,
        "events": [asdict(event) for event in session.events],
    }


def _json(content: dict[str, Any]) -> bytes:
    import json

    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    # Half a surrogate pair, which UTF-8 can't hold, is written as JSON writes it.
    return text.encode("utf-8", "backslashreplace")
