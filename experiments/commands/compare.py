"""`prum compare`: which of some systems is better, by scores that are there already."""

from dataclasses import replace
from typing import Any

import click

from prum.experiments.commands.decision_options import decision_options
from prum.experiments.commands.options import in_order, input_file, typed
from prum.experiments.commands.shown_options import Showing, shown_options


@click.command()
@click.argument("files", type=input_file, nargs=-1, required=True, metavar="FILES...")
@click.option(
    "--measures", metavar="NAMES",
    help="Those to keep, with commas between; all by default.",
)  # fmt: skip
@decision_options
@click.option(
    "--missing",
    type=click.Choice(("refuse", "drop", "zero")),
    default="refuse",
    show_default=True,
    help="Where a system lacks a topic: leave it out for all, or count it as 0.",
)
@click.option(
    "--columns",
    metavar="KIND=NAME,...",
    help="Which column is what, where names do not say: system=run,topic=query.",
)
@shown_options
@click.pass_context
def compare(
    context: click.Context,
    /,
    files: tuple[str, ...],
    columns: str | None,
    measures: str | None,
    **asked: Any,
) -> None:
    """Decide which of some systems is better by their scores on topics.

    One measure decides, the first or --primary: all its comparisons hold together at --level, and
    others are described. Forms of scores, told by their content; files may be gzipped, and a folder
    stands for what is in it:

    \b
    tables              CSV, TSV, JSONL, Parquet: system, topic, measure, score (or run, qid,
                        metric, value, ...), as prum evaluate --csv writes them
    wide tables         topics by systems, or systems by topics, of the measure that names the file
    lines               of trec_eval -q or ir_measures -q; a file for each system, named by runid
                        or by the file
    prum evaluate       --json
    ranx                Run.scores as JSON, a file for each run
    MTEB                its folders of results: models are the systems, tasks the topics
    other JSON          system -> topic -> score
    """
    from prum.experiments.compare.verb import compare as compared
    from prum.experiments.views.files import deliver
    from prum.simulator.model.errors import printable

    where = Showing(**{name: asked.pop(name) for name in Showing.__slots__})
    where.check(context)
    result = compared(files, measures=measures or "", columns=_named(columns), **asked)
    arguments = {"files": list(files), "measures": measures, **asked, "columns": columns}
    result = replace(result, command=typed(context), arguments=in_order(context, arguments))
    for remark in result.remarks:
        click.echo(f"prum: {printable(remark)}", err=True)
    deliver(where.files(result), lambda: where.print(result))


def _named(columns: str | None) -> dict[str, str]:
    if not columns:
        return {}
    named = {}
    for part in columns.split(","):
        kind, sign, name = part.partition("=")
        if not sign:
            raise click.BadParameter(f"{part!r} is no KIND=NAME", param_hint="--columns")
        named[kind.strip()] = name.strip()
    return named
