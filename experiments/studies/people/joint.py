"""Joint visits against products, context by context: Hypothesis 2.2 itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from prum.experiments.statistics.intervals import Interval
from prum.experiments.statistics.multiplicity import LEVEL, benjamini_hochberg
from prum.experiments.studies.people.contexts import (
    Context,
    independent,
    p_within_columns,
    p_within_margins,
)
from prum.experiments.studies.people.measured import NUM_GROUPS, PeopleRow, groups, over_groups, row
from prum.simulator.model.arrays import Floats, Ints

PART = "joint visits"
OF_WALK = "joint visits of the fitted walk"


@dataclass(frozen=True, slots=True)
class JointContext:
    """A context and its tests: pairs seen together, as products have them, p and adjusted p.

    `p` and `adjusted` are of independent visits, `p_margins` and `adjusted_margins` given how many
    elements each session saw as well.
    """

    element: str
    sessions: int
    elements: int
    together: float
    products: float
    nothing: float
    noisy_or: float
    p: float
    adjusted: float
    p_margins: float
    adjusted_margins: float

    @property
    def goes_together(self) -> bool:
        """Whether more pairs were seen together than by products, beyond chance."""
        return self.adjusted <= LEVEL and self.together > self.products

    @property
    def excludes(self) -> bool:
        """Whether fewer pairs were seen together than by products, beyond chance."""
        return self.adjusted <= LEVEL and self.together < self.products


def by_joint(
    contexts: Sequence[Context],
    names: Sequence[str],
    permutations: int,
    rng: np.random.Generator,
    step: Callable[[], object],
) -> tuple[list[PeopleRow], list[JointContext]]:
    """Return how far visits are from products, beside sessions that are made of products."""
    made = [independent(context, rng) for context in contexts]
    tested, control = (_tested(each, names, permutations, rng, step) for each in (contexts, made))
    values, others = (_values(*each, rng) for each in ((contexts, tested), (made, control)))
    rows = [
        row(PART, name, values[name], 0, others[name], len(contexts), "contexts") for name in values
    ]
    return rows, tested


def by_walk(
    contexts: Sequence[Context],
    names: Sequence[str],
    permutations: int,
    rng: np.random.Generator,
    step: Callable[[], object],
) -> list[PeopleRow]:
    """Return the same of sessions that the fitted walk made: a path is no product, either."""
    values = _values(contexts, _tested(contexts, names, permutations, rng, step), rng)
    return [
        row(OF_WALK, f"walk's {name}", values[name], 0, None, len(contexts), "contexts")
        for name in values
    ]


def _values(
    contexts: Sequence[Context], tested: Sequence[JointContext], rng: np.random.Generator
) -> dict[str, Interval]:
    """Return each quantity of contexts; shares of contexts have no interval."""
    if not contexts:
        return {}
    owner = np.unique(np.concatenate([context.owner for context in contexts]))
    group = np.zeros(int(owner.max()) + 1, dtype=np.int64)
    group[owner] = groups(owner, rng)
    values = {
        "pairs seen together less products, over these": _over_people(contexts, group, _excess),
        "sees nothing, less noisy-or": _over_people(contexts, group, _nothing),
    }
    shares: dict[str, Callable[[JointContext], bool]] = {
        "contexts that go together": lambda x: x.goes_together,
        "contexts that exclude each other": lambda x: x.excludes,
        "contexts with pairs of their own": lambda x: x.adjusted_margins <= LEVEL,
    }
    for name, is_so in shares.items():
        values[name] = float(np.mean([is_so(x) for x in tested])), np.nan, np.nan
    return values


def _tested(
    contexts: Sequence[Context],
    names: Sequence[str],
    permutations: int,
    rng: np.random.Generator,
    step: Callable[[], object],
) -> list[JointContext]:
    p, p_margins = list[float](), list[float]()
    for context in contexts:
        p.append(p_within_columns(context, permutations, rng))
        p_margins.append(p_within_margins(context, permutations, rng))
        step()
    adjusted, adjusted_margins = (benjamini_hochberg(np.array(each)) for each in (p, p_margins))
    rows = []
    for at, context in enumerate(contexts):
        (together, products), (nothing, noisy_or) = context.together, context.nothing
        rows.append(
            JointContext(
                names[context.element], len(context.table), context.table.shape[1], together,
                products, nothing, noisy_or, p[at], float(adjusted[at]), p_margins[at],
                float(adjusted_margins[at]),
            )
        )  # fmt: skip
    return rows


def _nothing(contexts: Sequence[Context]) -> float:
    return float(np.mean([p - q for p, q in (context.nothing for context in contexts)]))


def _excess(contexts: Sequence[Context]) -> float:
    together, products = np.array([context.together for context in contexts]).sum(axis=0)
    return float(together / products - 1) if products else np.nan


def _over_people(
    contexts: Sequence[Context], group: Ints, measure: Callable[[list[Context]], float]
) -> Interval:
    """Return a measure of contexts with its interval; one without sessions is left out."""
    without: Floats = np.array(
        [
            measure(
                [
                    Context(context.element, context.owner[kept], context.table[kept])
                    for context in contexts
                    if (kept := group[context.owner] != g).any()
                ]
            )
            for g in range(NUM_GROUPS)
        ]
    )
    return over_groups(measure(list(contexts)), without)
