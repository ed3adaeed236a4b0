"""How systems are compared, and where that is written: for compare, evaluate and trust."""

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from prum.experiments.frame.design import Design, option
from prum.experiments.frame.verb import Content, TableOutputs, writes

if TYPE_CHECKING:
    from prum.experiments.frame.view import View

Method = Literal["bootstrap", "Holm"]
METHOD: Method = "bootstrap"
LEVEL, SEED = 0.05, 1


class ComparisonOptions(Design):
    """How systems are compared: the options of `Question`."""

    heading: ClassVar[str] = "Decisions"

    baseline: str | None = option(
        None,
        "Compare every system with this one; all pairs by default.",
        "SYSTEM",
        data="The system that all others are compared with. By default all pairs of systems "
        "are compared, since the best one is chosen by the same scores.",
    )
    method: Method = option(
        METHOD,
        "How errors over all comparisons are controlled: by the studentised bootstrap, or by "
        "Student's t with Holm's method, which claims too much on few topics.",
    )
    level: float = option(LEVEL, "Chance of any wrong claim, of all comparisons together.")
    margin: float | None = option(
        None,
        "Largest difference that does not matter, in the unit of the measure.",
        "X",
        data="The largest difference that does not matter, in the unit of the measure: what "
        'lies within it is "equivalent".',
    )
    seed: int = option(SEED, "Seed of the bootstrap.", "N", always=True)


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
