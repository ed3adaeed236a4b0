"""A naive walker: plays the user model step by step, user by user, and knows no law about it.

Derived from Piwowarski, Gallinari and Dupret (2007), section 2, alone. No noisy-or, no closed form:
every visit is tossed, every path is walked, the unranked part is a permutation. Faults can be
planted in it: negative controls for a statistical cross-check, which must catch each of them.
"""

from collections.abc import Callable, Iterator
from functools import partial
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from prum.simulator.model import Coupled, Navigation, Population, Task, Types, Walk
from prum.simulator.model.coupling import Coupling
from prum.simulator.model.population import Propensity

# Where a fault shows: some need uncertain links, duplicates, ranked ideals, an unranked part, ...
FAULTS = (
    "rank off by one",  # C is one too small
    "tail dropped",  # users who need the unranked part stop at the end of the list
    "reach two percent high",  # every uncertain p times 1.02, at most 1
    "leading per ideal",  # CL counts ideals rather than elements
    "unranked with replacement",  # unranked elements may be consulted again
    "unranked off by one",  # places of the unranked part count from 0
    "duplicates lead again",  # a duplicate entry tosses anew
    "duplicates not consulted",  # a duplicate entry is passed over without counting
    "self forgotten",  # a ranked ideal is not seen at its own rank
    "unseen not removed",  # unranked ideals already seen by navigation count again
    "last rank skipped",  # the list ends one rank early
    "one visit per context",  # only the first ideal found from an entry counts
    "stop one late",  # he consults one element more than he needs
    "first toss reused",  # one uniform number decides all visits of an entry
    "one toss per user",  # one uniform number decides all visits of a user
    "seen again counts",  # an ideal seen before counts again
    "last find not counted",  # the element that satisfies him is missing from CL
    "steps not followed",  # he takes one step at most from an entry (walks only)
    "links all followed",  # from each element he follows every link he tosses (walks only)
)


def naive_users(
    task: Task,
    navigation: Navigation,
    num_users: int,
    rng: np.random.Generator,
    *,
    fault: str | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (consulted, leading), C(r) and CL(r) of each user, column r - 1 for r = 1..t.

    Shapes (num_users, t). One user's columns tell the same story, stopped at r ideals: what he does
    does not depend on r (Hypothesis 2.1). `fault` names one of `FAULTS`. A user whom a fault keeps
    from ever seeing r ideals gives up where the elements end.
    """
    if fault is not None and fault not in FAULTS:
        raise ValueError(f"fault is {fault!r}, must be one of FAULTS")
    t = task.num_ideals
    links = _links(task, navigation, fault)
    uniforms = _uniforms(rng)
    consulted = np.empty((num_users, t), dtype=np.int64)
    leading = np.empty((num_users, t), dtype=np.int64)
    for user in range(num_users):
        story, end = _story(task, navigation, links, uniforms, rng, fault)
        consulted[user], leading[user] = _stopped(story, end, t, fault)
    return consulted, leading


def _uniforms(rng: np.random.Generator) -> Iterator[float]:
    """Yield uniform numbers in [0, 1), drawn in blocks because single draws are slow."""
    while True:
        yield from rng.random(4096).tolist()


def _links(
    task: Task, navigation: Navigation, fault: str | None
) -> dict[str, list[tuple[str, float]]]:
    """Return the links (target, p) of each source; for independent visits only those to ideals."""
    links: dict[str, list[tuple[str, float]]] = {}
    for source, target, p in navigation.links:
        if fault == "reach two percent high":
            p = min(1.0, 1.02 * p)
        if isinstance(navigation, Walk) or (target in task.ideals and target != source):
            links.setdefault(source, []).append((target, p))
    return links


def _story(
    task: Task,
    navigation: Navigation,
    links: dict[str, list[tuple[str, float]]],
    uniforms: Iterator[float],
    rng: np.random.Generator,
    fault: str | None,
) -> tuple[list[tuple[int, int]], int]:
    """Play one user until he has seen all ideals (section 2.1, Fig. 1).

    Returns the positions that led him to ideals he had not seen, each with the number of them, and
    the position where the elements end.
    """
    look: Callable[..., list[str]] = _walk if isinstance(navigation, Walk) else _tosses
    if isinstance(navigation, Coupled):
        look = partial(_together, navigation.coupling)
    if isinstance(navigation, Population):
        links = _of_one_user(navigation.propensity, links, rng)
    story: list[tuple[int, int]] = []
    seen: set[str] = set()
    entered: set[str] = set()
    ranking = task.ranking[:-1] if fault == "last rank skipped" else task.ranking
    reused = next(uniforms) if fault == "one toss per user" else None
    position = 0
    for x in ranking:
        if x in entered and fault == "duplicates not consulted":
            continue
        position += 1
        if x in entered and fault != "duplicates lead again":
            continue  # what he does from x he does once
        entered.add(x)
        if fault == "first toss reused":
            reused = next(uniforms)
        visited = [y for y in look(x, links, uniforms, reused, fault) if y in task.ideals]
        if fault == "one visit per context":
            visited = visited[:1]
        new = set(visited) if fault == "seen again counts" else set(visited) - seen
        if new:
            story.append((position, len(new)))
            seen |= new
        if len(seen) == task.num_ideals and fault != "unseen not removed":
            break  # nothing is left to find; the rest of his story cannot matter
    else:
        # The list is exhausted: the unranked part, in random order, without browsing.
        ranked = position
        if fault == "tail dropped":
            return story, ranked
        unseen = task.num_ideals - len(seen)
        if fault == "unseen not removed":
            unseen = sum(y not in task.ranking for y in task.ideals)
        for place in _places(task.num_unranked, unseen, uniforms, rng, fault):
            story.append((ranked + place, 1))
    return story, len(ranking) + task.num_unranked


def _tosses(
    entry: str,
    links: dict[str, list[tuple[str, float]]],
    uniforms: Iterator[float],
    reused: float | None,
    fault: str | None,
) -> list[str]:
    """Return what the user visits from `entry`: itself, and each link by a toss of its own."""
    visited = [] if fault == "self forgotten" else [entry]
    for y, p in links.get(entry, ()):
        if (next(uniforms) if reused is None else reused) < p:
            visited.append(y)
    return visited


def _of_one_user(
    propensity: Propensity, links: dict[str, list[tuple[str, float]]], rng: np.random.Generator
) -> dict[str, list[tuple[str, float]]]:
    """Return the links of the next user, who follows them by a factor of his own."""
    if isinstance(propensity, Types):
        factor = float(rng.choice(propensity.factors, p=propensity.weights))
    else:
        factor = float(rng.beta(propensity.a, propensity.b))
    return {x: [(y, p * factor) for y, p in targets] for x, targets in links.items()}


def _together(
    coupling: Coupling,
    entry: str,
    links: dict[str, list[tuple[str, float]]],
    uniforms: Iterator[float],
    reused: float | None,
    fault: str | None,
) -> list[str]:
    """Return what the user visits from `entry`: itself, and links that depend on each other."""
    if coupling == "independent":
        return _tosses(entry, links, uniforms, reused, fault)
    visited = [entry]
    normal = NormalDist()
    # A number in (0, 1), for a normal one is made of it.
    number = 1 - next(uniforms)
    begin = 0.0
    for y, p in links.get(entry, ()):
        if coupling == "exclusive":
            end = begin + p
            hit = any(begin <= number + turn < end for turn in range(int(end) + 2))
            begin = end
        elif coupling == "comonotone":
            hit = number < p
        else:
            mine = normal.inv_cdf((1 - next(uniforms)) * (1 - 1e-16))
            shared = normal.inv_cdf(number * (1 - 1e-16))
            latent = coupling.rho**0.5 * shared + (1 - coupling.rho) ** 0.5 * mine
            hit = p == 1 or normal.cdf(latent) < p
        if hit:
            visited.append(y)
    return visited


def _walk(
    entry: str,
    links: dict[str, list[tuple[str, float]]],
    uniforms: Iterator[float],
    reused: float | None,
    fault: str | None,
) -> list[str]:
    """Return what the user visits on one path from `entry`: at each element he moves or stops."""
    visited = [] if fault == "self forgotten" else [entry]
    if fault == "links all followed":
        reached = [entry]
        for x in reached:  # grows while it is gone through
            for y, p in links.get(x, ()):
                if y not in reached and next(uniforms) < p:
                    reached.append(y)
        return reached
    here: str | None = entry
    been: set[str] = set()
    while here is not None:
        if reused is not None:
            if here in been:
                break  # with the same number he would go round for ever
            been.add(here)
        left = next(uniforms) if reused is None else reused
        moved_to = None
        for y, p in links.get(here, ()):
            if left < p:
                moved_to = y
                break
            left -= p
        here = moved_to
        if here is not None:
            visited.append(here)
        if fault == "steps not followed":
            break
    return visited


def _places(
    u: int, unseen: int, uniforms: Iterator[float], rng: np.random.Generator, fault: str | None
) -> list[int]:
    """Return the places, counted from 1, where he finds the unseen ideals among u in random order.

    A fault may leave more unseen ideals than places; the rest are then never found.
    """
    if not unseen or not u:
        return []
    if fault == "unranked with replacement":
        places: list[int] = []
        found: set[int] = set()
        consulted = 0
        while len(found) < min(unseen, u):
            consulted += 1
            element = int(next(uniforms) * u)  # the unseen ideals are the first of the u elements
            if element < unseen and element not in found:
                found.add(element)
                places.append(consulted)
        return places
    shuffled = rng.permutation(u)  # where each of the u elements comes to lie
    places = sorted((shuffled[:unseen] + 1).tolist())
    return [place - 1 for place in places] if fault == "unranked off by one" else places


def _stopped(
    story: list[tuple[int, int]], end: int, t: int, fault: str | None
) -> tuple[list[int], list[int]]:
    """Return C(r) and CL(r) for r = 1..t: the story stopped as soon as r ideals are seen."""
    consulted: list[int] = []
    leading: list[int] = []
    seen = finds = 0
    for position, new in story:
        seen += new
        finds += new if fault == "leading per ideal" else 1
        while len(consulted) < min(seen, t):
            consulted.append(position)
            leading.append(finds)
    assert fault is not None or len(consulted) == t, "a user never found all ideals"
    while len(consulted) < t:
        consulted.append(end)
        leading.append(finds)
    if fault == "rank off by one":
        consulted = [c - 1 for c in consulted]
    if fault == "last find not counted":
        leading = [cl - 1 for cl in leading]
    if fault == "stop one late":
        consulted = [min(c + 1, end) for c in consulted]
        leading = [sum(position <= c for position, _ in story) for c in consulted]
    return consulted, leading
