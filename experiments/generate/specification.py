"""Specifications of datasets: the dials of a made collection, checked against each other."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from prum.experiments.measures.measure import Measure, measure_of
from prum.simulator.generation.candidates import browsed
from prum.simulator.generation.dials import Dials, ErringJudges
from prum.simulator.generation.judging import judges_of
from prum.simulator.generation.kinds import Chunks, Flat, Video, Web, Xml
from prum.simulator.generation.specifications import SpecificationError
from prum.simulator.generation.systems import systems_of
from prum.simulator.model import InputError
from prum.simulator.model.errors import whole_number
from prum.simulator.model.way_names import Way
from prum.simulator.sampling.streams import LARGEST_SEED

# Measures whose values are simulated, without an error of their own.
_SIMULATED = ("EPRUM",)


class DatasetSpecification(Dials):
    """A dataset to make: all dials.

    >>> flat = {"kind": "flat", "elements": 100}
    >>> DatasetSpecification.read({"collection": flat}).truth.measures
    ('ExactPRUM', 'PRUM', 'AP')
    """

    @classmethod
    def read(cls, source: str | Path | Mapping[str, Any]) -> Self:
        """Return the specification in a TOML file or a mapping like one.

        Raise SpecificationError with all that is wrong, each with its path, and OSError if the file
        can't be read.
        """
        specification = super().read(source)
        place = "specification" if isinstance(source, Mapping) else str(source)
        errors = [
            error.at(": ".join(filter(None, (place, error.place))))
            for error in specification._errors()
        ]
        if errors:
            raise SpecificationError(errors)
        return specification

    def seeded(self, seed: int) -> Self:
        """Return the same with another seed.

        Raise InputError for a seed that is none.
        """
        remedy = "give a whole number"
        least, most = 0, LARGEST_SEED
        checked = whole_number("seed", seed, least=least, most=most, remedy=remedy)
        return self.model_copy(update={"seed": checked})

    def measures(self) -> list[Measure]:
        """Return the measures of true scores."""
        return [measure_of(name) for name in self.truth.measures]

    @property
    def kind(self) -> str:
        """How users browse, as `navigation_of` names it."""
        return browsed(self).kind

    @property
    def way(self) -> Way | None:
        """The way that makes links of elements, if they lie in each other."""
        return browsed(self).way

    @property
    def walks(self) -> bool:
        """Whether people move along links, one after the other."""
        return browsed(self).is_walk

    @property
    def has_tree(self) -> bool:
        """Whether elements lie in each other."""
        return isinstance(self.collection, Xml | Video | Chunks)

    @property
    def is_web(self) -> bool:
        """Whether elements are pages that link to each other."""
        return isinstance(self.collection, Web)

    def _errors(self) -> Iterator[InputError]:
        """Yield what is wrong with dials that fit by themselves."""
        yield from self._wrong_browsing()
        yield from self._wrong_systems()
        yield from self._wrong_measures()
        try:
            judges_of(self.judges or ErringJudges(), self.topics)
        except InputError as error:
            yield error

    def _wrong_browsing(self) -> Iterator[InputError]:
        if isinstance(self.collection, Flat):
            given = self.browsing.kind or self.browsing.way
            if given is not None:
                rule = "be left out where nothing ties elements together"
                yield InputError("browsing", given, rule, remedy="take another kind of collection")
            return
        try:
            walks = self.walks
        except InputError as error:
            yield error
            return
        if self.log is not None and walks and self.has_tree and "unranked" in self.kind.split():
            rule = "not take unranked for a log of walks in documents: users would walk anywhere"
            remedy = "leave out unranked, or log"
            yield InputError("browsing.kind", self.kind, rule, remedy=remedy)

    def _wrong_systems(self) -> Iterator[InputError]:
        names = list[str]()
        try:
            names = [system.name for system in systems_of(self)]
        except InputError as error:
            yield error
        for number, system in enumerate(self.systems):
            place = f"systems[{number}]"
            if system.target is not None:
                measure = system.target.measure
                yield from _wrong_measure(measure, f"{place}.target.measure", self)
        for table, chosen in (("pool", self.pool), ("log", self.log)):
            for number, name in enumerate((chosen.systems if chosen else None) or ()):
                if names and name not in names:
                    remedy = f"choose from {', '.join(names[:10])}{', ...' * (len(names) > 10)}"
                    yield InputError(
                        f"{table}.systems[{number}]", name, "be a system", remedy=remedy
                    )

    def _wrong_measures(self) -> Iterator[InputError]:
        seen = set[str]()
        for number, name in enumerate(self.truth.measures):
            place = f"truth.measures[{number}]"
            errors = list(_wrong_measure(name, place, self))
            yield from errors
            if errors:
                continue
            whole = str(measure_of(name))
            if whole in seen:
                rule = f"be given once: it is {whole}"
                yield InputError(place, name, rule, remedy="leave one out")
            seen.add(whole)


def check_credited(measure: Measure, dials: Dials) -> None:
    """Raise if a measure credits near misses that users browse to: made links lead to ideals only.

    Raise InputError then.
    """
    # Strictly, only the highest grade is credited.
    is_linked = not isinstance(dials.collection, Flat)
    if is_linked and dials.topics.ideal_grade > 1 and measure.credits == "generalised":
        rule = "credit ideals alone, where links lead only to ideals"
        remedy = "write quantisation=strict, or let all relevant elements be ideal"
        raise InputError("measure", str(measure), rule, remedy=f"{remedy}: topics.ideal_grade = 1")


def _wrong_measure(name: str, place: str, dials: Dials) -> Iterator[InputError]:
    try:
        measure = measure_of(name)
        check_credited(measure, dials)
    except InputError as error:
        yield error.at(place)
        return
    if measure.name.measure in _SIMULATED:
        rule = "have values that are computed: those of EPRUM are simulated, without errors"
        yield InputError(place, name, rule, remedy="take another measure")
