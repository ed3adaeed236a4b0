"""Shortened walks on a Web: from each candidate of a topic straight to the next ideal."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from prum.analytic.precision.walks import watched
from prum.experiments.generate.world import Packed
from prum.simulator.model import InputError, Links


@dataclass(frozen=True, slots=True)
class WalkJob:
    """A topic, by its number, in a world whose links people walk along."""

    packed: Packed
    number: int


def shorten_walks(job: WalkJob) -> Links:
    """Return the steps of walks between candidates and ideals of a topic alone.

    From a candidate users move to y with the probability that y is the first ideal on their path,
    and from ideal to ideal in the same way (coming back to the same ideal shows nothing). So they
    see the same sets of ideals with the same probabilities as on all links, and the equations of a
    million pages are solved once for a topic, not for each list.

    Raises
    ------
    InputError
        if the world has no links.
    """
    world = job.packed.world()
    topic, links = world.topics[job.number], world.links
    if links is None:
        raise InputError("links", None, "be there to walk along", remedy="make a Web")
    ideals, candidates = world.ids(topic.ideals), world.ids(topic.candidates)
    # Elements that no link names come after the others.
    others = [element for element in candidates if element not in links.code]
    code = {**links.code, **{element: len(links.code) + k for k, element in enumerate(others)}}
    starts = np.append(links.starts, np.full(len(others), links.starts[-1]))
    size = len(code)
    moves = sparse.csr_array((links.probabilities, links.targets, starts), shape=(size, size))
    entries = [element for element in candidates if element not in set(ideals)]
    rows = np.array([code[element] for element in entries], dtype=np.int64)
    first, between = watched(moves, rows, np.array([code[ideal] for ideal in ideals]))
    staying = np.diag(between).copy()
    between = between / (1 - staying)[:, np.newaxis]
    np.fill_diagonal(between, 0)
    steps = np.concatenate([first, between])
    sources, targets = np.nonzero(steps > 0)
    named = [*entries, *ideals]
    return Links.from_columns(
        [named[source] for source in sources.tolist()],
        [ideals[target] for target in targets.tolist()],
        np.minimum(steps[sources, targets], 1),
    )
