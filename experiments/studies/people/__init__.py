"""Whether people browse as Hypothesis 2.2 says.

The study compares a log of people (or machines) with independent visits, and with a walk fitted to
it: joint visits, persons and goals. Each quantity stands beside a control where the hypothesis
holds. Exit status 0, whatever is found.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np

from prum.experiments.fitting import FittedWalk, WalkEstimator, link_features
from prum.experiments.fitting.predictions import moves_of, options_of
from prum.experiments.frame.design import Design, Seed, option
from prum.experiments.frame.frames import columns_of, frame_table
from prum.experiments.frame.study import Advance, Study, counted
from prum.experiments.frame.view import View, interval
from prum.experiments.logs import Sessions, read_sessions
from prum.experiments.statistics.intervals import Estimate, student_factor
from prum.experiments.statistics.tests import LEVEL, benjamini_hochberg
from prum.experiments.studies.kit.quantities import known
from prum.experiments.studies.kit.story import Story, filled
from prum.simulator import InputError, Links
from prum.simulator.collections import read_pairs
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.sampling.kernels import swap_visits

GOALS, PERSONS = "goals", "persons"
JOINT, OF_WALK = "joint visits", "joint visits of the fitted walk"
# Sessions of a person that count, so that none counts for many; of an entry whose mean is taken
# out; and those whose steps towards a goal count, as a step has as many options as its page links.
MOST_OF_PERSON, LEAST_OF_ENTRY, MOST_WITH_GOAL = 20, 5, 4_000
# Ridge of slopes of what never occurs.
_RIDGE = 1e-3

EXCESS = "excess of pairs seen together, of products"
# Groups of people, each of which is left out once for an interval.
NUM_GROUPS = 20
# Tests take so many contexts and sessions of each at most, and pairs of so many elements.
MOST_CONTEXTS, MOST_SESSIONS, MOST_ELEMENTS = 100, 200, 30
# Swaps for each visit, from the observed table to its middle and from there to each other one.
_SWAPS = 4
Values = Mapping[str, float | Estimate]


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
    log = joined([read_sessions(path) for path in design.log])
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


# --- sessions, and intervals over people ----------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Moves along links, of sessions whose elements are numbered as those of the links first.

    Parameters
    ----------
    sessions, links
        The sessions, and where they may move.
    visit
        Of each move: the visit that it led to.
    row
        Along which row of `links`.
    """

    sessions: Sessions
    links: Links
    visit: Ints
    row: Ints

    @property
    def session(self) -> Ints:
        """The session of each move."""
        return self.sessions.session[self.visit]

    def mean_by_session(self, values: Floats) -> Floats:
        """Return the mean of a value of moves for each session, NaN without moves."""
        num = len(self.sessions)
        sums = np.bincount(self.session, values, num)
        numbers = np.bincount(self.session, minlength=num)
        means: Floats = np.divide(sums, numbers, out=np.full(num, np.nan), where=numbers > 0)
        return means


def steps_of(sessions: Sessions, links: Links) -> Steps:
    """Return the moves of sessions.

    Raise InputError for moves along no link.
    """
    names = tuple(dict.fromkeys((*links.elements, *sessions.elements)))
    code = {name: place for place, name in enumerate(names)}
    known = np.array([code[name] for name in sessions.elements], dtype=np.int64)
    coded = replace(sessions, elements=names, element=known[sessions.element])
    visit, row = moves_of(coded, links)
    is_move = ~coded.is_entry & ~coded.is_back
    is_move[visit] = False
    strays = np.flatnonzero(is_move)
    if len(strays):
        x, y = (names[coded.element[strays[0] - back]] for back in (1, 0))
        rule, remedy = "be 0", f"the first is {x!r} -> {y!r}; correct the log or the links"
        raise InputError("number of moves along no link", len(strays), rule, remedy=remedy)
    return Steps(coded, links, visit, row)


def joined(batches: Sequence[Sessions]) -> Sessions:
    """Return the sessions of several logs as one, people of one name being one person."""
    sizes = np.concatenate([np.diff(each.starts) for each in batches])
    lost = sum((Counter(dict(each.lost)) for each in batches), Counter[str]())
    return Sessions.of_visits(
        [each.elements[x] for each in batches for x in each.element.tolist()],
        [0, *np.cumsum(sizes).tolist()],
        np.concatenate([each.is_entry for each in batches]),
        np.concatenate([each.is_back for each in batches]),
        [each.persons[k] if k >= 0 else None for each in batches for k in each.person.tolist()],
        np.concatenate([each.is_cut for each in batches]).tolist(),
        dict(sorted(lost.items())),
    )


def owners(sessions: Sessions) -> Ints:
    """Return whose each visit was: the person's number, or another for each other session."""
    known = sessions.person >= 0
    own = np.arange(len(sessions)) + len(sessions.persons)
    return np.where(known, sessions.person, own)[sessions.session]


def first_of(keys: Ints) -> Flags:
    """Return where each key occurs for the first time."""
    first = np.zeros(len(keys), dtype=np.bool_)
    first[np.unique(keys, return_index=True)[1]] = True
    return first


def groups(people: Ints, rng: np.random.Generator) -> Ints:
    """Return the group of each of some entries by whose it is: people dealt evenly at random."""
    _, own = np.unique(people, return_inverse=True)
    num = int(own.max(initial=-1)) + 1
    group: Ints = rng.permutation(np.arange(num) % NUM_GROUPS)[own]
    return group


def over_groups(whole: float, without: Sequence[float] | Floats) -> Estimate:
    """Return a value and its interval from the values with each group of people left out.

    The delete-a-group jackknife (Kott 2001), with Student's t. No interval if the values are not
    all numbers.

    >>> value, low, high = over_groups(2.0, [2.5, 2.0, 1.5])
    >>> value, round(low, 4), round(high, 4)
    (2.0, -0.4841, 4.4841)
    """
    left = np.asarray(without, dtype=np.float64)
    num = len(left)
    error = float(np.sqrt((num - 1) / num * ((left - left.mean()) ** 2).sum()))
    half = student_factor(num - 1) * error
    return Estimate.around(whole, half)


def ratio(above: Floats, below: Floats, group: Ints) -> Estimate:
    """Return sum above / sum below over people's parts of both, with its interval."""
    tops, bottoms = (np.bincount(group, part, NUM_GROUPS) for part in (above, below))
    left = (tops.sum() - tops) / (bottoms.sum() - bottoms)
    return over_groups(float(tops.sum() / bottoms.sum()), left)


def row(
    part: str,
    quantity: str,
    value: float | Estimate,
    holds: float | None,
    control: float | Estimate | None,
    size: int,
    counted: str,
    p: float | None = None,
) -> dict[str, Any]:
    """Return a quantity, what it would be if the hypothesis held, and that of a log where it holds.

    With intervals or without; ends that are NaN are None. `p` is that of a permutation.
    """
    first, *ends = known(value)
    return (
        {"part": part, "quantity": quantity, "value": first, "low": ends[0], "high": ends[1]}
        | {"p": p, "holds": holds}
        | columns_of(control=known(control))
        | {"size": size, "counted": counted}
    )


def beside(
    part: str,
    values: Values,
    controls: Values,
    size: int,
    counted: str,
) -> list[dict[str, Any]]:
    """Return rows of quantities that are 0 where the hypothesis holds, beside a control's."""
    return [
        row(part, name, value, 0, controls.get(name), size, counted)
        for name, value in values.items()
    ]


# --- joint visits: products? ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """What was seen from an element, by some sessions of different people.

    Parameters
    ----------
    element
        The element x that they came to.
    owner
        Of each session: whose it was; shape (n,).
    table
        Whether a session came to y along a link, later on the path that came to x; shape (n, k),
        elements y that nobody came to left out.
    """

    element: int
    owner: Ints
    table: Flags

    @property
    def together(self) -> tuple[float, float]:
        """How many pairs of elements were seen together, and how many products expect.

        A pair of c and d of n sessions is in c d / n of them, if visits are independent and c and d
        are as they are.
        """
        numbers = self.table.sum(axis=1)
        counts = self.table.sum(axis=0)
        pairs = float((numbers * (numbers - 1)).sum()) / 2
        expected = (float(counts.sum()) ** 2 - float((counts**2).sum())) / 2 / len(self.table)
        return pairs, expected

    @property
    def nothing(self) -> tuple[float, float]:
        """The share of sessions that saw nothing, and what noisy-or says it is."""
        shares = self.table.mean(axis=0)
        return float((~self.table.any(axis=1)).mean()), float(np.prod(1 - shares))


def contexts_of(
    sessions: Sessions, *, least: int, everywhere: bool, rng: np.random.Generator
) -> list[Context]:
    """Return the contexts of those elements that `least` sessions came to, the most frequent first.

    Of a person only the first session counts in each, since people are what is drawn. Where
    `everywhere`, a context begins where a path first comes to an element, else with entries only.
    """
    path = np.cumsum(sessions.is_entry) - 1
    owner = owners(sessions)
    size = len(sessions.elements)
    starting = first_of(path * size + sessions.element)
    if not everywhere:
        starting &= sessions.is_entry
    at = np.flatnonzero(starting)
    kept = first_of(owner[at] * size + sessions.element[at])
    at = at[kept]
    order = np.argsort(sessions.element[at], kind="stable")
    by_element = np.split(at[order], np.flatnonzero(np.diff(sessions.element[at][order])) + 1)
    enough = [places for places in by_element if len(places) >= max(least, 2)]
    enough.sort(key=len, reverse=True)
    ends = np.searchsorted(path, path, side="right")
    result = []
    for places in enough[:MOST_CONTEXTS]:
        if len(places) > MOST_SESSIONS:
            places = np.sort(rng.choice(places, MOST_SESSIONS, replace=False))
        x = int(sessions.element[places[0]])
        row, seen = [], []
        for number, place in enumerate(places.tolist()):
            later = slice(place + 1, int(ends[place]))
            new = np.unique(sessions.element[later][~sessions.is_back[later]])
            new = new[new != x]
            row.append(np.full(len(new), number))
            seen.append(new)
        which, column = np.unique(np.concatenate(seen), return_inverse=True)
        table = np.zeros((len(places), len(which)), dtype=np.bool_)
        table[np.concatenate(row), column] = True
        result.append(Context(x, owner[places], table))
    return result


def independent(context: Context, rng: np.random.Generator) -> Context:
    """Return as many sessions whose visits are independent, each as likely as its share."""
    shares = context.table.mean(axis=0)
    table = rng.random(context.table.shape) < shares
    return Context(context.element, context.owner, table[:, table.any(axis=0)])


def p_within_columns(context: Context, num: int, rng: np.random.Generator) -> float:
    """Return p, two-sided, of independent visits, given how many sessions came to each element.

    Each element's visits are dealt to sessions anew, `num` times; compared is the number of pairs
    seen together, so the variance of how many elements a session saw (Schluter 1984).
    """
    observed = int((context.table.sum(axis=1) ** 2).sum())
    drawn = (_dealt(context.table.sum(axis=0), len(context.table), num, rng) ** 2).sum(axis=1)
    above, below = int((drawn >= observed).sum()), int((drawn <= observed).sum())
    return min(1.0, 2 * (1 + min(above, below)) / (num + 1))


def p_within_margins(context: Context, num: int, rng: np.random.Generator) -> float:
    """Return p of a table with no more to it than how much each session saw, and who saw each.

    Both margins are kept. Compared is the sum of squares of how often pairs were seen together,
    which grows where some pairs go together or exclude each other (Roberts and Stone 1990), for the
    30 elements that most came to. Tables are made by swaps from one that is as many swaps from the
    observed one (Besag and Clifford 1989): p is exact, however many swaps.
    """
    counts = context.table.sum(axis=0)
    often = np.argsort(-counts, kind="stable")[:MOST_ELEMENTS]
    table = context.table[:, often[counts[often] > 1]]
    table = table[table.any(axis=1)]
    if table.shape[1] < 2:
        return 1.0
    middle = _swapped(table[None], rng)
    drawn = _squares(_swapped(np.repeat(middle, num, axis=0), rng))
    return (1 + int((drawn >= _squares(table[None])[0]).sum())) / (num + 1)


def _dealt(counts: Ints, n: int, num: int, rng: np.random.Generator) -> Ints:
    """Return how many elements each of n sessions saw, (num, n), if each was dealt at random."""
    total = np.zeros(num * n, dtype=np.int64)
    for count, times in zip(*np.unique(counts, return_counts=True), strict=True):
        size = int(times) * num
        if count**2 > 4 * n:  # repeats would be too many to draw again
            rows = np.argpartition(rng.random((size, n)), count - 1, axis=1)[:, :count]
        else:
            rows = rng.integers(n, size=(size, int(count)))
            again = np.arange(size)
            while len(again):
                ordered = np.sort(rows[again], axis=1)
                again = again[(np.diff(ordered, axis=1) == 0).any(axis=1)]
                rows[again] = rng.integers(n, size=(len(again), int(count)))
        place = np.arange(size)[:, None] % num * n + rows
        total += np.bincount(place.ravel(), minlength=num * n)
    return total.reshape(num, n)


def _swapped(tables: Flags, rng: np.random.Generator) -> Flags:
    """Return tables (num, n, k) of equal margins after random swaps, in each its own."""
    tables = tables.copy()
    num = len(tables)
    visits = int(tables[0].sum())
    shape = (num, visits)
    rows, columns = (np.ascontiguousarray(part.reshape(shape)) for part in np.nonzero(tables)[1:])
    picks = rng.integers(visits, size=(num, _SWAPS * visits, 2), dtype=np.int32)
    swap_visits(tables, rows, columns, picks)
    return tables


def _squares(tables: Flags) -> Floats:
    """Return for each table the sum over pairs of columns of (rows that have both) squared."""
    real = tables.astype(np.float32)
    both = np.matmul(real.transpose(0, 2, 1), real)
    squares: Floats = (both.astype(np.float64) ** 2).sum(axis=(1, 2))
    return squares


def tested(
    contexts: Sequence[Context],
    permutations: int,
    rng: np.random.Generator,
    step: Callable[[], object],
) -> tuple[Floats, Floats]:
    """Return adjusted p of contexts: of independent visits, and given how much sessions saw."""
    p = list[tuple[float, float]]()
    for context in contexts:
        within_columns = p_within_columns(context, permutations, rng)
        p.append((within_columns, p_within_margins(context, permutations, rng)))
        step()
    adjusted, adjusted_margins = map(benjamini_hochberg, np.array(p).T)
    return adjusted, adjusted_margins


def by_joint(
    contexts: Sequence[Context],
    adjusted: Floats,
    adjusted_margins: Floats,
    rng: np.random.Generator,
) -> Values:
    """Return how far visits are from products; shares of contexts have no interval."""
    owner = np.unique(np.concatenate([context.owner for context in contexts]))
    group = np.zeros(int(owner.max()) + 1, dtype=np.int64)
    group[owner] = groups(owner, rng)
    together, products = np.array([context.together for context in contexts]).T
    more = np.sign(together - products) * (adjusted <= LEVEL)
    return {
        EXCESS: _over_people(contexts, group, _excess),
        "sees nothing, minus noisy-or": _over_people(contexts, group, _nothing),
        "contexts that go together": float((more > 0).mean()),
        "contexts that exclude each other": float((more < 0).mean()),
        "contexts with pairs of their own": float((adjusted_margins <= LEVEL).mean()),
    }


def _nothing(contexts: Sequence[Context]) -> float:
    return float(np.mean([p - q for p, q in (context.nothing for context in contexts)]))


def _excess(contexts: Sequence[Context]) -> float:
    together, products = np.array([context.together for context in contexts]).sum(axis=0)
    return float(together / products - 1) if products else np.nan


def _over_people(
    contexts: Sequence[Context], group: Ints, measure: Callable[[list[Context]], float]
) -> Estimate:
    """Return a measure of contexts with its interval; one without sessions is left out."""

    def without(g: int) -> list[Context]:
        return [
            Context(context.element, context.owner[kept], context.table[kept])
            for context in contexts
            if (kept := group[context.owner] != g).any()
        ]

    left = [measure(without(g)) for g in range(NUM_GROUPS)]
    return over_groups(measure(list(contexts)), left)


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
