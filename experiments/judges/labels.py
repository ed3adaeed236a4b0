"""Labels of several judges beside people's, and how likely each element is ideal by them.

Whether element d is ideal is z_d, labels are y_jd. Judge j calls an ideal ideal with probability
h_j and another element with f_j. Their errors are "independent" (one pair of rates for all topics),
"shared within topics" (rates of each topic, from Beta laws), or "shared by document" (the logits of
all judges' rates move together by sigma times a standard normal number of each document).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from prum.experiments.judges.ranks import constants, drawn_coefficients, most_say, normal_scores
from prum.experiments.judges.rates import Rate
from prum.simulator.collections.qrels import reaches
from prum.simulator.model.arrays import Floats, Ints

Dependence = Literal["independent", "shared within topics", "shared by document"]
# Standard deviations of documents' logits that are tried.
_SIGMAS = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
_NODES = 21
# Steps of the sampler, in each of which the log odds of a topic's share move so far.
_STEPS, _WIDTHS = 40, (1.0, 0.3, 0.1)
_LOGITS = np.linspace(-10, 10, 25)


@dataclass(frozen=True, eq=False)
class Labels:
    """What judges and people say of elements.

    Parameters
    ----------
    judges
        Their names.
    elements
        Topic -> elements that a judge labelled, or people judged.
    labels
        Topic -> 1 or 0 by each judge, -1 where it said nothing, shape (judges, elements).
    people
        Topic -> 1 or 0 by people, -1 where they said nothing, shape (elements,).
    places
        Topic -> normal scores of elements' places by systems, shape (elements, systems); none
        without ranks.
    """

    judges: tuple[str, ...]
    elements: Mapping[str, tuple[str, ...]]
    labels: Mapping[str, Ints]
    people: Mapping[str, Floats]
    places: Mapping[str, Floats] = field(default_factory=dict)

    def rate(self, judge: int, is_ideal: float) -> Rate:
        """Return how often a judge calls ideal what people call so (1), or do not (0)."""
        of = [self.labels[t][judge][self.people[t] == is_ideal] for t in self.elements]
        return Rate(
            np.array([int((y == 1).sum()) for y in of]),
            np.array([int((y >= 0).sum()) for y in of]),
        )

    @cached_property
    def rates(self) -> tuple[tuple[Rate, Rate], ...]:
        """Hits and false alarms of each judge."""
        return tuple((self.rate(j, 1), self.rate(j, 0)) for j in range(len(self.judges)))

    @cached_property
    def prevalence(self) -> Rate:
        """The share of ideals of each topic, by people."""
        judged = list(self.people.values())
        return Rate(
            np.array([int((z == 1).sum()) for z in judged]),
            np.array([int((z >= 0).sum()) for z in judged]),
        )

    def patterns(self, is_ideal: float) -> Ints:
        """Return the labels of what people call ideal (1) or not (0), shape (judges, pairs)."""
        of = [self.labels[t][:, self.people[t] == is_ideal] for t in self.elements]
        return np.concatenate(of, axis=1)

    def correlation(self, first: int, second: int, is_ideal: float) -> float:
        """Return how two judges' labels correlate among ideals (1), or others (0), of what both
        labelled; NaN where one says the same of all.
        """
        both = self.patterns(is_ideal)[[first, second]]
        a, b = both[:, (both >= 0).all(axis=0)].astype(np.float64)
        if not len(a):
            return np.nan
        spread = a.std() * b.std()
        return float(((a - a.mean()) * (b - b.mean())).mean() / spread) if spread > 0 else np.nan

    @cached_property
    def by_document(self) -> tuple[tuple[float, float, Floats], ...]:
        """Of ideals, and of others: log probability, the best sigma, and the rates by node."""
        return tuple(_by_document(self.patterns(z)) for z in (1.0, 0.0))

    @cached_property
    def evidence(self) -> dict[Dependence, float]:
        """Log probability of the judges' labels of what people judged, by dependence."""
        both = [rate for pair in self.rates for rate in pair]
        logs: dict[Dependence, float] = {
            "independent": sum(rate.evidence_shared for rate in both),
            "shared within topics": sum(rate.evidence_within for rate in both),
        }
        if len(self.judges) > 1:
            logs["shared by document"] = sum(part[0] for part in self.by_document)
        return logs

    @property
    def dependence(self) -> Dependence:
        """The dependence with the most evidence."""
        return max(self.evidence, key=self.evidence.__getitem__)

    def probabilities(
        self, cases: int, rng: np.random.Generator, dependence: Dependence | None = None
    ) -> dict[str, Floats]:
        """Return topic -> P(ideal) of each element, shape (cases, elements).

        A case is a draw of the rates and of the coefficients by rank; and, given its labels and
        ranks, of a topic's own rates (by Gibbs sampling) and share of ideals (by Metropolis steps,
        what is ideal summed out). What people judged is 0 or 1. The dependence is that with the
        most evidence, unless one is given.
        """
        kind = self.dependence if dependence is None else dependence
        laws = np.array([[rate.drawn(cases, rng) for rate in pair] for pair in self.rates])
        pooled = [
            [rng.beta(r.happened.sum() + 1, (r.trials - r.happened).sum() + 1, cases) for r in pair]
            for pair in self.rates
        ]
        rates = np.array(pooled) if kind == "independent" else laws[:, :, 0]
        share = np.stack(self.prevalence.drawn(cases, rng))
        by_rank = self._coefficients(cases, rng)
        made = {}
        for topic in self.elements:
            y, z = self.labels[topic], self.people[topic]
            ranked = np.zeros((cases, len(z)))
            if by_rank is not None and topic in self.places:
                no, yes = by_rank @ self.places[topic].T
                ranked = np.where(most_say(y) == 1, yes, no)
            laws_of = np.moveaxis(laws, -1, 0)
            made[topic] = self._topic(kind, y, z, laws_of, rates.T, share, ranked, rng)
        return made

    @cached_property
    def ranked(self) -> tuple[str, ...]:
        """Topics on which ranks are evidence: all that have some, if people judged two of them."""
        judged_topics = [topic for topic in self.places if (self.people[topic] >= 0).any()]
        return tuple(self.places) if len(judged_topics) > 1 else ()

    def _coefficients(self, cases: int, rng: np.random.Generator) -> Floats | None:
        """Return drawn coefficients by rank; None where ranks are no evidence."""
        evidence = []
        for topic in self.ranked:
            if (judged := self.people[topic] >= 0).any():
                said, places = most_say(self.labels[topic]), self.places[topic]
                evidence.append((self.people[topic][judged], said[judged], places[judged]))
        return drawn_coefficients(evidence, cases, rng) if evidence else None

    def _topic(
        self,
        kind: Dependence,
        y: Ints,
        z: Floats,
        laws: Floats,
        rates: Floats,
        share: Floats,
        ranked: Floats,
        rng: np.random.Generator,
    ) -> Floats:
        """Return P(ideal) of a topic's elements, shape (cases, elements); see `probabilities`.

        `laws` are means and pseudo-counts, shape (cases, judges, 2, 2), the first by hit and false
        alarm; `rates`, at first, (cases, 2, judges); `ranked` log odds, (cases, elements).
        """
        from scipy import special

        rates = np.swapaxes(rates, 1, 2)
        means, sizes = laws[..., 0], laws[..., 1]
        chance = np.broadcast_to(z, (len(means), len(z)))
        if (judged := z >= 0).all():
            return chance
        # The log odds of an element by labels, and the topic's, which ranks move apart only.
        odds, logit = self._log_odds(kind, y, rates), special.logit(share[0])
        beta = share[0] * share[1], (1 - share[0]) * share[1]
        moved = constants(_LOGITS, ranked) if ranked.any() else np.zeros((len(_LOGITS), len(means)))

        of_case = np.arange(len(means))

        def by_rank(odds_of_topic: Floats) -> Floats:
            place = (odds_of_topic - _LOGITS[0]) / (_LOGITS[1] - _LOGITS[0])
            low = np.minimum(place.astype(np.int64), len(_LOGITS) - 2)
            added = moved[low, of_case] + (place - low) * (
                moved[low + 1, of_case] - moved[low, of_case]
            )
            return np.asarray((odds_of_topic + added)[:, None] + ranked)

        def log_density(odds_of_topic: Floats) -> Floats:
            alone = by_rank(odds_of_topic)
            terms = np.where(judged, z * alone, np.logaddexp(0, alone + odds))
            prior = beta[0] * special.log_expit(odds_of_topic) + beta[1] * special.log_expit(
                -odds_of_topic
            )
            return np.asarray(prior + (terms - np.logaddexp(0, alone)).sum(axis=1))

        for _ in range(_STEPS):
            now = log_density(logit)
            for width in _WIDTHS:
                other = np.clip(logit + width * rng.normal(size=len(logit)), *_LOGITS[[0, -1]])
                then = log_density(other)
                taken = np.log(rng.random(len(logit))) < then - now
                logit, now = np.where(taken, other, logit), np.where(taken, then, now)
            chance = np.where(judged, z, special.expit(by_rank(logit) + odds))
            if kind == "shared within topics":
                ideal = rng.random(chance.shape) < chance
                counts, trials = (
                    np.stack([ideal @ said, ~ideal @ said], axis=-1)
                    for said in ((y.T == 1).astype(np.float64), (y.T >= 0).astype(np.float64))
                )
                rates = _beta(rng, means * sizes + counts, (1 - means) * sizes + trials - counts)
                odds = self._log_odds(kind, y, rates)
        return chance

    def _log_odds(self, kind: Dependence, y: Ints, rates: Floats) -> Floats:
        """Return log P(labels | ideal) / P(labels | not), shape (cases, elements)."""
        if kind == "shared by document":
            ideal, other = (_log_mixed(y, part[2]) for part in self.by_document)
            return np.broadcast_to(ideal - other, (len(rates), y.shape[1]))
        hit, false = np.moveaxis(np.clip(rates, 1e-9, 1 - 1e-9), -1, 0)
        yes, no = np.log(hit / false), np.log((1 - hit) / (1 - false))
        return np.asarray(yes @ (y == 1) + no @ (y == 0))


def _beta(rng: np.random.Generator, a: ArrayLike, b: ArrayLike) -> Floats:
    return np.clip(rng.beta(np.maximum(a, 1e-6), np.maximum(b, 1e-6)), 1e-9, 1 - 1e-9)


def _log_mixed(y: Ints, rates: Floats) -> Floats:
    """Return log of the mean over nodes of the probability of labels; rates are (judges, nodes)."""
    _, weights = _normal_nodes()
    logs = np.log(rates).T @ (y == 1) + np.log1p(-rates).T @ (y == 0)
    most = logs.max(axis=0)
    return np.asarray(most + np.log(weights @ np.exp(logs - most)))


def _normal_nodes() -> tuple[Floats, Floats]:
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    return nodes, weights / weights.sum()


def _by_document(y: Ints) -> tuple[float, float, Floats]:
    """Return evidence, sigma and rates of a latent number of each document.

    Each judge keeps its rate; the evidence is the mean over sigmas, less half the logarithm of the
    number of pairs for each rate (Schwarz 1978).
    """
    num_judges, num = len(y), (y >= 0).sum(axis=1)
    nodes, weights = _normal_nodes()
    means = ((y == 1).sum(axis=1) + 0.5) / (num + 1)
    fits = list[tuple[float, float, Floats]]()
    for sigma in _SIGMAS:
        low, high = np.full(num_judges, -60.0), np.full(num_judges, 60.0)
        for _ in range(60):  # the mean rate grows with its centre
            centre = (low + high) / 2
            rates = 1 / (1 + np.exp(-(centre[:, None] + sigma * nodes)))
            above = rates @ weights > means
            low, high = np.where(above, low, centre), np.where(above, centre, high)
        rates = np.clip(rates, 1e-12, 1 - 1e-12)
        fits.append((float(_log_mixed(y, rates).sum()), sigma, rates))
    best = max(fits, key=lambda fit: fit[0])
    total = best[0] + np.log(np.mean([np.exp(fit[0] - best[0]) for fit in fits]))
    return float(total - np.log(np.maximum(num, 1)).sum() / 2), best[1], best[2]


def labels_of(
    judges: Mapping[str, Mapping[str, Mapping[str, float]]],
    human: Mapping[str, Mapping[str, float]],
    *,
    ideal_grade: int,
    runs: Iterable[Mapping[str, Sequence[str]]] = (),
) -> Labels:
    """Return labels of what a judge labelled or people judged, ideal from `ideal_grade` on.

    `runs` are the systems' lists by topic; a topic of which there is none has no ranks.
    """
    elements = {
        topic: tuple(
            dict.fromkeys(x for grades in (*judges.values(), human) for x in grades.get(topic, ()))
        )
        for topic in dict.fromkeys(t for grades in (*judges.values(), human) for t in grades)
    }

    def by(grades: Mapping[str, Mapping[str, float]], topic: str) -> list[int]:
        graded = grades.get(topic, {})
        each = (graded.get(x, -1) for x in elements[topic])
        return [-1 if grade < 0 else int(reaches(grade, ideal_grade)) for grade in each]

    systems = list(runs)
    lists = {t: [run.get(t, ()) for run in systems] for t in elements}
    return Labels(
        tuple(judges),
        elements,
        {t: np.array([by(grades, t) for grades in judges.values()]) for t in elements},
        {t: np.array(by(human, t), dtype=np.float64) for t in elements},
        {t: normal_scores(elements[t], of) for t, of in lists.items() if any(of)},
    )
