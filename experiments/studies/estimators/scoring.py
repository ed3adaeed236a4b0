"""The rows of the study; scores on complete judgements, and whether files and measures agree."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from prum.experiments.evaluate import score_runs
from prum.experiments.generate import Dataset
from prum.experiments.generate.dataset import Grades
from prum.experiments.generate.specification import check_credited
from prum.experiments.measures import Measure, measure_of
from prum.experiments.statistics.intervals import Interval
from prum.experiments.studies.kit.quantities import known
from prum.simulator import InputError, Links
from prum.simulator.model.arrays import Floats

# Numbers by quantity, each alone or with the ends of its interval.
Values = Mapping[str, float | Interval]


class EstimatorRows(list[Any]):
    """Numbers, each with the ends of its interval if it has one; None is no value.

    `group` is what was measured, `subject` of what, `method` by what, `at` how many (topics, ranks
    of a pool, trials, users), `quantity` which number.
    """

    def add(
        self,
        group: str,
        subject: str,
        method: str,
        values: Values,
        *,
        at: float | None = None,
    ) -> None:
        """Add numbers."""
        what: dict[str, Any] = {"group": group, "subject": subject, "method": method, "at": at}
        for quantity, number in values.items():
            value, low, high = known(number)
            row = SimpleNamespace(**what, quantity=quantity, value=value, low=low, high=high)
            self.append(row)


REFERENCE = "ExactPRUM"
MEASURES = ("PRUM", "AP", "nDCG@10")
# Scores that are written with six digits, say, agree so far.
_ROUNDING = 1e-5


def checked_measures(written: Sequence[str]) -> tuple[str, ...]:
    """Return the names of measures, each once, without ExactPRUM itself.

    Raise InputError as `measure_of`.
    """
    names = dict.fromkeys(str(measure_of(name)) for name in written)
    return tuple(name for name in names if name != REFERENCE)


def is_precision(name: str) -> bool:
    """Return whether a measure is a mean over recall, like ExactPRUM: PRUM and AP."""
    measure = measure_of(name)
    return measure.name.cutoff is None and "level" in measure.definition.cutoffs


def browses(name: str) -> bool:
    """Return whether a measure hangs on how people browse."""
    return "navigation" in measure_of(name).definition.options


def scores_by(
    dataset: Dataset,
    names: Sequence[str],
    grades: Grades | None = None,
    *,
    navigation: Mapping[str, Links] | None = None,
) -> tuple[tuple[str, ...], dict[str, Floats]]:
    """Return the topics with an ideal by some judgements, and scores by measure, computed here.

    Raise InputError as `evaluate`.
    """
    judged = dataset.judged(grades, navigation=navigation)
    topics = tuple(topic.topic for topic in judged)
    if not topics or not names:
        return topics, {name: np.empty((len(dataset.systems), len(topics))) for name in names}
    measures: list[Measure] = [measure_of(name) for name in names]
    for measure in measures:
        check_credited(measure, dataset.specification)
    scored = score_runs(dataset.lists(topics), judged, measures)
    return topics, {name: scored.values[:, :, k] for k, name in enumerate(names)}


def complete_scores(
    dataset: Dataset, names: Sequence[str]
) -> tuple[dict[str, Floats], tuple[str, ...], list[str]]:
    """Return scores by measure, those that can be computed here, and notes on the others.

    ExactPRUM comes first. What the file holds is taken from there; the rest is computed. What the
    file holds is computed all the same and compared: only measures that come out alike can be
    computed with other judgements or probabilities.

    Raise InputError for a folder without ExactPRUM, scores that are not those of the runs, and a
    measure without a value on some topic.
    """
    if REFERENCE not in dataset.scores:
        rule, remedy = (
            f"hold {REFERENCE}, the true scores",
            f"name {REFERENCE} among truth.measures",
        )
        place = str(dataset.folder / "scores.csv")
        raise InputError("measures", tuple(dataset.scores), rule, remedy=remedy, place=place)
    scores: dict[str, Floats] = {REFERENCE: dataset.scores[REFERENCE]}
    here, notes = list[str](), list[str]()
    for name in (REFERENCE, *names):
        written = dataset.scores.get(name)
        if name == REFERENCE and not dataset.is_plain:
            notes.append(
                f"People browse by “{dataset.kind}”: {REFERENCE} is taken as the folder has it, "
                "and left out where judgements or probabilities are others."
            )
            continue
        computed = scores_by(dataset, [name])[1][name]
        values = computed if written is None else written
        if np.isnan(values).any():
            system, topic = np.argwhere(np.isnan(values))[0]
            rule = f"have a value on topic {dataset.topics[topic]}"
            thing, remedy = f"{name} of {dataset.systems[system]}", "leave the measure out"
            raise InputError(thing, "none", rule, remedy=remedy)
        scores[name] = values
        if written is None or _agree(dataset, name, written, computed):
            here.append(name)
        else:
            notes.append(
                f"{name} can't be computed from navigation alone where people browse by "
                f"“{dataset.kind}”: it is left out where judgements or probabilities are others."
            )
    return scores, tuple(here), notes


def _agree(dataset: Dataset, name: str, written: Floats, computed: Floats) -> bool:
    """Return whether a measure came out as the file has it.

    Raise InputError if it didn't, and should: it doesn't hang on browsing, or each visit is on its
    own.
    """
    distance = np.abs(written - computed) - 5 * dataset.errors[name]
    if (distance <= _ROUNDING).all():
        return True
    if browses(name) and not dataset.is_plain:
        return False
    system, topic = np.unravel_index(int(np.argmax(distance)), distance.shape)
    thing = f"{name} of {dataset.systems[system]} on topic {dataset.topics[topic]}"
    rule = f"be {computed[system, topic]:.6g}, what its run scores"
    remedy, place = "make the folder anew with prum generate", str(dataset.folder / "scores.csv")
    raise InputError(thing, float(written[system, topic]), rule, remedy=remedy, place=place)
