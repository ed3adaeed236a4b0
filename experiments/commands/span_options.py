"""Options of chunks and the spans that are looked for in them."""

from typing import get_args

import click

from prum.experiments.commands.options import Command, input_file
from prum.experiments.studies.kit.span_help import (
    CHUNKS,
    NEED,
    OFFSETS,
    SPANS,
    TEXTS,
    Need,
    Offsets,
)


def span_options(command: Command) -> Command:
    """Add the options that name chunks and spans: chunks (several), spans, texts, offsets, need."""
    options = (
        click.option("--chunks", type=input_file, multiple=True, metavar="FILE", help=CHUNKS),
        click.option("--spans", type=input_file, metavar="FILE", help=SPANS),
        click.option("--texts", type=input_file, metavar="FOLDER", help=TEXTS),
        click.option("--offsets", type=click.Choice(get_args(Offsets)), help=OFFSETS),
        click.option("--need", type=click.Choice(get_args(Need)), help=NEED),
    )
    for option in reversed(options):
        command = option(command)
    return command
