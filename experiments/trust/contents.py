"""What `trust` writes as JSON: every digit, as plain data."""

import math
from dataclasses import asdict
from typing import Any

from prum.experiments.trust.answer import trusted_recall
from prum.experiments.trust.known import KNOWN
from prum.experiments.trust.of_list import SHARES
from prum.experiments.trust.result import TrustResult


def contents(result: TrustResult) -> dict[str, Any]:
    """Return all of it as plain data; NaN, and ends that are infinite, as None."""
    low, high = result.bounds
    plain: dict[str, Any] = _plain(
        {
            "version": result.version,
            "command": result.command,
            "arguments": dict(result.arguments),
            "headline": result.headline,
            "stopped": result.stopped,
            "systems": list(result.systems),
            "topics": list(result.topics),
            "unit": result.unit,
            "links": asdict(result.given.links),
            "remarks": list(result.remarks),
            "dependences": [
                {"name": row.name, "about": row.about, "is_extreme": row.is_extreme,
                 "topics": result.num_topics(row.name) if row.name in result.names else 0}
                for row in result.table
            ],
            "known": [asdict(row) for row in KNOWN],
            "trusted": asdict(trusted_recall(result)),
            "means": {
                system: {
                    name: result.mean(system, name) for name in result.scores.measures
                } | {"bounds": [float(low[at].mean()), float(high[at].mean())]}
                for at, system in enumerate(result.systems)
            },
            "pairs": [
                {
                    "system": pair.system, "other": pair.other, "standing": pair.standing,
                    "bounds": [pair.bound_low, pair.bound_high], "turned": list(pair.turned),
                    "extremes_turned": list(pair.extremes_turned),
                    "undecided": list(pair.undecided), "changed": list(pair.changed),
                    "partial": list(pair.partial),
                    "under": {name: row._asdict() for name, row in pair.under.items()},
                }
                for pair in result.pairs
            ],
            "lists": [
                {
                    "system": system, "topic": topic,
                    "values": {
                        name: {"precision": value.precision.tolist(), "half": value.half.tolist(),
                               "how": value.how, "users": value.num_users,
                               "unresolved": value.unresolved.tolist()}
                        for name, value in one.values.items()
                    },
                    "lacking": dict(one.lacking),
                    "bounds": {"r": one.bounds.recall.tolist(),
                               "low": one.bounds.precision_low.tolist(),
                               "high": one.bounds.precision_high.tolist(),
                               "average": [one.bounds.average_low, one.bounds.average_high]},
                    "done_within": {str(share): one.paid[row].tolist()
                                  for row, share in enumerate(SHARES)},
                    "links": [list(link) for link in one.links],
                }
                for (system, topic), one in result.lists.items()
            ],
        }
    )  # fmt: skip
    return plain


def _plain(value: Any) -> Any:
    """Return numbers as JSON has them: nothing for NaN and for what is infinite."""
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value
