"""What is the person's, of all that differs between sessions, and how much of a step the goal's."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prum.experiments.fitting.predictions import options_of
from prum.experiments.logs.sessions import Sessions
from prum.experiments.statistics.intervals import Interval
from prum.experiments.studies.people.steps import (
    PeopleRow,
    Steps,
    beside,
    groups,
    left_out,
    owners,
    ratio,
    row,
)
from prum.simulator.model import Links
from prum.simulator.model.arrays import Flags, Floats, Ints

PERSONS = "persons"
# Sessions of a person that count, so that none counts for many; and of an entry whose mean is taken
# out.
MOST_OF_PERSON, LEAST_OF_ENTRY = 20, 5


def by_person(
    sessions: Sessions,
    values: Mapping[str, Floats],
    permutations: int,
    rng: np.random.Generator,
) -> list[PeopleRow]:
    """Return the share of variance between persons of what is known of each session, with p.

    The control is the same with sessions dealt to persons anew.

    `values`: by quantity, of each session; NaN where it has none.
    """
    rows = []
    for name, value in values.items():
        chosen = _chosen(sessions.person, ~np.isnan(value), rng)
        person = sessions.person[chosen]
        if len(np.unique(person)) < 2 or len(chosen) == len(np.unique(person)):
            continue
        entries = sessions.element[sessions.starts[:-1]][chosen]
        rest = _without_means(value[chosen], entries)
        dealt = [rng.permutation(person) for _ in range(permutations)]
        interval, control = (_with_interval(rest, each, rng) for each in (person, dealt[0]))
        above = sum(between(rest, each) >= interval[0] for each in dealt)
        p = (1 + above) / (permutations + 1)
        size = len(np.unique(person))
        rows.append(row(PERSONS, name, interval, 0, control, size, "persons", p))
    return rows


def between(values: Floats, persons: Ints) -> float:
    """Return the share of variance that is between persons: the intraclass correlation.

    By the analysis of variance, unbalanced (Donner 1986); below 0 where persons differ less than
    chance lets them.

    >>> between(np.array([1.0, 1.0, 3.0, 3.0]), np.array([0, 0, 1, 1]))
    1.0
    """
    _, own, sizes = np.unique(persons, return_inverse=True, return_counts=True)
    n, k = len(values), len(sizes)
    means = np.bincount(own, values) / sizes
    inside = float(((values - means[own]) ** 2).sum()) / (n - k)
    outside = float((sizes * (means - values.mean()) ** 2).sum()) / (k - 1)
    size = (n - float((sizes**2).sum()) / n) / (k - 1)
    total = outside + (size - 1) * inside
    return (outside - inside) / total if total else 0.0


def _with_interval(values: Floats, persons: Ints, rng: np.random.Generator) -> Interval:
    return left_out(groups(persons, rng), lambda kept: between(values[kept], persons[kept]))


def _chosen(persons: Ints, known: Flags, rng: np.random.Generator) -> Ints:
    """Return sessions of persons who have two at least, at random those that count."""
    order = rng.permutation(np.flatnonzero(known & (persons >= 0)))
    order = order[np.argsort(persons[order], kind="stable")]
    _, first, sizes = np.unique(persons[order], return_index=True, return_counts=True)
    place = np.arange(len(order)) - np.repeat(first, sizes)
    return order[(place < MOST_OF_PERSON) & (np.repeat(sizes, sizes) > 1)]


def _without_means(values: Floats, entries: Ints) -> Floats:
    """Return values less the mean of their entry, or of all where an entry has few."""
    _, own, sizes = np.unique(entries, return_inverse=True, return_counts=True)
    means = np.where(
        sizes >= LEAST_OF_ENTRY, np.bincount(own, values) / sizes, float(values.mean())
    )
    rest: Floats = values - means[own]
    return rest


# --- how much of a step is the goal's -------------------------------------------------------------


Bytes = NDArray[np.uint8]

GOALS = "goals"
# Sessions whose moves count, at random: a choice has as many alternatives as its page has links.
MOST_SESSIONS = 4_000


@dataclass(frozen=True, slots=True, eq=False)
class _Choices:
    """Choices among links: of each link that could be taken its choice, and what it has to it.

    starts[i] is the first link of choice i, taken[i] the link that was taken; log_base has log
    probabilities without the goal, features whether the link leads to it, closer, or away.
    """

    starts: Ints
    taken: Ints
    log_base: Floats
    features: Floats

    def losses(self, slopes: Floats) -> tuple[Floats, Floats]:
        """Return -log p of each choice, and its gradient by the slopes, a row for each choice."""
        score = self.log_base + self.features @ slopes
        top = np.maximum.reduceat(score, self.starts)
        weight = np.exp(score - np.repeat(top, self._sizes))
        total = np.add.reduceat(weight, self.starts)
        share = weight / np.repeat(total, self._sizes)
        expected = np.add.reduceat(share[:, None] * self.features, self.starts, axis=0)
        loss: Floats = top + np.log(total) - score[self.taken]
        return loss, expected - self.features[self.taken]

    @property
    def _sizes(self) -> Ints:
        return np.diff(self.starts, append=len(self.log_base))


def by_goals(steps: Steps, made: Steps, theta: Floats, rng: np.random.Generator) -> list[PeopleRow]:
    """Return what the goal tells of a step, each session's last element being its goal.

    A walk without a goal gets nearer to where it happens to end, too: the control is sessions that
    are made from the fitted walk.

    `theta`: by row of links: the probability of taking it, given a move.
    """
    (values, size), (controls, _) = (_explained(each, theta, rng) for each in (steps, made))
    return beside(GOALS, values, controls, size, "moves")


def _explained(
    steps: Steps, theta: Floats, rng: np.random.Generator
) -> tuple[dict[str, Interval], int]:
    """Return what the goal tells, and of how many moves."""
    sessions, links = steps.sessions, steps.links
    num = len(sessions)
    kept = np.zeros(num, dtype=np.bool_)
    kept[rng.permutation(num)[:MOST_SESSIONS]] = True
    moves = np.flatnonzero(kept[steps.session])
    goal = sessions.element[sessions.starts[1:] - 1][steps.session[moves]]
    away, place = distances(links, goal, len(sessions.elements))
    row_taken = steps.row[moves]
    bounds, rows, is_taken = options_of(row_taken, links)
    starts, taken = bounds[:-1], np.flatnonzero(is_taken)
    choice = np.repeat(np.arange(len(moves)), np.diff(bounds))
    of_target = away[links.targets[rows], place[choice]].astype(np.int64)
    of_source = away[links.sources[rows], place[choice]].astype(np.int64)
    features = np.column_stack(
        [links.targets[rows] == goal[choice], of_target < of_source, of_target > of_source]
    ).astype(np.float64)
    group = groups(owners(sessions)[steps.visit[moves]], rng)
    log_base = np.log(theta[rows])
    loss, known = np.zeros((2, len(moves)))
    for half in (0, 1):
        fitted, held = (group % 2 != half), (group % 2 == half)
        slopes = _slopes(_part(starts, taken, log_base, features, fitted))
        test = _part(starts, taken, log_base, features, held)
        loss[held], known[held] = test.losses(np.zeros(3))[0], test.losses(slopes)[0]
    share = np.exp(log_base)
    closer = features[:, 1]
    expected = np.add.reduceat(share * closer, starts) / np.add.reduceat(share, starts)
    one = np.ones(len(moves))
    values = {
        "nats a step that the goal saves": ratio(loss - known, one, group),
        "moves closer to it, less the walk's": ratio(closer[taken] - expected, one, group),
    }
    return values, len(moves)


def distances(links: Links, goals: Ints, size: int) -> tuple[Bytes, Ints]:
    """Return how many links lead from each of `size` elements to each goal, and whose is which.

    Of shapes (size, goals) and (len(goals),). At most 255, which also stands where no way leads.
    """
    from scipy import sparse

    which, place = np.unique(goals, return_inverse=True)
    ones = np.ones(len(links), dtype=np.float32)
    table = sparse.csr_array((ones, (links.sources, links.targets)), shape=(size, size))
    away = np.full((size, len(which)), 255, dtype=np.uint8)
    front = np.zeros((size, len(which)), dtype=np.float32)
    front[which, np.arange(len(which))] = 1
    for length in range(255):
        away[front > 0] = length
        front = ((table @ front > 0) & (away == 255)).astype(np.float32)
        if not front.any():
            break
    return away, place


def _part(starts: Ints, taken: Ints, log_base: Floats, features: Floats, kept: Flags) -> _Choices:
    sizes = np.diff(starts, append=len(log_base))
    links = np.repeat(kept, sizes)
    fewer = np.append(0, np.cumsum(sizes[kept])[:-1])
    return _Choices(fewer, taken[kept] - starts[kept] + fewer, log_base[links], features[links])


def _slopes(choices: _Choices) -> Floats:
    from scipy.optimize import minimize

    def loss(slopes: Floats) -> tuple[float, Floats]:
        each, gradient = choices.losses(slopes)
        # A faint ridge: what never occurs has a slope, too.
        ridge = 1e-3
        return float(each.mean() + ridge * slopes @ slopes), gradient.mean(
            axis=0
        ) + 2 * ridge * slopes

    found: Floats = minimize(loss, np.zeros(3), jac=True, method="L-BFGS-B").x
    return found
