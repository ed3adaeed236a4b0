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
    if not contexts:
        return [], []
    owner = np.unique(np.concatenate([context.owner for context in contexts]))
    group = np.zeros(int(owner.max()) + 1, dtype=np.int64)
    group[owner] = groups(owner, rng)
    rows = []
    quantities: dict[str, Callable[[list[Context]], float]] = {
        "pairs seen together less products, over these": _excess,
        "sees nothing, less noisy-or": lambda each: float(
            np.mean([p - q for p, q in (context.nothing for context in each)])
        ),
    }
    for name, measure in quantities.items():
        values = [_over_people(each, group, measure) for each in (contexts, made)]
        rows.append(row(PART, name, values[0], 0, values[1], len(contexts), "contexts"))
    shares: dict[str, Callable[[JointContext], bool]] = {
        "contexts that go together": lambda x: x.adjusted <= LEVEL and x.together > x.products,
        "contexts that exclude each other": lambda x: (
            x.adjusted <= LEVEL and x.together < x.products
        ),
        "contexts with pairs of their own": lambda x: x.adjusted_margins <= LEVEL,
    }
    for name, is_so in shares.items():
        value, other = (float(np.mean([is_so(x) for x in each])) for each in (tested, control))
        nan = (np.nan, np.nan)
        rows.append(row(PART, name, (value, *nan), 0, (other, *nan), len(contexts), "contexts"))
    return rows, tested


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
