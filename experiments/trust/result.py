"""The result of `trust`: its numbers, and ways to show and write them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.frame.files import plain
from prum.experiments.frame.result import Result
from prum.experiments.frame.view import View
from prum.experiments.trust.answer import answer, remarks_of
from prum.experiments.trust.orders import TrustOrders
from prum.experiments.trust.trusted import trusted_recall
from prum.experiments.trust.view import trust_view

if TYPE_CHECKING:
    import pandas as pd

# Why topics are missing, in a word.
INTERRUPTED = "interrupted"
_FATES = ("standing", "turned", "extremes_turned", "undecided")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TrustResult(TrustOrders, Result):
    """How far PRUM may be trusted on some lists.

    Attributes
    ----------
    campaign, table, lists, stopped, given, question, width, most_users, unit
        As `TrustOrders` has them.
    arguments, command
        As `Result` has them.
    """

    kind = "trust"

    @property
    def headline(self) -> str:
        """The answer, in a few sentences."""
        return " ".join(answer(self))

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is odd of the input, and what was assumed, in a line for each kind."""
        return tuple(remarks_of(self))

    @property
    def status(self) -> int:
        """The exit status of the command: that of an interruption, where there was one."""
        return 130 if self.stopped == INTERRUPTED else 0

    def view(self) -> View:
        """Return what people see: the answer, tables, a figure and notes."""
        return trust_view(self)

    def values(self) -> dict[str, Any]:
        """Return every list under every dependence, means, orders and what to know of the input."""
        low, high = self.bounds
        return {
            "stopped": self.stopped,
            "systems": self.systems,
            "topics": self.topics,
            "unit": self.unit,
            "links": self.given.links,
            "remarks": self.remarks,
            "dependences": [
                {
                    "name": row.name,
                    "about": row.about,
                    "is_extreme": row.is_extreme,
                    "is_idle": row.name in self.names and row.name not in self.active,
                    "topics": self.num_topics(row.name) if row.name in self.names else 0,
                }
                for row in self.table
            ],
            "trusted": trusted_recall(self),
            "means": {
                system: {name: self.mean(system, name) for name in self.scores.measures}
                | {"bounds": (low[number].mean(), high[number].mean())}
                for number, system in enumerate(self.systems)
            },
            "pairs": [
                {**plain(pair), **{name: getattr(pair, name) for name in _FATES}}
                for pair in self.pairs
            ],
            "values": self.to_frame().to_dict("records"),
            "lists": [
                {
                    "system": system,
                    "topic": topic,
                    "lacking": entry.lacking,
                    "bounds": entry.bounds,
                }
                for (system, topic), entry in self.lists.items()
            ],
        }

    def to_frame(self) -> "pd.DataFrame":
        """Return a row for each list, dependence and r, PRUM and independence among these.

        Columns: system, topic, dependence, r, precision, half (of the 95 % interval by users),
        how, users, unresolved (where users were too few, and there is no precision).
        """
        import pandas as pd

        parts = []
        for (system, topic), entry in self.lists.items():
            for name, value in entry.values.items():
                columns = {
                    "system": system,
                    "topic": topic,
                    "dependence": name,
                    "r": np.arange(1, entry.num_ideals + 1),
                    "precision": value.precision,
                    "half": value.half,
                    "how": value.how,
                    "users": value.num_users,
                    "unresolved": value.unresolved,
                }
                parts.append(pd.DataFrame(columns))
        return pd.concat(parts, ignore_index=True)
