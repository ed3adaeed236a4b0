"""Joint visits against products, context by context: Hypothesis 2.2 itself.

A context is a table of sessions by elements, who saw what from where; tests ask whether its visits
are products.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from prum.experiments.frame.frames import rows_of
from prum.experiments.logs import Sessions
from prum.experiments.statistics.intervals import Interval
from prum.experiments.statistics.tests import LEVEL, benjamini_hochberg
from prum.experiments.studies.people.steps import (
    NUM_GROUPS,
    Row,
    beside,
    first_of,
    groups,
    over_groups,
    owners,
)
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.sampling.kernels import swap_visits

PART = "joint visits"
OF_WALK = "joint visits of the fitted walk"
# Tests take so many contexts and sessions of each at most, and pairs of so many elements.
MOST_CONTEXTS, MOST_SESSIONS, MOST_ELEMENTS = 100, 200, 30
# Swaps for each visit, from the observed table to its middle and from there to each other one.
_SWAPS = 4


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


def by_joint(
    contexts: Sequence[Context],
    names: Sequence[str],
    permutations: int,
    rng: np.random.Generator,
    step: Callable[[], object],
) -> tuple[list[Row], list[Any]]:
    """Return how far visits are from products, beside sessions that are made of products."""
    made = [independent(context, rng) for context in contexts]
    tested, control = (_tested(each, names, permutations, rng, step) for each in (contexts, made))
    values, others = (_values(*each, rng) for each in ((contexts, tested), (made, control)))
    return beside(PART, values, others, len(contexts), "contexts"), tested


def by_walk(
    contexts: Sequence[Context],
    names: Sequence[str],
    permutations: int,
    rng: np.random.Generator,
    step: Callable[[], object],
) -> list[Row]:
    """Return the same of sessions that the fitted walk made: a path is no product, either."""
    values = _values(contexts, _tested(contexts, names, permutations, rng, step), rng)
    values = {f"walk's {name}": value for name, value in values.items()}
    return beside(OF_WALK, values, {}, len(contexts), "contexts")


def _values(
    contexts: Sequence[Context], tested: Sequence[Any], rng: np.random.Generator
) -> dict[str, float | Interval]:
    """Return each quantity of contexts; shares of contexts have no interval."""
    if not contexts:
        return {}
    owner = np.unique(np.concatenate([context.owner for context in contexts]))
    group = np.zeros(int(owner.max()) + 1, dtype=np.int64)
    group[owner] = groups(owner, rng)
    return {
        "excess of pairs seen together, of products": _over_people(contexts, group, _excess),
        "sees nothing, minus noisy-or": _over_people(contexts, group, _nothing),
        "contexts that go together": float(np.mean([x.goes_together for x in tested])),
        "contexts that exclude each other": float(np.mean([x.excludes for x in tested])),
        "contexts with pairs of their own": float(
            np.mean([x.adjusted_margins <= LEVEL for x in tested])
        ),
    }


def _tested(
    contexts: Sequence[Context],
    names: Sequence[str],
    permutations: int,
    rng: np.random.Generator,
    step: Callable[[], object],
) -> list[Any]:
    """Return rows of contexts: pairs seen together, as products have them, p and adjusted p.

    `p` and `adjusted` are of independent visits, `p_margins` and `adjusted_margins` given how many
    elements each session saw as well. `goes_together` and `excludes`: whether more or fewer pairs
    were seen together than by products, beyond chance.
    """
    p, p_margins = list[float](), list[float]()
    for context in contexts:
        p.append(p_within_columns(context, permutations, rng))
        p_margins.append(p_within_margins(context, permutations, rng))
        step()
    adjusted, adjusted_margins = (
        benjamini_hochberg(np.array(each)).tolist() for each in (p, p_margins)
    )
    tests = {"p": p, "adjusted": adjusted, "p_margins": p_margins}
    tests |= {"adjusted_margins": adjusted_margins}
    together, products = ([context.together[k] for context in contexts] for k in (0, 1))
    nothing, noisy_or = ([context.nothing[k] for context in contexts] for k in (0, 1))
    more = np.sign(np.subtract(together, products)) * np.less_equal(adjusted, LEVEL)
    return rows_of(
        {
            "element": [names[context.element] for context in contexts],
            "sessions": [context.table.shape[0] for context in contexts],
            "elements": [context.table.shape[1] for context in contexts],
            "together": together,
            "products": products,
            "nothing": nothing,
            "noisy_or": noisy_or,
            **tests,
            "goes_together": more > 0,
            "excludes": more < 0,
        }
    )


def _nothing(contexts: Sequence[Context]) -> float:
    return float(np.mean([p - q for p, q in (context.nothing for context in contexts)]))


def _excess(contexts: Sequence[Context]) -> float:
    together, products = np.array([context.together for context in contexts]).sum(axis=0)
    return float(together / products - 1) if products else np.nan


def _over_people(
    contexts: Sequence[Context], group: Ints, measure: Callable[[list[Context]], float]
) -> Interval:
    """Return a measure of contexts with its interval; one without sessions is left out."""

    def without(g: int) -> list[Context]:
        return [
            Context(context.element, context.owner[kept], context.table[kept])
            for context in contexts
            if (kept := group[context.owner] != g).any()
        ]

    left = [measure(without(g)) for g in range(NUM_GROUPS)]
    return over_groups(measure(list(contexts)), left)
