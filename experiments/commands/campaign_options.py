"""The options that name campaigns: files of one's own, or built-in examples."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from prum.experiments.commands.options import input_file, whole_number

if TYPE_CHECKING:
    from prum.simulator.collections.campaign import Campaign

Command = Callable[..., None]

EXAMPLES = ("web", "campaign", "walks")

_OPTIONS = (
    click.option(
        "--run",
        "runs",
        type=input_file,
        multiple=True,
        metavar="FILE",
        help="TREC run; repeatable. As of every file that is read, - is standard input.",
    ),
    click.option("--qrels", type=input_file, metavar="FILE", help="TREC qrels."),
    click.option(
        "--links",
        type=input_file,
        metavar="FILE",
        help="source, target, probability (CSV, JSONL, Parquet).",
    ),
    click.option(
        "--elements",
        type=input_file,
        multiple=True,
        metavar="FILE",
        help="Instead of links, the trees that make them: element, parent, length, start in CSV, "
        "JSONL, Parquet; or XML, which may be repeated, each file a document.",
    ),
    click.option(
        "--way",
        metavar="WAY",
        help="How elements make links, structural by default; or how links make others. Listed by "
        "prum crosscheck --help.",
    ),
    click.option(
        "--collection-size",
        type=whole_number,
        metavar="N",
        help="Number of elements in the collection.",
    ),
    click.option(
        "--navigation",
        metavar="KIND",
        help="What a link's probability means, and how users differ and change, as 'walk' or "
        "'walk + fading .9'. By default independent, or as an example or a way has it. Listed by "
        "prum crosscheck --help.",
    ),
    click.option(
        "--ideal-grade",
        type=whole_number,
        metavar="N",
        default=1,
        show_default=True,
        help="Lowest grade of an ideal.",
    ),
    click.option(
        "--example",
        "examples",
        multiple=True,
        type=click.Choice(EXAMPLES),
        help="A built-in campaign, instead of files or beside them; may be repeated.",
    ),
)


def campaign_options(command: Command) -> Command:
    """Add the options; a command gets them as keywords."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def input_files(options: Mapping[str, Any]) -> tuple[str | None, ...]:
    """Return the files that the options name."""
    return (*options["runs"], options["qrels"], options["links"], *options["elements"])


def chosen_campaigns(options: Mapping[str, Any]) -> "list[Campaign]":
    """Return the campaigns that the options name, and say which topics are left out.

    Raises
    ------
    UsageError
        for options that contradict each other.
    InputError
        as `read_campaign`.
    """
    from prum.simulator.collections.campaign import read_campaign
    from prum.simulator.model.errors import printable

    runs, qrels, collection_size = options["runs"], options["qrels"], options["collection_size"]
    campaigns = _examples(options["examples"], options["navigation"])
    if not runs and not options["examples"]:
        raise click.UsageError("give --run, --qrels and --collection-size, or --example")
    if runs or qrels or options["links"] or options["elements"] or options["way"]:
        if not runs or qrels is None or collection_size is None:
            raise click.UsageError("--run, --qrels and --collection-size go together")
        campaigns.append(
            read_campaign(
                runs,
                qrels,
                options["links"],
                elements=options["elements"],
                way=options["way"],
                collection_size=collection_size,
                kind=options["navigation"],
                ideal_grade=options["ideal_grade"],
            )
        )
    for campaign in campaigns:
        if campaign.without_ideals:
            names = ", ".join(map(printable, campaign.without_ideals))
            click.echo(f"prum: left out, no ideal: {names}", err=True)
    return campaigns


def arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options as plain data, by the names that they have on the command line."""
    from prum.simulator.collections.files import readable

    names = {"runs": "run", "examples": "example"}
    plain: dict[str, Any] = {}
    for name, value in options.items():
        if name in ("runs", "elements"):
            value = [readable(path) for path in value]
        elif name in ("qrels", "links"):
            value = value and readable(value)
        plain[names.get(name, name)] = list(value) if isinstance(value, tuple) else value
    return plain


def _examples(names: tuple[str, ...], navigation: str | None) -> "list[Campaign]":
    from prum.simulator.collections.campaign import built_in_campaign, web_example

    made: dict[str, Callable[[], Campaign]] = {
        "web": web_example,
        "campaign": built_in_campaign,
        "walks": lambda: built_in_campaign("walk"),
    }
    campaigns = [made[name]() for name in dict.fromkeys(names)]
    if navigation is None:
        return campaigns
    return [campaign.browsed(navigation) for campaign in campaigns]
