"""Which links deserve observation: how a score answers to them, and how little they are known."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prum.simulator.model.arrays import Floats, Ints

if TYPE_CHECKING:
    from prum.experiments.fitting.fitted import FittedNavigation

# Sources that are looked at, those that leave the most variance, and links of each.
_MOST_SOURCES, _MOST_LINKS = 50, 20


class TellingLink(NamedTuple):
    """A link, its probability with the posterior deviation, and what it says of a score.

    Parameters
    ----------
    sensitivity
        What the score gains per unit of the probability, the source's others giving way as the
        posterior has it: covariance over variance.
    takes_off
        The share of the score's variance by navigation that would be gone if the probability were
        known: squared sensitivity times the variance of the probability, over the whole.
    """

    source: str
    target: str
    probability: float
    deviation: float
    sensitivity: float
    takes_off: float


def telling_links(
    fitted: "FittedNavigation", slopes: Floats, *, count: int = 10
) -> tuple[TellingLink, ...]:
    """Return the links whose observation takes most off the variance of a score, the best first.

    `slopes` are those of the score by the rows of `to_links()`. Posterior covariances come from the
    variances of sums, V(s + c e) = V(s) + 2 c cov + c^2 V(e) for row e, one row of each source at
    a time.
    """
    links, of_rows = fitted.to_links(), fitted.row_variances()
    by_source = fitted.variances(slopes)
    whole = float(by_source.sum())
    if whole <= 0:
        return ()
    covariances = np.zeros(len(links))
    for rows in _rounds(links.starts, by_source, _weights(fitted, slopes, of_rows)):
        sources = links.sources[rows]
        scale = np.sqrt(by_source[sources] / of_rows[rows])
        probe = slopes.copy()
        probe[rows] += scale
        more = fitted.variances(probe)[sources] - by_source[sources] - scale**2 * of_rows[rows]
        covariances[rows] = more / (2 * scale)
    known = np.divide(covariances**2, of_rows, out=np.zeros(len(links)), where=of_rows > 0)
    order = np.argsort(-known, kind="stable")[:count]
    return tuple(
        TellingLink(
            links.elements[links.sources[row]],
            links.elements[links.targets[row]],
            float(links.probabilities[row]),
            float(of_rows[row] ** 0.5),
            float(covariances[row] / of_rows[row]),
            float(known[row] / whole),
        )
        for row in order.tolist()
        if known[row] > 0
    )


def _weights(fitted: "FittedNavigation", slopes: Floats, of_rows: Floats) -> Floats:
    """Return about how much each row matters: its slope beside its source's mean, by deviation."""
    links = fitted.to_links()
    num, p = len(links.elements), links.probabilities
    mean = np.bincount(links.sources, slopes * p, num)
    weights: Floats = np.abs(slopes - mean[links.sources]) * np.sqrt(of_rows)
    return weights


def _rounds(starts: Ints, by_source: Floats, weights: Floats) -> list[Ints]:
    """Return rows to look at, each time one of each source at most."""
    chosen = np.argsort(-by_source, kind="stable")[:_MOST_SOURCES]
    ranked = []
    for source in chosen[by_source[chosen] > 0].tolist():
        rows = np.arange(starts[source], starts[source + 1])
        rows = rows[np.argsort(-weights[rows], kind="stable")][:_MOST_LINKS]
        ranked.append(rows[weights[rows] > 0])
    most = max(map(len, ranked), default=0)
    return [np.array([rows[k] for rows in ranked if len(rows) > k]) for k in range(most)]
