"""Figures of a comparison: means with their intervals, and the places that systems can have."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from prum.experiments.frame.drawing import SIMULATED, SOFT, TEXT, height, paneled, rows
from prum.experiments.frame.numbers import shortened
from prum.experiments.frame.view import Figure, interval
from prum.simulator.model.errors import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from prum.experiments.compare.decision import Decision, Place

# Signs of a name beside its point, and systems that are drawn.
_NAME, _MOST = 24, 40


def interval_figure(decision: "Decision") -> Figure:
    """Return the best systems with the 95 % intervals of their means."""
    ends = [(place, place.low, place.mean, place.high) for place in decision.ranked[:_MOST]]
    label = "; ".join(
        f"{place.system} {interval(mean, low, high, '.4f')}" for place, low, mean, high in ends
    )
    return _figure(decision, f"Mean {decision.measure} with 95 % intervals", label, ends, "means")


def place_figure(decision: "Decision") -> Figure:
    """Return the best systems with the places that they can have."""
    ends = [(place, place.first, place.place, place.last) for place in decision.ranked[:_MOST]]
    confidence = f"{100 * (1 - decision.level):.4g} %"
    caption = f"Places by {decision.measure}, all at once with {confidence} confidence"
    label = "; ".join(f"{place.system} {first} to {last}" for place, first, _, last in ends)
    return _figure(decision, caption, label, ends, "places")


def _figure(
    decision: "Decision",
    caption: str,
    label: str,
    ends: "Sequence[tuple[Place, float, float, float]]",
    prefix: str,
) -> Figure:
    """Return a row for each system, the best at the top: from low to high, by its middle."""
    names = shortened([printable(place.system) for place, *_ in ends], _NAME)
    name = caption
    colours = [SIMULATED if place.is_tied_with_best else SOFT for place, *_ in ends]

    def fill(axes: "Axes") -> None:
        from matplotlib.ticker import MaxNLocator

        rows(axes, [(short, *row[1:]) for short, row in zip(names, ends, strict=True)], colours)
        axes.tick_params(axis="both", labelsize=TEXT)
        axes.set_xlabel(name, labelpad=3)
        if prefix == "places":
            axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))

    if len(ends) < len(decision.ranked):
        caption += f", the first {len(ends)} of {len(decision.ranked):,} systems"
    if any(place.is_tied_with_best for place, *_ in ends[1:]):
        caption += "; blue: tied for the first place"
    tall = height(len(ends))
    return Figure(caption, label, lambda: paneled([fill], columns=1, tall=tall, prefix=prefix))
