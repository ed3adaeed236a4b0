"""The result of sessions that were scored: new ideals for what they cost, by r."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from prum.experiments.compare.repeats import Repeats, success_tables
from prum.experiments.compare.result import ComparisonResult
from prum.experiments.frame.frames import FrameResult, frame_table
from prum.experiments.frame.numbers import count, shown
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
    successes
        System -> whether all ideals were seen, by its trials, (trials, questions).
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
    successes: Repeats
    is_endless: bool
    level: float

    @property
    def headline(self) -> str:
        """What the best system finds for what it costs, in a sentence."""
        means = [row for row in self.rows() if row.r is None and row.value is not None]
        best = max(means, key=lambda row: row.value)
        size = f"{count(best.questions, 'question')}, {count(best.sessions, 'session')}"
        value = f"E[new ideals] / E[{self.unit} until r ideals are seen]"
        if not isfinite(best.value):
            return (
                f"Sessions of {best.system} pay 0 {self.unit} until they see an ideal ({size}), so "
                f"that {value} is no number: --cost names what they do pay."
            )
        interval = (
            f"95 % interval {best.low:.4g} to {best.high:.4g}; " if isfinite(best.low) else ""
        )
        return (
            f"Sessions of {best.system} see {best.value:.4g} new ideals per "
            f"{self.unit.removesuffix('s')} ({interval}{size}), the mean over r of {value}."
        )

    def view(self, *, top: int | None = None) -> View:
        """Return the answer, the table by r, and what the model says."""
        rows, compared = self.rows(), self.comparison
        comparison = None
        if not isinstance(compared, str) and compared.decision.num_topics > 1:
            comparison = compared.view(top=top)
        some = [row for row in rows if row.r is None or row.r <= (top or _MOST_ROWS)]
        of_log, of_model = (
            [row for row in some if row.value is not None],
            [row for row in some if row.verdict],
        )
        label = f"New ideals for {self.unit}, until r ideals are seen"
        tables = [_table(label, of_log, _LOG), *(comparison.tables if comparison else ())]
        if of_model:
            label = "Users as the model has them, by calculation and simulation"
            tables.append(_table(label, of_model, _MODEL))
        tables += success_tables(self.successes, "sessions of a question all see every ideal")
        words = {row.verdict for row in rows}
        return View(
            title="Sessions of several lists",
            headline=self.headline,
            story=(),
            sentences=tuple(self._sentences(rows, comparison)),
            tables=tuple(tables),
            holds=False if DISAGREES in words else True if AGREES in words else None,
            notes=(*self._notes(rows, comparison), *(comparison.notes if comparison else ())),
        )

    def _sentences(self, rows: list[Any], comparison: View | None) -> Iterator[str]:
        if comparison is not None:
            yield from (comparison.headline, *comparison.sentences)
        elif self.comparison:
            compared = self.comparison
            yield compared if isinstance(compared, str) else compared.view().headline
        means = [row for row in rows if row.r is None and row.value is not None]
        if self.is_endless and any(row.reached < 1 for row in means):
            yield (
                "The collection is taken for endless: the value of a question is 0 for each r that "
                "one of its sessions does not see. --collection-size or --budget ends it."
            )
        counts = Counter(row.verdict for row in rows if row.r is not None and row.verdict)
        if counts:
            counted = ", ".join(f"{counts[x]} {text}" for x, text in _WORDS.items() if counts[x])
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

    def _notes(self, rows: list[Any], comparison: View | None) -> Iterator[str]:
        yield "value: the mean over questions of E[new] / E[cost], a ratio of expectations"
        if self.reads:
            others = {row.system for row in rows if row.value is not None} - {*self.reads}
            rest = "; others what they open" if others else ""
            yield f"users of {', '.join(self.reads)} see whatever lists show{rest}"
        if comparison is not None:
            yield (
                "between systems: mean E[new] / mean E[cost] over the questions that all have, "
                "which are the topics; the sessions of a question are averaged"
            )
        yield (
            "95 %: by Student's t over questions, and trials that all of these have; of a single "
            "one over its sessions, linearised"
        )

    def values(self) -> dict[str, Any]:
        """Return a record for each row, and what was not kept."""
        compared = self.comparison
        more = {name: getattr(self, name) for name in ("unit", "lost", "beyond")}
        return (
            super().values()
            | more
            | {"comparison": None if isinstance(compared, str) else compared.values()}
        )


_WORDS = {AGREES: "agree", DISAGREES: "disagree", UNRESOLVED: "are unresolved"}


_FOUND = {"reached": ".3f", "new": ".3f", "cost": ",.2f", "value": ".4g"}
_LOG = {"questions": ",d", "sessions": ",d", **_FOUND, "low": ".4g", "high": ".4g"}
_MODEL = {f"model_{name}": form for name, form in _FOUND.items()}
_MODEL |= {"simulated_value": ".4g", "verdict": ""}
_NAMES = {"reached": "reach r", "new": "E[new]", "cost": "E[cost]", "value": "value"}
_NAMES |= {f"model_{name}": said for name, said in _NAMES.items()}


def _table(label: str, rows: list[Any], forms: Mapping[str, str]) -> Table:
    """Return a table of rows, one part for each system."""
    columns = {name: [getattr(row, name) for row in rows] for name in ("system", *forms)}
    columns["r"] = ["mean" if row.r is None else str(row.r) for row in rows]
    names = {**_NAMES, "simulated_value": "simulated"}
    forms = {"system": "<", "r": ">", **forms}
    return frame_table(label, columns, forms, names=names, parts="system")
