"""`prum evaluate`: score runs by PRUM and the measures it is compared with."""

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from prum.experiments.commands.options import file_option, input_file, typed, whole_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from prum.experiments.evaluate.evaluation import Evaluation
    from prum.experiments.evaluate.judged import Taken
    from prum.experiments.evaluate.oddities import Oddities
    from prum.simulator.collections.link_use import LinkUse

_DEFAULT = "PRUM,RP,AP,P@10,nDCG@10"
_MOST_PAIRED = 12


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
    default=_DEFAULT,
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
@click.option("--baseline", metavar="RUN", help="Compare every run with this one.")
@click.option(
    "--paired/--no-paired",
    default=None,
    help=f"Compare all pairs of runs; by default with up to {_MOST_PAIRED} runs, or a baseline.",
)
@file_option("json", "everything as JSON")
@file_option("csv", "all scores as CSV")
@click.option("--trec", is_flag=True, help="Print lines like trec_eval's instead of tables.")
@click.pass_context
def evaluate(
    context: click.Context,
    /,
    runs: tuple[str, ...],
    baseline: str | None,
    paired: bool | None,
    measures: str,
    json_file: str | None,
    csv_file: str | None,
    trec: bool,
    **files: Any,
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
    from prum.experiments.commands.evaluation_tables import print_evaluation, trec_lines
    from prum.experiments.commands.long_work import interruptible, shown_bar
    from prum.experiments.evaluate.comparisons import compare_systems
    from prum.experiments.evaluate.evaluation import evaluate as evaluated
    from prum.experiments.evaluate.measure import measure_of
    from prum.experiments.evaluate.names import names_of
    from prum.experiments.evaluate.oddities import Oddities, counting, oddity_lines
    from prum.experiments.evaluate.reading import read_judged, read_lists
    from prum.experiments.report.files import check_outputs, deliver
    from prum.simulator.collections.link_use import LinkWatch
    from prum.simulator.model.errors import printable

    inputs = (*runs, files["qrels"], files["links"], *files["elements"])
    check_outputs((json_file, csv_file), inputs)
    chosen = [measure_of(name) for name in names_of(measures)]
    with interruptible(None):
        judged, without = read_judged(
            files["qrels"],
            elements=files["elements"],
            links=files["links"],
            way=files["way"],
            kind=files["navigation"],
            collection_size=files["collection_size"],
            ideal_grade=files["ideal_grade"],
            ideals=files["ideals"],
        )
        wanted = {measure.takes for measure in chosen}
        takes: Taken = next((one for one in ("scores", "ties") if one in wanted), "ranking")
        counted = list[Oddities]()
        watch = LinkWatch(
            judged[0].collection.linked.links, {one.topic: one.ideals for one in judged}
        )
        scored = "{task.completed:.0f}/{task.total}"
        with shown_bar(after=scored, total=len(runs)) as update:
            lists = counting(read_lists(runs, judged, takes=takes), judged, counted)
            result = evaluated(
                watch.through(lists), judged, chosen, progress=lambda done: update(completed=done)
            )
    links = watch.use if files["links"] is None else watch.checked(files["links"])
    comparisons = None
    if paired or (paired is None and (baseline or 1 < len(runs) <= _MOST_PAIRED)):
        comparisons = compare_systems(result, baseline=baseline)
    if without:
        click.echo(f"prum: left out, no ideal: {', '.join(map(printable, without))}", err=True)
    for line in oddity_lines(counted, len(judged)):
        click.echo(f"prum: {printable(line)}", err=True)
    arguments = {"runs": list(runs), "measures": measures, "baseline": baseline, **files}
    command = typed(context)

    def show() -> None:
        if trec:
            for line in trec_lines(result):
                # A program gets ids as they are.
                fields = map(printable, line.split("\t")) if sys.stdout.isatty() else [line]
                print("\t".join(fields))
        else:
            print_evaluation(result, comparisons)
            if links.num_links:
                print(links)

    deliver(
        [
            (
                json_file,
                lambda: _json(result, comparisons, without, counted, links, command, arguments),
            ),
            (csv_file, lambda: result.frame().to_csv(index=False)),
        ],
        show,
    )


def _json(
    result: "Evaluation",
    comparisons: "pd.DataFrame | None",
    without: "Sequence[str]",
    counted: "Sequence[Oddities]",
    links: "LinkUse",
    command: str,
    arguments: dict[str, Any],
) -> str:
    """Return everything as JSON, NaN as null."""
    import importlib.metadata
    import json

    from prum.experiments.commands.evaluation_tables import notes
    from prum.experiments.evaluate.comparisons import PROCEDURE

    def plain(value: float) -> float | None:
        return None if value != value else float(value)

    means = []
    for number, measure in enumerate(result.measures):
        for place, system in enumerate(result.systems):
            mean, low, high, topics = result.mean(place, number)
            means.append(
                {
                    "measure": str(measure),
                    "system": system,
                    "mean": plain(mean),
                    "low": plain(low),
                    "high": plain(high),
                    "topics": topics,
                }
            )
    content = {
        "version": importlib.metadata.version("prum"),
        "command": command,
        "arguments": {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in arguments.items()
        },
        "topics": list(result.topics),
        "without_ideals": list(without),
        "lists": [asdict(run) for run in counted],
        "notes": notes(result.measures),
        "links": asdict(links),
        "confidence": 0.95,
        "means": means,
        "scores": {
            str(measure): {
                system: [plain(score) for score in result.scores[place, :, number]]
                for place, system in enumerate(result.systems)
            }
            for number, measure in enumerate(result.measures)
        },
        "procedure": None if comparisons is None else PROCEDURE,
        "family": None if comparisons is None else int(comparisons["p"].count()),
        "comparisons": None
        if comparisons is None
        else [
            {key: plain(cell) if isinstance(cell, float) else cell for key, cell in row.items()}
            for row in comparisons.to_dict(orient="records")
        ],
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
