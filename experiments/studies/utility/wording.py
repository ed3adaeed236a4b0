"""What the study of utility says, on the terminal and on its page."""

from collections.abc import Mapping
from typing import Any

from prum.experiments.studies.study import Study
from prum.experiments.studies.wording import number

HEADER = ("measure", "P(k)", "model", "closed form", "simulated", "± se", "z", "verdict")
NOTES = (
    "M1: gain of the last document; M2: of all on the way; M3: 1 / last rank; M4: M2's over the "
    "last rank. Who goes on behind the list finds nothing new: he counts in M2 alone.",
    "± se: standard error of the simulated mean. RR is the paper's, the sum of rel_k / k.",
)
_COUNTED = {"agrees": "agree", "disagrees": "disagree", "unresolved": "unresolved"}


def parts_of(study: Study) -> dict[str, list[list[str]]]:
    """Return the cells of each part's table."""
    parts: dict[str, list[list[str]]] = {}
    for row in study.rows:
        parts.setdefault(row["part"], []).append(_cells(row))
    return parts


def summary(study: Study) -> str:
    """Say how many closed forms agree with the simulation."""
    found = study.found
    told = ", ".join(
        f"{count} {_COUNTED[name]}" for name, count in found["verdicts"].items() if count
    )
    largest = found["largest_z"]
    return (
        f"{len(study.rows)} closed forms beside {study.options['users']:,} users each: {told}"
        f" ({found['num_tested']} tests, false alarm rate {found['level']:g} in all"
        + (f"; largest |z| {number(largest, 2)})." if largest is not None else ").")
    )


def _cells(row: Mapping[str, Any]) -> list[str]:
    return [
        row["measure"], row["distribution"], row["model"], number(row["closed"], 5),
        number(row["simulated"], 5), number(row["error"], 5),
        "-" if row["z"] is None else number(row["z"], 2), row["verdict"],
    ]  # fmt: skip
