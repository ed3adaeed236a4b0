"""What users of every system have in common."""

from collections.abc import Iterable
from dataclasses import dataclass

from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import Task
from prum.simulator.model.costs import Costs, Duration
from prum.simulator.model.errors import whole_number
from prum.simulator.model.stopping import Rule, Stopping, stopping_on
from prum.simulator.sampling.streams import MOST_USERS
from prum.simulator.sessions.crowd import Geometric, House, Poisson, Query, house_of
from prum.simulator.sessions.trace import Detail


@dataclass(frozen=True, slots=True)
class Settings:
    """What users of every system have in common.

    Parameters
    ----------
    num_users, first_user, seed, arrivals, queries_each, pause, costs, detail
        As in `traffic`.
    wanted
        How many ideals they want, all where there are fewer.
    rules
        Other rules by which they stop. Without any rule they want all ideals.

    Raises
    ------
    InputError
        for a number of ideals that is not a whole number of at least 1.
    """

    num_users: int
    seed: int
    first_user: int = 0
    wanted: int | None = None
    rules: tuple[Rule, ...] = ()
    arrivals: Poisson | None = None
    queries_each: int | Geometric | None = None
    pause: Duration | None = None
    costs: Costs | None = None
    detail: Detail = "every"

    def __post_init__(self) -> None:
        whole_number("users", self.num_users, least=1, most=MOST_USERS, remedy="give 1000, say")
        whole_number("user", self.first_user, least=0, most=MOST_USERS, remedy="give a number")
        if self.wanted is not None:
            whole_number("want", self.wanted, least=1, remedy="say how many ideals they want")

    @property
    def users(self) -> range:
        """Their numbers."""
        return range(self.first_user, self.first_user + self.num_users)

    def stopping(self, task: Task) -> Stopping:
        """Return the rules by which a user stops on a task."""
        return stopping_on(task.num_ideals, wanted=self.wanted, rules=self.rules)

    def mean_queries(self, num_topics: int) -> float:
        """Return how many of so many topics a user takes in the mean."""
        if not isinstance(self.queries_each, Geometric):
            return min(self.queries_each or num_topics, num_topics)
        more = 1 - 1 / self.queries_each.mean
        return float(sum(more**k for k in range(num_topics)))

    def house(self, campaign: Campaign, system: str, topics: Iterable[str] | None = None) -> House:
        """Return where the users of a system meet, facing its lists of all topics or some.

        Raises
        ------
        InputError
            as `traffic`.
        """
        tasks = {topic: campaign.task(system, topic) for topic in topics or campaign.ideals}
        return house_of(
            [
                Query(topic, task, campaign.navigation_on(topic), self.stopping(task))
                for topic, task in tasks.items()
            ],
            seed=self.seed,
            arrivals=self.arrivals,
            queries_each=self.queries_each,
            pause=self.pause,
            costs=self.costs,
            detail=self.detail,
        )
