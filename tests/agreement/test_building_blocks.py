"""The probabilities that PRUM is derived from: against enumeration, simulated users, and PRUM.

Equation numbers are those of Piwowarski, Gallinari and Dupret (2007).
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

from prum.analytic import (
    closed_form,
    exact,
    found_pmf,
    new_probability,
    precision_parts,
    prum,
    seen_probability,
)
from prum.simulator import Independent, InputError, ListCosts, Task, simulate
from prum.simulator.model import Navigation
from tests.oracle.cases import CASES
from tests.oracle.enumeration import exact_reach, expectations, prum_literal
from tests.oracle.worlds import ZERO, worlds
from tests.samples import Floats, floats, random_browsing, random_task
from tests.tiers import spread, spread_random

TOLERANCE = 1e-12
# P(any false alarm in a test of this file), whatever the seed.
FAMILY_WISE = 1e-6
SMALL = {
    **{name: case for name, case in CASES.items() if isinstance(case[1], Independent)},
    **{
        f"random {number}": random_task(np.random.default_rng([number, 31]), walk=False)
        for number in range(100)
    },
}
each = pytest.mark.parametrize("name", spread_random(12, SMALL))


def _reach(name: str) -> tuple[Floats, int]:
    task, navigation = SMALL[name]
    rows = [floats(row) for row in exact_reach(task, navigation)]
    return np.array(rows).reshape(task.num_ranked, task.num_ideals), task.num_unranked


def _enumerated(name: str) -> list[tuple[Fraction, list[frozenset[str]]]]:
    """Return every world: its probability, and what was seen within 0 .. o ranks."""
    found = []
    for probability, contexts in worlds(*SMALL[name]):
        seen = [frozenset[str]()]
        for context in contexts:
            seen.append(seen[-1] | context)
        found.append((probability, seen))
    return found


@each
def test_what_is_seen_and_found_is_enumerated(name: str) -> None:
    task, reach = SMALL[name][0], _reach(name)[0]
    t, all_worlds = task.num_ideals, _enumerated(name)
    seen, found = seen_probability(reach), found_pmf(reach)
    for i in range(task.num_ranked + 1):
        of_ideal = dict.fromkeys(task.ideals, ZERO)
        of_number = [ZERO] * (t + 1)
        for p, now in all_worlds:
            of_number[len(now[i])] += p
            for x in now[i]:
                of_ideal[x] += p
        np.testing.assert_allclose(seen[i], floats(of_ideal.values()), atol=TOLERANCE)
        np.testing.assert_allclose(found[i], floats(of_number), atol=TOLERANCE)
        for column, x in enumerate(task.ideals):
            without = [ZERO] * t
            for p, now in all_worlds:
                if x not in now[i]:
                    without[len(now[i])] += p
            if total := sum(without, ZERO):
                given = floats(p / total for p in without)
                own = found_pmf(reach, unseen=column)[i]
                np.testing.assert_allclose(own, given, atol=TOLERANCE)


@each
def test_something_new_is_enumerated(name: str) -> None:
    """Exactly; and by Hypothesis 2.3 never more, and the same who has seen nothing."""
    task, reach = SMALL[name][0], _reach(name)[0]
    new = new_probability(reach, of="exact")
    assert new.shape == (task.num_ranked, task.num_ideals + 1)
    for i in range(1, task.num_ranked + 1):
        for s in range(task.num_ideals + 1):
            there = [(p, now) for p, now in _enumerated(name) if len(now[i - 1]) == s]
            more = sum((p for p, now in there if len(now[i]) > s), ZERO)
            if total := sum((p for p, _ in there), ZERO):
                assert new[i - 1, s] == pytest.approx(float(more / total), abs=TOLERANCE)
            else:
                assert np.isnan(new[i - 1, s])
    published = new_probability(reach)
    np.testing.assert_allclose(published[:, 0], new[:, 0], atol=TOLERANCE)
    assert np.all((published <= new + TOLERANCE) | np.isnan(new))


@pytest.mark.parametrize("left", [1e-3, 1e-6, 1e-9, 1e-12])
def test_what_hardly_anybody_has_not_seen_keeps_its_digits(left: float) -> None:
    """Two ranks show both ideals but for `left` squared each; whoever missed s - 1 tosses coins."""
    almost = 1 - left
    reach = [[almost, almost], [almost, almost], [0.5, 0.5]]
    law = found_pmf(reach)[2]
    unseen = (1 - almost) ** 2
    np.testing.assert_allclose(law[:2], [unseen**2, 2 * unseen * (1 - unseen)], rtol=1e-12)
    np.testing.assert_allclose(new_probability(reach, of="exact")[2], [0.75, 0.5, 0], rtol=1e-12)
    # q_x = P(x at rank 3 first, nothing else seen) / P(F = 1) = 1/4 of each ideal.
    np.testing.assert_allclose(new_probability(reach)[2], [0.75, 7 / 16, 0], rtol=1e-12)


@each
def test_parts_are_those_of_the_printed_equation(name: str) -> None:
    reach, u = _reach(name)
    printed = prum_literal(*SMALL[name])
    due = np.array(
        [floats(part) for part in zip(*((p.a, p.b, p.c, p.d) for p in printed), strict=True)]
    )
    put_together = precision_parts(found_pmf(reach), new_probability(reach), u)
    np.testing.assert_allclose(put_together, due, atol=TOLERANCE)
    published = prum(reach, u)
    assert published.parts is not None
    np.testing.assert_allclose(published.parts, due, atol=TOLERANCE)
    a, b, c, d = published.parts
    assert (a + b).tolist() == published.leading.tolist()
    assert (c + d).tolist() == published.consulted.tolist()


@each
def test_parts_of_the_exact_value_are_enumerated(name: str) -> None:
    task, navigation = SMALL[name]
    reach, u = _reach(name)
    o = task.num_ranked
    put_together = precision_parts(found_pmf(reach), new_probability(reach, of="exact"), u)
    # Of those who come behind the list, each element there costs 1000 times what a rank does.
    dear = exact(reach, u, costs=ListCosts([1.0] * o, 1000.0, unit="steps")).parts
    plain = exact(reach, u).parts
    assert plain is not None
    assert dear is not None
    np.testing.assert_allclose(put_together, plain, atol=TOLERANCE)
    np.testing.assert_allclose(dear, plain * np.array([[1], [1000], [1], [1000]]), rtol=TOLERANCE)
    for r, truth in enumerate(expectations(task, navigation)):
        inside = float(truth.mean(lambda c, _: min(c, o)))
        assert plain[2, r] == pytest.approx(inside, abs=TOLERANCE)
        assert plain[3, r] == pytest.approx(float(truth.consulted) - inside, abs=1e-10)
    behind = [
        sum((p * max(r - len(now[-1]), 0) for p, now in _enumerated(name)), ZERO)
        for r in range(1, task.num_ideals + 1)
    ]
    np.testing.assert_allclose(plain[1], floats(behind), atol=TOLERANCE)


# --- simulated users --------------------------------------------------------------------------

USERS = 40_000


def _off(reach: Floats, task: Task, navigation: Navigation, level: float) -> int:
    """Return how many of P(F_i >= r) are refuted by users, who have C(r) <= i then."""
    simulated = simulate(task, navigation, num_users=USERS, seed=8)
    at_least = 1 - np.cumsum(found_pmf(reach), axis=1)[:, :-1]
    refuted = 0
    for i in range(1, task.num_ranked + 1):
        for r in range(1, task.num_ideals + 1):
            counts = simulated.consulted_counts(r)
            share = float(counts.users[counts.up_to <= i].sum()) / USERS
            p = float(np.clip(at_least[i, r - 1], 0, 1))
            error = (p * (1 - p) / USERS) ** 0.5
            far = norm.isf(level / 2 / at_least.size) * error + (
                1 / USERS if p not in (0, 1) else TOLERANCE
            )
            refuted += abs(share - p) > far
    return refuted


@pytest.mark.parametrize("name", spread(4, ["table III", *(f"random {n}" for n in range(30))]))
def test_users_find_so_many(name: str) -> None:
    assert _off(_reach(name)[0], *SMALL[name], FAMILY_WISE) == 0


def test_users_refute_other_links() -> None:
    """Negative control: links that are followed a tenth more often."""
    reach = _reach("table III")[0]
    assert _off(np.minimum(reach * 1.1, 1), *SMALL["table III"], FAMILY_WISE) > 0


# --- dials, and bad input ---------------------------------------------------------------------


@pytest.mark.parametrize("dial", ["types", "beta", "need", "fading", "satiation", "unranked"])
def test_parts_sum_to_the_value_of_every_dial(dial: str) -> None:
    for seed in range(4):
        case = random_browsing(np.random.default_rng([seed, 9]), "independent", (dial,))
        result = closed_form(*case)
        assert result is not None
        assert result.parts is not None
        a, b, c, d = result.parts
        np.testing.assert_allclose(a + b, result.leading, rtol=TOLERANCE)
        np.testing.assert_allclose(c + d, result.consulted, rtol=TOLERANCE)


def test_bad_input() -> None:
    law = found_pmf([[0.5, 0.5]])
    new = new_probability([[0.5, 0.5]])
    for call, message in (
        (lambda: found_pmf([[0.5]], unseen=1), "unseen is 1, must be a whole number from 0 to 0"),
        (lambda: new_probability([[0.5]], of="noisy"), "of is 'noisy', must be one of"),  # type: ignore[arg-type]
        (lambda: precision_parts(law, new[:, :2], 2), r"shape of new is (1, 2), must be (1, 3)"),
        (lambda: precision_parts(law * 2, new, 2), "found[0] is 2.0, must lie in [0, 1]"),
        (lambda: precision_parts(law, new - 1, 2), "new[0] is -0.25, must lie in [0, 1]"),
        (lambda: precision_parts(law, new, 1), "unranked is 1, must be at least 2"),
        (lambda: precision_parts([[1.0]], new, 1), "shape of found is (1, 1), must have a row"),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert str(caught.value).startswith(message)
