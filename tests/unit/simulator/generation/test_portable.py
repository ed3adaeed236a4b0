"""Portable functions: the numbers of NumPy and SciPy to 1e-15, and the same bits everywhere."""

import ast
import hashlib
import inspect

import numpy as np
import pytest
from scipy.special import betaincinv, gammaln, ndtri

from prum.simulator.generation import portable
from prum.simulator.generation.portable import (
    beta_quantile,
    exp,
    log,
    log_gamma,
    normal_quantile,
    power,
)
from prum.simulator.model import InputError

EPSILON = 2.0**-52
# Operations that IEEE 754 determines, and what only moves numbers about.
DETERMINED = {
    "abs",
    "bool_",
    "broadcast_arrays",
    "asarray",
    "clip",
    "errstate",
    "flatnonzero",
    "float64",
    "frexp",
    "full",
    "inf",
    "int32",
    "ldexp",
    "minimum",
    "ones",
    "rint",
    "sqrt",
    "where",
    "zeros",
}


def spread(least, most, number=100_000):
    """Return numbers whose logarithms are uniform; any machine's, as only closeness is tested."""
    return np.exp(np.random.default_rng(5).uniform(least, most, number))


def off(found, expected):
    return float(np.max(np.abs(found / expected - 1)))


@pytest.mark.parametrize("numbers", [spread(-740, 709), spread(-0.7, 0.7), spread(-1e-8, 1e-8)])
def test_logarithms(numbers):
    numbers = numbers[numbers != 1]
    assert off(log(numbers), np.log(numbers)) <= 2 * EPSILON


def test_powers_of_e():
    numbers = np.random.default_rng(6).uniform(-708, 709, 100_000)
    assert off(exp(numbers), np.exp(numbers)) <= 2 * EPSILON
    small = np.random.default_rng(7).uniform(-1, 1, 100_000)
    assert off(exp(small), np.exp(small)) <= 2 * EPSILON


def test_powers_of_e_that_are_no_normal_float():
    assert exp([-745.0, -746.0, 710.0]).tolist() == [2.0**-1074, 0.0, np.inf]
    assert np.isfinite(exp(709.78))


@pytest.mark.parametrize("a", [2.0, 8.0, -1.5, 0.5, 1 / 0.7, -10.0, 0.0])
def test_powers(a):
    numbers = spread(-20, 20)
    bound = (2 + 2 * abs(a) * 20) * EPSILON
    assert off(power(numbers, a), numbers**a) <= bound
    # Negative control: another exponent is told apart.
    assert off(power(numbers, a + 1e-12), numbers**a) > bound or a == 0


def test_quantiles():
    numbers = np.concatenate((np.linspace(1e-6, 1 - 1e-6, 100_001), spread(-700, -1)))
    numbers = numbers[np.abs(numbers - 0.5) > 1e-9]
    assert off(normal_quantile(numbers), ndtri(numbers)) <= 2e-15
    assert normal_quantile(0.5) == 0


def test_quantiles_are_symmetric():
    low = np.arange(1, 512) / 1024
    assert np.array_equal(normal_quantile(low), -normal_quantile(1 - low))


def test_log_gamma():
    numbers = spread(-7, 10, 2000)
    expected = gammaln(numbers)
    assert np.abs(log_gamma(numbers) - expected).max() < 1e-14 * np.abs(expected).max()


def test_quantiles_of_beta_laws():
    rng = np.random.default_rng(5)
    u, mean, size = rng.random(500), rng.random(500), spread(-2, 9, 500)
    found = beta_quantile(u, mean * size, (1 - mean) * size)
    assert np.abs(found - betaincinv(mean * size, (1 - mean) * size, u)).max() < 1e-10
    # One by one as together: bits do not hang on what stands beside.
    alone = [
        beta_quantile(*args) for args in zip(u[:20], mean[:20] * 2, 2.5 - mean[:20], strict=True)
    ]
    assert alone == beta_quantile(u[:20], mean[:20] * 2, 2.5 - mean[:20]).tolist()


def test_shapes_are_kept():
    for function in (log, exp, normal_quantile, lambda x: power(x, 0.3), lambda x: power(x, 2)):
        assert function(np.full((2, 3), 0.25)).shape == (2, 3)
        assert function(0.25).shape == ()
        assert function([]).shape == (0,)


@pytest.mark.parametrize("bad", [0.0, 1.0, -0.1, np.nan, np.inf])
def test_what_is_out_of_range(bad):
    functions = [normal_quantile, lambda x: beta_quantile(x, 1, 1)]
    if bad != 1:
        functions += [log, log_gamma, lambda x: power(x, 0.5), lambda x: power(x, 3)]
    for function in functions:
        with pytest.raises(InputError, match=r"argument is .*, must lie between 0\.0 and "):
            function([0.5, bad])


def test_the_bits_are_those_of_every_machine():
    numbers, shares = np.arange(1, 4096) / 997.0, np.arange(1, 200) / 200.0
    for functions, wanted in (
        (
            (
                log(numbers),
                exp(numbers),
                exp(-100 * numbers),
                power(numbers, -1.5),
                power(numbers, 3),
                normal_quantile(np.arange(1, 4096) / 4096.0),
                normal_quantile(2.0 ** -np.arange(1, 100)),
            ),
            "b536358a30e3aa71f38c660a55fe28ec262622ec67be0fbc9b582602a70055c6",
        ),
        (
            (log_gamma(50 * shares), beta_quantile(shares, 3 * shares, 0.7)),
            "20c989eb3126dfd2091a2a630eab955f5fdcf6c8369239656e6c19e5aeb8ebdb",
        ),
    ):
        digest = hashlib.sha256(b"".join(values.astype("<f8").tobytes() for values in functions))
        assert digest.hexdigest() == wanted


def test_only_determined_operations_are_used():
    tree = ast.parse(inspect.getsource(portable))
    of_numpy = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "np"
    }
    assert of_numpy <= DETERMINED
    assert "math" not in inspect.getsource(portable)
    assert not any(isinstance(node, ast.Pow) for node in ast.walk(tree))
