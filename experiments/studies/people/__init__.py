"""Whether people browse as Hypothesis 2.2 says.

The study compares a log of people (or machines) with independent visits, and with a walk fitted to
it. Each quantity stands beside a control where the hypothesis holds. Exit status 0, whatever is
found.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple

import numpy as np

from prum.experiments.fitting import WalkEstimator
from prum.experiments.frame.design import Design, Seed, option
from prum.experiments.frame.frames import columns_of, frame_table
from prum.experiments.frame.study import Advance, Study, counted
from prum.experiments.frame.view import View, interval
from prum.experiments.logs import Sessions, read_sessions
from prum.experiments.statistics.intervals import Estimate, student_factor
from prum.experiments.statistics.tests import LEVEL
from prum.experiments.studies.kit.quantities import finite
from prum.experiments.studies.kit.story import Story
from prum.simulator import InputError, Links
from prum.simulator.collections import read_pairs
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.sampling.kernels import swap_visits

JOINT, OF_WALK = "joint visits", "joint visits of the fitted walk"
EXCESS = "excess of pairs seen together, of products"
# Groups of people, each of which is left out once for an interval.
NUM_GROUPS = 20
# Tests take so many contexts and sessions of each at most, and pairs of so many elements.
MOST_CONTEXTS, MOST_SESSIONS, MOST_ELEMENTS = 100, 200, 30
# Swaps for each visit, from the observed table to its middle and from there to each other one.
_SWAPS = 4


class PeopleDesign(Design):
    """Options of the study of people."""

    log: tuple[str, ...] = option(
        (), "A log: session, element, optionally person and entry.", file="input"
    )
    links: str = option("", "Where people could move: source and target.", file="input")
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
    (Hypothesis 2.2), no matter who they are and how they came there. Is that so of people?

    Design. From each entry, are elements seen together as often as products say? And in sessions of
    the fitted walk, where one path leads to all? Beside each quantity stands the same quantity of
    a control where the hypothesis holds: as many sessions with independent visits. A control off
    its mark is a fault of the study.

    Intervals are over people: twenty groups of them, each left out once (Kott 2001), with Student's
    t; sessions of unknown people are as many people. Beside the rows: numbers of the log and of its
    contexts, and what the log lost.

    Cost. Minutes on fifty thousand games.

    Raise InputError as readers of files; for a move that the links do not know, fewer than forty
    people, and contexts of too few of them.
    """
    links = read_pairs(design.links)
    log = joined([read_sessions(path) for path in design.log])
    sessions = on_links(log, links)
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
    walk = WalkEstimator().fit(sessions, links)
    walked = walk.simulate(len(sessions), int(rng(10).integers(2**32)))
    walks = contexts_of(walked, least=design.least, everywhere=everywhere, rng=rng(11))
    step = counted(progress, 2 * len(contexts) + len(walks))
    testing, of_walk, permutations = rng(1), rng(12), design.permutations
    made = [independent(context, testing) for context in contexts]
    p = [tested(each, permutations, testing, step) for each in (contexts, made)]
    values, control = (
        by_joint(each, *p_of_each, testing)
        for each, p_of_each in zip((contexts, made), p, strict=True)
    )
    rows = rows_beside(JOINT, values, control, len(contexts))
    if walks:
        values = by_joint(walks, *tested(walks, permutations, of_walk, step), of_walk)
        rows += rows_beside(OF_WALK, values, {}, len(walks))
    return rows, SimpleNamespace(
        sessions=len(sessions),
        persons=len(np.unique(sessions.person[sessions.person >= 0])),
        moves=int((~sessions.is_entry & ~sessions.is_back).sum()),
        back_clicks=int(sessions.is_back.sum()),
        contexts=len(contexts),
        lost=dict(log.lost),
    )


def rows_beside(
    part: str,
    values: Mapping[str, float | Estimate],
    controls: Mapping[str, float | Estimate],
    num_contexts: int,
) -> list[dict[str, Any]]:
    """Return quantities that are 0 where the hypothesis holds, beside those of a log where it does.

    With intervals or without; ends that are NaN are None.
    """
    return [
        {"part": part, "quantity": name}
        | columns_of(value=finite(value), control=finite(controls.get(name)))
        | {"contexts": num_contexts}
        for name, value in values.items()
    ]


# --- sessions, and intervals over people ----------------------------------------------------------


def on_links(sessions: Sessions, links: Links) -> Sessions:
    """Return the sessions with their elements numbered as those of the links first.

    Raise InputError for moves along no link.
    """
    names = tuple(dict.fromkeys((*links.elements, *sessions.elements)))
    code = {name: place for place, name in enumerate(names)}
    number = np.array([code[name] for name in sessions.elements], dtype=np.int64)
    coded = replace(sessions, elements=names, element=number[sessions.element])
    came = np.flatnonzero(~coded.is_entry & ~coded.is_back)
    moves = coded.element[came - 1] * len(names) + coded.element[came]
    strays = came[~np.isin(moves, links.sources.astype(np.int64) * len(names) + links.targets)]
    if len(strays):
        x, y = (names[coded.element[strays[0] - back]] for back in (1, 0))
        rule, remedy = "be 0", f"the first is {x!r} -> {y!r}; correct the log or the links"
        raise InputError("number of moves along no link", len(strays), rule, remedy=remedy)
    return coded


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
    nobody = np.arange(len(sessions)) + len(sessions.persons)
    return np.where(sessions.person >= 0, sessions.person, nobody)[sessions.session]


def first_of(keys: Ints) -> Flags:
    """Return where each key occurs for the first time."""
    first = np.zeros(len(keys), dtype=np.bool_)
    first[np.unique(keys, return_index=True)[1]] = True
    return first


def groups(people: Ints, rng: np.random.Generator) -> Ints:
    """Return the group of each of some entries by whose it is: people dealt evenly at random."""
    _, number = np.unique(people, return_inverse=True)
    num = int(number.max(initial=-1)) + 1
    group: Ints = rng.permutation(np.arange(num) % NUM_GROUPS)[number]
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
    return Estimate.around(whole, student_factor(num - 1) * error)


# --- joint visits: products? ----------------------------------------------------------------------


class Context(NamedTuple):
    """What was seen from an element, by some sessions of different people.

    `owner`, whose each session was, has the shape (n,); `table`, whether it came to y along a link,
    later on the path that came to the element, (n, k), without elements that nobody came to.
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
        numbers, counts = (self.table.sum(axis=axis) for axis in (1, 0))
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
    begins = np.flatnonzero(starting)
    begins = begins[first_of(owner[begins] * size + sessions.element[begins])]
    begins = begins[np.argsort(sessions.element[begins], kind="stable")]
    by_element = np.split(begins, np.flatnonzero(np.diff(sessions.element[begins])) + 1)
    enough = [places for places in by_element if len(places) >= max(least, 2)]
    enough.sort(key=len, reverse=True)
    ends = np.searchsorted(path, path, side="right")
    contexts = []
    for places in enough[:MOST_CONTEXTS]:
        if len(places) > MOST_SESSIONS:
            places = np.sort(rng.choice(places, MOST_SESSIONS, replace=False))
        x = int(sessions.element[places[0]])
        seen = []
        for place in places.tolist():
            later = slice(place + 1, int(ends[place]))
            new = np.unique(sessions.element[later][~sessions.is_back[later]])
            seen.append(new[new != x])
        which, column = np.unique(np.concatenate(seen), return_inverse=True)
        table = np.zeros((len(places), len(which)), dtype=np.bool_)
        table[np.repeat(np.arange(len(places)), list(map(len, seen))), column] = True
        contexts.append(Context(x, owner[places], table))
    return contexts


def independent(context: Context, rng: np.random.Generator) -> Context:
    """Return as many sessions whose visits are independent, each as likely as its share."""
    table = rng.random(context.table.shape) < context.table.mean(axis=0)
    return context._replace(table=table[:, table.any(axis=0)])


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
    shape = num, visits = len(tables), int(tables[0].sum())
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
    from scipy.stats import false_discovery_control

    p = list[list[float]]()
    for context in contexts:
        p.append(
            [test(context, permutations, rng) for test in (p_within_columns, p_within_margins)]
        )
        step()
    adjusted, adjusted_margins = map(false_discovery_control, np.array(p).T)
    return adjusted, adjusted_margins


def by_joint(
    contexts: Sequence[Context],
    adjusted: Floats,
    adjusted_margins: Floats,
    rng: np.random.Generator,
) -> dict[str, float | Estimate]:
    """Return how far visits are from products; shares of contexts have no interval."""
    owner = np.unique(np.concatenate([context.owner for context in contexts]))
    group = np.zeros(int(owner.max()) + 1, dtype=np.int64)
    group[owner] = groups(owner, rng)
    without = [
        [
            Context(context.element, context.owner[kept], context.table[kept])
            for context in contexts
            if (kept := group[context.owner] != g).any()
        ]
        for g in range(NUM_GROUPS)
    ]

    def over_people(measure: Callable[[Sequence[Context]], float]) -> Estimate:
        return over_groups(measure(contexts), [measure(some) for some in without])

    together, products = np.array([context.together for context in contexts]).T
    more = np.sign(together - products) * (adjusted <= LEVEL)
    return {
        EXCESS: over_people(_excess),
        "sees nothing, minus noisy-or": over_people(
            lambda some: float(np.mean([p - q for p, q in (x.nothing for x in some)]))
        ),
        "contexts that go together": float((more > 0).mean()),
        "contexts that exclude each other": float((more < 0).mean()),
        "contexts with pairs of their own": float((adjusted_margins <= LEVEL).mean()),
    }


def _excess(contexts: Sequence[Context]) -> float:
    together, products = np.array([context.together for context in contexts]).sum(axis=0)
    return float(together / products - 1) if products else np.nan


# --- what is shown --------------------------------------------------------------------------------

FORMS = {"quantity": "", "value to": "<.4f", "control to": "<.4f", "contexts": ","}


def view(result: Any) -> View:
    """Return a table for each part, and whether Hypothesis 2.2 holds, and of whom."""
    frame = result.to_frame()
    parts = frame.groupby("part", sort=False)
    tables = [frame_table(part, rows, FORMS) for part, rows in parts]
    findings, rows = result.found, {row.quantity: row for row in result.rows if row.part == JOINT}
    together, apart = (
        round(rows[f"contexts that {verb}"].value * findings.contexts)
        for verb in ("go together", "exclude each other")
    )
    share = sum(
        row.value
        for row in result.rows
        if row.part == OF_WALK and row.quantity.startswith("contexts that")
    )
    excess = rows[EXCESS]
    values: dict[str, Any] = {
        "n": findings.contexts,
        "together": together,
        "apart": apart,
        "fails": together + apart,
        "excess": interval(excess.value, excess.value_low, excess.value_high, ".4f"),
        "share": "all" if share == 1 else f"{share:.0%}",
        "found": findings,
        "people": f"{findings.persons:,} persons" if findings.persons else "unknown people",
        "lost": ", ".join(f"{name} {n:,}" for name, n in findings.lost.items()),
    }
    headline = (
        "headline" if together + apart else "headline of none",
        "of the walk" if share else None,
        "of whom",
        "lost" if findings.lost else None,
    )
    notes = ("columns", *frame.part.unique())
    return Story.of(__package__).view(tables, values, headline=headline, notes=notes)


PEOPLE = Study("people", __doc__, PeopleDesign, compute, view)
