"""Telling made sessions from real ones: a classifier, held out, and what it goes by."""

from collections.abc import Mapping

import numpy as np

from prum.experiments.statistics.intervals import Interval
from prum.experiments.studies.people.steps import (
    NUM_GROUPS,
    PeopleRow,
    Steps,
    groups,
    left_out,
    owners,
    row,
)
from prum.simulator.model.arrays import Flags, Floats, Ints

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
) -> tuple[list[PeopleRow], dict[str, float]]:
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
