"""Sentences about pairs of systems, and how their numbers are rounded: never across a verdict."""

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from prum.experiments.compare.decision import Decision, Pair


def sentence_of(pair: "Pair", decision: "Decision", error: float) -> str:
    """Return a pair's verdict in a sentence."""
    system, other = pair.system, pair.other
    if pair.verdict == "no test":
        return f"{system} and {other} cannot be compared on {topics(pair.topics)}"
    if error == 0:
        if pair.difference == 0:
            return f"{system} and {other} score the same on every topic"
        by = in_digits(abs(pair.difference), abs(pair.difference))
        return f"{system} is {pair.verdict} than {other} by {by} on every topic"
    if pair.verdict in ("better", "worse"):
        low, high = sorted(map(abs, (pair.low, pair.high)))
        p = p_text(pair.adjusted, decision.level)
        adjusted = "adjusted p" if decision.family > 1 else "p"
        within = ""
        if decision.margin is not None and high < decision.margin:
            within = f", within the margin of {plain(decision.margin)}"
        by = range_text(low, high)
        return f"{system} is {pair.verdict} than {other} by {by}{within} ({adjusted} {p})"
    if pair.verdict == "equivalent" and decision.margin is not None:
        margin = plain(decision.margin)
        return f"{system} and {other} show no difference larger than {margin} (equivalent at margin {margin})"
    return f"{system} against {other} is undecided"


def notes_of(decision: "Decision") -> tuple[str, ...]:
    """Return how it was decided."""
    return ()


def topics(number: int) -> str:
    """Return a number of topics in words."""
    return "no topic" if not number else f"{number:,} topic{'s' * (number > 1)}"


def range_text(low: float, high: float) -> str:
    if low < 1e-300:
        return f"up to {in_digits(high, high)}"
    return f"{in_digits(low, high - low)} to {in_digits(high, high - low)}"


def p_text(p: float, level: float) -> str:
    if p < 0.001:
        return "< .001"
    return f"= {f'{p:.3f}'.removeprefix('0')}"


def in_digits(x: float, scale: float) -> str:
    decimals = max(0, 1 - math.floor(math.log10(scale))) if scale > 0 else 2
    text = f"{x:.{decimals}f}"
    return text.removeprefix("0") if "." in text else text


def plain(x: float) -> str:
    return np.format_float_positional(x, trim="-").removeprefix("0")
