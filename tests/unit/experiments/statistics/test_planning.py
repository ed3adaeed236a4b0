"""What a family can show, by the power of many drawn samples and by scipy's noncentral t."""

import numpy as np
import pytest
from scipy import stats

from prum.experiments.statistics.maxima import bonferroni_critical
from prum.experiments.statistics.tests import detectable, topics_for
from prum.simulator.model import InputError

LEVEL = 0.05


@pytest.mark.parametrize(("num_topics", "critical"), [(8, 2.4), (30, 5.3), (200, 3.1)])
def test_a_detectable_difference_is_shown_with_its_power(num_topics: int, critical: float) -> None:
    error = np.array([0.03, 0.2])
    difference = detectable(error, num_topics, critical=critical)
    assert difference == pytest.approx(error * difference[0] / 0.03)
    rng = np.random.default_rng(num_topics)
    deviation = 0.03 * num_topics**0.5
    seeds = 20_000

    def shown(mean: float) -> float:
        t = stats.ttest_1samp(rng.normal(mean, deviation, (seeds, num_topics)), 0, axis=1).statistic
        return float((t > critical).mean())

    allowed = 4.5 * (0.8 * 0.2 / seeds) ** 0.5
    assert abs(shown(float(difference[0])) - 0.8) < allowed
    assert abs(shown(float(difference[0]) * 0.95) - 0.8) > allowed


def test_so_many_topics_are_needed() -> None:
    critical = bonferroni_critical(45, 30, LEVEL)
    wanted = 0.05
    number = topics_for(wanted, 0.04, 30, critical=critical)
    each = 2 * stats.t.sf(critical, 29)
    deviation = 0.04 * 30**0.5

    def power(topics: float) -> float:
        far = stats.t.isf(each / 2, topics - 1)
        return float(stats.nct.sf(far, topics - 1, wanted * topics**0.5 / deviation))

    assert power(number) >= 0.8 > power(number - 1)
    assert topics_for(-wanted, 0.04, 30, critical=critical) == number
    shown = float(detectable(0.04, 30, critical=critical))
    assert topics_for(shown * (1 + 1e-9), 0.04, 30, critical=critical) == 30
    assert topics_for(shown, 0.04, 30, critical=critical, power=0.9) > 30


def test_planning_at_its_ends() -> None:
    assert np.isnan(detectable(0.1, 1, critical=2.0))
    assert np.isnan(detectable(0.1, 10, critical=np.nan))
    assert np.isinf(detectable(0.1, 10, critical=np.inf))
    assert float(detectable(0.0, 10, critical=2.0)) == 0
    assert np.isnan(topics_for(0.1, 0.1, 1, critical=2.0))
    assert np.isnan(topics_for(0.1, 0.1, 10, critical=np.nan))
    assert topics_for(0.1, 0.0, 10, critical=2.0) == 2
    assert topics_for(100.0, 0.1, 10, critical=2.0) <= 3
    assert topics_for(1e-3, 1.0, 30, critical=4.0) > 1e8
    assert topics_for(1e-9, 1.0, 30, critical=4.0) > 1e18
    assert topics_for(0.1, 0.1, 10, critical=np.inf) == np.inf
    with pytest.raises(InputError, match="difference is 0"):
        topics_for(0.0, 0.1, 10, critical=2.0)
    with pytest.raises(InputError, match="power is 1"):
        detectable(0.1, 10, critical=2.0, power=1)


def test_many_topics_are_counted_by_the_normal_law() -> None:
    """It meets Student's within 1 % where it takes over; of many comparisons on few topics, too."""
    each = 2 * stats.t.sf(3.0, 49)
    for difference in (0.028, 0.025, 0.01):
        number, deviation = topics_for(difference, 0.05, 50, critical=3.0), 0.05 * 50**0.5
        shift = difference * number**0.5 / deviation
        power = stats.nct.sf(stats.t.isf(each / 2, number - 1), number - 1, shift)
        assert number > 2_000
        assert power == pytest.approx(0.8, abs=0.005)
    assert 50 < topics_for(0.1, 0.05, 50, critical=6.8) < 1_000


@pytest.mark.parametrize("num", [3, 10, 100])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.99])
def test_far_critical_values_go_on_where_near_ones_end(num: int, power: float) -> None:
    near, far = (
        float(detectable(1.0, num, critical=critical, power=power)) / critical
        for critical in (999.0, 1001.0)
    )
    assert far == pytest.approx(near, rel=1e-3)
