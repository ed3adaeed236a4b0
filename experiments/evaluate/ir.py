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
PRUM(links='links.csv',size=4)@0.5
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
from pathlib import Path
from typing import Any

import ir_measures
from ir_measures.util import QrelsConverter, RunConverter

from prum.experiments.evaluate.inputs import check_retrieved, read_judged
from prum.experiments.evaluate.scores import score_runs
from prum.experiments.measures.catalogue import MEASURES
from prum.experiments.measures.definition import Cutoff, Name
from prum.experiments.measures.judged import Judged, RankingLike
from prum.experiments.measures.measure import Measure, measure_of
from prum.simulator.collections.qrels import reaches
from prum.simulator.collections.trec import ranked_of
from prum.simulator.model import InputError

_SHARED = {"size": int, "elements": str, "rel": int}
_BROWSED = {"links": str, "way": str}
_GIVEN = (*_SHARED, *_BROWSED)
_FLAGS = {"--collection-size": "size=N", "--elements": "elements=FILE"}
_ABOUT = {
    "size": "number of elements in the collection",
    "elements": "file of elements",
    "rel": "lowest grade of an ideal",
    "links": "file of links",
    "way": "how elements or links make links",
    "recall": "recall value r",
    "cutoff": "recall level, or rank",
}
_RULES = {
    int: "be a whole number of at least 1",
    float: "be a recall level in [0, 1]",
    str: "be a text",
}


class Mean(ir_measures.MeanAgg):
    """The mean of the values there are."""

    def add(self, value: float) -> None:
        """Count a value, unless it is NaN."""
        if not math.isnan(value):
            super().add(value)


class PrumMeasure(ir_measures.Measure):
    """A measure of `prum evaluate` with its parameters; equal ones are written alike."""

    def __init__(self, name: str, /, **params: Any) -> None:
        self.name = self.NAME = self.__name__ = name
        definition = MEASURES[name]
        self.SHORT_DESC = definition.about
        self.is_of_ranks = "rank" in definition.cutoffs
        types = dict[str, type](_SHARED)
        if "navigation" in definition.options:
            types |= _BROWSED
        own = {key: option for key, option in definition.options.items() if option.of != "spans"}
        types |= {key: option.type for key, option in own.items()}
        if "recall" in definition.cutoffs:
            types["recall"] = int
        if definition.cutoffs:
            types["cutoff"] = int if self.is_of_ranks else float
        self.SUPPORTED_PARAMS = {
            key: ir_measures.ParamInfo(dtype=kind, desc=_ABOUT.get(key))
            for key, kind in types.items()
        }
        self.SUPPORTED_PARAMS["rel"].default = 1
        for key, option in own.items():
            if option.default is not None:
                self.SUPPORTED_PARAMS[key].default = option.default
        # 1 and 1.0, and whatever stands first, must not make two measures of one.
        super().__init__(
            **{
                key: float(value)
                if types.get(key) is float and _is_whole(value)
                else str(value)
                if isinstance(value, Path)
                else value
                for key, value in sorted(params.items())
            }
        )

    def __call__(self, /, **params: Any) -> "PrumMeasure":
        """Return the measure with more parameters, or others."""
        return PrumMeasure(self.name, **self.params | params)

    def __repr__(self) -> str:
        params = ",".join(
            f"{key}={value!r}"
            for key, value in self.params.items()
            if key != "cutoff"
            # What is unknown is written too, and refused when it is used.
            and not (
                key in self.SUPPORTED_PARAMS and _is_same(value, self.SUPPORTED_PARAMS[key].default)
            )
        )
        cutoff = f"@{self.params['cutoff']!r}" if "cutoff" in self.params else ""
        return f"{self.name}({params}){cutoff}" if params else f"{self.name}{cutoff}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self.name, self.params)

    def validate_params(self) -> None:
        """Raise an InputError if parameters are unknown, of another type or out of range."""
        for key, value in self.params.items():
            known = self.SUPPORTED_PARAMS.get(key)
            if known is None:
                rule, remedy = f"be one of: {', '.join(self.SUPPORTED_PARAMS)}", "leave it out"
                raise InputError(f"parameter of {self.name}", key, rule, remedy=remedy)
            is_own = key in MEASURES[self.name].options and key not in _GIVEN
            if not is_own and not _is_one(value, known.dtype):
                is_file = key in ("links", "elements")
                rule = f"be a {_ABOUT[key]}" if is_file else _RULES[known.dtype]
                remedy = "give the name of a file" if is_file else "correct it"
                raise InputError(f"{key} of {self.name}", value, rule, remedy=remedy)
        if "recall" in self.params and "cutoff" in self.params:
            raise InputError(
                f"recall and cutoff of {self.name}",
                (self.params["recall"], self.params["cutoff"]),
                "be given one at a time",
                remedy="write recall=2 for a recall value, or @0.5 for a level",
            )
        self.measure()
        self.validated = True

    def measure(self) -> Measure:
        """Return the measure that `prum evaluate` knows, without what it is given."""
        cutoff = None
        if "recall" in self.params:
            cutoff = Cutoff("recall", self.params["recall"])
        elif "cutoff" in self.params:
            cutoff = Cutoff("rank" if self.is_of_ranks else "level", self.params["cutoff"])
        options = MEASURES[self.name].options
        settings = tuple(
            (key, value)
            for key, value in self.params.items()
            if key in options and key not in _GIVEN and not _is_same(value, options[key].default)
        )
        return measure_of(Name(self.name, settings, cutoff))

    def aggregator(self) -> Mean:
        """Return what makes one value of the topics'."""
        return Mean()


def _rebuilt(name: str, params: Mapping[str, Any]) -> PrumMeasure:
    return PrumMeasure(name, **params)


def _is_one(value: object, kind: type) -> bool:
    if kind is int:
        return _is_whole(value) and value >= 1  # type: ignore[operator]
    return isinstance(value, kind) and (not isinstance(value, float) or 0 <= value <= 1)


def _is_same(value: object, default: object) -> bool:
    # 1 is no truth value.
    return type(value) is type(default) and value == default


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _missing_there() -> dict[str, PrumMeasure]:
    """Return the measures that ir_measures does not have, of those that it can have."""
    registry = ir_measures.measures.registry
    return {
        name: PrumMeasure(name)
        for name, definition in MEASURES.items()
        if (name not in registry or type(registry[name]).__module__ == __name__)
        and definition.of_spans is not definition.score
        and name != "GRPng"
    }


_ALL = _missing_there()
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
            params = tuple(measure.params.get(key) for key in _GIVEN)
            groups.setdefault(params, []).append(measure)
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
                try:
                    values = score_runs([("given", lists)], present, measures).values[0]
                except InputError as error:
                    raise _with_parameters(error) from None
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
    try:
        judged, _ = read_judged(
            grades,
            elements=() if elements is None else [elements],
            links=params["links"],
            way=params["way"],
            collection_size=params["size"],
            ideal_grade=rel,
            credits={measure.measure().credits for measure in measures},
        )
    except InputError as error:
        raise _with_parameters(error) from None
    return judged


def _with_parameters(error: InputError) -> InputError:
    """Return an error whose remedy names parameters in the place of `prum evaluate`'s flags."""
    remedy = error.remedy
    for flag, parameter in _FLAGS.items():
        remedy = remedy.replace(flag, parameter)
    return InputError(error.thing, error.value, error.rule, remedy=remedy, place=error.place)


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


def _register() -> None:
    """Make the measures known to ir_measures, in the place of those of an earlier import."""
    registry, pipeline = ir_measures.measures.registry, ir_measures.DefaultPipeline.providers
    for measure in _ALL.values():
        if type(registry.get(measure.name)).__module__ == __name__:
            del registry[measure.name]
        ir_measures.measures.register(measure)
    provider = ir_measures.providers.register(PrumProvider())
    pipeline[:] = [other for other in pipeline if other.NAME != provider.NAME] + [provider]


_register()
