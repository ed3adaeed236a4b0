"""ADM of one's own runs: beside AP and nDCG, of all documents or judged ones, and without judges.

Where runs hold ranks, estimates of relevance are made from these, 0 for what is not listed: 1 -
(rank - 1) / longest list ("linear"), or 1 / rank ("reciprocal"). Where all scores of all runs lie
in [0, 1], these are estimates, too ("scores"). The relevance of users is grade / highest grade, 0
for what nobody judged; or, pooled, the mean estimate of all systems, without judgements (Mizzaro
2001, section 5). `planes` puts documents where the figures of that paper do.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from prum.analytic.adm import adm, pooled_ure, sector_measures, threshold_measures
from prum.analytic.ranked import average_precision, ndcg
from prum.experiments.statistics.rankings import agreement
from prum.experiments.studies.thresholds.parts import row
from prum.simulator.collections.judgements import judgements_in
from prum.simulator.collections.qrels import reaches, scale_of
from prum.simulator.collections.trec import named_runs, read_scored_run, run_files
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import InputError
from prum.simulator.tables.files import looked_at, place

# Topic -> document -> score, the best first.
Lists = Mapping[str, Mapping[str, float]]
Grades = Mapping[str, Mapping[str, float]]

PART = "runs"
SCORES = "scores"
# From ranks, the length of the longest list, and scores.
RULES: Mapping[str, Callable[[Floats, int, Floats], Floats]] = {
    "linear": lambda ranks, longest, _: 1 - (ranks - 1) / longest,
    "reciprocal": lambda ranks, _, __: 1 / ranks,
    SCORES: lambda _, __, scores: scores,
}
# Documents are counted by their estimate in steps of this.
_STEP = 0.05
WHOLE, JUDGED, POOLED = "whole collection", "judged documents", "pooled"
DOCUMENTS = (WHOLE, JUDGED, POOLED)
OTHERS = ("AP", "nDCG", f"ADM, {WHOLE}")
TAU, BEATEN = "tau-b", "runs below 0 to all"


def rules_of(runs: Sequence[Lists]) -> tuple[str, ...]:
    """Return the rules by which estimates are made: "scores" only if all lie in [0, 1].

    >>> rules_of([{"q": {"a": 0.9}}]), rules_of([{"q": {"a": 9.0}}])
    (('linear', 'reciprocal', 'scores'), ('linear', 'reciprocal'))
    """
    scores = (score for run in runs for ranked in run.values() for score in ranked.values())
    are_estimates = all(0 <= score <= 1 for score in scores)
    return tuple(rule for rule in RULES if rule != SCORES or are_estimates)


def planes(runs: Sequence[Lists], names: Sequence[str], judged: Grades, size: int) -> Iterator[Any]:
    """Yield where each system's documents lie in the plane of URE and SRE.

    By its scores if they are estimates, else by ranks (Mizzaro 2001, figures 2 to 6).

    Raise InputError if the collection is smaller than what is listed and judged on a topic.

    Yields
    ------
    system
        Its name.
    rule
        What estimates are made of: "scores", or "linear" from ranks.
    adm
        Mean over topics of ADM over the whole collection.
    sectors
        How many documents are retrieved and not relevant, both, and relevant and not retrieved: A,
        B and D of Figure 4 (b), by thresholds of 1/2.
    precision, recall
        P' and R' of Figure 6 (b), over the documents of all topics; None without any.
    squares
        URE, SRE, and the number of listed or judged documents there, all topics together, to the
        nearest .01 and .05.
    """
    rule = rules_of(runs)[-1] if SCORES in rules_of(runs) else next(iter(RULES))
    longest = max(len(run.get(topic, ())) for run in runs for topic in judged)
    highest = highest_of(judged)
    for name, run in zip(names, runs, strict=True):
        squares, values = Counter[tuple[float, float]](), []
        both: tuple[list[float], list[float]] = ([], [])
        for topic, grades in judged.items():
            ranked = run.get(topic, {})
            ranks = np.arange(1.0, len(ranked) + 1)
            estimates = RULES[rule](ranks, longest, np.array([*ranked.values()], np.float64))
            sre = dict(zip(ranked, estimates.tolist(), strict=True))
            ure = {document: max(grade, 0) / highest for document, grade in grades.items()}
            documents = list({**sre, **ure})
            own = [sre.get(document, 0.0) for document in documents]
            users = [ure.get(document, 0.0) for document in documents]
            values.append(adm(own, users, size=size))
            both[0].extend(own)
            both[1].extend(users)
            steps = (np.array(own) / _STEP).round() * _STEP
            squares.update(zip(np.round(users, 2).tolist(), steps.round(2).tolist(), strict=True))
        cut, near = threshold_measures(*both), sector_measures(*both)
        p, r = (None if np.isnan(value) else value for value in (near.precision, near.recall))
        yield SimpleNamespace(
            system=name,
            rule=rule,
            adm=float(np.mean(values)),
            sectors=(cut.a, cut.b, cut.d),
            precision=p,
            recall=r,
            squares=tuple((*square, number) for square, number in sorted(squares.items())),
        )


def highest_of(judged: Grades, *, place: str = "") -> float:
    """Return the grade that is worth 1: the highest of whole grades, 1 of decimals up to 1.

    Raise InputError for decimals above 1.

    >>> highest_of({"q": {"a": 3}}), highest_of({"q": {"a": 0.75}})
    (3, 1)
    """
    top, unsure = scale_of(judged)
    if unsure and any(
        not float(grade).is_integer() for by in judged.values() for grade in by.values()
    ):
        remedy = "write relevance in [0, 1]"
        raise InputError(
            "highest grade", top, "be at most 1 of decimals", remedy=remedy, place=place
        )
    return top


def read_runs(files: Sequence[str], qrels: str) -> tuple[list[Lists], list[str], Grades]:
    """Return lists by topic of each run, names, and grades of topics with a relevant document.

    Raise InputError as the readers, and if no topic has a relevant document; OSError if a file
    cannot be read.
    """
    with looked_at(qrels) as file:
        found = judgements_in(file)
    if found.assessed is not None:
        rule, remedy = "be grades", "give relevance in [0, 1], say"
        raise InputError("judgements", "assessments", rule, remedy=remedy, place=place(qrels))
    judged = {
        topic: grades
        for topic, grades in found.grades.items()
        if max(grades.values(), default=0) > 0
    }
    highest_of(judged, place=place(qrels))
    if not judged:
        thing, rule = "number of topics with a relevant document", "be at least 1"
        raise InputError(thing, 0, rule, remedy="judge more documents", place=place(qrels))
    runs = [(name, read_scored_run(file)) for name, file in named_runs(run_files(files))]
    return [lists for _, lists in runs], [name for name, _ in runs], judged


def of_runs(
    runs: Sequence[Lists], judged: Grades, size: int, rng: np.random.Generator
) -> Iterator[Any]:
    """Yield how ADM orders systems beside AP, nDCG and itself, and who gives 0 to all.

    Kendall's tau-b of the rankings by mean score, with its interval over topics, if there are two
    runs and topics or more; and the share of runs whose mean ADM is below that of a system that
    gives 0 to all documents.

    Parameters
    ----------
    runs
        Of each system topic -> document -> score, best first; a topic that it lacks is an empty
        list.
    judged
        Topic -> document -> grade.
    size
        Number of documents in the collection.

    Raise InputError if the collection is smaller than what is listed and judged on a topic.
    """
    lists = [[run.get(topic, {}) for topic in judged] for run in runs]
    longest = max(len(ranking) for own in lists for ranking in own)
    highest = highest_of(judged)
    others = {name: np.empty((len(runs), len(judged))) for name in OTHERS[:2]}
    rules = rules_of(runs)
    values = {(rule, of): np.empty((len(runs), len(judged))) for rule in rules for of in DOCUMENTS}
    nothing = np.empty(len(judged))
    for topic, grades in enumerate(judged.values()):
        gains = {document: max(grade, 0) for document, grade in grades.items()}
        relevant = [document for document, gain in gains.items() if reaches(gain, 1)]
        for system, own in enumerate(lists):
            others["AP"][system, topic] = average_precision(tuple(own[topic]), relevant)
            others["nDCG"][system, topic] = ndcg(tuple(own[topic]), gains)
        # Judged documents first, then all that are listed.
        numbers = {document: number for number, document in enumerate(grades)}
        for own in lists:
            for document in own[topic]:
                numbers.setdefault(document, len(numbers))
        num_judged = len(grades)
        ure = np.zeros(len(numbers))
        ure[:num_judged] = [gain / highest for gain in gains.values()]
        nothing[topic] = adm(np.zeros(len(numbers)), ure, size=size)
        for rule in rules:
            sre = np.zeros((len(runs), len(numbers)))
            for system, own in enumerate(lists):
                places = [numbers[document] for document in own[topic]]
                scores = np.array([*own[topic].values()], np.float64)
                ranks = np.arange(1.0, len(places) + 1)
                sre[system, places] = RULES[rule](ranks, longest, scores)
            pool = pooled_ure(sre).ure
            for system, given in enumerate(sre):
                values[rule, WHOLE][system, topic] = adm(given, ure, size=size)
                values[rule, JUDGED][system, topic] = adm(given[:num_judged], ure[:num_judged])
                values[rule, POOLED][system, topic] = adm(given, pool, size=size)
    for (rule, of), own_values in values.items():
        for name in OTHERS if min(len(runs), len(judged)) > 1 else ():
            if name not in others and of == WHOLE:
                continue
            beside = others[name] if name in others else values[rule, WHOLE]
            found = agreement(own_values, beside, rng)
            ends = found.tau_b_interval or (np.nan, np.nan)
            tau = np.nan if found.tau_b is None else found.tau_b
            yield row(PART, f"{rule}, {of}", name, TAU, (tau, *ends))
        if of == WHOLE:
            below = float((own_values.mean(axis=1) < nothing.mean()).mean())
            yield row(PART, f"{rule}, {of}", "ADM", BEATEN, below)
