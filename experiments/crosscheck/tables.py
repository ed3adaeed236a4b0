"""The tables of a cross-check: comparisons, systems with their places, how rankings agree."""

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.crosscheck.checked_list import CheckedList
from prum.experiments.frame.numbers import shown
from prum.experiments.frame.view import Column, Table
from prum.experiments.statistics.rankings import tau_b
from prum.simulator.sampling.streams import MOST_USERS

if TYPE_CHECKING:
    import pandas as pd

# A row of `Crosscheck.comparisons` or `systems`.
Row = Any
MOST_DISAGREEING = 30
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


SYMBOLS = {"leading": "E[CL]", "consulted": "E[C]"}
# As `Crosscheck.comparisons` and `Crosscheck.systems` name them.
OF_LISTS = tuple(
    column
    for name in SYMBOLS
    for column in (f"prum_{name}", f"exact_{name}", f"simulated_{name}", f"{name}_error")
)


def headings(*of_one: str) -> list[str]:
    """Return the headings of both means in a row.

    >>> headings("PRUM", "exact")
    ['E[CL]: PRUM', 'exact', 'E[C]: PRUM', 'exact']
    """
    first, *others = of_one
    return [text for symbol in SYMBOLS.values() for text in (f"{symbol}: {first}", *others)]


def comparison_rows(case: CheckedList) -> "pd.DataFrame":
    """Return a row for each r of a list."""
    import pandas as pd

    prum, exact, simulated, judged = case.prum, case.exact, case.simulated, case.judged
    t = prum.num_ideals
    unknown, r = np.full(t, np.nan), np.arange(1, t + 1)
    means = {}
    for name in SYMBOLS:
        means[f"prum_{name}"] = getattr(prum, name)
        means[f"exact_{name}"] = unknown if exact is None else getattr(exact, name)
        means[f"simulated_{name}"] = getattr(simulated, name)
        means[f"{name}_error"] = getattr(simulated, f"{name}_error")
    columns: dict[str, Any] = {
        **{name: getattr(case, name) for name in ("campaign", "system", "topic")},
        "reference_name": case.reference_name,
        "r": r,
        "recall": r / t,
        "prum": prum.precision,
        "exact": unknown if exact is None else exact.precision,
        "simulated": simulated.precision,
        "error": simulated.precision_error,
        "low": judged.low,
        "high": judged.high,
        "mean_ratio": simulated.mean_ratio,
        **means,
        "users": simulated.num_users,
        **dict(zip(("p_leading", "p_consulted", "p_spread"), judged.p, strict=True)),
        "p": judged.p.min(axis=0),
        "verdict": judged.verdicts,
        "detectable": judged.detectable,
        "users_needed": judged.needed,
        "prum_error": prum.precision - case.reference,
        "prum_error_low": prum.precision - judged.high,
        "prum_error_high": prum.precision - judged.low,
    }
    for name, claim in case.claims.items():
        columns |= {name: claim.precision, f"{name}_error": claim.precision - case.reference}
        if claim.leading is not None:
            columns |= {f"{name}_leading": claim.leading, f"{name}_consulted": claim.consulted}
    return pd.DataFrame(columns)


def verdict_in_words(row: Mapping[Any, Any]) -> str:
    """Return the verdict of a row of comparisons; of one that is unresolved, what it takes.

    >>> verdict_in_words({"verdict": "unresolved", "users_needed": 53_646.0})
    'unresolved: takes 54,000 users'
    """
    if row["verdict"] != "unresolved":
        return str(row["verdict"])
    return f"unresolved: takes {users_in_words(row['users_needed'])}"


def users_in_words(number: float) -> str:
    """Return a number of users in two digits, rounded up.

    >>> users_in_words(53_646), users_in_words(4_914_823), users_in_words(12)
    ('54,000 users', '5,000,000 users', '12 users')
    >>> users_in_words(1e15)
    'more users than can be simulated'
    """
    if number > MOST_USERS:
        return "more users than can be simulated"
    digit = 10 ** max(int(np.log10(number)) - 1, 0)
    rounded = int(-(-number // digit) * digit)
    return f"{rounded:,} user{'' if rounded == 1 else 's'}"


def comparison_columns(exact: str, others: Sequence[str] = ()) -> list[Column[Row]]:
    """Return the columns of comparisons, behind what names them; `others` are approximations."""
    return [
        column("PRUM", "prum", ".5f"),
        *(column(name, name, ".5f") for name in others),
        column(exact, "exact", ".5f"),
        column("simulated", "simulated", ".5f"),
        Column(
            "±",
            lambda row: max(row.high - row.simulated, row.simulated - row.low),
            ".5f",
            data={name: attrgetter(name) for name in ("error", "low", "high")},
        ),
        column("E[CL/C]", "mean_ratio", ".5f"),
        column("p", "p", ".2g"),
        column("would find", "detectable", ".2%"),
        Column(
            "verdict",
            lambda row: verdict_in_words(row._asdict()),
            left=True,
            data={name: attrgetter(name) for name in ("verdict", "users_needed")},
        ),
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


def disagreement_table(rows: "pd.DataFrame") -> Table:
    """Return the first comparisons that disagree, and what each test says."""
    cut = f"the first {MOST_DISAGREEING} of {len(rows):,}"
    p = ("p_leading", "p_consulted", "p_spread")
    return Table.of(
        "Where simulation and exact values disagree",
        rows.head(MOST_DISAGREEING).itertuples(),
        [
            *NAMES,
            *numbers(("exact", "simulated", "± error"), ("exact", "simulated", "error"), ".5f"),
            *numbers(("p of E[CL]", "p of E[C]", "p of C's spread"), p, ".2g"),
        ],
        legend=["p: of precision's two means, and of how far C strays from its mean"]
        + [cut] * (len(rows) > MOST_DISAGREEING),
    )


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
    """
    import pandas as pd

    rows = []
    own_cases = [case for case in cases if case.campaign == campaign]
    for system in dict.fromkeys(case.system for case in own_cases):
        topics = [case for case in own_cases if case.system == system]
        simulated = np.array([case.simulated.precision.mean() for case in topics])
        errors = np.array([case.simulated.precision_error.mean() for case in topics])
        n = len(topics)
        scores = {
            "prum": [case.prum.average for case in topics],
            **{
                name: [case.claims[name].precision.mean() for case in topics]
                for name in others_of(cases)
            },
            "reference": [case.reference.mean() for case in topics],
            "classical": [case.classical.average for case in topics],
        }
        rows.append(
            {
                "campaign": campaign,
                "system": system,
                "num_topics": n,
                "reference_name": reference_name(topics),
                "simulated": float(simulated.mean()),
                "users_error": float(np.sqrt((errors**2).sum()) / n),
                "topics_error": float(simulated.std(ddof=1) / np.sqrt(n)) if n > 1 else np.nan,
                **{name: float(np.mean(own)) for name, own in scores.items()},
            }
        )
    table = pd.DataFrame(rows)
    for column in ("prum", *others_of(cases), "reference", "classical"):
        table[f"{column}_place"] = table[column].rank(ascending=False, method="min").astype(int)
    return table


def others_of(cases: Sequence[CheckedList]) -> list[str]:
    """Return the names of approximations that were given."""
    return list(cases[0].claims)


def rank_correlations(systems: "pd.DataFrame") -> dict[str, float]:
    """Return Kendall's tau-b of the places of a campaign's systems with those by `reference`.

    Of "prum", "classical" and approximations that were given. Empty for fewer than two systems.
    There is no interval over topics: the percentile bootstrap's held the tau-b of all topics in 65
    to 99 % of made worlds of 3 to 20 systems, where it says 95 %.
    """
    if len(systems) < 2:
        return {}
    names = [str(name).removesuffix("_place") for name in systems if str(name).endswith("_place")]
    scores = {name: systems[name].to_numpy() for name in names}
    true = scores.pop("reference")
    return {name: float(tau_b(own, true)) for name, own in scores.items()}
