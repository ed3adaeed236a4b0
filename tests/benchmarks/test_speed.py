"""Speed, side by side in groups; nothing is asserted of times."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from prum.analytic import exact, exact_joint, prum
from prum.simulator import simulate
from prum.simulator.sampling import kernels
from tests.benchmarks.workloads import (
    NumpySampler,
    dense_reach,
    exact_by_scipy,
    flat_task,
    graph_task,
    joint_law,
    sparse_reach,
)

USERS = 131_072
SHAPES = ((1000, 10), (100, 50))
UNRANKED = ("sampled", "expected")

Measure = Callable[..., Any]


@pytest.fixture
def measure(benchmark: Any) -> Measure:
    """Run a function a few times, after once to load it."""

    def run(function: Callable[[], object], rounds: int = 5) -> None:
        benchmark.pedantic(function, rounds=rounds, warmup_rounds=1)

    return run


@pytest.fixture
def flat(shape: tuple[int, int], unranked: str, benchmark: Any) -> tuple[Any, Any]:
    benchmark.group = f"{USERS:,} users, {shape[0]} ranks x {shape[1]} ideals, {unranked}"
    return flat_task(*shape)


@pytest.mark.parametrize("unranked", UNRANKED)
@pytest.mark.parametrize("shape", SHAPES, ids="{0[0]}x{0[1]}".format)
class TestUsers:
    @pytest.mark.parametrize("threads", [1, 2])
    def test_simulate(self, measure: Measure, flat: Any, unranked: Any, threads: int) -> None:
        task, navigation = flat
        measure(
            lambda: simulate(
                task, navigation, num_users=USERS, seed=1, unranked=unranked, threads=threads
            )
        )

    def test_vectorised_numpy(self, measure: Measure, flat: Any, unranked: str) -> None:
        sampler, rng = NumpySampler.of(*flat), np.random.default_rng(1)
        measure(lambda: sampler.run(USERS, rng, sampled=unranked == "sampled"))

    def test_only_drawing_t_uniforms_each(self, measure: Measure, flat: Any) -> None:
        t, rng = flat[0].num_ideals, np.random.default_rng(1)
        chunk = 65_536 // t

        def draw() -> None:
            for _ in range(0, USERS, chunk):
                rng.random((chunk, t))

        measure(draw)


@pytest.mark.benchmark(group="16,384 walks on 10,000 pages")
def test_walks(measure: Measure) -> None:
    task, navigation = graph_task()
    measure(lambda: simulate(task, navigation, num_users=16_384, seed=1, threads=1))


class TestRandomNumbers:
    pytestmark = pytest.mark.benchmark(group="65,536 random numbers")

    def test_fill_uniform(self, measure: Measure) -> None:
        state, out = np.arange(1, 5, dtype=np.uint64), np.empty(65_536, dtype=np.uint64)
        measure(lambda: kernels.fill_uniform(state, out), rounds=50)

    def test_numpy(self, measure: Measure) -> None:
        rng = np.random.default_rng(1)
        measure(lambda: rng.random(65_536), rounds=50)


class TestDenseClosedForm:
    pytestmark = pytest.mark.benchmark(group="E[CL], E[C] at o = 1,000, t = 100")

    def test_exact(self, measure: Measure) -> None:
        reach = dense_reach(1000, 100)
        measure(lambda: exact(reach, 2000))

    def test_prum(self, measure: Measure) -> None:
        reach = dense_reach(1000, 100)
        measure(lambda: prum(reach, 2000), rounds=2)

    def test_scipy(self, measure: Measure) -> None:
        reach = dense_reach(1000, 100)
        measure(lambda: exact_by_scipy(reach, 2000), rounds=1)


class TestLargeClosedForm:
    pytestmark = pytest.mark.benchmark(group="o = 10,000, t = 5,000, 50,000 entries")

    @pytest.mark.parametrize("method", [exact, prum])
    def test_sparse(self, measure: Measure, method: Callable[..., object]) -> None:
        reach = sparse_reach(10_000, 5_000, 10)
        measure(lambda: method(reach, 20_000), rounds=1)


@pytest.mark.benchmark(group="o = 100, t = 12, dependent within a context")
def test_joint_law(measure: Measure) -> None:
    within = joint_law(100, 12)
    measure(lambda: exact_joint(within, 1000))


@pytest.mark.benchmark(group="start")
@pytest.mark.parametrize("code", ["pass", "import prum.analytic", "import prum.simulator"])
def test_start_of_python(measure: Measure, code: str) -> None:
    measure(lambda: subprocess.run([sys.executable, "-c", code], check=True))
