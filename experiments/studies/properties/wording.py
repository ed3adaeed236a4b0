"""The table of properties and its counter-examples as people read them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from prum.experiments.studies.properties.cases import RANDOM
from prum.experiments.studies.study import Study
from prum.experiments.studies.wording import number

LEGEND = (
    "yes: all checks of the row hold; part: some; no: none. Precision and recall, and graded "
    "assessments, are yes or no.",
    "*: the paper's Table IV says otherwise.",
)


class Counterexample(NamedTuple):
    """A check that does not hold, and what was found of the measures it does not hold for."""

    asked: str
    check: str
    expected: str
    found: tuple[str, ...]


def measures_of(study: Study) -> list[str]:
    """Return the names of the measures, in their order."""
    return list(dict.fromkeys(one["measure"] for one in study.found["verdicts"]))


def cells(study: Study) -> list[list[str]]:
    """Return the table: each row a property and the verdicts."""
    rows: dict[str, list[str]] = {}
    for one in study.found["verdicts"]:
        verdict = "part" if one["verdict"] == "partial" else one["verdict"]
        rows.setdefault(one["property"], []).append(verdict + ("*" if one["differs"] else ""))
    return [[name, *verdicts] for name, verdicts in rows.items()]


def differences(study: Study) -> list[str]:
    """Return what the paper says where this study says otherwise."""
    return [
        f"{one['measure']}, {one['property']}: {one['verdict']} here, {one['paper']} in the paper."
        for one in study.found["verdicts"]
        if one["differs"]
    ]


def agreements(study: Study) -> list[str]:
    """Return, for each check by simulated users, how far from them each measure is that agrees."""
    agreed: dict[str, list[str]] = {}
    for row in study.rows:
        if row["kind"] == "simulated" and row["holds"]:
            agreed.setdefault(row["check"], []).append(f"{row['measure']} {number(row['z'], 1)}")
    return [
        f"Agree with {check}, largest z: {', '.join(measures)}."
        for check, measures in agreed.items()
    ]


def counterexamples(study: Study) -> list[Counterexample]:
    """Return the checks that do not hold for some measure, in the order of the table."""
    failed: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in study.rows:
        if not row["holds"]:
            failed.setdefault((row["property"], row["check"]), []).append(row)
    return [
        Counterexample(asked, check, _expected(rows[0]), tuple(_found(rows)))
        for (asked, check), rows in failed.items()
    ]


def _expected(row: Mapping[str, Any]) -> str:
    where = f", topic {row['topic']}" if row["kind"] == "compared" else ""
    return f"{row['expected']}{where}"


def _found(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return one text for all measures that share it, or one for each."""
    if rows[0]["kind"] == "compared":
        both = (f"{row['measure']} {_pair(row, ' and ')}" for row in rows)
        return ["; ".join(both)]
    without = [row["measure"] for row in rows if row["list_a"] is None]
    found = [f"{', '.join(without)}: no users are defined"] if without else []
    return found + [_own(row) for row in rows if row["list_a"] is not None]


def _own(row: Mapping[str, Any]) -> str:
    topic = row["task"] if row["topic"] == RANDOM else f"topic {row['topic']}"
    if row["kind"] == "simulated":
        z = "no variance" if row["z"] is None else f"z = {number(row['z'], 1)}"
        return f"{row['measure']} {_pair(row, ', users ')} ({z}); list {row['list_a']}, {topic}"
    if row["list_b"] is None:
        return f"{row['measure']} {number(row['score_a'], 4)}; list {row['list_a']}, {topic}"
    lists = f"lists {row['list_a']} and {row['list_b']}"
    return f"{row['measure']} {_pair(row, ' and ')}; {lists}, {topic}"


def _pair(row: Mapping[str, Any], between: str) -> str:
    return between.join(number(row[name], 4) for name in ("score_a", "score_b"))
