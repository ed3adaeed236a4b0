"""The outcome of a cross-check: its lists, comparisons, systems, and the verdict of the whole."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.crosscheck.approximations import EXACT, PRUM, of_all
from prum.experiments.crosscheck.checked_list import CheckedList
from prum.experiments.crosscheck.detectable_errors import DetectableErrors
from prum.experiments.frame.result import Result
from prum.experiments.frame.view import View
from prum.experiments.statistics.tests import level_of_each
from prum.simulator.collections.linking import LinkUse, OpeningUse
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
        `prum`, `exact`, `simulated` precision with standard `error` and 95 % interval `low`,
        `high`; `mean_ratio`, E[CL / C] for contrast; what precision is the ratio of, E[CL] and
        E[C]: `prum_leading`, `exact_leading`, `simulated_leading` with standard error
        `leading_error`, and `prum_consulted`, `exact_consulted`, `simulated_consulted`,
        `consulted_error`;
        `rare`, whether these are from users of whom a quarter were drawn as rare; `users`, how
        many there were;
        `z_leading`, `z_consulted`, `z_precision` of simulation against exact; `p`, the smaller
        two-sided p-value of the first two; `verdict`; `detectable_leading`, `detectable_consulted`
        and `detectable`, the errors of E[CL], E[C] and of precision by one of them that would have
        been shown with probability .8; `users_needed` where it is unresolved; `prum_error`, PRUM
        less the exact value or, without one, the simulated, as `reference_name` says with the
        navigation; and the same against the simulation's interval, `prum_error_low`,
        `prum_error_high`.
    systems
        A row for each campaign and system: see `system_table`.
    level
        The family-wise level: the promised rate of false alarms of the whole cross-check.
    num_tested
        Single tests; each is judged at level / num_tested (Bonferroni).
    num_users, most_users, seed
        Users of a list at first, and at most where these are too few; which users.
    campaigns
        What is known of each campaign, as plain data.
    unit
        What is counted: elements, or what they cost. With a cost, what stands here of C and CL
        holds of what these elements cost, in this unit.
    quantiles
        None unless they were asked for; else a row for each campaign, system, topic, r and
        `probability`: the quantile of C(r), how many elements so many users consult at most,
        `exact` and `simulated`, `p` of a two-sided test (see
        `prum.experiments.crosscheck.depths`), `verdict`.
    ranks
        None unless they were asked for; else a row for each campaign, system, topic, `r` and
        `rank` with its `element`: the probabilities that a user who wants r ideals consults the
        rank, and that it then leads to a previously unseen ideal, as `prum_consulted`,
        `exact_consulted`, `simulated_consulted`, `consulted_error`, and so `prum_leading`, ...;
        `users`; `p` and `verdict` of the exact ones; `prum_p` and `prum_verdict` of PRUM's, which
        are a family of tests of their own (see `prum.experiments.crosscheck.depths`).
    approximations
        Names of approximations that were given. `comparisons` has of each, as of PRUM, its
        precision, NAME; NAME_error, NAME_p, NAME_verdict; NAME_leading and NAME_consulted where
        they were given (see `prum.experiments.crosscheck.approximations`); `systems` has NAME and
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
    seed: int
    campaigns: tuple[dict[str, Any], ...]
    quantiles: "pd.DataFrame | None" = None
    ranks: "pd.DataFrame | None" = None
    unit: str = ELEMENTS
    approximations: tuple[str, ...] = ()

    kind = "crosscheck"
    # Precision, and the means whose ratio it is.
    num_printed = 2

    @property
    def verdict(self) -> str:
        """ "disagrees" if any comparison does, "agrees" if none does and some were tested.

        But "unresolved" if one that was not tested is so many of its errors off that a test at its
        level would have said that it disagrees.
        """
        verdicts = set(self.comparisons["verdict"])
        for table in (self.quantiles, self.ranks):
            if table is not None:
                verdicts |= set(table["verdict"]) & {"agrees", "disagrees"}
        if "disagrees" in verdicts:
            return "disagrees"
        from scipy.special import ndtri

        most = -ndtri(level_of_each(self.level, self.num_tested) / 2)
        if any((case.quantities.errors_off() > most).any() for case in self.cases):
            return "unresolved"
        return "agrees" if "agrees" in verdicts else "not tested"

    @property
    def verdicts(self) -> dict[str, str]:
        """Of "exact", "PRUM" and each approximation: "agrees", "disagrees" or "unresolved".

        That of "exact" is `verdict`, "unresolved" where nothing could be tested. An approximation
        agrees if each of its comparisons does: so many users can't tell it from what they do.
        """
        exact = "unresolved" if self.verdict == "not tested" else self.verdict
        columns = {PRUM: "prum", **{name: name for name in self.approximations}}
        found = {name: of_all(self.comparisons[f"{own}_verdict"]) for name, own in columns.items()}
        return {EXACT: exact, **found}

    @property
    def status(self) -> int:
        """1 if simulation and exact values disagree, or users are too few to tell."""
        return 1 if self.verdict in ("disagrees", "unresolved") else 0

    @property
    def num_rare(self) -> int:
        """Number of comparisons that were judged on users of whom a quarter were drawn as rare."""
        table = self.comparisons
        return int((table["rare"] & (table["verdict"] != "unresolved")).sum())

    @property
    def of_more(self) -> str:
        """How many comparisons had more users than were asked for, in a sentence; "" if none."""
        users = self.comparisons.loc[~self.comparisons["rare"], "users"]
        more = users[users > self.num_users]
        if not len(more):
            return ""
        up_to = "" if more.min() == more.max() else "up to "
        return (
            f"{len(more):,} judged on {up_to}{more.max():,} users, since {self.num_users:,} are "
            "too few for them."
        )

    @property
    def detectable_errors(self) -> DetectableErrors:
        """The errors that this cross-check would have shown, and the users that it lacks."""
        return DetectableErrors.of(self.comparisons)

    def to_frame(self) -> "pd.DataFrame":
        """Return the comparisons, a row for each campaign, system, topic and r.

        If ranks were asked for, theirs follow, with a number in the column `rank`.
        """
        import pandas as pd

        if self.ranks is None:
            return self.comparisons.copy()
        table = pd.concat([self.comparisons, self.ranks], ignore_index=True)
        return table.astype({"rank": "Int64"})

    def link_use(self, campaign: str) -> LinkUse:
        """Return how many links a campaign has, and how many of them matter."""
        entry = next(entry for entry in self.campaigns if entry["name"] == campaign)
        kind = OpeningUse if entry.get("navigation") == "Covering" else LinkUse
        return kind(**entry["links"])

    def view(self) -> View:
        """Return the verdict, tables and curves of each campaign, and what it says of PRUM."""
        return replace(self._view, tables=tuple(x for x in self._view.tables if not x.detail))

    def whole(self) -> View:
        """Return the view with every comparison."""
        return self._view

    def plot(self, which: Any = 0, /) -> Any:
        """Return a figure of a system, by its number or name, or one panel of the first.

        "precision" is over r or recall; "error" is the distance from the exact value, or from the
        simulated one. `save(path)` of the figure writes it.

        Raises
        ------
        InputError
            for another figure.
        """
        if which not in ("precision", "error"):
            return super().plot(which)
        first = super().plot()
        return replace(first, draw=partial(first.draw, only=which))

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
            "seed": self.seed,
            "worth": self.detectable_errors.to_dict(),
            "campaigns": self.campaigns,
            "comparisons": _records(self.comparisons),
            "systems": _records(self.systems),
        }
        if self.unit != ELEMENTS:
            values["unit"] = self.unit
        if self.quantiles is not None:
            values["quantiles"] = _records(self.quantiles)
        if self.ranks is not None:
            values["ranks"] = _records(self.ranks)
        return values


def _records(table: "pd.DataFrame") -> list[dict[str, Any]]:
    """Return rows as plain data, infinite numbers as "inf" or "-inf"."""
    return [
        {
            str(name): str(value) if isinstance(value, float) and np.isinf(value) else value
            for name, value in row.items()
        }
        for row in table.to_dict(orient="records")
    ]
