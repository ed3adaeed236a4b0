"""Budgets: how many users a simulated cell gets, and in which parts they are simulated."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from prum.experiments.sweeps.cells import Cell, UsersOfPart, missing
from prum.simulator.sampling.sampler import next_look
from prum.simulator.sampling.simulation import Simulation
from prum.simulator.sampling.streams import BLOCK

# Numbers that a part's users need, about: a tenth of a second's work, to lose or to hand out.
_PART_NUMBERS = 1 << 24
_PART_BLOCKS = 64


@dataclass(frozen=True, slots=True)
class UserBudget:
    """Users of each simulated cell: a number, or as many as a narrow interval needs.

    Parameters
    ----------
    num_users
        Users of each cell: a number, or a function of the cell.
    half_width, confidence, max_users
        Instead of `num_users`: users until precision's interval has this half-width or less at
        each recall value, or until there are `max_users`. As in `prum.simulator.simulate`.
    whole
        Simulate each cell's users at once, not in parts.
    """

    num_users: int | Callable[[Cell], int] | None = None
    half_width: float | None = None
    confidence: float = 0.95
    max_users: int = 100_000_000
    whole: bool = False

    def users_of(self, cell: Cell) -> int | None:
        """Return the number of users of a simulated cell, None if its interval decides."""
        return self.num_users(cell) if callable(self.num_users) else self.num_users

    def missing(
        self, cell: Cell, parts: Sequence[UsersOfPart], result: Callable[[], Simulation]
    ) -> list[UsersOfPart]:
        """Return the users to be simulated next; none if the cell is done. A formula is (0, 0).

        `parts` are those of the cell so far, `result` adds them up.
        """
        if cell.estimator != "simulated":
            return [] if parts else [(0, 0)]
        if (users := self.users_of(cell)) is not None:
            gaps = missing(parts, (0, users))
            return gaps if self.whole else _cut(cell, gaps)
        gaps = missing(parts, (0, self.max_users))
        done = gaps[0][0] if gaps else self.max_users
        look = next_look(done, self.max_users)
        if look is None:
            return []
        needed = missing(parts, (0, look))
        # Only a look decides, and one already passed does not: so it does not matter where an
        # earlier run was cut off.
        looks = done > 0 and done == next_look(done - 1, self.max_users)
        if looks and needed == [(gaps[0][0], look - done)] and self.is_met(result()):
            return []
        return needed if self.whole else _cut(cell, needed)

    def is_met(self, simulation: Simulation) -> bool:
        """Return whether the half-width that was asked for, if any, is reached."""
        if self.half_width is None:
            return False
        recall = range(1, simulation.num_ideals + 1)
        return simulation.widest(recall, self.confidence) <= self.half_width

    def stopped(self, simulation: Simulation) -> str:
        """Return why a finished simulation has the users it has: users, half-width, or budget."""
        if self.half_width is None:
            return "users"
        return "half-width" if self.is_met(simulation) else "budget"


def _cut(cell: Cell, gaps: list[UsersOfPart]) -> list[UsersOfPart]:
    """Return the same users in parts of a tenth of a second or so, cut at fixed places."""
    # A formula's user needs a number for each ideal; a walker some for each rank.
    numbers = cell.num_ideals if cell.navigation == "independent" else 4 * cell.num_ranked
    blocks = max(1, min(_PART_BLOCKS, _PART_NUMBERS // (max(numbers, 1) * BLOCK)))
    size = blocks * BLOCK
    pieces = []
    for first, count in gaps:
        edges = [first, *range((first // size + 1) * size, first + count, size), first + count]
        pieces += [(begin, end - begin) for begin, end in pairwise(edges)]
    return pieces
