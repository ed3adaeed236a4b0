"""Chunks that show spans: the union of what a list has shown."""

from typing import TYPE_CHECKING, NoReturn, TypeVar

from prum.analytic.precision.covering import covering_laws, covering_reach
from prum.analytic.precision.questions import LawQuestion
from prum.simulator.model import Covering, Task
from prum.simulator.model.browsing import browsing_of

if TYPE_CHECKING:
    from scipy import sparse

T = TypeVar("T")


class CoveringLaw:
    """The law of users who read chunks."""

    def __init__(self, task: Task, covering: Covering) -> None:
        self.task, self.covering = task, covering

    def reach(self) -> "sparse.csr_array":
        """Return what each rank alone shows."""
        return covering_reach(self.task, self.covering)

    def factors(self) -> NoReturn:
        """Raise InputError: chunks take no dials."""
        browsing_of(self.covering)
        raise AssertionError

    def answer(self, question: LawQuestion[T]) -> T | None:
        """Return the answer, a mixture given the openings that show parts of two spans."""
        laws = covering_laws(self.task, self.covering)
        if laws is None:
            return None
        u = self.task.num_unranked
        answers = [(share, question.tossed(change, u)) for share, change in laws]
        return answers[0][1] if len(answers) == 1 else question.mixed(answers)


law = CoveringLaw
