"""What `fit` returns: the fitted navigation, the log, how well another is predicted; its view."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from prum.experiments.fitting.fitted import FittedNavigation, fitted_text
from prum.experiments.fitting.held_out import ByPerson, ChoiceReport, HeldOutReport
from prum.experiments.fitting.predictions import BACK, STEP, STOP, VISIT
from prum.experiments.frame.numbers import count, shown
from prum.experiments.frame.result import Result
from prum.experiments.frame.view import Column, Figure, Table, View, interval
from prum.experiments.logs.log_summary import LogSummary, not_kept
from prum.experiments.statistics.intervals import Interval

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from prum.experiments.frame.drawing import Drawing

_KINDS = {
    STEP: "which link",
    STOP: "stop or not",
    BACK: "back or not",
    VISIT: "visit or not",
}
_MOST_PERSONS = 1000
_CAPTION = (
    "Share of the options that were taken over the probability that was predicted, with 95 % "
    "intervals; on the line as often as predicted"
)
# What rounding leaves of an interval, and the level of the test by signs.
_ALIKE, _LEVEL = 1e-9, 0.05


def fit_view(
    learned: str, log: LogSummary, held_out: HeldOutReport | None, held_out_log: LogSummary | None
) -> View:
    """Return how well steps are predicted, the tables behind it, and how the sessions went.

    `learned`: what was learned, in lines; `log`, `held_out` and `held_out_log`: as of
    `FitResult`.
    """
    tables = [] if held_out is None else list(_held_out(held_out))
    notes = (
        [] if held_out is None or held_out_log is None else _left_out(held_out, held_out_log, log)
    )
    return View(
        title="Navigation learned from a log",
        headline=headline(log, held_out),
        story=(),
        tables=(*tables, _sessions(log, held_out_log)),
        figures=() if held_out is None else tuple(_figures(_predicted(held_out))),
        sentences=tuple(not_kept(log.lost)),
        notes=(*notes, *learned.splitlines()),
        leads=True,
    )


def headline(log: LogSummary, held_out: HeldOutReport | None) -> str:
    """Return the answer: how well the log predicts where people go, and how sure that is."""
    if held_out is None:
        number = log.num_sessions
        return (
            f"Learned from {number:,} session{'s' * (number != 1)}; whether that predicts where "
            "other people go is seen if sessions are held out (--test)."
        )
    main = held_out.main
    step = "step" if STEP in held_out.kinds else "visit"
    verb, spread = _told(main.gain, held_out.sessions)
    return (
        f"The log {verb} where people go: a {step} costs {shown(main.nats[0], '.3f')} nats, "
        f"{shown(abs(main.gain[0]), '.3f')} ({spread}) {'below' if main.gain[0] >= 0 else 'above'} "
        "a uniform choice. It is as hard to predict as a choice among "
        f"{shown(main.perplexity[0], ',.1f')} links at random, rather than "
        f"{shown(math.exp(main.alike[0]), ',.1f')}."
    )


def _told(of: Interval, sessions: int) -> tuple[str, str]:
    """Return what the log does, and how far its gain may be from what was seen.

    That sessions do not differ says nothing of how far others may; of the sign it is a test.

    >>> _told((0.4, 0.1, 0.7), 9), _told((-0.4, -0.4, -0.4), 5)
    (('predicts', '95 % interval 0.100 to 0.700'), ('may not predict', 'the same in 5 sessions'))
    """
    gain, low, high = of
    ends = (low, high) if gain >= 0 else (-high, -low)
    spread = f"95 % interval {shown(ends[0], '.3f')} to {shown(ends[1], '.3f')}"
    is_known = not math.isnan(low)
    if not is_known or math.isclose(low, high, rel_tol=_ALIKE):
        is_known = 2.0 ** (1 - sessions) < _LEVEL
        spread = f"the same in {count(sessions, 'session')}" if sessions > 1 else "in one session"
    if not is_known or low <= 0 <= high:
        return "may not predict", spread
    return "predicts" if low > 0 else "misleads about", spread


def _of(value: Interval) -> str:
    return interval(*value, ".3f")


def _left_out(held_out: HeldOutReport, held_out_log: LogSummary, log: LogSummary) -> Iterator[str]:
    """Yield what of the held-out log is not judged."""
    is_judged = VISIT in held_out.kinds or BACK in held_out.kinds
    if held_out_log.num_backs and not log.num_backs and not is_judged:
        yield (
            "Going back is not judged: nobody goes back in the log that was learned from, which "
            f"says nothing of the {held_out_log.num_backs:,} back clicks that were held out."
        )


def _predicted(held_out: HeldOutReport) -> dict[str, ChoiceReport]:
    """Return the kinds of choices that need a prediction: what neither must nor cannot happen."""
    return {name: kind for name, kind in held_out.kinds.items() if kind.alike[0] > 0}


def _figures(kinds: Mapping[str, ChoiceReport]) -> Iterator[Figure]:
    """Yield what was predicted and what happened, a panel for each kind of choices."""

    def draw() -> "Drawing":
        from prum.experiments.frame.drawing import paneled

        panels = [partial(_panel, title=_KINDS[name], kind=kind) for name, kind in kinds.items()]
        return paneled(panels, columns=len(panels), tall=250, prefix="fit")

    if kinds:
        yield Figure(_CAPTION, f"Calibration: {', '.join(_KINDS[name] for name in kinds)}.", draw)


def _panel(axes: "Axes", *, title: str, kind: ChoiceReport) -> None:
    from prum.experiments.frame.drawing import PRUM, RULE

    rows = kind.reliability.frame()
    x, share = rows["probability"], rows["share"]
    ends = [share - rows["share_low"], rows["share_high"] - share]
    axes.plot([0, 1], [0, 1], color=RULE, linewidth=1)
    axes.errorbar(x, share, ends, fmt="o", color=PRUM, markersize=4)
    axes.set_title(f"{title}: happened")
    axes.set_xlabel("predicted")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)


def _held_out(held_out: HeldOutReport) -> Iterator[Table]:
    kinds = _predicted(held_out)
    rows = [(_KINDS[name], kind) for name, kind in kinds.items()]
    choice: Column[tuple[str, ChoiceReport]] = Column("choice", lambda row: row[0], left=True)
    columns = [
        choice,
        Column("choices", lambda row: row[1].choices, ",d"),
        Column("nats", lambda row: row[1].nats[0], ".3f"),
        Column("uniform", lambda row: row[1].alike[0], ".3f"),
        Column("gain", lambda row: _of(row[1].gain)),
        Column("perplexity", lambda row: row[1].perplexity[0], ",.2f"),
    ]
    legend = (
        "nats: mean of -log P(what was chosen); less is better",
        "uniform: nats of a uniform choice",
        "gain: nats below a uniform choice, with its 95 % interval over sessions",
        *_conditions(kinds),
    )
    number = held_out.sessions
    label = f"How well {number:,} session{'s' * (number != 1)} held out are predicted"
    yield Table.of(label, rows, columns, legend=legend)
    columns = [
        choice,
        Column("Brier score", lambda row: row[1].reliability.brier, ".4f"),
        Column("calibration error", lambda row: row[1].reliability.error, ".4f"),
        Column("p", lambda row: row[1].reliability.p_value, ".2g"),
    ]
    legend = ("p: of the hypothesis that all happens as often as predicted",)
    yield Table.of("Whether it happens as often as predicted", rows, columns, legend=legend)
    for name, kind in kinds.items():
        yield _calibration(name, kind)
    for name, kind in kinds.items():
        if kind.persons is not None:
            yield from _persons(name, kind.persons)


def _conditions(kinds: Mapping[str, ChoiceReport]) -> Iterator[str]:
    if STEP in kinds:
        yield "which link: of those who move on"
    if BACK in kinds:
        yield "back or not: of those who do not stop"


def _calibration(name: str, kind: ChoiceReport) -> Table:
    columns: list[Column[Any]] = [
        Column("predicted", lambda row: f"{row.low:g}–{row.high:g}", left=True),
        Column("options", lambda row: int(row.options), ",d"),
        Column("mean", lambda row: row.probability, ".4f"),
        Column("happened", lambda row: row.share, ".4f"),
        Column(
            "95 % interval",
            lambda row: f"{shown(row.share_low, '.4f')} to {shown(row.share_high, '.4f')}",
        ),
    ]
    label = f"Calibration, {_KINDS[name]}: what was predicted, and what happened"
    rows = kind.reliability.frame().itertuples(index=False)
    return Table.of(label, list(rows), columns, detail=name != STEP and name != VISIT)


def _persons(name: str, persons: ByPerson) -> Iterator[Table]:
    facts = [
        ("persons", f"{len(persons):,}"),
        ("mean nats, each person once", _of(persons.mean)),
        ("standard deviation between persons, beyond chance", _of(persons.spread)),
        ("p, if it did not matter who it is", shown(persons.p_value, ".3g")),
    ]
    columns: list[Column[tuple[str, str]]] = [
        Column("people", lambda row: row[0], left=True),
        Column("", lambda row: row[1]),
    ]
    is_main = name in (STEP, VISIT)
    yield Table.of(f"By person, {_KINDS[name]}", facts, columns, detail=not is_main)
    if is_main:
        own: list[Column[Any]] = [
            Column("person", lambda row: str(row.person), left=True),
            Column("sessions", lambda row: int(row.sessions), ",d"),
            Column("choices", lambda row: int(row.choices), ",d"),
            Column("nats", lambda row: float(row.nats), ".3f"),
            Column("nats expected", lambda row: float(row.expected), ".3f"),
        ]
        rows = persons.frame()[:_MOST_PERSONS].itertuples(index=False)
        yield Table.of("Persons, the least foreseen first", list(rows), own, detail=True)


def _sessions(log: LogSummary, held_out: LogSummary | None) -> Table:
    logs = [log] if held_out is None else [log, held_out]
    headings = ["log"] if held_out is None else ["log", "held out"]

    def share(part: int, whole: int) -> str:
        return f"{100 * part / whole:.1f} %" if whole else "–"

    facts: list[tuple[str, Callable[[LogSummary], str]]] = [
        ("sessions", lambda x: f"{x.num_sessions:,}"),
        ("persons", lambda x: f"{x.num_persons:,}" if x.num_persons else "–"),
        ("elements visited", lambda x: f"{x.num_elements:,}"),
        ("visits of a session: mean", lambda x: shown(x.length.mean, ".2f")),
        ("  half have at most", lambda x: f"{x.length.median:,}"),
        ("  nine in ten at most", lambda x: f"{x.length.most_of_nine:,}"),
        ("depth, in links from the entry: mean", lambda x: shown(x.depth.mean, ".2f")),
        ("  nine in ten at most", lambda x: f"{x.depth.most_of_nine:,}"),
        ("entries of a session", lambda x: shown(x.num_entries / x.num_sessions, ".2f")),
        ("back clicks, of visits", lambda x: share(x.num_backs, x.num_visits)),
        (
            "revisits, of entries and moves",
            lambda x: share(x.num_revisits, x.num_entries + x.num_moves),
        ),
        ("memory: nats a move, from the element before", lambda x: shown(x.memory, ".3f")),
        ("  moves that are predicted better by it", lambda x: f"{100 * x.remembered:.1f} %"),
    ]
    rows = [(name, *(value(each) for each in logs)) for name, value in facts]
    columns: list[Column[tuple[str, ...]]] = [Column("sessions", lambda row: row[0], left=True)]
    for at, heading in enumerate(headings, start=1):
        columns.append(Column(heading, lambda row, at=at: row[at]))  # type: ignore[misc]
    return Table.of("How the sessions went", rows, columns)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FitResult(Result):
    """A navigation that was learned from a log, and how well it predicts another.

    Attributes
    ----------
    fitted
        What was learned, with its uncertainty.
    log
        How the sessions of the log went.
    held_out
        How well the log is predicted that was held out, if there is one.
    held_out_log
        How the sessions of that log went.
    arguments, command
        As `Result` has them.
    """

    fitted: FittedNavigation
    log: LogSummary
    held_out: HeldOutReport | None
    held_out_log: LogSummary | None

    kind = "fit"

    def view(self) -> View:
        """Return what is shown, on the terminal and on a page."""
        return fit_view(self.fitted.summary(), self.log, self.held_out, self.held_out_log)

    def values(self) -> dict[str, Any]:
        """Return all of it but what was learned: `fitted.to_dict()` has that.

        `nats_per_step` and `perplexity` are those of the log that was held out, None without one;
        `uniform` has the same for people to whom all links of an element are alike.
        """
        uniform: dict[str, Any] | None = None
        if self.held_out is not None:
            alike = self.held_out.main.alike[0]
            uniform = {"nats_per_step": alike, "perplexity": math.exp(alike)}
        return {
            "nats_per_step": None if self.held_out is None else self.held_out.nats_per_step,
            "perplexity": None if self.held_out is None else self.held_out.perplexity,
            "uniform": uniform,
            "log": self.log,
            "held_out_log": self.held_out_log,
            "held_out": None if self.held_out is None else self.held_out.to_dict(),
            "summary": self.fitted.summary(),
        }

    def to_file(self) -> str:
        """Return what was learned as the text of a file, for `--navigation` and `read_fitted`."""
        return fitted_text(self.fitted)

    def to_frame(self) -> "pd.DataFrame":
        """Return a row for each link: its probability, between what it lies, how often tried."""
        return self.fitted.intervals()
