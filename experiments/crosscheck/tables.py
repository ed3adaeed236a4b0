"""The tables of a cross-check: comparisons, systems with their places, how rankings agree."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.crosscheck.approximations import EXACT, PRUM
from prum.experiments.crosscheck.checked_list import CheckedList
from prum.experiments.crosscheck.compared import SYMBOLS
from prum.experiments.crosscheck.detectable_errors import verdict_in_words
from prum.experiments.frame.numbers import shown
from prum.experiments.frame.view import Column, Table
from prum.experiments.statistics.rankings import tau_b
from prum.simulator.model.arrays import Floats

if TYPE_CHECKING:
    import pandas as pd

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
            data={name: attrgetter(name) for name in ("error", "low", "high")},
        ),
        column("E[CL/C]", "mean_ratio", ".5f"),
        Column(
            "largest |z|",
            _largest_z,
            ".2f",
            data={name: attrgetter(name) for name in ("z_leading", "z_consulted", "p")},
        ),
        column("would find", "detectable", ".5f"),
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
        column("simulated", "simulated", ".5f"),
        column("± users", "users_error", ".5f"),
        column("± topics", "topics_error", ".3f"),
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


def verdict_table(rows: "pd.DataFrame", verdicts: Mapping[str, str]) -> Table:
    """Return what was found of PRUM, of approximations, and of the exact values."""
    own = {**{name: f"{name}_" for name in verdicts}, EXACT: "", PRUM: "prum_"}

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


def reference_name(cases: Iterable[CheckedList]) -> str:
    """Return what the references of several cases of a campaign are."""
    names = sorted({case.reference_name for case in cases})
    return " or ".join([*(name.partition(", ")[0] for name in names[:-1]), names[-1]])


def system_table(campaign: str, cases: list[CheckedList]) -> "pd.DataFrame":
    """Return a row for each system of a campaign: its scores, their errors, its places.

    A score is the mean over topics of precision averaged over r = 1 .. t: `prum`, `reference`
    (exact where known, else simulated; `reference_name` says which, and under what navigation),
    `simulated`, `classical` (no browsing). `users_error` bounds the standard error of `simulated`
    from the draw of users (topics independent; within a topic the errors at different r are added
    as if fully correlated, which they nearly are).
    `topics_error` is the standard error of `simulated` from the draw of topics: their standard
    deviation over the root of their number; it contains the users' share.
    Approximations that were given have theirs by name, as PRUM has.
    E[CL(r)] and E[C(r)] are averaged likewise: `prum_leading`, `reference_leading`,
    `simulated_leading` and `leading_users_error`, and the same of `consulted`.
    """
    import pandas as pd

    rows = []
    own_cases = [case for case in cases if case.campaign == campaign]
    for system in dict.fromkeys(case.system for case in own_cases):
        topics = [case for case in own_cases if case.system == system]
        simulated = np.array([case.simulated.precision.mean() for case in topics])
        n = len(topics)
        rows.append(
            {
                "campaign": campaign,
                "system": system,
                "num_topics": n,
                "prum": float(np.mean([case.prum.average for case in topics])),
                "reference": float(np.mean([case.reference.mean() for case in topics])),
                "reference_name": reference_name(topics),
                "simulated": float(simulated.mean()),
                "users_error": _users_error(case.simulated.precision_error for case in topics),
                "topics_error": float(simulated.std(ddof=1) / np.sqrt(n)) if n > 1 else np.nan,
                "classical": float(np.mean([case.classical.average for case in topics])),
                **_means(topics),
                **{
                    name: float(np.mean([case.claims[name].precision.mean() for case in topics]))
                    for name in others_of(own_cases)
                },
            }
        )
    table = pd.DataFrame(rows)
    for column in ("prum", "reference", "classical", *others_of(own_cases)):
        table[f"{column}_place"] = table[column].rank(ascending=False, method="min").astype(int)
    return table


def others_of(cases: Sequence[CheckedList]) -> list[str]:
    """Return the names of approximations that were given."""
    return [name for name in cases[0].claims if name != PRUM]


def _users_error(errors: Iterable[Floats]) -> float:
    """Return a bound of the standard error of the mean over topics, from their errors at each r."""
    of_topics = np.array([each.mean() for each in errors])
    return float(np.sqrt((of_topics**2).sum()) / len(of_topics))


def _means(topics: list[CheckedList]) -> dict[str, float]:
    """Return E[CL] and E[C], averaged over r and topics, and what bounds their errors."""
    averaged: dict[str, float] = {}
    for name in SYMBOLS:
        for value, results in (
            ("prum", [case.prum for case in topics]),
            (
                "reference",
                [case.simulated if case.exact is None else case.exact for case in topics],
            ),
            ("simulated", [case.simulated for case in topics]),
        ):
            of_topics = [getattr(result, name).mean() for result in results]
            averaged[f"{value}_{name}"] = float(np.mean(of_topics))
        errors = (getattr(case.simulated, f"{name}_error") for case in topics)
        averaged[f"{name}_users_error"] = _users_error(errors)
    return averaged


def rank_correlations(cases: Sequence[CheckedList]) -> dict[str, float]:
    """Return Kendall's tau-b of a campaign's systems by `reference`, on these topics.

    Scores are "prum", "classical" and approximations that were given. Empty for fewer than two
    systems. There is no interval over topics: the percentile bootstrap's held the tau-b of all
    topics in 65 to 99 % of made worlds of 3 to 20 systems, where it says 95 %.
    """
    systems = list(dict.fromkeys(case.system for case in cases))
    topics = list(dict.fromkeys(case.topic for case in cases))
    if len(systems) < 2:
        return {}
    names = ("prum", "classical", *others_of(cases))
    scores = {name: np.empty((len(systems), len(topics))) for name in (*names, "reference")}
    for case in cases:
        place = systems.index(case.system), topics.index(case.topic)
        scores["prum"][place] = case.prum.average
        scores["reference"][place] = case.reference.mean()
        scores["classical"][place] = case.classical.average
        for name in others_of(cases):
            scores[name][place] = case.claims[name].precision.mean()
    true = scores["reference"].mean(axis=1)
    return {name: float(tau_b(scores[name].mean(axis=1), true)) for name in names}
