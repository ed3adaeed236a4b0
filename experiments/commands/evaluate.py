"""`prum evaluate`: score runs by PRUM and the measures it is compared with."""

import sys
from dataclasses import replace
from typing import Any

import click

from prum.experiments.commands.decision_options import decision_options
from prum.experiments.commands.measure_help import MeasuresCommand, list_measures
from prum.experiments.commands.options import input_file, typed, whole_number
from prum.experiments.commands.shown_options import Showing, shown_options
from prum.experiments.evaluate.defaults import DEFAULT_MEASURES


@click.command(cls=MeasuresCommand)
@click.argument("runs", type=input_file, nargs=-1, required=True, metavar="RUNS...")
@click.option(
    "--qrels",
    type=input_file,
    required=True,
    metavar="FILE",
    help="Judgements: TREC qrels with grades or with assessments like E3S2, or INEX assessments.",
)
@click.option(
    "--links",
    type=input_file,
    metavar="FILE",
    help="source, target, probability (CSV, JSONL, Parquet).",
)
@click.option(
    "--elements",
    type=input_file,
    multiple=True,
    metavar="FILE",
    help="The trees that elements stand in: element, parent, length, start in CSV, JSONL, Parquet; "
    "or XML, which may be repeated, each file a document.",
)
@click.option(
    "--way",
    metavar="WAY",
    help="How elements alone make links, structural by default; or how links make others. Listed "
    "by prum crosscheck --help.",
)
@click.option(
    "--navigation",
    metavar="KIND",
    help="What a link's probability means, as in prum crosscheck; independent by default.",
)
@click.option(
    "--collection-size",
    type=whole_number,
    metavar="N",
    help="Number of elements in the collection; by default those of --elements, else endless.",
)
@click.option(
    "--measures",
    metavar="NAMES",
    help="With commas between, as xCG(alpha=0.5)@10, PRUM(navigation=walk)@r=2, PRUM@0.5; by "
    f"default {DEFAULT_MEASURES}, and PRUM with links or elements.",
)
@list_measures
@click.option(
    "--ideal-grade",
    type=whole_number,
    metavar="N",
    default=1,
    show_default=True,
    help="Lowest grade of an ideal.",
)
@click.option(
    "--ideals",
    type=click.Choice(("strict", "best")),
    default="strict",
    show_default=True,
    help="Ideals of assessments: E3S3, or the best of each path.",
)
@click.option(
    "--names",
    type=click.Choice(("file", "tag")),
    default="file",
    show_default=True,
    help="Call runs by their files, or by their run tags.",
)
@decision_options
@shown_options
@click.option("--trec", is_flag=True, help="Print lines like trec_eval's instead of tables.")
@click.pass_context
def evaluate(
    context: click.Context,
    /,
    runs: tuple[str, ...],
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
    """
    from prum.experiments.commands.long_work import interruptible, shown_bar
    from prum.experiments.evaluate.running import evaluate as evaluated
    from prum.experiments.report.files import deliver
    from prum.simulator.collections.run_files import run_files
    from prum.simulator.model.errors import printable

    run_paths = run_files(runs)
    where = Showing(**{name: options.pop(name) for name in Showing.__slots__})
    where.check((*map(str, run_paths), options["qrels"], options["links"], *options["elements"]))
    scored = "{task.completed:.0f}/{task.total}"
    with interruptible(None), shown_bar(after=scored, total=len(run_paths)) as update:
        result = evaluated(
            run_paths,
            measures=measures,
            progress=lambda done: update(done / len(run_paths), completed=done),
            **options,
        )
    # As they were typed.
    arguments = {"runs": list(runs), "measures": measures, **options}
    result = replace(result, command=typed(context), arguments=arguments)
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
