"""Learn from a log how people or machines browse: P(x -> y), with intervals.

LOG has a row for each visit: session, element, and optionally time, person and entry (CSV, TSV,
JSONL, Parquet; packed or not). The rows of a session follow each other. An element named < is a
back click. Logs of prum simulate and prum generate are read as they are, and so are those of agents
and of other simulators (SimEval-IR, ATIF, OpenTelemetry, BrowseComp-Plus, wikirace), of which there
may be several files, or folders of them.

What was learned goes to -o FILE.json, which --navigation of other commands takes. With --test it
is compared with another log that was held out. docs/howto/fitting.md shows it step by step.
"""

from collections.abc import Iterable
from dataclasses import field
from typing import TYPE_CHECKING, Annotated, Any

from prum.experiments.frame.design import Design, Option
from prum.experiments.frame.inputs import TOOLS
from prum.experiments.frame.verb import TableOutputs, Verb, writes

if TYPE_CHECKING:
    from prum.experiments.fitting.fit_result import FitResult


class FitDesign(Design):
    """Options of `fit`."""

    log: Annotated[
        Any,
        Option(
            "The log; of agents, folders or several files.",
            metavar="LOG...",
            file="input",
            positional=True,
            several=True,
            data="What `sessions_of` takes: a file with the columns session, element and "
            "optionally time, person and entry (docs/howto/fitting.md), a data frame, `Sessions`, "
            "or sequences of elements.",
        ),
    ] = field(kw_only=False)
    links: Annotated[
        Any,
        Option(
            "Links along which people may move: source, target (CSV, JSONL, Parquet).",
            file="input",
            data="Links along which people may move: a file with the columns source and target, "
            "`Links`, pairs or a mapping from pairs, or a data frame. Probabilities are ignored.",
        ),
    ] = field(kw_only=False)
    elements: Annotated[
        Any,
        Option(
            "Trees of elements, which give links features: distance, size, "
            "position, depth; as in prum evaluate.",
            file="input",
            several=True,
            data="Trees of elements, which give links features: files, a frame, or `Elements`.",
        ),
    ] = None
    features: Annotated[
        Any,
        Option(
            "Your own columns about elements (element, ...) or links (source, target, ...).",
            file="input",
            data="A file or data frame of columns about elements or links, or a `FeatureTable`; or "
            "`LinkFeatures`, which are taken as they are.",
        ),
    ] = None
    navigation: Annotated[
        str,
        Option(
            "What to learn: moves, stops and back clicks of a walk; independent visits from an "
            "entry; or N types of users who walk, as many as predict best by default.",
            metavar="walk|independent|types [N]",
        ),
    ] = "walk"
    base: Annotated[
        Any,
        Option(
            "The prior of links: uniform, clicked, features, targets, or "
            "features+targets, the default of walks; or a hypothesis, a file of links with "
            "probabilities.",
            metavar="NAME|FILE",
            file="input",
            data="The prior of links; by default the estimator's. Or a hypothesis of your own: a "
            "file or data frame of links with probabilities, or `Links`.",
        ),
    ] = None
    back: Annotated[
        Any,
        Option(
            "The element of the log that stands for a back click.",
            metavar="NAME",
            data="The element that stands for a back click; None if there are none.",
        ),
    ] = "<"
    tools: Annotated[Any, TOOLS] = None
    skip_strays: Annotated[
        bool,
        Option("Leave out moves along no link and elements without links; else they are an error."),
    ] = False
    test: Annotated[
        Any,
        Option(
            "A held-out log, to measure how well it is predicted.",
            metavar="LOG",
            file="input",
            data="A held-out log, to measure how well it is predicted.",
        ),
    ] = None
    seed: Annotated[int, Option("Seed of the random numbers.", metavar="N", always=True)] = 1


class FitOutputs(TableOutputs):
    """Where what was learned is written."""

    file: Annotated[
        str | None,
        Option(
            "Write what was learned, a JSON file that --navigation takes.",
            singular="output",
            short=("-o",),
            file="output",
        ),
    ] = None
    json: Annotated[str | None, writes("the report as JSON")] = None
    csv: Annotated[str | None, writes("every link's probability with its interval as CSV")] = None
    html: Annotated[str | None, writes("a page with tables and a figure")] = None

    def check_possible(self) -> None:
        """Raise InputError unless `--navigation` will know the file by its name."""
        from prum.simulator.collections.fitted_files import files_of
        from prum.simulator.model.errors import InputError

        file = self.file
        if file is not None and not file.startswith("/dev/") and files_of(file) != (file,):
            rule = "end with .json, by which --navigation knows it"
            raise InputError("--output", file, rule, remedy="name it fitted.json, say")
        super().check_possible()

    def after(self, result: "FitResult") -> Iterable[str]:
        """Return how to keep what was learned, if it is not kept."""
        yield from super().after(result)
        if self.file is None:
            yield "\nNothing was written: -o fitted.json keeps it for --navigation fitted.json."


FIT = Verb("fit", __doc__, FitDesign, "prum.experiments.fitting.verb:fit", FitOutputs)
