"""What a fitted navigation predicted of choices, what people chose, and whether both agree."""

from dataclasses import dataclass

import numpy as np

from prum.experiments.logs.sessions import Sessions, codes_of, expanded, rows_of
from prum.simulator.model import Links
from prum.simulator.model.arrays import Flags, Floats, Ints

# Kinds of choices: which link, given that people moved along one; whether to stop; whether to go
# back, given that they didn't stop; whether they came to y from x at all.
STEP, STOP, BACK, VISIT = "step", "stop", "back", "visit"


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """Choices in a batch of sessions: the probability of each option, and which was taken.

    What is missing to 1 in a choice is the probability of none of its options; so a choice of
    whether something happens has one option, that it does.

    Parameters
    ----------
    session
        Of each choice; shape (n,).
    starts
        Choice i has the options ``starts[i] <= k < starts[i + 1]``; shape (n + 1,).
    probabilities, taken
        Of each option; one of a choice is taken at most. Shape (starts[-1],).

    >>> rain = Predictions.tosses(np.array([0]), np.array([0.25]), np.array([False]))
    >>> rain.nats.round(3).tolist()
    [0.288]
    """

    session: Ints
    starts: Ints
    probabilities: Floats
    taken: Flags

    @classmethod
    def tosses(cls, session: Ints, probabilities: Floats, happened: Flags) -> "Predictions":
        """Return choices of whether something happens, with the probability that it does."""
        return cls(session, np.arange(len(session) + 1), probabilities, happened)

    @property
    def choice(self) -> Ints:
        """The choice of each option."""
        return np.repeat(np.arange(len(self.session)), np.diff(self.starts))

    @property
    def nats(self) -> Floats:
        """Minus the logarithm of the probability of what was chosen, of each choice; shape (n,)."""
        size, choice = len(self.session), self.choice
        chosen = np.bincount(choice, self.taken * self.probabilities, size)
        other = 1 - np.bincount(choice, self.probabilities, size)
        is_other = np.bincount(choice, self.taken, size) == 0
        with np.errstate(divide="ignore"):
            nats: Floats = -np.log(np.where(is_other, np.maximum(other, 0.0), chosen)) + 0.0
        return nats


def moves_of(sessions: Sessions, links: Links) -> tuple[Ints, Ints]:
    """Return the visits that people came to along a link, and its row; strays are left out."""
    element = codes_of(sessions.elements, links.code)[sessions.element]
    row = rows_of(links, np.roll(element, 1), element)
    is_move = ~sessions.is_entry & ~sessions.is_back & (row >= 0)
    return np.flatnonzero(is_move), row[is_move]


def options_of(rows: Ints, links: Links) -> tuple[Ints, Ints, Flags]:
    """Return of steps along rows: where the options of each begin, their rows, which was taken."""
    source = links.sources[rows]
    low, high = links.starts[source], links.starts[source + 1]
    choice, options = expanded(low, high)
    return np.append(0, np.cumsum(high - low)), options, options == rows[choice]
