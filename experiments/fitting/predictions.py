"""What a fitted navigation predicted of choices, and what people chose."""

from dataclasses import dataclass

import numpy as np

from prum.experiments.logs.sessions import Sessions
from prum.experiments.logs.trails import depths
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

    >>> links = Links({("a", "b"): 0.25, ("a", "c"): 0.75})
    >>> predicted = Predictions.steps(Sessions.of([["a", "c"]]), links, links.probabilities)
    >>> predicted.probabilities.tolist(), predicted.taken.tolist(), predicted.nats.round(3).tolist()
    ([0.25, 0.75], [False, True], [0.288])
    """

    session: Ints
    starts: Ints
    probabilities: Floats
    taken: Flags

    @classmethod
    def steps(cls, sessions: Sessions, links: Links, shares: Floats) -> "Predictions":
        """Return the steps of sessions by the share of each row of links among its source's."""
        visits, rows = moves_of(sessions, links)
        starts, options, taken = options_of(rows, links)
        return cls(sessions.session[visits], starts, shares[options], taken)

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


def endings(
    sessions: Sessions,
    elements: tuple[str, ...],
    stops: Floats,
    backs: Floats,
    *,
    backs_known: bool = True,
) -> dict[str, Predictions]:
    """Return whether people stopped at each visit, and whether those who did not went back.

    The last visit of a session that was cut is left out, and those of unknown elements. Those who
    came from nowhere cannot go back, and stop for sure where others go back for sure.

    Parameters
    ----------
    elements, stops, backs
        Known elements; of each, the probability of stopping, and that of going back given that
        people don't stop.
    backs_known
        Whether there is anything to know back clicks from. If not, whether to go back is no choice,
        nor is whether to stop where a back click follows that nothing else could have been.

    >>> two = endings(Sessions.of([["a", "b", "<"]]), ("a", "b"), np.zeros(2), np.array([0, 0.5]))
    >>> two["stop"].taken.tolist(), two["back"].taken.tolist()
    ([False, False, True], [True])
    """
    at = _codes(sessions, elements)
    is_path_end = np.append(sessions.is_entry[1:], True)
    is_cut = np.zeros(len(at), dtype=np.bool_)
    is_cut[sessions.starts[1:][sessions.is_cut] - 1] = True
    tried = np.flatnonzero((at >= 0) & ~is_cut)
    goes_back = np.append(sessions.is_back[1:], False)
    alone = depths(sessions.is_entry, sessions.is_back) <= 1
    on = tried[~is_path_end[tried] & ~alone[tried]]
    stop = np.where(alone & (backs[at] == 1), 1.0, stops[at])
    session = sessions.session
    if not backs_known:
        tried = tried[~(goes_back[tried] & (stop[tried] > 1 - 1e-9))]
        return {STOP: Predictions.tosses(session[tried], stop[tried], is_path_end[tried])}
    return {
        STOP: Predictions.tosses(session[tried], stop[tried], is_path_end[tried]),
        BACK: Predictions.tosses(session[on], backs[at[on]], goes_back[on]),
    }


def moves_of(sessions: Sessions, links: Links) -> tuple[Ints, Ints]:
    """Return the visits that people came to along a link, and its row; strays are left out."""
    size = len(links.elements)
    at = _codes(sessions, links.elements)
    before = np.roll(at, 1)
    keys = links.sources.astype(np.int64) * size + links.targets
    wanted = before * size + at
    row = np.searchsorted(keys, wanted)
    is_move = ~sessions.is_entry & ~sessions.is_back & (at >= 0) & (before >= 0)
    is_move &= row < len(keys)
    is_move[is_move] = keys[row[is_move]] == wanted[is_move]
    return np.flatnonzero(is_move), row[is_move]


def options_of(rows: Ints, links: Links) -> tuple[Ints, Ints, Flags]:
    """Return of steps along rows: where the options of each begin, their rows, which was taken."""
    source = links.sources[rows]
    sizes = np.diff(links.starts)[source]
    starts = np.append(0, np.cumsum(sizes))
    options = np.arange(starts[-1]) + np.repeat(links.starts[source] - starts[:-1], sizes)
    return starts, options, options == np.repeat(rows, sizes)


def _codes(sessions: Sessions, elements: tuple[str, ...]) -> Ints:
    """Return the number of each visit's element among `elements`, -1 if it is not there."""
    code = {name: number for number, name in enumerate(elements)}
    known = np.array([code.get(name, -1) for name in sessions.elements], dtype=np.int64)
    return known[sessions.element]
