"""Independent visits, learned from a log: P(x -> y) of each link, and what is not known of it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from prum.experiments.fitting.beta import beta_base
from prum.experiments.fitting.fitted import FittedNavigation
from prum.experiments.fitting.next_visit import next_visit_nats
from prum.experiments.logs import Sessions, Trials, VisitCounts, VisitReader, turns_of
from prum.experiments.logs.consultations import Consultations, expanded
from prum.experiments.logs.visit_counts import Pair
from prum.simulator.model import Independent, InputError, Links
from prum.simulator.model.arrays import Flags, Floats, Ints

Base = Literal["shares", "uniform", "targets", "both", "features"]
_BASES = ("shares", "uniform", "targets", "features", "both")


@dataclass(frozen=True, slots=True)
class VisitEstimator:
    """Learns independent visits: P(x -> y) for each link, whatever else people visit from x.

    A path is a consultation of the element entered at; whatever was visited on it was visited from
    there, each once. A path at whose end the log was cut is one that was broken off: if it is known
    in which order people look, it counts up to the last visit; if not, it is left out, which is
    right if what they saw is not why they broke off (`Consultations`).

    Given p, the number of visits of n trials is binomial; p is Beta(c m, c (1 - m)) before, so
    Beta(c m + k, c (1 - m) + n - k) after k visits. The means and the concentration c come from
    marginal likelihood (`beta_base`) and are then held as known.

    Parameters
    ----------
    base
        What m is of: nothing ("shares": c = 0, so that each probability is the share of visits
        among trials, as `observed` has it), all links ("uniform"), the links to the same target
        from elsewhere, as far as these tell ("targets"), features ("features"), or "both".
    skip_strays
        Leave out visits along no link, rather than refuse them.

    Raises
    ------
    InputError
        for another base.
    """

    base: Base = "targets"
    skip_strays: bool = False

    def __post_init__(self) -> None:
        if self.base not in _BASES:
            rule = f"be one of {', '.join(_BASES)}"
            raise InputError("base", self.base, rule, remedy="leave it out for targets")

    def fit(
        self,
        log: Any,
        links: Links,
        *,
        elements: Iterable[str] = (),
        order: Iterable[Pair] | None = None,
        features: Floats | None = None,
    ) -> "FittedVisits":
        """Return what a log tells of links.

        Parameters
        ----------
        log
            What `sessions_of` takes, or the `Trials` of a log with reasons: their turns if an order
            is known there, else those who could not stop, else all.
        links
            Whose pairs may be visited; its probabilities mean nothing here, nor do pairs (x, x).
        elements
            Known ones besides those of the links.
        order
            Pairs as people look at them from each element, all those of the links.
        features
            Columns for each row of links, of mean 0 and deviation 1; shape (len(links), d).

        Raises
        ------
        InputError
            as `VisitReader`; for a base with features and no such columns.

        >>> links = Links({("x", "a"): 1, ("x", "b"): 1})
        >>> fitted = VisitEstimator("shares").fit([["x", "a"], ["x", "a", "<", "b"], ["x"]], links)
        >>> fitted.navigation
        Independent({('x', 'a'): 0.6666666666666666, ('x', 'b'): 0.3333333333333333})
        """
        away = links.sources != links.targets
        own = links if away.all() else _chosen(links, away)
        turns = None if order is None else turns_of(own, order)
        if isinstance(log, Trials):
            counts = log.visit_counts(own)
        else:
            reader = VisitReader(own, elements=elements, turns=turns, skip_strays=self.skip_strays)
            counts = reader.counts(sessions_of(log))
        if self.base in ("features", "both") and features is None:
            rule, remedy = "have features", "give columns, or take the base targets"
            raise InputError("base", self.base, rule, remedy=remedy)
        means, concentration, learned = np.zeros(len(own)), 0.0, {}
        if self.base != "shares":
            columns = None if self.base not in ("features", "both") else features[away]
            others = _elsewhere(counts) if self.base in ("targets", "both") else None
            base = beta_base(counts.seen, counts.tried, columns, others)
            means, concentration = base.means, base.concentration
            learned = {
                "intercept": base.intercept,
                "weights": base.weights.tolist(),
                "pooling": base.pooling if others is not None else None,
            }
        return FittedVisits(self, counts, turns, means, concentration, learned)


@dataclass(frozen=True, eq=False)
class FittedVisits(FittedNavigation):
    """Independent visits with what is not known of them: a Beta law for each link.

    Parameters
    ----------
    estimator, counts
        What made it, from what.
    turns
        Of each link, its place in the order in which people look; None if that is not known.
    means, concentration
        Of the law of each probability before its own trials.
    learned
        The rest of the base.
    """

    estimator: VisitEstimator
    counts: VisitCounts
    turns: Ints | None
    means: Floats
    concentration: float
    learned: Mapping[str, Any]

    @cached_property
    def shapes(self) -> tuple[Floats, Floats]:
        """The two parameters of each link's Beta law, both 0 where nothing is known at all."""
        counts, c = self.counts, self.concentration
        return (
            c * self.means + counts.seen,
            c * (1 - self.means) + (counts.tried - counts.seen),
        )

    @cached_property
    def _mean(self) -> Floats:
        a, b = self.shapes
        mean: Floats = np.divide(a, a + b, out=np.zeros(len(a)), where=a + b > 0)
        return mean

    @cached_property
    def navigation(self) -> Independent:  # type: ignore[override]
        """Each probability in the mean, given the log; 0 where nothing is known at all."""
        return Independent(self._table(self._mean))

    def score(self, log: Any) -> float:
        """Return the nats of a step, the mean of -log P(step): the less, the better.

        A step is what people visited next of the links of the element entered at, given what they
        had visited from there, and that they visited another. Independent visits come in no order;
        here each order of those visited is as likely as any other, so that a step has a law.
        It is that of the next of times drawn evenly, one for each visit::

            P(y next | S before, another next) ~ p_y int_0^1 (1 - t)^|S| prod (1 - p_z + p_z t) dt

        the product being over the z that are neither in S nor y. Where people visit one thing from
        an entry, a step is what it is on a walk, and scores compare.
        """
        nats, steps = 0.0, 0
        for consulted in self._read(log):
            sums = next_visit_nats(self._mean, consulted)
            nats, steps = nats + sums[0], steps + sums[1]
        return nats / steps if steps else 0.0

    def toss_loss(self, log: Any) -> float:
        """Return the nats of a trial, the mean of -log P(whether y was visited).

        Trials are those of `VisitEstimator`: of each consultation, every link whose turn came.
        """
        seen, tried = (
            sum(part) for part in zip(*(c.counts() for c in self._read(log)), strict=True)
        )
        with np.errstate(divide="ignore"):
            yes, no = np.log(self._mean), np.log1p(-self._mean)
        nats = -(
            seen @ np.where(seen > 0, yes, 0.0) + (tried - seen) @ np.where(tried > seen, no, 0.0)
        )
        return float(nats) / max(int(tried.sum()), 1)

    def sample_posterior(self, n: int, seed: int) -> list[Independent]:  # type: ignore[override]
        """Return navigations drawn from the posterior law: links are independent."""
        rng = np.random.default_rng(seed)
        a, b = self.shapes
        open_ = (a > 0) & (b > 0)
        drawn = []
        for _ in range(n):
            values = self._mean.copy()
            values[open_] = rng.beta(a[open_], b[open_])
            drawn.append(Independent(self._table(values)))
        return drawn

    def _table(self, values: Floats) -> Links:
        """Return the links with other probabilities."""
        links = self.counts.links
        names = links.elements
        return Links.from_columns(
            [names[x] for x in links.sources.tolist()],
            [names[y] for y in links.targets.tolist()],
            np.clip(values, 0.0, 1.0),
        )

    def _read(self, log: Any) -> Iterator[Consultations]:
        """Yield the consultations of a log, read like that which was learned from."""
        counts, skip = self.counts, self.estimator.skip_strays
        reader = VisitReader(
            counts.links, elements=counts.elements, turns=self.turns, skip_strays=skip
        )
        for _, consulted in reader.consultations(sessions_of(log)):
            yield consulted

    def variances(self, slopes: Floats, *, more: float = 0.0) -> Floats:
        """Return by source x the posterior variance of the sum over y of slope(x, y) p(x, y).

        After n more trials of a link it is to be expected (a + b) / (a + b + n) times what it is.
        """
        total = np.add(*self.shapes)
        later = total + more * self.counts.tried
        left = np.divide(total, later, out=np.ones(len(total)), where=later > 0)
        links = self.counts.links
        of_rows = slopes**2 * self.row_variances() * left
        return np.bincount(links.sources, of_rows, len(links.elements))

    @property
    def tried(self) -> Ints:
        """How often the turn of each link came."""
        return self.counts.tried

    def row_variances(self) -> Floats:
        """Return the posterior variance of each link's probability."""
        return self._mean * (1 - self._mean) / (np.add(*self.shapes) + 1)

    def simulate(self, num_sessions: int, seed: int) -> Sessions:
        """Return sessions of one path each, entered at as in the log.

        People go back after each visit. They look in the order that is known, or in any.
        """
        rng = np.random.default_rng(seed)
        links, entries = self.counts.links, self.counts.entries
        source = rng.choice(len(entries), size=num_sessions, p=entries / entries.sum())
        ends = np.append(links.starts, np.full(len(entries) + 1, len(links)))
        path, row = expanded(ends[source], ends[source + 1])
        tossed = rng.random(len(row)) < self._mean[row]
        path, row = path[tossed], row[tossed]
        turn = rng.random(len(row)) if self.turns is None else self.turns[row]
        order = np.lexsort((turn, path))
        path, row = path[order], row[order]
        # A path is x, y, x, z: every visit but the last is gone back from.
        visits = np.bincount(path, minlength=num_sessions)
        starts = np.append(0, np.cumsum(np.maximum(2 * visits, 1)))
        place = starts[path] + 1 + 2 * (np.arange(len(path)) - (np.cumsum(visits) - visits)[path])
        element = np.repeat(source, np.diff(starts))
        element[place] = links.targets[row]
        is_back = np.ones(len(element), dtype=np.bool_)
        is_back[place] = is_back[starts[:-1]] = False
        is_entry = np.zeros(len(element), dtype=np.bool_)
        is_entry[starts[:-1]] = True
        return Sessions(
            self.counts.elements, element, starts, is_entry, is_back, (),
            np.full(num_sessions, -1), np.zeros(num_sessions, dtype=np.bool_),
        )  # fmt: skip

    def summary(self) -> str:
        """Return what was learned, in sentences and figures that fit a terminal."""
        counts, c = self.counts, self.concentration
        known = counts.tried > 0
        lines = [
            f"Independent visits, from {counts.num_sessions:,} sessions: {counts.seen.sum():,} of "
            f"{counts.tried.sum():,} trials along {known.sum():,} links, {len(known):,} in all.",
        ]
        if counts.num_broken:
            how = (
                "left out, since it is not known in which order people look"
                if self.turns is None
                else "counted up to the last visit"
            )
            lines.append(f"Broken off: {counts.num_broken:,} paths, {how}.")
        if counts.num_strays:
            lines.append(f"Left out: {counts.num_strays:,} visits along no link.")
        if self.estimator.base == "shares":
            lines.append("Each probability is the share of visits among its trials.")
        else:
            lines.append(
                f"Base: {self.estimator.base}, mean {self.means.mean():.4g}, worth {c:.3g} trials "
                "of each link."
            )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data, which `from_dict` understands."""
        counts = self.counts
        names = counts.links.elements
        return {
            "fitted": "independent",
            "parameters": asdict(self.estimator),
            "log": {name: getattr(counts, name) for name in _NUMBERS},
            "learned": {"concentration": self.concentration, **self.learned},
            "elements": list(counts.elements),
            "entries": counts.entries.tolist(),
            "source": [names[x] for x in counts.links.sources.tolist()],
            "target": [names[y] for y in counts.links.targets.tolist()],
            "seen": counts.seen.tolist(),
            "tried": counts.tried.tolist(),
            "mean": self.means.tolist(),
            "turn": None if self.turns is None else self.turns.tolist(),
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "FittedVisits":
        """Return what `to_dict` returned.

        Raises
        ------
        InputError
            as `Links` and `VisitEstimator`.
        """
        seen, tried, entries = (
            np.array(content[name], dtype=np.int64) for name in ("seen", "tried", "entries")
        )
        links = Links.from_columns(content["source"], content["target"], np.ones(len(seen)))
        numbers = (int(content["log"][name]) for name in _NUMBERS)
        counts = VisitCounts(links, seen, tried, tuple(content["elements"]), entries, *numbers)
        turns = content["turn"]
        learned = dict(content["learned"])
        return cls(
            VisitEstimator(**content["parameters"]), counts,
            None if turns is None else np.array(turns, dtype=np.int64),
            np.array(content["mean"], dtype=np.float64), float(learned.pop("concentration")),
            learned,
        )  # fmt: skip


_NUMBERS = ("num_sessions", "num_broken", "num_strays")


def _chosen(links: Links, rows: Flags) -> Links:
    """Return some rows of links."""
    names = links.elements
    return Links.from_columns(
        [names[x] for x in links.sources[rows].tolist()],
        [names[y] for y in links.targets[rows].tolist()],
        links.probabilities[rows],
    )


def _elsewhere(counts: VisitCounts) -> tuple[Ints, Ints]:
    """Return how often each link's target was seen, and tried, from other sources."""
    targets, size = counts.links.targets, len(counts.links.elements)
    return tuple(
        np.bincount(targets, part, size)[targets].astype(np.int64) - part
        for part in (counts.seen, counts.tried)
    )


def sessions_of(log: Any) -> list[Sessions]:
    """Shim."""
    return [log] if isinstance(log, Sessions) else [Sessions.of(log)]
