"""From the options of `fit` to what it returns: what was learned, and how well it predicts."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prum.experiments.fitting.fitted import FittedNavigation, fitted_text
from prum.experiments.fitting.fitted_visits import VisitEstimator
from prum.experiments.fitting.held_out import (
    BACK,
    STEP,
    STOP,
    VISIT,
    ChoiceReport,
    HeldOutReport,
    judge,
)
from prum.experiments.fitting.types import TypesEstimator
from prum.experiments.fitting.walk import WalkEstimator
from prum.experiments.frame.frames import columns_of, frame_table, turned
from prum.experiments.frame.numbers import count, shown
from prum.experiments.frame.result import Result
from prum.experiments.frame.view import Figure, Table, View
from prum.experiments.logs.log_summary import LogSummary, not_kept
from prum.experiments.logs.read import read_sessions
from prum.experiments.logs.sessions import Sessions
from prum.experiments.logs.trials import Trials, is_simulated, simulated_trials
from prum.experiments.statistics.intervals import Interval
from prum.simulator.collections.linking import read_trees
from prum.simulator.collections.links import read_elements, read_pairs
from prum.simulator.model import Elements, InputError, Links
from prum.simulator.tables.read import is_one_table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from prum.experiments.frame.drawing import Drawing

_ESTIMATORS: dict[str, Any] = {
    "walk": WalkEstimator,
    "independent": VisitEstimator,
    "types": TypesEstimator,
}
_KINDS = {STEP: "which link", STOP: "stop or not", BACK: "back or not", VISIT: "visit or not"}
_CAPTION = (
    "Observed share against predicted probability, with 95 % intervals; on the line, things happen "
    "as often as predicted"
)
# What rounding leaves of an interval, and the level of the test by signs.
_ALIKE, _LEVEL = 1e-9, 0.05


def learned(design: Any) -> "FitResult":
    """Return what a log tells, and how well that predicts the log that was held out."""
    estimator = _estimator(design)
    links, elements = _links(design.links), _elements(design.elements)

    def read(log: Any) -> tuple[Sessions, Sessions | Trials]:
        """Return the sessions of a log, and these or its trials where it says why users stop."""
        if isinstance(log, list | tuple) and len(log) == 1 and isinstance(log[0], str | Path):
            (log,) = log
        sessions = read_sessions(log, back=design.back, tools=design.tools)
        if isinstance(estimator, VisitEstimator) and is_simulated(log):
            return sessions, simulated_trials(log, links, skip_strays=design.skip_strays)
        return sessions, sessions

    sessions, given = read(design.log)
    log, report, held_out_log = LogSummary.of(sessions), None, None
    fitted = estimator.fit(given, links, elements)
    del sessions, given  # their memory is for the other log
    if design.test is not None:
        held_out, given = read(design.test)
        if not isinstance(given, Trials):
            fitted.check(given)
        report, held_out_log = judge(fitted, given), LogSummary.of(held_out)
    return FitResult(fitted=fitted, log=log, held_out=report, held_out_log=held_out_log)


def _estimator(design: Any) -> Any:
    """Return what learns a navigation of this name.

    Raise InputError for another name, and as the estimators.
    """
    word, _, number = design.navigation.strip().partition(" ")
    chosen: dict[str, Any] = {} if design.base is None else {"base": design.base}
    chosen["skip_strays"] = design.skip_strays
    if word not in _ESTIMATORS or (number and word != "types"):
        rule, remedy = f"be one of {', '.join(_ESTIMATORS)}", "write walk, say"
        raise InputError("navigation to learn", design.navigation, rule, remedy=remedy)
    if word == "types":
        if number and not number.strip().isdigit():
            rule, remedy = "be a whole number", "write types 2, say, or types alone"
            raise InputError("number of types", number, rule, remedy=remedy)
        chosen |= {"num_types": int(number) if number else None, "seed": design.seed}
    return _ESTIMATORS[word](**chosen)


def _links(links: Any) -> Links:
    if isinstance(links, Links):
        return links
    if isinstance(links, str | Path) or is_one_table(links):
        return read_pairs(links)
    if not isinstance(links, Iterable) or isinstance(links, bytes):
        remedy = 'give [("a", "b")], say'
        raise InputError("links", links, "be a file, a table, or pairs", remedy=remedy)

    def pair(link: Any) -> Any:
        """Return what may be the key of a mapping, for `Links` to judge."""
        return link if isinstance(link, str) or not isinstance(link, Iterable) else tuple(link)

    return Links(dict.fromkeys(map(pair, links), 1.0))


def _elements(elements: Any) -> Elements | None:
    if elements is None or isinstance(elements, Elements):
        return elements
    if is_one_table(elements) or not isinstance(elements, str | Path | list | tuple):
        return read_elements(elements)
    files = [elements] if isinstance(elements, str | Path) else elements
    return read_trees(files) if files else None


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
        """Return how well steps are predicted, the tables behind it, and how the sessions went."""
        report, logs = self.held_out, {"log": self.log}
        tables, figures, notes = list[Table](), list[Figure](), list[str]()
        if report is not None and self.held_out_log is not None:
            # What neither must nor cannot happen needs a prediction.
            kinds = {_KINDS[name]: kind for name, kind in report.kinds.items() if kind.alike[0] > 0}
            logs["held out"] = self.held_out_log
            tables += _predicted(report.sessions, kinds)
            lost, is_judged = self.held_out_log.num_backs, {VISIT, BACK} & report.kinds.keys()
            if lost and not self.log.num_backs and not is_judged:
                notes.append(
                    "Going back is not judged: nobody goes back in the log that was learned from, "
                    f"so it says nothing about the {lost:,} back clicks held out."
                )
            if kinds:
                alt = f"Calibration: {', '.join(kinds)}."
                figures.append(Figure(_CAPTION, alt, partial(_curves, kinds)))
        return View(
            title="Navigation learned from a log",
            headline=headline(self.log, report),
            story=(),
            tables=(*tables, _sessions(logs)),
            figures=tuple(figures),
            sentences=tuple(not_kept(self.log.lost)),
            notes=(*notes, *self.fitted.summary().splitlines()),
        )

    def values(self) -> dict[str, Any]:
        """Return all of it but what was learned: `fitted.to_dict()` has that.

        `nats_per_step` and `perplexity` are those of the log that was held out, None without one;
        `uniform` has the same for people to whom all links of an element are alike.
        """
        report = self.held_out
        uniform = None
        if report is not None:
            nats = report.main.alike[0]
            uniform = {"nats_per_step": nats, "perplexity": math.exp(nats)}
        return {
            "nats_per_step": report and report.nats_per_step,
            "perplexity": report and report.perplexity,
            "uniform": uniform,
            "held_out": report and report.to_dict(),
            "log": self.log,
            "held_out_log": self.held_out_log,
            "summary": self.fitted.summary(),
        }

    def to_file(self) -> str:
        """Return what was learned as the text of a file, for `--navigation` and `read_fitted`."""
        return fitted_text(self.fitted)

    def to_frame(self) -> "pd.DataFrame":
        """Return a row for each link: its probability, between what it lies, how often tried."""
        return self.fitted.intervals()


def headline(log: LogSummary, held_out: HeldOutReport | None) -> str:
    """Return the answer: how well the log predicts where people go, and how sure that is."""
    if held_out is None:
        return (
            f"Learned from {count(log.num_sessions, 'session')}; hold out sessions (--test) to see "
            "whether it predicts other people."
        )
    main = held_out.main
    unit, choice = ("step", "the next link") if STEP in held_out.kinds else ("visit", "each visit")
    verb, spread = _verdict(main.gain, held_out.sessions)
    return (
        f"The log {verb} where people go: {choice} is as hard to guess as one of "
        f"{shown(main.perplexity[0], ',.1f')}, not {shown(math.exp(main.alike[0]), ',.1f')} "
        f"({shown(main.nats[0], '.3f')} nats a {unit}, {shown(abs(main.gain[0]), '.3f')} "
        f"{'below' if main.gain[0] >= 0 else 'above'} uniform; {spread})."
    )


def _verdict(of: Interval, sessions: int) -> tuple[str, str]:
    """Return what the log does, and how far its gain may be from what was seen.

    That sessions do not differ says nothing of how far others may; of the sign it is a test.

    >>> _verdict((0.4, 0.1, 0.7), 9), _verdict((-0.4, -0.4, -0.4), 5)
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


def _curves(kinds: Mapping[str, ChoiceReport]) -> "Drawing":
    """Draw what was predicted and what happened, a panel for each kind of choices."""
    from prum.experiments.frame.drawing import PRUM, RULE, paneled

    def panel(axes: "Axes", name: str, rows: Mapping[str, Any]) -> None:
        x, share = rows["probability"], rows["share"]
        ends = [share - rows["share_low"], rows["share_high"] - share]
        axes.plot([0, 1], [0, 1], color=RULE, linewidth=1)
        axes.errorbar(x, share, ends, fmt="o", color=PRUM, markersize=4)
        axes.set(title=f"{name}: observed", xlabel="predicted", xlim=(0, 1), ylim=(0, 1))

    panels = [partial(panel, name=name, rows=kind.curve) for name, kind in kinds.items()]
    return paneled(panels, columns=len(panels), tall=250, prefix="fit")


def _predicted(sessions: int, kinds: Mapping[str, ChoiceReport]) -> Iterator[Table]:
    rows = turned(
        [
            {
                "choice": name,
                "choices": kind.choices,
                "nats": kind.nats[0],
                "uniform": kind.alike[0],
                **columns_of(gain=kind.gain),
                "perplexity": kind.perplexity[0],
                "Brier score": kind.brier,
                "calibration error": kind.error,
                "p": kind.p_value,
            }
            for name, kind in kinds.items()
        ]
    )
    if not rows:
        return
    legend = [
        "nats: mean of -log P(what was chosen); lower is better",
        "uniform: nats of a uniform choice",
        "gain: nats below a uniform choice, with a 95 % interval over sessions",
        "which link: among those who move on",
        "back or not: among those who do not stop",
    ]
    yield frame_table(
        f"Predictions on {count(sessions, 'held-out session')}",
        rows,
        {
            "choice": "<",
            "choices": ",d",
            "nats": ".3f",
            "uniform": ".3f",
            "gain to": ".3f",
            "perplexity": ",.2f",
        },
        legend=[line for line in legend if line.split(":")[0] in {*rows["choice"], *rows}],
    )
    yield frame_table(
        "Calibration",
        rows,
        {"choice": "<", "Brier score": ".4f", "calibration error": ".4f", "p": ".2g"},
        legend=("p: tests whether everything happens as often as predicted",),
    )
    for name, kind in kinds.items():
        curve = kind.curve
        ends = zip(curve["low"].tolist(), curve["high"].tolist(), strict=True)
        yield frame_table(
            f"Calibration, {name}: predicted and observed",
            {"predicted": [f"{low:g}–{high:g}" for low, high in ends], **curve},
            {"predicted": "<", "options": ",d", "probability": ".4f", "share to": ".4f"},
            names={"probability": "mean", "share": "observed"},
            detail=name not in (_KINDS[STEP], _KINDS[VISIT]),
        )


def _sessions(logs: Mapping[str, LogSummary]) -> Table:
    def share(part: int, whole: int) -> str:
        return f"{100 * part / whole:.1f} %" if whole else "–"

    def facts(log: LogSummary) -> dict[str, str]:
        came = log.num_entries + log.num_moves
        return {
            "sessions": f"{log.num_sessions:,}",
            "persons": f"{log.num_persons:,}" if log.num_persons else "–",
            "elements visited": f"{log.num_elements:,}",
            "visits per session: mean": shown(log.length.mean, ".2f"),
            "  median": f"{log.length.median:,}",
            "  90th percentile": f"{log.length.most_of_nine:,}",
            "depth, in links from the entry: mean": shown(log.depth.mean, ".2f"),
            "  90th percentile ": f"{log.depth.most_of_nine:,}",
            "entries per session": shown(log.num_entries / log.num_sessions, ".2f"),
            "back clicks, share of visits": share(log.num_backs, log.num_visits),
            "revisits, share of entries and moves": share(log.num_revisits, came),
            "memory: nats per move gained from the element before": shown(log.memory, ".3f"),
            "  moves predicted better with it": f"{100 * log.remembered:.1f} %",
        }

    by_log = {heading: facts(log) for heading, log in logs.items()}
    names = [name.rstrip() for name in by_log["log"]]
    columns = {"sessions": names} | {name: list(of.values()) for name, of in by_log.items()}
    forms = {"sessions": "<"} | dict.fromkeys(by_log, ">")
    return frame_table("How the sessions went", columns, forms)
