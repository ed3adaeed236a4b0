"""The measures that ir_measures does not have, as measures of ir_measures: import to register.

>>> import ir_measures
>>> from prum.experiments.evaluate.ir import PRUM, RP
>>> qrels = {"web": {"a": 1, "b": 1}}
>>> run = {"web": {"c": 4.0, "d": 3.0, "a": 2.0, "b": 1.0}}
>>> measures = [RP(size=4) @ 0.5, PRUM(size=4, recall=2), ir_measures.nDCG @ 10]
>>> found = ir_measures.calc_aggregate(measures, qrels, run)
>>> [round(found[measure], 4) for measure in measures]
[0.5, 0.5, 0.5706]

A measure's value on a topic is that of `prum evaluate`, which says what it needs: `size` is the
collection's, `links`, `elements` (each a file) and `way` are as there, and so are `navigation` and
the measure's own settings; `rel` is the lowest grade of an ideal. After ``@`` stands a recall
level, or the rank of a measure of ranks; a recall value r is the parameter ``recall``. GRPng is
missing: it needs assessments on two scales, and ir_measures knows grades only; so are measures of
gold spans.
Measures that ir_measures has are its own, and the same as in `prum evaluate`.

>>> measure = PRUM(size=4, links="links.csv") @ 0.5
>>> measure
PRUM(size=4,links='links.csv')@0.5
>>> measure == ir_measures.parse_measure(str(measure))
True

Lists are ordered as ir_measures orders them by trec_eval 9: by score in single precision, highest
first, ties by id, last first. As with ir_measures' measures of trec_eval, a topic of the qrels that
the run lacks, or that has no ideal, is 0 and counts in the mean; `prum evaluate` takes the one for
an empty list, which is worth something to users who find the ideals elsewhere, and leaves out the
other. Precision at r is NaN on topics with fewer ideals, which the mean leaves out.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import ir_measures
from ir_measures.util import QrelsConverter, RunConverter

from prum.experiments.evaluate.inputs import check_retrieved, read_judged
from prum.experiments.evaluate.scores import score_runs
from prum.experiments.measures.aliases import CUTOFFS
from prum.experiments.measures.catalogue import MEASURES
from prum.experiments.measures.definition import Name
from prum.experiments.measures.judged import Judged, RankingLike
from prum.experiments.measures.measure import Measure, measure_of
from prum.simulator.collections.qrels import reaches
from prum.simulator.collections.trec import ranked_of
from prum.simulator.model import InputError

# Parameters that are no settings of a measure: what it is given, and of which type.
_GIVEN: Mapping[str, tuple[type, str]] = {
    "size": (int, "number of elements in the collection"),
    "elements": (str, "name of a file of elements"),
    "rel": (int, "lowest grade of an ideal"),
    "links": (str, "name of a file of links"),
    "way": (str, "way in which elements or links make links"),
}


class Mean(ir_measures.MeanAgg):
    """The mean of the values there are."""

    def add(self, value: float) -> None:
        """Count a value, unless it is NaN."""
        if not math.isnan(value):
            super().add(value)


class PrumMeasure(ir_measures.Measure):
    """A measure of `prum evaluate` with its parameters."""

    def __init__(self, name: str, /, **params: Any) -> None:
        self.name = self.NAME = self.__name__ = name
        self.SHORT_DESC = MEASURES[name].about
        settings = (*MEASURES[name].options, *CUTOFFS)
        self.SUPPORTED_PARAMS = {key: ir_measures.ParamInfo() for key in settings} | {
            key: ir_measures.ParamInfo(desc=about) for key, (_, about) in _GIVEN.items()
        }
        for key in params.keys() - self.SUPPORTED_PARAMS.keys():
            rule, remedy = f"be one of: {', '.join(self.SUPPORTED_PARAMS)}", "leave it out"
            raise InputError(f"parameter of {name}", key, rule, remedy=remedy)
        super().__init__(**params)

    def __call__(self, /, **params: Any) -> "PrumMeasure":
        """Return the measure with more parameters, or others."""
        return PrumMeasure(self.name, **self.params | params)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self.NAME, self.params)

    def validate_params(self) -> None:
        """Raise InputError if parameters are of another type or out of range."""
        for key, (kind, about) in _GIVEN.items():
            value = self.params.get(key)
            is_one = isinstance(value, kind) and not isinstance(value, bool)
            if value is not None and not (is_one and (kind is str or value >= 1)):
                rule = f"be a {about}{', at least 1' if kind is int else ''}"
                raise InputError(f"{key} of {self.NAME}", value, rule, remedy="correct it")
        self.measure()

    def measure(self) -> Measure:
        """Return the measure that `prum evaluate` knows, without what it is given."""
        settings = ((key, value) for key, value in self.params.items() if key not in _GIVEN)
        return measure_of(Name(self.name, tuple(sorted(settings))))

    def aggregator(self) -> Mean:
        """Return what makes one value of the topics'."""
        return Mean()


def _rebuilt(name: str, params: Mapping[str, Any]) -> PrumMeasure:
    return PrumMeasure(name, **params)


_ALL = {
    name: PrumMeasure(name)
    for name, definition in MEASURES.items()
    if name not in ir_measures.measures.registry
    and definition.of_spans is not definition.score
    and name != "GRPng"
}
NAMES = tuple(_ALL)


def __getattr__(name: str) -> PrumMeasure:
    if name not in _ALL:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _ALL[name]


class PrumEvaluator(ir_measures.Evaluator):
    """Scores runs by some measures against some judgements."""

    def __init__(
        self, measures: Iterable[ir_measures.Measure], grades: Mapping[str, Mapping[str, float]]
    ) -> None:
        super().__init__(list(measures), set(grades))
        groups: dict[tuple[Any, ...], list[PrumMeasure]] = {}
        for measure in self.measures:
            if not isinstance(measure, PrumMeasure):
                rule, remedy = f"be one of {', '.join(NAMES)}", "leave the provider out"
                raise InputError("measure", str(measure), rule, remedy=remedy)
            measure.validate_params()
            groups.setdefault(tuple(map(measure.params.get, _GIVEN)), []).append(measure)
        self._groups = [
            (_judged(dict(zip(_GIVEN, params, strict=True)), grades, alike), alike)
            for params, alike in groups.items()
        ]

    def _iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        scores: dict[str, dict[str, float]] = RunConverter(run).as_dict_of_dict()
        for judged, alike in self._groups:
            measures = [measure.measure() for measure in alike]
            present = [topic for topic in judged if topic.topic in scores]
            lists: dict[str, RankingLike] = {
                topic.topic: ranked_of(scores[topic.topic], "single").taken("scores")
                for topic in present
            }
            if present:
                tree = present[0].collection.elements
                if tree is not None:
                    check_retrieved(lists, list(lists), tree, place="run")
                values = score_runs([("given", lists)], present, measures).values[0]
                for topic, row in zip(present, values.tolist(), strict=True):
                    for measure, value in zip(alike, row, strict=True):
                        yield ir_measures.Metric(topic.topic, measure, value)
            num_ideals = {topic.topic: len(topic.ideals) for topic in judged}
            for name in sorted(self.qrel_qids - lists.keys()):
                for measure in alike:
                    if measure.params.get("recall", 0) > num_ideals.get(name, 0):
                        yield ir_measures.Metric(name, measure, math.nan)


def _judged(
    params: Mapping[str, Any],
    grades: Mapping[str, Mapping[str, float]],
    measures: Iterable[PrumMeasure],
) -> list[Judged]:
    """Return the topics that have an ideal, with the parameters of their measures."""
    rel, elements = params["rel"] or 1, params["elements"]
    if not any(reaches(grade, rel) for by in grades.values() for grade in by.values()):
        return []
    judged, _ = read_judged(
        grades,
        elements=() if elements is None else [elements],
        links=params["links"],
        way=params["way"],
        collection_size=params["size"],
        ideal_grade=rel,
        credits={measure.measure().credits for measure in measures},
    )
    return judged


class PrumProvider(ir_measures.Provider):
    """Computes the measures of this module, and no others."""

    NAME = "prum"

    def __init__(self) -> None:
        super().__init__()
        self.SUPPORTED_MEASURES = list(_ALL.values())

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: Any) -> PrumEvaluator:
        return PrumEvaluator(measures, QrelsConverter(qrels).as_dict_of_dict())

    def supports(self, measure: ir_measures.Measure) -> bool:
        """Return whether a measure is one of this module, with parameters that it may have."""
        if not isinstance(measure, PrumMeasure):
            return False
        measure.validate_params()
        return True


if PrumProvider.NAME not in ir_measures.providers.registry:
    ir_measures.measures.registry.update(_ALL)
    ir_measures.DefaultPipeline.providers.append(ir_measures.providers.register(PrumProvider()))
