"""`prum evaluate`: score runs by PRUM and the measures it is compared with."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import click

from prum.experiments.commands.decision_options import decision_options
from prum.experiments.commands.input_options import (
    costs_option,
    input_options,
    judged_options,
    qrels_option,
)
from prum.experiments.commands.measure_help import MeasuresCommand, list_measures
from prum.experiments.commands.options import in_order, input_file, typed
from prum.experiments.commands.shown_options import Showing, shown_options
from prum.experiments.commands.span_options import span_options
from prum.experiments.evaluate.defaults import DEFAULT_MEASURES, SPAN_MEASURES

# What an example brings along.
_FILES = (
    "qrels", "links", "elements", "way", "navigation", "collection_size", "chunks", "spans",
    "texts", "offsets", "need",
)  # fmt: skip


@click.command(cls=MeasuresCommand)
@click.argument("runs", type=input_file, nargs=-1, metavar="RUNS...")
@click.option(
    "--example",
    metavar="NAME",
    help="A built-in campaign, instead of files; it has its own judgements, links and elements. "
    "Listed by prum crosscheck --help.",
)
@qrels_option(required=False)
@input_options
@costs_option
@span_options
@click.option(
    "--measures",
    metavar="NAMES",
    help="With commas between, as xCG(alpha=0.5)@10, PRUM(navigation=walk)@r=2, PRUM@0.5; by "
    f"default {DEFAULT_MEASURES.replace(',', ', ')}, and PRUM with links or elements; of spans "
    f"{SPAN_MEASURES.replace(',', ', ')}.",
)
@list_measures
@judged_options
@decision_options
@shown_options
@click.option("--trec", is_flag=True, help="Print lines like trec_eval's instead of tables.")
@click.pass_context
def evaluate(
    context: click.Context,
    /,
    runs: tuple[str, ...],
    example: str | None,
    measures: str | None,
    trec: bool,
    **options: Any,
) -> None:
    """Score runs by PRUM and the measures it is compared with.

    Runs are TREC files (ordered by score, ties by descending element id, as trec_eval) or INEX
    submissions; a folder stands for the files in it. A run is called by its file, by its run tag
    if two files have one name, by its path if they have one tag. A topic that a run lacks is an
    empty list; topics without ideals are named and left out; all others count alike in the mean.
    Files may be compressed (gzip, xz, bzip2); one may be standard input, named -, and then called
    by its run tag.

    Measures are called as trec_eval, ir_measures, ranx, gdeval and cwl_eval call them, in any case
    (map, ndcg_cut_10, RBP(p=0.8), P(rel=2)@5, ndcg_burges@10); where these differ, a name with @ is
    ir_measures': nDCG@20 has linear gains, gdeval's is nDCG(dcg=exp-log2)@20. RR is the reciprocal
    rank, SumRR the sum of rel_k / k (Carterette's RR).

    Those of recall are averaged over recall values (GRP, GRPng: over 100 levels), or read at a
    level @0.5 or a recall value @r=2; @1 is full recall where there are no ranks, and rank 1 of
    AP. Those of browsing take navigation=KIND, those of graded
    relevance quantisation=generalised or strict; GR and EPRUM weigh ideals only if it is given.

    With --chunks and --spans in the place of --qrels, runs rank chunks of documents, and what they
    are worth is said by the characters of gold spans that they cover, each counted once, whatever
    chunks overlap. A file of chunks is of all runs; or there is one for each run, in their order.
    """
    from prum.experiments.commands.long_work import interruptible, shown_bar
    from prum.experiments.evaluate.verb import evaluate as evaluated
    from prum.experiments.measures.measure import measures_of
    from prum.experiments.views.files import deliver
    from prum.simulator.collections.run_files import run_files
    from prum.simulator.model.errors import printable

    _check_given(runs, example, options)
    run_paths = run_files(runs)
    where = Showing(**{name: options.pop(name) for name in Showing.__slots__})
    named = [] if measures is None else measures_of(measures)
    where.check(context, *(file for measure in named for file in measure.files))
    scored = "{task.completed:.0f}/{task.total}"
    given: dict[str, Any] = {"runs": run_paths}
    if example is not None:
        from prum.experiments.evaluate.example import given_example

        given = given_example(example)
    with interruptible(None), shown_bar(after=scored, total=len(given["runs"])) as update:
        result = evaluated(
            measures=measures,
            progress=lambda done: update(done / len(given["runs"]), completed=done),
            **{**options, **given},
        )
    # As they were typed.
    built_in = {} if example is None else {"example": example}
    arguments = {"runs": list(runs), **built_in, "measures": measures, **options}
    result = replace(result, command=typed(context), arguments=in_order(context, arguments))
    for remark in result.remarks:
        click.echo(f"prum: {printable(remark)}", err=True)

    def show() -> None:
        if not trec:
            where.print(result)
            return
        for line in result.scores.trec_lines():
            # A program gets ids as they are.
            fields = map(printable, line.split("\t")) if sys.stdout.isatty() else [line]
            print("\t".join(fields))

    deliver(where.files(result), show)


def _check_given(runs: Sequence[str], example: str | None, options: Mapping[str, Any]) -> None:
    """Raise if there are neither files nor an example, or both."""
    if example is None:
        by_spans = options["chunks"] or options["spans"]
        if not (runs and (options["qrels"] or by_spans)):
            raise click.UsageError("give RUNS and --qrels, or --chunks and --spans, or --example")
        return
    if runs or any(options[name] for name in _FILES):
        raise click.UsageError("--example goes without files, --navigation and --collection-size")
