"""Up to which recall value PRUM is trusted, whichever system and dependence: numbers, no words."""

from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from prum.experiments.trust.numbers import TrustNumbers
from prum.experiments.trust.of_list import PRUM
from prum.experiments.trust.verb import SHARE
from prum.simulator.model.arrays import Flags, Floats

Verdict = Literal["yes", "up to", "no", "unknown"]
# Errors below this are none, whatever the value: such values has a list in an endless collection.
NEGLIGIBLE = 1e-6


@dataclass(frozen=True, slots=True)
class TrustedRecall:
    """Up to which recall value PRUM's means over topics err by no more than is tolerated.

    That is: by the margin at most, and by a tenth of PRUM's value. Errors are the largest there may
    be, with what simulation and quadrature leave open, at a level that holds for all of them.

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
    beyond_name, beyond_r
        Of which dependence, and at which r, the error is largest beyond it.
    is_off
        Whether it certainly errs by more than is tolerated there.
    average, average_name
        The largest error in the mean over r, and of which dependence.
    largest
        The last recall value that at least half of the topics have: what this is about.
    missing
        The dependences of which users are too few for a value, at one of these recall values.
    is_apart
        Whether an extreme dependence, which does not count here, errs by more than all others.
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
    beyond_r: int
    is_off: bool
    average: float
    average_name: str
    largest: int
    missing: tuple[str, ...]
    is_apart: bool
    is_proven: bool


class _Errors(NamedTuple):
    """Of one dependence, the worst system's: in the mean over r, then at each r, (1 + largest,).

    The most that PRUM may err, alone and in shares of its value; whether that is tolerated, or
    certainly not; and where users are too few.
    """

    most: Floats
    share: Floats
    is_fine: Flags
    is_off: Flags
    missing: Flags


def trusted_recall(numbers: TrustNumbers, *, extremes: bool = False) -> TrustedRecall:
    """Return up to where PRUM is trusted, whichever system and dependence, but for extremes."""
    sizes = sorted(one.num_ideals for one in numbers.lists.values())
    largest = sizes[len(sizes) // 2]
    curves = [numbers.curves[system, name] for system in numbers.systems for name in numbers.names]
    simulated = sum(int((curve.drawn[: largest + 1] > 0).sum()) for curve in curves)
    of = partial(_errors, numbers, largest=largest, factor=numbers.family_factor(simulated))
    every = {name: of(name) for name in numbers.names}
    tried = {k: v for k, v in every.items() if extremes or k not in numbers.extremes}
    fine = np.all([one.is_fine for one in tried.values()], axis=0)[1:]
    last = largest if fine.all() else int(np.argmin(fine))
    off = np.any([one.is_off for one in tried.values()], axis=0)[1 + last :]
    within = slice(1, 1 + last) if last else slice(1, None)
    error, share = (max(float(one[k][within].max()) for one in tried.values()) for k in (0, 1))
    is_apart = any(
        one.most[within].max() > error + NEGLIGIBLE or one.share[within].max() > share + 1e-9
        for one in every.values()
        if (one.most > NEGLIGIBLE).any()
    )
    beyond, name, at = float("nan"), "", 0
    if last < largest:
        name = max(tried, key=lambda name: tried[name].most[1 + last :].max())
        at = last + 1 + int(np.argmax(tried[name].most[1 + last :]))
        beyond = float(tried[name].most[at])
    beyond_share = max(float(one.share[1 + last :].max(initial=-1)) for one in tried.values())
    average_name = max(tried, key=lambda name: tried[name].most[0])
    verdict: Verdict = "yes" if last == largest else "up to" if last else "unknown"
    if verdict == "unknown" and off.any():
        verdict = "no"
    return TrustedRecall(
        verdict,
        last,
        error if last else 0.0,
        share if last else 0.0,
        beyond,
        beyond_share if last < largest else float("nan"),
        name,
        at,
        bool(off.any()),
        float(tried[average_name].most[0]),
        average_name,
        largest,
        tuple(name for name, one in tried.items() if one.missing[1:].any()),
        is_apart,
        _is_proven(numbers, largest),
    )


def _errors(numbers: TrustNumbers, name: str, *, largest: int, factor: float) -> _Errors:
    rows = [numbers.curves[system, name] for system in numbers.systems]
    error, prum, drawn, summed = (
        np.array([getattr(row, part)[: largest + 1] for row in rows])
        for part in ("error", "prum", "drawn", "summed")
    )
    missing = np.array([row.missing[: largest + 1] for row in rows])
    half = factor * drawn + summed
    most, least = np.abs(error) + half, np.abs(error) - half
    there = ~np.isnan(most)
    tolerated = np.maximum(np.minimum(numbers.tolerance, SHARE * prum), NEGLIGIBLE)
    share = np.divide(most, prum, out=np.zeros_like(most), where=there & (most > NEGLIGIBLE))
    # A dependence without such users at r says nothing there.
    fine = np.where(there, most <= tolerated, ~missing)
    return _Errors(
        np.where(there, most, 0).max(axis=0),
        share.max(axis=0),
        np.all(fine, axis=0).astype(np.bool_),
        np.any(there & (least > tolerated), axis=0).astype(np.bool_),
        np.any(missing, axis=0).astype(np.bool_),
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
