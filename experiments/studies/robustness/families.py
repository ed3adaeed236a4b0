"""The fifteen measures, in the groups that the paper's hypotheses compare."""

from dataclasses import dataclass

from prum.analytic.utility.measures import MEASURES

NAMES = tuple(MEASURES)

_TAILS = {"RBP": "slim", "ERR": "slim", "RR": "medium", "RRR": "medium", "DCG": "fat", "AP": "fat"}
_DYNAMIC = ("ERR", "AP", "RRR")

# Name -> measures of a group: the models, the tails, static and dynamic distributions.
GROUPS: dict[str, tuple[str, ...]] = {
    **{
        model: tuple(name for name in NAMES if MEASURES[name][1] == model)
        for model in ("M1", "M2", "M3", "M4")
    },
    **{
        f"{tail} tail": tuple(name for name in NAMES if _TAILS[MEASURES[name][0]] == tail)
        for tail in ("slim", "medium", "fat")
    },
    "static": tuple(name for name in NAMES if MEASURES[name][0] not in _DYNAMIC),
    "dynamic": tuple(name for name in NAMES if MEASURES[name][0] in _DYNAMIC),
}


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """The paper's expectation of the first groups beside the second: firmer, or no difference."""

    name: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    expected: str


HYPOTHESES = (
    Hypothesis("utility against effort", ("M1", "M2"), ("M3", "M4"), "no difference"),
    Hypothesis("viewing against stopping", ("M2", "M4"), ("M1", "M3"), "firmer"),
    Hypothesis("fat against slim tails", ("fat tail",), ("slim tail",), "firmer"),
    Hypothesis("static against dynamic", ("static",), ("dynamic",), "firmer"),
)


def members(groups: tuple[str, ...]) -> tuple[str, ...]:
    """Return the measures of some groups."""
    return tuple(name for group in groups for name in GROUPS[group])
