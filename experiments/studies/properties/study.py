"""Study: which measure has which property (Table IV), each cell decided by evidence.

Question. Table IV of Piwowarski, Gallinari and Dupret (2007) says of seven measures which of five
properties they have. Does a computation say the same, and what of further properties and measures?

Design. A property is a number of checks; all of them hold: yes, some: partial, none: no. Where half
of it is worth nothing, as with precision and recall, it is yes or no. A check is one of

- two lists and a relation between what the measure says of them, for all measures alike;
- simulated users, whose mean the measure claims to be, at each of its recall values or ranks;
- a search of random small tasks for a counter-example, which is then taken apart until nothing
  more can be left out. That none is found is no proof.

What a measure cannot take in, it does not get: RP knows E3S3 and nothing else; T2I reads on within
a document, 25 irrelevant words far; GRP, GRPng, xCG, nDCG and GradedPRUM take all assessments; GR
and EPRUM those of the ideals; PRUM the ideals. Measures without users do not see links.

Decisions. A measure is read as one number per list, GR at the list's end: what it says at each rank
is not asked. "Already returned" (overlap) means seen for certain: what holds an ideal leads to it
with probability 1 there; with less PRUM rightly pays for showing it to the other users. Table IV is
for XML, so its near misses are those in the ideal's document that reading on may find; others have
a row of their own. That what is found hangs on the order of overlapping results (recall
instability) counts in "stable recall base", not in "overlap".
"""

from collections.abc import Mapping, Sequence
from typing import Any

from prum.experiments.studies.properties.cases import CASES, KNOWN
from prum.experiments.studies.properties.checks import Check, Evidence, Trials
from prum.experiments.studies.properties.measures import MEASURES
from prum.experiments.studies.properties.scores import Measure
from prum.experiments.studies.properties.table import PAPER, PROPERTIES, Property
from prum.experiments.studies.study import Advance, Study, checked_draws, checked_seed, command_of

DRAWS = 300


def study_properties(
    *,
    draws: int = DRAWS,
    seed: int = 1,
    measures: Mapping[str, Measure] = MEASURES,
    progress: Advance = lambda _: None,
) -> Study:
    """Return the table and its evidence.

    Rows have measure, property, check, its kind, topic (by name), task, list_a, list_b, score_a,
    score_b, expected, z and holds; what a check did not need is None. `found` has "verdicts":
    measure, property, verdict, paper and differs for each cell, the paper's None where it has
    none; and "topics", what the fixed ones are.

    Raises
    ------
    InputError
        for fewer than one draw or a negative seed.
    """
    draws = checked_draws(draws, least=1)
    trials = Trials(draws, checked_seed(seed))
    rows, verdicts = list[dict[str, Any]](), list[dict[str, Any]]()
    for number, one in enumerate(PROPERTIES):
        for measure in measures.values():
            found = [check.of(measure, trials) for check in one.checks]
            rows += [
                _row(measure, one, check, evidence)
                for check, evidence in zip(one.checks, found, strict=True)
            ]
            verdict = verdict_of(one, found)
            paper = PAPER.get((measure.name, one.name))
            verdicts.append(
                {
                    "measure": measure.name,
                    "property": one.name,
                    "verdict": verdict,
                    "paper": paper,
                    "differs": paper is not None and paper.split()[0] != verdict,
                }
            )
        progress((number + 1) / len(PROPERTIES))
    options = {"draws": draws, "seed": trials.seed}
    command = command_of("properties", options, {"draws": DRAWS})
    topics = {case.name: str(case) for case in (*CASES, *(case for case, _ in KNOWN))}
    found_all = {"verdicts": verdicts, "topics": topics}
    return Study("properties", options, tuple(rows), found_all, command)


def verdict_of(one: Property, found: Sequence[Evidence]) -> str:
    """Return yes, partial or no."""
    held = sum(evidence.holds for evidence in found)
    if held == len(found):
        return "yes"
    return "partial" if held and one.grades else "no"


def _row(measure: Measure, one: Property, check: Check, found: Evidence) -> dict[str, Any]:
    lists = [
        None if ranked is None else " ".join(ranked) for ranked in (found.list_a, found.list_b)
    ]
    return {
        "measure": measure.name,
        "property": one.name,
        "check": check.name,
        "kind": check.kind,
        "topic": None if found.case is None else found.case.name,
        "task": None if found.case is None else str(found.case),
        "list_a": lists[0],
        "list_b": lists[1],
        "score_a": found.a,
        "score_b": found.b,
        "expected": found.expected,
        "z": found.z,
        "holds": found.holds,
    }
