"""Sessions, intervals over people, and joint visits against products: Hypothesis 2.2 itself.

A context is a table of sessions by elements, who saw what from where; tests ask whether its visits
are products.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from prum.experiments.fitting.predictions import moves_of
from prum.experiments.frame.frames import columns_of
from prum.experiments.logs import Sessions
from prum.experiments.statistics.intervals import Estimate, student_factor
from prum.experiments.statistics.tests import LEVEL, benjamini_hochberg
from prum.experiments.studies.kit.quantities import known
from prum.simulator import InputError, Links
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.sampling.kernels import swap_visits

EXCESS = "excess of pairs seen together, of products"
# Groups of people, each of which is left out once for an interval.
NUM_GROUPS = 20
# Tests take so many contexts and sessions of each at most, and pairs of so many elements.
MOST_CONTEXTS, MOST_SESSIONS, MOST_ELEMENTS = 100, 200, 30
# Swaps for each visit, from the observed table to its middle and from there to each other one.
_SWAPS = 4
Values = Mapping[str, float | Estimate]


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
    """Return the sessions of several batches as one, people of one name being one person."""
    sizes = np.concatenate([np.diff(each.starts) for each in batches])
    lost = sum((Counter(dict(each.lost)) for each in batches), Counter[str]())
    return Sessions.of_visits(
        [each.elements[x] for each in batches for x in each.element.tolist()],
        [0, *np.cumsum(sizes).tolist()],
        np.concatenate([each.is_entry for each in batches]),
        np.concatenate([each.is_back for each in batches]),
        [each.persons[k] if k >= 0 else None for each in batches for k in each.person.tolist()],
        np.concatenate([each.is_cut for each in batches]).tolist(),
        tuple(sorted(lost.items())),
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
