"""How long users will take, and how large their log will be, judged by trying a few of them."""

import io
import itertools
import pickle
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from prum.experiments.sessions.log import LogRow, columns_of, row_of
from prum.experiments.sessions.settings import Settings
from prum.experiments.views.row_files import Format, encoded, format_of, row_writer
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model.process import own_processors
from prum.simulator.sessions.crowd import House

# Sessions tried of each list, at most one in so many of all, and none after so many seconds.
_TRIED_EACH = 4
_SHARE = 10
_LONGEST = 0.4
# Seconds until processes beside this one are at work.
STARTING = 3.0


@dataclass(frozen=True, slots=True)
class Outlook:
    """What it will take.

    Parameters
    ----------
    num_sessions
        Of all systems.
    shared, alone, passing
        Seconds of one processor: what workers can share, what this process does by itself, and
        what workers cost.
    num_rows, num_bytes
        Of the log; 0 without one.
    """

    num_sessions: int = 0
    shared: float = 0.0
    alone: float = 0.0
    passing: float = STARTING
    num_rows: int = 0
    num_bytes: int = 0

    def seconds(self, workers: int) -> float:
        """Return how long it will take on so many processes."""
        return self.shared / workers + self.alone + (self.passing if workers > 1 else 0)

    @property
    def workers(self) -> int:
        """How many processes to take: all processors, if they are done before this one alone."""
        return min((own_processors(), 1), key=self.seconds)


def outlook_of(
    campaigns: Sequence[Campaign], settings: Settings, log: str | Path | None, *, stretches: bool
) -> Outlook:
    """Return what these users will take, by trying some; nothing if there are few to try.

    Raises
    ------
    InputError
        as `traffic`.
    """
    lists = [
        (campaign, system, topic)
        for topics in itertools.zip_longest(*(campaign.ideals for campaign in campaigns))
        for campaign, topic in zip(campaigns, topics, strict=True)
        if topic is not None
        for system in campaign.runs
    ]
    asked = sum(
        settings.num_users * len(campaign.runs) * settings.mean_queries(len(campaign.ideals))
        for campaign in campaigns
    )
    users = settings.users[:_TRIED_EACH]
    trials: list[_Trial] = []
    began = time.process_time()
    for campaign, system, topic in lists[: int(asked / _SHARE / len(users))]:
        if time.process_time() - began > _LONGEST:
            break
        house = replace(settings, arrivals=None).house(campaign, system, (topic,))
        trials.append(_tried(house, system, users, is_logged=log is not None, stretches=stretches))
    if not trials:
        return Outlook()
    num_tried = len(trials) * len(users)
    if log is not None:
        _size([], format_of(log, what="log"), stretches=stretches)  # loads what writes it
    rows = [row for trial in trials for row in trial.rows]
    began = time.process_time()
    num_bytes = 0 if log is None else _size(rows, format_of(log, what="log"), stretches=stretches)
    writing = time.process_time() - began
    making = sum(trial.making for trial in trials) / len(trials)
    return Outlook(
        num_sessions=round(asked),
        shared=making * len(lists) + sum(trial.playing for trial in trials) / num_tried * asked,
        alone=(writing + sum(trial.telling for trial in trials)) / num_tried * asked,
        passing=STARTING + sum(trial.passing for trial in trials) / num_tried * asked,
        num_rows=round(len(rows) / num_tried * asked),
        num_bytes=round(num_bytes / num_tried * asked),
    )


@dataclass(frozen=True, slots=True)
class _Trial:
    """What some users took on one list: seconds, and the rows of their log."""

    making: float
    playing: float
    telling: float
    passing: float
    rows: list[LogRow]


def _tried(house: House, system: str, users: range, *, is_logged: bool, stretches: bool) -> _Trial:
    began = time.process_time()
    house.sessions(users[0])  # with all that is made for the first of them
    made = time.process_time()
    played = [house.sessions(user) for user in users]
    done = time.process_time()
    playing, telling, passing, rows = done - made, 0.0, 0.0, list[LogRow]()
    if is_logged:
        entries = house.entries(users, iter(played))
        rows = [row_of(system, entry, stretches=stretches) for entry in entries]
        told = time.process_time()
        pickle.loads(pickle.dumps(played))
        telling, passing = told - done, time.process_time() - told
    making = max(made - began - playing / len(users), 0.0)
    return _Trial(making, playing, telling, passing, rows)


def _size(rows: list[LogRow], ending: Format, *, stretches: bool) -> int:
    """Return how many bytes these rows are in a log."""
    columns, file = columns_of(stretches=stretches), io.BytesIO()
    writer = row_writer(file, columns, ending)
    if rows:
        writer.write(encoded(columns, list(zip(*rows, strict=True)), ending))
    writer.close()
    return file.tell()
