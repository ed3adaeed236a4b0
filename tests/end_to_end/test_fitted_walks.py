"""Walks learned from real and made games predict games held out better than simpler estimates."""

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from prum.experiments.fitting import LinkFeatures, WalkEstimator, link_features
from prum.experiments.logs import step_counts
from prum.experiments.logs.sessions import Sessions
from prum.simulator.model import Links
from tests.tiers import slow

# Nats a step of an empirical-Bayes Dirichlet law around the click rate, by number of games.
TO_BEAT = {400: 3.608, 41_312: 3.152}


class Losses(NamedTuple):
    """Nats a step of games held out, by what was learned from the others."""

    uniform: float
    counts_and_one: float
    clicked: float
    walk: float


def losses(
    learned: Sequence[Sequence[str]],
    held_out: Sequence[Sequence[str]],
    features: LinkFeatures,
    links: Links,
) -> Losses:
    games, held = Sessions.of(learned, back=None), Sessions.of(held_out, back=None)
    moves, of_test = (step_counts([part], links).moves for part in (games, held))
    degree = np.diff(links.starts)[links.sources]
    whole = np.bincount(links.sources, moves, len(links.elements))[links.sources]
    shares = (1 / degree, (moves + 1) / (whole + degree))
    simple = [float(-(of_test @ np.log(share)) / of_test.sum()) for share in shares]
    estimators = [WalkEstimator(base="clicked"), WalkEstimator()]
    walks = [estimator.fit(games, links, features=features) for estimator in estimators]
    return Losses(*simple, *(walk.score(held) for walk in walks))


def lines(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]


@slow
def test_wikispeedia_is_predicted_better_at_each_size(shared_data: Path) -> None:
    folder = shared_data / "wikispeedia"
    articles = lines(folder / "articles.tsv.gz")
    pairs = {tuple(line.split("\t")) for line in lines(folder / "links.tsv.gz")}
    links = Links(dict.fromkeys(pairs, 1.0))
    games = [
        [articles[int(row)] for row in line.split()]
        for line in lines(folder / "paths_finished_resolved.tsv.gz")
    ]
    order = np.random.default_rng(1).permutation(len(games))
    held_out, rest = ([games[row] for row in part] for part in (order[:10_000], order[10_000:]))
    features = link_features(links)
    for size, most in TO_BEAT.items():
        nats = losses(rest[:size], held_out, features, links)
        assert nats.walk < most
        assert nats.walk < nats.clicked < nats.counts_and_one < nats.uniform
        assert nats.clicked == pytest.approx(most, abs=0.03)


def test_made_games_are_predicted_better_than_by_simpler_estimates() -> None:
    rng = np.random.default_rng(1)
    names = [f"e{number:02d}" for number in range(60)]
    links = Links({(names[x], names[y]): 1.0 for x in range(60) for y in rng.permutation(60)[:12]})
    features = link_features(links, names=["links back", "in-degree"])
    worth = rng.normal(0, 0.8, 60)
    weights = np.exp(worth[links.targets] + 0.8 * features.values[:, 0])
    games = list[list[str]]()
    for _ in range(900):
        game = [int(rng.integers(60))]
        while rng.random() < 0.8:
            rows = slice(links.starts[game[-1]], links.starts[game[-1] + 1])
            share = weights[rows] / weights[rows].sum()
            game.append(int(rng.choice(links.targets[rows], p=share)))
        games.append([names[place] for place in game])
    nats = losses(games[:150], games[150:], features, links)
    assert nats.walk < min(nats.clicked, nats.counts_and_one, nats.uniform) - 0.02
