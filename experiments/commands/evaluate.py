"""`prum evaluate`: score runs by PRUM and the measures it is compared with."""

import sys
from dataclasses import replace
from typing import Any

import click

from prum.experiments.commands.decision_options import decision_options
from prum.experiments.commands.options import input_file, typed, whole_number
from prum.experiments.commands.shown_options import Showing, shown_options
from prum.experiments.evaluate.defaults import DEFAULT_MEASURES


@click.command()
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
    help="How elements make links, structural by default; or how links make others. Listed by "
    "prum crosscheck --help.",
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
    help="Number of elements in the collection; by default those of --elements.",
)
@click.option(
    "--measures",
    default=DEFAULT_MEASURES,
    show_default=True,
    metavar="NAMES",
    help="With commas between, as xCG(alpha=0.5)@10, PRUM(navigation=walk)@r=2, PRUM@0.5.",
)
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
@decision_options
@shown_options
@click.option("--trec", is_flag=True, help="Print lines like trec_eval's instead of tables.")
@click.pass_context
def evaluate(
    context: click.Context,
    /,
    runs: tuple[str, ...],
    measures: str,
    trec: bool,
    **options: Any,
) -> None:
    """Score runs by PRUM and the measures it is compared with.

    Runs are TREC files (ordered by score, ties by descending element id, as trec_eval) or INEX
    submissions; a run is called by its file, or by its path if two files have one name. A topic
    that a run lacks is an empty list; topics without ideals are named and left out; all others
    count alike in the mean. Files may be gzipped; one may be standard input, named -.

    \b
    AP, P@10, nDCG, nDCG@10         as trec_eval has them; AP also @0.5 (level), @r=2
    RP                              Raghavan's precision with what is not retrieved; tied=true
    GRP, GRPng                      generalised recall-precision; GRPng needs assessments, elements
    xCG@10, nxCG@10                 cumulated gain, alpha=1
    T2I(words=30)                   tolerance to irrelevance; needs elements
    GR@10                           generalised recall
    PRUM, ExactPRUM                 as published, and what it approximates; counts=normal
    GradedPRUM                      of users with thresholds on graded relevance
    EPRUM                           least effort over this list's, of users=10000 of seed=1
    Overlap@10                      share of retrieved elements that are nested; needs elements
    RBP RBTR RBAP CDG DCG DAG RRG RR RAP ERR EPR ARR RRR RRAP, @10
                                    of users who stop (Carterette 2011); theta=.5 or by grade
                                    (theta=exponential), base=2,
                                    gain=linear or exponential, highest=4 for another highest grade
                                    than the judgements', normalised=true, residual=true,
                                    navigation=KIND if they browse, too. RR is the sum of rel_k / k,
                                    not the reciprocal rank
    ADM                             average distance of scores and relevance; calibration=rank or
                                    min-max for scores outside [0, 1], deviation=true

    Those of recall are averaged over recall values (GRP, GRPng: over 100 levels), or read at a
    level @0.5 or a recall value @r=2. Those of browsing take navigation=KIND, those of graded
    relevance quantisation=generalised or strict; GR and EPRUM weigh ideals only if it is given.
    """
    from prum.experiments.commands.long_work import interruptible, shown_bar
    from prum.experiments.evaluate.running import evaluate as evaluated
    from prum.experiments.report.files import deliver
    from prum.simulator.model.errors import printable

    where = Showing(**{name: options.pop(name) for name in Showing.__slots__})
    where.check((*runs, options["qrels"], options["links"], *options["elements"]))
    scored = "{task.completed:.0f}/{task.total}"
    with interruptible(None), shown_bar(after=scored, total=len(runs)) as update:
        result = evaluated(
            runs,
            measures=measures,
            progress=lambda done: update(completed=done),
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
