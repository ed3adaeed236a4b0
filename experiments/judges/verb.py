"""The verb `judges`: judges beside people, what their labels are worth, and probabilities."""

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.evaluate.given import given_qrels, given_runs, is_given
from prum.experiments.evaluate.inputs import read_judged, read_lists
from prum.experiments.frame.numbers import count, number
from prum.experiments.frame.result import Result
from prum.experiments.frame.view import Column, Figure, Table, View
from prum.experiments.judges.design import JUDGES, JudgesDesign
from prum.experiments.judges.labels import Labels, labels_of
from prum.experiments.judges.rates import worth
from prum.experiments.measures.judged import Judged, taken
from prum.experiments.statistics.intervals import Estimate
from prum.experiments.statistics.rankings import tau_b
from prum.simulator.collections.judgements import grades_of
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.sampling.measured.judged_sets import JudgedSets
from prum.simulator.tables.read import is_one_table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from prum.experiments.frame.drawing import Drawing

# An order that agrees so well is taken for the same (Voorhees 2000), in so many of the draws.
_SAME_ORDER, _SURE = 0.9, 0.95
_ESTIMATES = ("hit", "false_alarm", "tau")
# In the figure so many judges have names.
_NAMED = 12
_CAPTION = (
    "P(called ideal) of ideals (hit) over that of other elements (false alarm), with 95 % "
    "intervals; on the line labels tell nothing."
)


@dataclass(frozen=True, slots=True)
class MeasuredJudge:
    """A judge beside people, who both labelled `pairs` elements of so many `topics`.

    `hit` and `false_alarm` are means over topics with 95 % intervals, of which the standard
    deviations between topics are beside; `by_grade` has P(called ideal) by the grade that people
    gave. `worth` is how many human labels tell a topic's share of ideals as well as any number of
    the judge's. `tau` is Kendall's tau-b between systems' mean AP by labels with such errors
    and by human ones: its mean over draws of the labels, and ends that hold 95 % of them; NaN
    without runs.
    """

    judge: str
    pairs: int
    topics: int
    hit: Estimate
    hit_spread: float
    false_alarm: Estimate
    false_alarm_spread: float
    by_grade: Mapping[float, Estimate]
    worth: float
    tau: Estimate
    share_good: float

    @property
    def is_good(self) -> bool:
        """Whether nearly all draws of its labels order the systems as human ones do."""
        return self.share_good >= _SURE


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class JudgesResult(Result):
    """Judges measured beside people.

    Attributes
    ----------
    measured
        Each judge.
    labels
        What judges and people say.
    written
        Topic -> P(ideal) of each element, shape (cases, elements).
    num_systems
        Of the runs that are ordered; 0 without any.
    """

    measured: tuple[MeasuredJudge, ...]
    labels: Labels
    written: Mapping[str, Floats]
    num_systems: int

    kind = "judges"

    @property
    def headline(self) -> str:
        """Whether judges are good enough to order the systems; else what labels are worth."""
        good = [one.judge for one in self.measured if one.is_good]
        if not self.num_systems:
            best = max(self.measured, key=lambda one: one.worth)
            return (
                f"On a topic, any number of labels by {best.judge} tells as much as "
                f"{number(best.worth)} human labels; give --run to learn whether it orders systems."
            )
        order = f"order {self.num_systems} systems by AP as people do"
        if len(self.measured) == 1:
            one = self.measured[0]
            enough = "is good enough" if one.is_good else "is not good enough"
            tau = f"tau {_signed(one.tau.low)} to {_signed(one.tau.high)}"
            return f"{one.judge} {enough} to {order}: {tau}."
        best = max(self.measured, key=lambda one: one.tau.value)
        named = f": {', '.join(good)}" if good else ""
        return (
            f"{len(good)} of {len(self.measured)} judges are good enough to {order}{named}; "
            f"the best, {best.judge}, has tau {_signed(best.tau.value)}."
        )

    def view(self) -> View:
        """Return rates, what labels are worth, and how errors depend on each other."""
        columns: list[Column[MeasuredJudge]] = [
            Column("judge", lambda row: row.judge, left=True),
            Column("labels", lambda row: row.pairs, ","),
            Column("topics", lambda row: row.topics, ","),
            Column("hit", lambda row: _ends(row.hit)),
            Column("sd of topics", lambda row: row.hit_spread, ".3f"),
            Column("false alarm", lambda row: _ends(row.false_alarm)),
            Column("sd of topics ", lambda row: row.false_alarm_spread, ".3f"),
            Column("worth, labels", lambda row: row.worth, ".1f"),
        ]
        if self.num_systems:
            columns.append(Column("tau", lambda row: _ends(row.tau)))
        tables = [Table.of("Rates of judges beside people", self.measured, columns)]
        grades = sorted({grade for one in self.measured for grade in one.by_grade})
        by_grade: list[Column[MeasuredJudge]] = [
            Column("judge", lambda row: row.judge, left=True),
            *(Column(f"grade {grade:g}", _of_grade(grade)) for grade in grades),
        ]
        tables.append(Table.of("P(called ideal) by the grade of people", self.measured, by_grade))
        pairs = self.correlations
        if pairs:
            tables.append(
                Table.of(
                    "Correlation between judges",
                    pairs,
                    [
                        Column("judge", lambda row: row[0], left=True),
                        Column("other", lambda row: row[1], left=True),
                        Column("hits", lambda row: row[2], ".3f"),
                        Column("false alarms", lambda row: row[3], ".3f"),
                    ],
                    detail=len(pairs) > 10,
                )
            )
        return View(
            title="Judges beside people",
            leads=True,
            headline=self.headline,
            story=(),
            tables=tuple(tables),
            figures=(Figure(_CAPTION, f"Rates of {len(self.measured)} judges.", self._draw),),
            notes=tuple(self._notes()),
        )

    def _draw(self) -> "Drawing":
        """Draw hits over false alarms, and the line where labels tell nothing."""
        from prum.experiments.frame.drawing import RULE, colour, paneled

        def fill(axes: "Axes") -> None:
            axes.plot([0, 1], [0, 1], color=RULE, linewidth=1)
            for place, one in enumerate(self.measured):
                (x, *x_ends), (y, *y_ends) = one.false_alarm, one.hit
                sides = [
                    [[abs(end - at)] for end in ends] for at, ends in ((x, x_ends), (y, y_ends))
                ]
                axes.errorbar(x, y, sides[1], sides[0], fmt="o", color=colour(place), markersize=4)
                if len(self.measured) <= _NAMED:
                    axes.annotate(one.judge, (x, y), (5, 4), textcoords="offset points")
            axes.set_xlabel("false alarm")
            axes.set_title("hit", loc="left")
            axes.set_xlim(0, 1)
            axes.set_ylim(0, 1)

        return paneled([fill], columns=1, tall=260, prefix="judges")

    @property
    def correlations(self) -> list[tuple[str, str, float, float]]:
        """Pairs of judges, and how their hits and their false alarms correlate."""
        of = self.labels
        return [
            (of.judges[i], of.judges[j], of.correlation(i, j, 1), of.correlation(i, j, 0))
            for j in range(len(of.judges))
            for i in range(j)
        ]

    def _notes(self) -> Iterator[str]:
        of = self.labels
        kinds = sorted(of.evidence.items(), key=lambda one: -one[1])
        others = "; ".join(
            f"{kind} is less likely by a factor of e^{kinds[0][1] - value:.0f}"
            for kind, value in kinds[1:]
        )
        yield (f"Errors are {kinds[0][0]}, by the evidence of the labels: {others}.")
        yield (
            "Labels of what people judged, too; hits are of what they call ideal, false alarms of "
            "the rest, means over topics."
        )
        yield (
            "Worth: of a topic's human labels, what any number of the judge's tell of its share "
            "of ideals, as rates differ between topics."
        )
        if of.ranked:
            systems = of.places[of.ranked[0]].shape[1]
            yield (
                f"Ranks by {count(systems, 'system')} on {count(len(of.ranked), 'topic')} are "
                "evidence, too, of how likely elements are ideal."
            )
        elif of.places:
            yield "Ranks are no evidence: people judged fewer than two of the runs' topics here."

    def values(self) -> dict[str, Any]:
        """Return the judges, the evidence and correlations."""
        return {
            "judges": [
                {
                    **{name: getattr(one, name) for name in MeasuredJudge.__slots__},
                    **{name: getattr(one, name)._asdict() for name in _ESTIMATES},
                    "by_grade": {f"{g:g}": value._asdict() for g, value in one.by_grade.items()},
                }
                for one in self.measured
            ],
            "evidence": {str(kind): value for kind, value in self.labels.evidence.items()},
            "dependence": self.labels.dependence,
            "correlations": self.correlations,
            "systems": self.num_systems,
        }

    def to_frame(self) -> "pd.DataFrame":
        """Return a row for each judge."""
        import pandas as pd

        rows = []
        for one in self.measured:
            row: dict[str, Any] = {"judge": one.judge, "pairs": one.pairs, "topics": one.topics}
            for name in _ESTIMATES:
                ends = getattr(one, name)
                row |= {name: ends.value, f"{name}_low": ends.low, f"{name}_high": ends.high}
            row |= {
                "hit_spread": one.hit_spread,
                "false_alarm_spread": one.false_alarm_spread,
                "worth": one.worth,
            }
            rows.append(row)
        return pd.DataFrame(rows)

    def to_probabilities(self) -> str:
        """Return topic, element, probability, case as CSV, for `prum evaluate --judgements`."""
        stream = io.StringIO()
        rows = csv.writer(stream, lineterminator="\n")
        rows.writerow(("topic", "element", "probability", "case"))
        for topic, by_case in self.written.items():
            for case, given in enumerate(by_case.tolist(), start=1):
                for element, p in zip(self.labels.elements[topic], given, strict=True):
                    rows.writerow((topic, element, f"{p:.6g}", case))
        return stream.getvalue()


def _signed(tau: float) -> str:
    return f"−{number(-tau)}" if tau < 0 else number(tau, _SAME_ORDER)


def _of_grade(grade: float) -> Callable[[MeasuredJudge], str]:
    return lambda row: _ends(row.by_grade[grade])


def _ends(of: Estimate) -> str:
    if np.isnan(of.low):
        return f"{of.value:.3f}"
    return f"{of.value:.3f} ({of.low:.3f} to {of.high:.3f})"


@JUDGES.function
def judges(design: JudgesDesign) -> JudgesResult:
    """Measure judges beside human judgements of the same elements, as `prum judges` does.

    A judge's rates are of what it labelled and people judged. Probabilities are of what any judge
    labelled; what people judged is written with 0 or 1.

    Raises
    ------
    InputError
        if qrels break a rule, or people and a judge have no element in common, or people call none
        of these ideal, or all.
    OSError
        if a file cannot be read.

    >>> human = {"q": {"a": 1, "b": 0, "c": 1, "d": 0}}
    >>> made = judges({"judge": {"q": {"a": 1, "b": 0, "c": 0, "d": 0, "e": 1}}}, human)
    >>> made.written["q"].shape, made.written["q"][:, 0].tolist() == [1.0] * 40
    ((40, 5), True)
    """
    human = _grades(design.human)
    judged, lists = _systems(design, human)
    # Where people judged the runs' topics elsewhere, the runs are no evidence here.
    labels = labels_of(
        _judges(design.judges),
        human,
        ideal_grade=design.ideal_grade,
        runs=lists if design.qrels is None else (),
    )
    for name, rates in zip(labels.judges, labels.rates, strict=True):
        for what, rate in zip(("ideal", "not ideal"), rates, strict=True):
            if not rate.trials.any():
                thing = f"number of elements that people call {what} and {name} labelled"
                remedy = "check that topics and ids are the same, and --ideal-grade"
                raise InputError(thing, 0, "be at least 1", remedy=remedy)
    rng = np.random.default_rng(design.seed)
    topics, precision = _by_people(judged, lists) if lists else ([], [])
    share = labels.prevalence.mean.value
    measured = []
    for at, name in enumerate(labels.judges):
        hit, false_alarm = labels.rates[at]
        taus = _taus(labels, at, topics, precision, design.draws, rng)
        ends = Estimate(np.nan)
        if len(taus):
            low, high = np.quantile(taus, [0.025, 0.975]).tolist()
            ends = Estimate(float(taus.mean()), low, high)
        measured.append(
            MeasuredJudge(
                name,
                int((hit.trials + false_alarm.trials).sum()),
                int((hit.trials + false_alarm.trials > 0).sum()),
                hit.mean,
                hit.spread,
                false_alarm.mean,
                false_alarm.spread,
                _by_grade(labels, at, human),
                worth(hit, false_alarm, share),
                ends,
                float((taus >= _SAME_ORDER).mean()) if len(taus) else 0.0,
            )
        )
    return JudgesResult(
        measured=tuple(measured),
        labels=labels,
        written=labels.probabilities(design.cases, rng),
        num_systems=len(precision[0]) if precision else 0,
    )


def _grades(source: Any) -> Mapping[str, Mapping[str, float]]:
    """Return grades by topic and element."""
    return grades_of(given_qrels(source))


def _judges(source: Any) -> dict[str, Mapping[str, Mapping[str, float]]]:
    """Return the grades of each judge, called by its file; a table is of one."""
    if isinstance(source, Mapping):
        named = dict(source)
    elif is_one_table(source):
        named = {"judge": source}
    elif not isinstance(source, str | Path | list | tuple):
        rule, remedy = "be files, a table, or a mapping", "give name -> topic -> element -> grade"
        raise InputError("judges", source, rule, remedy=remedy)
    else:
        files = [source] if isinstance(source, str | Path) else list(source)
        named = {Path(str(file)).name: file for file in files}
        if len(named) < len(files):
            rule, remedy = "have names of their own", "rename one of them"
            raise InputError("files of judges", ", ".join(named), rule, remedy=remedy)
    if not named:
        raise InputError("judges", (), "be at least one", remedy="name a file of qrels")
    return {str(name): _grades(one) for name, one in named.items()}


def _by_grade(
    labels: Labels, judge: int, human: Mapping[str, Mapping[str, float]]
) -> dict[float, Estimate]:
    """Return how often a judge calls ideal what people gave each grade (Beta posteriors)."""
    from scipy.special import betaincinv

    found: dict[float, list[int]] = {}
    for topic, elements in labels.elements.items():
        for element, label in zip(elements, labels.labels[topic][judge].tolist(), strict=True):
            grade = human.get(topic, {}).get(element, -1)
            if grade >= 0 and label >= 0:
                found.setdefault(grade, []).append(label)
    made = {}
    for grade, said in sorted(found.items()):
        k, n = sum(said), len(said)
        low, high = (float(betaincinv(k + 1, n - k + 1, at)) for at in (0.025, 0.975))
        made[grade] = Estimate((k + 1) / (n + 2), low, high)
    return made


def _systems(
    design: JudgesDesign, human: Mapping[str, Mapping[str, float]]
) -> tuple[list[Judged], list[Mapping[str, Sequence[str]]]]:
    """Return the topics that systems are ordered by, and each system's lists; none without runs."""
    if not is_given(design.run):
        return [], []
    own = design.qrels is None
    grades = human if own else _grades(design.qrels)
    least = design.ideal_grade if own else design.qrels_ideal_grade
    judged, _ = read_judged(grades, ideal_grade=least)
    lists: list[Mapping[str, Sequence[str]]] = [
        {topic: taken(ranking, "ranking") for topic, ranking in by_topic.items()}
        for _, by_topic in read_lists(given_runs(design.run), judged, takes="ranking")
    ]
    if len(lists) < 2:
        remedy = "name a folder of runs, or repeat --run"
        raise InputError("number of runs", len(lists), "be at least 2", remedy=remedy)
    return judged, lists


def _by_people(
    judged: Sequence[Judged], lists: Sequence[Mapping[str, Sequence[str]]]
) -> tuple[list[tuple[Judged, tuple[str, ...], list[Any]]], list[Floats]]:
    """Return topics with their judged elements and lists, and AP of systems by people."""
    topics, precision = [], []
    for topic in judged:
        elements = tuple(sorted(topic.known))
        rows = {element: row for row, element in enumerate(elements)}
        rankings = []
        for by_topic in lists:
            ranking = dict.fromkeys(by_topic.get(topic.topic, ()))
            rankings.append(np.array([rows.get(x, -1) for x in ranking], dtype=np.int64))
        is_ideal = np.isin(elements, topic.ideals)
        topics.append((topic, elements, rankings))
        sets = JudgedSets(is_ideal[None])
        precision.append(np.array([sets.average_precision(rows_)[0] for rows_ in rankings]))
    means = np.mean(precision, axis=0)
    if means.min() == means.max():
        remedy = "give systems that people's judgements tell apart"
        rule = "differ between systems"
        raise InputError("mean AP by people", float(means[0]), rule, remedy=remedy)
    return topics, precision


def _taus(
    labels: Labels,
    judge: int,
    topics: Sequence[tuple[Judged, tuple[str, ...], list[Any]]],
    precision: Sequence[Floats],
    draws: int,
    rng: np.random.Generator,
) -> Floats:
    """Return tau-b of systems' mean AP by drawn labels of a judge and by people's, (draws,).

    Labels by which all systems tie order nothing: 0.
    """
    if not topics:
        return np.zeros(0)
    within = labels.rates[judge]
    laws = [rate.drawn(draws, rng) for rate in within]
    total = np.zeros((len(precision[0]), draws))
    for topic, elements, rankings in topics:
        is_ideal = np.isin(elements, topic.ideals)
        hit, false = (
            rng.beta(np.maximum(m * s, 1e-6), np.maximum((1 - m) * s, 1e-6)) for m, s in laws
        )
        p = np.where(is_ideal, hit[:, None], false[:, None])
        sets = JudgedSets(rng.random(p.shape) < p)
        total += np.stack([sets.average_precision(rows) for rows in rankings])
    return np.nan_to_num(tau_b(total.T, np.sum(precision, axis=0)))
