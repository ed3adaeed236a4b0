"""Specifications of datasets: the dials of a made collection, checked against each other."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from prum.experiments.measures.measure import Measure, measure_of
from prum.simulator.generation.dials import Dials
from prum.simulator.generation.kinds import Chunks, Flat, Video, Web, Xml
from prum.simulator.generation.showing import browsed
from prum.simulator.generation.specifications import SpecificationError
from prum.simulator.generation.systems import systems_of
from prum.simulator.model import Elements, InputError, Links
from prum.simulator.model.errors import whole_number
from prum.simulator.model.rule_names import rule_of
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

        Raises
        ------
        SpecificationError
            with all that is wrong, each with its path.
        OSError
            if the file can't be read.
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

        Raises
        ------
        InputError
            for a seed that is none.
        """
        remedy = "give a whole number"
        least, most = 0, LARGEST_SEED
        checked = whole_number("seed", seed, least=least, most=most, remedy=remedy)
        return self.model_copy(update={"seed": checked})

    def to_json(self) -> str:
        """Return all dials, the defaults too, as JSON that `read` takes back."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False)

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

    def links_of(self, tree: Elements, ideals: Iterable[str]) -> Links:
        """Return the links that the way of browsing makes of trees."""
        way = self.way
        return Links({}) if way is None else way.links(tree, ideals)

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
        yield from self._wrong_topics()
        yield from self._wrong_systems()
        yield from self._wrong_measures()
        for number, words in enumerate(() if self.log is None else self.log.stop):
            try:
                rule_of(words)
            except InputError as error:
                yield error.at(f"log.stop[{number}]")

    def _wrong_browsing(self) -> Iterator[InputError]:
        if isinstance(self.collection, Flat):
            if self.browsing.kind is not None or self.browsing.way is not None:
                yield InputError(
                    "browsing", self.browsing.kind or self.browsing.way,
                    "be left out where nothing ties elements together",
                    remedy="take another kind of collection",
                )  # fmt: skip
            return
        try:
            walks = self.walks
        except InputError as error:
            yield error
            return
        if self.log is not None and walks and self.has_tree and "unranked" in self.kind.split():
            yield InputError(
                "browsing.kind", self.kind, "not take unranked for a log of walks in documents: "
                "users would walk anywhere", remedy="leave out unranked, or log",
            )  # fmt: skip

    def _wrong_topics(self) -> Iterator[InputError]:
        topics, elements = self.topics, self.collection.elements
        for name, value in (
            ("relevant", topics.relevant[1]),
            ("places", topics.places[1]),
            ("intents", topics.intents),
        ):
            if value > elements:
                yield InputError(
                    f"topics.{name}", value, f"be at most {elements}, the number of elements",
                    remedy="ask for fewer, or for a larger collection",
                )  # fmt: skip
        if topics.ideals == "best" and not self.has_tree:
            yield InputError(
                "topics.ideals", topics.ideals, "be leaves where elements do not lie in each other",
                remedy="leave it out, or take xml, video or chunks",
            )  # fmt: skip

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
            if not self.has_tree and (system.containers or system.nested < 1):
                yield InputError(
                    f"{place}.{'containers' if system.containers else 'nested'}",
                    system.containers or system.nested,
                    "be left out where elements do not lie in each other",
                    remedy="leave it out, or take xml, video or chunks",
                )
        for table, chosen in (("pool", self.pool), ("log", self.log)):
            for number, name in enumerate((chosen.systems if chosen else None) or ()):
                if names and name not in names:
                    yield InputError(
                        f"{table}.systems[{number}]", name, "be a system",
                        remedy=f"choose from {', '.join(names[:10])}"
                        + (", ..." if len(names) > 10 else ""),
                    )  # fmt: skip

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
                yield InputError(
                    place, name, f"be given once: it is {whole}", remedy="leave one out"
                )
            seen.add(whole)


def check_credited(measure: Measure, dials: Dials) -> None:
    """Raise if a measure credits near misses that users browse to: made links lead to ideals only.

    Raises
    ------
    InputError
        then.
    """
    # Strictly, only the highest grade is credited.
    is_linked = not isinstance(dials.collection, Flat)
    if is_linked and dials.topics.ideal_grade > 1 and measure.credits == "generalised":
        raise InputError(
            "measure",
            str(measure),
            "credit ideals alone, where links lead only to ideals",
            remedy="write quantisation=strict, or let all relevant elements be ideal: "
            "topics.ideal_grade = 1",
        )


def _wrong_measure(name: str, place: str, dials: Dials) -> Iterator[InputError]:
    try:
        measure = measure_of(name)
        check_credited(measure, dials)
    except InputError as error:
        yield error.at(place)
        return
    if measure.name.measure in _SIMULATED:
        yield InputError(
            place, name, "have values that are computed: those of EPRUM are simulated, with no "
            "error of their own", remedy="take another measure",
        )  # fmt: skip
