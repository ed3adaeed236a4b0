"""Curves of groups of lists: PRUM, the exact value and simulated users, with their band."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from prum.analytic.precision.result import ELEVEN_LEVELS
from prum.experiments.crosscheck.curves import ALONE, AMONG_OTHERS, Curves, draw
from prum.experiments.report.outcomes import CellOutcome
from prum.experiments.statistics.intervals import normal_factor
from prum.experiments.views.drawing import Drawing
from prum.experiments.views.view import shown
from prum.simulator.model.arrays import Floats

MOST_PANELS = 16
_LEAST_LIMIT = 1e-6


@dataclass(frozen=True, slots=True)
class CurvePanel:
    """One drawing, what it is of, and what it shows in words."""

    title: str
    label: str
    drawing: Drawing


@dataclass(frozen=True, slots=True)
class Panels:
    """The curves of a page: those with the largest errors, and how many there are besides."""

    shown: tuple[CurvePanel, ...]
    num_left_out: int
    any_exact: bool


def panels(groups: Mapping[str, Sequence[CellOutcome]]) -> Panels:
    """Return a drawing of each group of lists, by title, that with the largest error first."""
    curves = {title: curve for title, own in groups.items() if (curve := curves_of(own))}
    order = sorted(curves, key=lambda title: -_largest(curves[title]))
    kept = order[:MOST_PANELS]
    limit = max((_limit(curves[title]) for title in kept), default=1.0)
    width = ALONE if len(kept) == 1 else AMONG_OTHERS
    made = tuple(
        CurvePanel(
            title,
            _label(title, curves[title]),
            draw(curves[title], prefix=f"r{at}", limit=limit, width=width),
        )
        for at, title in enumerate(kept)
    )
    any_exact = any(curves[title].exact is not None for title in kept)
    return Panels(made, len(order) - len(kept), any_exact)


def curves_of(outcomes: Sequence[CellOutcome]) -> Curves | None:
    """Return the curves of some lists; None where PRUM, or all it could be beside, is missing.

    One list gives precision at each r. Several give interpolated precision at eleven recall levels
    in the mean, over the lists that have PRUM and a reference at every r; the exact curve stands
    if it is known for all of these, as does the simulated one.
    """
    whole = [one for one in outcomes if not np.isnan(one.deviation).any()]
    if not whole:
        return None
    has_exact = not any(np.isnan(one.exact).any() for one in whole)
    has_simulated = not any(np.isnan(one.simulated).any() for one in whole)
    if not has_exact and not has_simulated:
        # Some lists have the one, some the other: the reference of each.
        exact: list[Floats] | None = [one.reference for one in whole]
    else:
        exact = [one.exact for one in whole] if has_exact else None
    factor = normal_factor()
    if len(whole) == 1:
        (only,) = whole
        return Curves(
            np.arange(1.0, only.num_ideals + 1), only.prum, None if exact is None else exact[0],
            only.simulated, factor * only.error,
        )  # fmt: skip
    points = [_interpolated(one.simulated, one.error) for one in whole]
    errors = np.array([error for _, error in points])
    return Curves(
        np.array(ELEVEN_LEVELS),
        np.mean([_interpolated(one.prum)[0] for one in whole], axis=0),
        None if exact is None else np.mean([_interpolated(one)[0] for one in exact], axis=0),
        np.mean([value for value, _ in points], axis=0),
        factor * np.sqrt((errors**2).sum(axis=0)) / len(whole),
    )


def _interpolated(precision: Floats, error: Floats | None = None) -> tuple[Floats, Floats]:
    """Return the highest precision from each recall level on, and its error where it is attained.

    >>> _interpolated(np.array([0.5, 0.75]))[0].tolist() == [0.75] * 11
    True
    """
    size = len(precision)
    levels = [min(max(math.ceil(level * size - 1e-9), 1), size) - 1 for level in ELEVEN_LEVELS]
    at = [start + int(np.argmax(np.nan_to_num(precision[start:], nan=-1))) for start in levels]
    return precision[at], precision[at] if error is None else error[at]


def _largest(curves: Curves) -> float:
    return float(np.nanmax(np.abs(curves.prum - curves.base)))


def _limit(curves: Curves) -> float:
    """Return the largest distance from the base of what is drawn."""
    ends = np.abs(curves.simulated - curves.base) + np.nan_to_num(curves.half, posinf=0)
    return max(_largest(curves), float(np.nan_to_num(ends).max()), _LEAST_LIMIT)


def _label(title: str, curves: Curves) -> str:
    """Return what is drawn, for those who cannot see it."""
    where = "recall level 0 to 1" if curves.x[0] == 0 else f"r = 1 to {len(curves.x)}"
    lines = {"PRUM": curves.prum, "exact": curves.exact, "simulated": curves.simulated}
    told = [
        f"{name} {shown(float(line[0]), '.3f')} to {shown(float(line[-1]), '.3f')}"
        for name, line in lines.items()
        if line is not None and not np.isnan(line).any()
    ]
    return f"Precision of {title}, {where}: {', '.join(told)}"
