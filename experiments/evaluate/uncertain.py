"""Runs scored where it is uncertain which elements are ideal: expected scores, and their variance.

Given a case of the judgements, elements are ideal independently. Expected scores come from closed
forms, else from every set of ideals where there are few, else from simulated judges. Of the mean
over these topics judges leave open its variance between cases, and within them the sum over topics;
of the mean over all topics there might be, what cases move on several topics at once. What a topic
has to itself is a part of the variance between topics.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any

import numpy as np

from prum.analytic.expected.scores import UncertainIdeals
from prum.experiments.compare.scores import Scores
from prum.experiments.evaluate.errors import ErrorParts
from prum.experiments.evaluate.given import called, refuse
from prum.experiments.evaluate.remarks import input_warnings
from prum.experiments.evaluate.scores import score_runs
from prum.experiments.evaluate.verb import EvaluateDesign
from prum.experiments.frame.numbers import count, number
from prum.experiments.measures.judged import Judged, NoValueError, RankingLike, taken
from prum.experiments.measures.measure import Measure
from prum.experiments.statistics.intervals import normal_factor
from prum.simulator.collections.probabilities import (
    UncertainJudgements,
    read_judgement_probabilities,
)
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.sampling.measured.judged_sets import JudgedSets, every_set, simulate_sets

Run = tuple[str, Mapping[str, RankingLike]]
# What belongs to judgements by grade.
_OF_GRADES = ("qrels", "intents", "example", "ideal_grade", "ideals")


@dataclass(frozen=True, eq=False)
class UncertainTopic:
    """A topic, the rows of its elements, and P(ideal), shape (cases, elements)."""

    judged: Judged
    rows: Mapping[str, int]
    probabilities: Floats
    is_judged: Flags

    @property
    def is_certain(self) -> bool:
        """Whether it is known which elements are ideal."""
        given = self.probabilities
        return bool(((given == 0) | (given == 1)).all() and (given == given[0]).all())

    def listed(self, ranking: Sequence[str]) -> Ints:
        """Return the rows of a list, -1 for what has none or stands there a second time."""
        numbers = map(self.rows.get, ranking, repeat(-1))
        rows = np.fromiter(numbers, dtype=np.int64, count=len(ranking))
        first = np.zeros(len(rows), dtype=np.bool_)
        first[np.unique(rows, return_index=True)[1]] = True
        return np.where(first, rows, -1)

    def with_ideals(self, is_ideal: Flags) -> Judged:
        """Return the topic as if it were known which elements are ideal."""
        elements = tuple(self.rows)
        grades = {x: int(is_ideal[row]) for x, row in self.rows.items() if self.is_judged[row]}
        ideals = tuple(sorted(elements[row] for row in np.flatnonzero(is_ideal).tolist()))
        grades |= dict.fromkeys(ideals, 1)
        return replace(self.judged, ideals=ideals, grades=grades)


def read_uncertain(design: EvaluateDesign) -> UncertainJudgements:
    """Return judgements that are probabilities."""
    refuse(design, _OF_GRADES, "be left out where judgements are probabilities")
    return read_judgement_probabilities(design.judgements)


def possible_ideals(source: UncertainJudgements) -> dict[str, dict[str, int]]:
    """Return topic -> element -> 1 if it may be ideal, else 0."""
    return {
        topic: dict(zip(names, (p > 0).any(axis=0).astype(int).tolist(), strict=True))
        for topic, names in source.elements.items()
        for p in (source.probabilities[topic],)
    }


def expected(
    design: EvaluateDesign,
    source: UncertainJudgements,
    judged: Sequence[Judged],
    runs: Iterable[Run],
    measures: Sequence[Measure],
) -> dict[str, Any]:
    """Return expected scores and what is known of them, as `EvaluationResult` has it."""
    runs = list(runs)
    topics = uncertain_topics(judged, source, runs, design.unjudged or 0.0)
    # With all that has a probability as judged, for warnings.
    counted = [replace(x.judged, grades=dict.fromkeys(x.rows, 0)) for x in topics]
    scores, errors = expected_scores(
        runs, topics, measures, num_judges=design.judges, seed=design.seed, cases=source.cases
    )
    return {
        "scores": scores,
        "lists": tuple(input_warnings(system, by_topic, counted) for system, by_topic in runs),
        "uncertainty": errors,
    }


def uncertain_topics(
    judged: Sequence[Judged], source: UncertainJudgements, runs: Sequence[Run], unjudged: float
) -> list[UncertainTopic]:
    """Return topics with what some run lists and nobody judged, if that may be ideal."""
    topics = []
    for topic in judged:
        names, given = source.elements[topic.topic], source.probabilities[topic.topic]
        is_judged = dict.fromkeys(names, True)
        for _, lists in runs if unjudged else ():
            for element in taken(lists.get(topic.topic, ()), "ranking"):
                is_judged.setdefault(element, False)
        more = len(is_judged) - len(names)
        given = np.pad(given, ((0, 0), (0, more)), constant_values=unjudged)
        rows = {element: row for row, element in enumerate(is_judged)}
        topics.append(UncertainTopic(topic, rows, given, np.array([*is_judged.values()])))
    return topics


def expected_scores(
    runs: Sequence[Run],
    topics: Sequence[UncertainTopic],
    measures: Sequence[Measure],
    *,
    num_judges: int,
    seed: int,
    cases: Sequence[str] = ("",),
) -> tuple[Scores, ErrorParts]:
    """Return expected scores of runs, and the covariances of their means that judges leave open."""
    systems = tuple(system for system, _ in runs)
    values = np.empty((len(systems), len(topics), len(measures)))
    deviations = np.zeros(values.shape)
    by_case = np.zeros((len(cases), len(systems), len(measures)))
    apart = np.zeros((len(measures), len(systems), len(systems)))
    within = np.zeros((len(measures), len(systems), len(systems)))
    noise = np.zeros((len(systems), len(measures)))
    simulated = np.zeros(len(measures), dtype=np.bool_)
    half, row = UncertainIdeals([0.5]), np.array([0])
    closed = [column for column, x in enumerate(measures) if x.expected(half, row) is not None]
    others = [column for column in range(len(measures)) if column not in closed]
    certain = [place for place, topic in enumerate(topics) if topic.is_certain]
    if certain:
        sure = [topics[place].with_ideals(topics[place].probabilities[0] == 1) for place in certain]
        values[:, certain] = score_runs(runs, sure, measures).values
        by_case += values[:, certain].sum(axis=1)
    for place, topic in enumerate(topics):
        if topic.is_certain:
            continue
        name = topic.judged.topic
        rankings = [taken(lists.get(name, ()), "ranking") for _, lists in runs]
        listed = [topic.listed(ranking) for ranking in rankings]
        moments = np.zeros((2, len(systems), len(measures)))
        own_cases = np.empty(by_case.shape)
        drawn = [
            _sets(given, f"{name}\0{case}", num_judges, len(cases), seed)
            for case, given in zip(cases, topic.probabilities, strict=True)
        ]
        # Of all cases at once, as what a list finds is looked up for each set.
        every = np.concatenate([sets for sets, _ in drawn])
        judged = JudgedSets(every, topic.is_judged)
        by_set = np.empty((len(systems), len(measures), len(every)))
        for system, ((called_, lists), rows) in enumerate(zip(runs, listed, strict=True)):
            for column in closed:
                by_set[system, column] = measures[column].expected(judged, rows)
            by_set[system, others] = _each(topic, every, called_, lists, measures, others)
        ends = np.cumsum([len(sets) for sets, _ in drawn])
        for case, scored in enumerate(np.split(by_set, ends[:-1], axis=2)):
            sets, weights = drawn[case]
            exact = UncertainIdeals(topic.probabilities[case], topic.is_judged)
            means = np.empty((len(systems), len(measures)))
            for system, rows in enumerate(listed):
                for column in closed:
                    means[system, column] = measures[column].expected(exact, rows)
            is_drawn = weights is None
            shares = np.full(len(sets), 1 / len(sets)) if weights is None else weights
            means[:, others] = scored[:, others] @ shares
            centred = scored - (scored @ shares)[:, :, None]
            free = len(sets) / (len(sets) - 1) if is_drawn else 1.0
            covariance = free * np.einsum("imd,d,jmd->mij", centred, shares, centred)
            variance = np.einsum("mii->im", covariance)
            within += covariance / len(cases) / len(topics) ** 2
            own_cases[case] = means
            moments += np.stack([means, means**2 + variance]) / len(cases)
            if is_drawn and others:
                simulated[others] = True
                share = variance[:, others] / len(sets) / len(cases) ** 2
                noise[:, others] += share / len(topics) ** 2
                # The same sets are drawn for all systems.
                within[others] += covariance[others] / len(sets) / (len(cases) * len(topics)) ** 2
        by_case += own_cases
        apart += _between(own_cases)
        values[:, place] = moments[0]
        deviations[:, place] = np.sqrt(np.maximum(moments[1] - moments[0] ** 2, 0))
    # Cases are so many draws: their mean errs, too.
    more = (1 + 1 / len(cases)) / len(topics) ** 2
    between = _between(by_case)
    # Of so many topics' variances and covariances a topic's own part is in the variances alone.
    doubtful = max(len(topics) - len(certain), 2)
    shared = _positive(between - apart) * doubtful / (doubtful - 1) * more
    values.setflags(write=False)
    names = tuple(map(str, measures))
    scores = Scores(names, systems, tuple(x.judged.topic for x in topics), values, shared)
    covariance = within + between * more
    by_simulation = tuple(name for name, is_it in zip(names, simulated, strict=True) if is_it)
    # Standard errors go measure -> system -> number: of the mean over these topics, and of what all
    # topics share.
    variances = {"errors": covariance, "shared_errors": shared}
    errors = {name: np.sqrt(np.einsum("mii->mi", of)) for name, of in variances.items()}
    errors["simulation_errors"] = np.sqrt(noise).T
    facts: dict[str, Any] = {
        "closed_forms": tuple(names[column] for column in closed),
        "simulated": by_simulation,
        "num_judges": num_judges,
        "cases": len(cases),
    } | {
        name: {
            measure: dict(zip(systems, row, strict=True))
            for measure, row in zip(names, of.tolist(), strict=True)
        }
        for name, of in errors.items()
    }
    most = normal_factor() * float(errors["simulation_errors"][simulated].max(initial=0))
    return scores, ErrorParts(
        "judges",
        "Where the uncertainty comes from: halves of 95 % intervals, of differences at the "
        "level of the decision",
        deviations,
        lambda contrast: max(float(contrast @ shared[0] @ contrast), 0.0) ** 0.5,
        covariance,
        tuple(_notes(names, facts, most)),
        facts,
    )


def _between(by_case: Floats) -> Floats:
    """Return the covariance of systems between cases, (measures, systems, systems)."""
    centred = by_case - by_case.mean(axis=0)
    products = np.einsum("cim,cjm->mij", centred, centred)
    return np.asarray(products / max(len(by_case) - 1, 1))


def _positive(matrices: Floats) -> Floats:
    """Return the nearest matrices that are covariances."""
    values, vectors = np.linalg.eigh(matrices)
    return np.asarray(np.einsum("mik,mk,mjk->mij", vectors, np.maximum(values, 0), vectors))


def _sets(
    given: Floats, name: str, num_judges: int, num_cases: int, seed: int
) -> tuple[Flags, Floats | None]:
    """Return every set and its probability where they are no more than judges; else drawn ones."""
    num = max(2, -(-num_judges // num_cases))
    doubtful = int(((given > 0) & (given < 1)).sum())
    if 2**doubtful <= max(num, 2):
        return every_set(given)
    return simulate_sets(given, name, num_sets=num, seed=seed), None


def _each(
    topic: UncertainTopic,
    sets: Flags,
    system: str,
    lists: Mapping[str, RankingLike],
    measures: Sequence[Measure],
    numbers: Sequence[int],
) -> Floats:
    """Return what a run scores by each set, by measures without a closed form."""
    scored = np.zeros((len(numbers), len(sets)))
    if not numbers:
        return scored
    for drawn, judged in enumerate(map(topic.with_ideals, sets)):
        for row, place in enumerate(numbers):
            measure = measures[place]
            if not judged.ideals and measure.definition.better == "more":
                continue
            try:
                ranking = taken(lists.get(judged.topic, ()), measure.takes)
                if not judged.ideals:
                    raise NoValueError
                scored[row, drawn] = measure.curve(judged, ranking).read(measure.name.cutoff)
            except NoValueError:
                scored[row, drawn] = np.nan
            except InputError as error:
                where = f"{measure}, {called(system)}, topic {judged.topic}"
                raise error.at(where) from None
    if np.isnan(scored).any():
        row, drawn = np.argwhere(np.isnan(scored))[0].tolist()
        thing = f"{measures[numbers[row]]} of topic {topic.judged.topic}"
        rule = "have a value for every set of ideals that may be"
        remedy = "leave it out where ideals are uncertain"
        ideals = ", ".join(topic.with_ideals(sets[drawn]).ideals) or "none"
        raise InputError(thing, f"ideals {ideals}", rule, remedy=remedy)
    return scored


def _notes(names: Sequence[str], facts: Mapping[str, Any], half: float) -> Iterator[str]:
    closed, simulated = facts["closed_forms"], facts["simulated"]
    exact = [name for name in names if name not in (*closed, *simulated)]
    yield "Scores are expected ones; a topic without any ideal scores 0."
    if closed:
        yield f"Closed forms: {', '.join(closed)}."
    if exact:
        yield f"Over every set of ideals: {', '.join(exact)}."
    if simulated:
        error = number(half, up=True) if half else "0"
        yield (
            f"By {count(facts['num_judges'], 'simulated judge')} of each topic: "
            f"{', '.join(simulated)}; means ± {error} or less by simulation."
        )
    given = "their probabilities"
    if facts["cases"] > 1:
        given = f"the case, of {facts['cases']} of all topics at once"
    yield (
        "Topics ±: if other topics were drawn; what judges leave open on each topic by itself "
        "is a part of it. Judges ±: what they leave open on all topics at once. These topics "
        "±: what they leave open of the mean over these topics."
    )
    yield (
        f"Elements are taken as independent of each other, and of the lists, given {given}: "
        "errors that a judge repeats on near-copies are in none of these intervals."
    )
