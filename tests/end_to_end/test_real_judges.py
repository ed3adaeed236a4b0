"""Judges by language models on topics that no person judged, as far as they were told."""

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest

from prum.experiments.judges.labels import Dependence, Labels
from tests.tiers import slow

# Of the known topics, so many are held out in turn.
FOLDS = 5


@pytest.fixture(scope="module")
def rows(shared_data: Path) -> list[dict[str, str]]:
    file = shared_data / "judges" / "llmjudge_33.tsv.gz"
    if not file.is_file():
        pytest.skip(f"{file.name} is not there")
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


def held(
    rows: list[dict[str, str]], judge: str, fold: int, dependence: Dependence | None
) -> tuple[float, float, float]:
    """Return the error of the expected share of ideals on topics held out, its own error, and how
    many nats an element is better predicted than by the share of ideals of the other topics.
    """
    topics = sorted({row["query"] for row in rows})
    labels, truth, names = {}, {}, {}
    for topic in topics:
        own = [row for row in rows if row["query"] == topic]
        names[topic] = tuple(row["document"] for row in own)
        labels[topic] = np.array([[int(row[judge]) >= 2 for row in own]])
        truth[topic] = np.array([float(int(row["nist"]) >= 2) for row in own])
    out = topics[fold::FOLDS]
    known = {t: np.full(len(z), -1.0) if t in out else z for t, z in truth.items()}
    of = Labels((judge,), names, labels, known)
    p = of.probabilities(60, np.random.default_rng(fold), dependence)
    means = np.mean([p[t].mean(axis=1) for t in out], axis=0)
    each = [(p[t] * (1 - p[t])).sum(axis=1).mean() / len(names[t]) ** 2 for t in out]
    error = (sum(each) / len(out) ** 2 + means.var(ddof=1) * (1 + 1 / 60)) ** 0.5
    off = means.mean() - np.mean([truth[t].mean() for t in out])
    z, said = (
        np.concatenate(of_) for of_ in zip(*((truth[t], p[t].mean(0)) for t in out), strict=True)
    )
    base = np.concatenate([truth[t] for t in topics if t not in out]).mean()
    gains = np.where(z == 1, np.log(said / base), np.log((1 - said) / (1 - base)))
    return float(off), float(error), float(gains.mean())


@slow
def test_intervals_hold_the_truth_on_topics_held_out(rows: list[dict[str, str]]) -> None:
    judges = [name for name in rows[0] if name not in ("query", "document", "nist")][::4]
    shares, gains = {}, {}
    for kind in (None, "independent"):
        found = [held(rows, judge, fold, kind) for judge in judges for fold in range(FOLDS)]  # type: ignore[arg-type]
        shares[kind] = float(np.mean([abs(off) < 1.96 * error for off, error, _ in found]))
        gains[kind] = np.mean([gain for *_, gain in found])
    assert shares[None] >= 0.85, shares
    assert shares["independent"] < 0.6, shares
    assert gains[None] > 0.02, gains
    assert gains["independent"] < 0, gains
