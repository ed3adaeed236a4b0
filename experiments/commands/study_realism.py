"""The `prum study realism` command."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from prum.experiments.commands.options import whole_number
from prum.experiments.commands.study_running import common_options, run_study

if TYPE_CHECKING:
    from prum.experiments.studies.realism.fitting import Fitted
    from prum.experiments.studies.study import Advance, WrittenStudy


@click.command()
@click.argument("a")
@click.argument("b")
@click.option(
    "--fit",
    "fit_file",
    metavar="FILE",
    help="Fit the dials of B, a specification, to A, and write it.",
)
@click.option(
    "--permutations",
    type=whole_number,
    metavar="N",
    default=999,
    show_default=True,
    help="Permutations for p-values; 0 for none.",
)
@click.option(
    "--budget",
    type=whole_number,
    metavar="N",
    default=60,
    show_default=True,
    help="Collections that the search for dials makes.",
)
@click.option(
    "--size",
    type=whole_number,
    metavar="N",
    default=5_000,
    show_default=True,
    help="Elements of each of them.",
)
@common_options
def realism(
    a: str,
    b: str,
    fit_file: str | None,
    permutations: int,
    budget: int,
    size: int,
    seed: int,
    **files: Any,
) -> None:
    """Are made data like real data? Compares A with B, statistic by statistic.

    \b
    A and B are each
      a folder of prum generate;
      a specification of prum generate, which is made then; or
      a TOML file that names files, those there are:
        links      with probabilities or without
        elements   [a table] or [XML files]
        runs       TREC runs, or a pattern like "runs/*"
        qrels      and ideal_grade, 1 by default
        log        of prum simulate or prum generate
        clicks     instead: log of searches, as NAVER's CLARA2
        paths      what people walked, a path a line

    Degrees of pages, shapes of trees, topics and lists, and what people did: distances of what
    both have (Kolmogorov and Smirnov's, Wasserstein's), with p-values by permutation of documents,
    topics or people.
    """
    from prum.experiments.commands.study_realism_tables import print_realism
    from prum.experiments.studies.realism.sources import files_of, is_specification
    from prum.experiments.studies.realism.specifications import toml_text
    from prum.experiments.studies.realism.study import study_realism
    from prum.simulator.model import InputError

    fitted: Fitted | None = None

    def compute(progress: "Advance") -> "WrittenStudy":
        nonlocal fitted
        study, fitted = study_realism(
            a,
            b,
            fit_to=fit_file,
            permutations=permutations,
            budget=budget,
            size=size,
            seed=seed,
            progress=progress,
        )
        return study

    def specification(study: "WrittenStudy") -> str:
        head, dials = " ".join(study.command.split()), cast("Fitted", fitted).specification
        return f"# {head}\n\n{toml_text(dials)}"

    for side in (a, b):
        if Path(side).exists() and not (Path(side).is_file() or Path(side).is_dir()):
            raise InputError(
                "side of a comparison", side, "be a folder or a file, which is read more than once",
                remedy="write what the pipe gives to a file",
            )  # fmt: skip
    inputs = [
        a, b, *(str(file) for side in (a, b) if not is_specification(side)
                for file in files_of(side).all())
    ]  # fmt: skip
    more = {} if fit_file is None else {fit_file: specification}
    run_study(compute, print_realism, **files, inputs=inputs, more=more)
