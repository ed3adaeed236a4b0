"""How often decisions between systems claim falsely, by measure, number of systems and of topics.

    python -m tests.reliability.decisions [FOLDER] [--families 1000] [--seed 1]

FOLDER holds `trec_covid` (143 runs) and `trec6` (scores of 560 systems); without it scores are made
that are skewed and discrete as those of AP, RR, P@1 and Success@5. A family is systems drawn from
these, on topics drawn from a world where all have equal means and any claim is false: *tilted*, in
which topics are as likely as they have to be for that, and otherwise as near to alike as they can
be, so that scores stay what they are; or *centred*, in which each system's scores are moved.
(There a pair that never differs may differ by the same on every topic: this claim is not counted.)
In the world as it is, power is the share of true differences that are claimed, and a family misses
if any interval that it gives leaves its difference out.
"""

import argparse
import gzip
import lzma
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from prum.experiments.statistics.simultaneous import METHODS, Compared, compared

Floats = Any
LEVEL, DRAWS = 0.05, 499
SYSTEMS, TOPICS = (2, 5, 15), (8, 15, 30, 50)
TILTED, CENTRED, AS_IS = "tilted", "centred", "as is"
# Worlds that so few topics make up, in effect, are left out.
_LEAST_TOPICS = 8
_STEPS, _TRIES, _NEAR, _RIDGE = 60, 200, 1e-9, 1e-9

Method = Callable[[Floats, Any, int], Compared]


def method(name: str) -> Method:
    """Return a method of the package, by its name, of few draws."""
    return lambda values, pairs, seed: compared(
        values, pairs, method=name, level=LEVEL, draws=DRAWS, seed=seed
    )


# --- worlds ---------------------------------------------------------------------------------------


def made(num_topics: int = 1_000) -> dict[str, tuple[Floats, Floats]]:
    """Return scores of 16 made systems of unlike laws: with equal means, and with unlike ones."""
    rng = np.random.default_rng(6)
    kinds, better = np.tile(np.arange(4), 4), np.repeat([1.0, 1.2, 1.4, 1.6], 4)
    common, own = rng.normal(size=num_topics), rng.normal(size=(16, num_topics))
    return {
        name: (draw(common, own, kinds, np.ones(16)), draw(common, own, kinds, better))
        for name, draw in {
            "AP": _average_precision,
            "RR": _reciprocal_rank,
            "P@1": lambda *of: _binary(0.35, 0.35, *of),
            "Success@5": lambda *of: _binary(0.85, 0.15, *of),
        }.items()
    }


def _uniform(common: Floats, own: Floats) -> Floats:
    from scipy.special import ndtr

    return ndtr(0.8 * common + 0.6 * own)


def _average_precision(common: Floats, own: Floats, kinds: Any, better: Floats) -> Floats:
    from scipy.stats import beta

    size, mean = np.array([0.4, 0.8, 3, 10])[kinds][:, None], 0.15 * better[:, None]
    return beta.ppf(_uniform(common, own), size * mean, size * (1 - mean))


def _reciprocal_rank(common: Floats, own: Floats, kinds: Any, better: Floats) -> Floats:
    """Return 1 / rank, the rank geometric, where anything is found: seldom at once, or often."""
    first = np.array([0.999, 0.7, 0.5, 0.35])[kinds][:, None]
    mean = -np.log(first) * first / (1 - first)
    missed = 1 - 0.3 * better[:, None] / mean
    place = np.clip((_uniform(common, own) - missed) / (1 - missed), 1e-12, 1)
    # The easiest topics have the largest place, and rank 1.
    rank = np.maximum(np.ceil(np.log(place) / np.log1p(-first)), 1)
    return np.where(place > 1e-12, 1 / rank, 0.0)


def _binary(
    share: float, gain: float, common: Floats, own: Floats, kinds: Any, better: Floats
) -> Floats:
    shares = share + gain * (better - 1) + np.array([-0.03, 0, 0, 0.03])[kinds]
    return (_uniform(common, own) > 1 - shares[:, None]).astype(float)


def real(folder: Path) -> dict[str, tuple[Floats, Floats]]:
    """Return the scores of TREC-COVID's runs, and those of TREC-6 as they stand there."""
    import pandas as pd

    from prum.experiments.evaluate.inputs import read_judged
    from prum.experiments.evaluate.scores import score_runs
    from prum.experiments.measures.measure import measure_of

    runs: dict[str, dict[str, tuple[str, ...]]] = {}
    covid = folder / "trec_covid"
    with lzma.open(covid / "round1-runs-top1000.tsv.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith("#"):
                run, topic, ids = line.rstrip("\n").split("\t")
                runs.setdefault(run, {})[topic] = tuple(ids.split())
    judged, _ = read_judged(covid / "qrels-rnd1.txt.gz")
    names = ("AP", "RR", "P@1", "Success@5")
    scored = score_runs(runs.items(), judged, [measure_of(name) for name in names])
    scores = {f"COVID {name}": scored.values[:, :, at] for at, name in enumerate(names)}
    for name, told in {"ap": "AP", "p10": "P@10", "err": "ERR@20"}.items():
        with gzip.open(folder / "trec6" / f"gop560_{name}.tsv.gz") as file:
            table = pd.read_csv(file, sep="\t", index_col="system")
        scores[f"TREC-6 {told}"] = table.to_numpy(dtype=np.float64)
    return {name: (values, values) for name, values in scores.items()}


def tilt(values: Floats) -> Floats | None:
    """Return chances of topics nearest to equal ones, in nats, by which all systems' means are one.

    They are exp(l . d) of the topic's differences d, up to a factor (Newton's method). None if
    there are none, or so few topics have nearly all.
    """
    differences = values[1:] - values[0]
    weights = np.zeros(len(differences))

    def law(weights: Floats) -> tuple[Floats, float]:
        powers = weights @ differences
        chances = np.exp(powers - powers.max())
        return chances / chances.sum(), float(np.log(chances.sum()) + powers.max())

    for _ in range(_STEPS):
        chances, size = law(weights)
        if chances.max() > 1 / 2:
            return None
        mean = differences @ chances
        if np.abs(mean).max() < _NEAR:
            known = chances[chances > 0]
            enough = np.exp(-(known * np.log(known)).sum()) >= _LEAST_TOPICS
            return chances if enough else None
        spread = (differences * chances) @ differences.T - np.outer(mean, mean)
        step = np.linalg.solve(spread + _RIDGE * np.eye(len(mean)), mean)
        length = 1.0
        gain = 1e-4 * float(mean @ step)
        while length > 1e-6 and law(weights - length * step)[1] > size - length * gain:
            length /= 2
        weights = weights - length * step
    return None


@dataclass(frozen=True)
class World:
    """Systems and topics that are drawn, by the chances of topics; and the true means."""

    values: Floats
    chances: Floats | None
    means: Floats

    def draw(self, num_topics: int, rng: np.random.Generator) -> Floats:
        """Return scores on drawn topics."""
        return self.values[:, rng.choice(self.values.shape[1], num_topics, p=self.chances)]


def worlds(
    scores: tuple[Floats, Floats], kind: str, num_systems: int, rng: np.random.Generator
) -> Iterator[World]:
    """Yield worlds of systems that are drawn from those of equal, or as they are, unlike means.

    No more come where systems that can be tilted are rare, as are many on the topics there are.
    """
    pool = scores[kind == AS_IS]
    tries = 0
    while tries < _TRIES:
        tries += 1
        values = pool[rng.choice(len(pool), num_systems, replace=False)]
        # Two that are one are no pair.
        if len(np.unique(values, axis=0)) < num_systems:
            continue
        chances, means = None, values.mean(axis=1)
        if kind == CENTRED:
            values = values - means[:, None]
        elif kind == TILTED:
            chances = tilt(values)
            if chances is None:
                continue
        tries = 0
        yield World(values, chances, means if kind == AS_IS else np.zeros(num_systems))


# --- rates ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rates:
    """Of families, how many claim falsely, and miss; of true differences how many are claimed."""

    false: float
    missed: float
    power: float


def rates(
    scores: tuple[Floats, Floats],
    kind: str,
    num_systems: int,
    num_topics: int,
    num_families: int,
    method: Method,
    seed: int = 1,
) -> Rates:
    """Return the rates of a method; all methods face the same families."""
    rng = np.random.default_rng([seed, num_systems, num_topics])
    pairs = np.array(list(combinations(range(num_systems), 2)))
    false = missed = met = 0
    powers = []
    for number, world in zip(
        range(num_families), worlds(scores, kind, num_systems, rng), strict=False
    ):
        met += 1
        family = method(world.draw(num_topics, rng), pairs, number)
        true = world.means[pairs[:, 0]] - world.means[pairs[:, 1]]
        true[np.abs(true) < _NEAR] = 0
        claims = (family.low > 0).astype(int) - (family.high < 0)
        gives = family.error > 0
        wrong = (claims != 0) & (claims != np.sign(true))
        false += bool((wrong & (gives | (kind != CENTRED))).any())
        leaves_out = (family.low > true + _NEAR) | (family.high < true - _NEAR)
        missed += bool((gives & leaves_out).any())
        if true.any():
            powers.append(((claims == np.sign(true)) & (true != 0)).sum() / (true != 0).sum())
    if met < num_families:
        return Rates(np.nan, np.nan, np.nan)
    return Rates(false / met, missed / met, float(np.mean(powers)) if powers else np.nan)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="How often decisions claim falsely.")
    parser.add_argument("folder", nargs="?", type=Path, help="of trec_covid and trec6")
    parser.add_argument("--families", type=int, default=1_000, help="of each kind (1,000)")
    parser.add_argument("--systems", type=int, nargs="+", default=SYSTEMS, help="(2 5 15)")
    parser.add_argument("--seed", type=int, default=1, help="of all that is drawn (1)")
    options = parser.parse_args()
    scores = made() if options.folder is None else real(options.folder)
    print(f"False claims (the more of both worlds), power and misses on {TOPICS} topics")
    headings = [f"{what}, {name}" for what in ("false", "power", "missed") for name in METHODS]
    print(f"{'scores':<17}systems  " + "  ".join(f"{heading:<19}" for heading in headings))
    for name, values in scores.items():
        for num_systems in options.systems:
            size = num_systems, options.families, options.seed
            columns = list(zip(*(_row(values, topics, *size) for topics in TOPICS), strict=True))
            cells = "  ".join(" ".join(map(_three, column)) for column in columns)
            print(f"{name:<17}{num_systems:>7}  {cells}", flush=True)


def _row(
    scores: tuple[Floats, Floats], num_topics: int, num_systems: int, num_families: int, seed: int
) -> list[float]:
    """Return false claims, power and misses, of each method."""
    size = num_systems, num_topics, num_families
    told = {
        (kind, name): rates(scores, kind, *size, method(name), seed)
        for kind in (TILTED, CENTRED, AS_IS)
        for name in METHODS
    }
    return [
        *(np.nanmax([told[kind, name].false for kind in (TILTED, CENTRED)]) for name in METHODS),
        *(told[AS_IS, name].power for name in METHODS),
        *(told[AS_IS, name].missed for name in METHODS),
    ]


def _three(share: float) -> str:
    return f"{share:.3f}".removeprefix("0")


if __name__ == "__main__":
    main()
