"""A naive walker: plays the user model step by step, user by user, and knows no law about it.

Derived from Piwowarski, Gallinari and Dupret (2007), section 2, alone. No noisy-or, no closed form:
every visit is tossed, every path is walked, the unranked part is a permutation. Faults can be
planted in it: negative controls for a statistical cross-check, which must catch each of them.
"""

from collections.abc import Callable, Iterator
from functools import partial
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from prum.simulator.model import Beta, Browsing, Coupled, Navigation, OneFactor, Task, Types, Walk
from prum.simulator.model.navigation import Coupling

Table = dict[str, list[tuple[str, float]]]  # links (target, p) of each source

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
    "stop one late",  # they consult one element more than they need
    "first toss reused",  # one uniform number decides all visits of an entry
    "one toss per user",  # one uniform number decides all visits of a user
    "seen again counts",  # an ideal seen before counts again
    "last find not counted",  # the element that satisfies them is missing from CL
    "steps not followed",  # they take one step at most from an entry (walks only)
    "links all followed",  # from each element they follow every link they toss (walks only)
)
# Of the dials of `Browsing`; each needs its dial turned, and what is said.
DIAL_FAULTS = (
    "fading one rank late",  # they browse from the second element as much as from the first
    "fading starts anew",  # ... and from the first unranked one (unranked elements browsed from)
    "satiation counts the new one",  # an ideal counts as seen when they get there (ranked, linked)
    "satiation counts finds",  # elements that led to ideals, not ideals (several from one)
    "satiation wraps round",  # after the last factor comes the first again
    "need of one more",  # they browse as one who wants r + 1 ideals
    "need of the last",  # they browse as one who wants all of them
    "documents forgotten",  # they browse from elements of documents they know, too
    "documents known by seeing",  # an ideal they saw from elsewhere counts as consulted
    "unranked not browsed",  # they do not browse after the list
    "unranked in order",  # elements with a name come first (others of none, or several with one)
    "factor drawn per rank",  # each element is consulted by another user
    "factor of the mean",  # everybody is the average user
    "browsing all or nothing",  # they visit all as before, or nothing (several visits from one)
    "dimmed at every step",  # each step is dimmed, not the first alone (walks of two steps)
    "self dimmed",  # an element leads to itself by the factor only (ranked ideals)
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

    Shapes (num_users, t). One user's columns tell the same story, stopped at r ideals: what they do
    does not depend on r (Hypothesis 2.1). Where it does, each column is a story of its own. `fault`
    names one of `FAULTS` or `DIAL_FAULTS`. A user whom a fault keeps from ever seeing r ideals
    gives up where the elements end.
    """
    if fault is not None and fault not in FAULTS + DIAL_FAULTS:
        raise ValueError(f"fault is {fault!r}, must be one of FAULTS")
    t = task.num_ideals
    browsing = navigation if isinstance(navigation, Browsing) else Browsing(navigation)
    links = _links(task, browsing, fault)
    uniforms = _uniforms(rng)
    consulted = np.empty((num_users, t), dtype=np.int64)
    leading = np.empty((num_users, t), dtype=np.int64)
    for user in range(num_users):
        if len(browsing.need) == 1:
            story, end = _story(task, browsing, 1, links, uniforms, rng, fault)
            consulted[user], leading[user] = _stopped(story, end, t, fault)
            continue
        for r in range(1, t + 1):
            story, end = _story(task, browsing, r, links, uniforms, rng, fault)
            stops, finds = _stopped(story, end, t, fault)
            consulted[user, r - 1], leading[user, r - 1] = stops[r - 1], finds[r - 1]
    return consulted, leading


def _uniforms(rng: np.random.Generator) -> Iterator[float]:
    """Yield uniform numbers in [0, 1), drawn in blocks because single draws are slow."""
    while True:
        yield from rng.random(4096).tolist()


def _links(task: Task, browsing: Browsing, fault: str | None) -> Table:
    """Return the links (target, p) of each source; for independent visits only those to ideals."""
    links: Table = {}
    for source, target, p in browsing.links:
        if fault == "reach two percent high":
            p = min(1.0, 1.02 * p)
        if isinstance(browsing.navigation, Walk) or (target in task.ideals and target != source):
            links.setdefault(source, []).append((target, p))
    return links


def _story(
    task: Task,
    browsing: Browsing,
    r: int,
    links: Table,
    uniforms: Iterator[float],
    rng: np.random.Generator,
    fault: str | None,
) -> tuple[list[tuple[int, int]], int]:
    """Play one user who wants r ideals until they have seen all of them (section 2.1, Fig. 1).

    Returns the positions that led them to ideals they had not seen, each with their number, and
    the position where the elements end.
    """
    walks = isinstance(browsing.navigation, Walk)
    look: Callable[..., list[str]] = _walk if walks else _tosses
    if isinstance(browsing.navigation, Coupled):
        look = partial(_together, browsing.navigation.coupling)
    own, table = _user(browsing, links, rng, fault)
    story: list[tuple[int, int]] = []
    seen: set[str] = set()
    entered: list[str] = []
    ranking = task.ranking[:-1] if fault == "last rank skipped" else task.ranking
    goes_on = browsing.unranked and fault != "unranked not browsed"
    unranked = _unranked(task, browsing, rng, fault) if goes_on else []
    reused = next(uniforms) if fault == "one toss per user" else None
    position = 0
    for x in (*ranking, *unranked):
        if x in entered and fault == "duplicates not consulted":
            continue
        position += 1
        if x in entered and fault != "duplicates lead again":
            continue  # what they do from x they do once
        if fault == "first toss reused":
            reused = next(uniforms)
        if fault == "factor drawn per rank":
            own, table = _user(browsing, links, rng, fault)
        sated = len(story) if fault == "satiation counts finds" else len(seen)
        if fault == "satiation counts the new one" and x in set(task.ideals) - seen:
            sated += 1
        number = position
        if fault == "fading starts anew" and position > len(ranking):
            number = position - len(ranking)
        factor = own * _factor(task, browsing, r, number, sated, fault)
        known = [*entered, *seen] if fault == "documents known by seeing" else entered
        if fault != "documents forgotten" and _is_known(browsing, x, known):
            factor = 0.0
        entered.append(x)
        visited = [y for y in look(x, table, factor, uniforms, reused, fault) if y in task.ideals]
        if fault == "self dimmed" and next(uniforms) >= factor:
            visited = [y for y in visited if y != x]
        if fault == "one visit per context":
            visited = visited[:1]
        new = set(visited) if fault == "seen again counts" else set(visited) - seen
        if new:
            story.append((position, len(new)))
            seen |= new
        if len(seen) == task.num_ideals and fault != "unseen not removed":
            break  # nothing is left to find; the rest of their story cannot matter
    else:
        # The list is exhausted: the unranked part, in random order, without browsing.
        ranked = position
        if fault == "tail dropped" or goes_on:
            return story, ranked
        unseen = task.num_ideals - len(seen)
        if fault == "unseen not removed":
            unseen = sum(y not in task.ranking for y in task.ideals)
        for place in _places(task.num_unranked, unseen, uniforms, rng, fault):
            story.append((ranked + place, 1))
    return story, len(ranking) + task.num_unranked


def _user(
    browsing: Browsing, links: Table, rng: np.random.Generator, fault: str | None
) -> tuple[float, Table]:
    """Return the own factor of the next user, and the links as they follow them."""
    population = browsing.population
    if population is None:
        return 1.0, links
    if fault == "factor of the mean":
        return population.mean, links
    if isinstance(population, Types):
        return float(rng.choice(population.factors, p=population.weights)), links
    if isinstance(population, Beta):
        return float(rng.beta(population.a, population.b)), links
    own = partial(_own_probability, population, float(rng.standard_normal()))
    if not isinstance(browsing.navigation, Walk):
        return 1.0, {x: [(y, own(p)) for y, p in targets] for x, targets in links.items()}
    table: Table = {}
    for x, targets in links.items():
        moving = sum(p for _, p in targets)
        scale = own(moving) / moving if moving else 0.0
        table[x] = [(y, p * scale) for y, p in targets]
    return 1.0, table


def _own_probability(population: OneFactor, z: float, p: float) -> float:
    """Return with what probability a user of factor z does what users do with p in the mean."""
    if p <= 0 or p >= 1 - 1e-9:  # sums of links may miss 1 by rounding
        return p
    normal, rho = NormalDist(), population.rho
    return normal.cdf((normal.inv_cdf(p) - sqrt(rho) * z) / sqrt(1 - rho))


def _factor(
    task: Task, browsing: Browsing, r: int, number: int, sated: int, fault: str | None
) -> float:
    """Return what multiplies everybody's browsing from the element consulted `number`-th."""
    if fault == "need of one more":
        r += 1
    if fault == "need of the last":
        r = task.num_ideals
    if fault == "fading one rank late":
        number = max(number - 1, 1)
    if fault == "satiation wraps round":
        sated %= len(browsing.satiation)
    satiation = browsing.satiation[min(sated, len(browsing.satiation) - 1)]
    need = browsing.need[min(r, len(browsing.need)) - 1]
    fading = browsing.fading
    if isinstance(fading, tuple):
        faded = [*fading, *[fading[-1]] * number][number - 1]
    else:
        faded = fading ** (number - 1)
    return faded * satiation * need


def _is_known(browsing: Browsing, x: str, consulted: list[str]) -> bool:
    """Return whether an element of x's document is among those consulted."""
    documents = dict(browsing.documents)
    others = {documents.get(y) for y in consulted if y != x}
    return x in documents and documents[x] in others


def _unranked(
    task: Task, browsing: Browsing, rng: np.random.Generator, fault: str | None
) -> list[str]:
    """Return the unranked elements as they will consult them; those without a name get one."""
    linked = {x for source, target, _ in browsing.links for x in (source, target)}
    named = {*linked, *task.ideals, *dict(browsing.documents)} - set(task.ranking)
    others = task.num_unranked - len(named)
    assert others >= 0, "more elements are named than there are"
    elements = [*sorted(named), *(f"\n{number}" for number in range(others))]
    if fault == "unranked in order":
        return elements
    return [elements[k] for k in rng.permutation(len(elements))]


def _tosses(
    entry: str,
    links: Table,
    factor: float,
    uniforms: Iterator[float],
    reused: float | None,
    fault: str | None,
) -> list[str]:
    """Return what the user visits from `entry`: itself, and each link by a toss of its own."""
    visited = [] if fault == "self forgotten" else [entry]
    if fault == "browsing all or nothing":
        factor = float(next(uniforms) < factor)
    for y, p in links.get(entry, ()):
        if (next(uniforms) if reused is None else reused) < factor * p:
            visited.append(y)
    return visited


def _together(
    coupling: Coupling,
    entry: str,
    links: Table,
    factor: float,
    uniforms: Iterator[float],
    reused: float | None,
    fault: str | None,
) -> list[str]:
    """Return what the user visits from `entry`: itself, and links that depend on each other."""
    if coupling == "independent":
        return _tosses(entry, links, factor, uniforms, reused, fault)
    visited = [entry]
    if fault == "browsing all or nothing":
        factor = float(next(uniforms) < factor)
    normal = NormalDist()
    # A number in (0, 1), for a normal one is made of it.
    number = 1 - next(uniforms)
    begin = 0.0
    for y, q in links.get(entry, ()):
        p = factor * q
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
    links: Table,
    factor: float,
    uniforms: Iterator[float],
    reused: float | None,
    fault: str | None,
) -> list[str]:
    """Return what the user visits on one path from `entry`: at each element they move or stop."""
    visited = [] if fault == "self forgotten" else [entry]
    if fault == "links all followed":
        reached = [entry]
        for x in reached:  # grows while it is gone through
            for y, p in links.get(x, ()):
                if y not in reached and next(uniforms) < p:
                    reached.append(y)
        return reached
    step = factor if fault == "dimmed at every step" else 1.0
    if step == 1 and factor < 1 and next(uniforms) >= factor:
        return visited  # they do not set off
    here: str | None = entry
    been: set[str] = set()
    while here is not None:
        if reused is not None:
            if here in been:
                break  # with the same number they would go round for ever
            been.add(here)
        left = next(uniforms) if reused is None else reused
        moved_to = None
        for y, p in links.get(here, ()):
            if left < step * p:
                moved_to = y
                break
            left -= step * p
        here = moved_to
        if here is not None:
            visited.append(here)
            if len(visited) % 1000 == 0 and _reached(here, links) <= {*visited}:
                break  # nothing is left to find, and they may go round almost for ever
        if fault == "steps not followed":
            break
    return visited


def _reached(entry: str, links: Table) -> set[str]:
    """Return all elements to which links lead from `entry`, itself included."""
    reached = [entry]
    for x in reached:  # grows while it is gone through
        reached += [y for y, p in links.get(x, ()) if p > 0 and y not in reached]
    return {*reached}


def _places(
    u: int, unseen: int, uniforms: Iterator[float], rng: np.random.Generator, fault: str | None
) -> list[int]:
    """Return the places, counted from 1, where they find the unseen ideals among u in random order.

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
