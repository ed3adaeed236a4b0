"""The question of a comparison: beside which system, and how it is decided."""

from dataclasses import dataclass
from typing import get_args

from prum.experiments.compare.design import LEVEL, METHOD, SEED, ComparisonOptions, Method
from prum.simulator.model import InputError
from prum.simulator.model.errors import amount, did_you_mean, real, whole_number

METHODS = get_args(Method)
# So many draws resolve no smaller level, and Student's law is not known further out.
_LEAST_LEVEL = {"bootstrap": 0.001, "Holm": 1e-12}
# The time to compare them grows with the square: of 1,000 it is a minute, of 3,000 many.
_MOST_SYSTEMS = 1_000


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be decided by the first measure: beside which system, and how.

    Parameters
    ----------
    baseline
        The system that all others are compared with; by default all pairs are one family.
    method
        One of `METHODS`, as `compared` has them.
    level
        The chance of any false claim is about this at most (docs/statistics.md, "Decisions").
    margin
        The largest difference that does not matter, in the unit of the measure.
    seed
        Of the method's draws.
    """

    baseline: str | None = None
    method: str = METHOD
    level: float = LEVEL
    margin: float | None = None
    seed: int = SEED

    def __post_init__(self) -> None:
        if not isinstance(self.method, str) or self.method not in METHODS:
            rule = f"be one of {', '.join(METHODS)}"
            raise InputError("method", self.method, rule, remedy="choose one")
        least = _LEAST_LEVEL[self.method]
        if not least <= real(self.level) < 1:
            rule = f"be at least {least:g} with the method {self.method}, and less than 1"
            raise InputError("level", self.level, rule, remedy="take 0.05, or Holm for less")
        if self.margin is not None:
            remedy = "give the largest difference that does not matter, or leave it out"
            amount("margin", self.margin, positive=True, remedy=remedy)
        whole_number("seed", self.seed, least=0, remedy="take 1, say")

    @classmethod
    def of(cls, options: ComparisonOptions) -> "Question":
        """Return what is to be decided by options.

        Raise InputError as `Question`.
        """
        return cls(options.baseline, options.method, options.level, options.margin, options.seed)

    def check_measures(self, measures: tuple[str, ...], num_systems: int) -> None:
        """Raise InputError if there is no measure, or more of the first is not better.

        Of one system nothing is decided, and any measure will do.
        """
        from prum.experiments.measures.measure import better_of

        if not measures:
            raise InputError("measures", (), "be at least one", remedy="name one, as AP")
        decisive = measures[0]
        better = better_of(decisive)
        if better == "more" or num_systems == 1:
            return
        of_it = "less is better" if better == "less" else "neither more nor less is better"
        rule = f"be more for better lists where it decides; of {decisive} {of_it}"
        other = next((name for name in measures if better_of(name) == "more"), None)
        remedy = f"name another first, as AP,{decisive}"
        if other is not None:
            remedy = f"name another first, {other}, say, or rename one of your own"
        raise InputError("measure", decisive, rule, remedy=remedy)

    def check_systems(self, systems: tuple[str, ...]) -> None:
        """Raise InputError if the baseline is none of these, or they are too many to compare."""
        if self.baseline is not None and self.baseline not in systems:
            rule = f"be one of the systems, like {systems[0]!r}"
            remedy = did_you_mean(self.baseline, systems, "name a run by its file")
            raise InputError("baseline", self.baseline, rule, remedy=remedy)
        self.check_number(len(systems))

    def check_number(self, systems: int) -> None:
        """Raise InputError if so many systems would take minutes, and gigabytes, to compare."""
        is_quick = self.method == "Holm" and self.baseline is not None
        if systems > _MOST_SYSTEMS and not is_quick:
            rule = f"be at most {_MOST_SYSTEMS:,}: comparing more takes many minutes"
            remedy = "give a baseline and take the method Holm, or leave systems out"
            raise InputError("number of systems", systems, rule, remedy=remedy)
