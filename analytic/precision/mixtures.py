"""Users of different kinds: each browses independently, but not all browse alike.

Given a user's type Hypotheses 2.1 and 2.2 hold, so that E[CL(r)] and E[C(r)] of the population
are means over types of the exact ones. Precision is the ratio of these means. The visits of a
user whose type is not known depend on each other, over all ranks.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from prum.analytic.precision.independent import exact
from prum.analytic.precision.reach import MatrixLike, Reach, checked_reach
from prum.analytic.precision.result import PrecisionRecall
from prum.simulator.model import InputError
from prum.simulator.model.errors import proportion, real_array, whole_number

Floats = NDArray[np.float64]
ReachMatrix: TypeAlias = "Floats | sparse.csr_array"

WEIGHT_TOLERANCE = 1e-9
# Successive orders of quadrature have to agree to this, relatively.
AGREEMENT = 1e-10
_LARGEST_GAUSS = 1 << 10
_LARGEST_EVEN = 1 << 13
# Means that differ by less differ by rounding.
_ROUNDING = 1e-12
# P(|Z| > 9) is 2e-19.
_FARTHEST = 9.0


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

    Raises
    ------
    InputError
        for no results, unequal t, or weights that are no law.

    >>> careful, hasty = PrecisionRecall([1], [1]), PrecisionRecall([1], [4])
    >>> mixture([careful, hasty], [0.5, 0.5]).precision.tolist()
    [0.4]
    """
    types = list(results)
    shares = _checked_weights(weights, len(types))
    sizes = {result.num_ideals for result in types}
    if len(sizes) > 1:
        raise InputError(
            "numbers of ideals", sorted(sizes), "be equal", remedy="mix results of one task"
        )
    leading = shares @ np.stack([result.leading for result in types])
    means = np.stack([result.consulted for result in types])
    consulted = shares @ means
    deviations = [result.consulted_deviation for result in types]
    skewnesses = [result.consulted_skewness for result in types]
    if any(one is None for one in (*deviations, *skewnesses)):
        return PrecisionRecall(leading, consulted, method="mixture")
    within = np.stack([one for one in deviations if one is not None])
    lopsided = np.stack([one for one in skewnesses if one is not None])
    between = means - consulted
    between[np.abs(between) < _ROUNDING * consulted] = 0
    deviation = np.sqrt(shares @ (within**2 + between**2))
    # An infinite skewness belongs to a cube that is too small for a number.
    cubes = within**3
    third = np.multiply(lopsided, cubes, out=np.zeros_like(cubes), where=cubes > 0)
    moment = shares @ (third + 3 * between * within**2 + between**3)
    cubed = deviation**3
    skewness = np.where(deviation > 0, np.inf, 0)
    np.divide(moment, cubed, out=skewness, where=cubed > 0)
    return PrecisionRecall(
        leading,
        consulted,
        method="mixture",
        consulted_deviation=deviation,
        consulted_skewness=skewness,
    )


def exact_mixture(
    reaches: Sequence[MatrixLike], weights: ArrayLike, unranked: int
) -> PrecisionRecall:
    """Return E[CL(r)] and E[C(r)] of users of several types, each as `exact` has it.

    A user of type k goes from rank i to ideal x with probability reaches[k][i, x]. Given his type
    his visits are independent (2.2) and do not depend on r (2.1); the means are then those of
    `mixture`.

    Parameters
    ----------
    reaches
        A reach matrix of shape (o, t) for each type, dense or sparse.
    weights
        Each type's share of the users: nonnegative, with sum 1.
    unranked
        u, the number of unranked elements.

    Raises
    ------
    InputError
        as `exact` and `mixture`, and for matrices of different shapes.

    >>> exact_mixture([[[1, 1]], [[0, 0]]], [0.5, 0.5], 2)   # half of the users browse
    PrecisionRecall(exact mixture, t = 2: precision .6667 .7500)
    """
    _checked_weights(weights, len(reaches))
    entries = [checked_reach(reach) for reach in reaches]
    shapes = {(one.num_ranked, one.num_ideals) for one in entries}
    if len(shapes) > 1:
        raise InputError(
            "shapes of reaches", sorted(shapes), "be equal", remedy="give all types the same list"
        )
    return _named(mixture([exact(one, unranked) for one in reaches], weights), "exact mixture")


# --- populations with a continuous law --------------------------------------------------------


def scaled_reach(reach: MatrixLike, factor: float, own: "MatrixLike | None" = None) -> ReachMatrix:
    """Return the reach of a user who follows links with `factor` times the probability.

    What is scaled is browsing, P(x -> y) for x other than y. That an element leads to itself is
    no browsing, and stays certain: `own` says where.

    Parameters
    ----------
    reach
        Shape (o, t), dense or sparse.
    factor
        In [0, 1].
    own
        True where the ranked element is itself the ideal, shape (o, t), dense or sparse. Left
        out, it is taken to be wherever `reach` is 1, as no link is followed by everybody.

    Returns
    -------
    array of shape (o, t), sparse (CSR) if `reach` is sparse

    Raises
    ------
    InputError
        as `exact`, for a factor outside [0, 1], and for an `own` of another shape or where
        `reach` is not 1.

    >>> scaled_reach([[0.5, 1.0]], 0.5).tolist()
    [[0.25, 1.0]]
    >>> scaled_reach([[0.5, 1.0]], 0.5, own=[[False, False]]).tolist()
    [[0.25, 0.5]]
    """
    entries = checked_reach(reach)
    part = proportion("factor", factor, remedy="give a share of the links followed")
    certain = _certain(entries, own)
    values = np.where(certain, 1.0, entries.probabilities * part)
    return _rebuilt(entries, values, like=reach)


def one_factor_reach(reach: MatrixLike, rho: float, z: float) -> ReachMatrix:
    """Return the reach of a user with factor z, if all of his visits are correlated by rho.

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
        as `exact`, and for rho outside [0, 1] or z that is no number.

    >>> one_factor_reach([[0.5, 1.0, 0.0]], 0.5, 1.0).round(4).tolist()
    [[0.1587, 1.0, 0.0]]
    """
    from scipy.special import ndtr, ndtri

    entries = checked_reach(reach)
    correlation = proportion("rho", rho, remedy="give a correlation from 0 to 1")
    place = real_array("z", z, remedy="give a number")
    if place.ndim or not np.isfinite(place):
        raise InputError("z", z, "be a finite number", remedy="give a user's factor")
    slack = ndtri(entries.probabilities) - math.sqrt(correlation) * float(place)
    if correlation == 1:
        values = (slack >= 0).astype(np.float64)
    elif correlation == 0:
        values = entries.probabilities
    else:
        values = ndtr(slack / math.sqrt(1 - correlation))
    return _rebuilt(entries, values, like=reach)


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

    for name, shape in (("a", a), ("b", b)):
        value = real_array(name, shape, remedy="give a shape of the beta law")
        if value.ndim or not 0 < value < math.inf:
            raise InputError(
                name, shape, "be positive and finite", remedy="give a shape of the beta law"
            )
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
        squares[1:] = (
            k / (total - 1) * ((k + left - 1) / total)
            * ((k + right - 1) / total) * ((k + left + right - 2) / (total + 1))
        )  # fmt: skip
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
        for an order that is no whole number of at least 2.

    >>> nodes, weights = normal_nodes(36)
    >>> round(float(weights @ nodes**4), 12)
    3.0
    """
    n = whole_number("order", order, least=2, remedy="give a number of steps")
    nodes = (2 * np.arange(n + 1) - n) / n * _FARTHEST
    weights = np.exp(-(nodes**2) / 2)
    return nodes, weights / weights.sum()


def exact_beta(
    reach: MatrixLike, unranked: int, a: float, b: float, *, own: "MatrixLike | None" = None
) -> PrecisionRecall:
    """Return E[CL(r)] and E[C(r)] of users who follow links with beta-distributed propensity.

    Each user draws one factor f from B(a, b) and goes from rank i to ideal x with probability
    f reach[i, x], independently given f; elements lead to themselves with certainty whatever f is
    (`own`, as `scaled_reach` has it). So P(x -> y) is a / (a + b) times `reach`, in the mean. Gauss
    quadrature of E[CL] and E[C], its order doubled until two agree to 1e-10 relatively; both
    are polynomials in f.

    Raises
    ------
    InputError
        as `exact`, `scaled_reach` and `beta_nodes`, and where 1024 nodes do not suffice.

    >>> exact_beta([[1.0]], 1, 1, 1, own=[[False]])       # E[C(1)] = 1 + E[1 - f]
    PrecisionRecall(exact beta, t = 1: precision .6667)
    """
    entries = checked_reach(reach)
    certain = _certain(entries, own)

    def at(factor: float) -> PrecisionRecall:
        values = np.where(certain, 1.0, entries.probabilities * factor)
        return exact(_sparse(entries, values), unranked)

    exact(_sparse(entries, np.where(certain, 1.0, 0.0)), unranked)  # u holds for whoever browses
    return _named(beta_mixture(at, a, b), "exact beta")


def exact_one_factor(reach: MatrixLike, unranked: int, rho: float) -> PrecisionRecall:
    """Return E[CL(r)] and E[C(r)] of users all of whose visits are correlated by one factor.

    The law of visits is that of `one_factor_reach` with Z ~ N(0, 1) once for each user, so that
    P(x -> y) stays `reach`. Means over Z by `normal_nodes`, the order doubled until two agree to
    1e-10 relatively. For rho = 1 a visit happens if one uniform number of the user is below its
    probability: a finite mixture.

    Raises
    ------
    InputError
        as `exact` and `one_factor_reach`, and where 8192 steps do not suffice (rho within
        about 5e-5 of 1, but not 1).

    >>> exact_one_factor([[0.5], [0.5]], 1, 0).precision.round(4).tolist()
    [0.5714]
    >>> exact_one_factor([[0.5], [0.5]], 1, 1).precision.round(4).tolist()
    [0.5]
    """
    entries = checked_reach(reach)
    correlation = proportion("rho", rho, remedy="give a correlation from 0 to 1")
    p = entries.probabilities
    if correlation == 0:
        return _named(exact(_sparse(entries, p), unranked), "exact one factor")
    if correlation == 1:
        levels = np.unique(np.append(p, [0.0, 1.0]))
        types = [
            exact(_sparse(entries, (p >= level).astype(np.float64)), unranked)
            for level in levels[1:]
        ]
        return _named(mixture(types, np.diff(levels)), "exact one factor")

    def at(z: float) -> PrecisionRecall:
        given = one_factor_reach(_sparse(entries, p), correlation, z)
        return exact(given, unranked)

    exact(_sparse(entries, p), unranked)
    return _named(normal_mixture(at), "exact one factor")


def beta_mixture(at: Callable[[float], PrecisionRecall], a: float, b: float) -> PrecisionRecall:
    """Return the mixture of `at(f)` over f from B(a, b), by Gauss quadrature.

    Raises
    ------
    InputError
        where 1024 nodes do not suffice, and as `beta_nodes`.
    """
    return _quadrature(at, lambda order: beta_nodes(a, b, order), 8, _LARGEST_GAUSS)


def normal_mixture(at: Callable[[float], PrecisionRecall]) -> PrecisionRecall:
    """Return the mixture of `at(z)` over standard normal z, by `normal_nodes`.

    Raises
    ------
    InputError
        where 8192 steps do not suffice.
    """
    return _quadrature(at, normal_nodes, 32, _LARGEST_EVEN)


def _quadrature(
    at: Callable[[float], PrecisionRecall],
    rule: Callable[[int], tuple[Floats, Floats]],
    order: int,
    largest: int,
) -> PrecisionRecall:
    """Return the mixture of `at` over nodes, the order doubled until two agree."""
    known: dict[float, PrecisionRecall] = {}

    def of(order: int) -> PrecisionRecall:
        nodes, weights = rule(order)
        # A node without weight may be outside what can be computed.
        places = [(z, w) for z, w in zip(nodes.tolist(), weights.tolist(), strict=True) if w > 0]
        for z, _ in places:
            if z not in known:
                known[z] = at(z)
        return mixture([known[z] for z, _ in places], [w for _, w in places])

    coarse = of(order)
    while order < largest:
        order *= 2
        fine = of(order)
        pairs = ((coarse.leading, fine.leading), (coarse.consulted, fine.consulted))
        change = max(float(np.max(np.abs(one - two) / two)) for one, two in pairs)
        if change <= AGREEMENT:
            return fine
        coarse = fine
    raise UnsettledError(
        f"relative change between orders {order // 2} and {order} of quadrature",
        change,
        f"be at most {AGREEMENT}",
        remedy="mix a finite number of types instead",
    )


def _checked_weights(weights: ArrayLike, num_types: int) -> Floats:
    shares = real_array("weights", weights, remedy="give each type's share of the users")
    if shares.shape != (num_types,) or not num_types:
        raise InputError(
            "shape of weights",
            shares.shape,
            f"be ({max(num_types, 1)},)",
            remedy="give at least one type, and a weight for each",
        )
    bad = np.flatnonzero(~((shares >= 0) & (shares <= 1 + WEIGHT_TOLERANCE)))
    if bad.size:
        raise InputError(
            f"weight {bad[0]}", float(shares[bad[0]]), "lie in [0, 1]", remedy="give shares"
        )
    total = math.fsum(shares)
    if abs(total - 1) > WEIGHT_TOLERANCE:
        raise InputError("sum of weights", total, "be 1", remedy="divide by the sum")
    return shares / total


def _certain(entries: Reach, own: "MatrixLike | None") -> NDArray[np.bool_]:
    """Return which entries are an element's way to itself."""
    if own is None:
        return np.asarray(entries.probabilities == 1)
    shape = (entries.num_ranked, entries.num_ideals)
    mask = np.asarray(cast("Any", own).toarray() if sparse.issparse(own) else own)
    if mask.shape != shape or (mask.dtype.kind != "b" and mask.size):
        raise InputError(
            "own", f"{mask.dtype} {mask.shape}", f"be bool {shape}",
            remedy="say where an ideal itself is ranked",
        )  # fmt: skip
    own_ranks, own_ideals = np.nonzero(mask)
    codes = entries.ranks * entries.num_ideals + entries.ideals
    wanted = own_ranks * entries.num_ideals + own_ideals
    missing = np.flatnonzero(~np.isin(wanted, codes[entries.probabilities == 1]))
    if missing.size:
        i, x = int(own_ranks[missing[0]]), int(own_ideals[missing[0]])
        at = np.flatnonzero(codes == i * entries.num_ideals + x)
        value = float(entries.probabilities[at[0]]) if at.size else 0.0
        raise InputError(
            f"reach[{i}, {x}]", value, "be 1 where own is true",
            remedy="an element leads to itself with certainty",
        )  # fmt: skip
    return np.isin(codes, wanted)


def _sparse(entries: Reach, values: Floats) -> "sparse.csr_array":
    shape = (entries.num_ranked, entries.num_ideals)
    given: sparse.csr_array = sparse.csr_array(
        (values, (entries.ranks, entries.ideals)), shape=shape
    )
    return given


def _rebuilt(entries: Reach, values: Floats, *, like: MatrixLike) -> ReachMatrix:
    matrix = _sparse(entries, values)
    if sparse.issparse(like):
        return matrix
    dense: Floats = matrix.toarray()
    return dense


def _named(result: PrecisionRecall, method: str) -> PrecisionRecall:
    return PrecisionRecall(
        result.leading,
        result.consulted,
        method=method,
        consulted_deviation=result.consulted_deviation,
        consulted_skewness=result.consulted_skewness,
    )
