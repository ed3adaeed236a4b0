"""The tables of a cross-check's comparisons and systems: columns, named in data as in CSV."""

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.crosscheck.approximations import EXACT, PRUM
from prum.experiments.crosscheck.detectable_errors import verdict_in_words
from prum.experiments.views.view import Column, Table, shown

if TYPE_CHECKING:
    import pandas as pd

    from prum.experiments.crosscheck.result import Crosscheck

# A row of `Crosscheck.comparisons` or `systems`.
Row = Any
MOST_DISAGREEING = 30
_MOST_ERRORS = 10
KINDS = {"agrees": "agree", "disagrees": "disagree", "unresolved": "unresolved"}
# An error that would be printed as 0 is none.
PRINTED = 0.5e-5


def column(heading: str, name: str, form: str = "", **more: Any) -> Column[Row]:
    """Return a column of rows, called in data as it is in CSV."""
    take = attrgetter(name)
    return Column(heading, take, form, data={name: take}, **more)


def numbers(heads: Iterable[str], names: Iterable[str], form: str) -> list[Column[Row]]:
    """Return columns of one form, by headings and names."""
    return [column(head, name, form) for head, name in zip(heads, names, strict=True)]


NAMES = (
    column("system", "system", left=True),
    column("topic", "topic", left=True),
    column("r", "r"),
)


def comparison_columns(exact: str, others: Sequence[str] = ()) -> list[Column[Row]]:
    """Return the columns of comparisons, behind what names them; `others` are approximations."""
    return [
        column("PRUM", "prum", ".5f"),
        *(column(name, name, ".5f") for name in others),
        column(exact, "exact", ".5f"),
        column("simulated", "simulated", ".5f"),
        Column(
            "± 95 %",
            lambda row: (row.high - row.low) / 2,
            ".5f",
            is_optional=True,
            data={name: attrgetter(name) for name in ("error", "low", "high")},
        ),
        column("E[CL/C]", "mean_ratio", ".5f", is_optional=True),
        Column(
            "largest |z|",
            _largest_z,
            ".2f",
            is_optional=True,
            data={name: attrgetter(name) for name in ("z_leading", "z_consulted", "p")},
        ),
        column("would find", "detectable", ".5f", is_optional=True),
        Column(
            "verdict",
            lambda row: verdict_in_words(row._asdict()),
            left=True,
            data={name: attrgetter(name) for name in ("verdict", "users_needed")},
        ),
        *(column(f"{name}?", f"{name}_verdict", left=True) for name in others),
    ]


def system_columns(reference: str, others: Sequence[str] = ()) -> list[Column[Row]]:
    """Return the columns of systems: their scores, with places and errors."""
    return [
        NAMES[0],
        _placed("PRUM", "prum"),
        *(_placed(name, name) for name in others),
        _placed(reference, "reference"),
        column("simulated", "simulated", ".5f", is_optional=True),
        column("± users", "users_error", ".5f", is_optional=True),
        column("± topics", "topics_error", ".3f", is_optional=True),
        _placed("no browsing", "classical"),
    ]


def _placed(heading: str, name: str) -> Column[Row]:
    """Return a column of scores with places."""
    score, place = attrgetter(name), attrgetter(f"{name}_place")
    return Column(
        heading,
        lambda row: f"{shown(score(row), '.5f')} ({place(row)})",
        brief=lambda row: shown(score(row), ".5f"),
        data={name: score, f"{name}_place": place},
    )


def error_tables(rows: "pd.DataFrame") -> Iterator[Table]:
    """Yield where PRUM is furthest from the exact value, or else the simulated one."""
    order = rows["prum_error"].abs().sort_values(ascending=False, kind="stable").index
    largest = rows.loc[order[:_MOST_ERRORS]]
    largest = largest[largest["prum_error"].abs() >= PRINTED]
    if len(largest) < 2:
        return
    yield Table.of(
        "Largest errors of PRUM",
        largest.itertuples(),
        [
            column("campaign", "campaign", left=True),
            *NAMES,
            column("PRUM error", "prum_error", "+.5f"),
            column("against", "reference_name", left=True),
            Column(
                "PRUM − simulated, 95 %",
                lambda row: " to ".join(
                    shown(end, "+.5f") for end in (row.prum_error_low, row.prum_error_high)
                ),
                data={name: attrgetter(name) for name in ("prum_error_low", "prum_error_high")},
            ),
        ],
        detail=True,
    )


def verdict_table(result: "Crosscheck") -> Table:
    """Return what was found of PRUM, of approximations, and of the exact values."""
    rows, verdicts = result.comparisons, result.verdicts
    own = {EXACT: "", PRUM: "prum_", **{name: f"{name}_" for name in result.approximations}}

    def number(kind: str) -> Column[str]:
        return Column(
            KINDS[kind], lambda name: int((rows[f"{own[name]}verdict"] == kind).sum()), ",d"
        )

    def largest(name: str) -> float:
        if name == EXACT:
            return float("nan")
        errors = rows[f"{own[name]}error"].to_numpy()
        return float(errors[np.argmax(np.abs(errors))])

    return Table.of(
        "Verdicts: simulated users against each value",
        verdicts,
        [
            Column("value", str, left=True),
            Column("verdict", lambda name: verdicts[name], left=True),
            *map(number, KINDS),
            Column("largest error", largest, "+.5f"),
        ],
        is_bad=lambda name: verdicts[name] == "disagrees",
        legend=["each value is a family of tests of its own; error: minus exact, else simulated"],
    )


def disagreement_table(rows: "pd.DataFrame") -> Table:
    """Return the first comparisons that disagree, and by how many standard errors."""
    cut = f"the first {MOST_DISAGREEING} of {len(rows):,}"
    z = ("z_leading", "z_consulted", "z_precision")
    return Table.of(
        "Where simulation and exact values disagree",
        rows.head(MOST_DISAGREEING).itertuples(),
        [
            *NAMES,
            *numbers(("exact", "simulated", "± error"), ("exact", "simulated", "error"), ".5f"),
            *numbers(("z of E[CL]", "z of E[C]", "z of precision"), z, "+.2f"),
            column("p", "p", ".2g"),
        ],
        legend=[
            "z: simulated minus exact in standard errors; p: the smaller of E[CL]'s and E[C]'s",
            *[cut] * (len(rows) > MOST_DISAGREEING),
        ],
    )


def _largest_z(row: Row) -> float:
    z = np.abs([row.z_leading, row.z_consulted])
    return float(np.nanmax(z)) if not np.isnan(z).all() else np.nan


def disagrees(row: Row) -> bool:
    """Return whether a row has that verdict."""
    return bool(row.verdict == "disagrees")
