"""The question of a comparison: beside which system, and how; as options, and what is written."""

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from prum.experiments.frame.design import Design, option
from prum.experiments.frame.verb import Content, TableOutputs, writes

if TYPE_CHECKING:
    from prum.experiments.frame.view import View

Method = Literal["bootstrap", "Holm"]
# So many draws resolve no smaller level, and Student's law is not known further out.
_LEAST_LEVEL = {"bootstrap": 0.001, "Holm": 1e-12}
# The time to compare them grows with the square: of 1,000 it is a minute, of 3,000 many.
_MOST_SYSTEMS = 1_000


class Question(Design):
    """What is to be decided by the first measure: beside which system, and how."""

    heading: ClassVar[str] = "Decisions"

    baseline: str | None = option(
        None,
        "Compare every system with this one; all pairs by default.",
        "SYSTEM",
        data="The system that all others are compared with. By default all pairs of systems "
        "are compared, since the best one is chosen by the same scores.",
    )
    method: Method = option(
        "bootstrap",
        "How errors over all comparisons are controlled: by the studentised bootstrap, or by "
        "Student's t with Holm's method, which claims too much on few topics.",
    )
    level: float = option(0.05, "Chance of any wrong claim, of all comparisons together.")
    margin: float | None = option(
        None,
        "Largest difference that does not matter, in the unit of the measure.",
        "X",
        above=0,
        remedy="give the largest difference that does not matter, or leave it out",
        data="The largest difference that does not matter, in the unit of the measure: what "
        'lies within it is "equivalent".',
    )
    seed: int = option(1, "Seed of the bootstrap.", "N", always=True)

    def check(self) -> None:
        """Raise InputError for a level that the method cannot resolve."""
        from prum.simulator.model.errors import InputError

        least = _LEAST_LEVEL[self.method]
        if not least <= self.level < 1:
            rule = f"be at least {least:g} with the method {self.method}, and less than 1"
            raise InputError("level", self.level, rule, remedy="take 0.05, or Holm for less")

    @classmethod
    def usual(cls) -> "Question":
        """Return the question of all pairs, as it is asked by default."""
        made: Any = Question
        question: Question = made()
        return question

    @classmethod
    def of(cls, options: "Question") -> "Question":
        """Return the question alone of a design that has other options, too."""
        return Question(**{x.name: getattr(options, x.name) for x in Question.fields()})

    def check_measures(self, measures: tuple[str, ...], num_systems: int) -> None:
        """Raise InputError if there is no measure, or more of the first is not better.

        Of one system nothing is decided, and any measure will do.
        """
        from prum.experiments.measures.measure import better_of
        from prum.simulator.model.errors import InputError

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
        from prum.simulator.model.errors import InputError, did_you_mean

        if self.baseline is not None and self.baseline not in systems:
            rule = f"be one of the systems, like {systems[0]!r}"
            remedy = did_you_mean(self.baseline, systems, "name a run by its file")
            raise InputError("baseline", self.baseline, rule, remedy=remedy)
        self.check_number(len(systems))

    def check_number(self, systems: int) -> None:
        """Raise InputError if so many systems would take minutes, and gigabytes, to compare."""
        from prum.simulator.model.errors import InputError

        is_quick = self.method == "Holm" and self.baseline is not None
        if systems > _MOST_SYSTEMS and not is_quick:
            rule = f"be at most {_MOST_SYSTEMS:,}: comparing more takes many minutes"
            remedy = "give a baseline and take the method Holm, or leave systems out"
            raise InputError("number of systems", systems, rule, remedy=remedy)


class ComparisonOutputs(TableOutputs):
    """Where a comparison is written, and how much of it is shown."""

    top: int | None = option(
        None, "Rows of tables; all by default.", "N", least=1, remedy="leave it out to see all"
    )
    json: str | None = option(None, writes("everything as JSON"))
    csv: str | None = option(None, writes("all scores as CSV"))
    html: str | None = option(None, writes("a page with figures"))
    latex: str | None = option(None, writes("the table of systems for LaTeX"))

    def content(self, form: str, result: Any) -> Content:
        """Return what makes the content of a file of some form."""
        if form == "latex":
            return lambda: result.to_latex(top=self.top)
        return super().content(form, result)

    def view(self, result: Any) -> "View":
        """Return so many rows of tables."""
        view: View = result.view(top=self.top)
        return view
