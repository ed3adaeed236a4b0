"""The outcome of a cross-check: its lists, comparisons, systems, and the verdict of the whole."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.crosscheck.approximations import EXACT, PRUM, verdict_of
from prum.experiments.crosscheck.inequalities import POWER
from prum.experiments.crosscheck.tables import CheckedList, users_in_words
from prum.experiments.frame.result import Result
from prum.experiments.frame.view import View
from prum.simulator.model.costs import ELEMENTS

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Crosscheck(Result):
    """The outcome of a cross-check: every comparison, every system, and the verdict.

    Attributes
    ----------
    cases
        One list each, with its three values.
    comparisons
        A row for each campaign, system, topic and r, with its `unit` if costs are counted:
        `prum`, `exact`, `simulated` precision with its standard `error` (delta method) and the ends
        `low`, `high` of the verdict's own interval, which holds for all comparisons at once: what
        precision can be if E[CL] and E[C] each pass their tests (without an exact value the
        asymptotic one); `mean_ratio`, E[CL / C] for contrast; what precision is the ratio of, E[CL]
        and E[C]: `prum_leading`, `exact_leading`, `simulated_leading` with standard error
        `leading_error`, and `prum_consulted`, `exact_consulted`, `simulated_consulted`,
        `consulted_error`; `users`, how many there were; `p_leading`, `p_consulted`, `p_spread`, of
        E[CL], of E[C] and of how far C strays, and the least of them, `p`; `verdict`; `detectable`,
        the error of E[C], as a share of it, that would have been found with probability .8;
        `users_needed` where it is unresolved; `prum_error`, PRUM less the exact value or, without
        one, the simulated, as `reference_name` says with the navigation; and less the ends of the
        interval, `prum_error_low`, `prum_error_high`.
    systems
        A row for each campaign and system: see `system_table`.
    level
        The family-wise level: the promised rate of false alarms of the whole cross-check.
    num_tested
        Single tests; each is judged at level / num_tested (Bonferroni).
    num_users, most_users, seed
        Users of a list at least, and at most; which users.
    detect
        The share of E[C(r)] that is to be detectable.
    campaigns
        What is known of each campaign, as plain data.
    unit
        What is counted: elements, or what they cost. With a cost, what stands here of C and CL
        holds of what these elements cost, in this unit.
    ranks
        None unless they were asked for; else a row for each campaign, system, topic, `r` and
        `rank` with its `element`: the probabilities that a user who wants r ideals consults the
        rank, and that it then leads to a previously unseen ideal, as `prum_consulted`,
        `exact_consulted`, `simulated_consulted`, `consulted_error`, and so `prum_leading`, ...;
        `users`; `p`; `verdict`.
    approximations
        Names of approximations that were given. `comparisons` has of each its precision, NAME, and
        NAME_error; NAME_leading and NAME_consulted where they were given; `systems` has NAME and
        NAME_place.
    view_of
        What makes the view.
    arguments, command
        As `Result` has them.
    """

    view_of: Callable[["Crosscheck"], View]
    cases: tuple[CheckedList, ...]
    comparisons: "pd.DataFrame"
    systems: "pd.DataFrame"
    level: float
    num_tested: int
    num_users: int
    most_users: int
    detect: float
    seed: int
    campaigns: tuple[dict[str, Any], ...]
    ranks: "pd.DataFrame | None" = None
    unit: str = ELEMENTS
    approximations: tuple[str, ...] = ()

    kind = "crosscheck"
    # Precision, and the means whose ratio it is.
    num_printed = 2

    @property
    def verdict(self) -> str:
        """ "disagrees" if anything does, else "unresolved" if anything is, else "agrees".

        "not tested" where no exact law is known.
        """
        return _worst(self.comparisons, self.ranks)

    def verdict_of_campaign(self, campaign: str) -> str:
        """Return the verdict on one campaign."""
        tables = (self.comparisons, self.ranks)
        return _worst(*(table if table is None else self._of(table, campaign) for table in tables))

    def _of(self, table: "pd.DataFrame", campaign: str | None) -> "pd.DataFrame":
        return table if campaign is None else table[table["campaign"] == campaign]

    @property
    def verdicts(self) -> dict[str, str]:
        """Of "exact", "PRUM" and each approximation: "agrees", "disagrees" or "unresolved".

        That of "exact" is `verdict`, "unresolved" where nothing could be tested. An approximation
        agrees if it equals all exact values, which stand, to rounding.
        """
        exact = "unresolved" if self.verdict == "not tested" else self.verdict
        columns = {PRUM: "prum", **{name: name for name in self.approximations}}
        of = {name: verdict_of(column, self.comparisons) for name, column in columns.items()}
        return {EXACT: exact, **of}

    @property
    def status(self) -> int:
        """1 if simulation and exact values disagree, or users are too few to tell."""
        return 1 if self.verdict in ("disagrees", "unresolved") else 0

    def worth(self, campaign: str | None = None) -> dict[str, float | int | None]:
        """Return what agreement is worth: errors of E[C], as shares, found with `power`.

        Their median and the largest over comparisons that agree, of all campaigns or of one; how
        many are unresolved, and the users that would do for all of them.
        """
        rows = self._of(self.comparisons, campaign)
        errors = rows.loc[rows["verdict"] == "agrees", "detectable"]
        needed = rows["users_needed"].dropna()
        return {
            "power": POWER,
            "detectable_median": float(errors.median()) if len(errors) else None,
            "detectable_largest": float(errors.max()) if len(errors) else None,
            "num_unresolved": len(needed),
            "users_needed": float(needed.max()) if len(needed) else None,
        }

    def worth_in_words(self, campaign: str | None = None) -> Iterator[str]:
        """Yield what would have been found, and what it would take, in sentences."""
        worth = self.worth(campaign)
        if worth["detectable_largest"] is not None:
            median, most = (100 * (worth[f"detectable_{of}"] or 0) for of in ("median", "largest"))
            yield (
                f"Power: an error of E[C] of {median:.2g} % would be found in half of the "
                f"comparisons that agree, of {most:.2g} % in all (probability {POWER:g})."
            )
        if worth["users_needed"] is not None:
            yield (
                f"{worth['num_unresolved']:,} unresolved: {users_in_words(worth['users_needed'])} "
                "a list would do."
            )
        rows = self._of(self.comparisons, campaign)
        users = rows.groupby(["campaign", "system", "topic"])["users"].first()
        yield f"Users: {users.sum():,} in all, {users.max():,} of a list at most."

    def to_frame(self) -> "pd.DataFrame":
        """Return the comparisons, a row for each campaign, system, topic and r.

        If ranks were asked for, theirs follow, with a number in the column `rank`.
        """
        import pandas as pd

        if self.ranks is None:
            return self.comparisons.copy()
        table = pd.concat([self.comparisons, self.ranks], ignore_index=True)
        return table.astype({"rank": "Int64"})

    def view(self) -> View:
        """Return the verdict, and of each campaign its table, curves and what it says of PRUM."""
        return self._view

    @cached_property
    def _view(self) -> View:
        return self.view_of(self)

    def values(self) -> dict[str, Any]:
        """Return the verdict and all tables; what is infinite is a text."""
        values: dict[str, Any] = {
            "verdict": self.verdict,
            "verdicts": self.verdicts,
            "level": self.level,
            "num_tested": self.num_tested,
            "num_users": self.num_users,
            "most_users": self.most_users,
            "detect": self.detect,
            "seed": self.seed,
            "worth": self.worth(),
            "campaigns": self.campaigns,
            "comparisons": _records(self.comparisons),
            "systems": _records(self.systems),
        }
        if self.unit != ELEMENTS:
            values["unit"] = self.unit
        if self.ranks is not None:
            values["ranks"] = _records(self.ranks)
        return values


def _worst(*tables: "pd.DataFrame | None") -> str:
    """Return the worst verdict that stands in any table."""
    verdicts = {verdict for table in tables if table is not None for verdict in table["verdict"]}
    ranked = ("disagrees", "unresolved", "agrees")
    return next((verdict for verdict in ranked if verdict in verdicts), "not tested")


def _records(table: "pd.DataFrame") -> list[dict[str, Any]]:
    """Return rows as plain data, infinite numbers as "inf" or "-inf"."""
    return [
        {
            str(name): str(value) if isinstance(value, float) and np.isinf(value) else value
            for name, value in row.items()
        }
        for row in table.to_dict(orient="records")
    ]
