"""What `fit` returns: the fitted navigation, the log, and how well another log is foretold."""

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from prum.experiments.fitting.files import fitted_text
from prum.experiments.fitting.fitted import FittedNavigation
from prum.experiments.fitting.held_out import HeldOutReport
from prum.experiments.logs.log_summary import LogSummary
from prum.experiments.views.encoding import json_text
from prum.simulator.model.version import own_version

if TYPE_CHECKING:
    import pandas as pd

    from prum.experiments.views.view import View


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FitResult:
    """A navigation that was learned from a log, and how well it foretells another.

    Attributes
    ----------
    fitted
        What was learned, with its uncertainty.
    log
        How the sessions of the log went.
    held_out
        How well the log is foretold that was held out, if there is one.
    held_out_log
        How the sessions of that log went.
    command
        The command line that gives the same numbers; empty in Python.
    arguments
        What `fit` was called with; data that was no file is None.
    version
        Of prum.
    """

    fitted: FittedNavigation
    log: LogSummary
    held_out: HeldOutReport | None
    held_out_log: LogSummary | None
    arguments: dict[str, Any]
    command: str = ""
    version: str = field(default_factory=own_version)

    def view(self) -> "View":
        """Return what is shown, on the terminal and on a page."""
        from prum.experiments.fitting.fit_view import fit_view

        return fit_view(self)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data, but for what was learned: `fitted.to_dict()` has that.

        `nats_per_step` and `perplexity` are those of the log that was held out, None without one;
        `uniform` has the same for people to whom all links of an element are alike.
        """
        own: dict[str, Any] = {"nats_per_step": None, "perplexity": None, "uniform": None}
        if self.held_out is not None:
            alike = self.held_out.main.alike[0]
            own["nats_per_step"] = self.held_out.nats_per_step
            own["perplexity"] = self.held_out.perplexity
            own["uniform"] = {"nats_per_step": alike, "perplexity": math.exp(alike)}
        return {
            **own,
            "version": self.version,
            "command": self.command,
            "arguments": self.arguments,
            "log": self.log.to_dict(),
            "held_out_log": None if self.held_out_log is None else self.held_out_log.to_dict(),
            "held_out": None if self.held_out is None else self.held_out.to_dict(),
            "summary": self.fitted.summary(),
        }

    def to_json(self) -> str:
        """Return `to_dict` as JSON."""
        return json_text(self.to_dict())

    def to_file(self) -> str:
        """Return what was learned as the text of a file, for `--navigation` and `read_fitted`."""
        return fitted_text(self.fitted)

    def to_frame(self) -> "pd.DataFrame":
        """Return a row for each link: its probability, between what it lies, how often tried.

        Raises
        ------
        InputError
            for what cannot be browsed by, as a walk of second order.
        """
        return self.fitted.intervals()

    def to_csv(self) -> str:
        """Return `to_frame` as CSV, numbers with all their digits."""
        return self.to_frame().to_csv(index=False)

    def to_html(self) -> str:
        """Return a page: one HTML document that needs nothing else.

        Raises
        ------
        InputError
            if jinja2 is not installed.
        """
        from prum.experiments.views.html import page

        return page(self.view(), command=self.command, version=self.version, options=self.arguments)

    def _repr_html_(self) -> str:
        from prum.experiments.views.html import fragment

        return fragment(self.view())

    def __repr__(self) -> str:
        view = self.view()
        return "\n".join([view.headline, *view.notes])
