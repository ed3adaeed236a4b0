"""A measure with its settings and cut-off, made of its name."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from prum.experiments.measures.aliases import ALIASES, CUTOFFS, SETTINGS, meant, spelled
from prum.experiments.measures.catalogue import MEASURES
from prum.experiments.measures.definition import (
    EVEN,
    HIGHEST,
    JUDGED_ONLY,
    REL,
    Better,
    Curve,
    Cutoff,
    CutoffKind,
    Definition,
    Name,
    SettingValue,
    name_of,
    names_of,
)
from prum.experiments.measures.judged import Judged, NoValueError, RankingLike, Taken
from prum.simulator.collections.fitted_files import files_of
from prum.simulator.model import InputError
from prum.simulator.model.errors import did_you_mean, shown

if TYPE_CHECKING:
    from prum.analytic.expected.scores import UncertainIdeals
    from prum.simulator.model.arrays import Ints
    from prum.simulator.sampling.measured.judged_sets import JudgedSets


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure that can be computed; equal ones have equal names."""

    name: Name

    @property
    def definition(self) -> Definition:
        """The definition of the measure."""
        return MEASURES[self.name.measure]

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting, those that are not named by their defaults."""
        defaults = {key: option.default for key, option in self.definition.options.items()}
        return defaults | dict(self.name.settings)

    @property
    def uncut(self) -> Name:
        """The name without cut-off: measures that share it are read off one curve."""
        return Name(self.name.measure, self.name.settings)

    @property
    def takes(self) -> Taken:
        """The form in which it takes a list."""
        return "ties" if self.settings.get("tied") else self.definition.takes

    @property
    def units(self) -> tuple[str, ...]:
        """The units of cost that it names: of its budget, and of what it counts."""
        cutoff, cost = self.name.cutoff, dict(self.name.settings).get("cost", "")
        return tuple(filter(None, (cutoff.unit if cutoff else "", str(cost))))

    @property
    def credits(self) -> str | None:
        """The quantisation by which it credits near misses that users browse to, if it does."""
        settings = self.settings
        return settings.get("quantisation") if "navigation" in settings else None

    @property
    def is_by_scale(self) -> bool:
        """Whether the value depends on which grade is worth 1."""
        quantisation = self.settings.get("quantisation")
        if self.definition.options.get("highest") is not HIGHEST or quantisation == EVEN:
            return False
        return quantisation == "strict" or self.definition.by_scale

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it names: that of a fitted navigation."""
        navigation = dict(self.name.settings).get("navigation")
        return files_of(navigation) if isinstance(navigation, str) else ()

    def curve(self, judged: Judged, ranking: RankingLike) -> Curve:
        """Return a list's worth on a topic; the list is what the measure `takes`."""
        covering = judged.covering
        self.check_of("ideals" if covering is None else "spans")
        settings, options = self.settings, self.definition.options
        if covering is not None:
            settings = {key: settings[key] for key in settings if options[key].of != "ideals"}
            return self.definition.of_spans(judged, ranking, **settings)  # type: ignore[misc]
        settings = {key: settings[key] for key in settings if options[key].of != "spans"}
        if options.get("rel") is REL and (grade := settings.pop("rel")) is not None:
            judged = judged.of_grade(grade)
            # As in trec_eval 10; what is open stays open.
            if not judged.ideals and self.definition.better != "more":
                raise NoValueError
            if not judged.ideals and not settings.get("residual"):
                return Curve(lambda: 0.0, dict.fromkeys(self.definition.cutoffs, lambda _: 0.0))
        if options.get("highest") is HIGHEST:
            highest = settings.pop("highest")
            if self.is_by_scale or highest is not None:
                judged = judged.on_scale(self.name.measure, highest)
        if options.get("judged_only") is JUDGED_ONLY and settings.pop("judged_only"):
            ranking = tuple(x for x in ranking if x in judged.assessed)
        return self.definition.score(judged, ranking, **settings)

    @property
    def needs_ideals(self) -> bool:
        """Whether it has no value on topics without ideals."""
        return self.definition.needs_ideals(self.settings)

    def expected(self, ideals: "UncertainIdeals | JudgedSets", listed: "Ints") -> Any:
        """Return a list's mean score over uncertain ideals, or its scores by some sets of them.

        None where the measure, its settings or its cut-off have no closed form.
        """
        expected, cutoff = self.definition.expected, self.name.cutoff
        given = dict(self.name.settings)
        if expected is None or not given.keys() <= set(expected.settings):
            return None
        if cutoff is not None and cutoff.kind != "rank":
            return None
        options = expected.given(**{key: self.settings[key] for key in expected.settings})
        if expected.takes_rank:
            options["rank"] = None if cutoff is None else int(cutoff.value)
        return getattr(ideals, expected.method)(listed, **options)

    def check_of(self, judged: Literal["ideals", "spans"]) -> None:
        """Raise unless the measure and its settings are of what was judged, ideals or spans."""
        definition = self.definition
        of_spans = definition.of_spans
        if judged == "spans" and of_spans is None:
            remedy = "take Coverage, CharPrecision, IoU or ExactPRUM"
            raise InputError("measure", str(self), "make sense of gold spans", remedy=remedy)
        if judged == "ideals" and of_spans is definition.score:
            remedy = "give --chunks and --spans, or take another measure"
            raise InputError("measure", str(self), "have chunks and gold spans", remedy=remedy)
        for key, _ in self.name.settings:
            if definition.options[key].of not in (judged, "both"):
                rule = f"be left out where {judged} are what users look for"
                raise InputError(f"{key} of {self.name.measure}", str(self), rule, remedy="drop it")

    def __str__(self) -> str:
        return str(self.name)


def measure_of(written: str | Name) -> Measure:
    """Return the measure of a name.

    >>> str(measure_of("xCG(alpha=.5)@10"))
    'xCG(alpha=0.5)@10'
    """
    typed = name_of(written) if isinstance(written, str) else written
    name = meant(typed)
    if name is None:
        names = (*MEASURES, *(alias for alias in ALIASES if "*" not in alias))
        remedy = did_you_mean(typed.measure, names, "see prum list measures")
        raise InputError("measure", typed.measure, "be the name of a measure", remedy=remedy)
    definition = MEASURES[name.measure]
    name = _cut(name, definition)
    settings: list[tuple[str, SettingValue]] = []
    for written_key, value in name.settings:
        key = _setting(written_key, name.measure, definition)
        if key in dict(settings):
            raise InputError(
                f"{key} of {name.measure}", str(name), "be set once", remedy="keep one of the two"
            )
        settings.append((key, definition.options[key].check(key, value, name)))
    for key, option in definition.options.items():
        if option.default is None and not option.is_optional and key not in dict(settings):
            raise InputError(
                f"{key} of {name}", None, "be set", remedy=f"write {name.measure}({key}=...)"
            )
    cutoff = name.cutoff
    # @1 of a measure that is read at recall levels, and not at ranks, is full recall.
    kinds = definition.cutoffs
    if cutoff == Cutoff("rank", 1) and "level" in kinds and "rank" not in kinds:
        cutoff = Cutoff("level", 1.0)
    if cutoff is None and definition.needs_cutoff:
        raise InputError(
            "cut-off of " + name.measure, str(name), "be given", remedy=f"write {name.measure}@10"
        )
    if cutoff is not None and cutoff.kind not in definition.cutoffs:
        rule, remedy = "be left out", f"write {name.measure}"
        if kinds:
            rule = f"be {' or '.join(_CUTOFFS[kind] for kind in kinds)}"
            remedy = "correct what stands behind @"
        thing = f"cut-off of {name.measure}"
        raise InputError(thing, shown(str(cutoff)).strip("'"), rule, remedy=remedy)
    name = Name(name.measure, tuple(sorted(settings)), cutoff)
    definition.check(name)
    return Measure(name)


def measures_of(written: str | Iterable[object]) -> list[Measure]:
    """Return measures by names with commas between, or one by one; P@5,10 are two.

    What is no text counts as it is printed: ir_measures prints names.

    Raise InputError as `names_of` and `measure_of`.

    >>> [str(measure) for measure in measures_of("map, ndcg_cut_5,10, P@5,10")]
    ['AP', 'nDCG@5', 'nDCG@10', 'P@5', 'P@10']
    """
    if not isinstance(written, str):
        # A measure of ir_measures has items, and no end.
        each = written if isinstance(written, Iterable) else [written]
        return [x if isinstance(x, Measure) else measure_of(str(x)) for x in each]
    stem, names = "", list[Name]()
    for name in names_of(written):
        if stem and _NUMBER.fullmatch(str(name)):
            names.append(name_of(f"{stem}{name}"))
            continue
        family = _FAMILY.fullmatch(str(name))
        stem = family[1] if family else ""
        names.append(name)
    return [measure_of(name) for name in names]


def better_of(written: str) -> Better:
    """Return whether more or less of a measure is better; "more" for a name of no measure here.

    >>> better_of("AP"), better_of("ESL@r=1"), better_of("CL"), better_of("stars")
    ('more', 'less', 'neither', 'more')
    """
    try:
        return measure_of(written).definition.better
    except InputError:
        return "more"


# A name with a number, and what it may be followed by.
_FAMILY = re.compile(r"(.+?[._@])[0-9.]+")
_NUMBER = re.compile(r"[0-9]*\.?[0-9]+")


def _cut(name: Name, definition: Definition) -> Name:
    """Return a name with its cut-off behind @, as which ir_measures takes P(cutoff=5), too."""
    settings = dict(name.settings)
    for key in CUTOFFS:
        if name.cutoff is None and key in settings and key not in definition.options:
            written = settings.pop(key)
            is_value = "recall" in definition.cutoffs and isinstance(written, int)
            kind = "r=" if key == "recall" and is_value else ""
            cutoff = name_of(f"{name.measure}@{kind}{written}").cutoff
            return Name(name.measure, tuple(settings.items()), cutoff)
    return name


def _setting(written: str, measure: str, definition: Definition) -> str:
    """Return which setting of a measure is meant."""
    options = {spelled(key): key for key in definition.options}
    key = spelled(SETTINGS.get(written.lower(), written))
    if written not in definition.options and key not in options:
        rule = f"be one of: {', '.join(definition.options) or 'none'}"
        remedy = did_you_mean(written, definition.options, "leave it out")
        raise InputError(f"setting of {measure}", written, rule, remedy=remedy)
    return written if written in definition.options else options[key]


_CUTOFFS: Mapping[CutoffKind, str] = {
    "rank": "a rank (@10)",
    "level": "a recall level (@0.5)",
    "recall": "a recall value (@r=2)",
    "budget": "a budget (@500 tokens)",
}
