"""Users of several types: shares' means of what the types' laws say."""

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from prum.analytic.precision.laws.law import law_of
from prum.analytic.precision.questions import LawQuestion
from prum.simulator.model import Mixture, Task
from prum.simulator.model.arrays import Floats

if TYPE_CHECKING:
    from scipy import sparse

T = TypeVar("T")


class MixtureLaw:
    """The law of users whose type is drawn once."""

    def __init__(self, task: Task, mixture: Mixture) -> None:
        self.shares, self.laws = mixture.shares, [law_of(task, way) for way in mixture.types]

    def reach(self) -> "sparse.csr_array":
        """Return the mean of P(l_i -> x)."""
        first, *others = (law.reach() for law in self.laws)
        mean = first
        for share, reach in zip(self.shares[1:], others, strict=True):
            # What is certain for all types is certain, whatever rounding makes of shares.
            mean = mean + share * (reach - first)
        mean.data.clip(0, 1, out=mean.data)
        return mean

    def factors(self) -> Floats:
        """Return the mean of the types' factors."""
        mean: Floats = np.array(self.shares) @ np.stack([law.factors() for law in self.laws])
        return mean

    def answer(self, question: LawQuestion[T]) -> T | None:
        """Return the mean of the types' answers, where all have one."""
        answers = [law.answer(question) for law in self.laws]
        closed = [answer for answer in answers if answer is not None]
        if len(closed) < len(answers) or not question.mixable(closed):
            return None
        return question.mixed(zip(self.shares, closed, strict=True))


law = MixtureLaw
