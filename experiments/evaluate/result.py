"""The result of an evaluation, and ways to write and show it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from prum.experiments.compare.scores import Scores
from prum.experiments.evaluate.oddities import Oddities
from prum.experiments.report.encoding import json_text
from prum.simulator.collections.link_use import LinkUse

if TYPE_CHECKING:
    import pandas as pd

    from prum.experiments.report.view import View


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EvaluationResult:
    """Runs scored by measures, compared, and what to know of the input.

    Attributes
    ----------
    scores
        Scores, (systems, topics, measures), and their means over topics.
    comparisons
        As `compare_systems`, or None if runs were not compared.
    without_ideals
        Judged topics that hold no ideal and are left out.
    lists
        What is odd of each run's lists.
    links
        How many links there are, start at a listed element, and lead to an ideal.
    size_rises
        Where the collection's size is not known: measure -> how much it could rise at most in a
        smaller collection than the endless one that was assumed.
    takes_highest
        Whether subtopics were judged, and a measure takes an element's highest grade for any.
    arguments
        What was asked, as plain data.
    command
        The command line that repeats it, if there is one.
    """

    scores: Scores
    comparisons: "pd.DataFrame | None"
    without_ideals: tuple[str, ...]
    lists: tuple[Oddities, ...]
    links: LinkUse
    size_rises: Mapping[str, float]
    takes_highest: bool
    arguments: Mapping[str, Any]
    command: str = ""

    @property
    def version(self) -> str:
        """The version of prum."""
        import importlib.metadata

        return importlib.metadata.version("prum")

    @property
    def remarks(self) -> tuple[str, ...]:
        """Oddities of the input, in a line for each kind."""
        from prum.experiments.evaluate.remarks import remarks

        lines = remarks(
            num_topics=len(self.scores.topics), without_ideals=self.without_ideals,
            lists=self.lists, size_rises=self.size_rises, takes_highest=self.takes_highest,
        )  # fmt: skip
        return tuple(lines)

    def view(self) -> "View":
        """Return what people see: means, comparisons and notes."""
        from prum.experiments.evaluate.remarks import browsing
        from prum.experiments.evaluate.view import evaluation_view

        return evaluation_view(self.scores, self.comparisons, self.remarks, browsing(self.links))

    def to_frame(self) -> "pd.DataFrame":
        """Return the scores, a row for each system, topic and measure."""
        return self.scores.frame()

    def to_csv(self) -> str:
        """Return the scores as CSV, numbers with all their digits."""
        return self.to_frame().to_csv(index=False)

    def to_json(self) -> str:
        """Return all of it as JSON, NaN as null."""
        from prum.experiments.compare.comparisons import PROCEDURE
        from prum.experiments.evaluate.view import measure_notes

        scored, compared = self.scores, self.comparisons
        content = {
            "version": self.version,
            "command": self.command,
            "arguments": self.arguments,
            "topics": list(scored.topics),
            "without_ideals": list(self.without_ideals),
            "lists": [asdict(run) for run in self.lists],
            "notes": measure_notes(scored.measures),
            "links": asdict(self.links),
            "size_rises": self.size_rises,
            "confidence": 0.95,
            "means": self._means(),
            "scores": {
                str(measure): {
                    system: [_plain(score) for score in scored.values[place, :, number].tolist()]
                    for place, system in enumerate(scored.systems)
                }
                for number, measure in enumerate(scored.measures)
            },
            "procedure": None if compared is None else PROCEDURE,
            "family": None if compared is None else int(compared["p"].count()),
            "comparisons": None
            if compared is None
            else [
                {str(key): _plain(cell) for key, cell in row.items()}
                for row in compared.to_dict(orient="records")
            ],
        }
        return json_text(content)

    def to_latex(self) -> str:
        """Return the tables of the view for LaTeX with the package booktabs."""
        from prum.experiments.report.latex import latex

        return "\n".join(map(latex, self.view().tables))

    def to_html(self) -> str:
        """Return a page: one HTML document that needs nothing else, the same bytes each time.

        Raises
        ------
        InputError
            if jinja2 or matplotlib is not installed.
        """
        from prum.experiments.report.html import page

        return page(self.view(), command=self.command, version=self.version, options=self.arguments)

    def _repr_html_(self) -> str:
        """Return tables and notes for a notebook."""
        from prum.experiments.report.html import fragment

        return fragment(self.view())

    def __repr__(self) -> str:
        import pandas as pd

        scored = self.scores
        names = [str(measure) for measure in scored.measures]
        means = pd.DataFrame(scored.means(), index=list(scored.systems), columns=names)
        return f"{means.round(4).to_string()}\n{self.view().headline}"

    def _means(self) -> list[dict[str, Any]]:
        rows = []
        for number, measure in enumerate(self.scores.measures):
            for place, system in enumerate(self.scores.systems):
                mean, low, high, topics = self.scores.mean(place, number)
                ends = {"mean": _plain(mean), "low": _plain(low), "high": _plain(high)}
                rows.append({"measure": str(measure), "system": system, **ends, "topics": topics})
        return rows


def _plain(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return None if value != value else float(value)
