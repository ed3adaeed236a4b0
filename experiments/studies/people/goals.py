"""What tells sessions apart: the person, the goal of a step, and whether a walk made them.

A classifier tells made sessions from real ones, held out.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prum.experiments.fitting.predictions import options_of
from prum.experiments.logs import Sessions
from prum.experiments.statistics.intervals import Interval
from prum.experiments.studies.people.steps import (
    NUM_GROUPS,
    Row,
    Steps,
    beside,
    groups,
    left_out,
    owners,
    ratio,
    row,
)
from prum.simulator import Links
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
) -> list[Row]:
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


def by_goals(steps: Steps, made: Steps, theta: Floats, rng: np.random.Generator) -> list[Row]:
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


PART = "telling made from real"
_RIDGE = 1e-3
# Traits of a session, by what they are about.
KINDS: Mapping[str, tuple[str, ...]] = {
    "length": ("moves", "moves squared"),
    "back clicks": ("back clicks", "back clicks in a row"),
    "revisits": ("elements seen before", "ways out and back"),
    "degrees": ("links in, mean", "links in, most", "links in, last", "links in, rise"),
    "choices": ("nats a step", "most nats"),
    "memory": ("linked from the one before", "links back"),
}
TRAITS = tuple(trait for traits in KINDS.values() for trait in traits)


def by_telling(
    steps: Steps, made: Steps, again: Steps, theta: Floats, rng: np.random.Generator
) -> tuple[list[Row], dict[str, float]]:
    """Return areas under the curve of made sessions against real ones, and the weights of traits.

    An area of .5 is guessing. Controls: halves of the real people against each other, and made
    sessions against others that were made the same way.

    Parameters
    ----------
    steps, made, again
        Real sessions that the model was not fitted to, and sessions made by it, twice.
    theta
        By row of links: the probability of taking it, given a move, by the model.
    """
    real, other, third = (traits(each, theta) for each in (steps, made, again))
    people = [groups(_people(each), rng) for each in (steps, made, again)]
    half = people[0] % 4 < 2
    size = len(real) + len(other)
    rows = []
    choices: dict[str, list[int]] = {"all traits": list(range(len(TRAITS)))}
    for kind, own in KINDS.items():
        choices[f"{kind} alone"] = [TRAITS.index(trait) for trait in own]
    for kind, own in KINDS.items():
        choices[f"without {kind}"] = [k for k, trait in enumerate(TRAITS) if trait not in own]
    for name, columns in choices.items():
        area = _area(real[:, columns], other[:, columns], people[0], people[1])
        control = _area(
            real[half][:, columns], real[~half][:, columns], people[0][half], people[0][~half]
        )
        rows.append(row(PART, f"area, {name}", area, 0.5, control, size, "sessions"))
    same = _area(other, third, people[1], people[2])
    rows.insert(1, row(PART, "area, made against made", same, 0.5, None, size, "sessions"))
    values = np.concatenate([real, other])
    weights = _weights(_standard(values, values), _labels(real, other))
    return rows, dict(zip(TRAITS, weights[1:].tolist(), strict=True))


def traits(steps: Steps, theta: Floats) -> Floats:
    """Return the traits of each session, shape (sessions, traits)."""
    sessions, links = steps.sessions, steps.links
    num, session = len(sessions), sessions.session
    size = len(sessions.elements)
    at = sessions.element
    into = np.log1p(np.bincount(links.targets, minlength=size))
    last = sessions.starts[1:] - 1
    own, origin = steps.session, at[steps.visit - 1]
    keys = links.sources.astype(np.int64) * size + links.targets
    target = at[steps.visit]
    moves = np.bincount(own, minlength=num)
    seen: Flags = np.ones(len(at), dtype=np.bool_)
    seen[np.unique(session * size + at, return_index=True)[1]] = False
    loss = -np.log(theta[steps.row])
    is_path = ~sessions.is_entry & ~sessions.is_back
    twice = is_path[steps.visit - 1]
    before = at[steps.visit - 2]
    in_a_row = sessions.is_back & np.roll(sessions.is_back, 1) & ~sessions.is_entry
    place = np.arange(len(at)) - sessions.starts[session]
    middle = (np.diff(sessions.starts)[session] - 1) / 2
    late = (place - middle) / np.maximum(middle, 1)

    def mean(values: Floats | Flags, of: Ints, among: Ints) -> Floats:
        return np.bincount(of, values, num) / np.maximum(among, 1)

    def most(values: Floats, of: Ints) -> Floats:
        result = np.zeros(num)
        np.maximum.at(result, of, values)
        return result

    visits = np.diff(sessions.starts)
    log_moves = np.log1p(moves)
    return np.column_stack(
        [
            log_moves,
            log_moves**2,
            mean(sessions.is_back, session, visits),
            mean(in_a_row, session, visits),
            mean(seen[steps.visit], own, moves),
            mean(twice & (before == target), own, moves),
            mean(into[at], session, visits),
            most(into[at], session),
            into[at[last]],
            mean(into[at] * late, session, visits),
            mean(loss, own, moves),
            most(loss, own),
            mean(twice & np.isin(before * size + target, keys), own, moves),
            mean(np.isin(target * size + origin, keys), own, moves),
        ]
    )


def area_under(score: Floats, label: Flags) -> float:
    """Return how often a positive one scores above another, ties half.

    >>> area_under(np.array([1.0, 2.0, 2.0, 3.0]), np.array([False, False, True, True]))
    0.875
    """
    from scipy.stats import rankdata

    num = int(label.sum())
    above = float(rankdata(score)[label].sum()) - num * (num + 1) / 2
    return above / (num * (len(label) - num))


def _people(steps: Steps) -> Ints:
    return owners(steps.sessions)[steps.sessions.starts[:-1]]


def _labels(first: Floats, second: Floats) -> Flags:
    return np.arange(len(first) + len(second)) >= len(first)


def _area(first: Floats, second: Floats, group: Ints, other_group: Ints) -> Interval:
    """Return the area of the second against the first: half of people learned, half scored."""
    values, label = np.concatenate([first, second]), _labels(first, second)
    people = np.concatenate([group, other_group])
    learned = people % 2 == 0
    weights = _weights(_standard(values[learned], values[learned]), label[learned])
    score = _standard(values[~learned], values[learned]) @ weights
    label, people = label[~learned], people[~learned] // 2
    return left_out(people, lambda kept: area_under(score[kept], label[kept]), NUM_GROUPS // 2)


def _standard(values: Floats, by: Floats) -> Floats:
    """Return a column of ones, and values in standard deviations of others."""
    spread = by.std(axis=0)
    scaled = (values - by.mean(axis=0)) / np.where(spread > 0, spread, 1)
    return np.column_stack([np.ones(len(values)), scaled])


def _weights(values: Floats, label: Flags) -> Floats:
    """Return the weights of a logistic regression, with a faint ridge."""
    from scipy.optimize import minimize
    from scipy.special import expit

    sign = np.where(label, 1.0, -1.0)

    def loss(weights: Floats) -> tuple[float, Floats]:
        margin = sign * (values @ weights)
        pull = -sign * expit(-margin)
        ridge = _RIDGE * np.append(0, weights[1:])
        gradient = values.T @ pull / len(values) + ridge
        return float(np.logaddexp(0, -margin).mean() + ridge @ weights / 2), gradient

    found: Floats = minimize(loss, np.zeros(values.shape[1]), jac=True, method="L-BFGS-B").x
    return found
