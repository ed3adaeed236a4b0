"""`prum fit`: from a log of people, or machines, to how they browse, and how sure that is."""

from dataclasses import replace
from typing import Any

import click

from prum.experiments.commands.options import (
    check_files,
    file_option,
    input_file,
    named_file,
    typed,
    whole_number,
)


@click.command()
@click.argument("log", type=input_file, metavar="LOG")
@click.option(
    "--links", type=input_file, required=True, metavar="FILE",
    help="Along which people may move: source, target (CSV, JSONL, Parquet); others are not read.",
)  # fmt: skip
@click.option(
    "--elements", type=input_file, multiple=True, metavar="FILE",
    help="The trees that elements stand in, which give links features: distance, size, position, "
    "depth; as in prum evaluate.",
)  # fmt: skip
@click.option(
    "--features", type=input_file, metavar="FILE",
    help="Columns of one's own about elements (element, ...) or links (source, target, ...).",
)  # fmt: skip
@click.option(
    "--navigation", metavar="walk|independent|types [N]", default="walk", show_default=True,
    help="What to learn: moves, stops and back clicks of a walk; independent visits from an "
    "entry; or N types of users who walk, as many as predict best by default.",
)  # fmt: skip
@click.option(
    "--order", type=whole_number, metavar="1|2", default=1, show_default=True,
    help="Of a walk: with 2 a move depends on the element before, too.",
)  # fmt: skip
@click.option(
    "--base", type=named_file, metavar="NAME|FILE",
    help="What is believed of links beforehand: uniform, clicked, features, targets, or "
    "features+targets, the default of walks; or a hypothesis, a file of links with probabilities.",
)  # fmt: skip
@click.option(
    "--back", metavar="NAME", default="<", show_default=True,
    help="The element of the log that stands for a back click.",
)  # fmt: skip
@click.option(
    "--skip-strays", is_flag=True,
    help="Leave out moves along no link, and unknown elements, rather than refuse them.",
)  # fmt: skip
@click.option(
    "--test", type=input_file, metavar="LOG",
    help="Another log, held out: say how well it is predicted.",
)  # fmt: skip
@click.option(
    "--seed", type=whole_number, metavar="N", default=1, show_default=True,
    help="Of what is drawn.",
)  # fmt: skip
@click.option(
    "-o", "--output", "fitted_file", metavar="FILE",
    help="Write what was learned, a JSON file that --navigation takes.",
)  # fmt: skip
@file_option("json", "the report as JSON")
@file_option("csv", "every link's probability with its interval as CSV")
@file_option("html", "a page with the tables")
@click.pass_context
def fit(
    context: click.Context,
    /,
    log: str,
    links: str,
    elements: tuple[str, ...],
    features: str | None,
    test: str | None,
    fitted_file: str | None,
    json_file: str | None,
    csv_file: str | None,
    html_file: str | None,
    **options: Any,
) -> None:
    """Learn from a log how people, or machines, browse: P(x -> y), and how sure it is.

    LOG has a row for each visit: session, element, and at will time, person and entry (CSV, TSV,
    JSONL, Parquet; packed or not). The rows of a session follow each other. An element named < is a
    back click. Logs of prum simulate and prum generate are read as they are.

    What was learned goes to -o FILE.json, which stands in the place of a navigation wherever there
    is --navigation: prum evaluate ... --navigation FILE.json. With --test it is said how well a log
    that was held out is predicted, beside all links alike: in nats a step, by calibration, and by
    person where the log names people. docs/howto/fitting.md shows it step by step.
    """
    from prum.experiments.commands.long_work import interruptible
    from prum.experiments.commands.terminal_view import print_view
    from prum.experiments.fitting.verb import fit as fitted
    from prum.experiments.views.files import deliver

    check_files(context)
    _check_name(fitted_file)
    if html_file is not None:
        # A page needs an extra: better to miss it now than after the work.
        from prum.experiments.views.html import check_installed

        check_installed(is_drawn=False)
    with interruptible(None):
        result = fitted(
            log, links, elements=elements or None, features=features, test=test, **options
        )
    result = replace(result, command=typed(context))

    def show() -> None:
        print_view(result.view())
        if fitted_file is None:
            print("\nNothing was written: -o fitted.json keeps it for --navigation fitted.json.")

    deliver(
        [
            (fitted_file, result.to_file), (json_file, result.to_json),
            (csv_file, result.to_csv), (html_file, result.to_html),
        ],
        show,
    )  # fmt: skip


def _check_name(file: str | None) -> None:
    """Raise unless `--navigation` will know the file by its name."""
    from prum.simulator.collections.fitted_files import files_of
    from prum.simulator.model import InputError

    if file is not None and not file.startswith("/dev/") and files_of(file) != (file,):
        rule = "end with .json, by which --navigation knows it"
        raise InputError("--output", file, rule, remedy="name it fitted.json, say")
