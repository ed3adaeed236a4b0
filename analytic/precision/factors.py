"""What one factor of a user makes of their reach, and nodes to take means over the factor."""

import math
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

from prum.analytic.precision.reach import MatrixLike, Reach, checked_reach
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import proportion, real_array, whole_number

if TYPE_CHECKING:
    from scipy import sparse

ReachMatrix: TypeAlias = "Floats | sparse.csr_array"

# P(|Z| > 9) is 2e-19.
_FARTHEST = 9.0


def one_factor_reach(reach: MatrixLike, rho: float, z: float) -> ReachMatrix:
    """Return the reach of a user with factor z, if all of their visits are correlated by rho.

    A visit of probability p happens if sqrt(rho) Z + sqrt(1 - rho) E <= Phi^-1(p), with Z standard
    normal for the user and E for the visit. Given Z = z it has probability
    Phi((Phi^-1(p) - sqrt(rho) z) / sqrt(1 - rho)), whose mean over Z is p. What is certain stays
    certain, an element's way to itself among it; what is impossible stays impossible.

    Parameters
    ----------
    reach
        Shape (o, t), dense or sparse.
    rho
        Correlation of any two visits before they are cut at p, in [0, 1]; with 1 everything is
        settled by z.
    z
        A real number; small for users who browse much.

    Returns
    -------
    array of shape (o, t), sparse (CSR) if `reach` is sparse

    Raises
    ------
    InputError
        as `exact`, and for rho outside [0, 1] or z that is not a number.

    >>> one_factor_reach([[0.5, 1.0, 0.0]], 0.5, 1.0).round(4).tolist()
    [[0.1587, 1.0, 0.0]]
    """
    from scipy.special import ndtr, ndtri

    entries = checked_reach(reach)
    correlation = proportion("rho", rho, remedy="give a correlation from 0 to 1")
    if not np.isfinite(real_array("z", z, remedy="give a number", shape=())):
        raise InputError("z", z, "be a finite number", remedy="give a user's factor")
    slack = ndtri(entries.probabilities) - math.sqrt(correlation) * float(z)
    if correlation == 1:
        values = (slack >= 0).astype(np.float64)
    elif correlation == 0:
        values = entries.probabilities
    else:
        values = ndtr(slack / math.sqrt(1 - correlation))
    return _matrix(entries, values, like=reach)


def beta_nodes(a: float, b: float, order: int) -> tuple[Floats, Floats]:
    """Return nodes and weights of Gauss quadrature for the beta law B(a, b) on [0, 1].

    sum_k weights[k] f(nodes[k]) is E[f(X)], exactly for polynomials of degree below 2 order
    (Gauss and Jacobi; Golub and Welsch 1969: nodes are the eigenvalues of the recurrence's
    matrix, weights the squares of its eigenvectors' first entries).

    Raises
    ------
    InputError
        for a or b that is not positive and finite, or an order outside 1 .. 4096.

    >>> nodes, weights = beta_nodes(1, 1, 2)      # uniform: (1 -+ 1/sqrt(3)) / 2
    >>> nodes.round(4).tolist(), weights.round(4).tolist()
    ([0.2113, 0.7887], [0.5, 0.5])
    """
    from scipy.linalg import eigh_tridiagonal

    remedy = "give a shape of the beta law"
    for name, parameter in (("a", a), ("b", b)):
        value = real_array(name, parameter, remedy=remedy, shape=())
        if not 0 < value < math.inf:
            raise InputError(name, parameter, "be positive and finite", remedy=remedy)
    n = whole_number("order", order, least=1, most=4096, remedy="give a number of nodes")
    left, right = float(a), float(b)
    k = np.arange(n, dtype=np.float64)
    total = left + right + 2 * k
    # The recurrence of the Jacobi polynomials on [0, 1], with 0/0 at k = 0 and 1 resolved.
    diagonal = np.empty(n)
    diagonal[0] = left / (left + right)
    middle = (left - right) / total[1:] * ((left + right - 2) / (total[1:] - 2))
    diagonal[1:] = (1 + middle) / 2
    squares = np.empty(n - 1)
    if n > 1:
        sides = left + right
        squares[0] = left / sides * (right / sides) / (sides + 1)
        k, total = k[2:], total[2:] - 2
        squares[1:] = k / (total - 1) * ((k + left - 1) / total)
        squares[1:] *= (k + right - 1) / total
        squares[1:] *= (k + left + right - 2) / (total + 1)
    nodes, vectors = eigh_tridiagonal(diagonal, np.sqrt(squares))
    weights = vectors[0] ** 2
    return np.clip(nodes, 0, 1), weights / weights.sum()


def normal_nodes(order: int) -> tuple[Floats, Floats]:
    """Return order + 1 equally spaced nodes on [-9, 9] and weights for the standard normal law.

    The trapezoidal rule, its weights scaled to sum 1; the error falls faster than any power of
    the order where f is smooth, and P(|Z| > 9) = 2e-19 is left out. Unlike those of Gauss and
    Hermite the nodes are as close where f is steep, and those of an order are among those of
    twice the order.

    Raises
    ------
    InputError
        for an order that is not a whole number of at least 2.

    >>> nodes, weights = normal_nodes(36)
    >>> round(float(weights @ nodes**4), 12)
    3.0
    """
    n = whole_number("order", order, least=2, remedy="give a number of steps")
    nodes = (2 * np.arange(n + 1) - n) / n * _FARTHEST
    weights = np.exp(-(nodes**2) / 2)
    return nodes, weights / weights.sum()


def _matrix(entries: Reach, values: Floats, *, like: MatrixLike) -> ReachMatrix:
    """Return a reach of other values, sparse or dense as the first was."""

    from scipy import sparse

    matrix = entries.sparse(values)
    return matrix if sparse.issparse(like) else cast("Floats", matrix.toarray())
