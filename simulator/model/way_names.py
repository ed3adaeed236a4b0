"""Ways of browsing by name: how links are made from elements, or from other links.

Those of links alone are of pages, and of what users were seen to follow.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model.arrays import Floats
from prum.simulator.model.chunk_table import ChunkTable
from prum.simulator.model.elements import Elements
from prum.simulator.model.errors import InputError, check_id, check_pair, proportion, whole_number
from prum.simulator.model.grammar import UNIT, Argument, Form, Vocabulary
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
)


def web(links: Links | Iterable[tuple[str, str]], damping: float) -> Links:
    """Return the steps of users who follow a link with probability `damping`, for `Walk`.

    All links of a page are equally likely::

        p(x, y) = damping / outdegree(x)

    Links of a page to itself are left out and do not count in its outdegree. Of `Links` only the
    pairs are used.

    >>> web([("x", "y"), ("x", "z"), ("y", "y")], 0.8)
    Links({('x', 'y'): 0.4, ('x', 'z'): 0.4})
    """
    share = proportion("damping", damping, remedy="give the probability of going on")
    if isinstance(links, Links):
        pairs = [(source, target) for source, target, _ in links]
    else:
        pairs = [check_pair("link", pair) for pair in links]
    table = Links.from_columns([x for x, _ in pairs], [y for _, y in pairs], np.ones(len(pairs)))
    away = table.sources != table.targets
    sources, targets = table.sources[away], table.targets[away]
    steps = share / np.bincount(sources)[sources]
    kept = steps > 0
    return Links.from_columns(
        [table.elements[x] for x in sources[kept].tolist()],
        [table.elements[y] for y in targets[kept].tolist()],
        steps[kept],
    )


def observed(transitions: Mapping[tuple[str, str], int], visits: Mapping[str, int]) -> Links:
    """Return the shares of observed users who went from x to y::

        p(x, y) = transitions[x, y] / visits[x]

    where `visits[x]` counts how often users were at x: the share that is missing to 1 stopped
    there. If the transitions are single steps, the table is for `Walk`; if they count users who
    came from x to y sooner or later, for `Independent`. A share is an estimate, with the error of
    its count.

    >>> steps = {("x", "y"): 50, ("x", "z"): 30, ("y", "z"): 80, ("z", "y"): 12}         # Fig. 2
    >>> observed(steps, {"x": 100, "y": 100, "z": 100})
    Links({('x', 'y'): 0.5, ('x', 'z'): 0.3, ('y', 'z'): 0.8, ('z', 'y'): 0.12})
    """
    for name, counts in (("transitions", transitions), ("visits", visits)):
        if not isinstance(counts, Mapping):
            raise InputError(name, counts, "be a mapping to counts", remedy="give a dict")
    times = {
        check_id("element of visits", element): whole_number(
            f"visits of {element!r}", count, least=0, remedy="count how often users were there"
        )
        for element, count in visits.items()
    }
    rows = dict[tuple[str, str], int]()
    for pair, count in transitions.items():
        check_pair("a pair of transitions", pair)
        source, target = check_id("source", pair[0]), check_id("target", pair[1])
        if source == target:
            raise InputError(
                "transition", pair, "lead to another element", remedy="do not count it as a visit"
            )
        if source not in times:
            raise InputError(
                "source", source, "have a number of visits", remedy="count them, stops included"
            )
        number = whole_number(
            f"count of {source!r} -> {target!r}",
            count,
            least=0,
            most=times[source],
            remedy=f"count every visit of {source!r}",
        )
        if number:
            rows[source, target] = number
    went = np.array(list(rows.values()), dtype=np.float64)
    were = np.array([times[source] for source, _ in rows], dtype=np.float64)
    return Links(dict(zip(rows, observed_shares(went, were).tolist(), strict=True)))


def observed_shares(counts: ArrayLike, visits: ArrayLike) -> Floats:
    """Return counts / visits, 0 where nobody was: what `observed` is of columns.

    >>> observed_shares(np.array([50, 0]), np.array([100, 0])).tolist()
    [0.5, 0.0]
    """
    went, were = np.asarray(counts, dtype=np.float64), np.asarray(visits, dtype=np.float64)
    return np.divide(went, were, out=np.zeros(went.shape), where=were > 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form(Form):
    """The form of a way, and what its function takes and gives.

    Parameters
    ----------
    ideals
        "targets" if only links to what is credited matter, "own" if the links of each topic are
        made from its own ideals, "judged" if from their judgements, too, "none" if ideals do not
        matter.
    gives
        P(x -> y) of "visits", "steps" of a walk, or "either", as it is read.
    of
        What the links are made from.
    """

    ideals: Literal["none", "targets", "own", "judged"] = "none"
    gives: Literal["visits", "steps", "either"] = "visits"
    of: Literal["elements", "links"] = "elements"

    @property
    def about(self) -> str:
        """The meaning, the ranges of the arguments, and what the links are browsed by."""
        browsed = {"visits": "not walk", "steps": "walk by default", "either": "any navigation"}
        return f"{super(_Form, self).about}; {browsed[self.gives]}"


_RATE = Argument("leaving_rate", "RATE", "[0, inf)")
WAYS = Vocabulary(
    "way",
    "chunks next .5",
    _Form(
        "structural",
        "up and down, by lengths (equation 9)",
        "structural",
        structural,
        ideals="targets",
    ),
    _Form(
        "chunks",
        "to those around",
        "chunks next .5",
        chunks,
        tuple(
            Argument(name, "P", UNIT, is_optional=True)
            for name in ("next", "previous", "parent", "child")
        ),
        gives="either",
    ),
    _Form(
        "timeline",
        "watching on",
        "timeline .01",
        timeline,
        (_RATE, Argument("least", "P", UNIT, is_optional=True)),
        ideals="targets",
    ),
    _Form(
        "timeline-steps",
        "the same, step by step",
        "timeline-steps .01",
        timeline_steps,
        (_RATE,),
        gives="steps",
    ),
    _Form(
        "tolerance",
        "reading on to the first ideal",
        "tolerance 200 falling",
        tolerance,
        (
            Argument("words", "WORDS", "(0, inf)"),
            Argument("falling", type="truth value", is_optional=True),
        ),
        ideals="own",
    ),
    _Form(
        "distance",
        "within a distance either way, or inverse to it",
        "distance 200 inverse",
        distance,
        (
            Argument("words", "WORDS", "(0, inf)"),
            Argument("inverse", type="truth value", is_optional=True),
        ),
        ideals="targets",
    ),
    _Form(
        "assessed",
        "from near misses, by what these are worth",
        "assessed",
        assessed,
        ideals="judged",
    ),
    _Form(
        "web",
        "of links: each of a page alike",
        "web .85",
        web,
        (Argument("damping", "DAMPING", UNIT),),
        gives="steps",
        of="links",
    ),
)


def ways_of(table: Literal["elements", "links"]) -> tuple[str, ...]:
    """Return the ways that make links from elements, or from links, as they are written.

    >>> ways_of("links")
    ('web DAMPING',)
    """
    return tuple(str(form) for form in WAYS.forms.values() if form.of == table)


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
        return self._form.write(dict(self.parameters))

    @property
    def of(self) -> Literal["elements", "links"]:
        """What the links are made from."""
        return self._form.of

    @property
    def is_for_each_topic(self) -> bool:
        """Whether each topic has links of its own, made from its ideals."""
        return self._form.ideals in ("own", "judged")

    @property
    def leads_to_ideals(self) -> bool:
        """Whether links to what is no ideal may be missing."""
        return self._form.ideals != "none"

    @property
    def kind(self) -> str:
        """The navigation that the links are meant for, as `navigation_of` names it."""
        return "walk" if self._form.gives == "steps" else "independent"

    @property
    def _form(self) -> _Form:
        return WAYS.forms[self.word]

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
        if self._form.ideals == "targets":
            arguments["targets"] = {*ideals, *credited}
        elif self._form.ideals == "own":
            arguments |= {"ideals": ideals, "targets": credited}
        elif self._form.ideals == "judged":
            arguments |= {"ideals": ideals, "relevance": relevance}
        links: Links = self._form.make(table, **arguments)
        return links

    def check_kind(self, kind: str) -> None:
        """Raise unless the links can be browsed as `kind` says.

        Raise InputError as `navigation_of`; for walking along P(x -> y), which is not the
        probability of a step.

        >>> way_of("structural").check_kind("exclusive + fading 0.9")
        """
        # Any documents will do.
        base = navigation_of(kind, Links({}), {"element": "document"}).base
        if base.is_walk and self._form.gives == "visits":
            walkable = [
                word
                for word, form in WAYS.forms.items()
                if form.gives != "visits" and form.of == self.of
            ]
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
