"""The `prum generate` command."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from prum.experiments.commands.generator import command_of, made
from prum.experiments.commands.long_work import (
    WorkerOptions,
    computed_or,
    interruptible,
    shown_bar,
)
from prum.experiments.commands.options import schema_option
from prum.experiments.frame.design import option
from prum.experiments.generate.presets import Preset, preset, preset_text

if TYPE_CHECKING:
    from pydantic import BaseModel

    from prum.experiments.generate.files import Description
    from prum.experiments.generate.verb import MakingProgress
    from prum.experiments.generate.verification import Verified
    from prum.experiments.sweeps.workers import Workers


def _specification() -> "type[BaseModel]":
    from prum.experiments.generate.specification import DatasetSpecification

    return DatasetSpecification


class GenerateDesign(WorkerOptions):
    """Make a test collection with known true scores.

    SPEC.TOML sets the dials, or a preset does; FOLDER gets TREC runs and qrels, elements and links,
    true scores, optionally a log of users, and dataset.json, which describes everything. The
    same specification gives the same bytes, with any number of workers.

    Exit status 0, 1 if a verified dataset is not the same, 2 for bad input, 70 if a worker failed.
    """

    specification: str | None = option(
        None, "The dials.", "[SPEC.TOML]", file="input", positional=True
    )
    preset: Preset | None = option(
        None,
        "A built-in specification, instead of SPEC.TOML: PRUM is right on small and pooled, "
        "wrong on walked and chunks.",
    )
    print: bool = option(
        False, "Print the preset's specification, to edit and to give as SPEC.TOML."
    )
    output: str | None = option(
        None, "Where to make it; a preset's name by default.", "FOLDER", short=("-o",)
    )
    seed: int | None = option(None, "Seed to use instead of the specification's.", "N")
    replace: bool = option(
        False, "Replace the dataset there, and all in its folder, once the new one is complete."
    )
    verify: str | None = option(
        None, "Make the dataset in FOLDER again, and compare every byte.", "FOLDER"
    )

    def check(self) -> None:
        """Raise UsageError for options that do not go together."""
        super().check()
        sources = (self.verify, self.specification, self.preset)
        if sum(given is not None for given in sources) != 1:
            raise click.UsageError(
                "name a SPEC.TOML, a --preset, or a dataset to --verify: one of them"
            )
        places = self.output is not None or self.replace or self.seed is not None
        if self.verify is not None and places:
            raise click.UsageError("--verify goes without --output, --seed and --replace")
        if self.print and (self.preset is None or places):
            raise click.UsageError("--print goes with --preset alone")
        if self.specification is not None and self.output is None:
            raise click.UsageError(
                "say where it is to be made: --output FOLDER; presets are named as --preset NAME"
            )


def _generated(options: dict[str, Any]) -> None:
    from prum.experiments.frame.files import deliver

    design = made(GenerateDesign, options)
    if design.print:
        text = preset_text(str(design.preset))
        deliver((), lambda: click.echo(text, nl=False))
    elif design.verify is not None:
        _verify(design, design.verify)
    else:
        _make(design, str(design.output or design.preset))


def _verify(design: GenerateDesign, folder: str) -> None:
    from prum.experiments.frame.files import deliver
    from prum.experiments.generate.verification import verify

    with _at_work(design) as (hands, advance):
        result = verify(folder, workers=hands, progress=advance)
    deliver((), lambda: _print_verified(folder, result))
    click.get_current_context().exit(0 if result.is_same else 1)


def _make(design: GenerateDesign, folder: str) -> None:
    from prum.experiments.frame.files import deliver
    from prum.experiments.generate.specification import DatasetSpecification
    from prum.experiments.generate.verb import generate_dataset

    source = preset(design.preset) if design.preset else str(design.specification)
    specification = DatasetSpecification.read(source)
    if design.seed is not None:
        specification = specification.seeded(design.seed)
    if design.replace and design.specification is not None:
        _check_kept(design.specification, folder)
    with _at_work(design) as (hands, advance):
        dataset = generate_dataset(
            specification, folder, workers=hands, replace=design.replace, progress=advance
        )
    deliver((), lambda: _print_made(folder, dataset))


@contextmanager
def _at_work(design: GenerateDesign) -> "Iterator[tuple[Workers, MakingProgress]]":
    """Give workers, and a function that shows what is being made, on a terminal."""
    parts = "{task.completed:,.0f} of {task.total:,.0f} parts"
    with (
        computed_or("not made"),
        interruptible(None),
        design.chosen() as hands,
        shown_bar("{task.description}", parts) as update,
    ):
        yield (
            hands,
            lambda what, done, number: update(description=what, completed=done, total=number),
        )


def _print_made(folder: str, made: "Description") -> None:
    from prum.experiments.commands.terminal_view import new_table, standard_output

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
    from prum.experiments.frame.files import holds
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


generate = command_of(
    "generate",
    GenerateDesign.__doc__,
    GenerateDesign,
    None,
    _generated,
    more=(schema_option(_specification),),
)
