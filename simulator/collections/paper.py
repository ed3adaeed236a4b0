"""The examples of the PRUM paper as data: Piwowarski, Gallinari and Dupret (2007)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.linking import Linked, linked
from prum.simulator.model import Elements, Links
from prum.simulator.model.assessments import Assessment, assessment_of

# A tree: element -> parent and length in words.
Tree = Mapping[str, tuple[str | None, float]]


@dataclass(frozen=True, slots=True)
class PaperExample:
    """A figure or a table of the paper; elements are letters.

    Parameters
    ----------
    name, about
        What it is called, and what it shows.
    lists
        System -> its list.
    ideals
        The ideals.
    size
        Number of elements of the collection.
    links
        Source and target -> P(source -> target); without any, a tree makes them by equation 9.
    scenarios
        Topic -> its links, where there are several topics and each has its own.
    kind
        How they are browsed, as `navigation_of` names it.
    tree
        The elements, where they hold each other.
    assessed
        Element -> assessment, by which measures of graded relevance judge.
    """

    name: str
    about: str
    lists: Mapping[str, str]
    ideals: str
    size: int
    links: Mapping[str, float] = field(default_factory=dict)
    scenarios: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    kind: str = "independent"
    tree: Tree = field(default_factory=dict)
    assessed: Mapping[str, str] = field(default_factory=dict)

    def load(self) -> Campaign:
        """Return it as a campaign of one topic, named as it is, or of its scenarios.

        >>> next(example for example in PAPER if example.name == "fig4").load().task("list", "fig4")
        Task(ranking=('a', 'b', 'c'), ideals=('d',), collection_size=4)
        """
        topics = tuple(self.scenarios) or (self.name,)
        ideals = dict.fromkeys(topics, tuple(self.ideals))
        if self.scenarios:
            table = Linked({topic: _links(links) for topic, links in self.scenarios.items()})
        elif self.elements is not None and not self.links:
            table = linked(None, (), None, ideals, qrels=self.name, tree=self.elements)
        else:
            table = Linked(_links(self.links))
        return Campaign(
            name=self.name,
            ideals=ideals,
            runs={
                system: dict.fromkeys(topics, tuple(ranking))
                for system, ranking in self.lists.items()
            },
            navigation=table.browsed(self.kind),
            collection_size=self.size,
            documents=table.documents,
            way=table.way,
            elements=table.elements,
        )

    @property
    def elements(self) -> Elements | None:
        """The tree as elements, if there is one."""
        return Elements(dict(self.tree)) if self.tree else None

    @property
    def assessments(self) -> dict[str, Assessment]:
        """The assessments, if the paper has them."""
        return {element: assessment_of(text) for element, text in self.assessed.items()}


_WEB = {"ca": 0.4, "cb": 0.4, "da": 0.6, "db": 0.4}
_LIST, _BY_GOOD_AND_BAD = "cdab", {"good": "cba", "bad": "abc"}
# Table III: the ranks from which a and b are first seen.
FIRST_SEEN = ((1, 1), (1, 2), (1, 4), (2, 1), (2, 2), (2, 4), (3, 1), (3, 2), (3, 4))


def _links(links: Mapping[str, float]) -> Links:
    return Links({(ends[0], ends[1]): p for ends, p in links.items()})


def _scenarios() -> dict[str, dict[str, float]]:
    """Return the links of the nine scenarios: users of Fig. 5 who all do the same."""
    made = {}
    for number, ranks in enumerate(FIRST_SEEN, start=1):
        sources = {ideal: _LIST[rank - 1] for ideal, rank in zip("ab", ranks, strict=True)}
        made[f"scenario-{number}"] = {
            f"{source}{ideal}": 1.0 for ideal, source in sources.items() if source != ideal
        }
    return made


# What the text leaves open, and no printed number hangs on: in Fig. 1 how many elements there are
# besides those named, in Fig. 3 the lengths of all but a and b, and where c and d stand, in Fig. 7
# all lengths.
PAPER: tuple[PaperExample, ...] = (
    PaperExample(
        "fig1",
        "Fig. 1: a user who wants 4 ideals",
        {"list": "abcde"},
        "bfgh",
        11,
        {"cf": 1, "df": 1, "di": 1, "eg": 1, "eh": 1},
    ),
    PaperExample(
        "fig2",
        "Fig. 2: moves from x to y and z, a walk",
        {"list": "x"},
        "yz",
        3,
        {"xy": 0.5, "xz": 0.3, "yz": 0.8, "zy": 0.12},
        kind="walk",
    ),
    PaperExample(
        "fig3",
        "Fig. 3, left: a document, assessed near misses of f",
        {"perfect": "f", "b-then-a": "ba", "a-then-b": "ab"},
        "f",
        6,
        tree={
            "a": (None, 100),
            "e": ("a", 20),
            "f": ("a", 60),
            "b": ("f", 10),
            "c": ("f", 10),
            "d": ("f", 10),
        },
        assessed={"a": "E3S2", "b": "E2S3", "c": "E1S3", "d": "E1S3", "f": "E3S3"},
    ),
    PaperExample(
        "fig4",
        "Fig. 4: three elements that lead to d",
        {"list": "abc"},
        "d",
        4,
        {"ad": 0.4, "bd": 0.9, "cd": 0.2},
    ),
    PaperExample("fig5", "Fig. 5 and Table III: Web pages", {"list": _LIST}, "ab", 4, _WEB),
    PaperExample(
        "fig6",
        "Fig. 6, left: a document, browsed by equation 9",
        _BY_GOOD_AND_BAD,
        "c",
        6,
        tree={
            "a": (None, 60),
            "b": ("a", 40),
            "c": ("b", 10),
            "d": ("b", 10),
            "e": ("b", 10),
            "f": ("a", 10),
        },
        assessed={"a": "E3S2", "b": "E3S2", "c": "E3S3"},
    ),
    PaperExample(
        "fig6-video",
        "Fig. 6, right: four scenes of a video",
        _BY_GOOD_AND_BAD,
        "c",
        4,
        {"ac": 1 / 6, "bc": 1 / 4},
    ),
    PaperExample(
        "fig7",
        "Fig. 7: the best entry point, a",
        {"list": "a"},
        "bc",
        100,
        {"ab": 1, "ac": 1},
        tree={"a": (None, 20), "b": ("a", 10), "c": ("a", 10)},
        assessed={"a": "E3S3", "b": "E3S3", "c": "E3S3"},
    ),
    PaperExample(
        "table3",
        "Table III: nine scenarios of Fig. 5, each its own users",
        {"list": _LIST},
        "ab",
        4,
        scenarios=_scenarios(),
    ),
)
