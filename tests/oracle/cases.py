"""Small tasks, ways of browsing, and for each fault of a user the task that shows it."""

from prum.simulator.model import (
    Beta,
    Browsing,
    Copula,
    Coupled,
    Independent,
    Navigation,
    OneFactor,
    Task,
    Types,
    Walk,
)

TABLE_III = (
    Task(["c", "d", "a", "b"], ["a", "b"], 4),
    Independent({("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4}),
)
FIG_2 = Walk({("x", "y"): 0.5, ("x", "z"): 0.3, ("y", "z"): 0.8, ("z", "y"): 0.12})
# Section 4.2.1: six elements; a holds 60 words, b 40, c 10; equation (9).
STRUCTURAL = Independent({("a", "c"): 1 / 6, ("b", "c"): 1 / 4})

CASES: dict[str, tuple[Task, Navigation]] = {
    "table III": TABLE_III,
    "structural": (Task(["a", "b", "c"], ["c"], 6), STRUCTURAL),
    "best entry point": (
        Task(["a"], ["b", "c"], 100),
        Independent({("a", "b"): 1, ("a", "c"): 1}),
    ),
    "no navigation": (Task(["a", "d", "b"], ["a", "b", "c"], 9), Independent({})),
    "unranked part": (
        Task(["x", "a", "y"], ["a", "b", "c"], 9),
        Independent({("x", "b"): 0.5, ("x", "a"): 0.3, ("y", "b"): 0.4, ("y", "c"): 0.7}),
    ),
    "tight collection": (
        Task(["x", "y"], ["a", "b", "c"], 5),
        Independent({("x", "a"): 0.5, ("x", "b"): 0.5, ("y", "b"): 0.25, ("y", "c"): 0.5}),
    ),
    "duplicates": (
        Task(["x", "x", "a", "x", "y", "a"], ["a", "b"], 8),
        Independent({("x", "a"): 0.4, ("x", "b"): 0.4, ("y", "b"): 0.5}),
    ),
    "empty ranking": (Task([], ["a", "b"], 6), Independent({("a", "b"): 0.5})),
    "empty ranking, all ideal": (Task([], ["a", "b"], 2), Independent({})),
    "certain links": (
        Task(["x", "y", "c"], ["a", "b", "c"], 6),
        Independent({("x", "a"): 1, ("y", "a"): 1, ("y", "b"): 1}),
    ),
    "certain and uncertain": (
        Task(["x", "y"], ["a", "b", "c"], 6),
        Independent({("x", "a"): 1, ("x", "b"): 0.2, ("y", "b"): 0.6, ("y", "a"): 0.5}),
    ),
    "walk, fig. 2": (Task(["x", "w"], ["y", "z"], 6), FIG_2),
    "walk, one path": (
        Task(["x", "a", "b"], ["a", "b"], 3),
        Walk({("x", "a"): 0.5, ("x", "b"): 0.5}),
    ),
    "walk with cycle": (
        Task(["p", "a", "q", "p"], ["a", "b", "c"], 8),
        Walk(
            {
                ("p", "q"): 0.6,
                ("p", "b"): 0.2,
                ("q", "p"): 0.3,
                ("q", "c"): 0.4,
                ("q", "q"): 0.1,
                ("c", "a"): 0.5,
                ("b", "q"): 0.5,
                ("a", "b"): 0.25,
            }
        ),
    ),
    "walk, certain": (Task(["x", "c"], ["a", "b", "c"], 5), Walk({("x", "a"): 1, ("a", "b"): 1})),
    "walk from nothing": (Task([], ["a"], 4), Walk({("a", "b"): 0.5})),
}
# For each fault a task on which it must show.
WITNESSES = {
    "rank off by one": "certain links",
    "tail dropped": "unranked part",
    "reach two percent high": "high reach",
    "leading per ideal": "table III",
    "unranked with replacement": "unranked part",
    "unranked off by one": "empty ranking",
    "duplicates lead again": "duplicates",
    "duplicates not consulted": "duplicates",
    "self forgotten": "table III",
    "unseen not removed": "tight collection",
    "last rank skipped": "unranked part",
    "one visit per context": "table III",
    "stop one late": "table III",
    "first toss reused": "table III",
    "one toss per user": "table III",
    "seen again counts": "certain and uncertain",
    "last find not counted": "table III",
    "steps not followed": "walk, fig. 2",
    "links all followed": "walk, one path",
}
# A miss costs dozens of consultations here, so two percent of the reach weigh much.
HIGH_REACH = (Task(["x"], ["a"], 100), Independent({("x", "a"): 0.9}))

# --- dials ------------------------------------------------------------------------------------

# b, c and z are not ranked, nor are two elements without a name.
RICH = Task(["x", "a", "y", "x"], ["a", "b", "c"], 8)
TABLE = Independent(
    {
        ("x", "a"): 0.5,
        ("x", "b"): 0.4,
        ("a", "b"): 0.6,
        ("a", "c"): 0.3,
        ("y", "b"): 0.5,
        ("y", "c"): 0.7,
        ("z", "b"): 0.8,
        ("z", "c"): 0.6,
        ("b", "c"): 0.9,
    }
)
PATHS = Walk(
    {
        ("x", "y"): 0.5,
        ("x", "a"): 0.3,
        ("a", "z"): 0.6,
        ("y", "b"): 0.5,
        ("y", "c"): 0.3,
        ("z", "b"): 0.5,
        ("z", "c"): 0.5,
        ("b", "c"): 0.75,
        ("c", "x"): 0.25,
    }
)
EXCLUSIVE, COMONOTONE = Coupled(TABLE, "exclusive"), Coupled(TABLE, "comonotone")
CORRELATED = Coupled(TABLE, Copula(0.6))
DIFFER = Types([0.5, 0.25, 0.25], [0.2, 0.5, 1])
ONE_DOCUMENT = {"x": "d", "y": "d", "b": "d", "z": "e", "c": "e"}
EVERYTHING = {
    "fading": 0.8,
    "satiation": [0.6, 1, 0.5],
    "need": [1, 0.9, 0.7],
    "documents": ONE_DOCUMENT,
    "unranked": True,
}
BROWSED: dict[str, Browsing] = {
    "types": Browsing(TABLE, DIFFER),
    "types, exclusive": Browsing(EXCLUSIVE, DIFFER),
    "types, walk": Browsing(PATHS, DIFFER),
    "fading": Browsing(TABLE, fading=0.5),
    "fading by a table": Browsing(TABLE, fading=[1, 0.25, 0.75]),
    "fading by a table, unranked": Browsing(TABLE, fading=[1, 0.3, 0.9, 0.4], unranked=True),
    "fading, exclusive": Browsing(EXCLUSIVE, fading=0.5),
    "fading, comonotone": Browsing(COMONOTONE, fading=0.5),
    "fading, walk": Browsing(PATHS, fading=0.5),
    "fading, unranked": Browsing(TABLE, fading=0.7, unranked=True),
    "satiation falls": Browsing(TABLE, satiation=[1, 0.4, 0]),
    "satiation rises": Browsing(PATHS, satiation=[0.3, 1]),
    "need": Browsing(EXCLUSIVE, need=[0.4, 1, 0.7]),
    "documents": Browsing(TABLE, documents=ONE_DOCUMENT),
    "documents, one seen": Browsing(TABLE, documents={"b": "d", "y": "d"}),
    "documents, unranked": Browsing(PATHS, documents=ONE_DOCUMENT, unranked=True),
    "unranked": Browsing(TABLE, unranked=True),
    "unranked, coupled independently": Browsing(Coupled(TABLE, "independent"), unranked=True),
    "everything": Browsing(TABLE, DIFFER, **EVERYTHING),  # type: ignore[arg-type]
    "everything, exclusive": Browsing(EXCLUSIVE, DIFFER, **EVERYTHING),  # type: ignore[arg-type]
    "everything, comonotone": Browsing(COMONOTONE, DIFFER, **EVERYTHING),  # type: ignore[arg-type]
    "everything, walk": Browsing(PATHS, DIFFER, **EVERYTHING),  # type: ignore[arg-type]
    "copula, fading": Browsing(CORRELATED, fading=0.5),
    "beta": Browsing(TABLE, Beta(0.5, 0.5), fading=0.8),
    "beta, walk": Browsing(PATHS, Beta(2, 1), unranked=True),
    "one factor": Browsing(TABLE, OneFactor(0.6)),
    "one factor, comonotone": Browsing(COMONOTONE, OneFactor(0.3), need=[0.7, 1]),
    "one factor, walk": Browsing(PATHS, OneFactor(0.6), satiation=[0.8, 1, 0.5]),
    "one factor, copula": Browsing(CORRELATED, OneFactor(0.3), documents=ONE_DOCUMENT),
}

# For each fault what must be browsed, that it shows among the users of RICH.
DIAL_WITNESSES = {
    "fading one rank late": "fading",
    "fading starts anew": "fading, unranked",
    "satiation counts the new one": "satiation falls",
    "satiation counts finds": "satiation falls",
    "satiation wraps round": "satiation rises",
    "need of one more": "need",
    "need of the last": "need",
    "documents forgotten": "documents",
    "documents known by seeing": "documents, one seen",
    "unranked not browsed": "unranked",
    "unranked in order": "unranked",
    "factor drawn per rank": "types",
    "factor of the mean": "types",
    "browsing all or nothing": "fading",
    "dimmed at every step": "fading, walk",
    "self dimmed": "fading",
}
