"""The `prum study` commands."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from prum.experiments.campaign_options import (
    arguments,
    campaign_options,
    chosen_campaigns,
    input_files,
)
from prum.experiments.long_work import chosen_workers, interruptible
from prum.experiments.options import whole_number

if TYPE_CHECKING:
    from prum.experiments.studies.study import Advance, Study

Command = Callable[..., None]


@click.group()
def study() -> None:
    """Measure what PRUM's approximations and hypotheses cost.

    Numbers depend on the seed and the options alone. Exit status 0, or 2 for bad input.
    """


def _shared(draws: int, what: str) -> Callable[[Command], Command]:
    """Add the options of a study over random draws."""
    number = click.option(
        "--draws",
        type=whole_number,
        metavar="N",
        default=draws,
        show_default=True,
        help=f"Random {what}.",
    )
    return lambda command: number(_files(command))


def _files(command: Command) -> Command:
    """Add the options that every study has: the seed, and what to write."""
    options = (
        click.option(
            "--seed", type=whole_number, metavar="N", default=1, show_default=True,
            help="Which of them.",
        ),
        click.option("--json", "json_file", metavar="FILE", help="Write everything as JSON."),
        click.option("--csv", "csv_file", metavar="FILE", help="Write the rows as CSV."),
        click.option("--html", "html_file", metavar="FILE", help="Write a page."),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


@study.command()
@click.option(
    "--size",
    "sizes",
    type=whole_number,
    multiple=True,
    metavar="M",
    help="Number of ideals; repeatable. 2, 3, 5, 10, ..., 1000 by default.",
)
@click.option(
    "--power",
    type=float,
    default=1.0,
    show_default=True,
    help="Probabilities are uniform numbers to this power; above 1 most are small.",
)
@_shared(10_000, "sets of probabilities for each size")
def normal(sizes: tuple[int, ...], power: float, draws: int, seed: int, **files: Any) -> None:
    """The normal law beside the exact one.

    Both are laws of the number of ideals that a user has seen; two other laws stand beside them.

    Repeats appendix A.1 of Piwowarski, Gallinari and Dupret 2007, for more sizes and laws.
    """
    from prum.experiments.studies.normal import SIZES, study_normal
    from prum.experiments.studies.printing import print_normal

    def compute(progress: "Advance") -> "Study":
        return study_normal(
            draws=draws, seed=seed, sizes=sizes or SIZES, power=power, progress=progress
        )

    _run(compute, print_normal, **files)


@study.command("noisy-or")
@click.option(
    "--ideals",
    type=whole_number,
    multiple=True,
    metavar="T",
    help="Number of ideals; repeatable. 2, 5, 10, 20, 50 by default.",
)
@click.option(
    "--density",
    "densities",
    type=float,
    multiple=True,
    help="Share of pairs of rank and ideal with a link; repeatable. .05, .2, 1 by default.",
)
@click.option(
    "--strength",
    "strengths",
    type=float,
    multiple=True,
    help="Most probable a link can be; repeatable. .1, .3, 1 by default.",
)
@click.option(
    "--ranks",
    type=whole_number,
    metavar="O",
    default=50,
    show_default=True,
    help="Elements in the list.",
)
@click.option(
    "--listed",
    type=float,
    default=0.5,
    show_default=True,
    help="Share of the ideals that are in the list themselves.",
)
@click.option(
    "--unranked",
    type=whole_number,
    metavar="U",
    default=100,
    show_default=True,
    help="Elements outside the list.",
)
@_shared(1_000, "tasks for each number of ideals, density and strength")
def noisy_or(
    ideals: tuple[int, ...],
    densities: tuple[float, ...],
    strengths: tuple[float, ...],
    ranks: int,
    listed: float,
    unranked: int,
    draws: int,
    seed: int,
    **files: Any,
) -> None:
    """PRUM beside the exact precision.

    Under independent browsing they differ by Hypothesis 2.3 alone; this is what it costs.
    """
    from prum.experiments.studies.noisy_or import DENSITIES, IDEALS, STRENGTHS, study_noisy_or
    from prum.experiments.studies.printing import print_noisy_or

    def compute(progress: "Advance") -> "Study":
        return study_noisy_or(
            draws=draws,
            seed=seed,
            ideals=ideals or IDEALS,
            densities=densities or DENSITIES,
            strengths=strengths or STRENGTHS,
            ranks=ranks,
            listed=listed,
            unranked=unranked,
            progress=progress,
        )

    _run(compute, print_noisy_or, **files)


@study.command()
@campaign_options
@click.option(
    "--within",
    multiple=True,
    metavar="KIND",
    help="How visits from one element hang together: exclusive, comonotone, 'copula RHO', walk; "
    "repeatable. exclusive and comonotone by default, or as --navigation has it.",
)
@click.option(
    "--across",
    multiple=True,
    metavar="KIND",
    help="How users differ: 'beta A B', 'types SHARE:FACTOR ...', 'one-factor RHO'; repeatable. "
    "'beta 1 1' by default.",
)
@click.option(
    "--need",
    multiple=True,
    metavar="KIND",
    help="How much of the browsing who wants 1, 2, ... ideals does: 'need F ...'; repeatable. "
    "'need 0.5 0.75 1' by default.",
)
@click.option(
    "--users",
    type=whole_number,
    metavar="N",
    default=20_000,
    show_default=True,
    help="Simulated users per list, for ways of browsing without an exact value.",
)
@click.option(
    "--workers", type=whole_number, metavar="N", help="Processes; all processors by default."
)
@click.option("--store", metavar="FILE", help="Keep results, and go on with those kept (SQLite).")
@_files
def hypotheses(
    within: tuple[str, ...],
    across: tuple[str, ...],
    need: tuple[str, ...],
    users: int,
    seed: int,
    workers: int | None,
    store: str | None,
    json_file: str | None,
    csv_file: str | None,
    html_file: str | None,
    **files: Any,
) -> None:
    """Which assumption of PRUM costs what.

    On a campaign, the built-in one by default, or one's own files as in `prum crosscheck`, each
    hypothesis is broken on purpose, alone and with the others. PRUM's error is split by cause, in
    precision and in the ranking of systems.
    """
    from prum.experiments.studies.hypotheses import ACROSS, NEED, study_hypotheses
    from prum.experiments.studies.printing import print_hypotheses
    from prum.experiments.sweeps.store import Store

    if not (files["runs"] or files["examples"] or files["qrels"]):
        files["examples"] = ("campaign",)

    def compute(progress: "Advance") -> "Study":
        campaigns = chosen_campaigns(files)
        if len(campaigns) > 1:
            raise click.UsageError("one campaign at a time: files, or one --example")
        with chosen_workers(workers) as hands, Store(store) as opened:
            return study_hypotheses(
                campaigns[0],
                within=within,
                across=across or ACROSS,
                need=need or NEED,
                num_users=users,
                seed=seed,
                options={name: value for name, value in arguments(files).items() if value},
                store=opened,
                workers=hands,
                progress=progress,
            )

    _run(
        compute, print_hypotheses, json_file, csv_file, html_file,
        inputs=(*input_files(files), store), store=store,
    )  # fmt: skip


@study.command()
@_shared(300, "tasks that each search tries")
def properties(draws: int, seed: int, **files: Any) -> None:
    """Which measure has which property: Table IV, decided by evidence.

    Near misses, overlap, graded assessments and more, for eleven measures: lists compared, users
    simulated, counter-examples searched. Each verdict but "yes" comes with its counter-example.
    """
    from prum.experiments.studies.properties.printing import print_properties
    from prum.experiments.studies.properties.study import study_properties

    def compute(progress: "Advance") -> "Study":
        return study_properties(draws=draws, seed=seed, progress=progress)

    _run(compute, print_properties, **files)


@study.command()
@click.option(
    "--users",
    type=whole_number,
    metavar="N",
    default=1_000_000,
    show_default=True,
    help="Simulated users of each kind.",
)
@click.option(
    "--theta",
    type=float,
    default=0.5,
    show_default=True,
    help="Probability to stop, of RBP and ERR.",
)
@_files
def utility(users: int, theta: float, seed: int, **files: Any) -> None:
    """Measures as users who stop, beside simulated users.

    The fifteen measures of Carterette 2011, the same for users who browse, who differ, who compare
    documents, and who have different intents. Exit status 0, whatever the verdicts.
    """
    from prum.experiments.studies.utility.printing import print_utility
    from prum.experiments.studies.utility.study import study_utility

    def compute(progress: "Advance") -> "Study":
        return study_utility(users=users, theta=theta, seed=seed, progress=progress)

    _run(compute, print_utility, **files)


@study.command()
@click.option(
    "--sessions",
    metavar="FILE",
    help="Log of searches: session time Q query region url ..., or session time C url, between "
    "tabs, as NAVER's CLARA2.",
)
@click.option(
    "--totals",
    metavar="FILE",
    help="Clicks by rank: rank, clicks between tabs; then page1, page2, ..., later, if known.",
)
@click.option("--ranks", type=whole_number, metavar="N", help="Only the first N ranks count.")
@_shared(200, "halves of the totals to hold out")
def stops(
    sessions: str | None,
    totals: str | None,
    ranks: int | None,
    draws: int,
    seed: int,
    **files: Any,
) -> None:
    """Which stopping distribution fits where people click.

    RBP, DCG, RR and the Beta mixture of RBP, fitted to clicks by maximum likelihood and compared
    by clicks held out. Repeats section 4.1 of Carterette 2011.
    """
    from prum.experiments.studies.stops.printing import print_stops
    from prum.experiments.studies.stops.study import study_stops

    if sessions is None and totals is None:
        raise click.UsageError("give --sessions FILE, --totals FILE, or both")

    def compute(progress: "Advance") -> "Study":
        return study_stops(
            sessions=sessions,
            totals=totals,
            ranks=ranks,
            draws=draws,
            seed=seed,
            progress=progress,
        )

    _run(compute, print_stops, **files, inputs=(sessions, totals))


@study.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUNS...")
@click.option("--qrels", required=True, metavar="FILE", help="TREC qrels.")
@click.option("--deeper", metavar="FILE", help="Deeper judgements of the same topics, TREC qrels.")
@click.option(
    "--ideal-grade",
    type=whole_number,
    metavar="N",
    default=1,
    show_default=True,
    help="Lowest grade of a relevant element.",
)
@click.option(
    "--dial",
    "dials",
    type=float,
    multiple=True,
    help="Share of relevant elements that another assessor rejects; repeatable. .05, .1, .2, .4 by "
    "default.",
)
@click.option(
    "--trials",
    type=whole_number,
    metavar="N",
    default=100,
    show_default=True,
    help="Samples of topics for each size, and five times the assessors for each dial.",
)
@_files
def robustness(
    runs: tuple[str, ...],
    qrels: str,
    deeper: str | None,
    ideal_grade: int,
    dials: tuple[float, ...],
    trials: int,
    seed: int,
    **files: Any,
) -> None:
    """How firmly the fifteen measures rank systems.

    By fewer topics, shallower pools, deeper judgements, assessors who disagree: Kendall's tau with
    the ranking by everything, by measure, model and tail, and what it says of the hypotheses of
    Carterette 2011.
    """
    from prum.experiments.studies.robustness.printing import print_robustness
    from prum.experiments.studies.robustness.study import DIALS, study_robustness

    def compute(progress: "Advance") -> "Study":
        return study_robustness(
            runs,
            qrels,
            deeper=deeper,
            ideal_grade=ideal_grade,
            dials=dials or DIALS,
            trials=trials,
            seed=seed,
            progress=progress,
        )

    _run(compute, print_robustness, **files, inputs=(*runs, qrels, deeper))


def _run(
    compute: "Callable[[Advance], Study]",
    show: "Callable[[Study], None]",
    json_file: str | None,
    csv_file: str | None,
    html_file: str | None,
    *,
    inputs: Iterable[str | None] = (),
    store: str | None = None,
) -> None:
    """Compute a study, print it and write its files."""
    from prum.experiments.output import check_outputs, write_whole

    check_outputs((json_file, csv_file, html_file), tuple(inputs))
    if html_file is not None:
        # A page needs an extra: better to miss it now than after the work.
        from prum.experiments.report.page import check_installed

        check_installed()
    with interruptible(store), _progress_bar() as advance:
        result = compute(advance)
    # A reader of the table who goes away takes no file along.
    if json_file is not None:
        write_whole(json_file, result.to_json())
    if csv_file is not None:
        write_whole(csv_file, result.to_csv())
    if html_file is not None:
        from prum.experiments.studies.page import page

        write_whole(html_file, page(result))
    show(result)


@contextmanager
def _progress_bar() -> "Iterator[Advance]":
    """Give a function that shows the share that is done, on a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("", total=1.0)
        yield lambda share: bar.update(task, completed=share)
