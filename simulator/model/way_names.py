"""Ways of browsing by name: the links that elements, or links without probabilities, make."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from prum.simulator.model.browsing import Browsing
from prum.simulator.model.elements import Elements
from prum.simulator.model.errors import InputError
from prum.simulator.model.kinds import navigation_of
from prum.simulator.model.navigation import Links, Walk
from prum.simulator.model.ways import chunks, structural, timeline, timeline_steps, tolerance, web

WAYS_OF_ELEMENTS = (
    "structural",
    "chunks [next P] [previous P] [parent P] [child P]",
    "timeline RATE [least P]",
    "timeline-steps RATE",
    "tolerance WORDS [falling]",
)
WAYS_OF_LINKS = ("web DAMPING",)
WAYS = (*WAYS_OF_ELEMENTS, *WAYS_OF_LINKS)


@dataclass(frozen=True, slots=True)
class _Form:
    """How a way is written, and what its function takes and gives.

    Parameters
    ----------
    function
        Makes the links.
    number
        What it calls the number right after the word; "" if there is none.
    named
        Its parameters that are written by name and number, each at will; one at least if they are
        all there is.
    switch
        Its parameter that is turned on by its name.
    ideals
        "targets" if only links to them matter, "own" if the links of each topic are made from the
        topic's own, "none" if they do not matter.
    gives
        P(x -> y) of "visits", "steps" of a walk, or what may be read as "either".
    of
        What the links are made of.
    """

    function: Callable[..., Links]
    number: str = ""
    named: tuple[str, ...] = ()
    switch: str = ""
    ideals: Literal["none", "targets", "own"] = "none"
    gives: Literal["visits", "steps", "either"] = "visits"
    of: Literal["elements", "links"] = "elements"


_FORMS = {
    "structural": _Form(structural, ideals="targets"),
    "chunks": _Form(chunks, named=("next", "previous", "parent", "child"), gives="either"),
    "timeline": _Form(timeline, number="leaving_rate", named=("least",), ideals="targets"),
    "timeline-steps": _Form(timeline_steps, number="leaving_rate", gives="steps"),
    "tolerance": _Form(tolerance, number="words", switch="falling", ideals="own"),
    "web": _Form(web, number="damping", gives="steps", of="links"),
}


@dataclass(frozen=True, slots=True)
class Way:
    """A way of browsing: a function of `prum.simulator.model.ways` and its parameters.

    Made by `way_of`.

    Parameters
    ----------
    word
        What the way is called.
    parameters
        Name and value of each, as the function calls them.

    >>> tree = Elements({"a": (None, 60), "b": ("a", 40), "c": ("b", 10)})
    >>> way_of("structural").links(tree, ["c"])
    Links({('a', 'c'): 0.16666666666666666, ('b', 'c'): 0.25})
    """

    word: str
    parameters: tuple[tuple[str, float], ...] = ()

    @property
    def name(self) -> str:
        """The way in words, as `way_of` reads them; equal ways have equal names.

        >>> way_of("chunks previous .2 next .50").name
        'chunks next 0.5 previous 0.2'
        """
        form, words = self._form, [self.word]
        for name, value in self.parameters:
            words += [name] if name != form.number else []
            words += [repr(value)] if name != form.switch else []
        return " ".join(words)

    @property
    def of(self) -> Literal["elements", "links"]:
        """What the links are made of."""
        return self._form.of

    @property
    def is_for_each_topic(self) -> bool:
        """Whether each topic has links of its own, made from its ideals."""
        return self._form.ideals == "own"

    @property
    def kind(self) -> str:
        """The kind of navigation that the links are meant for, as `navigation_of` names it."""
        return "walk" if self._form.gives == "steps" else "independent"

    @property
    def _form(self) -> _Form:
        return _FORMS[self.word]

    def links(self, table: Elements | Links, ideals: Iterable[str]) -> Links:
        """Return the links that a table makes, given the elements that are ideal.

        Links to other elements may be missing where they change no result.

        Raises
        ------
        InputError
            as the function; for an ideal that is not in the table.
        """
        given: dict[str, Any] = {
            name: name == self._form.switch or value for name, value in self.parameters
        }
        if self._form.ideals == "targets":
            given["targets"] = ideals
        elif self._form.ideals == "own":
            given["ideals"] = ideals
        return self._form.function(table, **given)

    def check_kind(self, kind: str) -> None:
        """Raise unless the links can be browsed as `kind` says.

        Raises
        ------
        InputError
            as `navigation_of`; for walking along P(x -> y), which is no probability of a step.

        >>> way_of("structural").check_kind("exclusive + fading 0.9")
        """
        # Any documents will do.
        navigation = navigation_of(kind, Links({}), {"element": "document"})
        if isinstance(navigation, Browsing):
            navigation = navigation.navigation
        if isinstance(navigation, Walk) and self._form.gives == "visits":
            walkable = [
                word
                for word, form in _FORMS.items()
                if form.gives != "visits" and form.of == self.of
            ]
            raise InputError(
                "navigation",
                kind,
                f"not walk along what way {self.word} gives: P(x -> y), not the steps of a walk",
                remedy=f"take independent, or a way to walk: {', '.join(walkable)}",
            )


def way_of(text: str) -> Way:
    """Return the way that is named: a word, its number, and what else it takes, in any order.

    Raises
    ------
    InputError
        for other words than those of `WAYS`, and for values that the way does not take.

    >>> way_of("tolerance 200 falling")
    Way(word='tolerance', parameters=(('words', 200.0), ('falling', True)))
    """
    word, *words = text.split() or [""]
    parameters = _parameters(_FORMS[word], words) if word in _FORMS else None
    if parameters is None:
        raise InputError(
            "way", text, f"be one of {', '.join(WAYS)}", remedy="write chunks next .5, say"
        )
    way = Way(word, parameters)
    try:
        # The function itself knows which values it takes.
        way.links(Elements({}) if way.of == "elements" else Links({}), ())
    except InputError as error:
        raise InputError(
            f"{error.thing} of way {word}", error.value, error.rule, remedy=error.remedy
        ) from None
    return way


def chosen_way(name: str | None, *, links: bool, elements: bool) -> Way | None:
    """Return the way that makes the links of a campaign: structural, if elements stand alone.

    None means that links are as they are given, if any are.

    Raises
    ------
    InputError
        as `way_of`; for links beside elements, and a way of what is not there.

    >>> chosen_way(None, links=False, elements=True)
    Way(word='structural', parameters=())
    """
    if links and elements:
        raise InputError(
            "links",
            "beside elements",
            "be left out with elements, which make links",
            remedy="give one of the two",
        )
    if name is None:
        return way_of("structural") if elements else None
    way = way_of(name)
    if not {"links": links, "elements": elements}[way.of]:
        ways = WAYS_OF_LINKS if links else WAYS_OF_ELEMENTS if elements else ()
        raise InputError(
            "way",
            name,
            f"have {way.of} to make links of",
            remedy=f"give {way.of}" + (f", or take {', '.join(ways)}" if ways else ""),
        )
    return way


def _parameters(form: _Form, words: list[str]) -> tuple[tuple[str, float], ...] | None:
    """Return what the words after a way's own say, in the order of its form; None if nothing."""
    values = dict[str, float]()
    rest = [form.number, *words] if form.number else words
    while rest:
        name, *rest = rest
        if name in values or name not in (form.number, *form.named, form.switch):
            return None
        if name == form.switch:
            values[name] = True
            continue
        try:
            values[name] = float(rest[0])
        except (IndexError, ValueError):
            return None
        rest = rest[1:]
    if form.named and not values:
        return None
    order = (form.number, *form.named, form.switch)
    return tuple((name, values[name]) for name in order if name in values)
