"""What `fit` returns: the fitted navigation, the log, and how well another log is predicted."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from prum.experiments.fitting.files import fitted_text
from prum.experiments.fitting.fit_view import fit_view
from prum.experiments.fitting.fitted import FittedNavigation
from prum.experiments.fitting.held_out import HeldOutReport, HeldOutValues
from prum.experiments.frame.result import Result
from prum.experiments.logs.log_summary import LogSummary
from prum.experiments.views.view import View

if TYPE_CHECKING:
    import pandas as pd


class UniformValues(TypedDict):
    """Of people to whom all links of an element are alike."""

    nats_per_step: float
    perplexity: float


class FitValues(TypedDict):
    """What the JSON of a fit holds."""

    nats_per_step: float | None
    perplexity: float | None
    uniform: UniformValues | None
    log: LogSummary
    held_out_log: LogSummary | None
    held_out: HeldOutValues | None
    summary: str


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FitResult(Result):
    """A navigation that was learned from a log, and how well it predicts another.

    Attributes
    ----------
    fitted
        What was learned, with its uncertainty.
    log
        How the sessions of the log went.
    held_out
        How well the log is predicted that was held out, if there is one.
    held_out_log
        How the sessions of that log went.
    arguments, command
        As `Result` has them.
    """

    fitted: FittedNavigation
    log: LogSummary
    held_out: HeldOutReport | None
    held_out_log: LogSummary | None

    kind = "fit"

    def view(self) -> View:
        """Return what is shown, on the terminal and on a page."""
        return fit_view(self.fitted.summary(), self.log, self.held_out, self.held_out_log)

    def values(self) -> FitValues:
        """Return all of it but what was learned: `fitted.to_dict()` has that.

        `nats_per_step` and `perplexity` are those of the log that was held out, None without one;
        `uniform` has the same for people to whom all links of an element are alike.
        """
        uniform: UniformValues | None = None
        if self.held_out is not None:
            alike = self.held_out.main.alike[0]
            uniform = {"nats_per_step": alike, "perplexity": math.exp(alike)}
        return {
            "nats_per_step": None if self.held_out is None else self.held_out.nats_per_step,
            "perplexity": None if self.held_out is None else self.held_out.perplexity,
            "uniform": uniform,
            "log": self.log,
            "held_out_log": self.held_out_log,
            "held_out": None if self.held_out is None else self.held_out.to_dict(),
            "summary": self.fitted.summary(),
        }

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
