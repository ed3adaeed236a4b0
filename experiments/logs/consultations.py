"""Consultations of x, what was seen from there, and whose turn came: what counts as a trial.

A user consults x and then sees, one after the other, what the user visits from there; what was seen
twice counts once. But who is broken off in the middle has had no turn to see the rest of x. Where
it is known in which order people look, the turn of y came if nothing broke them off, or if they saw
y or what comes after it. It hangs on what was tossed before, never on y's own toss: where visits
are independent, how often y was seen is binomial given how often its turn came. Where no order is
known, those broken off count for nothing, which is right if what they saw does not break them off.
"""

from dataclasses import dataclass

import numpy as np

from prum.simulator.model.arrays import Flags, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Consultations:
    """Consultations of elements, from which rows of a table lead on.

    Parameters
    ----------
    low, high
        Of each consultation: x has the rows ``low <= row < high``; shape (n,).
    broken
        Of each consultation: whether the user was broken off in the middle; shape (n,).
    place, row
        Of each sight along a row, as the log has them and each once: in which consultation, and
        which row; shape (k,).
    turns
        Of each row, its place in the order in which people look; None where that is not known.
    last
        Of each consultation, the turn of the last that was seen, -1 if nothing was; shape (n,).
    num_rows
        Of the table.
    """

    low: Ints
    high: Ints
    broken: Flags
    place: Ints
    row: Ints
    turns: Ints | None
    last: Ints
    num_rows: int

    def expanded(self) -> tuple[Ints, Ints]:
        """Return the consultation and the row of each trial that there may be."""
        return expanded(self.low, self.high)

    def seen(self, place: Ints, row: Ints) -> Flags:
        """Return whether it was seen along the row in the consultation."""
        return np.isin(place * self.num_rows + row, self.place * self.num_rows + self.row)

    def turn_came(self, place: Ints, row: Ints) -> Flags:
        """Return whether the row's turn came in the consultation."""
        whole: Flags = ~self.broken[place]
        return whole if self.turns is None else whole | (self.turns[row] <= self.last[place])

    def counts(self) -> tuple[Ints, Ints]:
        """Return by row how often it was seen, and of how many trials."""
        size = self.num_rows
        seen = np.bincount(self.row[self.turn_came(self.place, self.row)], minlength=size)
        whole = ~self.broken
        changes = np.bincount(self.low[whole], minlength=size + 1)
        changes -= np.bincount(self.high[whole], minlength=size + 1)
        tried: Ints = np.cumsum(changes[:size])
        if self.turns is not None:
            at = np.flatnonzero(self.broken)
            place, row = expanded(self.low[at], self.high[at])
            tried += np.bincount(row[self.turn_came(at[place], row)], minlength=size)
        return seen, tried


def expanded(low: Ints, high: Ints) -> tuple[Ints, Ints]:
    """Return (k, row) for each row of each ``low[k] <= row < high[k]``."""
    sizes = high - low
    place = np.repeat(np.arange(len(low)), sizes)
    within = np.arange(len(place)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return place, low[place] + within


def places_in(keys: Ints, wanted: Ints) -> Ints:
    """Return the places of what is wanted among sorted keys, -1 where it is none of them."""
    if not len(keys):
        return np.full(len(wanted), -1, dtype=np.int64)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    found: Ints = np.where(keys[place] == wanted, place, -1)
    return found
