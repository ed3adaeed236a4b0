"""Judge real trees by a seeded model, and rank them by made systems: what GRPng, xCG and T2I need.

Nobody judged these texts on two scales. A topic wants a few elements of one document: they are
exhaustive to 1, 2 or 3 and all about it. What contains them is as exhaustive as the most exhaustive
of them, and specific by how much of its text they are. A system scores what is assessed and some
of the rest by what it is worth, by how much of its text is about the topic, and by noise.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from prum.simulator.model import Assessment, Elements
from prum.simulator.model.assessments import generalised

# How much a system makes of containers beside the elements themselves, and its noise.
SYSTEMS = {
    "leaves": (0.0, 0.1),
    "leaves-noisy": (0.0, 0.4),
    "even": (0.5, 0.2),
    "even-noisy": (0.5, 0.6),
    "containers": (1.0, 0.2),
    "containers-noisy": (1.0, 0.6),
    "lost": (0.0, 5.0),
}

Assessed = Mapping[str, Assessment]


def assess(
    tree: Elements, wanted: Mapping[str, int], lengths: Mapping[str, float]
) -> dict[str, Assessment]:
    """Return assessments of wanted elements, element -> exhaustivity, and all that contain them."""
    exhaustivity, about = dict[str, int](), dict[str, float]()
    for element, level in wanted.items():
        for holder in (element, *tree.ancestors(element)):
            exhaustivity[holder] = max(exhaustivity.get(holder, 0), level)
            about[holder] = about.get(holder, 0) + lengths[element]
    return {
        element: Assessment(level, int(np.ceil(3 * min(about[element] / lengths[element], 1))))
        for element, level in exhaustivity.items()
    }


def judge(tree: Elements, *, num_topics: int, seed: int) -> dict[str, Assessed]:
    """Return assessments of topics; each has at least three elements of E3S3."""
    rng = np.random.default_rng(seed)
    lengths = dict(zip(tree.ids, tree.lengths.tolist(), strict=True))
    parts = dict[str, list[str]]()
    for element in tree.ids:
        if lengths[element] >= 20 and tree.ancestors(element):
            parts.setdefault(element.partition("/")[0], []).append(element)
    documents = sorted(document for document, found in parts.items() if len(found) >= 40)
    topics = dict[str, Assessed]()
    while len(topics) < num_topics:
        some = parts[documents[int(rng.integers(len(documents)))]]
        drawn = [some[place] for place in rng.permutation(len(some)).tolist()]
        apart = list[str]()
        for element in drawn:
            inside = any(tree.nested(one, element) for one in apart)
            if not inside and lengths[element] < 2000 and len(apart) < 10:
                apart.append(element)
        if len(apart) < 8:
            continue
        levels = [3, 3, 3, 2, 2, 2, 1, 1, 1, 1]
        wanted = dict(zip(apart, levels, strict=False))
        topics[f"t{len(topics) + 1:02}"] = assess(tree, wanted, lengths)
    return topics


def rank(
    tree: Elements, topics: Mapping[str, Assessed], *, depth: int, seed: int
) -> dict[str, dict[str, Sequence[str]]]:
    """Return the lists of each system."""
    rng = np.random.default_rng(seed)
    runs: dict[str, dict[str, Sequence[str]]] = {system: {} for system in SYSTEMS}
    for topic, assessed in topics.items():
        others = [tree.ids[place] for place in rng.integers(0, len(tree), 400).tolist()]
        pool = list(dict.fromkeys([*assessed, *others]))
        worth = np.array([generalised(assessed[x]) if x in assessed else 0.0 for x in pool])
        deep = np.array([tree.depths[tree.code[x]] for x in pool])
        about = np.array([x in assessed for x in pool]) / (1.0 + deep)
        for system, (taste, noise) in SYSTEMS.items():
            scores = worth + 2 * taste * about + noise * rng.normal(size=len(pool))
            runs[system][topic] = [pool[place] for place in np.argsort(-scores)[:depth].tolist()]
    return runs


def write(
    folder: Path,
    topics: Mapping[str, Assessed],
    runs: Mapping[str, Mapping[str, Sequence[str]]],
) -> None:
    """Write qrels and runs as `prum evaluate` reads them."""
    lines = [
        f"{topic} 0 {element} {found}\n"
        for topic, assessed in topics.items()
        for element, found in assessed.items()
    ]
    (folder / "qrels").write_text("".join(lines), encoding="utf-8")
    for system, lists in runs.items():
        lines = [
            f"{topic} Q0 {element} {place} {-place} {system}\n"
            for topic, ranking in lists.items()
            for place, element in enumerate(ranking, start=1)
        ]
        (folder / system).write_text("".join(lines), encoding="utf-8")
