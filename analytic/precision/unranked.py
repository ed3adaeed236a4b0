"""The unranked part: a classical user draws elements at random until he has what he wants.

After the list he has seen s of t ideals; the other t - s all lie among the u unranked elements,
in random order. The j-th draw that gives him the k-th of these K = t - s ideals follows the
negative hypergeometric law, whose rising moments are k (k+1).. (u+1) (u+2).. / ((K+1) (K+2)..).
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def expected_draws(last: Floats, unranked: int, order: int) -> Floats:
    """Return E[J (J+1) .. (J+order-1); F_o < r] for r = 1 .. t, J the draws after the list.

    `last[s]` = P(F_o = s). For order 1 it is sum over s < r of
    P(F_o = s) (r - s) (u + 1) / (t - s + 1): part (d) of equation (5), as (16) has it.

    The factor k (k+1) .. over k = r - s is a repeated sum of ones, so the sum over s is a repeated
    cumulative sum: nothing is subtracted.
    """
    t = len(last) - 1
    unseen = t - np.arange(t)
    terms = last[:-1].copy()
    for step in range(1, order + 1):
        terms *= (unranked + step) / (unseen + step) * step
    for _ in range(order + 1):
        terms = np.cumsum(terms)
    return terms


def draws_pmf(wanted: int, unseen: int, unranked: int) -> Floats:
    """Return P(J = j) for j = 0 .. u, J the draw that gives the k-th of K among u.

    P(J = j) = C(j-1, k-1) C(u-j, K-k) / C(u, K) for j = k .. u - K + k; computed outward from the
    largest term by ratios of neighbours, then scaled to sum to 1.

    >>> draws_pmf(1, 1, 3).tolist()
    [0.0, 0.3333333333333333, 0.3333333333333333, 0.3333333333333333]
    """
    k, K, u = wanted, unseen, unranked
    pmf = np.zeros(u + 1)
    j = np.arange(k, u - K + k, dtype=np.float64)
    ratio = j / (j - k + 1) * ((u - j - K + k) / (u - j))
    top = int(np.searchsorted(-ratio, -1.0))
    terms = np.ones(len(ratio) + 1)
    np.cumprod(ratio[top:], out=terms[top + 1 :])
    terms[:top] = np.cumprod(1 / ratio[:top][::-1])[::-1]
    pmf[k : u - K + k + 1] = terms / terms.sum()
    return pmf
