"""What the study of realism says, on the terminal and on its page."""

from collections.abc import Sequence
from typing import Any

from prum.experiments.studies.realism.data import STATISTICS
from prum.experiments.studies.realism.distances import MOST_GROUPS, MOST_POINTS
from prum.experiments.studies.realism.study import FITTED, GIVEN
from prum.experiments.studies.study import WrittenStudy
from prum.experiments.studies.wording import number

LEVEL = 0.05
SAMPLES = (
    "statistic", "groups A", "B", "values A", "B", "median A", "B", "mean A", "B",
)  # fmt: skip
DISTANCES = ("statistic", "by", "KS", "p", "Holm", "Wasserstein", "in sd of A", "p", "Holm")
# One more where the second side was made: as far as two that are made alike lie apart.
TWICE = "twice"
FITS = (
    "statistic", "Wasserstein, as given", "fitted", "in sd of A, as given", "fitted", "made twice",
)  # fmt: skip
CHANGES = ("dial", "as given", "fitted", "by")
_PLAIN = {statistic.name: statistic.plain for statistic in STATISTICS}


def plain(name: str) -> str:
    """Return a statistic as people read it."""
    return _PLAIN[name]


def labels(study: WrittenStudy) -> list[str]:
    """Return what A was compared with, in order."""
    return list(dict.fromkeys(row["b"] for row in study.rows))


def rows_of(study: WrittenStudy, label: str) -> list[dict[str, Any]]:
    """Return the rows of one comparison."""
    return [dict(row) for row in study.rows if row["b"] == label]


def headline(study: WrittenStudy) -> str:
    """Return what was found, in one sentence."""
    if study.found["fit"] is not None:
        before, after = (_mean_distance(study, label) for label in (GIVEN, FITTED))
        return (
            f"Fitted dials bring the mean Wasserstein distance from {before:.2f} to {after:.2f} "
            "standard deviations of A."
        )
    return verdict(study, labels(study)[0])


def verdict(study: WrittenStudy, label: str) -> str:
    """Return how many statistics differ for sure, and which lies farthest apart."""
    rows = rows_of(study, label)
    tested = [row for row in rows if row["wasserstein_holm"] is not None]
    some = [row for row in rows if row["wasserstein_sd"] is not None]
    told = f"{len(rows)} statistics compared"
    if tested:
        different = sum(row["wasserstein_holm"] <= LEVEL for row in tested)
        told = f"{different} of {len(tested)} statistics differ for sure (Holm, {LEVEL:.0%})"
    if not some:
        return f"{told}."
    far = max(some, key=lambda row: row["wasserstein_sd"])
    return (
        f"{told}; farthest apart: {plain(far['statistic'])}, "
        f"{far['wasserstein_sd']:.2f} standard deviations of A."
    )


def distance_columns(study: WrittenStudy, label: str) -> tuple[str, ...]:
    """Return the columns of the table of distances."""
    return (*DISTANCES, TWICE) if _is_made(study, label) else DISTANCES


def sample_cells(study: WrittenStudy, label: str) -> list[list[str]]:
    """Return the table of samples."""
    return [
        [
            plain(row["statistic"]),
            *(f"{row[f'{name}_{side}']:,}" for name in ("groups", "values") for side in "ab"),
            *(_digits(row[f"{name}_{side}"]) for name in ("median", "mean") for side in "ab"),
        ]
        for row in rows_of(study, label)
    ]


def distance_cells(study: WrittenStudy, label: str) -> list[list[str]]:
    """Return the table of distances."""
    made = _is_made(study, label)
    return [
        [
            plain(row["statistic"]), row["unit"],
            number(row["ks"], 3), _probability(row["ks_p"]), _probability(row["ks_holm"]),
            _digits(row["wasserstein"]), _or_dash(row["wasserstein_sd"]),
            _probability(row["wasserstein_p"]), _probability(row["wasserstein_holm"]),
            *([_or_dash(row["made_twice_sd"])] if made else []),
        ]
        for row in rows_of(study, label)
    ]  # fmt: skip


def fit_cells(study: WrittenStudy) -> list[list[str]]:
    """Return the table of distances before and after."""
    after = {row["statistic"]: row for row in rows_of(study, FITTED)}
    return [
        [
            plain(row["statistic"]),
            *(
                tell(side[name])
                for name, tell in (("wasserstein", _digits), ("wasserstein_sd", _or_dash))
                for side in (row, after[row["statistic"]])
            ),
            _or_dash(after[row["statistic"]]["made_twice_sd"]),
        ]
        for row in rows_of(study, GIVEN)
        if row["statistic"] in after
    ]


def change_cells(study: WrittenStudy) -> list[list[str]]:
    """Return the table of dials."""
    return [
        [one["dial"], _dial(one["before"]), _dial(one["after"]), one["reason"]]
        for one in study.found["fit"]["changes"]
    ]


def notes(study: WrittenStudy) -> list[str]:
    """Return what the columns are, and what is to be held against the numbers."""
    permutations = study.options["permutations"]
    lines = [
        "KS: the largest difference of the shares of values up to x, over all x. Wasserstein: the "
        "integral of that difference, in the unit of the values: how far they would have to be "
        "moved, on average.",
    ]
    if permutations:
        lines.append(
            f'p: {permutations:,} permutations of groups (column "by"), for values of one group '
            "hang together; Holm: adjusted over the statistics, for each distance alone. A small "
            "p says that more data of this kind would hardly look alike, not that the difference "
            "matters: see the standard deviations. Statistics of topics take the systems as they "
            "are, those of people the lists that they saw. There is no p where all numbers hang "
            "together: what is linked to whom, over a whole web; scores of systems, by their "
            "topics; paths of a log, by the pages from which all of its users go."
        )
    if any(row["made_twice"] is not None for row in study.rows):
        lines.append(
            "Twice: Wasserstein's distance of two collections that were made alike, with this seed "
            "and the next, in standard deviations of A. No dials bring it much below."
        )
    drawn = [row for row in study.rows if row["drawn_a"] is not None]
    if drawn:
        names = ", ".join(dict.fromkeys(plain(row["statistic"]) for row in drawn))
        lines.append(
            f"Permuted were {MOST_GROUPS:,} groups of a larger side, drawn at random: {names}. "
            "Distances are of all values."
        )
    if permutations and any(
        min(row["values_a"], row["values_b"]) > MOST_POINTS for row in study.rows
    ):
        lines.append(
            f"Of more than {MOST_POINTS} different values permutations compare the shares up to "
            f"{MOST_POINTS} quantiles."
        )
    fit = study.found["fit"]
    if fit is not None:
        lines.append(
            f"The search made {len(fit['losses'])} collections of {study.options['size']:,} "
            "elements at most, with another seed than those compared here."
        )
    return lines


def _is_made(study: WrittenStudy, label: str) -> bool:
    return any(row["made_twice"] is not None for row in rows_of(study, label))


def _mean_distance(study: WrittenStudy, label: str) -> float:
    apart = [row["wasserstein_sd"] for row in rows_of(study, label)]
    some = [one for one in apart if one is not None]
    return float(sum(some) / max(len(some), 1))


def _digits(value: float) -> str:
    """Return a number with three significant digits, or all before the point.

    >>> _digits(1234.5), _digits(0.01234), _digits(3.0)
    ('1,234', '0.0123', '3')
    """
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _or_dash(value: float | None) -> str:
    return "–" if value is None else number(value, 3)


def _probability(value: float | None) -> str:
    return "–" if value is None else f"{value:.2g}"


def _dial(value: object) -> str:
    if value is None:
        return "default"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(f"{one:g}" if isinstance(one, float) else f"{one}" for one in value)
    return f"{value:g}" if isinstance(value, float) else f"{value}"
