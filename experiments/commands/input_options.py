"""Options of what is read: the same for several commands."""

from collections.abc import Callable

import click

from prum.experiments.commands.options import Command, input_file, whole_number


def qrels_option(*, required: bool) -> Callable[[Command], Command]:
    """Return the option that names the judgements."""
    return click.option(
        "--qrels",
        type=input_file,
        required=required,
        metavar="FILE",
        help="Judgements: TREC qrels with grades or with assessments like E3S2, or INEX "
        "assessments.",
    )


COSTS_HELP = (
    "What elements cost: a file with a column element and a column for each unit, as tokens or "
    "seconds (CSV, JSONL, Parquet); or smucker-clarke, their times in seconds by lengths in words, "
    "of a column words or of --elements. May be repeated. --elements give the unit length."
)


def costs_option(command: Command) -> Command:
    """Add the option that says what elements cost."""
    return click.option(
        "--costs",
        type=input_file,
        multiple=True,
        metavar="FILE|smucker-clarke",
        help=COSTS_HELP,
    )(command)


def input_options(command: Command) -> Command:
    """Add the options that name links and elements, and say how users browse."""
    options = (
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
            help="The trees that elements stand in: element, parent, length, start in CSV, JSONL, "
            "Parquet; or XML, which may be repeated, each file a document.",
        ),
        click.option(
            "--way",
            metavar="WAY",
            help="How elements alone make links, structural by default; or how links make others. "
            "Listed by prum crosscheck --help.",
        ),
        click.option(
            "--navigation",
            metavar="KIND|FILE",
            help="What a link's probability means, as in prum crosscheck; independent by default. "
            "Or a file of prum fit in the place of links, as 'fitted.json + fading .9'.",
        ),
        click.option(
            "--collection-size",
            type=whole_number,
            metavar="N",
            help="Number of elements in the collection; by default those of --elements, else "
            "endless.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def judged_options(command: Command) -> Command:
    """Add the options of what is ideal, and how runs are called."""
    options = (
        click.option(
            "--ideal-grade",
            type=whole_number,
            metavar="N",
            default=1,
            show_default=True,
            help="Lowest grade of an ideal.",
        ),
        click.option(
            "--ideals",
            type=click.Choice(("strict", "best")),
            default="strict",
            show_default=True,
            help="Ideals of assessments: E3S3, or the best of each path.",
        ),
        click.option(
            "--names",
            type=click.Choice(("file", "tag")),
            default="file",
            show_default=True,
            help="Call runs by their files, or by their run tags.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command
