"""Whether people browse as Hypothesis 2.2 says.

The study compares a log of people (or machines) with independent visits, and with a walk fitted to
it: joint visits, persons and goals. Each quantity stands beside a control where the hypothesis
holds. Exit status 0, whatever is found.
"""

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np

from prum.experiments.fitting import FittedWalk, WalkEstimator, link_features
from prum.experiments.fitting.predictions import options_of
from prum.experiments.frame.design import Design, Seed, option
from prum.experiments.frame.frames import frame_table
from prum.experiments.frame.study import Advance, Study, counted
from prum.experiments.frame.view import View, interval
from prum.experiments.logs import Sessions, read_sessions
from prum.experiments.statistics.intervals import Estimate
from prum.experiments.studies.kit.story import Story, filled
from prum.experiments.studies.people.joint import (
    EXCESS,
    NUM_GROUPS,
    Steps,
    Values,
    beside,
    by_joint,
    contexts_of,
    groups,
    independent,
    joined,
    over_groups,
    owners,
    ratio,
    row,
    steps_of,
    tested,
)
from prum.simulator import InputError, Links
from prum.simulator.collections import read_pairs
from prum.simulator.model.arrays import Flags, Floats, Ints

GOALS, PERSONS = "goals", "persons"
JOINT, OF_WALK = "joint visits", "joint visits of the fitted walk"
# Sessions of a person that count, so that none counts for many; of an entry whose mean is taken
# out; and those whose steps towards a goal count, as a step has as many options as its page links.
MOST_OF_PERSON, LEAST_OF_ENTRY, MOST_WITH_GOAL = 20, 5, 4_000
# Ridge of slopes of what never occurs.
_RIDGE = 1e-3


class PeopleDesign(Design):
    """Options of the study of people."""

    log: tuple[str, ...] = option(
        (), "A log: session, element, optionally person and entry.", file="input"
    )
    links: str = option("", "Where people could move: source and target.", file="input")
    goal: Literal["last"] | None = option(
        None, "Take the last element of each session as its goal."
    )
    contexts: Literal["entries", "visits"] = option(
        "entries",
        "Where a context of joint visits begins: with an entry, or wherever a path comes.",
    )
    least: int = option(
        30,
        "Sessions of different people that a context needs at least.",
        least=5,
        most=10**9,
        remedy="a test needs five sessions at least",
    )
    permutations: int = option(
        999,
        "Permutations of each test.",
        least=39,
        most=100_000,
        remedy="a two-sided p of .05 needs 39",
    )
    seed: Seed = 1

    def check(self) -> None:
        """Raise InputError if options contradict each other."""
        for name in ("log", "links"):
            if not getattr(self, name):
                raise InputError(name, None, "be given", remedy="name files by --log and --links")


def compute(design: PeopleDesign, progress: Advance) -> Any:
    """Return what the log says of independent visits, part by part.

    Question. PRUM takes a user's visits from an element as independent of each other
    (Hypothesis 2.2), no matter who they are, how they came there, and what they look for. Is that
    so of people?

    Design. Three parts, each a function that says what it measures. Beside each quantity stand what
    it would be if the hypothesis held, and the same quantity of a control where it does hold:
    sessions with independent visits, sessions dealt to persons anew, sessions made from the fitted
    walk, and so on. A control off its mark is a fault of the study.

    - joint visits: from each entry, are elements seen together as often as products say? And those
      of the fitted walk, where one path leads to all?
    - persons: how much of depth, going back and choices is the person's?
    - goals: how much of a step is explained by where the session ended (`goal` last)?

    Intervals are over people: twenty groups of them, each left out once (Kott 2001), with Student's
    t; sessions of unknown people are as many people. Beside the rows: numbers of the log and of its
    contexts, and what the log lost.

    Cost. Minutes on fifty thousand games.

    Raise InputError as readers of files; for a move that the links do not know, fewer than forty
    people, and contexts of too few of them.
    """
    links = read_pairs(design.links)
    log = joined([batch for path in design.log for batch in read_sessions(path)])
    steps = steps_of(log, links)
    sessions = steps.sessions
    num_people = len(np.unique(owners(sessions)))
    if num_people < 2 * NUM_GROUPS:
        remedy = "intervals are over people; give more sessions"
        raise InputError("number of people in the log", num_people, "be at least 40", remedy=remedy)

    def rng(part: int) -> np.random.Generator:
        return np.random.default_rng([design.seed, part])

    everywhere = design.contexts == "visits"
    contexts = contexts_of(sessions, least=design.least, everywhere=everywhere, rng=rng(0))
    if not contexts:
        remedy = "take fewer by --least, or contexts of all visits by --contexts"
        rule = f"start with an element that {design.least} people start with"
        raise InputError("log", ", ".join(design.log), rule, remedy=remedy)
    fit = fit_of(steps)
    whole = fit(sessions)
    walked = whole.simulate(len(sessions), int(rng(10).integers(2**32)))
    walks = contexts_of(walked, least=design.least, everywhere=everywhere, rng=rng(11))
    step = counted(lambda share: progress(0.6 * share), 2 * len(contexts) + len(walks))
    testing, of_walk, permutations = rng(1), rng(12), design.permutations
    made = [independent(context, testing) for context in contexts]
    p = [tested(each, permutations, testing, step) for each in (contexts, made)]
    values, control = (
        by_joint(each, *of_each, testing) for each, of_each in zip((contexts, made), p, strict=True)
    )
    rows = beside(JOINT, values, control, len(contexts), "contexts")
    if walks:
        values = by_joint(walks, *tested(walks, permutations, of_walk, step), of_walk)
        values = {f"walk's {name}": value for name, value in values.items()}
        rows += beside(OF_WALK, values, {}, len(walks), "contexts")
    half = groups(owners(sessions)[sessions.starts[:-1]], rng(2)) % 2 == 0
    first, second = (
        steps_of(sessions.some(np.flatnonzero(half == side)), links) for side in (True, False)
    )
    learned, other = fit(first.sessions), fit(second.sessions)
    losses = (walk.predict(sessions)["step"].nats for walk in (other, learned))
    loss = np.where(half[steps.session], *losses)
    progress(0.7)
    backs = np.bincount(sessions.session, sessions.is_back, len(sessions))
    of_sessions = {
        "moves, log": np.log1p(np.bincount(steps.session, minlength=len(sessions))),
        "back clicks a visit": backs / np.diff(sessions.starts),
        "nats a step": steps.mean_by_session(loss),
    }
    rows += by_person(sessions, of_sessions, permutations, rng(3))
    progress(0.8)
    if design.goal is not None:
        seed = np.random.SeedSequence([design.seed, 4]).generate_state(1)
        simulated = steps_of(learned.simulate(len(second.sessions), int(seed[0])), links)
        rows += by_goals(second, simulated, learned.shares, rng(5))
    progress(1)
    return rows, SimpleNamespace(
        sessions=len(sessions),
        persons=len(np.unique(sessions.person[sessions.person >= 0])),
        moves=len(steps.row),
        back_clicks=int(sessions.is_back.sum()),
        contexts=len(contexts),
        lost=dict(log.lost),
    )


# --- how much is the person's ---------------------------------------------------------------------


def by_person(
    sessions: Sessions,
    values: Mapping[str, Floats],
    permutations: int,
    rng: np.random.Generator,
) -> list[dict[str, Any]]:
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


def _with_interval(values: Floats, persons: Ints, rng: np.random.Generator) -> Estimate:
    group = groups(persons, rng)
    left = [between(values[group != g], persons[group != g]) for g in range(NUM_GROUPS)]
    return over_groups(between(values, persons), left)


def _chosen(persons: Ints, is_known: Flags, rng: np.random.Generator) -> Ints:
    """Return sessions of persons who have two at least, at random those that count."""
    order = rng.permutation(np.flatnonzero(is_known & (persons >= 0)))
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


def by_goals(
    steps: Steps, made: Steps, theta: Floats, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Return what the goal tells of a step, each session's last element being its goal.

    A walk without a goal gets nearer to where it happens to end, too: the control is sessions that
    are made from the fitted walk.

    `theta`: by row of links: the probability of taking it, given a move.
    """
    (values, size), (controls, _) = (_explained(each, theta, rng) for each in (steps, made))
    return beside(GOALS, values, controls, size, "moves")


def _explained(steps: Steps, theta: Floats, rng: np.random.Generator) -> tuple[Values, int]:
    """Return what the goal tells, and of how many moves.

    Log odds of a link get slopes for links that lead to the goal, closer, and away; slopes are
    learned of half of the people, and used for the others.
    """
    from scipy.optimize import minimize

    sessions, links = steps.sessions, steps.links
    kept = np.zeros(len(sessions), dtype=np.bool_)
    kept[rng.permutation(len(sessions))[:MOST_WITH_GOAL]] = True
    moves = np.flatnonzero(kept[steps.session])
    goal = sessions.element[sessions.starts[1:] - 1][steps.session[moves]]
    away, place = distances(links, goal, len(sessions.elements))
    bounds, rows, is_taken = options_of(steps.row[moves], links)
    starts, sizes, taken = bounds[:-1], np.diff(bounds), np.flatnonzero(is_taken)
    choice = np.repeat(np.arange(len(moves)), sizes)
    of_target, of_source = (
        away[ends[rows], place[choice]] for ends in (links.targets, links.sources)
    )
    features = np.column_stack(
        [links.targets[rows] == goal[choice], of_target < of_source, of_target > of_source]
    ).astype(np.float64)
    log_base = np.log(theta[rows])

    def losses(slopes: Floats) -> tuple[Floats, Floats]:
        """Return -log p of each choice, and its gradient by the slopes, a row for each choice."""
        score = log_base + features @ slopes
        top = np.maximum.reduceat(score, starts)
        weight = np.exp(score - np.repeat(top, sizes))
        total = np.add.reduceat(weight, starts)
        share = weight / np.repeat(total, sizes)
        expected = np.add.reduceat(share[:, None] * features, starts, axis=0)
        return top + np.log(total) - score[taken], expected - features[taken]

    def learned(chosen: Flags) -> Floats:
        """Return the slopes that fit some choices best."""

        def loss(slopes: Floats) -> tuple[float, Floats]:
            each, gradient = losses(slopes)
            ridge = _RIDGE * slopes
            return float(each[chosen].mean() + ridge @ slopes), gradient[chosen].mean(
                axis=0
            ) + 2 * ridge

        slopes: Floats = minimize(loss, np.zeros(3), jac=True, method="L-BFGS-B").x
        return slopes

    group = groups(owners(sessions)[steps.visit[moves]], rng)
    without, given = losses(np.zeros(3))[0], np.zeros(len(moves))
    for half in (0, 1):
        held = group % 2 == half
        given[held] = losses(learned(~held))[0][held]
    saved = ratio(without - given, np.ones(len(moves)), group)
    return {"nats a step that the goal saves": saved}, len(moves)


def distances(links: Links, goals: Ints, size: int) -> tuple[Floats, Ints]:
    """Return how many links lead from each of `size` elements to each goal, and whose is which.

    Of shapes (size, goals) and (len(goals),); infinite where no way leads.
    """
    from scipy.sparse import csgraph, csr_array

    which, place = np.unique(goals, return_inverse=True)
    back = csr_array((np.ones(len(links)), (links.targets, links.sources)), shape=(size, size))
    return csgraph.dijkstra(back, indices=which, unweighted=True).T, place


def fit_of(steps: Steps) -> Callable[[Sessions], FittedWalk]:
    """Return what fits a walk to some of the sessions."""
    features = link_features(steps.links)
    return lambda sessions: WalkEstimator().fit(sessions, steps.links, features=features)


# --- what is shown --------------------------------------------------------------------------------

FORMS = {"quantity": "", "value to": "<.4f", "holds": "g", "control to": "<.4f"}
FORMS |= {"p": ".4f", "of": ""}


def view(result: Any) -> View:
    """Return a table for each part, and what the numbers mean."""
    frame = result.to_frame().rename(columns={"low": "value_low", "high": "value_high"})
    sizes = zip(frame["size"], frame.counted, strict=True)
    frame["of"] = [filled(f"{{n:{counted.removesuffix('s')}}}", n=size) for size, counted in sizes]
    tables = [
        frame_table(part, rows, FORMS, names={"holds": "if it holds"})
        for part, rows in frame.groupby("part", sort=False)
    ]
    story, notes = Story.beside(__package__), ("columns", *frame.part.unique())
    return story.view(tables, {}, headline=_headline(result, story), notes=notes)


def _headline(result: Any, story: Story) -> str:
    """Return whether Hypothesis 2.2 holds, and of whom."""
    found = result.found
    rows = {row.quantity: row for row in result.rows}
    together, apart = (
        round(rows[f"contexts that {verb}"].value * found.contexts)
        for verb in ("go together", "exclude each other")
    )
    share = sum(row.value for row in result.rows if row.quantity.startswith("walk's contexts that"))
    values: dict[str, Any] = {
        "n": found.contexts,
        "together": together,
        "apart": apart,
        "fails": together + apart,
        "excess": _interval(rows[EXCESS]),
        "share": "all" if share == 1 else f"{share:.0%}",
        "found": found,
        "people": f"{found.persons:,} persons" if found.persons else "unknown people",
    }
    values |= {"lost": ", ".join(f"{name} {n:,}" for name, n in found.lost.items())}
    sections = (
        "headline" if together + apart else "headline of none",
        "of the walk" if share else None,
        "of whom",
        "lost" if found.lost else None,
    )
    return " ".join(story.paragraphs(*sections, **values))


def _interval(row: Any) -> str:
    return interval(row.value, row.low, row.high, ".4f")


PEOPLE = Study("people", __doc__, PeopleDesign, compute, view)
