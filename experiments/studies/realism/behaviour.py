"""Numbers that tell what people did: clicks, consultations, and the paths they walked."""

from typing import TYPE_CHECKING

import numpy as np

from prum.experiments.studies.realism.distances import GroupedSample
from prum.experiments.studies.realism.reading import Paths

if TYPE_CHECKING:
    import pandas as pd

    from prum.simulator.collections.clicks import ClickLog

# A session of a log is a search: all searches of a user are what others call a session.
_SEARCH, _VISIT = ["system", "user", "session"], ["system", "user"]


def last_ranks_of_log(log: "pd.DataFrame") -> GroupedSample:
    """Return the last rank consulted in each search; a user's belong together.

    The users of all systems are the same ones, whose chance is the same too.
    """
    last = _consulted(log).groupby(_SEARCH, sort=False, observed=True)["rank"].last()
    return GroupedSample.of(last.to_numpy(), last.index.get_level_values("user").to_numpy())


def last_ranks_of_clicks(clicks: "ClickLog") -> GroupedSample:
    """Return the rank clicked last in each search with a click; a session's belong together."""
    sessions, ranks = np.nonzero(clicks.last)
    times = clicks.last[sessions, ranks]
    return GroupedSample.of(np.repeat(ranks + 1, times), np.repeat(sessions, times))


def consulted_of_log(log: "pd.DataFrame") -> GroupedSample:
    """Return the number of consultations in all searches of each user; those of a user of several
    systems belong together.
    """
    sizes = _consulted(log).groupby(_VISIT, sort=False, observed=True).size()
    return GroupedSample.of(sizes.to_numpy(), sizes.index.get_level_values("user").to_numpy())


def clicked(clicks: "ClickLog") -> GroupedSample:
    """Return the number of clicks of each session that has some."""
    return GroupedSample.of(clicks.every.sum(axis=1))


def searches_of_log(log: "pd.DataFrame") -> float:
    """Return the mean number of searches of a user."""
    searches = log[_SEARCH].drop_duplicates()
    return len(searches) / len(searches[_VISIT].drop_duplicates())


def paths_of_log(log: "pd.DataFrame") -> Paths:
    """Return the paths of a log: what a user saw from each element that he consulted."""
    number = (log["action"] == "consult").cumsum()
    seen = log["action"] == "see"
    walks = log[seen].groupby(number[seen], sort=False)
    found = walks.agg(length=("element", "size"), distinct=("element", "nunique"))
    return Paths(*(found[name].to_numpy(np.int64, copy=True) for name in ("length", "distinct")))


def path_lengths(paths: Paths) -> GroupedSample:
    """Return the number of elements of each path."""
    return GroupedSample.of(paths.lengths)


def revisits(paths: Paths) -> GroupedSample:
    """Return how many elements of each path were on it before."""
    return GroupedSample.of(paths.lengths - paths.distinct)


def _consulted(log: "pd.DataFrame") -> "pd.DataFrame":
    return log[log["action"] == "consult"]
