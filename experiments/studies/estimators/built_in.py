"""The data that the study makes when it is given none: a small Web that people browse."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any


def built_in(seed: int) -> dict[str, Any]:
    """Return a specification: 400 topics, 12 systems in pairs of close ones, a pool, a log.

    Two thirds of the systems make the pool, a better and a worse pair are left out of it. Users
    browse independently, want three ideals at most, and may give up after each element.
    """
    systems = [
        {
            "name": f"{name}{number}",
            "target": {"measure": "ExactPRUM", "value": round(value + gap, 3), "tolerance": 0.002},
            "near_misses": near,
        }
        for name, value, near in (
            ("a", 0.14, 0.2), ("b", 0.20, 0.6), ("c", 0.26, 0.2),
            ("d", 0.32, 0.6), ("e", 0.38, 0.2), ("f", 0.44, 0.6),
        )
        for number, gap in ((1, 0.0), (2, 0.01))
    ]  # fmt: skip
    return {
        "name": "built-in",
        "seed": seed,
        "format": "jsonl",
        "collection": {
            "kind": "web", "elements": 20_000, "community": 20, "most_degree": 8, "inside": 0.9,
            "following": 0.95,
        },
        "topics": {"number": 400, "relevant": [3, 12], "grades": [0.5, 0.5], "ideal_grade": 1,
                   "candidates": 400},
        "systems": systems,
        "pool": {"depth": 20, "systems": [
            f"{name}{number}" for name in "acdf" for number in (1, 2)]},
        "truth": {"measures": ["ExactPRUM", "PRUM", "AP", "nDCG@10"]},
        "log": {"users": 5_000, "queries": 4.0, "want": 3, "stop": ["persistence 0.97"],
                "systems": ["d1"]},
    }  # fmt: skip


def made(specification: Mapping[str, Any], folder: Path) -> None:
    """Make the data of a specification in a folder.

    Raises
    ------
    InputError
        for a specification that cannot be met.
    """
    from prum.experiments.generate.verb import generate_dataset

    generate_dataset(specification, folder)
