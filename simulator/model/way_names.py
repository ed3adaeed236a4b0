"""Ways of browsing by name: how links are made from elements, or from other links."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from prum.simulator.model.chunk_table import ChunkTable
from prum.simulator.model.elements import Elements
from prum.simulator.model.errors import InputError
from prum.simulator.model.grammar import Vocabulary
from prum.simulator.model.kinds import navigation_of
from prum.simulator.model.tables import Links
from prum.simulator.model.ways import (
    assessed,
    chunks,
    distance,
    structural,
    timeline,
    timeline_steps,
    tolerance,
    web,
)

WAYS = Vocabulary(
    "way",
    "chunks next .5",
    """
structural | structural
    up and down, by lengths (equation 9); not walk
chunks [next=P] [previous=P] [parent=P] [child=P] | chunks next .5
    to those around; P in [0, 1]; any navigation
timeline leaving_rate=RATE [least=P] | timeline .01
    watching on; RATE in [0, inf); P in [0, 1]; not walk
timeline-steps leaving_rate=RATE | timeline-steps .01
    the same, step by step; RATE in [0, inf); walk by default
tolerance words=WORDS [falling] | tolerance 200 falling
    reading on to the first ideal; WORDS in (0, inf); not walk
distance words=WORDS [inverse] | distance 200 inverse
    within a distance either way, or inverse to it; WORDS in (0, inf); not walk
assessed | assessed
    from near misses, by what these are worth; not walk
web damping=DAMPING | web .85
    of links: each of a page alike; DAMPING in [0, 1]; walk by default
""",
    {
        "structural": structural,
        "chunks": chunks,
        "timeline": timeline,
        "timeline-steps": timeline_steps,
        "tolerance": tolerance,
        "distance": distance,
        "assessed": assessed,
        "web": web,
    },
)
# What links are made for: those to "targets" alone; those of each topic, from its "own" ideals or
# from their judgements, too. Of other ways ideals do not matter.
_IDEALS = {
    **dict.fromkeys(("structural", "timeline", "distance"), "targets"),
    "tolerance": "own",
    "assessed": "judged",
}
# Ways whose probabilities can be those of steps; by default the last two are walked along.
_WALKABLE = ("chunks", "timeline-steps", "web")
_OF_LINKS = ("web",)


def ways_of(table: Literal["elements", "links"]) -> tuple[str, ...]:
    """Return the ways that make links from elements, or from links, as they are written.

    >>> ways_of("links")
    ('web DAMPING',)
    """
    forms = WAYS.forms.items()
    return tuple(str(form) for word, form in forms if (word in _OF_LINKS) == (table == "links"))


@dataclass(frozen=True, slots=True)
class Way:
    """A way of browsing: a function that makes `Links` and its parameters.

    Made by `way_of`.

    `word`: its name; `parameters`: name and value of each parameter of the function.

    >>> tree = Elements({"a": (None, 60), "b": ("a", 40), "c": ("b", 10)})
    >>> way_of("structural").links(tree, ["c"])
    Links({('a', 'c'): 0.16666666666666666, ('b', 'c'): 0.25})
    """

    word: str
    parameters: tuple[tuple[str, float], ...] = ()

    @property
    def name(self) -> str:
        """The way in words, as `way_of` reads it; equal ways have equal names.

        >>> way_of("chunks previous .2 next .50").name
        'chunks next 0.5 previous 0.2'
        """
        return WAYS.forms[self.word].write(dict(self.parameters))

    @property
    def of(self) -> Literal["elements", "links"]:
        """What the links are made from."""
        return "links" if self.word in _OF_LINKS else "elements"

    @property
    def is_for_each_topic(self) -> bool:
        """Whether each topic has links of its own, made from its ideals."""
        return _IDEALS.get(self.word) in ("own", "judged")

    @property
    def leads_to_ideals(self) -> bool:
        """Whether links to what is no ideal may be missing."""
        return self.word in _IDEALS

    @property
    def kind(self) -> str:
        """The navigation that the links are meant for, as `navigation_of` names it."""
        return "walk" if self.word in _WALKABLE[1:] else "independent"

    def links(
        self,
        table: Elements | Links | ChunkTable,
        ideals: Iterable[str],
        credited: Iterable[str] = (),
        relevance: Mapping[str, float] | None = None,
    ) -> Links:
        """Return the links that are made from a table, for these ideals.

        Links to elements that are neither ideal nor `credited`, as near misses are by measures of
        graded relevance, may be missing. A way by judgements takes what elements are worth, in
        [0, 1], from `relevance`.

        Raise InputError as the function; for an ideal that is not in the table; for chunks with
        offsets, where the way is not chunks.
        """
        if isinstance(table, ChunkTable) and self.word != "chunks":
            rule = "be chunks where chunks have offsets"
            raise InputError("way", self.word, rule, remedy="write like chunks next .5")
        arguments: dict[str, Any] = dict(self.parameters)
        match _IDEALS.get(self.word):
            case "targets":
                arguments["targets"] = {*ideals, *credited}
            case "own":
                arguments |= {"ideals": ideals, "targets": credited}
            case "judged":
                arguments |= {"ideals": ideals, "relevance": relevance}
        links: Links = WAYS.forms[self.word].make(table, **arguments)
        return links

    def check_kind(self, kind: str) -> None:
        """Raise unless the links can be browsed as `kind` says.

        Raise InputError as `navigation_of`; for walking along P(x -> y), which is not the
        probability of a step.

        >>> way_of("structural").check_kind("exclusive + fading 0.9")
        """
        # Any documents will do.
        base = navigation_of(kind, Links({}), {"element": "document"}).base
        if base.is_walk and self.word not in _WALKABLE:
            walkable = [word for word in _WALKABLE if (word in _OF_LINKS) == (self.of == "links")]
            rule = f"not walk along what way {self.word} gives: P(x -> y), not the steps of a walk"
            remedy = f"take independent, or a way to walk: {', '.join(walkable)}"
            raise InputError("navigation", kind, rule, remedy=remedy)


def way_of(text: str) -> Way:
    """Return a way by its name, one of `WAYS`.

    >>> way_of("tolerance 200 falling")
    Way(word='tolerance', parameters=(('words', 200.0), ('falling', True)))
    """
    [(form, values)] = WAYS.read(text)
    way = Way(form.head, tuple(values.items()))
    try:
        # The function itself knows which values it takes.
        way.links(Elements({}) if way.of == "elements" else Links({}), ())
    except InputError as error:
        raise InputError(
            f"{error.thing} of way {way.word}", error.value, error.rule, remedy=error.remedy
        ) from None
    return way


def chosen_way(name: str | None, *, links: bool, elements: bool) -> Way | None:
    """Return the way that makes the links of a campaign; by default structural, for elements alone.

    None means that the links are used as they are. Beside links elements make none: they say what
    contains what.

    Raise InputError as `way_of`; for a way that needs what is missing, and for one of elements
    beside links.

    >>> chosen_way(None, links=False, elements=True)
    Way(word='structural', parameters=())
    """
    if name is None:
        return way_of("structural") if elements and not links else None
    way = way_of(name)
    if links and elements and way.of == "elements":
        rule = "be a way of links where links are given beside elements"
        remedy = f"leave out the way or the links, or take {', '.join(ways_of('links'))}"
        raise InputError("way", name, rule, remedy=remedy)
    if not {"links": links, "elements": elements}[way.of]:
        ways = ways_of("links" if links else "elements") if links or elements else ()
        remedy = f"give {way.of}" + (f", or take {', '.join(ways)}" if ways else "")
        raise InputError("way", name, f"have {way.of} to make links of", remedy=remedy)
    return way
