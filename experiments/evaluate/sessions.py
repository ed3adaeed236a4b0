"""Sessions of several lists scored: by what users found and paid, and by a model fitted to them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import nan
from typing import Any

import numpy as np

from prum.analytic.searching import SearchEffort, searcher_effort, session_effort
from prum.analytic.searching.searcher import MANY_WAYS
from prum.experiments.compare.question import Question
from prum.experiments.compare.result import ComparisonResult
from prum.experiments.compare.scores import Scores, with_trials
from prum.experiments.evaluate.given import given_qrels, is_given, refuse
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
from prum.experiments.evaluate.session_result import (
    AGREES,
    DISAGREES,
    UNRESOLVED,
    SessionsEvaluation,
)
from prum.experiments.evaluate.verb import EvaluateDesign
from prum.experiments.fitting.searcher import fit_searcher
from prum.experiments.frame.frames import turned
from prum.experiments.logs.log_summary import not_kept
from prum.experiments.logs.trajectories.agents import Tools
from prum.experiments.logs.trajectories.trajectory import Trajectory
from prum.experiments.statistics.intervals import Estimate, mean_interval
from prum.experiments.statistics.repeated import trial_variances
from prum.experiments.statistics.tests import two_sided_t
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.costs import ELEMENTS
from prum.simulator.model.searching import Rest, Searcher
from prum.simulator.sessions.searching import Searches, walk_searches

Row = dict[str, Any]
# Of a question: what users of the model find and pay, None where they may go too many ways; and
# those who were simulated, for each sequence of lists.
Told = tuple[SearchEffort | None, list[Searches]]

# Users simulated for each row, to check the exact values.
_USERS = 5_000
# Users who do the rarer of reaching r or not, below which a normal law says nothing; and of a row.
_LEAST_RARE, _LEAST_USERS = 10, 20
_EQUAL = 1e-9
_ALONE = (
    *("judgements", "unjudged", "intents", "measures", "links", "elements", "way", "navigation"),
    *("costs", "chunks", "spans", "texts", "offsets", "need"),
)


def evaluate_sessions(design: EvaluateDesign) -> SessionsEvaluation | None:
    """Return sessions scored, None if what is given are runs."""
    is_asked = any(is_given(getattr(design, name)) for name in ("cost", "budget", "lists"))
    tools = Tools.of(design.tools)
    systems = given_sessions(design.runs, tools, strict=is_asked)
    if systems is None:
        return None
    refuse(design, _ALONE, "go without sessions of several lists")
    if design.qrels is None:
        raise InputError("qrels", None, "be given", remedy="say which elements are ideal")
    judged, without = read_judged(
        given_qrels(design.qrels), ideal_grade=design.ideal_grade, ideals=design.ideals
    )
    ideals = {session.topic: session.ideals for session in judged} | dict.fromkeys(without, ())
    everything = [session for sessions in systems.values() for session in sessions]
    units, unit = units_of(everything), design.cost or ELEMENTS
    if unit not in units:
        rule = f"be one of {', '.join(units)}, which the log has"
        raise InputError("cost", unit, rule, remedy="choose one of them")
    new = None if design.lists is None else given_lists(design.lists, tools)
    reads, rows, lost, beyond = list[str](), list[Row](), Counter[str](), dict[str, float]()
    efforts_of = dict[str, dict[str, list[SearchEffort]]]()
    trials_of = dict[str, list[list[str]]]()
    for number, (system, sessions) in enumerate(systems.items()):
        kept = [session for session in sessions if ideals.get(session.topic)]
        for session in sessions:
            lost.update(dict(session.lost))
            lost["sessions of questions that are not judged"] += session.topic not in ideals
            lost["sessions of questions without ideals"] += ideals.get(session.topic) == ()
        if not kept:
            rule = "be judged, and have ideals, in one session at least"
            remedy = "give qrels of the questions of the log"
            raise InputError(f"questions of {system}", sessions[0].topic, rule, remedy=remedy)
        is_read = not opens(kept)
        reads += [system] * is_read
        paying = Paying(unit, is_read)
        efforts, rest = _efforts(kept, ideals, paying, design)
        efforts_of[system] = efforts
        trials_of[system] = [
            [session.trial for session in kept if session.topic == topic] for topic in efforts
        ]
        searcher = fit_searcher(
            kept,
            ideals,
            reads=paying.reads,
            by_element=unit == ELEMENTS,
            price=paying.prices,
        )
        model, beyond[system] = None, nan
        if searcher is not None:
            lists_by_topic: dict[str, list[Sequence[Sequence[str]]]] = {
                topic: [] for topic in efforts
            }
            for session in kept:
                lists_by_topic[session.topic].append(lists_of(session))
            model, beyond[system] = _model(
                searcher, lists_by_topic, ideals, rest, design, [number, 0]
            )
        sizes = [len(ideals[topic]) for topic in efforts]
        rows += _rows(system, sizes, list(efforts.values()), model, trials_of[system])
        if new is not None:
            if searcher is None:
                rule, remedy = "have calls that show lists", "leave --lists out"
                raise InputError(f"log of {system}", 0, rule, remedy=remedy)
            lists = {topic: list(new.get(topic, [[]])) for topic in efforts}
            model, _ = _model(searcher, lists, ideals, rest, design, [number, 1])
            rows += _rows(f"{system}, other lists", sizes, None, model, [])
    rows = list(_with_verdicts(rows, design.level))
    lost = +lost
    return SessionsEvaluation(
        kind="evaluate sessions",
        frames={"rows": turned(rows)},
        status=int(any(row["verdict"] == DISAGREES for row in rows)),
        remarks=tuple(not_kept(lost)),
        unit=unit,
        reads=tuple(reads),
        lost=lost,
        beyond=beyond,
        comparison=compared_sessions(efforts_of, trials_of, unit, Question.of(design)),
        successes={
            name: crossed([[x.reached[-1] for x in each] for each in of.values()], trials_of[name])
            for name, of in efforts_of.items()
        },
        is_endless=design.budget is None and design.collection_size is None,
        level=design.level,
    )


def _efforts(
    sessions: Sequence[Trajectory],
    ideals: Mapping[str, Sequence[str]],
    paying: Paying,
    design: EvaluateDesign,
) -> tuple[dict[str, list[SearchEffort]], Rest]:
    """Return by question what sessions find and pay, and what others would behind the lists."""
    consulted = [list(paying.consultations(session)) for session in sessions]
    steps = [step for each in consulted for step in each]
    num = sum(len(step.elements) for step in steps)
    each = sum(step.cost for step in steps) / num if num else 0.0
    cost = 1.0 if paying.unit in (ELEMENTS, "steps") else each
    rest = Rest(design.collection_size, cost, design.budget)
    efforts: dict[str, list[SearchEffort]] = {
        topic: [] for topic in sorted({session.topic for session in sessions})
    }
    for session, read in zip(sessions, consulted, strict=True):
        topic_ideals = set(ideals[session.topic])
        shown = len(shown_in(session) - topic_ideals)
        efforts[session.topic].append(session_effort(read, topic_ideals, shown=shown, rest=rest))
    return efforts, rest


def _model(
    searcher: Searcher,
    lists: Lists,
    ideals: Mapping[str, Sequence[str]],
    rest: Rest,
    design: EvaluateDesign,
    stream: Sequence[int],
) -> tuple[list[Told], float]:
    """Return for each question what the model does with lists, and how often it calls once more."""
    total = sum(len(sequences) for sequences in lists.values())
    users = max(_USERS // total, _LEAST_USERS)
    simulated, beyond = list[Told](), list[float]()
    for place, (topic, sequences) in enumerate(lists.items()):
        topic_ideals = ideals[topic]
        efforts: dict[tuple[tuple[str, ...], ...], tuple[SearchEffort, float] | None] = {}
        exact, walked = list[tuple[SearchEffort, float] | None](), list[Searches]()
        for number, sequence in enumerate(sequences):
            key = tuple(map(tuple, sequence))
            if key not in efforts:
                try:
                    efforts[key] = searcher_effort(searcher, key, topic_ideals, rest=rest)
                except InputError as error:
                    if error.thing != MANY_WAYS:
                        raise
                    efforts[key] = None
            exact.append(efforts[key])
            rng = np.random.default_rng([design.seed, *stream, place, number])
            walked.append(
                walk_searches(searcher, key, topic_ideals, users=users, rng=rng, rest=rest)
            )
        there = [pair for pair in exact if pair is not None]
        beyond += [more for _, more in there]
        is_known = len(there) == len(exact)
        simulated.append(
            (SearchEffort.mean(effort for effort, _ in there) if is_known else None, walked)
        )
    return simulated, float(np.mean(beyond)) if beyond else nan


# What a row says; None where nothing is known.
_COLUMNS = (
    *("system", "r", "questions", "sessions", "reached", "new", "cost", "value", "low", "high"),
    *("model_reached", "model_new", "model_cost", "model_value", "simulated_value", "p"),
)


def _rows(
    system: str,
    sizes: Sequence[int],
    efforts: Sequence[list[SearchEffort]] | None,
    model: Sequence[Told] | None,
    trials: Sequence[list[str]],
) -> Iterator[Row]:
    """Yield what is found and paid until r ideals are seen, for each r, then the mean over r.

    `sizes` are the numbers of ideals of the questions, in the order of `efforts` and `model`.
    """
    for r in (*range(1, max(sizes) + 1), None):
        there = [place for place, size in enumerate(sizes) if r is None or size >= r]
        row = {**dict.fromkeys(_COLUMNS), "system": system, "r": r, "questions": len(there)}
        row |= {"sessions": 0, "verdict": ""}
        if efforts is not None:
            row |= _of_log(
                [efforts[place] for place in there], r, [trials[place] for place in there]
            )
        if model is not None:
            row |= _of_model([model[place] for place in there], r)
        yield row


def _column(values: Floats, r: int | None) -> Floats:
    """Return what stands at r, or over r = 1 .. t."""
    return values[..., r - 1] if r is not None else values.mean(axis=-1)


def _means(efforts: Sequence[SearchEffort], r: int | None, *names: str) -> dict[str, float]:
    return {
        name: float(np.mean([_column(getattr(effort, name), r) for effort in efforts]))
        for name in names
    }


def _of_log(questions: list[list[SearchEffort]], r: int | None, trials: list[list[str]]) -> Row:
    """Return the means over questions, each the ratio of means over its sessions."""
    means = [SearchEffort.mean(sessions) for sessions in questions]
    values = np.array([_column(mean.value, r) for mean in means])
    if len(values) > 1:
        added, repeats = 0.0, _repeats(questions, trials, r)
        if len(repeats) > 1:
            added = float(trial_variances([repeats])[0, 0])
        is_known = np.isfinite(values).all()
        estimate = mean_interval(values, added) if is_known else Estimate(values.mean())
    else:
        parts = np.array(_linearised(questions[0], r))
        value = float(values[0])
        estimate = mean_interval(parts) if np.isfinite(parts).all() else Estimate(value)
    return {
        "sessions": sum(len(sessions) for sessions in questions),
        **_means(means, r, "reached", "new", "cost"),
        "value": estimate.value,
        "low": max(estimate.low, 0.0) if estimate.low == estimate.low else nan,
        "high": estimate.high,
    }


def _linearised(sessions: list[SearchEffort], r: int | None) -> list[float]:
    """Return what each session adds to the ratio of means over sessions, which is their mean."""
    mean = SearchEffort.mean(sessions)
    value = float(_column(mean.value, r))
    with np.errstate(invalid="ignore", divide="ignore"):
        rests = [(each.new - mean.value * each.cost) / mean.cost for each in sessions]
    return [value + float(_column(rest, r)) for rest in rests]


def _repeats(
    questions: Sequence[list[SearchEffort]], trials: Sequence[list[str]], r: int | None
) -> Floats:
    """Return the values of questions by each trial, (trials, questions); none of no number."""
    values = crossed([_linearised(sessions, r) for sessions in questions], trials)
    return values if np.isfinite(values).all() else values[:0]


def crossed(values: Sequence[Sequence[float]], trials: Sequence[Sequence[str]]) -> Floats:
    """Return values of the trials that all questions have, (trials, questions).

    `values` are by question and session, `trials` what each session says it is of; the sessions of
    a question that say nothing are its trials in their order.

    >>> crossed([[0, 1], [1, 0]], [["", ""], ["a", "b"]]).tolist()
    []
    >>> crossed([[0, 1], [1, 0]], [["a", "b"], ["b", "a"]]).tolist()
    [[0.0, 0.0], [1.0, 1.0]]
    """
    questions = list[dict[str | int, list[float]]]()
    for sessions, names in zip(values, trials, strict=True):
        by_trial: dict[str | int, list[float]] = {}
        for number, (value, name) in enumerate(zip(sessions, names, strict=True)):
            by_trial.setdefault(name or number, []).append(value)
        questions.append(by_trial)
    everywhere = [name for name in questions[0] if all(name in by for by in questions)]
    means = [[np.mean(by[name]) for by in questions] for name in everywhere]
    return np.array(means, dtype=np.float64).reshape(-1, len(questions))


def _of_model(questions: list[Told], r: int | None) -> Row:
    """Return what the model says, and the p-value of its simulation."""
    walked = [(_walked(walks), walks) for _, walks in questions]
    simulated = float(np.mean([_column(mean.value, r) for mean, _ in walked]))
    exact = [effort for effort, _ in questions if effort is not None]
    if len(exact) < len(questions):
        return {"simulated_value": simulated}
    means = _means(exact, r, "reached", "new", "cost", "value")
    return {
        **{f"model_{name}": mean for name, mean in means.items()},
        "simulated_value": simulated,
        "p": None if r is None else _p(exact, walked, r),
    }


def _walked(searches: Sequence[Searches]) -> SearchEffort:
    """Return the means over users who were walked, those of each sequence of lists alike."""
    return SearchEffort.mean(
        SearchEffort(
            reached=walk.has_reached.mean(axis=0),
            found=walk.found.mean(axis=0),
            spent=walk.spent.mean(axis=0),
            new=(walk.found + walk.added).mean(axis=0),
            cost=walk.cost.mean(axis=0),
        )
        for walk in searches
    )


def _p(
    exact: Sequence[SearchEffort], walked: Sequence[tuple[SearchEffort, list[Searches]]], r: int
) -> float | None:
    """Return the p-value of simulated ideals and costs beside exact ones, None where too few tell.

    Both are means over questions; their errors come from users, drawn by themselves for each
    sequence of lists. The lesser p-value of the two counts twice.
    """
    users = sum(len(effort.found) for _, walks in walked for effort in walks)
    # What is found by r hangs on whether fewer ideals are seen, too.
    reached = np.mean([effort.reached[:r] for effort in exact], axis=0)
    rare = users * np.minimum(reached, 1 - reached)
    if ((rare > _EQUAL * users) & (rare < _LEAST_RARE)).any():
        return None
    p = 1.0
    for name in ("found", "spent"):
        expected = np.mean([getattr(effort, name)[r - 1] for effort in exact])
        means, variance, others = [], 0.0, 0
        for _, walks in walked:
            columns = [getattr(effort, name)[:, r - 1] for effort in walks]
            means.append(np.mean([column.mean() for column in columns]))
            share = 1 / (len(walked) * len(walks)) ** 2
            variance += share * sum(column.var(ddof=1) / len(column) for column in columns)
            others += sum(len(x) - np.unique(x, return_counts=True)[1].max() for x in columns)
        difference = abs(float(np.mean(means) - expected))
        if difference > _EQUAL * max(1.0, abs(float(expected))):
            if others < _LEAST_RARE and (others or name == "spent"):
                return None  # nearly all users did the same: their variance is not to be trusted
            z = difference / variance**0.5 if variance else np.inf
            p_of_name = (
                float(two_sided_t(np.array(z), np.array(float(users - 1)))) if variance else 0.0
            )
            p = min(p, 2 * p_of_name)
    return p


def _with_verdicts(rows: list[Row], level: float) -> Iterator[Row]:
    """Yield rows with what is said of the simulation; all of them together at a level."""
    tests = sum(row["p"] is not None for row in rows)
    verdicts: dict[str, set[str]] = {}
    for row in rows:
        words = verdicts.setdefault(row["system"], set())
        word = ""
        if row["simulated_value"] is not None and row["r"] is not None:
            word = UNRESOLVED if row["p"] is None else AGREES
            if row["p"] is not None and row["p"] * tests <= level:
                word = DISAGREES
        elif row["simulated_value"] is not None:
            word = next(word for word in (DISAGREES, UNRESOLVED, AGREES) if word in words)
        words.add(word)
        yield {**row, "verdict": word}


def compared_sessions(
    efforts: Mapping[str, Mapping[str, Sequence[SearchEffort]]],
    trials: Mapping[str, Sequence[Sequence[str]]],
    unit: str,
    question: Question,
) -> ComparisonResult | str:
    """Return systems compared by new ideals for what they cost; or why not. Of a single one its
    trials count, "" without any.

    Of a system let N(q) and C(q) be E[new] and E[cost] of question q, means over its sessions and
    r = 1 .. t, and R = mean N / mean C over the questions that all systems have. The score of q is

        R + (N(q) - R C(q)) / mean C

    The mean of these is R, and their variance that of R, linearised. Units are questions, whatever
    the number of their sessions: these meet the same difficulties. Sessions of a question are its
    `trials`, whose scores are as much of theirs.

    `efforts` are system -> question -> expectations of its sessions. Scores are per unit, of tokens
    per 1,000.
    """
    means = {
        system: {topic: SearchEffort.mean(each) for topic, each in by_topic.items()}
        for system, by_topic in efforts.items()
    }
    question.check_systems(tuple(means))
    shared = sorted(set.intersection(*map(set, means.values())))
    if not shared:
        return "Systems are not compared: they have no judged question in common."
    by_system = [[means[system][topic] for topic in shared] for system in means]
    new = np.array([[effort.new.mean() for effort in efforts] for efforts in by_system])
    cost = np.array([[effort.cost.mean() for effort in efforts] for efforts in by_system])
    paid = cost.mean(axis=1, keepdims=True)
    for system, each in zip(means, paid[:, 0].tolist(), strict=True):
        if not 0 < each < np.inf:
            word = "infinite" if each else "0"
            alone = len(means) < 2
            return "" if alone else f"Systems are not compared: E[cost] of {system} is {word}."
    ratio = new.mean(axis=1, keepdims=True) / paid
    size, per = (1_000, "1,000 tokens") if unit == "tokens" else (1, unit.removesuffix("s"))
    values = size * (ratio + (new - ratio * cost) / paid)
    repeats = list[Floats]()
    for row, (system, by_topic) in enumerate(efforts.items()):
        places = [[*by_topic].index(topic) for topic in shared]
        each = [
            [
                size * (ratio[row] + (x.new.mean() - ratio[row] * x.cost.mean()) / paid[row])[0]
                for x in by_topic[topic]
            ]
            for topic in shared
        ]
        repeats.append(crossed(each, [trials[system][place] for place in places]))
    name = f"new ideals per {per}"
    scores = Scores((name,), tuple(means), tuple(shared), values[:, :, None])
    scores = with_trials(scores, [each[:, :, None] for each in repeats])
    if len(means) < 2 and scores.trials is None:
        return ""
    return ComparisonResult(scores=scores, question=question)
