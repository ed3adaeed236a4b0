"""Elementary functions whose bits are the same on every machine.

The logarithms and powers of NumPy and of C libraries differ between processors and versions in the
last bit. These functions only use +, -, *, /, square roots, rounding to whole numbers and changes
of exponents, each a separate operation of NumPy: IEEE 754 fixes their results. They do not sum many
floats either, since NumPy adds them in an order that depends on the machine.
"""

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats

# Two parts of ln 2, the first of 32 bits: times an exponent it is exact.
_LN_2_HIGH, _LN_2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_ROOT_HALF = 7.07106781186547524401e-01
# Coefficients of FreeBSD's e_log.c and e_exp.c (Sun Microsystems 1993), from the lowest power up.
_LOG_ODD = (
    6.666666666666735130e-01,
    2.857142874366239149e-01,
    1.818357216161805012e-01,
    1.479819860511658591e-01,
)
_LOG_EVEN = 3.999999999940941908e-01, 2.222219843214978396e-01, 1.531383769920937332e-01
_EXP = (
    1.66666666666666019037e-01,
    -2.77777777770155933842e-03,
    6.61375632143793436117e-05,
    -1.65339022054652515390e-06,
    4.13813679705723846039e-08,
)
# Numerators and denominators of Wichura (1988), algorithm AS 241, PPND16: in the middle, in the
# tails, and far out.
_MIDDLE = (
    (
        3.3871328727963666080e0,
        1.3314166789178437745e2,
        1.9715909503065514427e3,
        1.3731693765509461125e4,
        4.5921953931549871457e4,
        6.7265770927008700853e4,
        3.3430575583588128105e4,
        2.5090809287301226727e3,
    ),
    (
        1.0,
        4.2313330701600911252e1,
        6.8718700749205790830e2,
        5.3941960214247511077e3,
        2.1213794301586595867e4,
        3.9307895800092710610e4,
        2.8729085735721942674e4,
        5.2264952788528545610e3,
    ),
)
_TAIL = (
    (
        1.42343711074968357734e0,
        4.63033784615654529590e0,
        5.76949722146069140550e0,
        3.64784832476320460504e0,
        1.27045825245236838258e0,
        2.41780725177450611770e-1,
        2.27238449892691845833e-2,
        7.74545014278341407640e-4,
    ),
    (
        1.0,
        2.05319162663775882187e0,
        1.67638483018380384940e0,
        6.89767334985100004550e-1,
        1.48103976427480074590e-1,
        1.51986665636164571966e-2,
        5.47593808499534494600e-4,
        1.05075007164441684324e-9,
    ),
)
_FAR = (
    (
        6.65790464350110377720e0,
        5.46378491116411436990e0,
        1.78482653991729133580e0,
        2.96560571828504891230e-1,
        2.65321895265761230930e-2,
        1.24266094738807843860e-3,
        2.71155556874348757815e-5,
        2.01033439929228813265e-7,
    ),
    (
        1.0,
        5.99832206555887937690e-1,
        1.36929880922735805310e-1,
        1.48753612908506148525e-2,
        7.86869131145613259100e-4,
        1.84631831751005468180e-5,
        1.42151175831644588870e-7,
        2.04426310338993978564e-15,
    ),
)
# Of Stirling's series of log Gamma, in powers of 1 / x^2 (Bernoulli numbers).
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
_HALF_LOG_2_PI = 9.18938533204672741780e-01
# Of the quantile of a Beta law, and of its continued fraction.
_MOST_HALVINGS, _MOST_TERMS, _LEAST = 200, 2000, 1.1102230246251565e-16
# Relative steps after which both end: 2^-40 and 2^-48.
_SHORT, _LAST = 9.094947017729282e-13, 3.552713678800501e-15
# Whole exponents up to here are products.
_MOST_FACTORS = 8


def log(x: ArrayLike) -> Floats:
    """Return the natural logarithm of positive numbers, to less than a unit of the last place.

    With x = 2^k (1 + f), 1 + f between the roots of 1/2 and 2, and s = f / (2 + f), it is
    k ln 2 + 2 artanh s, whose series in s^2 is an optimal polynomial.

    Raise InputError for a number that is not positive and finite.

    >>> log([1.0, 10.0]).tolist()
    [0.0, 2.302585092994046]
    """
    values = _checked(x, 0.0, np.inf)
    mantissa, exponent = np.frexp(values)
    low = mantissa < _ROOT_HALF
    f = np.where(low, mantissa + mantissa, mantissa) - 1.0
    k = (exponent - low).astype(np.float64)
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    r = z * _polynomial(w, _LOG_ODD) + w * _polynomial(w, _LOG_EVEN)
    half = 0.5 * f * f
    total: Floats = k * _LN_2_HIGH - ((half - (s * (half + r) + k * _LN_2_LOW)) - f)
    return total


def exp(x: ArrayLike) -> Floats:
    """Return e^x, to about a unit of the last place; 0 or infinity beyond the range of floats.

    With x = k ln 2 + r and |r| at most half of ln 2 it is 2^k e^r, e^r a rational function of r.

    >>> exp([0.0, 1.0, -1e9, 1e9]).tolist()
    [1.0, 2.7182818284590455, 0.0, inf]
    """
    values = np.clip(np.asarray(x, dtype=np.float64), -800.0, 800.0)
    k = np.rint(values * 1.44269504088896338700)
    high, low = values - k * _LN_2_HIGH, k * _LN_2_LOW
    r = high - low
    t = r * r
    c = r - t * _polynomial(t, _EXP)
    near_one = 1.0 - ((low - r * c / (2.0 - c)) - high)
    with np.errstate(over="ignore", under="ignore"):
        power_of_e: Floats = np.ldexp(near_one, k.astype(np.int32))
    return power_of_e


def power(x: ArrayLike, a: float) -> Floats:
    """Return x^a of positive numbers; the relative error is about (1 + |a log x|) 2^-52.

    Whole exponents from 1 to 8 are products.

    Raise InputError as `log`.

    >>> power([4.0, 9.0], 2.0).tolist(), power([4.0], -0.5).tolist()
    ([16.0, 81.0], [0.5])
    """
    if a not in range(1, _MOST_FACTORS + 1):
        return exp(a * log(x))
    values = _checked(x, 0.0, np.inf)
    product = values
    for _ in range(int(a) - 1):
        product = product * values
    return product


def normal_quantile(p: ArrayLike) -> Floats:
    """Return the quantile of the standard normal law, by Wichura's algorithm AS 241.

    The relative error is about 1e-15.

    Raise InputError for a probability that is not between 0 and 1.

    >>> normal_quantile([0.5, 0.975]).round(12).tolist()
    [0.0, 1.95996398454]
    """
    probabilities = _checked(p, 0.0, 1.0)
    values = probabilities.ravel()
    q = values - 0.5
    quantiles = q * _ratio(0.180625 - q * q, _MIDDLE)
    outer = np.flatnonzero(np.abs(q) > 0.425)
    tails = values[outer]
    r = np.sqrt(-log(np.minimum(tails, 1.0 - tails)))
    sizes = _ratio(r - 1.6, _TAIL)
    far = np.flatnonzero(r > 5.0)
    sizes[far] = _ratio(r[far] - 5.0, _FAR)
    quantiles[outer] = np.where(q[outer] < 0, -sizes, sizes)
    return quantiles.reshape(probabilities.shape)


def _checked(x: ArrayLike, least: float, most: float) -> Floats:
    """Return numbers as floats; raise InputError unless all lie strictly between two bounds."""
    values = np.asarray(x, dtype=np.float64)
    bad = np.flatnonzero(~((values > least) & (values < most)))
    if bad.size:
        rule, remedy = f"lie between {least} and {most}, without them", "leave the number out"
        raise InputError("argument", float(values.flat[bad[0]]), rule, remedy=remedy)
    return values


def _polynomial(x: Floats, coefficients: tuple[float, ...]) -> Floats:
    """Return the polynomial by Horner's rule; coefficients from the lowest power up."""
    total = np.full(x.shape, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total *= x
        total += coefficient
    return total


def _ratio(x: Floats, of: tuple[tuple[float, ...], tuple[float, ...]]) -> Floats:
    """Return the ratio of two polynomials."""
    return _polynomial(x, of[0]) / _polynomial(x, of[1])


def log_gamma(x: ArrayLike) -> Floats:
    """Return log Gamma(x) of positive numbers: by Stirling's series from 10 on, below by recursion.

    Raise InputError as `log`.

    >>> log_gamma([0.5, 5.0]).round(12).tolist()
    [0.572364942925, 3.178053830348]
    """
    values = _checked(x, 0.0, np.inf)
    far, below = values, np.ones(values.shape)
    for _ in range(10):
        near = far < 10
        below = np.where(near, below * far, below)
        far = np.where(near, far + 1, far)
    inverse = 1 / far
    series = inverse * _polynomial(inverse * inverse, _STIRLING)
    total: Floats = (far - 0.5) * log(far) - far + _HALF_LOG_2_PI + series - log(below)
    return total


def beta_quantile(u: ArrayLike, a: ArrayLike, b: ArrayLike) -> Floats:
    """Return x with I_x(a, b) = u, the quantile of Beta(a, b), to about 1e-10.

    It is 2^-53 at least, and 1 less that at most. By Newton's steps, halving where one leaves the
    interval that is known to hold x.

    Raise InputError as `log`, for u outside (0, 1) and for a or b that are not positive.

    >>> beta_quantile([0.5, 0.25], [2.0, 1.0], [2.0, 1.0]).round(12).tolist()
    [0.5, 0.25]
    """
    shapes = _checked(a, 0.0, np.inf), _checked(b, 0.0, np.inf)
    u, a, b = np.broadcast_arrays(_checked(u, 0.0, 1.0), *shapes)
    scale = log_gamma(a) + log_gamma(b) - log_gamma(a + b)
    low, high = np.zeros(u.shape), np.ones(u.shape)
    x: Floats = np.clip(a / (a + b), _LEAST, 1 - _LEAST)
    done = np.zeros(u.shape, dtype=np.bool_)
    for _ in range(_MOST_HALVINGS):
        weight = exp(a * log(x) + b * log(1 - x) - scale)
        share = _incomplete_beta(x, a, b, weight)
        low, high = np.where(share < u, x, low), np.where(share < u, high, x)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            newton = x - (share - u) * (x * (1 - x)) / weight
        # Newton's steps err by the square of their length.
        near = np.abs(newton - x) <= _SHORT * x
        inside = near | ((newton > low) & (newton < high))
        moved = np.clip(np.where(inside, newton, 0.5 * (low + high)), _LEAST, 1 - _LEAST)
        moved = np.where(done, x, moved)
        done = done | near | (high - low <= _LEAST)
        x = moved
        if done.all():
            break
    return x


def _incomplete_beta(x: Floats, a: Floats, b: Floats, weight: Floats) -> Floats:
    """Return I_x(a, b) by its continued fraction (Lentz), on the side where it converges quickly.

    `weight` is x^a (1 - x)^b / B(a, b).
    """
    other = x > (a + 1) / (a + b + 2)
    x, a, b = np.where(other, 1 - x, x), np.where(other, b, a), np.where(other, a, b)
    c, d = np.ones(x.shape), 1 / (1 - (a + b) * x / (a + 1))
    total, done = d, np.zeros(x.shape, dtype=np.bool_)
    for m in range(1, _MOST_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        step = np.ones(x.shape)
        for term in (even, odd):
            d, c = 1 / (1 + term * d), 1 + term / c
            step = step * (d * c)
        total = np.where(done, total, total * step)
        done = done | (np.abs(step - 1) < _LAST)
        if done.all():
            break
    share = weight * total / a
    return np.where(other, 1 - share, share)
