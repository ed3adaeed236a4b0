"""Small tasks on which measures show what they do: those of the paper, and random ones."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from prum.simulator.model import (
    Assessment,
    Elements,
    Task,
    assessment_of,
    best_on_each_path,
    strict_ideals,
    structural,
)
from prum.simulator.model.assessments import generalised

# The name of every random topic.
RANDOM = "random"
# The random tasks' uncertain links: EPRUM enumerates what may come of them.
_MOST_UNCERTAIN = 6


@dataclass(frozen=True)
class ExampleTask:
    """A topic that every measure can score lists on.

    Parameters
    ----------
    name
        For people to read.
    elements
        All that lists may name.
    assessments
        What is not assessed is E0S0.
    ideals
        What users look for.
    links
        P(x -> y) of users who browse.
    words
        How many irrelevant words a user of T2I bears.
    others
        Elements of the collection that nothing names.
    """

    name: str
    elements: Elements
    assessments: Mapping[str, Assessment]
    ideals: tuple[str, ...]
    links: Mapping[tuple[str, str], float]
    words: float = 25.0
    others: int = 10

    @cached_property
    def relevance(self) -> dict[str, float]:
        """The worth of each assessed element, by the generalised quantisation."""
        return _worth(self.assessments)

    @cached_property
    def relevant(self) -> tuple[str, ...]:
        """The elements relevant to a measure that knows two grades: E3S3, nested or not."""
        return strict_ideals(self.assessments)

    def task(self, ranking: tuple[str, ...], ideals: tuple[str, ...] | None = None) -> Task:
        """Return the list with the ideals, or with others."""
        size = len(self.elements) + self.others
        return Task(ranking, self.ideals if ideals is None else ideals, size)

    def __str__(self) -> str:
        assessed = ", ".join(f"{x} {marks}" for x, marks in self.assessments.items())
        links = ", ".join(f"{x}→{y} {p:.3g}" for (x, y), p in self.links.items())
        text = f"{self._trees()}; ideal {', '.join(self.ideals)}; assessed {assessed}"
        return f"{text}; links {links}" if links else text

    def _trees(self) -> str:
        """Return documents with what they contain in brackets, and lengths."""
        lengths = {x: f"{length:g}" for x, _, length, _ in self.elements}

        def text(x: str) -> str:
            inner = " ".join(map(text, self.elements.children(x)))
            return f"{x}:{lengths[x]}" + (f"({inner})" if inner else "")

        return " ".join(text(x) for x, parent, _, _ in self.elements if parent is None)


def _trees(text: str) -> Elements:
    """Return the elements of a text: each with its length, where it starts, and its parts.

    >>> [row[:3] for row in _trees("a:100(b:10@50) n:10")]
    [('a', None, 100.0), ('b', 'a', 10.0), ('n', None, 10.0)]
    """
    rows = dict[str, tuple[str | None, float, float | None]]()
    parents: list[str | None] = [None]
    for name, length, start, bracket in re.findall(r"(\w+):([\d.]+)@?(\d*)|([()])", text):
        if name:
            rows[name] = parents[-1], float(length), float(start) if start else None
        elif bracket == "(":
            parents.append(next(reversed(rows)))
        else:
            parents.pop()
    return Elements(rows)


def _judged(**written: str) -> dict[str, Assessment]:
    return {element: assessment_of(text) for element, text in written.items()}


def _structural(elements: Elements, ideal: str) -> dict[tuple[str, str], float]:
    """Return P(x -> y) of equation (9)."""
    return {(x, y): p for x, y, p in structural(elements, targets=[ideal])}


_APART = _trees("h:10 k:10 m:10 n:10 o:10")
# Documents with one part each: none leads to two ideals, so Hypothesis 2.3 costs nothing.
ONE_EACH = ExampleTask(
    "one each",
    _trees("x:50(a:10@20) y:50(b:10@20) n:10"),
    _judged(a="E3S3", b="E3S3"),
    ("a", "b"),
    {("x", "a"): 0.4, ("y", "b"): 0.6},
)
# Table III of the paper; i begins where o does, so that a reader finds both at once.
TWO_AT_ONCE = ExampleTask(
    "two at once",
    _trees("d:60(o:20@10(i:10@10)) e:10"),
    _judged(d="E3S1", o="E3S3", i="E3S3"),
    ("i", "o"),
    {("d", "o"): 0.4, ("d", "i"): 0.4, ("e", "o"): 0.6, ("e", "i"): 0.4},
)
FLAT = ExampleTask("flat", _APART, _judged(h="E3S3", k="E3S3"), ("h", "k"), {})
GRADES = ExampleTask("grades", _APART, _judged(h="E3S3", k="E3S3", m="E1S1"), ("h", "k", "m"), {})
# f is ideal; a holds it, b is a part of it, e and g stand before and behind it, w links to it.
NEAR = ExampleTask(
    "near",
    _trees("a:100(e:10@0 f:20@20(b:10@25) g:10@50) w:10 n:10"),
    _judged(a="E3S2", f="E3S3", b="E1S3"),
    ("f",),
    {("a", "f"): 0.2, ("b", "f"): 0.5, ("e", "f"): 0.3, ("g", "f"): 0.3, ("w", "f"): 0.4},
)
# Nearly all of a is b: both are E3S3, and users who are shown a see b.
INNER = ExampleTask(
    "inner",
    _trees("a:100(b:90) z:10 n:10"),
    _judged(a="E3S3", b="E3S3", z="E3S3"),
    ("b", "z"),
    {("a", "b"): 1.0, ("b", "a"): 0.9},
)
OUTER = replace(INNER, name="outer", ideals=("a", "z"))
# Fig. 7: a leads everybody to both ideals.
ENTRY = ExampleTask(
    "entry",
    _trees("a:20(b:10 c:10)"),
    _judged(a="E3S3", b="E3S3", c="E3S3"),
    ("b", "c"),
    {("a", "b"): 1.0, ("a", "c"): 1.0},
    others=97,
)
# Fig. 3: f alone is ideal, a to d are near misses worth .75, .75, .5, .5 to GRP.
_THIRD = _trees("a:100(e:20 f:60(b:10 c:10 d:10))")
STRICT = ExampleTask("strict", _THIRD, _judged(f="E3S3"), ("f",), _structural(_THIRD, "f"))
OVERPOPULATED = replace(
    STRICT,
    name="overpopulated",
    assessments=_judged(a="E2S3", b="E2S3", c="E1S3", d="E1S3", f="E3S3"),
)
# Fig. 6: leaves of 10 words, other elements 10 words more than what they contain.
_DRAMA = _trees("a:60(b:40(c:10 d:10 e:10) f:10)")
DRAMA = ExampleTask(
    "drama", _DRAMA, _judged(a="E3S2", b="E3S2", c="E3S3"), ("c",), _structural(_DRAMA, "c")
)
# Parts a little less relevant than the ideal that they make up.
PARTS = ExampleTask(
    "parts",
    _trees("a:20(b:10 c:10) n:10"),
    _judged(a="E3S3", b="E3S2", c="E3S2"),
    ("a",),
    {},
)
_SMALL = (FLAT, GRADES, ONE_EACH, TWO_AT_ONCE, NEAR, INNER, OUTER, ENTRY)
CASES = (*_SMALL, STRICT, OVERPOPULATED, DRAMA, PARTS)

Drawn = tuple[ExampleTask, tuple[str, ...]]
# A counter-example that random tasks seldom meet: d holds e, and moves up past it.
PART_FIRST = ExampleTask(
    "part first",
    _trees("a:20(b:10 c:10) d:20(e:10 f:10) n:10"),
    _judged(a="E3S2", b="E2S2", c="E3S3", d="E3S3", e="E3S1", f="E3S2"),
    ("b", "c", "d"),
    {},
)
KNOWN: tuple[Drawn, ...] = ((PART_FIRST, ("e", "d", "n", "b", "c")),)


# --- random ones ------------------------------------------------------------------------------


def random_case(rng: np.random.Generator) -> Drawn:
    """Return a small topic and a list of it: two documents, and n, which is of no use.

    What an element holds its ancestors hold too; one part at least is E3S3. Ideals are the best on
    each path. Users browse between any two elements but n.
    """
    rows: dict[str, tuple[str | None, float]] = {}
    holds: dict[str, list[str]] = {}
    names = iter("abcdefghijkl")
    for _ in range(2):
        root = next(names)
        parts = [next(names) for _ in range(int(rng.integers(1, 3)))]
        inner = next(names) if rng.random() < 0.5 else ""
        length = 20.0 if inner else 10.0
        first = 10.0 * int(rng.integers(2)) + length + 10 * (len(parts) - 1)
        rows[root] = (None, first)
        for part in parts:
            rows[part] = (root, length if part == parts[0] else 10.0)
        if inner:
            rows[inner] = (parts[0], 10.0)
        holds |= {root: [*parts, *inner], parts[0]: [*inner]}
    leaves = [x for x in rows if not holds.get(x)]
    exhaustive = {x: int(rng.integers(0, 4)) for x in leaves}
    best = leaves[int(rng.integers(len(leaves)))]
    exhaustive[best] = 3
    for x in reversed(rows):
        exhaustive.setdefault(x, max([exhaustive[y] for y in holds.get(x, ())], default=0))
    assessments = {
        x: Assessment(exhaustive[x], 3 if x == best else int(rng.integers(1, 4)))
        for x in rows
        if exhaustive[x]
    }
    elements = Elements({**rows, "n": (None, 10)})
    ideals = _best(assessments, elements)
    pairs = [(x, y) for x in rows for y in ideals if x != y and rng.random() < 0.4]
    chances = rng.choice([0.25, 0.5, 0.75, 1.0], size=len(pairs)).tolist()
    links = dict(zip(pairs, chances, strict=True))
    uncertain = [pair for pair, p in links.items() if p < 1][_MOST_UNCERTAIN:]
    for pair in uncertain:
        del links[pair]
    drawn = rng.permutation(len(elements))[: int(rng.integers(2, 6))].tolist()
    case = ExampleTask(RANDOM, elements, assessments, ideals, links)
    return case, tuple(elements.ids[number] for number in drawn)


def smaller(case: ExampleTask, ranking: tuple[str, ...]) -> Iterator[Drawn]:
    """Yield what is left of a topic and a list without one of its parts."""
    for rank in range(len(ranking)):
        yield case, ranking[:rank] + ranking[rank + 1 :]
    for pair in case.links:
        links = {other: p for other, p in case.links.items() if other != pair}
        yield replace(case, links=links), ranking
    for leaf in case.elements.ids:
        if leaf in ranking or case.elements.children(leaf):
            continue
        rows = {x: (parent, length, start) for x, parent, length, start in case.elements}
        del rows[leaf]
        elements = Elements(rows)
        left = {x: marks for x, marks in case.assessments.items() if x != leaf}
        if case.ideals == _best(case.assessments, case.elements):
            ideals = _best(left, elements)
        else:
            ideals = tuple(x for x in case.ideals if x != leaf)
        if not strict_ideals(left) or not ideals:
            continue
        links = {(x, y): p for (x, y), p in case.links.items() if x != leaf and y in ideals}
        less = replace(case, elements=elements, assessments=left, ideals=ideals, links=links)
        yield less, ranking


def _best(assessments: Mapping[str, Assessment], elements: Elements) -> tuple[str, ...]:
    return best_on_each_path(_worth(assessments), elements)


def _worth(assessments: Mapping[str, Assessment]) -> dict[str, float]:
    return {element: generalised(marks) for element, marks in assessments.items()}
