"""UDCG: the published sample, a second road, and what is refused."""

import math

import numpy as np
import pytest

from prum.analytic.utility import StoppingLaw, accumulate, reader_gains, udcg
from prum.simulator.model import InputError

# Probabilities that Llama 3.2 3B abstains, of the sample that the authors published; the first
# chunks of each question are relevant.
SAMPLE = [
    (2, [2.086162567138672e-06, 1.341104507446289e-05, 0.1318359375, 0.1812744140625]),
    (
        2,
        [5.960464477539063e-08, 6.616115570068359e-06, 1.8215179443359375e-4, 0.006114959716796875],
    ),
    (1, [3.0100345611572266e-05, 1.0311603546142578e-4, 0.007602691650390625, 0.01299285888671875]),
]
LAST = [0.02081298828125, 0.0093536376953125, 0.00013053417205810547]
PRINTED = [0.5553808928170055, 0.5501411475208001, 0.4837510250741193]


def sample(number: int) -> tuple[list[int], list[float]]:
    relevant, first = SAMPLE[number]
    return [1] * relevant + [0] * (5 - relevant), [*first, LAST[number]]


@pytest.mark.parametrize("number", range(3))
def test_the_published_sample(number: int) -> None:
    relevance, abstention = sample(number)
    by_command = udcg(relevance, abstention, distraction=0.333)
    assert by_command == pytest.approx(PRINTED[number], abs=1e-15)
    assert abs(udcg(relevance, abstention) - by_command) > 1e-5


def test_it_is_the_last_gain_of_a_user_who_may_stop_anywhere() -> None:
    rng = np.random.default_rng(3)
    for n in (1, 2, 7):
        relevance, abstention = rng.integers(0, 2, n), rng.random(n)
        gains = reader_gains(relevance, abstention)
        assert ((gains >= -1 / 3) & (gains <= 1)).all()
        mean = accumulate("M1", StoppingLaw.of(np.full(n, 1 / n)), gains)
        odds = udcg(relevance, abstention) / (1 - udcg(relevance, abstention))
        assert math.log(odds) == pytest.approx(mean, abs=1e-14)


def test_ends() -> None:
    assert udcg([], []) == 0.5
    assert udcg([1], [0]) == pytest.approx(1 / (1 + math.exp(-1)))
    assert udcg([0], [0]) == pytest.approx(1 / (1 + math.exp(1 / 3)))
    assert udcg([0, 1], [1, 1]) == 0.5


@pytest.mark.parametrize(
    ("relevance", "abstention", "distraction", "message"),
    [
        ([0.5], [0], 0.3, "relevance is 0.5, must be 0 or 1"),
        ([1], [1.5], 0.3, "abstention is 1.5, must lie in"),
        ([1], [float("nan")], 0.3, "abstention is nan, must lie in"),
        ([1, 0], [0.5], 0.3, "must have shape"),
        ([[1]], [[0.5]], 0.3, "must have shape"),
        ([1], [0], -1, "distraction is -1"),
    ],
)
def test_what_is_refused(
    relevance: object, abstention: object, distraction: float, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        udcg(relevance, abstention, distraction=distraction)  # type: ignore[arg-type]
