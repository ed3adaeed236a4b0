"""Stops by rank, as a model of clicks has them: every click, or the last of a search."""

from dataclasses import dataclass

import numpy as np

from prum.simulator.collections.clicks import ClickLog, ClickTotals
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import whole_number
from prum.simulator.tables.files import FilePath, place

EVERY, LAST, TOTALS, BEYOND = "every click", "last click", "totals", "totals and beyond"
TWO_RANKS = "laws cannot be told apart by a single rank"
_MORE = "part is held out while the rest is fitted: give more clicks"


@dataclass(frozen=True, slots=True, eq=False)
class StopSample:
    """Stops by rank under one reading.

    Parameters
    ----------
    reading
        EVERY, LAST, TOTALS, or BEYOND, which has a cell for all stops behind the last rank.
    counts
        Stops by cell, shape (n,) or (n + 1,).
    groups
        Stops of each session that has one, shape (sessions, n); None if only totals are known.
    """

    reading: str
    counts: Floats
    groups: Floats | None

    @property
    def is_cut(self) -> bool:
        """Whether stops behind the last rank are unknown, or left out."""
        return self.reading != BEYOND


def samples_of_log(log: ClickLog, ranks: int | None, path: FilePath) -> list[StopSample]:
    """Return both readings of a log, on the first `ranks` ranks.

    Raises InputError if fewer than two sessions have a stop there, or there are not two ranks.
    """
    samples: list[StopSample] = []
    for reading, clicks in ((EVERY, log.every), (LAST, log.last)):
        cut = _cut(clicks, ranks, path)
        groups = cut[cut.any(axis=1)]
        if len(groups) < 2:
            thing, rule = f"sessions with a stop on the list ({reading})", "be at least 2"
            raise InputError(thing, len(groups), rule, remedy=_MORE, place=place(path))
        samples.append(StopSample(reading, groups.sum(axis=0), groups))
    return samples


def samples_of_totals(totals: ClickTotals, ranks: int | None, path: FilePath) -> list[StopSample]:
    """Return the stops of a table, on the first `ranks` ranks; then with those behind, if known.

    Raises InputError if there are fewer than two clicks, or not two ranks.
    """
    counts = _cut(totals.counts[None, :], ranks, path)[0]
    if counts.sum() < 2:
        rule = "be at least 2"
        raise InputError("clicks", int(counts.sum()), rule, remedy=_MORE, place=place(path))
    samples = [StopSample(TOTALS, counts, None)]
    if totals.beyond is not None:
        beyond = totals.beyond + int(totals.counts[len(counts) :].sum())
        samples.append(StopSample(BEYOND, np.append(counts, float(beyond)), None))
    return samples


def _cut(clicks: Ints, ranks: int | None, path: FilePath) -> Floats:
    """Return the first columns, as floats."""
    where, num_ranks = place(path), clicks.shape[1]
    whole_number("number of ranks", num_ranks, least=2, remedy=TWO_RANKS, place=where)
    if ranks is not None:
        remedy = "the data have no more"
        whole_number("ranks", ranks, least=2, most=num_ranks, remedy=remedy, place=where)
    return clicks[:, :ranks].astype(np.float64)
