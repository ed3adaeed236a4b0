"""The result of sessions that were scored: new ideals for what they cost, by r."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from math import isfinite
from typing import TYPE_CHECKING, Any

from prum.experiments.compare.result import ComparisonResult
from prum.experiments.frame.html import latex
from prum.experiments.frame.numbers import count, shown
from prum.experiments.frame.result import Result, text_or_file
from prum.experiments.frame.view import Column, Table, View
from prum.experiments.logs.log_summary import not_kept

if TYPE_CHECKING:
    import pandas as pd

AGREES, DISAGREES, UNRESOLVED = "agrees", "disagrees", "unresolved"
# Rows for each system that a terminal shows, besides the mean.
_MOST_ROWS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """What sessions find, and what it costs until r ideals are seen.

    Parameters
    ----------
    system, r
        Whose sessions; None for the mean over r = 1 .. t of each question.
    questions, sessions
        How many have so many ideals.
    reached
        The share of sessions that see r, the mean over questions.
    new, cost
        E[new ideals] and E[cost until r are seen], means over questions.
    value, low, high
        E[new] / E[cost] of each question, the mean over questions, with its 95 % interval.
    model_reached, model_new, model_cost, model_value
        The same of users as the log has them, exactly; None where there are no lists.
    simulated_value
        That of simulated users.
    p
        Of the simulation beside the exact values; None where users are too few to tell.
    verdict
        "agrees", "disagrees", "unresolved", or "" without a model.
    """

    system: str
    r: int | None
    questions: int
    sessions: int
    reached: float | None = None
    new: float | None = None
    cost: float | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    model_reached: float | None = None
    model_new: float | None = None
    model_cost: float | None = None
    model_value: float | None = None
    simulated_value: float | None = None
    p: float | None = None
    verdict: str = ""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SessionsEvaluation(Result):
    """Sessions of several lists, scored by new ideals for what they cost.

    Attributes
    ----------
    rows
        One for each system and r, and the mean over r.
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
    budget, collection_size
        What ends the search for what sessions never found; None for a collection without end.
    level
        The chance of any false disagreement.
    users
        How many were simulated.
    arguments, command
        As `Result` has them.
    """

    rows: tuple[SessionRow, ...]
    unit: str
    reads: tuple[str, ...]
    lost: Mapping[str, int]
    beyond: Mapping[str, float]
    comparison: ComparisonResult | str
    budget: float | None
    collection_size: int | None
    level: float
    users: int

    kind = "evaluate sessions"

    @property
    def status(self) -> int:
        """1 where simulated users disagree with the exact values, else 0."""
        return int(any(row.verdict == DISAGREES for row in self.rows))

    @property
    def means(self) -> list[SessionRow]:
        """The means over r, those of logs first, best first."""
        rows = [row for row in self.rows if row.r is None]
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

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was not kept of the logs."""
        return tuple(not_kept(self.lost))

    def view(self, *, top: int | None = None) -> View:
        """Return the answer, the table by r, and what the model says."""
        most = _MOST_ROWS if top is None else top
        rows = [row for row in self.rows if row.r is None or row.r <= most]
        of_logs = [row for row in rows if row.value is not None]
        label = f"New ideals for {self.unit}, until r ideals are seen"
        tables = [Table.of(label, of_logs, _COLUMNS, parts=lambda row: row.system)]
        beside = self._beside(top)
        tables += [] if beside is None else beside.tables
        verdicts = {row.verdict for row in self.rows}
        if any(row.verdict for row in rows):
            label = "Users as the model has them, by calculation and simulation"
            own = [row for row in rows if row.verdict]
            tables.append(Table.of(label, own, _OF_MODEL, parts=lambda row: row.system))
        return View(
            title="Sessions of several lists",
            headline=self.headline,
            story=(),
            sentences=tuple(self._sentences()),
            tables=tuple(tables),
            leads=True,
            holds=not self.status if self.status or AGREES in verdicts else None,
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
        wanted = [row for row in self.rows if row.r is None and row.reached is not None]
        is_endless = self.budget is None and self.collection_size is None
        if is_endless and any((row.reached or 0) < 1 for row in wanted):
            yield (
                "The collection is taken for endless: the value of a question is 0 for each r that "
                "one of its sessions does not see. --collection-size or --budget ends it."
            )
        told = [row for row in self.rows if row.r is not None and row.verdict]
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
            "rows": [asdict(row) for row in self.rows],
            "lost": self.lost,
            "beyond": self.beyond,
            "comparison": None if isinstance(told, str) else told.values(),
        }

    def to_frame(self) -> "pd.DataFrame":
        """Return a line for each row."""
        import pandas as pd

        names = [one.name for one in fields(SessionRow)]
        return pd.DataFrame([asdict(row) for row in self.rows], columns=names)


_WORDS = {AGREES: "agree", DISAGREES: "disagree", UNRESOLVED: "are unresolved"}


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def _r(row: SessionRow) -> str:
    return "mean" if row.r is None else str(row.r)


_COLUMNS: list[Column[SessionRow]] = [
    Column("system", lambda row: row.system, left=True),
    Column("r", _r),
    Column("questions", lambda row: row.questions, ",d"),
    Column("sessions", lambda row: row.sessions, ",d"),
    Column("reach r", lambda row: row.reached, ".3f"),
    Column("E[new]", lambda row: row.new, ".3f"),
    Column("E[cost]", lambda row: row.cost, ",.2f"),
    Column("value", lambda row: row.value, ".4g"),
    Column("low", lambda row: row.low, ".4g"),
    Column("high", lambda row: row.high, ".4g"),
]
_OF_MODEL: list[Column[SessionRow]] = [
    Column("system", lambda row: row.system, left=True),
    Column("r", _r),
    Column("reach r", lambda row: row.model_reached, ".3f"),
    Column("E[new]", lambda row: row.model_new, ".3f"),
    Column("E[cost]", lambda row: row.model_cost, ",.2f"),
    Column("value", lambda row: row.model_value, ".4g"),
    Column("simulated", lambda row: row.simulated_value, ".4g"),
    Column("verdict", lambda row: row.verdict, left=True),
]
