"""The view of the study of properties."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from prum.experiments.frame.numbers import shown
from prum.experiments.frame.study import StudyResult
from prum.experiments.frame.view import Column, Table, View
from prum.experiments.studies.kit.quantities import attributes
from prum.experiments.studies.kit.story import Story
from prum.experiments.studies.properties.study import (
    PropertiesDesign,
    PropertiesFindings,
    PropertiesRow,
)

PropertiesResult = StudyResult[PropertiesDesign, PropertiesRow, PropertiesFindings]


class Counterexample(NamedTuple):
    """A check that does not hold, and what is so of the measures it does not hold for."""

    property: str
    check: str
    expected: str
    evidence: str


def view(result: PropertiesResult) -> View:
    """Return the table, where the paper differs, and all counter-examples."""
    verdicts = result.found.verdicts
    printed = [cell for cell in verdicts if cell.paper is not None]
    story = Story.beside(__package__)
    return View(
        title=story.title,
        headline=story.line(
            "headline",
            num_printed=len(printed),
            num_same=sum(not cell.differs for cell in printed),
        ),
        story=story.paragraphs("story", draws=result.design.draws),
        notes=(
            *story.paragraphs("legend"),
            *(
                f"{cell.measure}, {cell.property}: {cell.verdict} here, {cell.paper} in the paper."
                for cell in printed
                if cell.differs
            ),
            *story.paragraphs("footnotes"),
            *_agreements(result.rows),
        ),
        tables=(_verdicts(result), *_counterexamples(result), _topics(result.found.topics)),
    )


def _verdicts(result: PropertiesResult) -> Table:
    """Return a row for each property, a column for each measure."""
    cells = {(cell.property, cell.measure): cell for cell in result.found.verdicts}

    def verdict(measure: str) -> Column[str]:
        def text(name: str) -> str:
            cell = cells[name, measure]
            return cell.verdict + ("*" if cell.differs else "")

        return Column(measure, text)

    columns: list[Column[str]] = [
        Column("property", str, left=True),
        *(verdict(measure) for measure in dict.fromkeys(measure for _, measure in cells)),
    ]
    names = dict.fromkeys(name for name, _ in cells)
    return Table.of("Which measure has which property", names, columns)


def _agreements(rows: Sequence[PropertiesRow]) -> list[str]:
    """Return, for each check by simulated users, how far from them each measure is that agrees."""
    agreed: dict[str, list[str]] = {}
    for row in rows:
        if row.kind == "simulated" and row.holds:
            agreed.setdefault(row.check, []).append(f"{row.measure} {shown(row.z, '.1f')}")
    return [
        f"Agree with {check}, largest z: {', '.join(measures)}."
        for check, measures in agreed.items()
    ]


def _counterexamples(result: PropertiesResult) -> Iterator[Table]:
    """Yield a table for each property that some measure does not have, or not quite."""
    columns = attributes("check", "expected", "evidence")
    examples = counterexamples(result)
    for name in dict.fromkeys(example.property for example in examples):
        rows = (example for example in examples if example.property == name)
        label = f"Counter-examples: {name}"
        yield Table.of(label, rows, columns, parts=lambda example: example.check)


def counterexamples(result: PropertiesResult) -> list[Counterexample]:
    """Return what is so where a check does not hold, in the order of the table."""
    failed: dict[tuple[str, str], list[PropertiesRow]] = {}
    for row in result.rows:
        if not row.holds:
            failed.setdefault((row.property, row.check), []).append(row)
    return [
        Counterexample(name, check, _expected(rows[0]), evidence)
        for (name, check), rows in failed.items()
        for evidence in _evidence(rows, result.found.topics)
    ]


def _expected(row: PropertiesRow) -> str:
    return row.expected + (f", topic {row.topic}" if row.kind == "compared" else "")


def _evidence(rows: Sequence[PropertiesRow], topics: dict[str, str]) -> Iterator[str]:
    """Yield one text for all measures that share it, or one for each."""
    if rows[0].kind == "compared":
        yield "; ".join(f"{row.measure} {_pair(row, ' and ')}" for row in rows)
        return
    without = [row.measure for row in rows if row.list_a is None]
    if without:
        yield f"{', '.join(without)}: no users are defined"
    for row in rows:
        if row.list_a is not None:
            topic = f"topic {row.topic}" if row.topic in topics else row.task
            yield f"{row.measure} {_version(row)}, {topic}"


def _version(row: PropertiesRow) -> str:
    if row.kind == "simulated":
        z = "no variance" if row.z is None else f"z = {shown(row.z, '.1f')}"
        return f"{_pair(row, ', users ')} ({z}); list {row.list_a}"
    if row.list_b is None:
        return f"{shown(row.score_a, '.4f')}; list {row.list_a}"
    return f"{_pair(row, ' and ')}; lists {row.list_a} and {row.list_b}"


def _pair(row: PropertiesRow, between: str) -> str:
    return between.join(shown(score, ".4f") for score in (row.score_a, row.score_b))


def _topics(topics: dict[str, str]) -> Table:
    columns: list[Column[tuple[str, str]]] = [
        Column("topic", lambda topic: topic[0], left=True),
        Column("what it is", lambda topic: topic[1], left=True),
    ]
    return Table.of("Topics (element:words, parts in brackets)", topics.items(), columns)
