"""The result of sessions that were scored: new ideals for what they cost, by r."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from prum.experiments.compare.result import ComparisonResult
from prum.experiments.frame.frames import FrameResult, frame_table, turned
from prum.experiments.frame.html import latex
from prum.experiments.frame.numbers import count, shown
from prum.experiments.frame.result import text_or_file
from prum.experiments.frame.view import Table, View

AGREES, DISAGREES, UNRESOLVED = "agrees", "disagrees", "unresolved"
# Rows for each system that a terminal shows, besides the mean.
_MOST_ROWS = 10


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SessionsEvaluation(FrameResult):
    """Sessions of several lists, scored by new ideals for what they cost.

    The frame has a row for each system and r, and the mean over r = 1 .. t of each question, whose
    r is None:

    - `questions`, `sessions`: how many have so many ideals
    - `reached`: the share of sessions that see r, the mean over questions
    - `new`, `cost`: E[new ideals] and E[cost until r are seen], means over questions
    - `value`, `low`, `high`: E[new] / E[cost] of each question, the mean over questions, with its
      95 % interval
    - `model_reached`, `model_new`, `model_cost`, `model_value`: the same of users as the log has
      them, exactly; None where there are no lists
    - `simulated_value`: that of simulated users
    - `p`: of the simulation beside the exact values; None where users are too few to tell
    - `verdict`: "agrees", "disagrees", "unresolved", or "" without a model

    Attributes
    ----------
    unit
        What is paid.
    reads
        The systems whose users see whatever lists show.
    lost
        What was not kept of the logs.
    beyond
        System -> how likely users of the model call once more than there are lists.
    comparison
        Systems beside each other on the questions that all have; or why not, "" of a single one.
    is_endless
        Whether neither a budget nor the collection's size ends the search for what is never found.
    level
        The chance of any false disagreement.
    """

    shown: Any = None
    unit: str
    reads: tuple[str, ...]
    lost: Mapping[str, int]
    beyond: Mapping[str, float]
    comparison: ComparisonResult | str
    is_endless: bool
    level: float

    @property
    def means(self) -> list[Any]:
        """The means over r, those of logs first, best first."""
        rows = [row for row in self.rows() if row.r is None]
        return sorted(rows, key=lambda row: -(row.value or 0.0))

    @property
    def headline(self) -> str:
        """What the best system finds for what it costs, in a sentence."""
        best = next(row for row in self.means if row.value is not None)
        interval = ""
        if best.low is not None and isfinite(best.low):
            interval = f"95 % interval {_short(best.low)} to {_short(best.high)}; "
        size = f"{count(best.questions, 'question')}, {count(best.sessions, 'session')}"
        value = f"E[new ideals] / E[{self.unit} until r ideals are seen]"
        if not isfinite(best.value or 0.0):
            return (
                f"Sessions of {best.system} pay 0 {self.unit} until they see an ideal ({size}), so "
                f"that {value} is no number: --cost names what they do pay."
            )
        return (
            f"Sessions of {best.system} see {_short(best.value)} new ideals per "
            f"{self.unit.removesuffix('s')} ({interval}{size}), the mean over r of {value}."
        )

    def view(self, *, top: int | None = None) -> View:
        """Return the answer, the table by r, and what the model says."""
        most = _MOST_ROWS if top is None else top
        rows = [row for row in self.rows() if row.r is None or row.r <= most]
        tables = [
            _table(
                f"New ideals for {self.unit}, until r ideals are seen",
                [row for row in rows if row.value is not None],
                {**_COUNTS, **_FOUND, "value": ".4g", "low": ".4g", "high": ".4g"},
            )
        ]
        beside = self._beside(top)
        tables += [] if beside is None else beside.tables
        of_model = [row for row in rows if row.verdict]
        if of_model:
            forms = {f"model_{name}": form for name, form in _FOUND.items()}
            forms |= {"model_value": ".4g", "simulated_value": ".4g", "verdict": ""}
            label = "Users as the model has them, by calculation and simulation"
            tables.append(_table(label, of_model, forms))
        words = {row.verdict for row in self.rows()}
        return View(
            title="Sessions of several lists",
            headline=self.headline,
            story=(),
            sentences=tuple(self._sentences()),
            tables=tuple(tables),
            leads=True,
            holds=False if DISAGREES in words else True if AGREES in words else None,
            notes=(*self._notes(), *(() if beside is None else beside.notes)),
        )

    def _beside(self, top: int | None = None) -> View | None:
        """Return the comparison of systems, None of one, and of fewer than two questions."""
        told = self.comparison
        return None if isinstance(told, str) or told.decision.num_topics < 2 else told.view(top=top)

    def _sentences(self) -> Iterator[str]:
        beside = self._beside()
        if beside is not None:
            yield from (beside.headline, *beside.sentences)
        elif self.comparison:
            apart = self.comparison
            yield apart if isinstance(apart, str) else apart.view().headline
        wanted = [row for row in self.rows() if row.r is None and row.reached is not None]
        if self.is_endless and any(row.reached < 1 for row in wanted):
            yield (
                "The collection is taken for endless: the value of a question is 0 for each r that "
                "one of its sessions does not see. --collection-size or --budget ends it."
            )
        told = [row for row in self.rows() if row.r is not None and row.verdict]
        if told:
            words = [
                (sum(row.verdict == word for row in told), text) for word, text in _WORDS.items()
            ]
            counted = ", ".join(f"{number} {word}" for number, word in words if number)
            yield (
                f"Simulated users beside exact values, by r: {counted} "
                f"(false alarm rate {self.level:g} in all)."
            )
        for system, share in self.beyond.items():
            if share > 0:
                yield (
                    f"Users like those of {system} would call once more than there are lists with "
                    f"probability {shown(share, '.2f')}; there the model ends."
                )

    def _notes(self) -> Iterator[str]:
        yield "value: the mean over questions of E[new] / E[cost], a ratio of expectations"
        if self.reads:
            others = {row.system for row in self.means if row.value is not None} - {*self.reads}
            rest = "; others what they open" if others else ""
            yield f"users of {', '.join(self.reads)} see whatever lists show{rest}"
        if self._beside() is not None:
            yield (
                "between systems: mean E[new] / mean E[cost] over the questions that all have, "
                "which are the topics; the sessions of a question are averaged"
            )
        yield "95 %: by Student's t over questions; of a single one over its sessions, linearised"

    @text_or_file
    def to_latex(self, *, top: int | None = None) -> str:
        """Return the tables for LaTeX."""
        return "\n".join(map(latex, self.view(top=top).tables))

    def values(self) -> dict[str, Any]:
        """Return a record for each row, and what was not kept."""
        told = self.comparison
        return {
            "unit": self.unit,
            **super().values(),
            "lost": self.lost,
            "beyond": self.beyond,
            "comparison": None if isinstance(told, str) else told.values(),
        }


_WORDS = {AGREES: "agree", DISAGREES: "disagree", UNRESOLVED: "are unresolved"}


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


_COUNTS = {"questions": ",d", "sessions": ",d"}
_FOUND = {"reached": ".3f", "new": ".3f", "cost": ",.2f"}
_NAMES = {"reached": "reach r", "new": "E[new]", "cost": "E[cost]"}
_NAMES |= {f"model_{name}": said for name, said in {**_NAMES, "value": "value"}.items()}


def _table(label: str, rows: list[Any], forms: Mapping[str, str]) -> Table:
    """Return a table of rows, one part for each system."""
    names = ("system", "r", *forms)
    columns = turned([{name: getattr(row, name) for name in names} for row in rows])
    if rows:
        columns["r"] = ["mean" if r is None else str(r) for r in columns["r"]]
    return frame_table(
        label,
        columns,
        {"system": "<", "r": ">", **forms},
        names={**_NAMES, "simulated_value": "simulated"},
        parts="system",
    )
