"""Sessions of several lists scored: by what users found and paid, and by a model fitted to them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan

import numpy as np

from prum.analytic.searching import SearchEffort, searcher_effort, session_effort
from prum.analytic.searching.searcher import MANY_WAYS
from prum.experiments.compare.question import Question
from prum.experiments.evaluate.design import EvaluateDesign
from prum.experiments.evaluate.given import given_qrels, is_given
from prum.experiments.evaluate.inputs import read_judged
from prum.experiments.evaluate.session_logs import (
    Lists,
    Paying,
    given_lists,
    given_sessions,
    lists_of,
    opens,
    shown_in,
    units_of,
)
from prum.experiments.evaluate.session_pairs import compared_sessions
from prum.experiments.evaluate.session_result import (
    AGREES,
    DISAGREES,
    UNRESOLVED,
    SessionRow,
    SessionsEvaluation,
)
from prum.experiments.fitting.searcher import fit_searcher
from prum.experiments.logs.trajectories.agents import Tools
from prum.experiments.logs.trajectories.trajectory import Trajectory
from prum.experiments.statistics.intervals import Estimate, mean_interval
from prum.experiments.statistics.tests import two_sided_t
from prum.simulator.model import InputError, Rest, Searcher
from prum.simulator.model.arrays import Floats
from prum.simulator.model.costs import ELEMENTS
from prum.simulator.sessions import Searches, walk_searches

# Users who do the rarer of reaching r or not, below which a normal law says nothing; and of a row.
_LEAST_RARE, _LEAST_USERS = 10, 20
_EQUAL = 1e-9
_ALONE = (
    *("judgements", "unjudged", "intents", "measures", "links", "elements", "way", "navigation"),
    *("costs", "chunks", "spans", "texts", "offsets", "need", "primary"),
)


def evaluate_sessions(design: EvaluateDesign) -> SessionsEvaluation | None:
    """Return sessions scored, None if what is given are runs.

    Raise InputError as `given_sessions`; for options that are of runs alone, logs without a judged
    question that has ideals, and units that the log doesn't tell. Raise OSError if a file cannot be
    read.
    """
    wanted = any(is_given(getattr(design, name)) for name in ("cost", "budget", "lists"))
    tools = Tools.of(design.tools)
    systems = given_sessions(design.runs, tools, wanted=wanted)
    if systems is None:
        return None
    for name in _ALONE:
        if is_given(getattr(design, name)):
            rule, remedy = "go without sessions of several lists", "leave it out"
            raise InputError(name, "given", rule, remedy=remedy)
    if design.qrels is None:
        raise InputError("qrels", None, "be given", remedy="say which elements are ideal")
    judged, without = read_judged(
        given_qrels(design.qrels), ideal_grade=design.ideal_grade, ideals=design.ideals
    )
    ideals = {one.topic: one.ideals for one in judged} | dict.fromkeys(without, ())
    everything = [one for sessions in systems.values() for one in sessions]
    units, unit = units_of(everything), design.cost or ELEMENTS
    if unit not in units:
        rule = f"be one of {', '.join(units)}, which the log has"
        raise InputError("cost", unit, rule, remedy="choose one of them")
    new = None if design.lists is None else given_lists(design.lists, tools)
    rows, lost, beyond = list[SessionRow](), dict[str, int](), dict[str, float]()
    means = dict[str, dict[str, SearchEffort]]()
    for number, (system, sessions) in enumerate(systems.items()):
        kept = [one for one in sessions if ideals.get(one.topic)]
        for one in sessions:
            _count(lost, one, ideals)
        if not kept:
            rule = "be judged, and have ideals, in one session at least"
            remedy = "give qrels of the questions of the log"
            raise InputError(f"questions of {system}", sessions[0].topic, rule, remedy=remedy)
        scored = _System(system, kept, ideals, unit, design, number)
        rows += scored.rows(new)
        beyond[system], means[system] = scored.beyond, scored.means
    return SessionsEvaluation(
        rows=_with_verdicts(tuple(rows), design.level),
        unit=unit,
        reads=tuple(name for name, own in systems.items() if _reads(own, design)),
        lost={name: times for name, times in lost.items() if times},
        beyond=beyond,
        comparison=compared_sessions(means, unit, Question.of(design)),
        budget=design.budget,
        collection_size=design.collection_size,
        level=design.level,
        users=design.users,
    )


def _reads(sessions: Sequence[Trajectory], design: EvaluateDesign) -> bool:
    return not opens(sessions) if design.consulted is None else design.consulted == "lists"


def _count(lost: dict[str, int], one: Trajectory, ideals: Mapping[str, Sequence[str]]) -> None:
    names = dict(one.lost)
    names["sessions of questions that are not judged"] = one.topic not in ideals
    names["sessions of questions without ideals"] = ideals.get(one.topic) == ()
    for name, times in names.items():
        lost[name] = lost.get(name, 0) + times


@dataclass(frozen=True, slots=True)
class _Told:
    """Of a row: what is to be compared, exact and simulated, by question."""

    exact: SearchEffort | None
    walked: list[Searches]


class _System:
    """The sessions of one system, and what is said of them."""

    def __init__(
        self,
        name: str,
        sessions: list[Trajectory],
        ideals: Mapping[str, Sequence[str]],
        unit: str,
        design: EvaluateDesign,
        number: int,
    ) -> None:
        self.name, self.sessions, self.ideals = name, sessions, ideals
        self.design, self.number = design, number
        self.paying = Paying(unit, _reads(sessions, design))
        self.topics = sorted({one.topic for one in sessions})
        consulted = [step for one in sessions for step in self.paying.consultations(one)]
        num = sum(len(step.elements) for step in consulted)
        each = sum(step.cost for step in consulted) / num if num else 0.0
        cost = 1.0 if unit in (ELEMENTS, "steps") else each
        self.rest = Rest(design.collection_size, cost, design.budget)
        self.searcher: Searcher | None = fit_searcher(
            sessions,
            ideals,
            reads=self.paying.reads,
            by_element=unit == ELEMENTS,
            price=self.paying.prices,
        )
        self.beyond, self.means = nan, dict[str, SearchEffort]()

    def rows(self, new: Lists | None) -> list[SessionRow]:
        of_log = [self._efforts(topic) for topic in self.topics]
        self.means = dict(zip(self.topics, map(SearchEffort.mean, of_log), strict=True))
        own: dict[str, list[Sequence[Sequence[str]]]] = {}
        for one in self.sessions:
            own.setdefault(one.topic, []).append(lists_of(one))
        model = None if self.searcher is None else self._model(self.searcher, own, 0)
        rows = self._table(self.name, of_log, model)
        if new is not None:
            if self.searcher is None:
                rule, remedy = "have calls that show lists", "leave --lists out"
                raise InputError(f"log of {self.name}", 0, rule, remedy=remedy)
            lists = {topic: list(new.get(topic, [[]])) for topic in self.topics}
            rows += self._table(
                f"{self.name}, other lists", None, self._model(self.searcher, lists, 1)
            )
        return rows

    def _efforts(self, topic: str) -> list[SearchEffort]:
        wanted = set(self.ideals[topic])
        return [
            session_effort(
                self.paying.consultations(one),
                wanted,
                shown=len(shown_in(one) - wanted),
                rest=self.rest,
            )
            for one in self.sessions
            if one.topic == topic
        ]

    def _model(
        self,
        searcher: Searcher,
        lists: Mapping[str, Sequence[Sequence[Sequence[str]]]],
        which: int,
    ) -> list[_Told]:
        """Return for each question what the model does with lists, exactly and simulated."""
        total = sum(len(sequences) for sequences in lists.values())
        users = max(self.design.users // total, _LEAST_USERS)
        found, beyond = list[_Told](), list[float]()
        for place, topic in enumerate(self.topics):
            wanted = self.ideals[topic]
            known: dict[tuple[tuple[str, ...], ...], tuple[SearchEffort, float] | None] = {}
            exact, walked = list[tuple[SearchEffort, float] | None](), list[Searches]()
            for at, sequence in enumerate(lists[topic]):
                key = tuple(map(tuple, sequence))
                if key not in known:
                    known[key] = _exact(searcher, key, wanted, self.rest)
                exact.append(known[key])
                rng = np.random.default_rng([self.design.seed, self.number, which, place, at])
                walked.append(
                    walk_searches(searcher, key, wanted, users=users, rng=rng, rest=self.rest)
                )
            told = [one for one in exact if one is not None]
            beyond += [more for _, more in told]
            is_known = len(told) == len(exact)
            mean = SearchEffort.mean(effort for effort, _ in told) if is_known else None
            found.append(_Told(mean, walked))
        self.beyond = float(np.mean(beyond)) if beyond and not which else self.beyond
        return found

    def _table(
        self, name: str, of_log: list[list[SearchEffort]] | None, model: list[_Told] | None
    ) -> list[SessionRow]:
        sizes = [len(self.ideals[topic]) for topic in self.topics]
        rows = list[SessionRow]()
        for r in (*range(1, max(sizes) + 1), None):
            at = [place for place, size in enumerate(sizes) if r is None or size >= r]
            base = SessionRow(system=name, r=r, questions=len(at), sessions=0)
            if of_log is not None:
                base = _of_log(base, [of_log[place] for place in at])
            if model is not None:
                base = _of_model(base, [model[place] for place in at])
            rows.append(base)
        return rows


def _exact(
    searcher: Searcher, lists: Sequence[Sequence[str]], ideals: Sequence[str], rest: Rest
) -> tuple[SearchEffort, float] | None:
    """Return what users of the model find and pay, None where these may go too many ways."""
    try:
        return searcher_effort(searcher, lists, ideals, rest=rest)
    except InputError as error:
        if error.thing != MANY_WAYS:
            raise
        return None


def _column(values: Floats, r: int | None) -> Floats:
    """Return what stands at r, or over r = 1 .. t."""
    return values[..., r - 1] if r is not None else values.mean(axis=-1)


def _of_log(row: SessionRow, questions: list[list[SearchEffort]]) -> SessionRow:
    """Return a row with the means over questions, each the ratio of means over its sessions."""
    means = [SearchEffort.mean(sessions) for sessions in questions]
    values = np.array([_column(one.value, row.r) for one in means])
    if len(values) > 1:
        estimate = mean_interval(values) if np.isfinite(values).all() else Estimate(values.mean())
    else:
        estimate = _of_sessions(questions[0], means[0], row.r)
    return replace(
        row,
        sessions=sum(len(sessions) for sessions in questions),
        reached=_mean(means, "reached", row.r),
        new=_mean(means, "new", row.r),
        cost=_mean(means, "cost", row.r),
        value=estimate.value,
        low=max(estimate.low, 0.0) if estimate.low == estimate.low else nan,
        high=estimate.high,
    )


def _of_sessions(sessions: list[SearchEffort], mean: SearchEffort, r: int | None) -> Estimate:
    """Return the ratio of means over sessions, and its interval: linearised."""
    value = float(_column(mean.value, r))
    if not (np.isfinite(mean.cost).all() and (mean.cost > 0).all()):
        return Estimate(value)
    rest = [float(_column((one.new - mean.value * one.cost) / mean.cost, r)) for one in sessions]
    return mean_interval(value + np.array(rest))


def _mean(efforts: Sequence[SearchEffort], name: str, r: int | None) -> float:
    return float(np.mean([_column(getattr(one, name), r) for one in efforts]))


def _of_model(row: SessionRow, questions: list[_Told]) -> SessionRow:
    """Return a row with what the model says, and the p-value of its simulation."""
    walked = [_walked(one.walked) for one in questions]
    simulated = float(np.mean([_column(one.value, row.r) for one, _ in walked]))
    exact = [one.exact for one in questions]
    if any(one is None for one in exact):
        return replace(row, simulated_value=simulated, p=None)
    known = [one for one in exact if one is not None]
    return replace(
        row,
        model_reached=_mean(known, "reached", row.r),
        model_new=_mean(known, "new", row.r),
        model_cost=_mean(known, "cost", row.r),
        model_value=_mean(known, "value", row.r),
        simulated_value=simulated,
        p=None if row.r is None else _p(known, walked, row.r),
    )


def _walked(searches: Sequence[Searches]) -> tuple[SearchEffort, list[Searches]]:
    """Return the means over users who were walked, those of each sequence of lists alike."""
    means = [
        SearchEffort(
            reached=one.has_reached.mean(axis=0),
            found=one.found.mean(axis=0),
            spent=one.spent.mean(axis=0),
            new=(one.found + one.added).mean(axis=0),
            cost=one.cost.mean(axis=0),
        )
        for one in searches
    ]
    return SearchEffort.mean(means), list(searches)


def _p(
    exact: Sequence[SearchEffort], walked: Sequence[tuple[SearchEffort, list[Searches]]], r: int
) -> float | None:
    """Return the p-value of simulated ideals and costs beside exact ones, None where too few tell.

    Both are means over questions; their errors come from users, drawn by themselves for each
    sequence of lists. The lesser p-value of the two counts twice.
    """
    users = sum(len(one.found) for _, own in walked for one in own)
    # What is found by r hangs on whether fewer ideals are seen, too.
    reached = np.mean([one.reached[:r] for one in exact], axis=0)
    rare = users * np.minimum(reached, 1 - reached)
    if ((rare > _EQUAL * users) & (rare < _LEAST_RARE)).any():
        return None
    p = 1.0
    for name in ("found", "spent"):
        expected = np.mean([getattr(one, name)[r - 1] for one in exact])
        means, variance, others = [], 0.0, 0
        for _, own in walked:
            columns = [getattr(one, name)[:, r - 1] for one in own]
            means.append(np.mean([column.mean() for column in columns]))
            share = 1 / (len(walked) * len(own)) ** 2
            variance += share * sum(column.var(ddof=1) / len(column) for column in columns)
            others += sum(len(x) - np.unique(x, return_counts=True)[1].max() for x in columns)
        difference = abs(float(np.mean(means) - expected))
        if difference > _EQUAL * max(1.0, abs(float(expected))):
            if others < _LEAST_RARE and (others or name == "spent"):
                return None  # nearly all users did the same: their variance is not to be trusted
            z = difference / variance**0.5 if variance else np.inf
            own_p = float(two_sided_t(np.array(z), np.array(float(users - 1)))) if variance else 0.0
            p = min(p, 2 * own_p)
    return p


def _with_verdicts(rows: tuple[SessionRow, ...], level: float) -> tuple[SessionRow, ...]:
    """Return rows with what is said of the simulation; all of them together at a level."""
    tests = sum(row.p is not None for row in rows)
    told = list[SessionRow]()
    for row in rows:
        if row.simulated_value is None:
            told.append(row)
        elif row.r is not None:
            word = UNRESOLVED if row.p is None else AGREES
            if row.p is not None and row.p * tests <= level:
                word = DISAGREES
            told.append(replace(row, verdict=word))
        else:
            words = {one.verdict for one in told if one.system == row.system}
            word = next(word for word in (DISAGREES, UNRESOLVED, AGREES) if word in words)
            told.append(replace(row, verdict=word))
    return tuple(told)
