"""The `prum generate` command."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from prum.experiments.commands.long_work import chosen_workers, interruptible, shown_bar
from prum.experiments.commands.options import (
    Choices,
    input_file,
    schema_option,
    whole_number,
    workers_options,
)
from prum.experiments.generate.presets import PRESETS
from prum.experiments.sweeps.failures import NotComputed

if TYPE_CHECKING:
    from pydantic import BaseModel

    from prum.experiments.generate.description import Description
    from prum.experiments.generate.verb import MakingProgress
    from prum.experiments.generate.verification import Verified


def _specification() -> "type[BaseModel]":
    from prum.experiments.generate.specification import DatasetSpecification

    return DatasetSpecification


@click.command()
@click.argument("specification", type=input_file, metavar="[SPEC.TOML]", required=False)
@click.option(
    "--preset",
    type=Choices(PRESETS),
    help="A specification that prum brings, in place of SPEC.TOML: PRUM is right on small and "
    "pooled, wrong on walked and chunks.",
)
@click.option(
    "--print",
    "printed",
    is_flag=True,
    help="Print the preset's specification, to change and to give as SPEC.TOML.",
)
@click.option(
    "-o",
    "--output",
    "folder",
    metavar="FOLDER",
    help="Where it is to be made; a preset's name by default.",
)
@click.option(
    "--seed", type=whole_number, metavar="N", help="In place of the specification's seed."
)
@click.option(
    "--replace",
    is_flag=True,
    help="Replace the dataset that is there, and all in its folder, once the new one is whole.",
)
@click.option(
    "--verify", "verified", metavar="FOLDER", help="Make it again elsewhere, and compare each byte."
)
@schema_option(_specification)
@workers_options
@click.pass_context
def generate(
    context: click.Context,
    /,
    specification: str | None,
    preset: str | None,
    printed: bool,
    folder: str | None,
    seed: int | None,
    replace: bool,
    verified: str | None,
    **where: Any,
) -> None:
    """Make a test collection with known true scores.

    SPEC.TOML sets the dials, or a preset does; FOLDER gets TREC runs and qrels, elements and links,
    true scores, optionally a log of users, and dataset.json, which describes everything. The
    same specification gives the same bytes, with any workers.

    Exit status 0, 1 if a verified dataset is not the same, 2 for bad input, 70 if a worker failed.
    """
    from prum.experiments.generate.presets import preset as preset_dials
    from prum.experiments.generate.presets import preset_text
    from prum.experiments.generate.specification import DatasetSpecification
    from prum.experiments.generate.verb import generate_dataset
    from prum.experiments.generate.verification import verify
    from prum.experiments.sweeps.workers import JobError, WorkerLost
    from prum.experiments.views.files import deliver

    if sum(given is not None for given in (verified, specification, preset)) != 1:
        raise click.UsageError(
            "name a SPEC.TOML, a --preset, or a dataset to --verify: one of them"
        )
    if verified is not None and (folder is not None or replace or seed is not None):
        raise click.UsageError("--verify goes without --output, --seed and --replace")
    if printed:
        if preset is None or folder is not None or replace or seed is not None:
            raise click.UsageError("--print goes with --preset alone")
        deliver((), lambda: click.echo(preset_text(preset), nl=False))
        return
    if specification is not None and folder is None:
        raise click.UsageError(
            "say where it is to be made: --output FOLDER; presets are named as --preset NAME"
        )
    folder = folder or preset
    source = specification if preset is None else preset_dials(preset)
    wanted = None if source is None else DatasetSpecification.read(source)
    if wanted is not None and seed is not None:
        wanted = wanted.seeded(seed)
    if replace and specification is not None and folder is not None:
        _check_kept(specification, folder)
    try:
        with (
            interruptible(None),
            chosen_workers(**where) as hands,
            _progress_bar() as advance,
        ):
            if wanted is not None and folder is not None:
                made = generate_dataset(
                    wanted, folder, workers=hands, replace=replace, progress=advance
                )
            elif verified is not None:
                result = verify(verified, workers=hands, progress=advance)
    except JobError as error:
        raise NotComputed(f"not made: {error}") from None
    except WorkerLost as error:
        message = f"not made: {error}, again and again; more memory or fewer --workers may help"
        raise NotComputed(message) from None
    if verified is not None:
        deliver((), lambda: _print_verified(verified, result))
        context.exit(0 if result.is_same else 1)
    deliver((), lambda: _print_made(str(folder), made))


def _print_made(folder: str, made: "Description") -> None:
    from prum.experiments.commands.terminal import new_table, standard_output

    console = standard_output()
    systems = made.systems.values()
    names = list(next(iter(systems)).scores)
    aimed = any(system.target is not None for system in systems)
    uncertain = {name for name in names if any(system.scores[name].error for system in systems)}
    table = new_table(
        f"{made.name}: true scores, means over {made.counts.topics:,} topics",
        "system",
        "strength",
        *(("target",) if aimed else ()),
        *(column for name in names for column in ((name, "±") if name in uncertain else (name,))),
    )
    for system_name, system in made.systems.items():
        cells = [system_name, f"{system.strength:.4f}"]
        if aimed:
            cells.append("" if system.target is None else f"{system.target:.4f}")
        for name, score in system.scores.items():
            cells.append(f"{score.mean:.5f}")
            cells += [f"{score.error:.5f}"] if name in uncertain else []
        table.add_row(*cells)
    console.print(table)
    if uncertain:
        console.print("±: one standard error over simulated users; others are computed.")
    size = sum(file.bytes for file in made.files.values())
    counts = made.counts
    console.print(
        f"{folder}: {counts.elements:,} elements, {counts.links:,} links, {counts.events:,} "
        f"events; {len(made.files) + 1:,} files, {size / 2**20:,.1f} MiB, seed {made.seed}.",
        soft_wrap=True,
    )


def _check_kept(specification: str, folder: str) -> None:
    """Raise if a specification would be lost with the folder that is replaced."""
    from prum.experiments.views.files import holds
    from prum.simulator.model import InputError

    if holds(folder, os.path.realpath(specification)):
        rule, remedy = f"lie outside of {folder}, which is replaced", "move it, or name another"
        raise InputError("specification", specification, rule, remedy=remedy)


def _print_verified(folder: str, result: "Verified") -> None:
    from prum.experiments.generate.verification import STATES

    for name, state in result.states.items():
        if state != "same":
            print(f"{name}: {state} ({STATES[state]})")
    for note in result.notes:
        print(note)
    bad = sum(state != "same" for state in result.states.values())
    verdict = f"{bad:,} are not" if bad else "all are the same, byte by byte"
    print(f"{folder}: {len(result.states):,} files, {verdict}")


@contextmanager
def _progress_bar() -> "Iterator[MakingProgress]":
    """Give a function that shows what is being made, on a terminal."""
    parts = "{task.completed:,.0f} of {task.total:,.0f} parts"
    with shown_bar("{task.description}", parts) as update:
        yield lambda what, done, number: update(description=what, completed=done, total=number)
