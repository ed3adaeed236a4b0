"""What simulated users read of a list and behind it, page by page, and what they pay."""

import itertools
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from prum.simulator.model import Costs, Navigation, Task
from prum.simulator.model.arrays import Floats
from prum.simulator.sampling.sampler import checked_seed, checked_users
from prum.simulator.sessions.person import people_of


@dataclass(frozen=True, slots=True, eq=False)
class Readings:
    """What users read and paid: a row for each user.

    Attributes
    ----------
    found, spent
        Distinct ideals read, and costs, by rank 1 .. o; shape (users, o).
    until
        The same at the rank where r ideals were read, or at the end of the list, r = 1 .. t;
        shape (users, t, 2).
    """

    found: Floats
    spent: Floats
    until: Floats = field(repr=False)

    def ratio(self, r: int) -> tuple[float, float]:
        """Return E[ideals] / E[cost] until r, and its standard error by the delta method."""
        ideals, costs = self.until[:, r - 1].T
        value = float(ideals.mean() / costs.mean())
        spread = (ideals - value * costs).std(ddof=1) / costs.mean()
        return value, float(spread / len(costs) ** 0.5)


def simulate_reading(
    task: Task,
    navigation: Navigation,
    *,
    num_users: int,
    seed: int,
    costs: Costs | None = None,
    paid: Literal["again", "once"] = "again",
) -> Readings:
    """Simulate users who read what they come to, to the end of the list; each pays what it costs.

    Pages cost their mean, 1 without costs; paid "once", what was read before costs nothing. From
    each element of the list users see the same as those of `play` to whom all pages are ideals.

    Parameters
    ----------
    num_users, seed
        Whole numbers.

    >>> from prum.simulator.model import Expansion
    >>> task = Task(["hub", "note"], ["a"], 20)
    >>> hub = Expansion({("hub", "a"): 0.5, ("hub", "b"): 1.0, ("note", "a"): 1.0})
    >>> users = simulate_reading(task, hub, num_users=2000, seed=1, paid="once")
    >>> bool(abs(users.ratio(1)[0] - 1 / 3.5) < 4 * users.ratio(1)[1])
    True
    """
    pages = tuple(dict.fromkeys((*task.ideals, *task.ranking, *navigation.links.elements)))
    whole = Task(task.ranking, pages, len(pages) + task.num_ranked)
    people, ideals = people_of(whole, navigation, checked_seed(seed)), frozenset(task.ideals)
    price = dict.fromkeys(pages, 1.0)
    look = move = 0.0
    if costs is not None:
        price = {page: float(costs.reading(costs.length_of(page))) for page in pages}
        look, move = costs.judge.mean, costs.move.mean
    num_users = checked_users(num_users)
    counts, spent = (np.empty((num_users, task.num_ranked)) for _ in range(2))
    for user in range(num_users):
        read, paid_for = set[str](), 0.0
        listed = itertools.islice(people.person(user).consultations(), task.num_ranked)
        for rank, consultation in enumerate(listed):
            here = set[str]()
            for origin, page in consultation.shown:
                if page not in here and not (paid == "once" and page in read):
                    paid_for += price[page]
                paid_for += move if origin and page not in here else 0.0
                here.add(page)
            read |= here
            paid_for += look
            counts[user, rank], spent[user, rank] = len(read & ideals), paid_for
    until = np.empty((num_users, task.num_ideals, 2))
    each = np.arange(num_users)
    for r in range(1, task.num_ideals + 1):
        last = np.where((counts >= r).any(axis=1), (counts >= r).argmax(axis=1), -1)
        until[:, r - 1] = np.stack([counts[each, last], spent[each, last]], axis=1)
    return Readings(counts, spent, until)
