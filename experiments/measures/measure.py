"""A measure with its settings and cut-off, made of its name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from prum.experiments.measures.catalogue import MEASURES
from prum.experiments.measures.definition import Curve, Definition
from prum.experiments.measures.judged import Judged, Taken, TiedRanking
from prum.experiments.measures.names import Cutoff, CutoffKind, Name, Setting, name_of
from prum.simulator.model import InputError
from prum.simulator.model.errors import shown
from prum.simulator.model.grammar import nearest


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
    def curve(self) -> Callable[[Judged, TiedRanking], Curve]:
        """What tells a list's worth on a topic; raises `InputError` if the topic lacks something.

        The list is what the measure `takes`.
        """
        return partial(self.definition.score, **self.settings)

    def __str__(self) -> str:
        return str(self.name)


def measure_of(written: str | Name) -> Measure:
    """Return the measure of a name.

    Raises
    ------
    InputError
        for an unknown measure or setting, a setting out of range or missing, a cut-off that the
        measure does not have or lacks.

    >>> str(measure_of("xCG(alpha=.5)@10"))
    'xCG(alpha=0.5)@10'
    """
    name = name_of(written) if isinstance(written, str) else written
    definition = MEASURES.get(name.measure)
    if definition is None:
        close = nearest(name.measure, MEASURES)
        raise InputError(
            "measure", name.measure, f"be one of {', '.join(MEASURES)}",
            remedy=f"write {close[0]}, say" if close else "choose one",
        )  # fmt: skip
    settings: list[tuple[str, Setting]] = []
    for key, value in name.settings:
        if key not in definition.options:
            known = ", ".join(definition.options) or "none"
            raise InputError(
                f"setting of {name.measure}", key, f"be one of: {known}", remedy="leave it out"
            )
        settings.append((key, definition.options[key].check(key, value, name)))
    for key, option in definition.options.items():
        if option.default is None and not option.is_optional and key not in dict(settings):
            raise InputError(
                f"{key} of {name}", None, "be set", remedy=f"write {name.measure}({key}=...)"
            )
    cutoff = name.cutoff
    # @1 of a measure that is read at recall levels is full recall.
    if cutoff == Cutoff("rank", 1) and "level" in definition.cutoffs:
        cutoff = Cutoff("level", 1.0)
    if cutoff is None and definition.needs_cutoff:
        raise InputError(
            "cut-off of " + name.measure, str(name), "be given", remedy=f"write {name.measure}@10"
        )
    if cutoff is not None and cutoff.kind not in definition.cutoffs:
        kinds = " or ".join(_CUTOFFS[kind] for kind in definition.cutoffs) or "none"
        raise InputError(
            "cut-off of " + name.measure, shown(str(cutoff)).strip("'"), f"be {kinds}",
            remedy="correct what stands behind @",
        )  # fmt: skip
    return Measure(Name(name.measure, tuple(settings), cutoff))


_CUTOFFS: Mapping[CutoffKind, str] = {
    "rank": "a rank (@10)",
    "level": "a recall level (@0.5)",
    "recall": "a recall value (@r=2)",
}
