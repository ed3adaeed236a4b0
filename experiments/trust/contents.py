"""What `trust` writes as JSON: every digit, as plain data."""

from typing import TYPE_CHECKING, Any

from prum.experiments.trust.answer import trusted_recall
from prum.experiments.trust.known import KNOWN
from prum.experiments.trust.of_list import SHARES

if TYPE_CHECKING:
    from prum.experiments.trust.result import TrustResult


def contents(result: "TrustResult") -> dict[str, Any]:
    """Return every list under every dependence, means, orders and what to know of the input."""
    low, high = result.bounds
    return {
        "stopped": result.stopped,
        "systems": result.systems,
        "topics": result.topics,
        "unit": result.unit,
        "links": result.given.links,
        "remarks": result.remarks,
        "dependences": [
            {"name": row.name, "about": row.about, "is_extreme": row.is_extreme,
             "topics": result.num_topics(row.name) if row.name in result.names else 0}
            for row in result.table
        ],
        "known": KNOWN,
        "trusted": trusted_recall(result),
        "means": {
            system: {name: result.mean(system, name) for name in result.scores.measures}
            | {"bounds": (low[at].mean(), high[at].mean())}
            for at, system in enumerate(result.systems)
        },
        "pairs": [
            {
                "system": pair.system, "other": pair.other, "standing": pair.standing,
                "bounds": (pair.bound_low, pair.bound_high), "turned": pair.turned,
                "extremes_turned": pair.extremes_turned,
                "undecided": pair.undecided, "changed": pair.changed, "partial": pair.partial,
                "under": {name: row._asdict() for name, row in pair.under.items()},
            }
            for pair in result.pairs
        ],
        "lists": [
            {
                "system": system, "topic": topic,
                "values": {
                    name: {"precision": value.precision, "half": value.half, "how": value.how,
                           "users": value.num_users, "unresolved": value.unresolved}
                    for name, value in one.values.items()
                },
                "lacking": one.lacking,
                "bounds": {"r": one.bounds.recall, "low": one.bounds.precision_low,
                           "high": one.bounds.precision_high,
                           "average": (one.bounds.average_low, one.bounds.average_high)},
                "done_within": {str(share): one.paid[row] for row, share in enumerate(SHARES)},
                "links": one.links,
            }
            for (system, topic), one in result.lists.items()
        ],
    }  # fmt: skip
