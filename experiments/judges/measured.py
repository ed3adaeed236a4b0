"""Judges measured beside people: rates, what labels are worth, and whether they order systems."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from prum.experiments.compare.result import ComparisonResult
from prum.experiments.compare.scores import Scores, folded
from prum.experiments.evaluate.given import given_qrels, given_runs, is_given
from prum.experiments.evaluate.inputs import read_judged, read_lists
from prum.experiments.frame.frames import FrameResult, columns_of, frame_table, rows_of, turned
from prum.experiments.frame.numbers import count, number
from prum.experiments.frame.result import text_or_file
from prum.experiments.frame.view import Figure, View
from prum.experiments.judges.labels import Labels, labels_of
from prum.experiments.judges.rates import worth
from prum.experiments.measures.judged import Judged, taken
from prum.experiments.statistics.intervals import Estimate
from prum.experiments.statistics.rankings import tau_b
from prum.simulator.collections.judgements import judgements_from, judges_from
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.sampling.measured.judged_sets import JudgedSets
from prum.simulator.tables.layout import once
from prum.simulator.tables.read import is_one_table, origin_of

# An order that agrees so well is taken for the same (Voorhees 2000), in so many of the draws.
SAME_ORDER, SURE = 0.9, 0.95
_AGREE = ("agreement", "on ideals", "on others")
_CAPTION = (
    "Kendall's tau-b of systems by its labels and by people's, where there are runs; P(called "
    "ideal) of ideals (hits) and of other elements (false alarms): each with 95 % intervals."
)
FORMS = {"judge": "", "labels": ",", "topics": ",", "hit to": ".3f", "hit_spread": ".3f"}
FORMS |= {"false_alarm to": ".3f", "false_alarm_spread": ".3f", "worth": ".1f"}
NAMES = {"hit_spread": "sd of topics", "false_alarm_spread": "sd of topics "}
NAMES |= {"worth": "worth, labels"}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class JudgesResult(FrameResult):
    """Judges measured beside people.

    `frames["judges"]` has a row for each judge, who labelled `labels` elements of so many `topics`
    that people judged, too. `hit` and `false_alarm` are means over topics with 95 % intervals,
    `hit_spread` and `false_alarm_spread` standard deviations between topics. `worth` is how many
    human labels tell a topic's share of ideals as well as any number of the judge's. `tau` is
    Kendall's tau-b between systems' mean AP by labels with such errors and by human ones: its mean
    over draws of the labels, and ends that hold 95 % of them; NaN without runs. A judge
    `is_good` if it is .9 or more in 95 % of the draws.

    `frames["correlations"]` has how hits and false alarms of two judges correlate.

    Attributes
    ----------
    labels
        What judges and people say.
    agreement
        How often judges that have trials say what people do, over topics and trials.
    written
        Topic -> P(ideal) of each element, shape (cases, elements).
    """

    labels: Labels
    agreement: ComparisonResult | None
    written: Mapping[str, Floats]

    @text_or_file
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


def measured(design: Any) -> JudgesResult:
    """Return judges beside people, as the verb says."""
    human = judgements_from(given_qrels(design.human)).grades
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
    rows = []
    for judge, name in enumerate(labels.judges):
        hit, false_alarm = labels.rates[judge]
        taus = _taus(labels, judge, topics, precision, design.draws, rng)
        ends = Estimate(np.nan)
        if len(taus):
            low, high = np.quantile(taus, [0.025, 0.975]).tolist()
            ends = Estimate(float(taus.mean()), low, high)
        trials = hit.trials + false_alarm.trials
        rows.append(
            {"judge": name, "labels": int(trials.sum()), "topics": int((trials > 0).sum())}
            | columns_of(hit=hit.mean, false_alarm=false_alarm.mean, tau=ends)
            | {"hit_spread": hit.spread, "false_alarm_spread": false_alarm.spread}
            | {"worth": worth(hit, false_alarm, labels.prevalence.mean.value)}
            | {"is_good": orders(taus)}
        )
    pairs = [(i, j) for j in range(len(rows)) for i in range(j)]
    correlations = {
        "judge": [labels.judges[i] for i, _ in pairs],
        "other": [labels.judges[j] for _, j in pairs],
        "hits": [labels.correlation(i, j, 1) for i, j in pairs],
        "false_alarms": [labels.correlation(i, j, 0) for i, j in pairs],
    }
    scores = agreement(labels)
    agreed = None if scores.trials is None else ComparisonResult(scores=scores)
    frames = {"judges": turned(rows), "correlations": correlations}
    num_systems = len(precision[0]) if precision else 0
    return JudgesResult(
        kind="judges",
        frames=frames,
        shown=_view(frames, labels, num_systems, agreed),
        more={
            "evidence": {str(kind): value for kind, value in labels.evidence.items()},
            "dependence": labels.dependence,
            "systems": num_systems,
            **({"agreement": agreed.values()} if agreed else {}),
        },
        agreement=agreed,
        labels=labels,
        written=labels.probabilities(design.cases, rng),
    )


def agreement(labels: Labels) -> Scores:
    """Return by topic how often judges say what people do: of all, of ideals, and of others.

    A judge's trials are its trials.
    """
    topics = [topic for topic, z in labels.people.items() if (z >= 0).any()]
    values = np.full((len(labels.judges), len(topics), len(_AGREE)), np.nan)
    for column, topic in enumerate(topics):
        y, z = labels.labels[topic], labels.people[topic]
        for measure, kept in enumerate((z >= 0, z == 1, z == 0)):
            both = (y >= 0) & kept
            number, same = both.sum(axis=1), ((y == z) & both).sum(axis=1)
            np.divide(same, number, out=values[:, column, measure], where=number > 0)
    return folded(Scores(_AGREE, labels.judges, tuple(topics), values))


def orders(taus: Floats) -> bool:
    """Return whether nearly all draws of labels order the systems as human labels do.

    >>> orders(np.array([0.95] * 19 + [0.5])), orders(np.array([1.0] * 18 + [0.89] * 2))
    (True, False)
    """
    return len(taus) > 0 and float((taus >= SAME_ORDER).mean()) >= SURE


def _view(
    frames: Mapping[str, Any], labels: Labels, num_systems: int, agreed: ComparisonResult | None
) -> View:
    """Return rates, what labels are worth, and how errors depend on each other."""
    judges = frames["judges"]
    # What decides stands first, where no page is too narrow for it.
    forms = {"judge": "", **({"tau to": ".3f"} if num_systems else {})} | FORMS
    tables = [frame_table("Rates of judges beside people", judges, forms, names=NAMES)]
    pairs = frames["correlations"]
    if pairs["judge"]:
        forms = {"judge": "", "other": "", "hits": ".3f", "false_alarms": ".3f"}
        detail = len(pairs["judge"]) > 10
        tables.append(frame_table("Correlation between judges", pairs, forms, detail=detail))
    headline = _headline(rows_of(judges), num_systems)
    notes = list(_notes(labels))
    if agreed is not None:
        view = agreed.view()
        headline, tables = f"{view.headline} {headline}", [*tables, *view.tables]
        notes = [*view.notes, *notes]
    return View(
        title="Judges beside people",
        headline=headline,
        story=(),
        tables=tuple(tables),
        figures=(
            Figure(
                _CAPTION,
                f"Rates of {count(len(judges['judge']), 'judge')}.",
                lambda: _drawn(judges, num_systems),
            ),
        ),
        sentences=agreed.view().sentences if agreed else (),
        notes=tuple(notes),
    )


def _headline(judges: Sequence[Any], num_systems: int) -> str:
    """Return whether judges are good enough to order the systems; else what labels are worth."""
    if not num_systems:
        best = max(judges, key=lambda row: row.worth)
        return (
            f"On a topic, any number of labels by {best.judge} tells as much as "
            f"{number(best.worth)} human labels; give --run to learn whether it orders systems."
        )
    order = f"order {num_systems} systems by AP as people do"
    if len(judges) == 1:
        (only,) = judges
        enough = "is good enough" if only.is_good else "is not good enough"
        return (
            f"{only.judge} {enough} to {order}: tau {_signed(only.tau_low)} to "
            f"{_signed(only.tau_high)}."
        )
    best = max(judges, key=lambda row: row.tau)
    good = [row.judge for row in judges if row.is_good]
    named = f": {', '.join(good)}" if good else ""
    return (
        f"{len(good)} of {len(judges)} judges are good enough to {order}{named}; "
        f"the best, {best.judge}, has tau {_signed(best.tau)}."
    )


def _drawn(judges: Any, num_systems: int) -> Any:
    """Draw each judge's correlation with people's order of systems, its hits and false alarms."""
    from prum.experiments.frame.drawing import colour, height, paneled, rows

    def panel(name: str, title: str, axes: Any) -> None:
        ends = [judges[f"{name}{end}"] for end in ("_low", "", "_high")]
        rows(axes, [*zip(judges["judge"], *ends, strict=True)], [colour(2)] * len(ends[0]))
        axes.set_title(title)

    names = {"tau": "tau"} if num_systems else {}
    names |= {"hit": "hits", "false_alarm": "false alarms"}
    panels = [partial(panel, name, title) for name, title in names.items()]
    tall = height(len(judges["judge"]))
    return paneled(panels, columns=len(panels), tall=tall, share="y", prefix="judges")


def _notes(labels: Labels) -> Iterator[str]:
    kinds = sorted(labels.evidence.items(), key=lambda kind: -kind[1])
    others = "; ".join(f"e^{kinds[0][1] - value:.0f} against {kind}" for kind, value in kinds[1:])
    yield (f"Errors are {kinds[0][0]} (Bayes factors: {others}).")
    yield (
        "Only elements that people judged count: hits are among their ideals, false alarms among "
        "the others; means over topics."
    )
    yield (
        "Worth: how many human labels are as informative about a topic's share of ideals as all "
        "of the judge's, whose rates differ between topics."
    )
    if labels.ranked:
        systems = labels.places[labels.ranked[0]].shape[1]
        yield (
            f"The ranks given by {count(systems, 'system')} on "
            f"{count(len(labels.ranked), 'topic')} also count as evidence."
        )
    elif labels.places:
        yield "Ranks are no evidence: people judged fewer than two of the runs' topics here."


def _signed(tau: float) -> str:
    return f"−{number(-tau)}" if tau < 0 else number(tau, SAME_ORDER)


def _judges(source: Any) -> dict[str, Mapping[str, Mapping[str, float]]]:
    """Return the grades of each judge; one is called by its file, if no column names judges."""
    inner = next(iter(source.values()), None) if isinstance(source, Mapping) else None
    is_one = isinstance(inner, Mapping) and isinstance(next(iter(inner.values()), None), Real)
    if is_one or is_one_table(source):
        named = {"judge": source}
    elif isinstance(source, Mapping):
        named = dict(source)
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
    judges: dict[str, Mapping[str, Mapping[str, float]]] = {}
    for name, qrels in named.items():
        given = qrels if is_one_table(qrels) else given_qrels(qrels)
        for judge, judged in judges_from(str(name), given).items():
            once(judges, judge, "judge", origin_of(qrels))
            judges[judge] = judged.grades
    return judges


def _systems(
    design: Any, human: Mapping[str, Mapping[str, float]]
) -> tuple[list[Judged], list[Mapping[str, Sequence[str]]]]:
    """Return the topics that systems are ordered by, and each system's lists; none without runs."""
    if not is_given(design.run):
        return [], []
    is_human = design.qrels is None
    grades = human if is_human else judgements_from(given_qrels(design.qrels)).grades
    least = design.ideal_grade if is_human else design.qrels_ideal_grade
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
        elements = tuple(sorted(topic.assessed))
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
