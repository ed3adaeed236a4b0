"""The `prum generate` command."""

from typing import TYPE_CHECKING, Any

import click

from prum.experiments.commands.generator import Command, command, made, run_work
from prum.experiments.commands.long_work import WorkerOptions
from prum.experiments.commands.options import schema_option
from prum.experiments.frame.design import option
from prum.experiments.generate.presets import Preset, preset, preset_text

if TYPE_CHECKING:
    from prum.experiments.frame.result import Result
    from prum.experiments.frame.verb import Advance
    from prum.experiments.generate.files import Description
    from prum.experiments.generate.verification import Verified


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
        places = self.output is not None or self.seed is not None
        if self.verify is not None and places:
            raise click.UsageError("--verify goes without --output and --seed")
        if self.print and (self.preset is None or places):
            raise click.UsageError("--print goes with --preset alone")
        if self.specification is not None and self.output is None:
            raise click.UsageError(
                "say where it is to be made: --output FOLDER; presets are named as --preset NAME"
            )


def _generated(design: GenerateDesign, advance: "Advance") -> "Result":
    """Make a dataset, or make it again to compare it."""
    from prum.experiments.generate.specification import DatasetSpecification
    from prum.experiments.generate.verb import generate_dataset
    from prum.experiments.generate.verification import verify

    def progress(_: str, done: int, number: int) -> None:
        advance(done / number)

    if design.verify is not None:
        with design.chosen() as hands:
            return _verified(design.verify, verify(design.verify, workers=hands, progress=progress))
    folder = str(design.output or design.preset)
    source = preset(design.preset) if design.preset else str(design.specification)
    specification = DatasetSpecification.read(source)
    if design.seed is not None:
        specification = specification.seeded(design.seed)
    with design.chosen() as hands:
        dataset = generate_dataset(specification, folder, workers=hands, progress=progress)
    return _made(folder, dataset)


def _made(folder: str, dataset: "Description") -> "Result":
    from prum.experiments.frame.frames import FrameResult, frame_table
    from prum.experiments.frame.view import View

    systems, counts = dataset.systems, dataset.counts
    columns: dict[str, list[Any]] = {
        "system": [*systems],
        "strength": [system.strength for system in systems.values()],
    }
    forms = {"system": "<", "strength": ".4f"}
    if any(system.target is not None for system in systems.values()):
        columns["target"] = [system.target for system in systems.values()]
        forms["target"] = ".4f"
    names, is_uncertain = dict[str, str](), False
    for name in next(iter(systems.values())).scores:
        scores = [system.scores[name] for system in systems.values()]
        columns[name], forms[name] = [score.mean for score in scores], ".5f"
        if any(score.error for score in scores):
            error, is_uncertain = f"{name}_error", True
            columns[error], forms[error], names[error] = [x.error for x in scores], ".5f", "±"
    size = sum(file.bytes for file in dataset.files.values())
    headline = (
        f"{folder}: {counts.elements:,} elements, {counts.links:,} links, {counts.events:,} "
        f"events; {len(dataset.files) + 1:,} files, {size / 2**20:,.1f} MiB, seed {dataset.seed}."
    )
    label = f"True scores, means over {counts.topics:,} topics"
    tables = (frame_table(label, columns, forms, names=names),)
    notes = ("±: one standard error over simulated users; others are computed.",) * is_uncertain
    return FrameResult(
        kind="generate",
        frames={"systems": columns},
        shown=View(dataset.name, headline, (), tables, notes=notes),
    )


def _verified(folder: str, result: "Verified") -> "Result":
    from prum.experiments.frame.frames import FrameResult
    from prum.experiments.frame.view import View
    from prum.experiments.generate.verification import STATES

    states = {name: state for name, state in result.states.items() if state != "same"}
    verdict = f"{len(states):,} are not" if states else "all are the same, byte by byte"
    notes = [f"{name}: {state} ({STATES[state]})" for name, state in states.items()]
    headline = f"{folder}: {len(result.states):,} files, {verdict}"
    return FrameResult(
        kind="generate",
        frames={"files": {"file": [*states], "state": [*states.values()]}},
        shown=View(folder, headline, (), (), notes=(*notes, *result.notes)),
        status=0 if result.is_same else 1,
    )


GENERATE = Command("generate", GenerateDesign, _generated)


def _run(options: dict[str, Any]) -> None:
    """Print a preset, or do what else is asked."""
    if options["print"]:
        click.echo(preset_text(str(made(GenerateDesign, options).preset)), nl=False)
    else:
        run_work(GENERATE, options)


generate = command(
    GENERATE,
    _run,
    more=(schema_option("prum.experiments.generate.specification:DatasetSpecification"),),
)
