"""Learn from a log how people or machines browse: P(x -> y), with intervals.

LOG has a row for each visit: session, element, and optionally time, person and entry (CSV, TSV,
JSONL, Parquet; packed or not). The rows of a session follow each other. An element named < is a
back click. Logs of prum simulate and prum generate are read as they are, and so are those of agents
and of other simulators (SimEval-IR, ATIF, spans of OpenTelemetry, Phoenix and Langfuse,
BrowseComp-Plus, wikirace, tables of steps), of which there may be several files, or folders.

What was learned goes to -o FILE.json, which --navigation of other commands takes. With --test it
is compared with another log that was held out. docs/howto/fitting.md shows it step by step.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

from prum.experiments.frame.design import Design, option
from prum.experiments.frame.inputs import TOOLS
from prum.experiments.frame.verb import Verb, table_outputs

if TYPE_CHECKING:
    from prum.experiments.fitting.fit_result import FitResult


class FitDesign(Design):
    """Options of `fit`."""

    log: Any = option(
        ...,
        "The log; of agents, folders or several files.",
        "LOG...",
        file="input",
        positional=True,
        several=True,
        data="What `read_sessions` takes: a file with the columns session, element and "
        "optionally time, person and entry (docs/howto/fitting.md), a data frame, `Sessions`, "
        "or sequences of elements.",
    )
    links: Any = option(
        ...,
        "Links along which people may move: source, target (CSV, JSONL, Parquet).",
        file="input",
        data="Links along which people may move: a file with the columns source and target, "
        "`Links`, pairs or a mapping from pairs, or a data frame. Probabilities are ignored.",
    )
    elements: Any = option(
        None,
        "Trees of elements, which give links features: distance, size, "
        "position, depth; as in prum evaluate.",
        file="input",
        several=True,
        data="Trees of elements, which give links features: files, a frame, or `Elements`.",
    )
    navigation: str = option(
        "walk",
        "What to learn: moves, stops and back clicks of a walk; independent visits from an "
        "entry; or N types of users who walk, as many as predict best by default.",
        "walk|independent|types [N]",
    )
    base: str | None = option(
        None,
        "The prior of links: uniform, features, targets, or features+targets, the default of "
        "walks; for independent visits also shares, which is none.",
        "NAME",
    )
    back: Any = option(
        "<",
        "The element of the log that stands for a back click.",
        "NAME",
        data="The element that stands for a back click; None if there are none.",
    )
    tools: Annotated[Any, TOOLS] = None
    skip_strays: bool = option(
        False,
        "Leave out moves along no link, and elements without links; otherwise they are errors.",
    )
    test: Any = option(
        None,
        "A held-out log, to measure how well it is predicted.",
        "LOG",
        file="input",
        data="A held-out log, to measure how well it is predicted.",
    )
    seed: int = option(1, "Seed of the random numbers.", "N", always=True)


_FILES = table_outputs(
    json="the report as JSON",
    csv="every link's probability with its interval as CSV",
    html="a page with tables and a figure",
)


class FitOutputs(_FILES):  # type: ignore[misc,valid-type]
    """Where what was learned is written."""

    file: str | None = option(
        None,
        "Write what was learned, a JSON file that --navigation takes.",
        singular="output",
        short=("-o",),
        file="output",
    )

    def check_possible(self) -> None:
        """Raise InputError unless `--navigation` will know the file by its name."""
        from prum.simulator.collections.fitted_files import files_of
        from prum.simulator.model.errors import InputError

        file = self.file
        if file is not None and not file.startswith("/dev/") and files_of(file) != (file,):
            rule = "end with .json, by which --navigation knows it"
            raise InputError("--output", file, rule, remedy="name it fitted.json, say")
        super().check_possible()

    def after(self, _: "FitResult") -> Iterable[str]:
        """Return how to keep what was learned, if it is not kept."""
        if self.file is None:
            yield "\nNothing was written: -o fitted.json keeps it for --navigation fitted.json."


FIT = Verb("fit", __doc__, FitDesign, "prum.experiments.fitting.verb:fit", FitOutputs)


@FIT.function
def fit(design: FitDesign) -> "FitResult":
    """Learn from a log how people browse, as `prum fit` does.

    Raises
    ------
    InputError
        as `read_sessions`, the readers and the estimators.
    OSError
        if a file cannot be read.

    >>> sessions = [["a", "b"], ["a", "b", "<", "c"]]
    >>> result = fit(sessions, {("a", "b"): 1, ("a", "c"): 1}, test=[["a", "b"]])
    >>> result.held_out.perplexity < 2
    True
    """
    from prum.experiments.fitting.fit_result import learned

    return learned(design)
