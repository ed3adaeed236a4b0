"""Labels of made judges: rates and correlations as their law has them, and names that fix them."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from scipy.special import betaincinv, ndtri
from scipy.stats import multivariate_normal

from prum.simulator.generation.dials import ErringJudges, Topics
from prum.simulator.generation.judging import called_ideal, judges_of, measured_judges
from prum.simulator.model import InputError

BINARY = Topics()
GRADED = Topics(grades=(0.4, 0.3, 0.3), ideal_grade=2)
EACH = 12
GRADES = np.repeat([0, 1], EACH)
HIT, FALSE = 0.6, 0.2
NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)
U, W = (NODES + 1) / 2, WEIGHTS / 2


def labels(dials: ErringJudges, num_topics: int, *, same_elements: bool = False) -> np.ndarray:
    """Return labels of topics, (topics, judges, elements): EACH others, then EACH ideals."""
    return np.array(
        [
            called_ideal(
                dials,
                BINARY,
                7,
                topic,
                range(0 if same_elements else topic * 100, 10**9)[: len(GRADES)],
                GRADES,
            )
            for topic in range(num_topics)
        ]
    ).astype(float)


def z_of(values: np.ndarray, expected: float) -> float:
    """Return z of the mean of values that are independent."""
    return float((values.mean() - expected) / (values.std(ddof=1) / np.sqrt(len(values))))


def quantiles(mean: float, within: float) -> np.ndarray:
    """Return a topic's rate at each node of its rank."""
    if not within:
        return np.full(len(U), mean)
    size = 1 / within - 1
    return betaincinv(mean * size, (1 - mean) * size, U)


def both(p: float, q: float, correlation: float) -> float:
    """Return the probability that two correlated normal numbers are both below quantiles."""
    law = multivariate_normal([0, 0], [[1, correlation], [correlation, 1]])
    return float(law.cdf([ndtri(p), ndtri(q)]))


def by_two_judges(mean: float, within: float, together: float) -> float:
    """Return P(both judges call an element ideal): with the same rank of the topic, or two."""
    rates = quantiles(mean, within)
    if not within:
        return both(mean, mean, together)
    same = sum(w * both(r, r, together) for w, r in zip(W, rates, strict=True))
    pairs = product(zip(W[::2], rates[::2], strict=True), repeat=2)
    other = sum(v * w * both(r, s, together) for (v, r), (w, s) in pairs) / W[::2].sum() ** 2
    return float(together * same + (1 - together) * other)


LIMIT = stats.norm.isf(1e-4 / 2 / 16)


def check(values: np.ndarray, expected: float, apart: float) -> None:
    assert abs(z_of(values, expected)) < LIMIT
    # The control: a law that differs by so much is rejected.
    assert abs(z_of(values, expected + apart)) > LIMIT


def check_law(num_topics: int, apart: float) -> None:
    dials = ErringJudges(
        number=2, hit=HIT, false_alarm=FALSE, by_topic=(0.3, 0.15), between_judges=0.5, leniency=0.6
    )
    made = labels(dials, num_topics)
    others, ideals = made[:, :, :EACH], made[:, :, EACH:]
    for part, mean, within in ((others, FALSE, 0.15), (ideals, HIT, 0.3)):
        check(part.mean(axis=(1, 2)), mean, apart)
        # Two elements of a topic: E[R^2] = m^2 + rho m (1 - m).
        pairs = ((part.sum(axis=2) ** 2 - part.sum(axis=2)) / (EACH * (EACH - 1))).mean(axis=1)
        check(pairs, mean**2 + within * mean * (1 - mean), apart)
        check((part[:, 0] * part[:, 1]).mean(axis=1), by_two_judges(mean, within, 0.5), apart)
    # An ideal and another element of a topic: with one rank, or with two.
    alike = float(W @ (quantiles(HIT, 0.3) * quantiles(FALSE, 0.15)))
    crossed = (others.mean(axis=2) * ideals.mean(axis=2)).mean(axis=1)
    check(crossed, 0.6 * alike + 0.4 * HIT * FALSE, apart)


def test_rates_and_correlations() -> None:
    check_law(300, 0.16)


def test_an_element_on_two_topics() -> None:
    dials = ErringJudges(
        number=2, hit=HIT, false_alarm=FALSE, by_topic=0.0, between_judges=0.5, by_document=0.6
    )
    # Each pair of topics has elements of its own, of which every one is on both.
    first, second = (
        np.concatenate(
            [
                called_ideal(
                    dials, BINARY, 3, 2 * pair + one, range(pair * 120, 10**9)[:120], ideal
                )
                for pair in range(4)
            ],
            axis=1,
        ).astype(float)
        for one in (0, 1)
        for ideal in [np.ones(120, dtype=np.int64)]
    )
    for a, b, correlation in (
        (first[0], second[0], 0.6),
        (first[1], second[1], 0.6),
        (first[0], first[1], 0.5),
        (first[0], second[1], 0.3),
    ):
        check(a * b, both(HIT, HIT, correlation), 0.16)


def test_a_judge_who_never_errs_and_one_who_always_does() -> None:
    for hit, false in ((1.0, 0.0), (0.0, 1.0)):
        dials = ErringJudges(hit=hit, false_alarm=false, by_topic=0.5)
        assert (labels(dials, 3) == ((hit == 1) == GRADES)).all()


def test_names_fix_what_a_judge_says() -> None:
    dials = ErringJudges(number=3, by_document=0.2)
    one = labels(dials, 3)
    assert (one == labels(dials, 3)).all()
    assert (one[:, :2] == labels(ErringJudges(number=2, by_document=0.2), 3)).all()
    assert (one != labels(ErringJudges(number=3, by_document=0.2, hit=0.9), 3)).any()
    assert not (one[:, 0] == one[:, 1]).all()


def test_rates_by_grade() -> None:
    dials = ErringJudges(hit=(0.5, 0.9), false_alarm=(0.1, 0.3))
    (judge,) = judges_of(dials, GRADED)
    assert judge.rates == (0.1, 0.3, 0.5, 0.9)
    assert judge.by_topic == (0.19, 0.19, 0.23, 0.23)
    (alike,) = judges_of(ErringJudges(hit=0.5), GRADED)
    assert alike.rates == (0.2, 0.2, 0.5, 0.5)


def test_judges_like_measured_ones() -> None:
    known = measured_judges()
    assert len(known) == 33
    rates = np.array([[of["hit"], of["false_alarm"]] for of in known.values()])
    assert np.median(rates, axis=0).round(3).tolist() == [0.516, 0.214]
    dials = ErringJudges(like=("h2oloo-fewself", "Olz-gpt4o"))
    plain, graded = judges_of(dials, BINARY), judges_of(dials, GRADED)
    assert plain[0].rates == (0.18, 0.572)
    assert graded[1].rates == tuple(known["Olz-gpt4o"][f"grade{grade}"] for grade in range(4))


@pytest.mark.parametrize(
    ("dials", "told"),
    [
        ({"hit": (0.5, 0.6, 0.7)}, "judges.hit is (0.5, 0.6, 0.7), must be one number, or 2"),
        ({"false_alarm": (0.5,)}, "judges.false_alarm is (0.5,), must be one number, or 2"),
        ({"like": ("Olz-gpt4",)}, "judges.like[0] is 'Olz-gpt4', must be one of the measured"),
        ({"like": ("Olz-gpt4o",), "number": 2}, "judges.number is 2, must be left out"),
    ],
)
def test_what_does_not_fit(dials: dict[str, object], told: str) -> None:
    with pytest.raises(InputError) as error:
        judges_of(ErringJudges.model_validate(dials), GRADED)
    assert told in str(error.value)
