"""A walk that was learned: who stops, who goes back, who takes which link, and how sure that is."""

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy.special import softmax

from prum.experiments.fitting.choices import ChoiceLaw
from prum.experiments.fitting.fitted import FittedNavigation, plain, with_arrays
from prum.experiments.fitting.held_out import BACK, STEP, STOP, Predictions
from prum.experiments.fitting.laws import Moments, beta_drawn, drawn, group_shares
from prum.experiments.logs.counts import Outcomes, StepCounts, step_counts
from prum.experiments.logs.sessions import Sessions, codes_of, expanded, rows_of
from prum.simulator.model import InputError, Links, Navigation, Walk
from prum.simulator.model.arrays import Flags, Floats, Ints

# In place of the probability 0: what people did cannot have been impossible.
LEAST = 1e-300
# Visits after which a session is cut: there are people who hardly ever stop.
MOST_VISITS = 10_000
# So much below 1 are random numbers that a sum with the number of a row doesn't round to the next.
_BELOW = 1 - 2.0**-30


@dataclass(frozen=True, eq=False)
class FittedWalk(FittedNavigation):
    """A walk with stops and back clicks, whose probabilities are known as far as a log tells them.

    At x a person stops with s_x; else, if they came from somewhere, they go back there with b_x;
    else they take one of x's links, y with theta_xy. Where no link leads on, they stop with s_x or
    go back, and stop for sure if they came from nowhere. Given the log and what is believed
    beforehand, s_x and b_x have Beta laws, theta_x has a Dirichlet law, and all are independent.
    What is believed beforehand was fitted to the same log. What the log leaves open of it is in the
    draws, over which means, variances, intervals and posterior draws go; the concentration of
    where back clicks lead counts as known.

    `navigation` is a `Walk`, whose steps do not depend on the way: there a back click from x is a
    step to where back clicks from x led, and as frequent as at x on the average over the ways,

        p(x, y) = (1 - s_x) ((1 - a_x b_x) theta_xy + a_x b_x rho_xy),

    where a_x is the share of x's visits with something to go back to, and rho_x has a Dirichlet law
    around where people came to x from. `simulate` really goes back.

    Parameters
    ----------
    counts
        What the log says.
    choices
        What is believed of choices among links.
    stops, leaf_stops, backs
        Shapes (a, b) of what is believed of s where links lead on, of s where none does, of b.
    return_concentration
        Of the belief in where back clicks lead.
    skip_strays
        Whether moves along no link are left out of logs that are scored, too.
    draws
        Of `stops`, `leaf_stops` and `backs`, by name, what the log leaves possible, each as likely;
        shapes (draws, 2). None where they count as known.
    """

    counts: StepCounts
    choices: ChoiceLaw
    stops: tuple[float, float]
    leaf_stops: tuple[float, float]
    backs: tuple[float, float]
    return_concentration: float
    skip_strays: bool
    draws: Mapping[str, Floats] | None = None

    @property
    def links(self) -> Links:
        """Along which people move; its probabilities mean nothing."""
        return self.counts.links

    @cached_property
    def shapes(self) -> Floats:
        """Shapes of the Dirichlet laws of theta, by draw of beliefs and row of links."""
        return self.choices.shapes(self.links) + self.counts.moves

    @cached_property
    def shares(self) -> Floats:
        """The means of theta, by row of links; 0 for what is no choice."""
        size, sources = len(self.links.elements), self.links.sources
        means: Floats = np.mean([group_shares(row, sources, size) for row in self.shapes], axis=0)
        return means

    @cached_property
    def is_leaf(self) -> Flags:
        """Of each element, whether no link leads on."""
        leads_on = self.shapes.any(axis=0)
        leaf: Flags = np.bincount(self.links.sources, leads_on, len(self.counts.elements)) == 0
        return leaf

    def _believed(self, name: str) -> Floats:
        """Return shapes (a, b) of beliefs, by draw of them; shape (2, draws, 1)."""
        draws = [getattr(self, name)] if self.draws is None else self.draws[name]
        return np.array(draws).T[..., np.newaxis]

    @property
    def stop_shapes(self) -> tuple[Floats, Floats]:
        """Shapes of the Beta laws of s, by draw of beliefs and element."""
        counts, leaf = self.counts, self.is_leaf
        stopped = np.where(leaf, np.maximum(counts.stops - counts.entries, 0), counts.stops)
        a, b = np.where(leaf, self._believed("leaf_stops"), self._believed("stops"))
        return a + stopped, b + counts.moved + counts.backs

    @property
    def back_shapes(self) -> tuple[Floats, Floats]:
        """Shapes of the Beta laws of b, by draw of beliefs and element."""
        counts, leaf, (a, b) = self.counts, self.is_leaf, self._believed("backs")
        stays = b + counts.moved - counts.first_moves
        return np.where(leaf, 1.0, a + counts.backs), np.where(leaf, 0.0, stays)

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """Mean probabilities of stopping and, of those who do not, of going back, by element."""
        stop, back = self._end_moments()
        return stop.mean.mean(axis=0), back.mean.mean(axis=0)

    @cached_property
    def returns(self) -> tuple[Ints, Ints, Floats]:
        """Rows of back clicks: from, to, and the shapes of the Dirichlet laws of rho."""
        origins, ends, believed, returned = return_rows(self.counts, self.shares)
        some = slice(None) if self.counts.backs.any() else slice(0)
        shapes = self.return_concentration * believed + returned
        return origins[some], ends[some], shapes[some]

    @cached_property
    def backable(self) -> Floats:
        """a, by element: the share of visits, other than stops, with something to go back to."""
        counts, leaf = self.counts, self.is_leaf
        whole = np.where(leaf, counts.stops, counts.moved) + counts.backs
        alone = np.where(leaf, np.minimum(counts.entries, counts.stops), counts.first_moves)
        overall = (whole - alone).sum() / max(whole.sum(), 1)
        some = np.bincount(self.returns[0], minlength=len(whole)) > 0
        share: Floats = np.where(some, (whole - alone + overall) / (whole + 1), 0.0)
        return share

    @cached_property
    def table(self) -> tuple[Links, Ints, Ints]:
        """The pairs of `navigation`, and in which rows of them those of links and returns are."""
        names = np.array(self.counts.elements, dtype=object)
        origins, ends, _ = self.returns
        x = np.concatenate([self.links.sources, origins])
        y = np.concatenate([self.links.targets, ends])
        keys, place = np.unique(x * len(names) + y, return_inverse=True)
        x, y = keys // len(names), keys % len(names)
        table = Links.from_columns(names[x], names[y], np.zeros(len(keys)))
        code = codes_of(names, table.code)
        row = rows_of(table, code[x], code[y])[place]
        return table, row[: len(self.links)], row[len(self.links) :]

    def _walk(self, s: Floats, b: Floats, theta: Floats, rho: Floats) -> Walk:
        """Return the walk with some probabilities of stopping, going back, moves and returns."""
        table, moves, returns = self.table
        back = self.backable * b
        p = np.zeros(len(table))
        p[moves] = ((1 - s) * (1 - back))[self.links.sources] * theta
        p[returns] += ((1 - s) * back)[self.returns[0]] * rho
        return Walk(table.with_probabilities(p))

    @cached_property
    def navigation(self) -> Walk:
        """The walk whose steps have their mean probabilities."""
        origins, _, shapes = self.returns
        size = len(self.counts.elements)
        return self._walk(*self.ends, self.shares, group_shares(shapes, origins, size))

    def predict(self, sessions: Sessions) -> Mapping[str, Predictions]:
        """Return which link, whether to stop and whether to go back, by the means.

        Of going back nothing is predicted if nobody went back in the log that was learned from.
        """
        outcomes = Outcomes.of(sessions, self.links, self.counts.elements)
        return predicted([self], np.zeros((len(outcomes.element), 1)), sessions, outcomes)

    def check(self, sessions: Sessions) -> None:
        """Raise InputError for strays, unless these are left out."""
        elements, skips = self.counts.elements, self.skip_strays
        step_counts(sessions, self.links, elements=elements, skip_strays=skips)

    def sample_posterior(self, n: int, seed: int) -> list[Navigation]:
        """Return walks drawn from the posterior law."""
        rng = np.random.default_rng(seed)
        origins, _, shapes = self.returns
        size = len(self.counts.elements)
        stops, backs, choices = self.stop_shapes, self.back_shapes, self.shapes

        def drawn_ends(a: Floats, b: Floats) -> Floats:
            row = rng.integers(len(a))
            return beta_drawn(a[row], b[row], rng)

        return [
            self._walk(
                drawn_ends(*stops),
                drawn_ends(*backs),
                drawn(choices[rng.integers(len(choices))], self.links.sources, size, rng),
                drawn(shapes, origins, size, rng),
            )
            for _ in range(n)
        ]

    def variances(self, slopes: Floats) -> Floats:
        """Return the variance of each element's sum of slope times step.

        That elements share what is believed beforehand counts for each by itself.
        """
        _, move_rows, back_rows = self.table
        size, (origins, _, shapes) = len(self.counts.elements), self.returns
        moves = Moments.stacked(
            Moments.of_sums(drawn_shapes, slopes[move_rows], self.links.sources, size)
            for drawn_shapes in self.shapes
        )
        backs = Moments.of_sums(shapes, slopes[back_rows], origins, size)
        stop, back = (law.mixed() for law in self._end_moments())
        laws = self._moments(np.arange(size), stop, back, moves.mixed(), backs)
        return laws.variance[self._of_table]

    def row_variances(self) -> Floats:
        """Return the posterior variance of each step of `to_links()`."""
        stop, back, moves, backs = self._row_moments()
        element = self._of_table[self.table[0].sources]
        return self._moments(element, stop.mixed(), back.mixed(), moves.mixed(), backs).variance

    def row_laws(self) -> Moments:
        """Return the moments of each step of `to_links()`, by draw of beliefs."""
        return self._moments(self._of_table[self.table[0].sources], *self._row_moments())

    def _end_moments(self) -> tuple[Moments, Moments]:
        """Return moments of s and of b, by draw of beliefs and element."""
        return Moments.of_beta(*self.stop_shapes), Moments.of_beta(*self.back_shapes)

    def _row_moments(self) -> tuple[Moments, Moments, Moments, Moments]:
        """Return moments of s, b, theta by draw of beliefs, and rho; the last two by step."""
        table, move_rows, back_rows = self.table
        size, (origins, _, shapes) = len(self.counts.elements), self.returns
        moves = Moments.stacked(
            Moments.of_each(drawn_shapes, self.links.sources, size) for drawn_shapes in self.shapes
        )
        backs = Moments.of_each(shapes, origins, size)
        rows = moves.put(move_rows, len(table)), backs.put(back_rows, len(table))
        return *self._end_moments(), *rows

    @property
    def tried(self) -> Ints:
        """How often people were at the source of each step of `to_links()`."""
        left = self.counts.moved + self.counts.backs + self.counts.stops
        return left[self._of_table][self.table[0].sources]

    @cached_property
    def _of_table(self) -> Ints:
        """The elements of the table, as numbers of those of the counts."""
        code = {name: number for number, name in enumerate(self.counts.elements)}
        return codes_of(self.table[0].elements, code)

    def _moments(
        self, element: Ints, stop: Moments, back: Moments, moves: Moments, backs: Moments
    ) -> Moments:
        """Return the moments of (1 - s) ((1 - a b) A + a b B) at some elements.

        Those of s and b are by element, of A and B at these.
        """
        a, stop, back = self.backable[element], stop.take(element), back.take(element)
        ab = a * back.mean

        def square(stop2: Floats, back2: Floats, moves2: Floats, backs2: Floats) -> Floats:
            both = (1 - 2 * ab + a**2 * back2) * moves2 + a**2 * back2 * backs2
            crossed: Floats = 2 * (ab - a**2 * back2) * moves.mean * backs.mean
            return (1 - 2 * stop.mean + stop2) * (both + crossed)

        laws = (stop, back, moves, backs)
        whole = square(*(law.mean**2 + law.variance for law in laws))
        mean = (1 - stop.mean) * ((1 - ab) * moves.mean + ab * backs.mean)
        return Moments(mean, np.maximum(whole - square(*(law.mean**2 for law in laws)), 0))

    def simulate(self, num_sessions: int, seed: int) -> Sessions:
        """Return sessions by the means, with real back clicks; they are cut after 10,000 visits."""
        return made_walks(self, num_sessions, seed)

    def summary(self) -> str:
        """Return what was learned, a line for each thing."""
        counts, law = self.counts, self.choices
        weights = dict(law.weights)
        worth, growth = np.exp(weights.pop("k_0")), weights.pop("g")
        features = "".join(f"{name} {value:.3f}, " for name, value in weights.items())
        lines = [
            f"walk of order 1, from {_number(counts.num_sessions, 'session')}:"
            f" {_number(counts.moves.sum(), 'move')}, {_number(counts.backs.sum(), 'back click')},"
            f" {_number(counts.stops.sum(), 'stop')}",
            f"{_number(len(counts.elements), 'element')}, {_number(len(self.links), 'link')},"
            f" {np.count_nonzero(counts.moves):,} taken",
            f"prior: stop {_mean_and_weight(self.stops)}, go back {_mean_and_weight(self.backs)}",
            f"prior of links: weight {worth:.1f} moves at average out-degree,"
            f" proportional to out-degree^{growth:.2f}",
            f"weights: {features}deviation of targets {law.deviation:.3f}",
            f"log evidence of the choices: {law.log_evidence:,.1f}",
        ]
        if self.draws is not None:
            lines.append(
                "intervals include the uncertainty of the prior; on simulated logs 95 % intervals"
                " cover 93 % to 96 % (89 % where nearly everyone takes the same link of a page)"
            )
        if counts.num_strays:
            lines.append(f"left out: {_number(counts.num_strays, 'stray')}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return counts and beliefs as plain data, of which `from_dict` makes the same walk."""
        links, draws = self.links, self.choices.draws
        rows = None if draws is None else draws.astype("<i2")
        texts = None if rows is None else [b64encode(row.tobytes()).decode() for row in rows]
        return {
            **plain(self),
            "fitted": "walk",
            "elements": list(self.counts.elements),
            "sources": links.sources.tolist(),
            "targets": links.targets.tolist(),
            "counts": plain(self.counts, "links", "elements"),
            "choices": plain(self.choices) | {"draws": texts},
            "draws": self.draws and {name: rows.tolist() for name, rows in self.draws.items()},
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Return the walk that `to_dict` told of."""
        names = np.array(content["elements"], dtype=object)
        sources, targets = names[content["sources"]], names[content["targets"]]
        links = Links.from_columns(sources, targets, np.ones(len(sources)))
        counts = with_arrays(content["counts"], np.int64)
        counts["returns"] = counts["returns"].reshape(-1, 3)
        law, draws = dict(content["choices"]), content["draws"]
        if law["draws"] is not None:
            texts = [np.frombuffer(b64decode(text), "<i2") for text in law["draws"]]
            law["draws"] = np.array(texts).astype(np.int16)
        return cls(
            StepCounts(links, tuple(names), **counts),
            ChoiceLaw(**with_arrays(law, np.float64)),
            (content["stops"][0], content["stops"][1]),
            (content["leaf_stops"][0], content["leaf_stops"][1]),
            (content["backs"][0], content["backs"][1]),
            content["return_concentration"],
            content["skip_strays"],
            draws and with_arrays(draws, np.float64),
        )


def made_walks(walk: FittedWalk, num_sessions: int, seed: int) -> Sessions:
    """Return sessions of one path each by a walk's means, entries drawn as in the log.

    Raise InputError for a number of sessions below 1.
    """
    if num_sessions < 1:
        raise InputError("number of sessions", num_sessions, "be at least 1", remedy="try 1000")
    rng, counts, (stop, back) = np.random.default_rng(seed), walk.counts, walk.ends
    entered = np.cumsum(counts.entries)
    # Where each row ends if those of element i fill the interval from i to i + 1.
    starts, sources = counts.links.starts, counts.links.sources
    sums = np.append(0.0, np.cumsum(walk.shares))
    within = np.minimum(sums[1:] - sums[starts[sources]], 1.0)
    within[starts[1:][np.diff(starts) > 0] - 1] = 1.0
    ends, targets = sources + within, counts.links.targets.astype(np.int64)
    position = np.searchsorted(entered, rng.random(num_sessions) * entered[-1], side="right")
    session, depth = np.arange(num_sessions), np.ones(num_sessions, dtype=np.int64)
    trail = position[:, None]
    visits = [(session, position, np.zeros(num_sessions, dtype=np.bool_))]
    while len(session) and len(visits) < MOST_VISITS:
        tosses = rng.random((4, len(session)))[:3]  # a seed's sessions stay as they were
        alone = depth == 1
        stays = ~((tosses[0] < stop[position]) | (alone & walk.is_leaf[position]))
        session, depth, trail, position, alone, tosses = (
            session[stays],
            depth[stays],
            trail[stays],
            position[stays],
            alone[stays],
            tosses[:, stays],
        )
        goes_back = ~alone & (tosses[1] < back[position])
        person = np.arange(len(session))
        row = np.searchsorted(ends, position + tosses[2] * _BELOW, side="right")
        # Where there is no link nobody moves on, and any row will do.
        target = targets[np.minimum(row, len(targets) - 1)]
        depth = depth + np.where(goes_back, -1, 1)
        if depth.max(initial=0) > trail.shape[1]:
            trail = np.pad(trail, ((0, 0), (0, trail.shape[1])))
        position = np.where(goes_back, trail[person, depth - 1], target)
        trail[person, depth - 1] = position
        visits.append((session, position, goes_back))
    number, element, is_back = (np.concatenate(column) for column in zip(*visits, strict=True))
    order = np.argsort(number, kind="stable")
    starts = np.searchsorted(number[order], np.arange(num_sessions + 1))
    cut = np.isin(np.arange(num_sessions), session)
    columns = element[order].astype(np.int64), starts.astype(np.int64), is_back[order]
    return Sessions.of_paths(counts.elements, *columns, cut)


def predicted(
    walks: Sequence[FittedWalk], before: Floats, sessions: Sessions, outcomes: Outcomes
) -> dict[str, Predictions]:
    """Return what people of some types, each with a walk, are predicted to do at each visit.

    `before`: by visit and type, the log of how probable the type is, given what came before it, up
    to a constant of the visit; shape (m, types).

    Whether a visit is a stop is known before it is asked whether people go back, and both before
    it is asked which link they take. Those who came from nowhere cannot go back, and stop for sure
    where no link leads on.
    """
    walk, element, session, alone = walks[0], outcomes.element, sessions.session, outcomes.alone
    stops, backs = (
        np.stack(ends, axis=1) for ends in zip(*(walk.ends for walk in walks), strict=True)
    )

    def types(visits: Ints, passed: Floats | float = 1.0) -> Floats:
        """Return how probable types are of those who did not do otherwise; shape (k, types)."""
        parts: Floats = softmax(before[visits] + np.log(np.maximum(passed, LEAST)), axis=1)
        return parts

    moved = np.flatnonzero(outcomes.row >= 0)
    rows = outcomes.row[moved]
    source = walk.links.sources[rows]
    low, high = walk.links.starts[source], walk.links.starts[source + 1]
    choice, options = expanded(low, high)
    stays = np.where(alone[moved, np.newaxis], 1.0, 1 - backs[element[moved]]) * (
        1 - stops[element[moved]]
    )
    step = np.zeros(len(options))
    for part, of_type in zip(types(moved, stays).T, walks, strict=True):
        step += part[choice] * of_type.shares[options]
    starts = np.append(0, np.cumsum(high - low))
    steps = {STEP: Predictions(session[moved], starts, step, options == rows[choice])}
    is_known = outcomes.stops | outcomes.goes_back | (outcomes.row >= 0)
    tried = np.flatnonzero(is_known)
    stop = (types(tried) * stops[element[tried]]).sum(axis=1)
    stop[alone[tried] & walk.is_leaf[element[tried]]] = 1.0
    if not walk.counts.backs.any():
        # Of going back nothing was learned: it is no choice, nor is stopping where it is certain.
        possible = ~(outcomes.goes_back[tried] & (stop > 1 - 1e-9))
        tried, stop = tried[possible], stop[possible]
        return steps | {STOP: Predictions.tosses(session[tried], stop, outcomes.stops[tried])}
    on = np.flatnonzero(is_known & ~outcomes.stops & ~alone)
    back = (types(on, 1 - stops[element[on]]) * backs[element[on]]).sum(axis=1)
    return steps | {
        STOP: Predictions.tosses(session[tried], stop, outcomes.stops[tried]),
        BACK: Predictions.tosses(session[on], back, outcomes.goes_back[on]),
    }


def _mean_and_weight(shapes: tuple[float, float]) -> str:
    return f"{shapes[0] / sum(shapes):.3f} (weight {sum(shapes):.1f} visits)"


def _number(count: int, name: str) -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def return_rows(counts: StepCounts, shares: Floats) -> tuple[Ints, Ints, Floats, Ints]:
    """Return rows of back clicks: from x, to y, what is believed of the share, how often.

    People came to x along a link from y, and go back there: the belief is that they came as often
    as y was left (once more than the log says) times theta_yx.

    `shares`: theta of each row of links.
    """
    size, links = len(counts.elements), counts.links
    some = np.flatnonzero(shares > 0)
    sources, targets = links.sources[some].astype(np.int64), links.targets[some].astype(np.int64)
    x, y, number = counts.returns.T
    keys, place = np.unique(np.append(targets * size + sources, x * size + y), return_inverse=True)
    arrived = (counts.moved + 1)[sources] * shares[some]
    weights = np.bincount(place[: len(some)], arrived, len(keys))
    # After strays people may go back otherwise than they came.
    weights[weights == 0] = 1
    origins, ends = keys // size, keys % size
    believed = weights / np.bincount(origins, weights, size)[origins]
    returned = np.bincount(place[len(some) :], number, len(keys)).astype(np.int64)
    return origins, ends, believed, returned
