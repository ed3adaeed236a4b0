"""How far PRUM can be trusted over all lists: the numbers of a report, and its sentences."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from prum.experiments.report.outcomes import CellOutcome, num_lists
from prum.experiments.report.ranked import SystemRanking
from prum.experiments.views.numbers import count
from prum.experiments.views.view import shown

# An error of precision that is small beside what systems differ by.
SMALL = 0.01
# What is printed as 0 to five decimals is none.
_PRINTED = 0.5e-5
_LEAST = 1e-9
DISAGREES = "disagrees"


@dataclass(frozen=True, slots=True)
class Extreme:
    """An error of PRUM and where it is; `half` is half the reference's interval, 0 if exact."""

    outcome: CellOutcome
    r: int
    error: float
    reference: str
    half: float

    def __str__(self) -> str:
        one = self.outcome
        # Numbers alone do not say what they count.
        topic = f"topic {one.topic}" if one.topic[:1].isdigit() else one.topic
        return ", ".join(filter(None, (one.system, topic, f"r = {self.r}", one.setting)))


@dataclass(frozen=True, slots=True)
class ReportSummary:
    """Numbers over some outcomes.

    `num_lists` counts each list once, `num_ways` the ways of browsing that it may be under;
    `num_values` counts the values of precision at which PRUM has something to be compared with,
    `share_small` is the share of them where it is off by `SMALL` or less; `verdicts` counts those
    of simulation against exact. `largest` is None where nothing can be compared.
    """

    num_lists: int
    num_ways: int
    num_values: int
    share_small: float
    median: float
    largest: Extreme | None
    verdicts: Counter[str]

    @classmethod
    def of(cls, outcomes: Sequence[CellOutcome]) -> "ReportSummary":
        """Return the numbers of some outcomes."""
        compared = [one for one in outcomes if not np.isnan(one.deviation).all()]
        errors = np.concatenate([one.deviation for one in compared]) if compared else np.empty(0)
        sizes = np.abs(errors[~np.isnan(errors)])
        verdicts = Counter(verdict for one in outcomes for verdict in one.verdicts)
        lists = num_lists(outcomes)
        ways = len({(one.setting, *sorted(one.dials.items())) for one in outcomes})
        if not sizes.size:
            return cls(lists, ways, 0, float("nan"), float("nan"), None, verdicts)
        return cls(
            lists,
            ways,
            int(sizes.size),
            float((sizes <= SMALL).mean()),
            float(np.median(sizes)),
            extreme(compared),
            verdicts,
        )

    @property
    def is_equal(self) -> bool:
        """Whether PRUM is the reference to five decimals, everywhere."""
        return self.largest is not None and abs(self.largest.error) < _PRINTED


def extreme(outcomes: Sequence[CellOutcome]) -> Extreme | None:
    """Return the error furthest from 0, the first of equals; None where there is none."""
    best: tuple[float, CellOutcome, int] | None = None
    for one in outcomes:
        sizes = np.nan_to_num(np.abs(one.deviation), nan=-1.0)
        at = int(np.argmax(sizes))
        if sizes[at] >= 0 and (best is None or sizes[at] > best[0]):
            best = float(sizes[at]), one, at
    if best is None:
        return None
    _, one, at = best
    is_exact = not np.isnan(one.exact[at])
    half = 0.0 if is_exact else 1.96 * float(np.nan_to_num(one.error[at]))
    error = float(one.deviation[at])
    return Extreme(one, at + 1, error, "exact" if is_exact else "simulated", half)


def headline(summary: ReportSummary, found: Sequence[SystemRanking], num_files: int) -> str:
    """Return the answer: how far PRUM can be trusted over all these results."""
    files = count(num_files, "file")
    if summary.largest is None:
        return (
            f"Nothing here says how far PRUM can be trusted: {files} of results, and in none a "
            "list with PRUM beside an exact or a simulated value, as prum trust and prum "
            "crosscheck write by --json."
        )
    over = f"Over {count(summary.num_lists, 'list')}"
    if summary.num_ways > 1:
        over += f" under {count(summary.num_ways, 'way')} of browsing"
    if summary.is_equal:
        return (
            f"{over} PRUM equals the {summary.largest.reference} value to five decimals, at all "
            f"of {count(summary.num_values, 'value')} of precision."
        )
    text = (
        f"{over} PRUM is off by {size(summary.largest.error)} of precision at most "
        f"({summary.largest}), and by {size(SMALL)} or less in {share(summary.share_small)} of "
        f"{count(summary.num_values, 'value')}"
    )
    if not found:
        return f"{text}."
    kept = sum(not one.moved for one in found)
    worst = min((one.tau for one in found if not np.isnan(one.tau)), default=float("nan"))
    order = f"{kept:,} of {count(len(found), 'ranking')}" if len(found) > 1 else "the ranking"
    if kept == len(found):
        return f"{text}; it keeps every place in {order} of systems."
    tau = "" if np.isnan(worst) else f" (Kendall’s τ-b at least {shown(worst, '.2f')})"
    if len(found) == 1:
        return f"{text}; it changes places in the ranking of systems{tau}."
    return f"{text}; it keeps every place in {order} of systems{tau}."


def _off(error: float) -> str:
    """Return how far off, at most."""
    text = size(error)
    return "exact" if text == "0" else f"off by {text} or less"


def sentences(summary: ReportSummary, found: Sequence[SystemRanking]) -> list[str]:
    """Return what follows the answer: verdicts, the largest error, the best systems."""
    told = []
    if summary.verdicts:
        told.append(verdicts_in_words(summary.verdicts))
    if summary.largest is not None and not summary.is_equal:
        largest = summary.largest
        direction = "above" if largest.error > 0 else "below"
        band = (
            f" (whose 95 % interval reaches {size(largest.half)} to either side)"
            if largest.half
            else ""
        )
        at = largest.r - 1
        told.append(
            f"The largest error is at {largest}"
            + (f", {largest.outcome.campaign}" if largest.outcome.campaign else "")
            + f": PRUM says {shown(float(largest.outcome.prum[at]), '.4f')}, "
            f"{size(largest.error)} {direction} the {largest.reference} value{band}. At half of "
            f"all values PRUM is {_off(summary.median)}."
        )
    turned = [one for one in found if not set(one.best[0]) & set(one.best[1])]
    tied = [one for one in found if one not in turned and set(one.best[0]) != set(one.best[1])]
    if turned:
        told.append(
            f"{_among(turned, found)} PRUM has the highest mean for another system than the true "
            "values have."
        )
    if tied:
        told.append(
            f"{_among(tied, found)} PRUM and the true values differ in who ties for the highest "
            "mean."
        )
    if found and not turned and not tied:
        told.append(
            "PRUM and the true values have the highest mean for the same system"
            + (f" in all {len(found):,} rankings." if len(found) > 1 else ".")
        )
    return told


def _among(some: Sequence[SystemRanking], found: Sequence[SystemRanking]) -> str:
    """Return in which rankings something is so."""
    if len(found) == 1:
        return "In the ranking of systems"
    return f"In {len(some):,} of {len(found):,} rankings"


def verdicts_in_words(verdicts: Counter[str]) -> str:
    """Return how simulation compares with exact values.

    >>> verdicts_in_words(Counter(agrees=3, unresolved=1))
    'Simulated users beside exact values: 3 agree, none disagrees, 1 unresolved.'
    """
    wrong = verdicts[DISAGREES]
    parts = [
        f"{verdicts['agrees']:,} agree",
        "none disagrees" if not wrong else f"{wrong:,} disagree{'s' if wrong == 1 else ''}",
    ]
    parts += [
        f"{verdicts[name]:,} {told}"
        for name, told in (("unresolved", "unresolved"), ("no closed form", "without exact value"))
        if verdicts[name]
    ]
    return f"Simulated users beside exact values: {', '.join(parts)}."


def size(error: float) -> str:
    """Return how large an error is, to two digits; what is none to nine decimals is 0.

    >>> size(-0.0314), size(0.5), size(2.4e-7), size(1e-16)
    ('.031', '.5', '2.4e−07', '0')
    """
    text = shown(abs(error), ".2g")
    return "0" if abs(error) < _LEAST else text.removeprefix("0")


def share(part: float) -> str:
    """Return a share in percent; all and nothing only if it is that.

    >>> share(0.873), share(0.9999), share(1.0), share(0.0001)
    ('87 %', '99.9 %', '100 %', '0.1 %')
    """
    if part in (0.0, 1.0):
        return f"{100 * part:.0f} %"
    percent = 100 * part
    if 1 <= percent <= 99:
        return f"{percent:.0f} %"
    return f"{min(max(percent, 0.1), 99.9):.1f} %"
