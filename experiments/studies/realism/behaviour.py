"""Behaviour of people: the ends of searches, numbers of clicks, and the paths they walked."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from prum.experiments.statistics.distances import GroupedSample
from prum.simulator.model.arrays import Ints

if TYPE_CHECKING:
    import pandas as pd

    from prum.simulator.collections.clicks import ClickLog

# A session of a log is a search: all searches of a user are what others call a session.
_SEARCH, _VISIT = ["system", "user", "session"], ["system", "user"]


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """The number of elements of each path, and of different ones.

    `one_draw` says whether they depend on each other, as those of users who walk from the same
    pages of the same lists.
    """

    lengths: Ints
    distinct: Ints
    one_draw: bool = False

    def num_elements(self) -> GroupedSample:
        """Return the number of elements of each path."""
        return self._sample(self.lengths)

    def revisits(self) -> GroupedSample:
        """Return how many elements of each path were on it before."""
        return self._sample(self.lengths - self.distinct)

    def _sample(self, values: Ints) -> GroupedSample:
        return GroupedSample.whole(values) if self.one_draw else GroupedSample.of(values)


@dataclass(frozen=True, slots=True, eq=False)
class Behaviour:
    """Searches and clicks of people.

    Parameters
    ----------
    last_ranks
        The last rank consulted or clicked in each search; a person's belong together, and in a log
        those of a topic, on whose lists they hang.
    clicks
        Clicks of each session that has some; of a log, consultations in all searches of each user,
        which depend on each other where users search for the same topics.
    searches
        The mean number of searches of a person.
    list_length
        Of every list, where all are equally long.
    """

    last_ranks: GroupedSample
    clicks: GroupedSample
    searches: float
    list_length: int | None = None


def behaviour_of_log(log: "pd.DataFrame") -> Behaviour:
    """Return what users of a log did."""
    consulted = log[log["action"] == "consult"]
    consulted = consulted.assign(rank=consulted["rank"] + consulted["elements"] - 1)
    last = consulted.groupby(_SEARCH, sort=False, observed=True)[["rank", "query"]].last()
    sizes = consulted.groupby(_VISIT, sort=False, observed=True)["elements"].sum()
    searches = log[_SEARCH].drop_duplicates()
    return Behaviour(
        GroupedSample.of(last["rank"].to_numpy(), last["query"].factorize()[0], unit="topic"),
        GroupedSample.whole(sizes.to_numpy()),
        searches=len(searches) / len(searches[_VISIT].drop_duplicates()),
    )


def behaviour_of_clicks(clicks: "ClickLog") -> Behaviour:
    """Return what people did whose clicks a search engine logged."""
    sessions, ranks = np.nonzero(clicks.last)
    times = clicks.last[sessions, ranks]
    return Behaviour(
        GroupedSample.of(np.repeat(ranks + 1, times), np.repeat(sessions, times)),
        GroupedSample.of(clicks.every.sum(axis=1)),
        searches=clicks.num_searches / clicks.num_sessions,
        list_length=clicks.last.shape[1],
    )


def paths_of_log(log: "pd.DataFrame") -> Paths:
    """Return the paths of a log: what users saw from each element that they consulted."""
    number = (log["action"] == "consult").cumsum()
    seen = log["action"] == "see"
    walks = log[seen].groupby(number[seen], sort=False)
    counts = walks.agg(length=("element", "size"), distinct=("element", "nunique"))
    lengths, distinct = (
        counts[name].to_numpy(np.int64, copy=True) for name in ("length", "distinct")
    )
    return Paths(lengths, distinct, one_draw=True)
