"""The view of the study of people."""

from prum.experiments.frame.study import StudyResult
from prum.experiments.frame.view import Column, Table, View, interval
from prum.experiments.logs.log_summary import not_kept
from prum.experiments.studies.kit.quantities import attributes, by_part
from prum.experiments.studies.kit.story import Story
from prum.experiments.studies.people.joint import JointContext
from prum.experiments.studies.people.steps import PeopleRow
from prum.experiments.studies.people.study import PeopleDesign, PeopleFindings
from prum.experiments.studies.people.walks import ERROR, PRECISION, VALUE, DepthRow

PeopleResult = StudyResult[PeopleDesign, PeopleRow, PeopleFindings]

_COLUMNS: tuple[Column[PeopleRow], ...] = (
    Column("quantity", lambda row: row.quantity, left=True),
    Column("value", lambda row: interval(row.value, row.low, row.high, ".4f"), left=True),
    Column("if it holds", lambda row: row.holds, "g"),
    Column(
        "control",
        lambda row: interval(row.control, row.control_low, row.control_high, ".4f"),
        left=True,
    ),
    Column("p", lambda row: row.p, ".4f"),
    Column("of", lambda row: _sized(row.size, row.counted), left=True),
)
_CONTEXTS: tuple[Column[JointContext], ...] = (
    *attributes("element", sessions=",", elements=","),
    Column("pairs together", lambda row: row.together, ",.0f"),
    Column("by products", lambda row: row.products, ",.1f"),
    Column("sees nothing", lambda row: row.nothing, ".3f"),
    Column("noisy-or", lambda row: row.noisy_or, ".3f"),
    *attributes(p=".4f", adjusted=".4f"),
    Column("p, margins", lambda row: row.p_margins, ".4f"),
    Column("adjusted", lambda row: row.adjusted_margins, ".4f"),
)
_DEPTHS: tuple[Column[DepthRow], ...] = (
    *attributes(moves="", finished=",", unfinished=","),
    Column(
        "share finished", lambda row: row.finished / max(row.finished + row.unfinished, 1), ".3f"
    ),
)
_WEIGHTS: tuple[Column[tuple[str, float]], ...] = (
    Column("trait", lambda row: row[0], left=True),
    Column("log odds of being made, a deviation", lambda row: row[1], ".3f"),
)


def view(result: PeopleResult) -> View:
    """Return a table for each part, and what the numbers mean."""
    found = result.found
    story = Story.beside(__package__)
    parts = list(dict.fromkeys(row.part for row in result.rows))
    return story.view(
        (
            *by_part(result.rows, _COLUMNS),
            Table.of("Contexts", found.contexts, _CONTEXTS, detail=True),
            Table.of("Moves of sessions", found.depths, _DEPTHS, detail=True),
            Table.of("Weights of traits", found.weights.items(), _WEIGHTS, detail=True),
        ),
        {},
        headline=" ".join((_headline(result, story), *not_kept(found.lost))),
        notes=("columns", *(part for part in parts if part in story.sections)),
    )


def _headline(result: PeopleResult, story: Story) -> str:
    """Return whether Hypothesis 2.2 holds, what that costs in precision, and of whom."""
    found = result.found
    rows = {row.quantity: row for row in result.rows}
    together = sum(context.goes_together for context in found.contexts)
    apart = sum(context.excludes for context in found.contexts)
    n = len(found.contexts)
    pairs = rows.get("excess of pairs seen together, of products")
    sentences = [story.line("untested")]
    if pairs is not None:
        counts = {"n": n, "together": together, "apart": apart, "fails": together + apart}
        excess = interval(pairs.value, pairs.low, pairs.high, ".4f")
        section = "headline" if counts["fails"] else "headline of none"
        sentences = [story.line(section, **counts, excess=excess)]
    walks = [
        rows.get(f"walk's contexts that {verb}") for verb in ("go together", "exclude each other")
    ]
    share = sum(row.value or 0 for row in walks if row is not None)
    if share:
        sentences.append(story.line("of the walk", share="all" if share == 1 else f"{share:.0%}"))
    errors = [row for row in result.rows if row.part == PRECISION and row.quantity.endswith(ERROR)]
    if errors:
        worst = max(errors, key=lambda row: abs(row.value or 0))
        system = worst.quantity.removesuffix(ERROR)
        sentences.append(
            story.line(
                "costs",
                system=system,
                error=interval(worst.value, worst.low, worst.high, ".4f"),
                value=rows[system + VALUE].value,
                other=worst.control,
            )
        )
    else:
        sentences.append(story.line("costs unknown"))
    people = f"{found.persons:,} persons" if found.persons else "unknown people"
    sentences.append(story.line("of whom", found=found, people=people))
    return " ".join(sentences)


def _sized(size: int, counted: str) -> str:
    return f"{size:,} {counted.removesuffix('s') if size == 1 else counted}"
