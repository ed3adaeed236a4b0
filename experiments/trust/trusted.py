"""Up to which recall value PRUM is trusted, whichever system and dependence: numbers, no words."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from prum.experiments.trust.numbers import TrustNumbers
from prum.experiments.trust.of_list import PRUM
from prum.experiments.trust.verb import SHARE

Verdict = Literal["yes", "up to", "no", "unknown"]
# Errors below this are none, whatever the value: such values has a list in an endless collection.
NEGLIGIBLE = 1e-6


@dataclass(frozen=True, slots=True)
class TrustedRecall:
    """Up to which recall value PRUM's means over topics err by no more than is tolerated.

    That is: by the margin at most, and by a tenth of PRUM's value, of whichever system and under
    whichever dependence but extreme ones. Errors are the largest there may be, with what simulation
    and quadrature leave open, at a level that holds for all of them.

    Parameters
    ----------
    verdict
        "yes": at every r; "up to" `last`; "no": from r = 1 on, and at some r it certainly errs by
        more; "unknown": users are too few to tell.
    last
        The recall value, 0 if there is none; none beyond the first where users are too few.
    error, share
        The largest error up to it, and the largest in shares of PRUM's value.
    beyond, beyond_share
        The same beyond it; NaN if there is nothing beyond.
    beyond_name, beyond_system, beyond_r
        Under which dependence, of which system and at which r the error is largest beyond it.
    is_off
        Whether it certainly errs by more than is tolerated there.
    average, average_name, average_system
        The largest error in the mean over r, under which dependence, and of which system.
    largest
        The last recall value that at least half of the topics have: what this is about.
    missing
        The dependences of which users are too few for a value, at one of these recall values.
    is_proven
        Whether bounds say as much of any dependence between visits.
    """

    verdict: Verdict
    last: int
    error: float
    share: float
    beyond: float
    beyond_share: float
    beyond_name: str
    beyond_system: str
    beyond_r: int
    is_off: bool
    average: float
    average_name: str
    average_system: str
    largest: int
    missing: tuple[str, ...]
    is_proven: bool


def trusted_recall(numbers: TrustNumbers) -> TrustedRecall:
    """Return up to where PRUM is trusted."""
    sizes = sorted(entry.num_ideals for entry in numbers.lists.values())
    largest, systems = sizes[len(sizes) // 2], numbers.systems
    up_to = slice(largest + 1)
    every = [numbers.curves[system, name] for system in systems for name in numbers.names]
    factor = numbers.family_factor(sum(int((curve.drawn[up_to] > 0).sum()) for curve in every))
    tried = [name for name in numbers.names if name not in numbers.extremes]
    # By dependence; the mean over r, and then each r; and system.
    error, prum, drawn, summed, missing = (
        np.array(
            [[getattr(numbers.curves[s, name], of)[up_to] for s in systems] for name in tried]
        ).swapaxes(1, 2)
        for of in ("error", "prum", "drawn", "summed", "missing")
    )
    half = factor * drawn + summed
    most, least = np.abs(error) + half, np.abs(error) - half
    there = ~np.isnan(most)
    tolerated = np.maximum(np.minimum(numbers.tolerance, SHARE * prum), NEGLIGIBLE)
    share = np.divide(most, prum, out=np.zeros_like(most), where=there & (most > NEGLIGIBLE))
    # A dependence without such users at r says nothing there.
    fine = np.asarray(np.where(there, most <= tolerated, ~missing).all(axis=(0, 2)))[1:]
    last = largest if fine.all() else int(np.argmin(fine))
    within, behind = slice(1, 1 + last), slice(1 + last, None)
    is_off = bool((there & (least > tolerated))[:, behind].any())
    most = np.where(there, most, 0)
    beyond, beyond_share, name, system, r = float("nan"), float("nan"), "", "", 0
    if last < largest:
        rest = most[:, behind]
        of, r, row = map(int, np.unravel_index(np.argmax(rest), rest.shape))
        beyond, beyond_share = float(rest[of, r, row]), float(share[:, behind].max())
        name, system, r = tried[of], systems[row], 1 + last + r
    mean, its_system = map(int, np.unravel_index(np.argmax(most[:, 0]), most[:, 0].shape))
    verdict: Verdict = "yes" if last == largest else "up to" if last else "unknown"
    if verdict == "unknown" and is_off:
        verdict = "no"
    few = np.asarray(missing[:, 1:].any(axis=(1, 2))).tolist()
    return TrustedRecall(
        verdict,
        last,
        float(most[:, within].max(initial=0)),
        float(share[:, within].max(initial=0)),
        beyond,
        beyond_share,
        name,
        system,
        r,
        is_off,
        float(most[mean, 0, its_system]),
        tried[mean],
        systems[its_system],
        largest,
        tuple(name for name, is_missing in zip(tried, few, strict=True) if is_missing),
        _is_proven(numbers, largest),
    )


def _is_proven(numbers: TrustNumbers, largest: int) -> bool:
    """Return whether bounds keep PRUM within what is tolerated at every r, of every system."""
    for system in numbers.systems:
        prum = numbers.curves[system, PRUM].mean[1 : largest + 1]
        low, high = (end[1 : largest + 1] for end in numbers.bound_curve(system))
        tolerated = np.maximum(np.minimum(numbers.tolerance, SHARE * prum), NEGLIGIBLE)
        if not (np.maximum(high - prum, prum - low) <= tolerated).all():
            return False
    return True
