"""Decide which systems are better by their scores on topics.

One measure decides, the first or --primary: all its comparisons hold together at --level; others
are shown without tests. Forms of scores, recognised by their content; files may be gzipped, and a
folder stands for what is in it:

\b
tables         CSV, TSV, JSONL, Parquet: system, topic, measure, score (or
               run, qid, metric, value, ...), as prum evaluate --csv has them
wide tables    topics by systems, or the reverse; the file names the measure
lines          of trec_eval -q or ir_measures -q; a file for each system
prum evaluate  --json
ranx           Run.scores as JSON, a file for each run
MTEB           folders of results: models are the systems, tasks the topics
other JSON     system -> topic -> score
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from prum.experiments.frame.design import Design, Option
from prum.experiments.frame.verb import Content, TableOutputs, Verb, writes

if TYPE_CHECKING:
    from prum.experiments.frame.view import View

Method = Literal["bootstrap", "Holm"]
METHOD: Method = "bootstrap"
LEVEL, SEED = 0.05, 1


class ComparisonOptions(Design):
    """How systems are compared: the options of `Question`, but for the measure."""

    heading: ClassVar[str] = "Decisions"

    baseline: Annotated[
        str | None,
        Option(
            "Compare every system with this one; all pairs by default.",
            metavar="SYSTEM",
            data="The system that all others are compared with. By default all pairs of systems "
            "are compared, since the best one is chosen by the same scores.",
        ),
    ] = None
    method: Annotated[
        Method,
        Option(
            "How errors over all comparisons are controlled: by the studentised bootstrap, or by "
            "Student's t with Holm's method, which claims too much on few topics.",
            exact=False,
        ),
    ] = METHOD
    level: Annotated[
        float,
        Option(
            "Chance of any wrong claim, of all comparisons together.",
        ),
    ] = LEVEL
    margin: Annotated[
        float | None,
        Option(
            "Largest difference that does not matter, in the unit of the measure.",
            metavar="X",
            data="The largest difference that does not matter, in the unit of the measure: what "
            'lies within it is "equivalent".',
        ),
    ] = None
    seed: Annotated[int, Option("Seed of the bootstrap.", metavar="N", always=True)] = SEED


class DecisionOptions(ComparisonOptions):
    """What is decided between systems, and how: the options of `Question`."""

    heading: ClassVar[str] = "Decisions"

    first: ClassVar[tuple[str, ...]] = ("primary",)

    primary: Annotated[
        Any,
        Option(
            "The measure that decides; the first by default.",
            metavar="MEASURE",
            data="The measure that decides; by default the first.",
            words=str,
        ),
    ] = None


def _pairs(columns: Mapping[str, str]) -> str:
    return ",".join(f"{kind}={name}" for kind, name in columns.items())


class CompareDesign(DecisionOptions):
    """Options of `compare`."""

    first: ClassVar[tuple[str, ...]] = ("scores", "measures")

    scores: Annotated[
        Any,
        Option(
            "Files of scores.",
            metavar="FILES...",
            file="input",
            positional=True,
            several=True,
            data="A data frame: long (system, topic, measure, score, or names like run, qid, "
            "metric, value), or topics by systems; system -> topic -> score; runs of ranx; or "
            "files and folders, whose forms docs/howto/comparing.md lists.",
        ),
    ] = field(kw_only=False)
    measures: Annotated[
        str | Sequence[str],
        Option(
            "Measures to keep, with commas between; all by default.",
            metavar="NAMES",
            data="Measures to keep, names with commas between or several; by default all, of "
            "MTEB's `main_score`.",
            words=",".join,
        ),
    ] = ()
    missing: Annotated[
        Literal["refuse", "drop", "zero"],
        Option(
            "Where a system lacks a topic: leave it out for all, or count it as 0.",
        ),
    ] = "refuse"
    columns: Annotated[
        str | Mapping[str, str] | None,
        Option(
            "Names of columns that are not recognised: system=run,topic=query.",
            metavar="KIND=NAME,...",
            data='Names of columns that are not recognised: {"system": "run", "topic": "query"}.',
            words=_pairs,
        ),
    ] = None


class ComparisonOutputs(TableOutputs):
    """Where a comparison is written, and how much of it is shown."""

    is_drawn = False

    top: Annotated[
        int | None,
        Option(
            "Rows of tables; all by default.",
            metavar="N",
            least=1,
            remedy="leave it out to see all",
        ),
    ] = None
    json: Annotated[str | None, writes("everything as JSON")] = None
    csv: Annotated[str | None, writes("all scores as CSV")] = None
    html: Annotated[str | None, writes("a page of tables")] = None
    latex: Annotated[str | None, writes("the table of systems for LaTeX")] = None
    figure_kind: Annotated[
        Literal["intervals", "ranks", "measures"],
        Option("What --figure shows."),
    ] = "intervals"

    def can_draw(self, result: Any) -> bool:  # noqa: ARG002 - as of all outputs
        """Return that there is a figure."""
        return True

    def content(self, form: str, result: Any) -> Content:
        """Return what makes the content of a file of some form."""
        if form == "latex":
            return lambda: result.to_latex(top=self.top)
        if form == "figure" and self.figure is not None:
            # Drawn at once: what it lacks is said before anything is written.
            drawn: bytes = result.to_figure(self.figure, self.figure_kind)
            return lambda: drawn
        return super().content(form, result)

    def view(self, result: Any) -> "View":
        """Return so many rows of tables."""
        view: View = result.view(top=self.top)
        return view


COMPARE = Verb(
    "compare", __doc__, CompareDesign, "prum.experiments.compare.verb:compare", ComparisonOutputs
)
