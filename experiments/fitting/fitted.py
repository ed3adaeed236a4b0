"""What a log tells of navigation: a law of navigations to draw from; in files without loss."""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.fitting.held_out import Predictions, judge
from prum.experiments.fitting.laws import Moments, mixed_ends
from prum.experiments.frame.files import json_text
from prum.experiments.logs.read import read_sessions
from prum.experiments.logs.sessions import Sessions
from prum.simulator.collections.fitted_files import (
    FORMAT,
    checksum,
    file_of,
    fitted_content,
    navigation_content,
)
from prum.simulator.model import InputError, Links, Navigation, Task, Walk
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.browsing import browsing_of
from prum.simulator.model.json_text import json_value
from prum.simulator.model.kinds import dialled
from prum.simulator.model.process import own_version
from prum.simulator.tables.files import FilePath, place

if TYPE_CHECKING:
    import pandas as pd


class FittedNavigation(ABC):
    """A navigation that was learned from a log, with what is not known of it.

    Estimators make it; it knows nothing of how. It is browsed by like any other: `navigation` has
    the mean of each probability given the log, `sample_posterior` draws navigations that the log
    leaves possible.
    """

    # What the log says.
    counts: Any

    @property
    def num_sessions(self) -> int:
        """Number of sessions of the log."""
        return int(self.counts.num_sessions)

    @property
    @abstractmethod
    def navigation(self) -> Navigation:
        """Each probability in the mean, given the log."""

    @abstractmethod
    def predict(self, sessions: Sessions) -> Mapping[str, Predictions]:
        """Return by kind of choice what is predicted of a batch, and what people chose.

        Kinds: "step" (which link, given a move), "stop", "back" (given that they didn't stop),
        "visit" (whether they came to y from x at all), as far as the model has them. A probability
        may rest on what the same session held before the choice, and on nothing after it. Strays
        are left out.
        """

    @abstractmethod
    def check(self, sessions: Sessions) -> None:
        """Go through sessions, and raise InputError for strays, unless these are left out."""

    def score(self, log: Any) -> float:
        """Return the nats of a step of a log, the mean of -log P(step): the less, the better.

        A step is what people chose among the links of an element, given that they moved along one,
        and what the session held before; of independent visits, whether they came to y from x.
        """
        sessions = read_sessions(log)
        self.check(sessions)
        return judge(self, sessions).nats_per_step

    @abstractmethod
    def sample_posterior(self, n: int, seed: int) -> list[Navigation]:
        """Return navigations drawn from the posterior law, each as likely as the log makes it."""

    def to_links(self) -> Links:
        """Return the probabilities of `navigation` as a table."""
        return self.navigation.links

    @abstractmethod
    def variances(self, slopes: Floats) -> Floats:
        """Return by source x the posterior variance of the sum over y of slope(x, y) p(x, y).

        `slopes`: of each row of `to_links()`.
        """

    @property
    @abstractmethod
    def tried(self) -> Ints:
        """How often people could have taken each row of `to_links()`."""

    @abstractmethod
    def row_variances(self) -> Floats:
        """Return the posterior variance of each row's probability in `to_links()`."""

    def row_laws(self) -> Moments:
        """Return the moments of each row in `to_links()` by each of some laws, all as likely."""
        means = self.to_links().probabilities
        return Moments(means[np.newaxis], self.row_variances()[np.newaxis])

    def intervals(self, level: float = 0.95) -> "pd.DataFrame":
        """Return between what each probability lies, given the log: a line for each link.

        Columns source, target, probability, low, high, tried, in the order of `to_links()`. The
        interval is the middle of the posterior law, what is left being as likely below as above;
        given what is believed beforehand, that is taken to be Beta with its mean and variance.
        """
        import pandas as pd

        links = self.to_links()
        low, high = mixed_ends(*self.row_laws(), level)
        names = np.array(links.elements, dtype=object)
        return pd.DataFrame(
            {
                "source": names[links.sources],
                "target": names[links.targets],
                "probability": links.probabilities,
                "low": low,
                "high": high,
                "tried": self.tried,
            }
        )

    @abstractmethod
    def simulate(self, num_sessions: int, seed: int) -> Sessions:
        """Return sessions made from the mean, entries drawn as in the log."""

    @abstractmethod
    def summary(self) -> str:
        """Return what was learned, in sentences and figures that fit a terminal."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data, which `read_fitted` understands."""


def reached(steps: Links, elements: Iterable[str], ideals: Sequence[str]) -> Links:
    """Return P(x -> y) of some elements to some ideals, where each step is one of a walk.

    >>> reached(Links({("x", "z"): 0.5, ("z", "y"): 0.5}), ["x"], ["y"])
    Links({('x', 'y'): 0.25})
    """
    from prum.analytic.precision.of_task import reach_matrix

    listed = tuple(sorted(set(elements)))
    task = Task(listed, ideals, len(listed) + len(ideals))
    reach = reach_matrix(task, Walk(steps)).tocoo()
    columns = (part.tolist() for part in (*reach.coords, reach.data))
    return Links(
        {
            (listed[x], ideals[y]): min(p, 1.0)
            for x, y, p in zip(*columns, strict=True)
            if p > 0 and listed[x] != ideals[y]
        }
    )


# By what a file says was fitted: the class that reads it, in this room.
_CLASSES = {"walk": "FittedWalk", "independent": "FittedVisits", "types": "FittedTypes"}


def fitted_text(fitted: FittedNavigation) -> str:
    """Return a fitted navigation as the text of a file, which `read_fitted` reads without loss.

    The file holds the navigation in the mean, too, for whatever takes `--navigation`.
    """
    content = {"format": FORMAT, "prum": own_version(), **fitted.to_dict()}
    content["navigation"] = navigation_content(fitted.navigation)
    written = json_value(json_text(content))
    return json_text({**written, "checksum": checksum(written)})


def read_fitted(path: FilePath) -> FittedNavigation:
    """Return the fitted navigation of a file that `prum fit` wrote by -o, packed or not.

    Raises
    ------
    InputError
        for a file that is no JSON, was not written by `prum fit`, is of a newer version, or was
        changed or cut.
    OSError
        if it cannot be read.
    """
    content, where = fitted_content(path), place(path)
    kind = content["fitted"]
    if kind not in _CLASSES:
        rule, remedy = f"be one of {', '.join(_CLASSES)}", "install a newer prum, or fit again"
        raise InputError("what was fitted", kind, rule, remedy=remedy, place=where)
    made = getattr(import_module("prum.experiments.fitting"), _CLASSES[kind])
    try:
        fitted: FittedNavigation = made.from_dict(content)
        is_whole = navigation_content(fitted.navigation) == content["navigation"]
        if is_whole and fitted.num_sessions >= 0:
            return fitted
    except InputError as error:
        raise error.at(where) from None
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
        pass
    rule, remedy = "be as it was written", "fit again: the file was changed or cut"
    raise InputError("fitted file", "damaged", rule, remedy=remedy, place=where)


def navigation_kind(
    navigation: Any, learned: FittedNavigation | None = None
) -> str | Navigation | None:
    """Return how users browse as `linked` takes it: words, a file that has dials, or a navigation.

    What was `learned` from a pipe, which is read once, is in place of its name.

    Raise InputError for other data.
    """
    if isinstance(navigation, FittedNavigation):
        return navigation.navigation
    if isinstance(navigation, str | os.PathLike):
        kind = os.fspath(navigation)
        named = file_of(kind)
        if learned and named and os.path.exists(named[0]) and not os.path.isfile(named[0]):
            return dialled(learned.navigation, named[1])
        return kind
    if navigation is not None:
        browsing_of(navigation)
    return navigation  # type: ignore[no-any-return]


def fitted_of(navigation: Any) -> FittedNavigation | None:
    """Return what was fitted, of a file or as it is; None where nothing was.

    Raise InputError or OSError as `read_fitted`.
    """
    if isinstance(navigation, str | os.PathLike):
        named = file_of(os.fspath(navigation))
        return None if named is None else read_fitted(named[0])
    return navigation if isinstance(navigation, FittedNavigation) else None


def plain(table: Any, *without: str) -> dict[str, Any]:
    """Return the fields of a dataclass but some, arrays as lists."""
    values = ((field.name, getattr(table, field.name)) for field in fields(table))
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in values
        if name not in without
    }


def with_arrays(content: Mapping[str, Any], kind: type) -> dict[str, Any]:
    """Return plain data with arrays of a kind in the place of lists."""
    return {
        name: np.array(value, dtype=kind) if isinstance(value, list) else value
        for name, value in content.items()
    }


def check_base(base: object, words: tuple[str, ...]) -> None:
    """Raise InputError unless a base is one of some words."""
    if not isinstance(base, str) or base not in words:
        rule = f"be one of {', '.join(words)}"
        raise InputError("base", base, rule, remedy="check the name")
