"""Lists taken as sets: precision and recall of all that was retrieved, and what joins the two."""

from collections.abc import Iterable
from dataclasses import dataclass

from prum.analytic.ranked.classical import checked_ideals
from prum.analytic.ranked.ranks import checked_ids
from prum.simulator.model.errors import amount


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What a list has retrieved: its elements, the ideals among them, and all ideals.

    As trec_eval's measures of sets (set_P, set_relative_P, set_recall, set_F, set_map). An empty
    list has 0 throughout.

    >>> result = retrieved(["c", "a", "d", "b"], ["a", "b", "e"])
    >>> result.precision, round(result.recall, 4), round(result.f(), 4)
    (0.5, 0.6667, 0.5714)
    """

    elements: int
    found: int
    ideals: int

    @property
    def precision(self) -> float:
        """Ideals retrieved over elements retrieved; in [0, 1]."""
        return self.found / self.elements if self.elements else 0.0

    @property
    def relative_precision(self) -> float:
        """Precision over the highest of a list so long; in [0, 1]."""
        most = min(self.elements, self.ideals)
        return self.found / most if most else 0.0

    @property
    def recall(self) -> float:
        """Ideals retrieved over all ideals; in [0, 1]."""
        return self.found / self.ideals

    @property
    def average_precision(self) -> float:
        """Precision times recall: AP if every ideal retrieved had the list's precision."""
        return self.precision * self.recall

    def f(self, beta: float = 1.0) -> float:
        """Return (β + 1) P R / (β P + R), the harmonic mean of precision and recall at β = 1.

        β is how much recall matters beside precision, as trec_eval has it; van Rijsbergen's
        formula has β² in its place.

        Raises InputError if β is negative or not finite.

        >>> Retrieved(4, 2, 3).f(4.0) == 5 * 2 / (4 * 3 + 4)
        True
        """
        weight = amount("beta", beta, remedy="give 1, say")
        below = weight * self.ideals + self.elements
        return (weight + 1) * self.found / below if self.found else 0.0


def retrieved(ranking: Iterable[str], ideals: Iterable[str]) -> Retrieved:
    """Return what a list has retrieved; an element that stands in it twice is retrieved twice.

    An ideal counts as found once.

    Raises
    ------
    InputError
        if there is no ideal, or an id is empty or no text.

    >>> retrieved(["c", "a", "a"], ["a", "b"])
    Retrieved(elements=3, found=1, ideals=2)
    """
    wanted = checked_ideals(ideals)
    listed = checked_ids("ranking", ranking)
    return Retrieved(len(listed), len(wanted.keys() & listed), len(wanted))
