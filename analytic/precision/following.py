"""What is followed costs: what users read of a list and behind it, by rank and until r ideals.

With p_iy = P(page y is read from rank i), an element itself with 1, c_y what y costs, S_i the pages
read by rank i, and F_i the ideals among them, ranks being independent (Hypothesis 2.1):

    by rank k:  E[ideals] = sum_x (1 - prod_{i<=k} (1 - p_ix))
                E[cost]   = sum_{i<=k} sum_y c_y p_iy                       paid again by each rank
                          = sum_y c_y (1 - prod_{i<=k} (1 - p_iy))          paid once
    until r:    E[ideals] = sum_i sum_x p_ix P(F_{i-1} < r, x not in S_{i-1})
                E[cost]   = sum_i P(F_{i-1} < r) sum_y c_y p_iy             paid again
                          = sum_i sum_y c_y p_iy P(F_{i-1} < r, y not in S_{i-1})       paid once

What a look in the list costs is paid at each rank. A user stops between ranks: who sees more than r
ideals from the last one has read them all, and paid. Nothing behind the list is counted.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from prum.analytic.precision.joint import moebius, set_sizes
from prum.analytic.precision.laws.law import law_of
from prum.analytic.precision.of_task import consulted_law
from prum.analytic.precision.reach import checked_reach, checked_recall, unseen_after
from prum.analytic.precision.seen import changes, fewer_than
from prum.simulator.model import Costs, InputError, ListCosts, Navigation, Task
from prum.simulator.model.arrays import Floats, Ints

Paid = Literal["again", "once"]

# Sets of ideals times pages, twice, of which an expansion's law is asked at once: a second a seed.
_MOST_CELLS = 1 << 26
# What costs nothing counts as this share of what costs most: costs of ranks are positive.
_LEAST_SHARE = 2.0**-40


@dataclass(frozen=True, eq=False)
class Reading:
    """What users read who look for the ideals of a task, and what it costs in the mean.

    Costs are those of `Costs`: `judge` at each rank; `read` and by length for each page, the
    consulted one too; `move` to each page but that one.

    Parameters
    ----------
    task, navigation
        The task, and how users browse.
    costs
        What pages cost; by default 1 each.

    Raises InputError for users who differ or change with what they have seen: their ranks depend on
    each other. And for `Tied` and `Covering`.

    >>> from prum.simulator.model import Expansion
    >>> task = Task(["hub", "note"], ["a"], 20)
    >>> hub = Expansion({("hub", "a"): 0.5, ("hub", "b"): 1.0, ("note", "a"): 1.0})
    >>> reading = Reading(task, hub)
    >>> reading.along("again").ranked.tolist(), reading.along("once").ranked.tolist()
    ([2.5, 2.0], [2.5, 1.5])
    >>> reading.until(1, "once")    # half of the users go on to the note, and read a there
    (1.0, 3.5)
    """

    task: Task
    navigation: Navigation
    costs: Costs | None = None

    def __post_init__(self) -> None:
        way = self.navigation
        rule, remedy = "be of users who are alike, whatever they have seen", "leave its dials out"
        if way.expansion is not None and way.expansion.tosses == "reader":
            rule, remedy = "toss links for each seed", "leave reader out"
        elif not (
            way.is_tied
            or way.reading is not None
            or way.types
            or {*way.turned} - {"fading", "documents", "unranked"}
        ):
            return
        raise InputError("navigation", way, f"{rule}, for costs of what is read", remedy=remedy)

    @cached_property
    def pages(self) -> tuple[str, ...]:
        """The pages that may be read: ideals first, then others in the order of hops."""
        links, way = self.navigation.links, self.navigation
        starts, targets = links.starts, links.targets
        hops = len(links.elements) if way.base.is_walk else 1
        if way.expansion is not None:
            hops = way.expansion.hops
            starts, targets, _ = way.expansion.offered()
        pages = dict.fromkeys((*self.task.ideals, *self.task.ranking))
        level = np.array([links.code[x] for x in {*self.task.ranking} if x in links.code], int)
        read = np.zeros(len(links.elements), dtype=np.bool_)
        for _ in range(hops):
            read[level] = True
            behind = [targets[starts[x] : starts[x + 1]] for x in level.tolist()]
            level = np.unique(np.concatenate([np.empty(0, np.int64), *behind])).astype(np.int64)
            level = level[~read[level]]
            if not len(level):
                break
            pages |= dict.fromkeys(links.elements[x] for x in level.tolist())
        return tuple(pages)

    @cached_property
    def _law(self) -> Any:
        """The law of users to whom every page is an ideal."""
        size = len(self.pages) + self.task.num_ranked
        return law_of(Task(self.task.ranking, self.pages, size), self.navigation)

    @property
    def _sorted(self) -> list[int]:
        """Places in `pages` in the order in which a task has its ideals."""
        return sorted(range(len(self.pages)), key=self.pages.__getitem__)

    @cached_property
    def read(self) -> Floats:
        """p_iy, shape (o, pages); the second occurrence of an element reads nothing more."""
        order = self._sorted
        dense = np.empty((self.task.num_ranked, len(self.pages)))
        dense[:, order] = self._law.reach().toarray()
        return dense

    @property
    def is_exact(self) -> bool:
        """Whether p_iy is known, and not bounded from above."""
        seeds = getattr(self._law, "seeds", ())
        return all(seed is None or seed.is_known for seed in seeds)

    @cached_property
    def prices(self) -> Floats:
        """What reading each page costs, shape (pages,)."""
        if self.costs is None:
            return np.ones(len(self.pages))
        each = self.costs.reading([self.costs.length_of(page) for page in self.pages])
        for x in np.flatnonzero((each == 0) & self.read.any(axis=0)):
            if (page := self.pages[x]) not in self.costs.lengths:
                thing, remedy = f"{self.costs.quantity} of {page!r}", "give what each page costs"
                raise InputError(thing, None, "be given where it is read", remedy=remedy)
        return each

    @cached_property
    def _look(self) -> Floats:
        """What each rank costs apart from pages: a look, and moves to what is followed."""
        if self.costs is None:
            return np.zeros(self.task.num_ranked)
        followed = self.read.sum(axis=1) - (self.read[self._itself] == 1)
        looks: Floats = self.costs.judge.mean + self.costs.move.mean * followed
        return looks

    @property
    def _itself(self) -> tuple[Ints, Ints]:
        """Each rank's own element, as places in `read`."""
        place = {page: x for x, page in enumerate(self.pages)}
        places = np.array([place[x] for x in self.task.ranking], dtype=np.int64)
        return np.arange(len(places)), places

    def along(self, paid: Paid = "again") -> ListCosts:
        """Return what each rank costs in the mean; what was read before costs nothing if paid once.

        Paid again, these costs make E[cost until r] of any measure exact. Behind the list an
        element costs what `Costs.along` says.

        Raises InputError as `Costs.along`.
        """
        listed = ListCosts.units(self.task.num_ranked)
        if self.costs is not None:
            listed = self.costs.along(self.task)
        if paid == "once":
            each = self._look + (unseen_after(self.read)[:-1] * self.read) @ self.prices
        else:
            each = self._look + self.read @ self.prices
            repeated = self.read[self._itself] == 0  # it is read again
            each[repeated] += self.prices[self._itself[1]][repeated]
        least = _LEAST_SHARE * max(each.max(initial=0), listed.unranked)
        return ListCosts(np.maximum(each, least), listed.unranked, unit=listed.unit)

    def by_rank(self, k: int | None = None, paid: Paid = "again") -> tuple[float, float]:
        """Return E[ideals read] and E[cost] of the first k ranks, of all by default."""
        seen = 1 - unseen_after(self.read[:k])[-1, : self.task.num_ideals]
        return float(seen.sum()), float(self.along(paid).ranked[:k].sum())

    def until(self, r: int, paid: Paid = "again") -> tuple[float, float]:
        """Return E[ideals read] and E[cost] until r ideals are read or the list ends.

        Raises InputError for r outside 1 .. t, and where there is no closed form.
        """
        t, once = self.task.num_ideals, paid == "once"
        r = checked_recall(r, t)
        certain = bool(np.isin(self.read, (0, 1)).all())
        if self.navigation.tossed is not None or certain:
            wanting, unread = self._tossed(r, once=once)
        elif self.navigation.expansion is not None:
            wanting, unread = self._together(r, once=once)
        else:
            law = consulted_law(self.task, self.navigation)
            if law is None or r > 1 or once:
                rule = "be expansion or independent beyond r=1, or where pages are paid once"
                raise InputError("navigation", self.navigation, rule, remedy="take r=1, paid again")
            wanting = law.wanting[:-1, 0]
            unread = np.repeat(wanting[:, np.newaxis], t, axis=1)
        num_seen = float((self.read[:, :t] * unread[:, :t]).sum())
        if once:
            return num_seen, float(
                wanting @ self._look + ((self.read * unread) @ self.prices).sum()
            )
        return num_seen, float(wanting @ self.along().ranked)

    def _tossed(self, r: int, *, once: bool) -> tuple[Floats, Floats]:
        """Return P(F_{i-1} < r), and with page y unread, where pages are read independently."""
        t = self.task.num_ideals
        reach = self.read[:, :t]
        unread = unseen_after(self.read if once else reach)[:-1]
        wanting = fewer_than(changes(checked_reach(reach)), np.array([r]))[0][:-1, 0]
        unread[:, t:] *= wanting[:, np.newaxis]
        for x in range(t if r < t else 0):
            others = changes(checked_reach(np.delete(reach, x, axis=1)))
            unread[:, x] *= fewer_than(others, np.array([r]))[0][:-1, 0]
        return wanting, unread

    def _together(self, r: int, *, once: bool) -> tuple[Floats, Floats]:
        """Return the same of an expansion, from P(no ideal outside A is read, nor page y)."""
        t, num_pages = self.task.num_ideals, len(self.pages) if once else self.task.num_ideals
        cells = (num_pages + 1 << t) * len(self.pages)
        if cells > _MOST_CELLS or not self.is_exact:
            rule = "be at most 2 hops, or 3 from few uncertain links, and of few pages and ideals"
            remedy = "take expansion 2, certain links or paid=again, or simulate it"
            raise InputError("navigation", self.navigation, rule, remedy=remedy)
        sets = (np.arange(1 << t)[:, np.newaxis] >> np.arange(t) & 1).astype(np.bool_)
        allowed = np.ones((num_pages + 1, 1 << t, len(self.pages)), dtype=np.bool_)
        allowed[:, :, :t] = sets
        allowed[np.arange(num_pages), :, np.arange(num_pages)] = False  # the last leaves none out
        flat = np.empty_like(allowed.reshape(-1, len(self.pages)))
        flat[:, :] = allowed.reshape(-1, len(self.pages))[:, self._sorted]
        within = np.ones((num_pages + 1) << t)
        wanting = np.empty((self.task.num_ranked, num_pages + 1))
        below = set_sizes(t) < r
        for i, seed in enumerate(self._law.seeds):
            wanting[i] = moebius(within.reshape(-1, 1 << t), t)[:, below].sum(axis=1)
            if seed is not None:
                within = within * seed.missing(flat)
        return wanting[:, -1], wanting[:, :-1]
