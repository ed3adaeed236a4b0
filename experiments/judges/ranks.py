"""Ranks as evidence: what systems put first is likelier ideal than its label says.

By a logistic regression, the log odds of an ideal are a number of its topic, plus one of what most
judges say of it, plus a sum over systems of a coefficient times the normal score of its place. The
coefficients, for either label, carry over to other topics.
"""

from collections.abc import Sequence

import numpy as np

from prum.simulator.model.arrays import Floats, Ints

# The precision of what belongs to a topic or a label.
_FLAT = 0.01
_VARIANCES = (0.01, 0.25, 1.0, 4.0, 16.0)
_HALVINGS = 16


def normal_scores(elements: Sequence[str], rankings: Sequence[Sequence[str]]) -> Floats:
    """Return normal scores of elements' places among each other, the first the highest.

    Shape (elements, rankings). What a ranking lacks shares the places that are left.
    """
    from scipy.special import ndtri
    from scipy.stats import rankdata

    scores = np.zeros((len(elements), len(rankings)))
    for column, ranking in enumerate(rankings):
        ranks = {element: rank for rank, element in reversed(list(enumerate(ranking, start=1)))}
        places = rankdata([ranks.get(element, len(ranking) + 1) for element in elements])
        scores[:, column] = -ndtri((places - 0.5) / len(elements))
    return scores


def most_say(y: Ints) -> Ints:
    """Return 1 where at least half of the judges that label an element call it ideal, else 0."""
    said = y >= 0
    enough = 2 * ((y == 1) & said).sum(axis=0) >= said.sum(axis=0)
    return np.asarray(enough & said.any(axis=0)).astype(np.int64)


def drawn_coefficients(
    topics: Sequence[tuple[Floats, Ints, Floats]], cases: int, rng: np.random.Generator
) -> Floats:
    """Return coefficients of the log odds by rank, shape (label, cases, systems).

    Topics have, of what people judged: 1 or 0, what most judges say, and normal scores (elements,
    systems). Coefficients have a normal prior; its variance, times the number of systems, is that
    of `_VARIANCES` with the most evidence (Laplace's approximation). Each case weighs topics by
    random numbers (the Bayesian bootstrap, Rubin 1981), their variance as that of a mean estimated
    from so few topics, and takes one Newton step.
    """
    from scipy.optimize import minimize
    from scipy.special import expit

    num, systems = len(topics), topics[0][2].shape[1]
    of_topic = np.repeat(np.arange(num), [len(z) for z, _, _ in topics])
    z, label, places = (np.concatenate([topic[part] for topic in topics]) for part in range(3))
    x = np.column_stack(
        [
            np.eye(num)[of_topic],
            label,
            places * (label == 0)[:, None],
            places * (label == 1)[:, None],
        ]
    )
    precision = np.full(x.shape[1], _FLAT)

    def loss(beta: Floats) -> tuple[float, Floats]:
        odds = x @ beta
        value = np.logaddexp(0, odds).sum() - z @ odds + beta @ (precision * beta) / 2
        return float(value), x.T @ (expit(odds) - z) + precision * beta

    def curvature(beta: Floats) -> Floats:
        p = expit(x @ beta)
        return np.asarray((x.T * (p * (1 - p))) @ x + np.diag(precision))

    fitted, most = np.zeros(x.shape[1]), (-np.inf, np.empty(0), np.empty(0))
    for variance in _VARIANCES:
        precision[num + 1 :] = systems / variance
        fit = minimize(loss, fitted, jac=True, hess=curvature, method="trust-exact")
        fitted, curved = fit.x, curvature(fit.x)
        evidence = (np.log(precision).sum() - np.linalg.slogdet(curved)[1]) / 2 - float(fit.fun)
        if evidence > most[0]:
            most = evidence, fitted, curved
    _, fitted, curved = most
    slopes = np.zeros((num, len(fitted)))
    np.add.at(slopes, of_topic, (z - expit(x @ fitted))[:, None] * x)
    more = rng.dirichlet(np.ones(num), cases) * num - 1
    more *= (num * (num + 1)) ** 0.5 / max(num - 1, 1)
    drawn = fitted + np.linalg.solve(curved, (more @ slopes).T).T
    return np.stack(np.split(drawn[:, num + 1 :], 2, axis=1))


def constants(log_odds: Floats, evidence: Floats) -> Floats:
    """Return what is added to each share's log odds so that ranks do not change the share.

    Evidence has shape (cases, elements); the mean over elements of P(ideal), shares' log odds and
    evidence taken together, is the share again. Shape (shares, cases).
    """
    from scipy.special import expit

    target = log_odds[:, None]
    low = target - evidence.max(axis=1)
    high = target - evidence.min(axis=1)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        above = expit(middle[..., None] + evidence).mean(axis=2) > expit(target)
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.asarray((low + high) / 2 - target)
