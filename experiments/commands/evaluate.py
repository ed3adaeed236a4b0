"""`prum evaluate`: its verb, of files or of an example."""

from typing import Any

import click

from prum.experiments.commands.generator import command, run_work
from prum.experiments.evaluate.verb import EVALUATE
from prum.experiments.frame.inputs import LinkOptions, SpanOptions

# What an example brings along.
_FILES = [each.name for options in (LinkOptions, SpanOptions) for each in options.fields()]


def _checked(options: dict[str, Any]) -> None:
    """Raise if there are neither files nor an example, or both; else evaluate."""
    runs, example = options["runs"], options["example"]
    by_spans = options["chunks"] or options["spans"]
    if example is None and not (runs and (options["qrels"] or options["judgements"] or by_spans)):
        raise click.UsageError("give RUNS and --qrels, or --chunks and --spans, or --example")
    if example is not None and any(
        options[name] for name in ("runs", "qrels", "judgements", *_FILES)
    ):
        raise click.UsageError("--example goes without files, --navigation and --collection-size")
    run_work(EVALUATE, options)


evaluate = command(EVALUATE, _checked)
