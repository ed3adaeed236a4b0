"""ADM of one's own runs: beside AP and nDCG, of all documents or judged ones, and without judges.

Runs hold ranks, so that estimates of relevance are made from these, 0 for what is not listed: 1 -
(rank - 1) / longest list ("linear"), or 1 / rank ("reciprocal"). The relevance of users is grade /
highest grade, 0 for what nobody judged; or, pooled, the mean estimate of all systems, without
judgements (Mizzaro 2001, section 5).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from prum.analytic.adm.measures import adm
from prum.analytic.adm.pooling import pooled_ure
from prum.analytic.ranked import average_precision, ndcg
from prum.experiments.statistics.rankings import agreement
from prum.experiments.studies.thresholds.parts import ThresholdsRow, row
from prum.simulator.collections import read_run, read_whole_qrels
from prum.simulator.collections.run_files import named_runs, run_files
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import InputError
from prum.simulator.tables.files import place

Lists = Mapping[str, Sequence[str]]
Grades = Mapping[str, Mapping[str, int]]

PART = "runs"
RULES: Mapping[str, Callable[[Floats, int], Floats]] = {
    "linear": lambda ranks, longest: 1 - (ranks - 1) / longest,
    "reciprocal": lambda ranks, _: 1 / ranks,
}
WHOLE, JUDGED, POOLED = "whole collection", "judged documents", "pooled"
DOCUMENTS = (WHOLE, JUDGED, POOLED)
OTHERS = ("AP", "nDCG", f"ADM, {WHOLE}")
TAU, BEATEN = "tau-b", "runs below 0 to all"


def read_runs(files: Sequence[str], qrels: str) -> tuple[list[Lists], Grades]:
    """Return lists by topic of each run, and the grades of topics with a relevant document.

    Raises
    ------
    InputError
        as the readers, and for fewer than two runs or topics.
    OSError
        if a file cannot be read.
    """
    judged = {
        topic: grades
        for topic, grades in read_whole_qrels(qrels).items()
        if max(grades.values(), default=0) > 0
    }
    runs: list[Lists] = [read_run(file) for _, file in named_runs(run_files(files))]
    for thing, number in (("runs", len(runs)), ("topics with a relevant document", len(judged))):
        if number < 2:
            rule, remedy = "be at least 2", "a ranking of systems over topics needs more"
            raise InputError(f"number of {thing}", number, rule, remedy=remedy, place=place(qrels))
    return runs, judged


def of_runs(
    runs: Sequence[Lists], judged: Grades, size: int, rng: np.random.Generator
) -> Iterator[ThresholdsRow]:
    """Yield how ADM orders systems beside AP, nDCG and itself, and who gives 0 to all.

    Kendall's tau-b of the rankings by mean score, with its interval over topics; and the share of
    runs whose mean ADM is below that of a system that gives 0 to all documents.

    Parameters
    ----------
    runs
        Of each system topic -> documents, best first; a topic that it lacks is an empty list.
    judged
        Topic -> document -> grade.
    size
        Number of documents in the collection.

    Raises
    ------
    InputError
        if the collection is smaller than what is listed and judged on a topic.
    """
    lists = [[tuple(dict.fromkeys(run.get(topic, ()))) for topic in judged] for run in runs]
    longest = max(len(ranking) for own in lists for ranking in own)
    highest = max(grade for grades in judged.values() for grade in grades.values())
    others = {name: np.empty((len(runs), len(judged))) for name in OTHERS[:2]}
    values = {(rule, of): np.empty((len(runs), len(judged))) for rule in RULES for of in DOCUMENTS}
    nothing = np.empty(len(judged))
    for topic, grades in enumerate(judged.values()):
        gains = {document: max(grade, 0) for document, grade in grades.items()}
        relevant = [document for document, gain in gains.items() if gain]
        for system, own in enumerate(lists):
            others["AP"][system, topic] = average_precision(own[topic], relevant)
            others["nDCG"][system, topic] = ndcg(own[topic], gains)
        # Judged documents first, then all that are listed.
        numbers = {document: number for number, document in enumerate(grades)}
        for own in lists:
            for document in own[topic]:
                numbers.setdefault(document, len(numbers))
        num_judged = len(grades)
        ure = np.zeros(len(numbers))
        ure[:num_judged] = [gain / highest for gain in gains.values()]
        nothing[topic] = adm(np.zeros(len(numbers)), ure, size=size)
        for rule, estimate in RULES.items():
            sre = np.zeros((len(runs), len(numbers)))
            for system, own in enumerate(lists):
                places = [numbers[document] for document in own[topic]]
                sre[system, places] = estimate(np.arange(1.0, len(places) + 1), longest)
            pool = pooled_ure(sre).ure
            for system, given in enumerate(sre):
                values[rule, WHOLE][system, topic] = adm(given, ure, size=size)
                values[rule, JUDGED][system, topic] = adm(given[:num_judged], ure[:num_judged])
                values[rule, POOLED][system, topic] = adm(given, pool, size=size)
    for (rule, of), own_values in values.items():
        for name in OTHERS:
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
