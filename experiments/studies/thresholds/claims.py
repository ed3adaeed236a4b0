"""What holds of what Mizzaro (2001) says of thresholds and ADM, with numbers."""

import math
from typing import Any

from prum.experiments.studies.study import Study
from prum.experiments.studies.thresholds.scoring import MEASURES
from prum.experiments.studies.thresholds.spreads import FEW, JITTERS
from prum.experiments.studies.thresholds.wording import Found
from prum.experiments.studies.wording import number, ratio

# What nobody would call many.
_FEW_QUERIES = 10


def verdicts(study: Study) -> list[str]:
    """Return what holds of the paper's claims, the two of them first."""
    found = Found(study)
    return [*_small(found), _queries(found), _large(found), _spread(found), _sampled(found)]


def _small(found: Found) -> list[str]:
    level = f"{JITTERS[1]:g}"
    spread = {m: found.value("jitter", level, m, "sd of a query") for m in MEASURES}
    few = {m: found.value("jitter", level, m, "sd, few relevant") for m in MEASURES}
    gaps = {m: ratio(spread[m], found.value("power", "", m, "difference")) for m in MEASURES}
    return [
        f"Small differences: estimates moved by up to {level} move P, R and E of a query by "
        f"{_of_cut(spread, 3)} (sd), ADM by {number(spread['ADM'], 4)}.",
        f"In units of the gap between two systems that is {_of_cut(gaps, 2)}, and by ADM "
        f"{number(gaps['ADM'], 2)}. With at most {FEW} relevant documents P, R and E move by "
        f"{_of_cut(few, 3)}, ADM by {number(few['ADM'], 4)}.",
    ]


def _queries(found: Found) -> str:
    rows = {m: found.row("power", "", m, "queries, formula") for m in MEASURES}
    told = ", ".join(f"{m} {found.text('power', '', m, 'queries, formula', 0)}" for m in rows)
    own = rows.pop("ADM")
    compared = "; ".join(f"{_compared(own, row)} by {m}" for m, row in rows.items())
    holds = "holds" if _end(own, "high") <= _FEW_QUERIES else "does not hold"
    return (
        f"Queries that tell the two systems apart: {told}. By ADM {compared}. That there is no "
        f"more need for many queries {holds} here."
    )


def _compared(own: Any, other: Any) -> str:
    if _end(own, "high") < _end(other, "low"):
        return "fewer than"
    if _end(own, "low") > _end(other, "high"):
        return "more than"
    return "not seen to be fewer or more than"


def _end(row: Any, name: str) -> float:
    """Return an end of an interval; what has none may need any number of queries."""
    return math.inf if row[name] is None else float(row[name])


def _large(found: Found) -> str:
    return (
        "Large differences within the sectors: P, R and E do not change at all, ADM from "
        f"{number(found.value('variance', '', 'ADM', 'mean'), 3)} by "
        f"{number(found.value('push', '1', 'ADM', 'change'), 3)}."
    )


def _spread(found: Found) -> str:
    ratios = {
        m: ratio(
            found.value("variance", "", m, "sd over queries"),
            found.value("variance", "", m, "sd over systems"),
        )
        for m in MEASURES
    }
    nothing = found.value("variance", "0 to all", "ADM", "mean")
    return (
        f"Over queries P, R and E vary {_of_cut(ratios, 1)} times as much as over systems, ADM "
        f"{number(ratios['ADM'], 1)} times. A system that gives 0 to all documents has ADM "
        f"{number(nothing, 3)}: where little is relevant, ADM's scale is narrow."
    )


def _sampled(found: Found) -> str:
    last = found.judged[-1]
    errors = {d: found.value("sample", last, d, "error, simulated") for d in found.designs}
    best = min(errors, key=errors.__getitem__)
    bias = found.value("sample", last, "retrieved only", "bias, simulated")
    return (
        f"ADM of a query with {last} documents judged: those retrieved first are off "
        f"by {number(bias, 3)}; the best design, {best}, errs by {number(errors[best], 4)}, "
        f"where the two systems are {number(found.value('power', '', 'ADM', 'difference'), 4)} "
        "apart."
    )


def _of_cut(values: dict[str, float], digits: int) -> str:
    """Return the values of the three measures that cut at thresholds."""
    p, r, e = (number(values[m], digits) for m in MEASURES[:3])
    return f"{p}, {r} and {e}"
