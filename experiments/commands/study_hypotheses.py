"""The `prum study hypotheses` command."""

from typing import TYPE_CHECKING, Any

import click

from prum.experiments.commands.campaign_options import (
    arguments,
    campaign_options,
    chosen_campaigns,
    input_files,
)
from prum.experiments.commands.long_work import chosen_workers
from prum.experiments.commands.options import whole_number
from prum.experiments.commands.study_running import common_options, run_study

if TYPE_CHECKING:
    from prum.experiments.studies.study import Advance, WrittenStudy


@click.command()
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
@click.option(
    "--store",
    metavar="FILE",
    help="Keep results there, and go on with those kept (SQLite); hypotheses-USERS.sqlite by "
    "default.",
)
@common_options
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
    precision and in the ranking of systems. If it is cut off, the same command goes on.
    """
    from prum.experiments.commands.study_hypotheses_tables import print_hypotheses
    from prum.experiments.studies.hypotheses.study import ACROSS, NEED, study_hypotheses

    if not (files["runs"] or files["examples"] or files["qrels"]):
        files["examples"] = ("campaign",)

    # Results of more users would be other numbers.
    place = store or f"hypotheses-{users}.sqlite"

    def compute(progress: "Advance") -> "WrittenStudy":
        campaigns = chosen_campaigns(files)
        if len(campaigns) > 1:
            raise click.UsageError("one campaign at a time: files, or one --example")
        with chosen_workers(workers) as hands:
            return study_hypotheses(
                campaigns[0],
                within=within,
                across=across or ACROSS,
                need=need or NEED,
                num_users=users,
                seed=seed,
                options={name: value for name, value in arguments(files).items() if value},
                store=place,
                workers=hands,
                progress=progress,
            )

    def show(study: "WrittenStudy") -> None:
        print_hypotheses(study)
        click.echo(f"Values are kept in {place}: the same command again computes none of them.")

    run_study(
        compute, show, json_file, csv_file, html_file,
        inputs=(*input_files(files), place), store=place,
    )  # fmt: skip
