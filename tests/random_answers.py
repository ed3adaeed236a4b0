"""Random small lists, links and scores, and what commands say of them: sentences nobody foresaw."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import prum
from prum.experiments.frame.result import Result
from prum.simulator.model import InputError

NAVIGATIONS = ("independent", "walk", "exclusive", "comonotone", "one-factor .4", "fading .5")
MEASURES = (("PRUM",), ("RR", "AP"), ("P@1",), ("nDCG@3", "ESL"))


def _lists(rng: Random) -> dict[str, Any]:
    """Return runs and judgements, with names of several words, and perhaps links and a size."""
    elements = [f"{rng.choice(('e', 'é ', 'Ω'))}{n}" for n in range(rng.choice((4, 6, 9)))]
    topics = [f"{rng.choice(('t', 'life of '))}{t}" for t in range(rng.choice((1, 1, 2, 3, 5)))]
    runs = {
        f"run {s}": {t: rng.sample(elements, rng.randint(0, len(elements))) for t in topics}
        for s in range(rng.choice((1, 2, 2, 3, 4)))
    }
    qrels = {t: dict.fromkeys(rng.sample(elements, rng.randint(1, 4)), 1) for t in topics}
    size = rng.choice((len(elements), len(elements) + 10, 100_000))
    return {"runs": runs, "qrels": qrels, "collection_size": size} | _links(rng, elements)


def _links(rng: Random, elements: Sequence[str]) -> dict[str, Any]:
    pairs = [(x, y) for x in elements for y in elements if x != y]
    chosen = rng.sample(pairs, rng.choice((0, 2, 4, 8, 12)))
    kind = rng.choice((1.0, 0.001, None))
    links = {pair: rng.random() if kind is None else kind for pair in chosen}
    navigation = rng.choice(NAVIGATIONS)
    if navigation == "walk":
        leaving = {x: sum(p for (y, _), p in links.items() if x == y) for x, _ in links}
        links = {(x, y): p / max(1, leaving[x]) for (x, y), p in links.items()}
    return {"links": links, "navigation": navigation} if links else {}


def _trusted(rng: Random) -> Result:
    given = _lists(rng)
    if rng.random() < 0.3:
        del given["collection_size"]
    return prum.trust(**given, workers=1, most_users=rng.choice((16, 4_096)))


def _checked(rng: Random) -> Result:
    given = _lists(rng)
    lists, navigation = given.pop("runs"), given.pop("navigation", None)
    return prum.crosscheck(
        lists,
        navigation,
        **given,
        num_users=rng.choice((10, 300, 3_000)),
        by_rank=rng.random() < 0.3,
        quantiles=rng.choice(((), (0.5, 0.9))),
        most_users=rng.choice((None, 5_000)),
    )


def _scores(rng: Random) -> Mapping[str, Mapping[str, float]]:
    """Return scores of systems on topics, some without a value, many alike."""
    topics = [f"t{t}" for t in range(rng.choice((1, 2, 3, 6, 12, 30)))]
    kind = rng.choice(("binary", "reciprocal", "normal", "constant"))
    level = {f"run {s}": rng.choice((0.0, 0.1, 0.4)) for s in range(rng.choice((1, 2, 3, 6)))}
    base = {t: rng.random() for t in topics}

    def score(system: str, topic: str) -> float:
        far = level[system]
        if kind == "constant":
            return base[topic] + far
        if kind == "binary":
            return float(rng.random() < 0.5 + far)
        return 1 / rng.randint(1, 5) if kind == "reciprocal" else base[topic] + rng.gauss(far, 0.1)

    holes = rng.choice((0, 0, 0.3))
    return {s: {t: score(s, t) for t in topics if rng.random() >= holes} for s in level}


def _compared(rng: Random) -> Result:
    scores = _scores(rng)
    return prum.compare(
        scores,
        margin=rng.choice((None, 0.05, 0.3)),
        baseline=rng.choice((None, None, "run 0")),
        method=rng.choice(("bootstrap", "bootstrap", "Holm")),
        missing="drop",
    )


def _evaluated(rng: Random) -> Result:
    return prum.evaluate(**_lists(rng), measures=rng.choice(MEASURES))


_ANSWERS = {
    "trust": _trusted,
    "crosscheck": _checked,
    "compare": _compared,
    "evaluate": _evaluated,
}
RANDOM = tuple(_ANSWERS)


def random_answer(command: str, number: int) -> list[str]:
    """Return what a command says of random input: its headline and sentences; none of bad input."""
    try:
        view = _ANSWERS[command](Random(number)).view()
    except InputError:
        return []
    return [view.headline, *view.sentences]
