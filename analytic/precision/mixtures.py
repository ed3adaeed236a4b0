"""Users of different kinds: each browses independently, but not all browse alike.

Given a user's type Hypotheses 2.1 and 2.2 hold, so that E[CL(r)] and E[C(r)] of the population
are means over types of the exact ones. Precision is the ratio of these means. The visits of a
user whose type is not known depend on each other, over all ranks. Where a type is a factor, there
is what it makes of a reach, and nodes to take means over it.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.precision.independent import exact
from prum.analytic.precision.reach import MatrixLike, Reach, checked_reach
from prum.analytic.precision.result import PrecisionRecall, skewness_of
from prum.simulator.model import InputError, ListCosts
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import check_each, proportion, real_array, whole_number

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

    Raises InputError as `exact`, and for rho outside [0, 1] or z that is not a number.

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

    Raises InputError for a or b that is not positive and finite, or an order outside 1 .. 4096.

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


@lru_cache(maxsize=256)
def legendre_nodes(order: int) -> tuple[Floats, Floats]:
    """Return nodes and weights of Gauss and Legendre on [0, 1]; exact below degree 2 order."""
    nodes, weights = np.polynomial.legendre.leggauss(order)
    return (nodes + 1) / 2, weights / 2


def normal_nodes(order: int) -> tuple[Floats, Floats]:
    """Return order + 1 equally spaced nodes on [-9, 9] and weights for the standard normal law.

    The trapezoidal rule, its weights scaled to sum 1; the error falls faster than any power of
    the order where f is smooth, and P(|Z| > 9) = 2e-19 is left out. Unlike those of Gauss and
    Hermite the nodes are as close where f is steep, and those of an order are among those of
    twice the order.

    Raises InputError for an order that is not a whole number of at least 2.

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


WEIGHT_TOLERANCE = 1e-9
# Successive orders of quadrature have to agree to this, relatively.
AGREEMENT = 1e-10
_LARGEST_GAUSS = 1 << 10
_LARGEST_EVEN = 1 << 13
# Nodes of quadrature and their weights.
QuadratureNodes: TypeAlias = list[tuple[float, float]]
T = TypeVar("T")
# Means that differ by less differ by rounding.
_ROUNDING = 1e-12


class UnsettledError(InputError):
    """Quadrature whose orders do not come to agree, as where the integrand has corners."""


def mixture(results: Iterable[PrecisionRecall], weights: ArrayLike) -> PrecisionRecall:
    """Return the closed form of a population of which a share weights[k] has results[k].

    E[CL(r)] = sum_k w_k E_k[CL(r)] and E[C(r)] = sum_k w_k E_k[C(r)]. With m the mean of C(r),
    d_k = E_k[C(r)] - m, and s_k, g_k deviation and skewness within type k, its variance is
    sum_k w_k (s_k^2 + d_k^2) and its third central moment
    sum_k w_k (g_k s_k^3 + 3 d_k s_k^2 + d_k^3).

    Parameters
    ----------
    results
        Of any closed forms, for the same t.
    weights
        Nonnegative, with sum 1, shape (number of results,).

    Returns
    -------
    PrecisionRecall
        with deviation and skewness of C(r) where every result has them.

    Raises InputError for no results, unequal t or units, or weights that are not a distribution.

    >>> careful, hasty = PrecisionRecall([1], [1]), PrecisionRecall([1], [4])
    >>> mixture([careful, hasty], [0.5, 0.5]).precision.tolist()
    [0.4]
    """
    types = list(results)
    shares = _checked_weights(weights, len(types))
    sizes = {result.num_ideals for result in types}
    if len(sizes) > 1:
        remedy = "mix results of one task"
        raise InputError("numbers of ideals", sorted(sizes), "be equal", remedy=remedy)
    units = sorted({result.unit for result in types})
    if len(units) > 1:
        raise InputError("units", units, "be equal", remedy="mix results in one unit of cost")
    unit = units[0]
    leading = shares @ np.stack([result.leading for result in types])
    means = np.stack([result.consulted for result in types])
    consulted = shares @ means
    deviations = [result.consulted_deviation for result in types]
    skewnesses = [result.consulted_skewness for result in types]
    parts_of_types = [result.parts for result in types if result.parts is not None]
    parts = (
        np.tensordot(shares, np.stack(parts_of_types), 1)
        if len(parts_of_types) == len(types)
        else None
    )
    if any(values is None for values in (*deviations, *skewnesses)):
        return PrecisionRecall(leading, consulted, method="mixture", unit=unit, parts=parts)
    within = np.stack([values for values in deviations if values is not None])
    lopsided = np.stack([values for values in skewnesses if values is not None])
    between = means - consulted
    between[np.abs(between) < _ROUNDING * consulted] = 0
    deviation = np.sqrt(shares @ (within**2 + between**2))
    # An infinite skewness belongs to a cube that is too small for a number.
    cubes = within**3
    third = np.multiply(lopsided, cubes, out=np.zeros_like(cubes), where=cubes > 0)
    moment = shares @ (third + 3 * between * within**2 + between**3)
    return PrecisionRecall(
        leading,
        consulted,
        method="mixture",
        unit=unit,
        consulted_deviation=deviation,
        consulted_skewness=skewness_of(moment, deviation),
        parts=parts,
    )


def exact_mixture(
    reaches: Sequence[MatrixLike],
    weights: ArrayLike,
    unranked: int,
    *,
    costs: ListCosts | None = None,
) -> PrecisionRecall:
    """Return E[CL(r)] and E[C(r)] of users of several types, each as in `exact`.

    A user of type k goes from rank i to ideal x with probability reaches[k][i, x]. Given the type,
    visits are independent (2.2) and do not depend on r (2.1); the means are those of `mixture`.

    Parameters
    ----------
    reaches
        A reach matrix of shape (o, t) for each type, dense or sparse.
    weights
        Each type's share of the users: nonnegative, with sum 1.
    unranked
        u, the number of unranked elements.
    costs
        What each rank costs, as for `exact`.

    Raises InputError as `exact` and `mixture`, and for matrices of different shapes.

    >>> exact_mixture([[[1, 1]], [[0, 0]]], [0.5, 0.5], 2)   # half of the users browse
    PrecisionRecall(exact mixture, t = 2: precision .6667 .7500)
    """
    _checked_weights(weights, len(reaches))
    entries = [checked_reach(reach) for reach in reaches]
    shapes = sorted({(reach.num_ranked, reach.num_ideals) for reach in entries})
    if len(shapes) > 1:
        remedy = "give all types the same list"
        raise InputError("shapes of reaches", shapes, "be equal", remedy=remedy)
    mixed = mixture([exact(reach, unranked, costs=costs) for reach in reaches], weights)
    return replace(mixed, method="exact mixture")


def largest_change(coarse: PrecisionRecall, fine: PrecisionRecall) -> float:
    """Return the largest relative change of a mean."""
    pairs = ((coarse.leading, fine.leading), (coarse.consulted, fine.consulted))
    return max(float(np.max(np.abs(old - new) / new)) for old, new in pairs)


def over_beta(
    of: Callable[[QuadratureNodes], T], change: Callable[[T, T], float], a: float, b: float
) -> T:
    """Return the mixture `of` nodes of B(a, b), their number doubled until two agree."""
    return _settled(of, change, lambda order: beta_nodes(a, b, order), 8, _LARGEST_GAUSS)


def over_normal(of: Callable[[QuadratureNodes], T], change: Callable[[T, T], float]) -> T:
    """Return the mixture `of` nodes of the normal law, their number doubled until two agree."""
    return _settled(of, change, normal_nodes, 32, _LARGEST_EVEN)


def _settled(
    of: Callable[[QuadratureNodes], T],
    change: Callable[[T, T], float],
    rule: Callable[[int], tuple[Floats, Floats]],
    order: int,
    largest: int,
) -> T:
    def value_at(order: int) -> T:
        nodes, weights = rule(order)
        # A node without weight may be outside what can be computed.
        pairs = zip(nodes.tolist(), weights.tolist(), strict=True)
        return of([(node, weight) for node, weight in pairs if weight > 0])

    coarse = value_at(order)
    while order < largest:
        order *= 2
        fine = value_at(order)
        difference = change(coarse, fine)
        if difference <= AGREEMENT:
            return fine
        coarse = fine
    thing = f"relative change between orders {order // 2} and {order} of quadrature"
    remedy = "mix a finite number of types instead"
    raise UnsettledError(thing, difference, f"be at most {AGREEMENT}", remedy=remedy)


def _checked_weights(weights: ArrayLike, num_types: int) -> Floats:
    shares = real_array("weights", weights, remedy="give each type's share of the users")
    if shares.shape != (num_types,) or not num_types:
        remedy = "give at least one type, and a weight for each"
        rule = f"be ({max(num_types, 1)},)"
        raise InputError("shape of weights", shares.shape, rule, remedy=remedy)
    valid = (shares >= 0) & (shares <= 1 + WEIGHT_TOLERANCE)
    check_each("weight {}", shares, valid, "lie in [0, 1]", remedy="give shares")
    total = math.fsum(shares)
    if abs(total - 1) > WEIGHT_TOLERANCE:
        raise InputError("sum of weights", total, "be 1", remedy="divide by the sum")
    return shares / total
