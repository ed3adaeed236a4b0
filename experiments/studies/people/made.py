"""The log that the study makes when it is given none: people who walk, all of them alike."""

import numpy as np

from prum.experiments.logs.sessions import BACK, Sessions
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import Links, Walk

_ELEMENTS, _ENTRIES, _IDEALS, _TOPICS = 60, 12, 3, 4
_STOPS, _GOES_BACK = 0.15, 0.1


def made_links() -> Links:
    """Return a web of 60 pages, each with 3 to 9 links; probabilities add up to .85."""
    rng = np.random.default_rng(22)
    rows = dict[tuple[str, str], float]()
    for page in range(_ELEMENTS):
        others = np.delete(np.arange(_ELEMENTS), page)
        targets = rng.choice(others, rng.integers(3, 10), replace=False)
        shares = rng.dirichlet(np.full(len(targets), 0.7)) * (1 - _STOPS)
        rows |= {
            (_name(page), _name(y)): round(share, 6)
            for y, share in zip(targets.tolist(), shares.tolist(), strict=True)
        }
    return Links(rows)


def made_log(links: Links, num_sessions: int, seed: int, *, num_persons: int) -> Sessions:
    """Return sessions of people who walk and forget: what they do next depends on where they are.

    They stop with probability .15, else go back with .1, else take a link by its share.
    """
    rng = np.random.default_rng([seed, 1])
    sessions = []
    for _ in range(num_sessions):
        trail = [int(rng.integers(_ENTRIES))]
        names = [links.elements[trail[-1]]]
        while rng.random() >= _STOPS:
            if len(trail) > 1 and rng.random() < _GOES_BACK:
                trail.pop()
                names.append(BACK)
                continue
            rows = slice(links.starts[trail[-1]], links.starts[trail[-1] + 1])
            shares = np.cumsum(links.probabilities[rows])
            taken = int(np.searchsorted(shares, rng.random() * shares[-1]))
            trail.append(int(links.targets[rows][taken]))
            names.append(links.elements[trail[-1]])
        sessions.append(names)
    persons = [f"person{number}" for number in rng.integers(num_persons, size=num_sessions)]
    return Sessions.of(sessions, persons=persons)


def made_campaign(links: Links) -> Campaign:
    """Return two systems on four topics of three ideals: entries in two orders, then ideals."""
    rng = np.random.default_rng(23)
    entries = links.elements[:_ENTRIES]
    ideals = {
        f"topic{number}": tuple(
            rng.choice(links.elements[_ENTRIES:], _IDEALS, replace=False).tolist()
        )
        for number in range(1, _TOPICS + 1)
    }
    runs = {
        name: {topic: (*order, *wanted) for topic, wanted in ideals.items()}
        for name, order in (("forward", entries[:6]), ("backward", entries[6:]))
    }
    return Campaign(
        name="built-in",
        ideals=ideals,
        runs=runs,
        navigation=Walk(links),
        collection_size=_ELEMENTS,
    )


def _name(page: int) -> str:
    return f"page{page:02}"
