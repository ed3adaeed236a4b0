"""Runs scored where it is uncertain which elements are ideal: expected scores, and their variance.

Given a case of the judgements, elements are ideal independently. Expected scores come from closed
forms, else from every set of ideals where there are few, else from simulated judges. Of the mean
over these topics judges leave open its variance between cases, and within them the sum over topics;
of the mean over all topics there might be, what cases move on several topics at once. What a topic
has to itself is a part of the variance between topics.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np

from prum.analytic.expected.scores import UncertainIdeals
from prum.experiments.compare.question import Question
from prum.experiments.compare.scores import Scores
from prum.experiments.evaluate.design import BROWSING_MEASURES, DEFAULT_MEASURES, EvaluateDesign
from prum.experiments.evaluate.given import (
    called,
    given_costs,
    given_elements,
    given_links,
    given_runs,
    is_given,
    place_of,
)
from prum.experiments.evaluate.inputs import links_from, read_judged, read_lists
from prum.experiments.evaluate.remarks import input_warnings
from prum.experiments.evaluate.scores import score_runs
from prum.experiments.evaluate.uncertain_result import JudgeVariance, UncertainEvaluationResult
from prum.experiments.fitting.fitted import given_navigation
from prum.experiments.measures.diversity import DIVERSITY
from prum.experiments.measures.judged import Judged, NoValueError, RankingLike, Taken, taken
from prum.experiments.measures.measure import Measure, measures_of
from prum.simulator.collections.linking import LinkWatch, brings_links
from prum.simulator.collections.probabilities import (
    UncertainJudgements,
    read_judgement_probabilities,
)
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.sampling.measured.judged_sets import JudgedSets, every_set, simulate_sets

Run = tuple[str, Mapping[str, RankingLike]]
_BY_RANK = "rank"
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

    @cached_property
    def as_counted(self) -> Judged:
        """The topic with all that has a probability as judged, for warnings."""
        return replace(self.judged, grades=dict.fromkeys(self.rows, 0))

    def listed(self, ranking: Sequence[str]) -> Ints:
        """Return the rows of a list, -1 for what has none or stands there a second time."""
        found = map(self.rows.get, ranking, repeat(-1))
        rows = np.fromiter(found, dtype=np.int64, count=len(ranking))
        first = np.zeros(len(rows), dtype=np.bool_)
        first[np.unique(rows, return_index=True)[1]] = True
        return np.where(first, rows, -1)

    def with_ideals(self, is_ideal: Flags) -> Judged:
        """Return the topic as if it were known which elements are ideal."""
        elements = tuple(self.rows)
        grades = {x: int(is_ideal[row]) for x, row in self.rows.items() if self.is_judged[row]}
        ideals = tuple(sorted(elements[row] for row in np.flatnonzero(is_ideal).tolist()))
        grades |= dict.fromkeys(ideals, 1)
        return replace(self.judged, ideals=ideals, grades=grades, showing={})


def evaluate_uncertain(design: EvaluateDesign, question: Question) -> UncertainEvaluationResult:
    """Return runs scored by judgements that are probabilities; see `evaluate`.

    Raises
    ------
    InputError, OSError
        as `evaluate`.
    """
    fields = {one.name: one for one in design.fields()}
    for name in _OF_GRADES:
        value = getattr(design, name)
        is_default = isinstance(value, str | int) and value == fields[name].default
        if is_given(value) and not is_default:
            rule, remedy = "be left out where judgements are probabilities", "leave it out"
            raise InputError(name, place_of(value) or value, rule, remedy=remedy)
    source = read_judgement_probabilities(design.judgements)
    runs, links = given_runs(design.runs), given_links(design.links)
    elements, given = given_elements(design.elements), given_navigation(design.navigation)
    question.check_number(len(runs))
    measures = design.measures
    if measures is None:
        browses = links is not None or elements or brings_links(given.kind)
        measures = BROWSING_MEASURES if browses else DEFAULT_MEASURES
    chosen = list(dict.fromkeys(measures_of(measures)))
    for measure in chosen:
        measure.check_of("ideals")
        if measure.name.measure in DIVERSITY:
            rule, remedy = "be of ideals, not of subtopics", "leave it out, or give qrels"
            raise InputError("measure", str(measure), rule, remedy=remedy)
    question.check_measures(tuple(map(str, chosen)), len(runs))
    possible = {
        topic: dict(zip(names, (p > 0).any(axis=0).astype(int).tolist(), strict=True))
        for topic, names in source.elements.items()
        for p in (source.probabilities[topic],)
    }
    judged, without = read_judged(
        possible,
        elements=elements,
        links=links,
        way=design.way,
        kind=given.kind,
        collection_size=design.collection_size,
        costs=given_costs(design.costs),
        credits={measure.credits for measure in chosen},
    )
    wanted = {measure.takes for measure in chosen}
    takes: Taken = next((form for form in ("scores", "ties") if form in wanted), "ranking")
    watch = LinkWatch(
        judged[0].collection.linked.links, {topic.topic: topic.ideals for topic in judged}
    )
    lists = list(watch.through(read_lists(runs, judged, takes=takes, names=design.names)))
    topics = uncertain_topics(judged, source, lists, design.unjudged)
    file = links_from(links, given.kind)
    counted = [topic.as_counted for topic in topics]
    scores, variance = expected_scores(
        lists, topics, chosen, num_judges=design.judges, seed=design.seed, cases=source.cases
    )
    question.check_systems(scores.systems)
    return UncertainEvaluationResult(
        scores=scores,
        question=question,
        without_ideals=tuple(without),
        lists=tuple(input_warnings(system, by_topic, counted) for system, by_topic in lists),
        links=watch.use if file is None else watch.checked(file),
        size_rises={},
        takes_highest=False,
        variance=variance,
    )


def uncertain_topics(
    judged: Sequence[Judged], source: UncertainJudgements, runs: Sequence[Run], unjudged: Any
) -> list[UncertainTopic]:
    """Return topics with what some run lists and nobody judged, if that may be ideal.

    Raises
    ------
    InputError
        if `unjudged` is neither a probability nor "rank".
    """
    best: dict[str, dict[str, int]] = {topic.topic: {} for topic in judged}
    level = None if isinstance(unjudged, str) and unjudged == _BY_RANK else _level(unjudged)
    for _, lists in () if level == 0 else runs:
        for topic, ranks in best.items():
            for rank, element in enumerate(taken(lists.get(topic, ()), "ranking"), start=1):
                ranks[element] = min(rank, ranks.get(element, rank))
    levels = _levels_by_rank(source, best) if level is None else np.array([level])
    made = []
    for one in judged:
        names, given = source.elements[one.topic], source.probabilities[one.topic]
        known = set(names)
        ranks = {x: rank for x, rank in best[one.topic].items() if x not in known}
        if levels.any():
            more = levels[np.minimum(_bin(list(ranks.values())), len(levels) - 1)]
            added = np.broadcast_to(more, (len(given), len(more)))
            names, given = (*names, *ranks), np.concatenate([given, added], axis=1)
        is_judged = np.arange(len(names)) < len(known)
        rows = {element: row for row, element in enumerate(names)}
        made.append(UncertainTopic(one, rows, given, is_judged))
    return made


def _bin(ranks: Sequence[int]) -> Ints:
    """Return 0 of rank 1, 1 of ranks 2 and 3, 2 of ranks 4 to 7, and so on."""
    return np.log2(np.array(ranks, dtype=np.float64)).astype(np.int64)


def _level(unjudged: Any) -> float:
    """Return how likely what nobody judged is ideal, whatever its rank."""
    try:
        level = float(unjudged or 0)
    except (TypeError, ValueError):
        level = np.nan
    if not 0 <= level <= 1:
        rule = "be a probability in [0, 1], or rank"
        raise InputError("unjudged", unjudged, rule, remedy="write .02, say")
    return level


def _levels_by_rank(source: UncertainJudgements, best: Mapping[str, Mapping[str, int]]) -> Floats:
    """Return how likely what nobody judged is ideal, by the bin of its best rank."""
    sums, counts = np.zeros(64), np.zeros(64)
    for topic, ranks in best.items():
        mean = source.probabilities[topic].mean(axis=0).tolist()
        p = {x: value for x, value in zip(source.elements[topic], mean, strict=True) if x in ranks}
        at = _bin([ranks[element] for element in p])
        np.add.at(sums, at, list(p.values()))
        np.add.at(counts, at, 1)
    # Deeper elements are no likelier ideal: neighbours that say so are joined.
    blocks: list[tuple[float, float, int]] = []
    for total, num in zip(sums.tolist(), counts.tolist(), strict=True):
        blocks.append((total, num, 1))
        while len(blocks) > 1 and blocks[-1][0] * blocks[-2][1] >= blocks[-2][0] * blocks[-1][1]:
            (a, n, i), (b, m, j) = blocks[-2:]
            blocks[-2:] = [(a + b, n + m, i + j)]
    return np.repeat([a / n if n else 0.0 for a, n, _ in blocks], [i for _, _, i in blocks])


def expected_scores(
    runs: Sequence[Run],
    topics: Sequence[UncertainTopic],
    measures: Sequence[Measure],
    *,
    num_judges: int,
    seed: int,
    cases: Sequence[str] = ("",),
) -> tuple[Scores, JudgeVariance]:
    """Return expected scores of runs, with the covariances of their means that judges leave open.

    Raises
    ------
    InputError
        if a measure lacks what it needs; naming system and topic.
    """
    systems = tuple(system for system, _ in runs)
    values = np.empty((len(systems), len(topics), len(measures)))
    deviations = np.zeros(values.shape)
    by_case = np.zeros((len(cases), len(systems), len(measures)))
    apart = np.zeros((len(measures), len(systems), len(systems)))
    within = np.zeros((len(measures), len(systems), len(systems)))
    noise = np.zeros((len(systems), len(measures)))
    simulated = np.zeros(len(measures), dtype=np.bool_)
    half, one = UncertainIdeals([0.5]), np.array([0])
    closed = [at for at, measure in enumerate(measures) if measure.expected(half, one) is not None]
    others = [at for at in range(len(measures)) if at not in closed]
    certain = [place for place, topic in enumerate(topics) if topic.is_certain]
    if certain:
        known = [topics[at].with_ideals(topics[at].probabilities[0] == 1) for at in certain]
        values[:, certain] = score_runs(runs, known, measures).values
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
            for number in closed:
                by_set[system, number] = measures[number].expected(judged, rows)
            by_set[system, others] = _each(topic, every, called_, lists, measures, others)
        ends = np.cumsum([len(sets) for sets, _ in drawn])
        for case, scored in enumerate(np.split(by_set, ends[:-1], axis=2)):
            sets, weights = drawn[case]
            exact = UncertainIdeals(topic.probabilities[case], topic.is_judged)
            means = np.empty((len(systems), len(measures)))
            for system, rows in enumerate(listed):
                for number in closed:
                    means[system, number] = measures[number].expected(exact, rows)
            is_drawn = weights is None
            shares = np.full(len(sets), 1 / len(sets)) if weights is None else weights
            means[:, others] = scored[:, others] @ shares
            centred = scored - (scored @ shares)[:, :, None]
            free = len(sets) / (len(sets) - 1) if is_drawn else 1.0
            covariance = free * np.einsum("imd,d,jmd->mij", centred, shares, centred)
            own = np.einsum("mii->im", covariance)
            within += covariance / len(cases) / len(topics) ** 2
            own_cases[case] = means
            moments += np.stack([means, means**2 + own]) / len(cases)
            if is_drawn and others:
                simulated[others] = True
                share = own[:, others] / len(sets) / len(cases) ** 2
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
    closed_forms = tuple(names[at] for at in closed)
    by_simulation = tuple(name for name, is_it in zip(names, simulated, strict=True) if is_it)
    return scores, JudgeVariance(
        deviations,
        within + between * more,
        np.sqrt(noise),
        closed_forms,
        by_simulation,
        num_judges,
        len(cases),
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
    for number, judged in enumerate(_judged_of(topic, sets)):
        for at, place in enumerate(numbers):
            measure = measures[place]
            if not judged.ideals and measure.definition.better == "more":
                continue
            try:
                ranking = taken(lists.get(judged.topic, ()), measure.takes)
                if not judged.ideals:
                    raise NoValueError
                scored[at, number] = measure.curve(judged, ranking).read(measure.name.cutoff)
            except NoValueError:
                scored[at, number] = np.nan
            except InputError as error:
                where = f"{measure}, {called(system)}, topic {judged.topic}"
                raise error.at(where) from None
    if np.isnan(scored).any():
        at, number = np.argwhere(np.isnan(scored))[0].tolist()
        thing = f"{measures[numbers[at]]} of topic {topic.judged.topic}"
        rule = "have a value for every set of ideals that may be"
        remedy = "leave it out where ideals are uncertain"
        ideals = ", ".join(topic.with_ideals(sets[number]).ideals) or "none"
        raise InputError(thing, f"ideals {ideals}", rule, remedy=remedy)
    return scored


def _judged_of(topic: UncertainTopic, sets: Flags) -> Iterator[Judged]:
    for is_ideal in sets:
        yield topic.with_ideals(is_ideal)
